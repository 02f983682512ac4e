package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/text"
)

// Verdicts of doctor, from good to bad.
const (
	verdictOK   = "ok"
	verdictNote = "note"
	verdictWarn = "warning"
	verdictBad  = "problem"
)

// finding is a line of doctor's output.
type finding struct {
	Section string `json:"section"`
	Check   string `json:"check"`
	Verdict string `json:"verdict"`
	Text    string `json:"text"`
	Help    string `json:"help,omitempty"`
}

// doctor collects findings. It changes nothing but a temporary test entry in the keyring.
type doctor struct {
	p        *Program
	f        *flags
	settings config.Config
	profile  config.Profile
	keys     *config.Keys
	secrets  config.Redactor
	section  string
	findings []finding
}

func newDoctor(p *Program, f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check the setup and suggest fixes",
		Long: "Check the terminal, the keyring, the key, the clock, the addresses of the profile, the webhook address, the folders and the journal, and suggest fixes. " +
			"Nothing is uploaded or changed.\n\n" +
			"The output is safe to paste into a report: it has no key, no account id and not the name of your home folder. Exit code 0: no problem; 1: at least one.",
		Example: "mediadesk doctor\nmediadesk doctor --profile work\nmediadesk doctor --json | jq -r 'select(.verdict!=\"ok\")'",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := &doctor{p: p, f: f, keys: &config.Keys{Getenv: p.Getenv, Keyring: config.NewKeyring()}}
			return d.run(cmd.Context())
		},
	}
}

func (d *doctor) run(ctx context.Context) error {
	if err := d.chooseProfile(); err != nil {
		return err
	}
	for _, s := range []struct {
		name  string
		check func(context.Context)
	}{
		{"Versions", d.versions},
		{"Terminal", d.terminal},
		{"Settings", d.settingsFile},
		{"Folders", d.folders},
		{"Journal", d.journal},
		{"Private key", d.key},
		{"Addresses", d.addresses},
		{"Webhooks", d.webhooks},
	} {
		d.section = s.name
		before := len(d.findings)
		s.check(ctx)
		if err := d.print(d.findings[before:]); err != nil {
			return err
		}
	}
	return d.end()
}

// chooseProfile selects the profile to check, or the default one if the settings file is invalid.
func (d *doctor) chooseProfile() error {
	c, err := config.Load(d.p.Paths)
	d.settings = c
	if err != nil && d.f.Profile != "" && !d.f.Unnamed() {
		d.profile = c.Current()
		return nil
	}
	profile, err := session.Resolve(c, d.f.Request)
	if err != nil {
		return err
	}
	d.profile = profile
	return nil
}

// say adds a finding with cleaned text.
func (d *doctor) say(verdict, check, help, format string, args ...any) {
	d.findings = append(d.findings, finding{
		Section: d.section, Check: check, Verdict: verdict,
		Text: d.clean(fmt.Sprintf(format, args...)), Help: d.clean(help),
	})
}

// clean makes text safe to draw and removes what identifies the user.
func (d *doctor) clean(text string) string {
	text = d.secrets.String(text)
	for _, home := range []string{d.p.Getenv("HOME"), d.p.Getenv("USERPROFILE")} {
		if len(home) > 1 {
			text = strings.ReplaceAll(text, home, "~")
		}
	}
	for _, variable := range []string{"USER", "LOGNAME", "USERNAME"} {
		if user := d.p.Getenv(variable); user != "" {
			text = userInPath(text, user)
		}
	}
	return safeLines(text)
}

// userInPath replaces the user's name in paths, such as that of a mounted disk.
func userInPath(text, user string) string {
	return regexp.MustCompile(`([/\\])`+regexp.QuoteMeta(user)+`($|[^\pL\pN._-])`).ReplaceAllString(text, "${1}USER${2}")
}

func (d *doctor) print(list []finding) error {
	if d.f.json {
		for _, f := range list {
			if err := printJSON(d.p.Stdout, f); err != nil {
				return err
			}
		}
		return nil
	}
	if len(list) > 0 {
		fmt.Fprintf(d.p.Stdout, "%s\n", list[0].Section)
	}
	for _, f := range list {
		lines := strings.Split(f.Text, "\n")
		fmt.Fprintf(d.p.Stdout, "  %s %s %s\n", text.PadRight(f.Verdict, 8), text.PadRight(f.Check, 20), lines[0])
		rest := lines[1:]
		if f.Help != "" {
			rest = append(rest, strings.Split(f.Help, "\n")...)
		}
		for _, line := range rest {
			fmt.Fprintf(d.p.Stdout, "  %s %s %s\n", text.PadRight("", 8), text.PadRight("", 20), line)
		}
	}
	_, err := fmt.Fprintln(d.p.Stdout)
	return err
}

