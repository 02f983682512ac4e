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
	"slices"
	"strconv"
	"strings"
	"time"

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

	// Detector detects terminal features, for doctor.
	Detector func(out *os.File) terminal.Detector

	Getenv         func(string) string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Terminal reports whether both input and output are a terminal, TerminalOut and TerminalErr
	// whether standard output or error is.
	Terminal, TerminalOut, TerminalErr bool

	flags     *flags // global flags
	args      []string
	local     bool     // the profile is the local library, whose copies are never old
	serving   bool     // this process serves the local library until it ends
	addresses bool     // addresses of stored files were printed
	stale     []string // paths of files of which a service may have old cached copies
}

// options returns the session options for the flags.
func (p *Program) options(f *flags) session.Options {
	o := p.Options
	o.Request = f.Request
	o.Waiting = func(wait time.Duration) {
		p.note(f, "mediadesk: the service limits requests; waiting %.0f s…", max(1, wait.Seconds()))
	}
	return o
}

// open opens the session for the flags.
func (p *Program) open(ctx context.Context, f *flags) (*session.Session, error) {
	return p.opened(session.Open(ctx, p.options(f)))
}

// opened notes what the last lines of the command depend on.
func (p *Program) opened(s *session.Session, err error) (*session.Session, error) {
	if err == nil {
		p.serving, p.local = s.Serving, s.Profile.Local
	}
	return s, err
}

// warnOfAddresses warns if printed addresses of the local library stop working after this command.
func (p *Program) warnOfAddresses() {
	if p.serving && p.addresses {
		p.note(p.flags, "mediadesk: addresses of the local library work while it is served. To serve it, run: mediadesk serve")
	}
}

// offerPurge says how to remove cached copies that this command made old.
func (p *Program) offerPurge() {
	if len(p.stale) > 0 && !p.local {
		p.note(p.flags, "mediadesk: the cache of the service may have old copies. To remove them, run: %s", purgeCommand(p.stale...))
	}
}

// spool returns the folder for data from standard input or the clipboard.
func (p *Program) spool() string { return p.Paths.Spool() }

// flags are the global flags.
type flags struct {
	session.Request
	debug, json, dryRun, quiet, yes, accessible bool
}

// note prints a message that is neither result nor error. --quiet suppresses it.
func (p *Program) note(f *flags, format string, args ...any) {
	if !f.quiet {
		fmt.Fprintln(p.Stderr, safeLines(fmt.Sprintf(format, args...)))
	}
}

// Main runs the command line and returns the exit code.
func Main(ctx context.Context, p Program, args []string) int {
	p.args = args
	root := newRoot(&p)
	root.Version = p.Version
	root.SetArgs(args)
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	err := root.ExecuteContext(ctx)
	p.warnOfAddresses()
	p.offerPurge()
	if err == nil {
		return exitDone
	}
	report(p.Stderr, err)
	if ended, ok := errors.AsType[*terminal.SignalError](context.Cause(ctx)); ok {
		return ended.Code
	}
	return exitCode(err)
}

func newRoot(p *Program) *cobra.Command {
	f := &flags{Request: session.Request{KeyFD: -1, RetryFor: session.RetryFor}}
	p.flags = f
	root := &cobra.Command{
		Use:   "mediadesk [FILE… | FOLDER]",
		Short: "Upload, tag and manage images in an ImageKit-style media library",
		Long: "Upload, tag and manage images in an ImageKit-style media library from your terminal.\n\n" +
			"Without a command, mediadesk opens the screens. Files that you name are put in the tray. A folder opens in the picker.",
		Example:      "mediadesk\nmediadesk holiday/*.jpg\nmediadesk upload photo.jpg --tags sea,boat --folder /summer/ --wait",
		Args:         cobra.ArbitraryArgs,
		SilenceUsage: true, SilenceErrors: true,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runScreens(cmd, p, f, args)
		},
	}
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		slog.SetDefault(p.Log.Logger(f.debug))
		if err := switchValue(cmd, p.args); err != nil {
			return err
		}
		if f.dryRun && slices.Contains(withoutRequest, cmd.CommandPath()) {
			return usage("%s sends no request that --dry-run could print", cmd.CommandPath())
		}
		return nil
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage("%s", flagProblem(err)) })
	root.SetHelpFunc(p.showHelp)
	all := root.PersistentFlags()
	all.StringVarP(&f.Profile, "profile", "p", "", "use this profile instead of the one in use")
	all.StringVar(&f.UploadURL, "upload-url", "", "address for uploads, instead of a profile")
	all.StringVar(&f.BaseURL, "base-url", "", "address for all other calls, instead of a profile")
	all.StringVar(&f.DeliveryURL, "delivery-url", "", "address that serves the files, instead of a profile")
	all.BoolVar(&f.json, "json", false, "print one JSON object per line, for scripts")
	all.BoolVarP(&f.dryRun, "dry-run", "n", false, "print the request instead of sending it")
	all.BoolVarP(&f.quiet, "quiet", "q", false, "print results and errors only")
	all.BoolVarP(&f.yes, "yes", "y", false, "answer yes to questions, such as whether to delete")
	all.IntVar(&f.KeyFD, "key-fd", -1, "read the private key from this file descriptor")
	all.BoolVar(&f.debug, "debug", false, "log every request, without secrets")
	all.BoolVar(&f.accessible, "accessible", false, "prompts and sentences instead of screens, for screen readers")
	root.AddCommand(newUpload(p, f), newResume(p, f), newDetails(p, f), newList(p, f), newOpen(p, f), newWatch(p, f), newServe(p, f), newUploads(p, f), newUsage(p, f), newTransfer(p, f),
		newProfile(p, f), newKey(p, f), newDoctor(p, f), newMan(p))
	root.AddCommand(newFileCommands(p, f)...)
	root.AddCommand(newFolderCommands(p, f)...)
	addCompletions(root, p)
	checkHelpArgs(root)
	return root
}

