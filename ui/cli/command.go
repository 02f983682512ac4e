// Package cli implements the commands. Names, flags, JSON lines and exit codes are a contract for
// scripts (design.md §10).
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/terminal"
	"mediadesk/ui/text"
)

// Program holds what main passes to the commands.
type Program struct {
	// Options are those of a session; flags add the request.
	session.Options
	// Screens runs the interactive program until the user leaves. The picker starts in folder;
	// empty means the working directory.
	Screens func(ctx context.Context, o session.Options, folder string, sources []api.Source) error
	// Log is the program's log; --debug makes it verbose.
	Log *config.Log

	Getenv         func(string) string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Terminal reports whether both input and output are a terminal, TerminalOut and TerminalErr
	// whether standard output or error is.
	Terminal, TerminalOut, TerminalErr bool

	// Global flags beside those of Options.
	debug, json, dryRun, quiet, yes, accessible bool

	filesFrom string // file with a list of files or sources
	output    outputFlags

	sessions  []*session.Session // open until the command ends
	failed    error              // of the command that ran
	described bool               // the help of a command below root is written
	last      *session.Session   // the last one opened
	stale     []*api.File        // files of which a service may have old cached copies
	addresses bool               // addresses of stored files were printed
}

func (p *Program) open(ctx context.Context) (*session.Session, error) {
	return p.opened(session.Open(ctx, p.Options))
}

// openOrDescribe is open. With --dry-run the session sends nothing and needs no key, unless
// the requests depend on what it reads.
func (p *Program) openOrDescribe(ctx context.Context, reads bool) (*session.Session, error) {
	if !p.dryRun || reads {
		return p.open(ctx)
	}
	return p.opened(session.Describe(p.Options))
}

// withSession returns the function of a command that begins with a session. With --dry-run, one that
// only reads files shows these requests instead.
func (p *Program) withSession(reads func(id string) api.Request,
	do func(ctx context.Context, s *session.Session, args []string) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if p.dryRun && reads != nil {
			return p.dryReads(cmd.Context(), args, reads)
		}
		s, err := p.open(cmd.Context())
		if err != nil {
			return err
		}
		return do(cmd.Context(), s, args)
	}
}

// opened prints the warnings of a session that was opened, and notes it for the end of the command.
func (p *Program) opened(s *session.Session, err error) (*session.Session, error) {
	if err == nil {
		p.sessions, p.last = append(p.sessions, s), s
		for _, warning := range s.Warnings {
			report(p.Stderr, warning)
		}
	}
	return s, err
}

// note prints a line that is neither result nor error. --quiet suppresses it.
func (p *Program) note(format string, args ...any) {
	if !p.quiet {
		fmt.Fprintln(p.Stderr, text.Safe(fmt.Sprintf(format, args...)))
	}
}

// Main runs the command line and returns the exit code.
func Main(ctx context.Context, p Program, args []string) int {
	err := p.execute(ctx, args)
	if s := p.last; s != nil && s.Serving && p.addresses {
		serve := text.Either(s.Busy == "", "To serve it, run: mediadesk serve",
			text.Capital(s.Busy)+". To serve it at these URLs, run: mediadesk serve --addr "+s.Profile.Host)
		p.note("mediadesk: URLs of the local library work while it is served. %s", serve)
	}
	if len(p.stale) > 0 && !p.last.Profile.Local { // whose copies are never old
		p.note("mediadesk: the cache of the service may have old copies. To remove them, run: %s", purgeCommand(p.stale))
	}
	if err == nil {
		return exitDone
	}
	report(p.Stderr, err)
	if ended, ok := errors.AsType[*terminal.SignalError](context.Cause(ctx)); ok {
		return ended.Code
	}
	return exitCode(err)
}

func (p *Program) execute(ctx context.Context, args []string) error {
	p.failed = nil
	root := newRoot(p)
	root.SetArgs(args)
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	err := p.runCommand(ctx, root)
	if err == nil {
		err = p.failed
	} else {
		err = &exitError{exitUsage, err} // of the command line
	}
	closing, cancel := context.WithTimeout(context.Background(), session.CloseTimeout)
	defer cancel()
	for _, s := range p.sessions {
		if err := s.Close(closing); err != nil {
			report(p.Stderr, err)
		}
	}
	p.sessions = nil
	return err
}

