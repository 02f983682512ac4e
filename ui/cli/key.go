package cli

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

	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/terminal"
	"mediadesk/ui/text"
)

type keyCommand func(ctx context.Context, p *Program, k *config.Keys, profile config.Profile) error

func newKey(p *Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "key",
		Short:   "Store, find and forget private keys",
		Example: "mediadesk key set --profile work\nmediadesk key where --json",
	}
	for _, c := range []struct {
		use, short, long, example string
		do                        keyCommand
	}{
		{
			"set", "Store the key in the keyring, or replace it",
			"Store the private key of a profile in the keyring, or replace it. Type it (it is not shown), or pipe it to standard input. " +
				"The keyring is tested before you are asked. To rotate a key, set the new one; the next start uses it.",
			"mediadesk key set\nmediadesk key set --profile work\npass show media | mediadesk key set --profile work", setKey,
		},
		{
			"where", "Show where the key comes from", "Show which source the key of a profile comes from, for example if the service refuses it. The key is not shown.",
			"mediadesk key where\nmediadesk key where --profile work\n" +
				"mediadesk key where --profile work --json", whereKey,
		},
		{
			"forget", "Remove the key from the keyring", "Remove the key of a profile from the keyring, for example before you pass on the computer. Other sources are not changed.",
			"mediadesk key forget\nmediadesk key forget --profile work\n" +
				"mediadesk key forget --profile work --json", forgetKey,
		},
	} {
		cmd.AddCommand(&cobra.Command{
			Use: c.use, Short: c.short, Long: c.long, Example: c.example,
			RunE: func(cmd *cobra.Command, _ []string) error {
				settings, err := config.Load(p.Paths)
				if err != nil {
					return err
				}
				profile, err := session.Resolve(settings, p.Request)
				if err != nil {
					return err
				}
				keys := &config.Keys{Getenv: p.Getenv, Keyring: config.NewKeyring()}
				if p.KeyFD >= 0 {
					if keys.FD, err = config.OpenFD(p.KeyFD); err != nil {
						return &exitError{exitKey, err}
					}
				}
				switch {
				case c.use == "where":
				case profile.Kind == config.KindLocal:
					return usage("the local library makes its own key; choose an account with --profile")
				case session.IsUnnamed(profile.Name):
					return usage("the keyring stores keys of profiles, and these URLs have no profile: add one with mediadesk profile add")
				}
				return c.do(cmd.Context(), p, keys, profile)
			},
		})
	}
	return cmd
}

type keyLine struct {
	Profile string `json:"profile"`
	Source  string `json:"source"`
}

func whereKey(ctx context.Context, p *Program, k *config.Keys, profile config.Profile) error {
	if profile.Kind == config.KindLocal {
		return p.result(keyLine{profile.Name, "the local library's own"}, fmt.Sprintf("The key of the local library is in its folder, %s", p.Paths.Library()))
	}
	_, source, err := k.Find(ctx, profile)
	if err != nil {
		return err
	}
	return p.result(keyLine{profile.Name, source.String()}, fmt.Sprintf("The key of profile %s comes from: %s", profile.Name, source))
}

func forgetKey(ctx context.Context, p *Program, k *config.Keys, profile config.Profile) error {
	if err := k.Keyring.Delete(ctx, profile.Name); err != nil {
		return err
	}
	return p.result(keyLine{profile.Name, "nowhere"}, fmt.Sprintf("The key of profile %s is no longer in the keyring.", profile.Name))
}

func setKey(ctx context.Context, p *Program, k *config.Keys, profile config.Profile) error {
	// Check first whether the key can be stored.
	if err := k.Keyring.Try(ctx); err != nil {
		return err
	}
	typed, err := readKey(ctx, p, profile.Name)
	if err != nil {
		return err
	}
	key, err := config.NewSecret(typed)
	if err != nil {
		return &exitError{exitKey, err}
	}
	if err := k.Keyring.Set(ctx, profile.Name, key); err != nil {
		return err
	}
	if _, source, err := k.Find(ctx, profile); err == nil && source != config.SourceKeyring {
		fmt.Fprintf(p.Stderr, "mediadesk: the %s also has a key for this profile and comes first.\n", text.Safe(source.String()))
	}
	return p.result(keyLine{profile.Name, "keyring"}, fmt.Sprintf("Stored the key of profile %s in the keyring.", profile.Name))
}

// readKey reads the key without echo, or one line if standard input is not a terminal.
func readKey(ctx context.Context, p *Program, profile string) (string, error) {
	if in, ok := p.Stdin.(*os.File); ok && term.IsTerminal(in.Fd()) {
		fmt.Fprintf(p.Stderr, "Private key of profile %s (not shown): ", profile)
		content, err := terminal.Ask(ctx, in, func() (string, error) {
			content, err := term.ReadPassword(in.Fd())
			return string(content), err
		})
		fmt.Fprintln(p.Stderr)
		return content, err
	}
	in, ok := p.Stdin.(*bufio.Reader)
	if !ok {
		in = bufio.NewReader(p.Stdin)
	}
	content, err := in.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("cannot read standard input: %w", err)
	}
	return strings.TrimRight(content, "\r\n"), nil
}
