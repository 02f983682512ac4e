// Package cli does the acts of the screens without a screen: upload,
// details, list, watch, serve, profile and key, for scripts and for people who
// know what they want.
//
// The names, flags, JSON lines and exit codes are a contract that scripts
// depend on (design.md §10).
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"

	"charm.land/fang/v2"
	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/terminal"
)

// Program is what main gives the commands.
type Program struct {
	// Options are those of a session, without the request: the flags give it.
	session.Options
	// Screens runs the interactive program until the person leaves it. Picking
	// begins in folder, the working directory where it is empty.
	Screens func(ctx context.Context, o session.Options, folder string, sources []api.Source) error
	// Log is the program's log; --debug writes more into it.
	Log *config.Log

	Getenv         func(string) string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Terminal reports whether input and output are a terminal, TerminalOut
	// whether output is.
	Terminal, TerminalOut bool
}

// options are those of the session that the flags name.
func (p *Program) options(f *flags) session.Options {
	o := p.Options
	o.Request = f.Request
	return o
}

// open opens the session that the flags name.
func (p *Program) open(ctx context.Context, f *flags) (*session.Session, error) {
	return session.Open(ctx, p.options(f))
}

// spool is the folder for what standard input gave.
func (p *Program) spool() string { return p.Paths.Spool() }

// flags are the global ones.
type flags struct {
	session.Request
	debug      bool
	json       bool
	dryRun     bool
	accessible bool
}

// Main runs the command line and returns the exit code.
func Main(ctx context.Context, p Program, args []string) int {
	root := newRoot(&p)
	root.Version = p.Version
	root.SetArgs(args)
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	root.SilenceUsage, root.SilenceErrors = true, true
	styleHelp(ctx, root, p)
	err := root.ExecuteContext(ctx)
	if err != nil {
		report(p.Stderr, err)
	}
	return exitCode(err)
}

// styleHelp has help drawn by fang, and nothing else: at every error fang asks
// the terminal for its background, which takes what was typed ahead and two
// seconds for each of its ends where no answer comes.
func styleHelp(ctx context.Context, root *cobra.Command, p Program) {
	if p.Getenv("TERM") == "dumb" {
		return // no colours there, and no answers
	}
	for _, w := range []io.Writer{p.Stdout, p.Stderr} {
		if f, ok := w.(*os.File); ok {
			lipgloss.EnableLegacyWindowsANSI(f)
		}
	}
	root.SetHelpFunc(func(*cobra.Command, []string) {
		// It runs the same arguments once more, which end in its own help.
		_ = fang.Execute(ctx, root, fang.WithVersion(p.Version),
			fang.WithoutManpage(), // ours also has exit codes, variables and files
			fang.WithErrorHandler(func(w io.Writer, _ fang.Styles, err error) { report(w, err) }))
	})
}

func newRoot(p *Program) *cobra.Command {
	f := &flags{Request: session.Request{KeyFD: -1}}
	root := &cobra.Command{
		Use:   "mediadesk [FILE… | FOLDER]",
		Short: "A terminal desk for a media library",
		Long: "mediadesk is a terminal desk for a media library: pick pictures, say what they are, send them, " +
			"watch the service work on them, and touch up tags and the area of interest.\n\n" +
			"Without a command it opens the screens; files named here land in the tray, a folder is where picking begins.",
		Example: "mediadesk\nmediadesk holiday/*.jpg\nmediadesk upload photo.jpg --tags sea,boat --folder /summer/ --wait",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runScreens(cmd, p, f, args)
		},
	}
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		slog.SetDefault(p.Log.Logger(f.debug))
		if f.dryRun && slices.Contains(withoutRequest, cmd.CommandPath()) {
			return usage("%s has no request to print: --dry-run does not go with it", cmd.CommandPath())
		}
		return nil
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage("%s", flagWords(err)) })
	all := root.PersistentFlags()
	all.StringVar(&f.Profile, "profile", "", "profile to use, instead of the one in use")
	all.StringVar(&f.UploadURL, "upload-url", "", "address of the upload operation, for an unnamed profile")
	all.StringVar(&f.BaseURL, "base-url", "", "address of the details operation, for an unnamed profile")
	all.StringVar(&f.DeliveryURL, "delivery-url", "", "address that serves the files, for an unnamed profile")
	all.BoolVar(&f.json, "json", false, "one JSON object a line, for scripts")
	all.BoolVar(&f.dryRun, "dry-run", false, "print the request instead of sending it")
	all.IntVar(&f.KeyFD, "key-fd", -1, "read the private key from this file descriptor")
	all.BoolVar(&f.debug, "debug", false, "write every request to the log, without secrets")
	all.BoolVar(&f.accessible, "accessible", false, "prompts and sentences instead of screens, for screen readers and plain terminals")
	root.AddCommand(
		newUpload(p, f), newDetails(p, f), newList(p, f), newWatch(p, f), newServe(p, f),
		newUploads(p, f), newDownload(p, f), newRename(p, f), newMove(p, f), newCopy(p, f), newVersions(p, f), newRestore(p, f), newDelete(p, f), newSign(p, f),
		newProfile(p, f), newKey(p, f), newDoctor(p, f), newMan(p),
	)
	addCompletions(root, p)
	checkHelp(root)
	return root
}

