package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/text"
)

func newProfile(p *Program, f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "profile",
		Short:   "The accounts that mediadesk knows",
		Example: "mediadesk profile list\nmediadesk profile add work --hosted my_account_id",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newProfileAdd(p, f), newProfileList(p, f), newProfileShow(p, f), newProfileUse(p), newProfileRemove(p))
	return cmd
}

// profileFlags are the settings of a profile as the command line has them.
type profileFlags struct {
	hosted, plan, folder, tags, naming, colour, webhook, secretFile, keyFile string
	maxSize, maxVideo                                                        int64
	insecure                                                                 bool
	extensions, keyCommand                                                   []string
}

func newProfileAdd(p *Program, f *flags) *cobra.Command {
	q := &profileFlags{}
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "Add an account, or change one",
		Long: "Add an account: of the hosted service with --hosted, or of any server of this API with its addresses. " +
			"Of a profile that is there only what the flags say is changed; an empty value takes a setting out. The key is set apart: mediadesk key set.",
		Example: "mediadesk profile add work --hosted my_account_id --plan pro --folder /summer/ --tags desk\n" +
			"mediadesk profile add lab --upload-url https://media.example.com --delivery-url https://img.example.com\n" +
			"mediadesk profile add work --extension remove-bg --key-command pass --key-command show --key-command media",
		Args: oneArg("the name of the profile"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := config.Load(p.Paths)
			if err != nil {
				return err
			}
			profile, err := q.profile(cmd, c, f, args[0])
			if err != nil {
				return err
			}
			if f.dryRun {
				line := profileLineOf(c, profile)
				return line.print(p.Stdout, f.json)
			}
			if _, err := c.SetProfile(profile); err != nil {
				return &exitError{exitUsage, err}
			}
			if address, plain := plainAddress(profile); plain {
				fmt.Fprintf(p.Stderr, "Warning: %s is not encrypted: everyone in that network can read the key and the files.\n", text.Safe(address))
			}
			if f.json {
				return profileLineOf(c, profile).print(p.Stdout, true)
			}
			next := ""
			if profile.Kind != config.KindLocal {
				next = fmt.Sprintf(" Next: mediadesk key set --profile %s, then mediadesk profile use %s", profile.Name, profile.Name)
			}
			_, err = fmt.Fprintf(p.Stdout, "Profile %s is set.%s\n", profile.Name, next)
			return err
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&q.hosted, "hosted", "", "the account's id at the hosted service, as in https://ik.imagekit.io/ID")
	fl.BoolVar(&q.insecure, "insecure", false, "allow plain http to a private network; others in it can read the key and the files")
	fl.StringVar(&q.plan, "plan", "", "limits of the hosted service's plan: free, lite or pro (default free)")
	fl.Int64Var(&q.maxSize, "max-size", 0, "greatest file that the account takes, in bytes")
	fl.Int64Var(&q.maxVideo, "max-video-size", 0, "greatest video that the account takes, in bytes")
	fl.StringVar(&q.folder, "folder", "", "folder that uploads begin with, such as /summer/")
	fl.StringVar(&q.tags, "tags", "", "tags that uploads begin with, parted by commas")
	fl.StringArrayVar(&q.extensions, "extension", nil, "extension that uploads begin with: its name or its JSON; may be given again")
	fl.StringVar(&q.naming, "unique", "", "who makes names unique: here, service or off")
	fl.StringVar(&q.colour, "colour-option", "", "how the service spells the colour of remove-bg: bg_colour or bg_color")
	fl.StringVar(&q.webhook, "webhook-url", "", "public address in front of our webhook receiver")
	fl.StringVar(&q.secretFile, "webhook-secret-file", "", "file with the secret that the service signs its webhook posts with, readable by you alone (0600)")
	fl.StringVar(&q.keyFile, "key-file", "", "file that holds the key, readable by you alone (0600)")
	fl.StringArrayVar(&q.keyCommand, "key-command", nil, "program that prints the key; give the flag again for each of its arguments")
	return cmd
}

// plainAddress returns an address of the profile that others in its network can
// listen to.
func plainAddress(p config.Profile) (string, bool) {
	for _, address := range []string{p.UploadURL, p.BaseURL, p.DeliveryURL} {
		if _, err := config.CheckURL(address); p.Insecure && address != "" && err != nil {
			return address, true
		}
	}
	return "", false
}

