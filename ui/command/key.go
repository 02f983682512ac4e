package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"mediadesk/config"
)

func newKey(p *Program, f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "key",
		Short: "The private key of a profile",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	act := func(use, short, long string, run func(context.Context, *config.Keys, config.Profile) error) *cobra.Command {
		return &cobra.Command{Use: use, Short: short, Long: long, Args: noArgs, RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := config.Load(p.Paths.Config)
			if err != nil {
				return err
			}
			profile, err := Resolve(c, f.Request)
			if err != nil {
				return err
			}
			return run(cmd.Context(), &config.Keys{Getenv: p.Getenv, Keyring: config.NewKeyring()}, profile)
		}}
	}
	cmd.AddCommand(
		act("set", "Keep the key in the keyring", "Type the key (it is not shown), or give it on standard input. The keyring is tried before the key is asked for.",
			func(ctx context.Context, k *config.Keys, profile config.Profile) error {
				return setKey(ctx, p, k, profile)
			}),
		act("where", "Say where the key is from", "Say which source gives the key, without showing it.",
			func(ctx context.Context, k *config.Keys, profile config.Profile) error {
				if profile.Kind == config.KindLocal {
					_, err := fmt.Fprintf(p.Stdout, "The key of the local library is kept with it, in %s\n", p.Paths.Library())
					return err
				}
				source, err := k.Where(ctx, profile)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(p.Stdout, "The key of profile %s is from: %s\n", profile.Name, source)
				return err
			}),
		act("forget", "Take the key out of the keyring", "Take the key out of the keyring. Other places are not ours to change.",
			func(ctx context.Context, k *config.Keys, profile config.Profile) error {
				if err := k.Forget(ctx, profile); err != nil {
					return err
				}
				_, err := fmt.Fprintf(p.Stdout, "The keyring holds no key of profile %s any more.\n", profile.Name)
				return err
			}),
	)
	return cmd
}

func setKey(ctx context.Context, p *Program, k *config.Keys, profile config.Profile) error {
	if profile.Kind == config.KindLocal {
		return usage("the local library makes its own key; name an account with --profile")
	}
	// A key that cannot be kept is not asked for.
	if err := k.Keyring.Try(ctx); err != nil {
		return err
	}
	text, err := readKey(p, profile.Name)
	if err != nil {
		return err
	}
	key, err := config.NewSecret(text)
	if err != nil {
		return &exitError{exitKey, err}
	}
	if err := k.Set(ctx, profile, key); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Stdout, "The key of profile %s is in the keyring.\n", profile.Name)
	return err
}

// readKey reads the key without showing it, or one line of standard input
// where that is no terminal.
func readKey(p *Program, profile string) (string, error) {
	if in, ok := p.Stdin.(*os.File); ok && term.IsTerminal(in.Fd()) {
		fmt.Fprintf(p.Stderr, "Private key of profile %s (it is not shown): ", profile)
		text, err := term.ReadPassword(in.Fd())
		fmt.Fprintln(p.Stderr)
		return string(text), err
	}
	text, err := bufio.NewReader(p.Stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("standard input could not be read: %w", err)
	}
	return strings.TrimRight(text, "\r\n"), nil
}