func newRoot(p *Program) *cobra.Command {
	p.Request = session.Request{RetryTimeout: session.RetryTimeout}
	p.Waiting = func(notice string) { p.note("mediadesk: %s…", notice) }
	root := &cobra.Command{
		Use:   "mediadesk [FILE… | FOLDER]",
		Short: "Upload, tag and manage images in an ImageKit-style media library",
		Long: "Upload, tag and manage images in an ImageKit-style media library from your terminal.\n\n" +
			"Without a command, mediadesk opens the screens. Files that you name are put in the tray. A folder opens in the picker.\n\n" +
			"Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 no private key or one that is not accepted, " +
			"4 outcome unknown or still pending, 128 plus the number of a signal that ended the program. mediadesk man prints the manual page.",
		Example: "mediadesk\nmediadesk holiday/*.jpg\nmediadesk upload photo.jpg --tags sea,boat --folder /summer/ --wait",
		Args:    cobra.ArbitraryArgs,
		RunE:    p.runScreens,
	}
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		homeless := cmd.HasParent() && cmd.Parent().Name() == "completion"
		homeless = homeless || cmd.Name() == "man" || cmd.Name() == "help"
		if p.Paths == (config.Paths{}) && !homeless {
			return &exitError{exitUsage, config.ErrNoHome}
		}
		if cmd.Name() == "man" {
			escapeManual(cmd.Root())
		}
		slog.SetDefault(p.Log.Logger(p.debug))
		p.json = p.json || p.output.jq != "" || p.output.format != ""
		if err := p.output.compile(); err != nil {
			return err
		}
		if p.dryRun && slices.Contains(withoutRequest, cmd.CommandPath()) {
			return usage("%s sends no request that --dry-run could print", cmd.CommandPath())
		}
		if cmd.Flags().Changed("concurrency") && p.Concurrency < 1 {
			return usage("--concurrency takes a number from 1, not %d", p.Concurrency)
		}
		return nil
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage("%s", flagProblem(err)) })
	all := root.PersistentFlags()
	all.StringVarP(&p.Profile, "profile", "p", "", "`PROFILE`: profile to use for this command")
	all.StringVar(&p.UploadURL, "upload-url", "", "`URL`: URL for uploads, instead of a profile")
	all.StringVar(&p.BaseURL, "base-url", "", "`URL`: URL for all other calls, instead of a profile")
	all.StringVar(&p.DeliveryURL, "delivery-url", "", "`URL`: URL that serves the files, instead of a profile")
	all.BoolVar(&p.json, "json", false, "print one JSON object per line, for scripts")
	all.StringVar(&p.output.jq, "jq", "", "`EXPR`: print the result of this jq expression for each JSON object")
	all.StringVar(&p.output.format, "format", "", "`TEMPLATE`: print these fields of each JSON object, such as '{{.fileId}} {{.name}}'")
	all.BoolVarP(&p.dryRun, "dry-run", "n", false, "print the request instead of sending it")
	all.BoolVarP(&p.quiet, "quiet", "q", false, "print results and errors only")
	all.BoolVarP(&p.yes, "yes", "y", false, "answer yes to questions, such as whether to delete")
	all.IntVar(&p.KeyFD, "key-fd", -1, "`N`: read the private key from this file descriptor")
	all.BoolVar(&p.debug, "debug", false, "log every request, without secrets")
	all.BoolVar(&p.accessible, "accessible", false, "use prompts and sentences instead of screens, for screen readers")
	root.MarkFlagsMutuallyExclusive("jq", "format")
	root.AddCommand(newUpload(p), newResume(p), newDetails(p), newList(p), newWatch(p), newServe(p),
		newUploads(p), newUsage(p), newTransfer(p), newProfile(p), newKey(p), newDoctor(p),
		newVersions(p), newDownload(p), newSync(p), newOpen(p), newPurge(p), newMkdir(p), newRmdir(p),
		moveCommand(p), copyCommand(p), renameCommand(p), restoreCommand(p), deleteCommand(p), signCommand(p))
	root.InitDefaultCompletionCmd()
	p.complete(root)
	return root
}

// complete gives a command and those below it what all have: completions, the check of the number
// of arguments, and the help of their texts.
func (p *Program) complete(cmd *cobra.Command) {
	cmd.Flags().SortFlags, cmd.PersistentFlags().SortFlags = false, false
	if takesFiles(cmd) {
		cmd.Flags().StringVar(&p.filesFrom, "files-from", "", "`FILE`: list of files: ids, paths or JSON lines; - reads standard input")
	}
	p.completeFlags(cmd)
	if cmd.HasSubCommands() && cmd.RunE == nil {
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
			if takesFiles(cmd) {
				args, err = p.fileArgs(cmd, args)
			}
			if err == nil {
				err = run(cmd, args)
			}
			p.failed = err // fang would query the terminal for the colors of an error
			return nil
		}
	}
	if cmd.HasParent() {
		cmd.SetHelpFunc(func(c *cobra.Command, args []string) {
			describeFlags(c)
			p.described = true
			c.Root().HelpFunc()(c, args)
		})
		if cmd.Args == nil {
			cmd.Args = checkArgs
		}
		if cmd.ValidArgsFunction == nil && !strings.Contains(cmd.Use, "SOURCE") { // which are local files
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
	}
	for _, sub := range cmd.Commands() {
		p.complete(sub)
	}
}

func flagProblem(err error) string {
	value, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err.Error()
	}
	f := value.GetFlag()
	if f.Value.Type() == "func" {
		return fmt.Sprintf("--%s: %v", f.Name, value.Unwrap())
	}
	wants := map[string]string{
		"bool": "true or false", "uint64": "a whole number from 0", "duration": "a time such as 90s or 5m",
	}[f.Value.Type()]
	return fmt.Sprintf("--%s takes %s, not %q", f.Name, cmp.Or(wants, "a whole number"), value.GetValue())
}