// profile is the one that the flags ask for: a new one, or the one that is
// there with changes.
func (q *profileFlags) profile(cmd *cobra.Command, c config.Config, f *flags, name string) (config.Profile, error) {
	given := cmd.Flags().Changed
	profile, exists := c.Profiles[name]
	profile.Name = name
	if given("insecure") {
		profile.Insecure = q.insecure
	}
	switch {
	case given("hosted") && f.Unnamed():
		return profile, usage("--hosted knows the addresses: leave out --upload-url, --base-url and --delivery-url")
	case given("hosted"):
		preset := config.HostedPreset(name, q.hosted)
		if exists {
			profile.Kind, profile.UploadURL, profile.BaseURL, profile.DeliveryURL = preset.Kind, preset.UploadURL, preset.BaseURL, preset.DeliveryURL
		} else {
			profile = preset
		}
	case f.Unnamed():
		r := session.Request{UploadURL: f.UploadURL, BaseURL: f.BaseURL, DeliveryURL: f.DeliveryURL, Insecure: profile.Insecure}
		if exists {
			r.UploadURL, r.BaseURL, r.DeliveryURL = first(r.UploadURL, profile.UploadURL), first(r.BaseURL, profile.BaseURL), first(r.DeliveryURL, profile.DeliveryURL)
		}
		own, err := session.Resolve(c, r)
		if err != nil {
			return profile, err
		}
		profile.UploadURL, profile.BaseURL, profile.DeliveryURL = own.UploadURL, own.BaseURL, own.DeliveryURL
		if !exists {
			profile.Kind = config.KindOwn
		}
	case !exists:
		return profile, usage("say which account: --hosted ID, or --upload-url and --base-url")
	}
	if given("plan") {
		i := slices.IndexFunc(config.Plans(), func(p config.Plan) bool { return p.Name == q.plan })
		if i < 0 || profile.Kind != config.KindHosted {
			return profile, usage("--plan is free, lite or pro, for an account of the hosted service; for others give --max-size")
		}
		profile.MaxSize, profile.MaxVideoSize = config.Plans()[i].MaxSize, config.Plans()[i].MaxVideoSize
	}
	if given("folder") && q.folder != "" {
		folder, err := api.CleanFolder(q.folder)
		if err != nil {
			return profile, &exitError{exitUsage, err}
		}
		q.folder = folder
	}
	for _, x := range q.extensions {
		if _, err := session.ParseExtensions([]string{x}); err != nil && x != "" {
			return profile, &exitError{exitUsage, err}
		}
	}
	for flag, set := range map[string]func(){
		"max-size":            func() { profile.MaxSize = q.maxSize },
		"max-video-size":      func() { profile.MaxVideoSize = q.maxVideo },
		"folder":              func() { profile.Folder = q.folder },
		"tags":                func() { profile.Tags = api.SplitTags(q.tags) },
		"extension":           func() { profile.Extensions = filled(q.extensions) },
		"unique":              func() { profile.Naming = config.Naming(q.naming) },
		"colour-option":       func() { profile.ColorOption = config.ColorOption(q.colour) },
		"webhook-url":         func() { profile.WebhookURL = q.webhook },
		"webhook-secret-file": func() { profile.WebhookSecretFile = q.secretFile },
		"key-file":            func() { profile.KeyFile = q.keyFile },
		"key-command":         func() { profile.KeyCommand = filled(q.keyCommand) },
	} {
		if given(flag) {
			set()
		}
	}
	return profile, nil
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// filled is list without empty texts.
func filled(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == "" })
}

// profileLine describes a profile for scripts.
type profileLine struct {
	Name         string   `json:"name"`
	Kind         string   `json:"kind"`
	Used         bool     `json:"used"`
	UploadURL    string   `json:"uploadUrl"`
	BaseURL      string   `json:"baseUrl"`
	DeliveryURL  string   `json:"deliveryUrl"`
	MaxSize      int64    `json:"maxSize"`
	MaxVideoSize int64    `json:"maxVideoSize"`
	Folder       string   `json:"folder"`
	Tags         []string `json:"tags"`
	Extensions   []string `json:"extensions"`
	Unique       string   `json:"unique"`
	ColorOption  string   `json:"colourOption"`
	WebhookURL   string   `json:"webhookUrl"`
	KeyFile      string   `json:"keyFile"`
	KeyCommand   []string `json:"keyCommand"`
	SecretFile   string   `json:"webhookSecretFile"`
	Insecure     bool     `json:"insecure,omitempty"`
	SetIn        string   `json:"setIn,omitempty"` // "set in config.toml line 12"; empty: commands can change it
}

