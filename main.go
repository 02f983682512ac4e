// Command mediadesk uploads, tags and manages images in an ImageKit-style media
// library from the terminal.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/charmbracelet/x/term"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/assets"
	"mediadesk/config"
	"mediadesk/ui"
	"mediadesk/ui/cli"
	"mediadesk/ui/terminal"
)

func main() {
	ctx, stop := terminal.NotifyContext(context.Background())

	getenv := config.RemoveSecrets()
	paths := config.FindPaths(getenv)
	secrets := new(config.Redactor) // the keys that must never be in the log
	log := config.NewLog(paths.Log(), secrets)
	slog.SetDefault(log.Logger(false))
	if err := config.HardenProcess(); err != nil {
		slog.Warn("other processes of this user can read the memory of this one", "err", err)
	}
	info, _ := debug.ReadBuildInfo()
	code := cli.Main(ctx, cli.Program{
		Options: session.Options{
			Paths:   paths,
			Keys:    &config.Keys{Getenv: getenv, Keyring: config.NewKeyring()},
			Secrets: secrets,
			Version: cli.Version(info),
		},
		Screens: func(ctx context.Context, o session.Options, folder string, sources []api.Source) error {
			return ui.Run(ctx, o, ui.Options{
				Folder: folder, Sources: sources, Getenv: getenv,
				Samples: func() (string, error) {
					dir := filepath.Join(paths.Data, "samples")
					return filepath.Join(dir, assets.FirstSample), assets.WriteSamples(dir)
				},
			})
		},
		Log:         log,
		Getenv:      getenv,
		Stdin:       os.Stdin,
		Stdout:      os.Stdout,
		Stderr:      os.Stderr,
		Terminal:    term.IsTerminal(os.Stdin.Fd()) && term.IsTerminal(os.Stdout.Fd()),
		TerminalOut: term.IsTerminal(os.Stdout.Fd()),
		TerminalErr: term.IsTerminal(os.Stderr.Fd()),
	}, os.Args[1:])
	if err := log.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "mediadesk: the log:", err)
	}
	stop()
	os.Exit(code)
}
