package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/terminal"
	"mediadesk/ui/text"
)

func newProfile(p *Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "profile",
		Short:   "List, add, change and remove accounts",
		Example: "mediadesk profile list\nmediadesk profile add work --hosted my_account_id",
	}
	cmd.AddCommand(newProfileAdd(p), &cobra.Command{
		Use: "list", Short: "List the profiles", Long: "List the profiles. A * marks the one in use.",
		Example: "mediadesk profile list\nmediadesk profile list --json\n" +
			"mediadesk profile list --jq .name",
		RunE: p.withSettings(func(_ *cobra.Command, c config.Config, _ []string) error {
			for _, name := range c.Names() {
				line := newProfileLine(c, c.Profiles[name])
				address := cmp.Or(line.UploadURL, "the local library of this computer")
				row := fmt.Sprintf("%s %-16s %-8s %s  %s", text.Either(line.Used, "*", " "), name, line.Kind,
					text.Safe(address), line.SetIn)
				if err := p.result(line, strings.TrimRight(row, " ")); err != nil {
					return err
				}
			}
			return nil
		}),
	}, &cobra.Command{
		Use: "show [NAME]", Short: "Show a profile", ValidArgsFunction: p.completeProfiles,
		Long: "Show the settings of a profile. Without NAME, show the profile in use.",
		Example: "mediadesk profile show\nmediadesk profile show work --json\n" +
			"mediadesk profile show work --jq .uploadUrl",
		RunE: p.withSettings(func(_ *cobra.Command, c config.Config, args []string) error {
			name := cmp.Or(p.Profile, c.Profile)
			if len(args) == 1 {
				name = args[0]
			}
			profile, err := c.Find(name)
			if err != nil {
				return err
			}
			return newProfileLine(c, profile).print(p)
		}),
	}, &cobra.Command{
		Use: "use NAME", Short: "Switch to another profile", ValidArgsFunction: p.completeProfiles,
		Long: "Switch to another profile. The screens and all later commands use it, unless you add --profile.",
		Example: "mediadesk profile use work\nmediadesk profile use local\n" +
			"mediadesk profile use work && mediadesk list",
		RunE: p.withSettings(func(_ *cobra.Command, c config.Config, args []string) error {
			_, err := c.Use(args[0])
			if is[*config.ReadOnlyError](err) {
				return fmt.Errorf("%w; --profile %s uses it for one run", err, args[0])
			}
			if err == nil {
				_, err = fmt.Fprintf(p.Stdout, "Profile %s is in use.\n", args[0])
			}
			return err
		}),
	}, &cobra.Command{
		Use: "remove NAME", Short: "Remove a profile from the settings", ValidArgsFunction: p.completeProfiles,
		Long:    "Remove a profile from the settings. The files at the service stay. The key stays in the keyring until you run mediadesk key forget.",
		Example: "mediadesk profile remove lab\nmediadesk key forget --profile lab && mediadesk profile remove lab",
		RunE: p.withSettings(func(_ *cobra.Command, c config.Config, args []string) error {
			_, err := c.RemoveProfile(args[0])
			if err == nil {
				_, err = fmt.Fprintf(p.Stdout, "Removed the profile %s.\n", args[0])
			}
			return err
		}),
	})
	return cmd
}

// withSettings returns the function of a command that begins with the settings.
func (p *Program) withSettings(
	do func(cmd *cobra.Command, c config.Config, args []string) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		settings, err := config.Load(p.Paths)
		if err != nil {
			return err
		}
		return do(cmd, settings, args)
	}
}

// profileFields are the settings of a profile that flags set. value returns a pointer to the setting.
var profileFields = []struct {
	flag, help string
	value      func(*config.Profile) any
}{
	{"insecure", "allow plain http to a private network, where others can read the key and the files", func(p *config.Profile) any { return &p.Insecure }},
	{"max-size", "`BYTES`: largest file that the account accepts, in bytes", func(p *config.Profile) any { return &p.MaxSize }},
	{"max-video-size", "`BYTES`: largest video that the account accepts, in bytes", func(p *config.Profile) any { return &p.MaxVideoSize }},
	{"folder", "`FOLDER`: default folder of uploads, such as /summer/", func(p *config.Profile) any { return &p.Folder }},
	{"tags", "`TAGS`: default tags of uploads, separated by commas", func(p *config.Profile) any { return &p.Tags }},
	{"extension", "`EXTENSION`: default extension of uploads: its name or its JSON (repeatable)", func(p *config.Profile) any { return &p.Extensions }},
	{"unique", "`HOW`: what makes names unique: here, service or off", func(p *config.Profile) any { return (*string)(&p.Naming) }},
	{"colour-option", "`OPTION`: how the service spells the color of remove-bg: bg_colour or bg_color", func(p *config.Profile) any { return (*string)(&p.ColorOption) }},
	{"webhook-url", "`URL`: public URL that leads to the webhook receiver of this program", func(p *config.Profile) any { return &p.WebhookURL }},
	{"webhook-secret-file", "`FILE`: file with the secrets that sign webhook posts, one per line, readable only by you (0600)", func(p *config.Profile) any { return &p.WebhookSecretFile }},
	{"key-file", "`FILE`: file with the private key, readable only by you (0600)", func(p *config.Profile) any { return &p.KeyFile }},
	{"key-command", "`WORD`: program that prints the key; repeat the flag for each argument", func(p *config.Profile) any { return &p.KeyCommand }},
}