func profileLineOf(c config.Config, q config.Profile) profileLine {
	list := func(l []string) []string { return append([]string{}, l...) } // [], not null
	return profileLine{
		q.Name, string(q.Kind), q.Name == c.Profile, q.UploadURL, q.BaseURL, q.DeliveryURL, q.MaxSize, q.MaxVideoSize,
		q.Folder, list(q.Tags), list(q.Extensions), string(q.Naming), string(q.ColorOption), q.WebhookURL, q.KeyFile, list(q.KeyCommand),
		q.WebhookSecretFile, q.Insecure, c.SetIn("profiles." + q.Name),
	}
}

// print writes all that is known of the profile.
func (l profileLine) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return printJSON(w, l)
	}
	size := func(n int64) string {
		if n == 0 {
			return ""
		}
		return text.Bytes(n)
	}
	security := ""
	if l.Insecure {
		security = "plain http allowed in a private network"
	}
	for _, row := range [][2]string{
		{"name", l.Name},
		{"kind", l.Kind},
		{"upload", l.UploadURL},
		{"details", l.BaseURL},
		{"delivery", l.DeliveryURL},
		{"insecure", security},
		{"largest file", size(l.MaxSize)},
		{"largest video", size(l.MaxVideoSize)},
		{"folder", l.Folder},
		{"tags", strings.Join(l.Tags, ", ")},
		{"extensions", strings.Join(l.Extensions, " ")},
		{"unique names", l.Unique},
		{"colour option", l.ColorOption},
		{"webhook", l.WebhookURL},
		{"signed with", l.SecretFile},
		{"key file", l.KeyFile},
		{"key command", strings.Join(l.KeyCommand, " ")},
		{"settings", l.SetIn},
	} {
		if row[1] == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "%-14s %s\n", row[0], text.Safe(row[1])); err != nil {
			return err
		}
	}
	return nil
}

func newProfileList(p *Program, f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the profiles", Args: noArgs,
		Example: "mediadesk profile list\nmediadesk profile list --json",
		RunE: func(*cobra.Command, []string) error {
			c, err := config.Load(p.Paths)
			if err != nil {
				return err
			}
			for _, name := range c.Names() {
				line := profileLineOf(c, c.Profiles[name])
				if f.json {
					err = printJSON(p.Stdout, line)
				} else {
					mark := " "
					if line.Used {
						mark = "*"
					}
					address := line.UploadURL
					if address == "" {
						address = "the local library of this computer"
					}
					_, err = fmt.Fprintf(p.Stdout, "%s\n", strings.TrimRight(fmt.Sprintf("%s %-16s %-8s %s  %s", mark, name, line.Kind, text.Safe(address), line.SetIn), " "))
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func newProfileShow(p *Program, f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "show [NAME]", Short: "Show a profile", Long: "Show the profile of that name, or the one in use.",
		Example: "mediadesk profile show\nmediadesk profile show work --json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("mediadesk profile show takes one name; %q is one too many", args[1])
			}
			return nil
		},
		ValidArgsFunction: profileNames(p),
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := config.Load(p.Paths)
			if err != nil {
				return err
			}
			name := first(f.Profile, c.Profile)
			if len(args) == 1 {
				name = args[0]
			}
			profile, err := c.Find(name)
			if err != nil {
				return err
			}
			return profileLineOf(c, profile).print(p.Stdout, f.json)
		},
	}
}

func newProfileUse(p *Program) *cobra.Command {
	return &cobra.Command{
		Use: "use NAME", Short: "Make a profile the one in use", Args: oneArg("the name of the profile"),
		Example: "mediadesk profile use work\nmediadesk profile use local", ValidArgsFunction: profileNames(p),
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := config.Load(p.Paths)
			if err != nil {
				return err
			}
			if _, err := c.Use(args[0]); err != nil {
				if _, ok := errors.AsType[*config.ReadOnlyError](err); ok {
					return fmt.Errorf("%w; --profile %s uses it for one run", err, args[0])
				}
				return err
			}
			_, err = fmt.Fprintf(p.Stdout, "Profile %s is in use.\n", args[0])
			return err
		},
	}
}

func newProfileRemove(p *Program) *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "Remove a profile from the settings", Args: oneArg("the name of the profile"),
		Example: "mediadesk profile remove lab", ValidArgsFunction: profileNames(p),
		Long: "Remove a profile from the settings. Nothing is removed at the service; the key stays in the keyring until mediadesk key forget.",
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := config.Load(p.Paths)
			if err != nil {
				return err
			}
			if _, err := c.RemoveProfile(args[0]); err != nil {
				return err
			}
			_, err = fmt.Fprintf(p.Stdout, "Profile %s is removed.\n", args[0])
			return err
		},
	}
}

// profileNames completes the names of profiles.
func profileNames(p *Program) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		c, err := config.Load(p.Paths)
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return c.Names(), cobra.ShellCompDirectiveNoFileComp
	}
}