// withoutRequest lists the commands that refuse --dry-run, since they send no single request.
var withoutRequest = []string{
	"mediadesk", "mediadesk serve", "mediadesk watch",
	"mediadesk profile use", "mediadesk profile remove", "mediadesk key set", "mediadesk key forget",
}

// prompts reports whether the user wants prompts and sentences instead of screens and redrawn
// lines.
func (p *Program) prompts() bool {
	on, err := strconv.ParseBool(p.Getenv(AccessibleVariable))
	return p.accessible || err == nil && on
}

func (p *Program) runScreens(cmd *cobra.Command, args []string) error {
	// A word that is not a file may be a mistyped command.
	if len(args) > 0 && !strings.ContainsAny(args[0], `/\.:-`) {
		_, err := os.Lstat(args[0])
		if near := nearest(cmd, args[0]); err != nil && near != "" {
			return usage("no file or command %q. Did you mean: mediadesk %s", args[0], near)
		}
	}
	if p.prompts() {
		return accessible(cmd.Context(), p, args)
	}
	// With - the file list comes from standard input and keys from the terminal.
	piped := p.TerminalOut && slices.Contains(args, "-")
	if !p.Terminal && !piped {
		return &exitError{exitUsage, api.WithHint(errors.New("the screens need a terminal for input and output"), "Use a command, such as: mediadesk upload FILE (see mediadesk --help), or mediadesk --accessible for prompts.")}
	}
	// A folder is where the picker starts; files go to the tray.
	folder := ""
	files := slices.DeleteFunc(slices.Clone(args), func(arg string) bool {
		info, err := os.Stat(arg)
		if err != nil || !info.IsDir() {
			return false
		}
		folder = arg
		return true
	})
	found, err := p.find(cmd.Context(), files, session.Filter{})
	if err == nil && len(found.Bad) > 0 {
		err = found.Bad[0]
	}
	if err != nil {
		return err
	}
	p.Adopt, p.RetryTimeout = true, 0
	return p.Screens(cmd.Context(), p.Options, folder, found.Sources)
}

// nearest returns the subcommand that a word probably means, or "".
func nearest(cmd *cobra.Command, word string) string {
	if word == "version" && !cmd.HasParent() {
		return "--version"
	}
	cmd.SuggestionsMinimumDistance = text.Either(len(word) < 6, 1, 2) // short words are close to everything
	if near := cmd.SuggestionsFor(word); len(near) > 0 {
		return near[0]
	}
	return ""
}

// Exit codes of the contract.
const (
	exitDone    = 0
	exitFailed  = 1
	exitUsage   = 2
	exitKey     = 3
	exitUnknown = 4
)

// exitError carries an exit code. A nil err prints nothing.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

func is[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

func exitCode(err error) int {
	exit, exits := errors.AsType[*exitError](err)
	signal, ended := errors.AsType[*terminal.SignalError](err)
	rule, broken := errors.AsType[*api.RuleError](err)
	switch {
	case err == nil:
		return exitDone
	case exits:
		return exit.code
	case is[*session.RequestError](err), broken && rule.Field == "fileId":
		return exitUsage
	case ended:
		return signal.Code
	case errors.Is(err, session.ErrJobPending):
		return exitUnknown
	case is[*config.NoKeyError](err), is[*config.SourceError](err), is[*config.KeyringError](err),
		api.KeyRefused(err):
		return exitKey
	}
	return exitFailed
}

// argHints follow the first argument of a command in the message that it is missing.
var argHints = map[string]string{"FILE": ": a file id or a library path", "FOLDER": ", such as /summer/"}

// checkArgs checks the number of arguments by the usage of a command, such as "move FILE… FOLDER".
func checkArgs(cmd *cobra.Command, args []string) error {
	takes, _, _ := strings.Cut(strings.TrimPrefix(cmd.Use, cmd.Name()), " --")
	words, least := strings.Fields(takes), 0
	for _, word := range words {
		if !strings.HasPrefix(word, "[") {
			least++
		}
	}
	takes = cmp.Or(strings.TrimSpace(takes), "no argument")
	if from := cmd.Flags().Lookup("files-from"); from != nil && from.Changed && len(args) < least {
		least-- // counted once the list is read
	}
	switch {
	case len(args) < least && len(words) == 1:
		name := strings.TrimSuffix(words[0], "…")
		return usage("%s needs a %s%s", cmd.CommandPath(), name, argHints[name])
	case len(args) < least:
		return usage("%s takes %s", cmd.CommandPath(), takes)
	case len(args) <= len(words) || strings.Contains(takes, "…"):
		return nil
	case cmd.HasSubCommands():
		if near := nearest(cmd, args[0]); near != "" {
			return usage("%s has no command %q. Did you mean: %[1]s %[3]s", cmd.CommandPath(), args[0], near)
		}
		return usage("%s has no command %q; see %[1]s --help", cmd.CommandPath(), args[0])
	}
	return usage("%s takes %s; %q is one too many", cmd.CommandPath(), takes, args[len(words)])
}

// Version returns the module version or commit of the build; info may be nil.
func Version(info *debug.BuildInfo) string {
	if info == nil || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "0.2.0-dev" // there is no version information
	}
	return info.Main.Version
}