type profileFlags struct {
	config.Profile
	hosted, tags string
}

func newProfileAdd(p *Program) *cobra.Command {
	q := &profileFlags{}
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "Add an account, or change one",
		Long: "Add an account: of the hosted service with --hosted, or of any other server of this API with its URLs. " +
			"For an existing profile, only the settings that you give change; an empty value removes a setting. mediadesk key set stores the key.",
		Example: "mediadesk profile add work --hosted my_account_id --tags work\n" +
			"mediadesk profile add lab --upload-url https://media.example.com\n" +
			"mediadesk profile add work --key-command pass --key-command media",
		RunE: p.withSettings(func(cmd *cobra.Command, c config.Config, args []string) error {
			profile, err := q.apply(cmd, p, c, args[0])
			if err != nil {
				return err
			}
			if key, what := profile.Problem(); p.dryRun && what != "" {
				return usage("%s %s", key, what)
			}
			if !p.dryRun {
				if _, err := c.SetProfile(profile); err != nil {
					return &exitError{exitUsage, err}
				}
			}
			if p.dryRun || p.json {
				return newProfileLine(c, profile).print(p)
			}
			fmt.Fprintf(p.Stdout, "Saved the profile %s.\n", profile.Name)
			if profile.Kind != config.KindLocal {
				first := text.If(profile.KeyFile == "" && len(profile.KeyCommand) == 0,
					"mediadesk key set --profile "+profile.Name+", then ")
				p.note("Next: %smediadesk profile use %s", first, profile.Name)
			}
			return nil
		}),
	}
	fl := cmd.Flags()
	fl.StringVar(&q.hosted, "hosted", "", "`ID`: id of the account at the hosted service, as in https://ik.imagekit.io/ID")
	for _, field := range profileFields {
		switch value := field.value(&q.Profile).(type) {
		case *string:
			fl.StringVar(value, field.flag, "", field.help)
		case *bool:
			fl.BoolVar(value, field.flag, false, field.help)
		case *int64:
			fl.Int64Var(value, field.flag, 0, field.help)
		case *[]string:
			if value == &q.Tags {
				fl.StringVar(&q.tags, field.flag, "", field.help)
			} else {
				fl.StringArrayVar(value, field.flag, nil, field.help)
			}
		}
	}
	return cmd
}

func (q *profileFlags) apply(cmd *cobra.Command, p *Program, c config.Config,
	name string,
) (config.Profile, error) {
	given := cmd.Flags().Changed
	profile, exists := c.Profiles[name]
	profile.Name = name
	switch {
	case given("hosted") && p.Unnamed():
		return profile, usage("--hosted sets the URLs: remove --upload-url, --base-url and --delivery-url")
	case given("hosted"):
		preset := config.HostedPreset(name, q.hosted)
		if !exists {
			profile = preset
		}
		profile.Kind, profile.DeliveryURL = preset.Kind, preset.DeliveryURL
		profile.UploadURL, profile.BaseURL = preset.UploadURL, preset.BaseURL
	case p.Unnamed():
		resolved, err := session.Resolve(c, session.Request{
			UploadURL: cmp.Or(p.UploadURL, profile.UploadURL), BaseURL: cmp.Or(p.BaseURL, profile.BaseURL),
			DeliveryURL: cmp.Or(p.DeliveryURL, profile.DeliveryURL),
			Insecure:    text.Either(given("insecure"), q.Insecure, profile.Insecure),
		})
		if err != nil {
			return profile, err
		}
		profile.UploadURL, profile.BaseURL = resolved.UploadURL, resolved.BaseURL
		profile.DeliveryURL = resolved.DeliveryURL
		profile.Kind = cmp.Or(profile.Kind, config.KindOther)
	case !exists:
		return profile, usage("name the account: --hosted ID, or --upload-url and --base-url")
	}
	if q.Folder != "" {
		var err error
		if q.Folder, err = rule.CleanFolder(q.Folder); err != nil {
			return profile, &exitError{exitUsage, err}
		}
	}
	q.Tags = rule.SplitTags(q.tags)
	q.Extensions, q.KeyCommand = withoutEmpty(q.Extensions), withoutEmpty(q.KeyCommand)
	for _, field := range profileFields {
		if given(field.flag) {
			reflect.ValueOf(field.value(&profile)).Elem().Set(reflect.ValueOf(field.value(&q.Profile)).Elem())
		}
	}
	return profile, nil
}