// end prints a summary and returns the error with the exit code.
func (d *doctor) end() error {
	count := map[string]int{}
	for _, f := range d.findings {
		count[f.Verdict]++
	}
	if !d.f.json {
		fmt.Fprintf(d.p.Stdout, "%s, %s.\n", text.Plural(count[verdictBad], "problem"), text.Plural(count[verdictWarn], "warning"))
	}
	if count[verdictBad] > 0 {
		return &exitError{code: exitFailed}
	}
	return nil
}

func (d *doctor) versions(context.Context) {
	d.say(verdictOK, "mediadesk", "", "%s, for %s on %s", d.p.Version, runtime.GOOS, runtime.GOARCH)
	d.say(verdictOK, "Go", "", "%s", runtime.Version())
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			d.say(verdictOK, "commit", "", "%s", s.Value)
		}
	}
	for _, m := range info.Deps {
		switch m.Path {
		case "charm.land/bubbletea/v2", "modernc.org/sqlite", "github.com/zalando/go-keyring":
			d.say(verdictOK, path.Base(strings.TrimSuffix(m.Path, "/v2")), "", "%s", m.Version)
		}
	}
}

func (d *doctor) settingsFile(context.Context) {
	file := d.p.Paths.Config
	info, missing := os.Stat(file)
	_, err := config.Load(d.p.Paths)
	switch {
	case err != nil:
		d.say(verdictBad, "config.toml", "Correct the line. Until then, doctor checks the defaults.", "%v", err)
	case missing != nil:
		d.say(verdictNote, "config.toml", "", "no settings file yet at %s: the defaults apply", file)
	default:
		d.say(verdictOK, "config.toml", "", "%s", file)
		if runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
			d.say(verdictWarn, "permissions", "chmod go-w "+file, "others can write the settings (mode %04o): they could name a key command", info.Mode().Perm())
		}
	}
	if len(d.settings.Replaced) > 0 {
		lines := strings.Trim(fmt.Sprint(d.settings.Replaced), "[]")
		d.say(verdictNote, "config.toml", "Delete those lines, or change one to use it again.", "version 0.1 wrote lines that are no longer used, because you changed the settings later: %s", lines)
	}
	state := d.p.Paths.StateFile()
	if _, missing := os.Stat(state); err == nil && missing == nil {
		d.say(verdictOK, "state.toml", "", "%s", state)
	}
	name := d.profile.Name
	if session.IsUnnamed(name) { // the path after the host may be an account
		name = session.UnnamedPrefix + hostOf(d.profile.UploadURL)
	}
	d.say(verdictOK, "profile", "", "%s (%s), of %s", name, d.profile.Kind, text.Plural(len(d.settings.Profiles), "profile"))
}

func (d *doctor) key(ctx context.Context) {
	if d.profile.Kind == config.KindLocal {
		d.say(verdictOK, "source", "", "the local library has its own")
	} else {
		key, source, err := d.keys.Find(ctx, d.profile)
		d.secrets.Add(key)
		if err != nil {
			d.say(verdictBad, "source", "", "%v", err)
		} else {
			d.say(verdictOK, "source", "", "%s", source)
			d.tryKey(ctx, key)
		}
	}
	tried := d.keys.Keyring.Try(ctx)
	var problem *config.KeyringError
	switch {
	case tried == nil:
		d.say(verdictOK, "keyring", "", "a test entry was stored, read and removed")
	case errors.As(tried, &problem):
		verdict := verdictNote // other sources of keys remain
		if problem.Problem == config.KeyringLocked || problem.Problem == config.KeyringSilent {
			verdict = verdictWarn
		}
		d.say(verdict, "keyring", text.Sentence(problem.Problem.Help()), "%s", problem.Problem.Error())
	default:
		d.say(verdictWarn, "keyring", "", "%v", tried)
	}
}

// tryKey requests one record with the key.
func (d *doctor) tryKey(ctx context.Context, key config.Secret) {
	ctx, cancel := context.WithTimeout(ctx, addressTimeout)
	defer cancel()
	client, err := api.NewClient(api.Options{
		UploadURL: d.profile.UploadURL, BaseURL: d.profile.BaseURL, DeliveryURL: d.profile.DeliveryURL, Key: key,
	})
	if err == nil {
		defer client.Close()
		_, err = client.List(ctx, api.Query{Limit: 1})
	}
	switch {
	case err == nil:
		d.say(verdictOK, "accepted", "", "the service accepts the key")
	case api.KeyRefused(err):
		d.say(verdictBad, "accepted", "Set the private key of this account: mediadesk key set --profile "+d.profile.Name, "the service refuses the key: %v", err)
	default:
		d.say(verdictNote, "accepted", "", "not known: %v", err)
	}
}