// flagWords says what is wrong with a flag, and of a wrong value what should
// stand there.
func flagWords(err error) string {
	var value *pflag.InvalidValueError
	if !errors.As(err, &value) {
		return err.Error()
	}
	wants := map[string]string{"bool": "true or false", "int": "a whole number", "uint64": "a whole number from 0", "int64": "a whole number", "duration": "a time such as 90s or 5m"}
	want := wants[value.GetFlag().Value.Type()]
	if want == "" {
		return err.Error()
	}
	return fmt.Sprintf("--%s is %s, not %q", value.GetFlag().Name, want, value.GetValue())
}

// checkHelp has the help of a command that does not exist be wrong usage.
func checkHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil || help == root {
		return
	}
	help.Args = func(_ *cobra.Command, args []string) error {
		cmd, rest, err := root.Find(args)
		switch {
		case err != nil:
			return usage("%s", err.Error())
		case len(rest) > 0:
			return noSuchCommand(cmd, rest[0])
		}
		return nil
	}
}

// withoutRequest are the commands that do something and send no single request:
// with --dry-run they are refused, and not done.
var withoutRequest = []string{
	"mediadesk", "mediadesk serve", "mediadesk watch",
	"mediadesk profile use", "mediadesk profile remove", "mediadesk key set", "mediadesk key forget",
}

// prompts tells whether prompts and sentences are wanted instead of screens and
// lines that are drawn over.
func (f *flags) prompts(p *Program) bool {
	on, err := strconv.ParseBool(p.Getenv(AccessibleVariable))
	return f.accessible || err == nil && on
}

// runScreens starts the interactive program, where there is a terminal for it.
func runScreens(cmd *cobra.Command, p *Program, f *flags, args []string) error {
	if err := mistyped(cmd, args); err != nil {
		return err
	}
	if f.prompts(p) {
		return accessible(cmd.Context(), p, f, args)
	}
	// With - the files come on standard input, and the keys from the terminal.
	piped := p.TerminalOut && slices.Contains(args, "-")
	if !p.Terminal && !piped {
		return usage("the screens need a terminal, and input or output is none.\n" +
			"Use a command instead, such as: mediadesk upload FILE… (see mediadesk --help), or mediadesk --accessible for prompts")
	}
	if code, ran := p.guarded(f.KeyFD); ran {
		return &exitError{code: code}
	}
	// A folder is where picking begins; files land in the tray.
	folder := ""
	files := slices.DeleteFunc(slices.Clone(args), func(arg string) bool {
		info, err := os.Stat(arg)
		if err != nil || !info.IsDir() {
			return false
		}
		folder = arg
		return true
	})
	sources, err := expand(files, p.Stdin, p.spool())
	if err != nil {
		return err
	}
	f.Adopt = true
	return p.Screens(cmd.Context(), p.options(f), folder, sources)
}