func withoutEmpty(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == "" })
}

type profileLine struct {
	config.Profile
	Used  bool   `json:"used"`
	SetIn string `json:"setIn,omitempty"` // "set in config.toml line 12"; empty if commands can change it
}

func newProfileLine(c config.Config, q config.Profile) profileLine {
	for _, list := range []*[]string{&q.Tags, &q.Extensions, &q.KeyCommand} {
		*list = append([]string{}, *list...) // [], not null
	}
	q.NamingChosen = false // not a setting
	return profileLine{q, q.Name == c.Profile, c.SetIn("profiles." + q.Name)}
}

func (l profileLine) print(p *Program) error {
	if p.json {
		return p.printJSON(l)
	}
	for field, value := range reflect.ValueOf(l.Profile).Fields() {
		if value.IsZero() || value.Kind() == reflect.Slice && value.Len() == 0 {
			continue
		}
		label, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		words := fmt.Sprint(value.Interface())
		if list, ok := value.Interface().([]string); ok {
			words = strings.Join(list, ", ")
		}
		fmt.Fprintf(p.Stdout, "%-17s %s\n", label, text.Safe(words))
	}
	if l.SetIn != "" {
		fmt.Fprintf(p.Stdout, "%-17s %s\n", "settings", l.SetIn)
	}
	return nil
}

func newKey(p *Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "key",
		Short:   "Store, find and forget private keys",
		Example: "mediadesk key set --profile work\nmediadesk key where --json",
	}
	cmd.AddCommand(&cobra.Command{
		Use: "set", Short: "Store the key in the keyring, or replace it",
		Long: "Store the private key of a profile in the keyring, or replace it. Type it (it is not shown), or pipe it to standard input. " +
			"The keyring is tested before you are asked. To rotate a key, set the new one; the next start uses it.",
		Example: "mediadesk key set\nmediadesk key set --profile work\npass show media | mediadesk key set --profile work",
		RunE:    p.withKeys(false, p.setKey),
	}, &cobra.Command{
		Use: "where", Short: "Show where the key comes from",
		Long: "Show which source the key of a profile comes from, for example if the service refuses it. The key is not shown.",
		Example: "mediadesk key where\nmediadesk key where --profile work\n" +
			"mediadesk key where --profile work --json",
		RunE: p.withKeys(true, p.whereKey),
	}, &cobra.Command{
		Use: "forget", Short: "Remove the key from the keyring",
		Long: "Remove the key of a profile from the keyring, for example before you pass on the computer. Other sources are not changed.",
		Example: "mediadesk key forget\nmediadesk key forget --profile work\n" +
			"mediadesk key forget --profile work --json",
		RunE: p.withKeys(false, func(ctx context.Context, k *config.Keys, profile config.Profile) error {
			if err := k.Keyring.Delete(ctx, profile.Name); err != nil {
				return err
			}
			return p.result(keyLine{profile.Name, "nowhere"}, fmt.Sprintf("The key of profile %s is no longer in the keyring.", profile.Name))
		}),
	})
	return cmd
}

// withKeys returns the function of a command for the key of a profile. It refuses a profile that has
// no key in the keyring, unless the command is for any profile.
func (p *Program) withKeys(anyProfile bool,
	do func(context.Context, *config.Keys, config.Profile) error,
) func(*cobra.Command, []string) error {
	return p.withSettings(func(cmd *cobra.Command, settings config.Config, _ []string) error {
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
		case anyProfile:
		case profile.Kind == config.KindLocal:
			return usage("the local library makes its own key; choose an account with --profile")
		case session.IsUnnamed(profile.Name):
			return usage("the keyring stores keys of profiles, and these URLs have no profile: add one with mediadesk profile add")
		}
		return do(cmd.Context(), keys, profile)
	})
}

type keyLine struct {
	Profile string `json:"profile"`
	Source  string `json:"source"`
}

func (p *Program) whereKey(ctx context.Context, k *config.Keys, profile config.Profile) error {
	if profile.Kind == config.KindLocal {
		return p.result(keyLine{profile.Name, "the local library's own"}, fmt.Sprintf("The key of the local library is in its folder, %s", p.Paths.Library()))
	}
	_, source, err := k.Find(ctx, profile)
	if err != nil {
		return err
	}
	line := keyLine{profile.Name, source.String()}
	return p.result(line, fmt.Sprintf("The key of profile %s comes from: %s", line.Profile, line.Source))
}

func (p *Program) setKey(ctx context.Context, k *config.Keys, profile config.Profile) error {
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
	in := bufio.NewReader(p.Stdin) // the same one if it is one already
	content, err := in.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("cannot read standard input: %w", err)
	}
	return strings.TrimRight(content, "\r\n"), nil
}