// switchValue refuses the value of a switch as a separate word, which would be an argument.
func switchValue(cmd *cobra.Command, args []string) error {
	for i, word := range args {
		if i == 0 || word != "true" && word != "false" || args[i-1] == "--" {
			continue
		}
		f := cmd.Flags().Lookup(strings.TrimPrefix(args[i-1], "--"))
		if strings.HasPrefix(args[i-1], "--") && f != nil && f.Value.Type() == "bool" {
			return usage("unexpected %q after --%s: write --%[2]s=%[1]s", word, f.Name)
		}
	}
	return nil
}

// flagProblem describes an invalid flag and the values that it takes.
func flagProblem(err error) string {
	var value *pflag.InvalidValueError
	if !errors.As(err, &value) {
		return err.Error()
	}
	f := value.GetFlag()
	wants := map[string]string{"bool": "true or false", "uint64": "a whole number from 0", "duration": "a time such as 90s or 5m"}
	return fmt.Sprintf("--%s takes %s, not %q", f.Name, cmp.Or(wants[f.Value.Type()], "a whole number"), value.GetValue())
}

// withoutRequest lists the commands that refuse --dry-run, since they send no single request.
var withoutRequest = []string{
	"mediadesk", "mediadesk serve", "mediadesk watch",
	"mediadesk profile use", "mediadesk profile remove", "mediadesk key set", "mediadesk key forget",
}

// prompts reports whether the user wants prompts and sentences instead of screens and redrawn
// lines.
func (f *flags) prompts(p *Program) bool {
	on, err := strconv.ParseBool(p.Getenv(AccessibleVariable))
	return f.accessible || err == nil && on
}