// mistyped is the error for a word that names no file and is nearly a command.
func mistyped(root *cobra.Command, args []string) error {
	if len(args) == 0 || strings.ContainsAny(args[0], `/\.:-`) {
		return nil
	}
	if _, err := os.Lstat(args[0]); err == nil {
		return nil
	}
	if near := nearest(root, args[0]); near != "" {
		return usage("%q is neither a file nor a command. Did you mean: mediadesk %s", args[0], near)
	}
	return nil
}

// noSuchCommand is the error for a word that should be a command below another.
func noSuchCommand(cmd *cobra.Command, word string) error {
	if near := nearest(cmd, word); near != "" {
		return usage("%s has no command %q. Did you mean: %[1]s %[3]s", cmd.CommandPath(), word, near)
	}
	return usage("%s has no command %q; see %[1]s --help", cmd.CommandPath(), word)
}

// nearest is the command below another that a word was probably meant to be;
// empty for none.
func nearest(cmd *cobra.Command, word string) string {
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(word); len(near) > 0 {
		return near[0]
	}
	return ""
}

// openAnyway is open for commands that need no journal: if it cannot be opened, they
// go on without it and say so.
func (p *Program) openAnyway(ctx context.Context, f *flags) (*session.Session, error) {
	o := p.options(f)
	o.NeedsNoJournal = true
	s, err := session.Open(ctx, o)
	if err == nil && s.NoJournal != nil {
		report(p.Stderr, s.NoJournal)
		fmt.Fprintln(p.Stderr, "mediadesk: going on without the journal: what is changed now cannot be undone from here.")
	}
	return s, err
}

// guarded runs the screens in a process of their own, guarded by this one. ran is
// false if this process is to show them itself.
func (p *Program) guarded(keyFD int) (code int, ran bool) {
	out, ok := p.Stdout.(*os.File)
	if !ok {
		return 0, false
	}
	var secrets []string
	for _, name := range config.SecretVariables { // no child inherits them from our environment
		if value := p.Getenv(name); value != "" {
			secrets = append(secrets, name+"="+value)
		}
	}
	return terminal.RunGuarded(terminal.GuardOptions{Out: out, Err: p.Stderr, Env: secrets, FD: keyFD, Crashed: p.crashed})
}

// crashed keeps the report of a crash in a file, without the key, and returns the
// sentence about it.
func (p *Program) crashed(report string) string {
	var secrets config.Redactor
	if key, err := config.NewSecret(p.Getenv(api.KeyVariable)); err == nil {
		secrets.Add(key)
	}
	report = secrets.String(report)
	first, _, _ := strings.Cut(strings.TrimSpace(report), "\n")
	where := "The report could not be written."
	if err := os.MkdirAll(p.Paths.State, 0o700); err == nil {
		if err := os.WriteFile(p.Paths.Crash(), []byte(report), 0o600); err == nil {
			where = "The report is in " + p.Paths.Crash()
		}
	}
	return fmt.Sprintf("mediadesk ended by a mistake of its own: %s\n%s\nWhat was under way waits in the journal.\n", safeLines(first), safeLines(where))
}

// Exit codes of the contract.
const (
	exitDone    = 0
	exitFailed  = 1
	exitUsage   = 2
	exitKey     = 3
	exitUnclear = 4

	exitInterrupted = 130 // as a shell counts a program that ctrl+c ended
)

// exitError ends the program with a code. A nil err prints nothing more: what
// there is to say was said.
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
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &exit):
		return exit.code
	case errors.As(err, &request):
		return exitUsage
	case errors.As(err, &signal):
		return signal.Code
	case errors.As(err, &noKey), errors.As(err, &badKey), errors.As(err, &keyring):
		return exitKey
	}
	return exitFailed
}

// oneArg and someArgs refuse a wrong number of arguments as wrong usage.
func oneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage("%s takes one argument: %s", cmd.CommandPath(), what)
		}
		return nil
	}
}

func someArgs() cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage("%s needs the id of a file", cmd.CommandPath())
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

// cleanup closes a session within the time that leaving may take.
func cleanup(d *session.Session) {
	ctx, cancel := context.WithTimeout(context.Background(), session.CloseTime)
	defer cancel()
	if err := d.Close(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "mediadesk:", err)
	}
}