// runScreens starts the interactive program if there is a terminal.
func runScreens(cmd *cobra.Command, p *Program, f *flags, args []string) error {
	if err := mistyped(cmd, args); err != nil {
		return err
	}
	if f.prompts(p) {
		return accessible(cmd.Context(), p, f, args)
	}
	// With - the file list comes from standard input and keys from the terminal.
	piped := p.TerminalOut && slices.Contains(args, "-")
	if !p.Terminal && !piped {
		return usage("the screens need a terminal for input and output.\n" +
			"Use a command, such as: mediadesk upload FILE (see mediadesk --help), or mediadesk --accessible for prompts")
	}
	if code, ran := p.guarded(f.KeyFD); ran {
		return &exitError{code: code}
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
	sources, err := p.expand(cmd.Context(), files)
	if err != nil {
		return err
	}
	f.Adopt, f.RetryFor = true, 0
	return p.Screens(cmd.Context(), p.options(f), folder, sources)
}

// mistyped returns an error if a word is not a file but close to a command.
func mistyped(root *cobra.Command, args []string) error {
	if len(args) == 0 || strings.ContainsAny(args[0], `/\.:-`) {
		return nil
	}
	if _, err := os.Lstat(args[0]); err == nil {
		return nil
	}
	if near := nearest(root, args[0]); near != "" {
		return usage("no file or command %q. Did you mean: mediadesk %s", args[0], near)
	}
	return nil
}

// noSuchCommand returns the error for an unknown subcommand.
func noSuchCommand(cmd *cobra.Command, word string) error {
	if near := nearest(cmd, word); near != "" {
		return usage("%s has no command %q. Did you mean: %[1]s %[3]s", cmd.CommandPath(), word, near)
	}
	return usage("%s has no command %q; see %[1]s --help", cmd.CommandPath(), word)
}

// nearest returns the subcommand that a word probably means, or "".
func nearest(cmd *cobra.Command, word string) string {
	if word == "version" && !cmd.HasParent() {
		return "--version"
	}
	cmd.SuggestionsMinimumDistance = 2
	if len(word) < 6 {
		cmd.SuggestionsMinimumDistance = 1 // short words are close to everything
	}
	if near := cmd.SuggestionsFor(word); len(near) > 0 {
		return near[0]
	}
	return ""
}

// openAnyway is open for commands that can do without the journal. They print a warning if it
// cannot be opened.
func (p *Program) openAnyway(ctx context.Context, f *flags) (*session.Session, error) {
	o := p.options(f)
	o.NeedsNoJournal = true
	s, err := p.opened(session.Open(ctx, o))
	if err == nil && s.NoJournal != nil {
		report(p.Stderr, s.NoJournal)
		fmt.Fprintln(p.Stderr, "mediadesk: continuing without the journal: you cannot undo changes that you make now.")
	}
	return s, err
}

// guarded runs the screens in a child process. ran is false if this process must run them itself.
func (p *Program) guarded(keyFD int) (code int, ran bool) {
	out, ok := p.Stdout.(*os.File)
	if !ok {
		return 0, false
	}
	var secrets []string
	for _, name := range config.SecretVariables { // children do not inherit them
		if value := p.Getenv(name); value != "" {
			secrets = append(secrets, name+"="+value)
		}
	}
	return terminal.RunGuarded(terminal.GuardOptions{Out: out, Err: p.Stderr, Env: secrets, FD: keyFD, Crashed: p.crashed})
}

// crashed writes a crash report to a file, without the key, and returns a message for the user.
func (p *Program) crashed(report string) string {
	var secrets config.Redactor
	if key, err := config.NewSecret(p.Getenv(api.KeyVariable)); err == nil {
		secrets.Add(key)
	}
	report = secrets.String(report)
	first, _, _ := strings.Cut(strings.TrimSpace(report), "\n")
	saved := "The report could not be written."
	if err := os.MkdirAll(p.Paths.State, 0o700); err == nil {
		if err := os.WriteFile(p.Paths.Crash(), []byte(report), 0o600); err == nil {
			saved = "The report is in " + p.Paths.Crash()
		}
	}
	return fmt.Sprintf("mediadesk crashed because of a bug: %s\n%s\nUnfinished uploads are kept in the journal.\n", safeLines(first), safeLines(saved))
}

// Exit codes of the contract.
const (
	exitDone    = 0
	exitFailed  = 1
	exitUsage   = 2
	exitKey     = 3
	exitUnknown = 4

	exitInterrupted = 130 // ended by ctrl+c
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

func exitCode(err error) int {
	var exit *exitError
	var noKey *config.NoKeyError
	var badKey *config.SourceError
	var keyring *config.KeyringError
	var request *session.RequestError
	var signal *terminal.SignalError
	var pending *session.PendingJobError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &exit):
		return exit.code
	case errors.As(err, &request):
		return exitUsage
	case errors.As(err, &signal):
		return signal.Code
	case errors.As(err, &pending):
		return exitUnknown
	case errors.As(err, &noKey), errors.As(err, &badKey), errors.As(err, &keyring), api.KeyRefused(err):
		return exitKey
	}
	return exitFailed
}

// oneArg, someArgs, mostArgs and noArgs check the number of arguments.
func oneArg(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage("%s takes one %s", cmd.CommandPath(), name)
		}
		return nil
	}
}

func someArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usage("%s needs a FILE: a file id or a library path", cmd.CommandPath())
	}
	return nil
}

func mostArgs(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return usage("%s takes %s; %q is one too many", cmd.CommandPath(), text.Plural(n, "argument"), args[n])
		}
		return nil
	}
}

func noArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cmd.HasSubCommands():
		return noSuchCommand(cmd, args[0])
	}
	return usage("%s takes no argument; %q is one too many", cmd.CommandPath(), args[0])
}

// cleanup closes a session within session.CloseTime.
func cleanup(d *session.Session) {
	ctx, cancel := context.WithTimeout(context.Background(), session.CloseTime)
	defer cancel()
	if err := d.Close(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "mediadesk:", err)
	}
}
