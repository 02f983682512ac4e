package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/api/journal"
	"mediadesk/api/local"
	"mediadesk/api/media"
	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/terminal"
	"mediadesk/ui/text"
)

// Statuses of doctor, from good to bad.
const (
	statusOK      = "ok"
	statusNote    = "note"
	statusWarn    = "warning"
	statusProblem = "problem"
)

type diagnosis struct {
	Section string `json:"section"`
	Check   string `json:"check"`
	Status  string `json:"verdict"`
	Text    string `json:"text"`
	Help    string `json:"help,omitempty"`
}

// doctor collects diagnoses. It changes nothing.
type doctor struct {
	*Program
	settings config.Config
	wrong    error // why the settings cannot be read
	profile  config.Profile
	local    bool // the profile is the local library
	keys     *config.Keys
	secrets  config.Redactor
	section  string
	count    map[string]int // diagnoses by status
	down     bool           // the service does not answer
}

var checks = []struct {
	section string
	run     func(*doctor, context.Context)
}{
	{"Versions", func(d *doctor, _ context.Context) {
		d.ok("mediadesk", "%s, for %s on %s, built with %s", d.Version, runtime.GOOS, runtime.GOARCH, runtime.Version())
	}},
	{"Terminal", (*doctor).terminal},
	{"Settings", (*doctor).settingsFile},
	{"Folders", (*doctor).folders},
	{"Journal", (*doctor).journal},
	{"Private key", (*doctor).key},
	{"URLs", (*doctor).addresses},
	{"Webhooks", (*doctor).webhooks},
}

func newDoctor(p *Program) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check the setup and suggest fixes",
		Long: "Check the terminal, settings, folders, journal, key, keyring, URLs and webhooks, and suggest fixes. Run it if something does not work. " +
			"Nothing is uploaded or changed.\n\n" +
			"You can paste the output into a report: it contains no key, no account id and no name of your home folder. Exit code 0: no problem; 1: at least one.",
		Example: "mediadesk doctor\nmediadesk doctor --profile work\nmediadesk doctor --jq 'select(.verdict==\"problem\").text'",
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			d := &doctor{Program: p, count: map[string]int{}}
			d.keys = &config.Keys{Getenv: p.Getenv, Keyring: config.NewKeyring()}
			if d.settings, d.wrong = config.Load(p.Paths); d.wrong != nil && p.Profile != "" && !p.Unnamed() {
				d.profile = d.settings.Profiles[d.settings.Profile] // the named one cannot be read
			} else if d.profile, err = session.Resolve(d.settings, p.Request); err != nil {
				return err
			}
			d.local = d.profile.Kind == config.KindLocal
			for _, c := range checks {
				d.section = c.section
				d.print("%s\n", c.section)
				c.run(d, cmd.Context())
				d.print("\n")
			}
			problems, warnings := d.count[statusProblem], d.count[statusWarn]
			d.print("%s, %s.\n", text.Plural(problems, "problem"), text.Plural(warnings, "warning"))
			return failures{text.Either(problems > 0, exitFailed, exitDone)}.exit()
		},
	}
}

func (d *doctor) print(format string, args ...any) {
	if !d.json {
		fmt.Fprintf(d.Stdout, format, args...)
	}
}

// say prints a diagnosis, without what identifies the user.
func (d *doctor) say(status, check, help, format string, args ...any) {
	f := diagnosis{d.section, check, status, d.clean(fmt.Sprintf(format, args...)), d.clean(help)}
	d.count[status]++
	if d.json {
		_ = d.printJSON(f)
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(f.Text+"\n"+f.Help, "\n"), "\n") {
		d.print("  %-8s %s %s\n", status, text.PadRight(check, 20), line)
		status, check = "", ""
	}
}

func (d *doctor) ok(check, format string, args ...any) { d.say(statusOK, check, "", format, args...) }

// clean makes text safe to draw and removes what identifies the user.
func (d *doctor) clean(words string) string {
	words = d.secrets.String(words)
	for _, variable := range []string{"HOME", "USERPROFILE"} {
		if home := d.Getenv(variable); len(home) > 1 {
			words = strings.ReplaceAll(words, home, "~")
		}
	}
	for _, variable := range []string{"USER", "LOGNAME", "USERNAME"} { // as in the path of a mounted disk
		if user := d.Getenv(variable); user != "" {
			words = strings.ReplaceAll(words, "/"+user+"/", "/USER/")
		}
	}
	return safeLines(words)
}

func (d *doctor) terminal(ctx context.Context) {
	d.ok("TERM", "%s", cmp.Or(d.Getenv("TERM"), "not set"))
	locale := cmp.Or(d.Getenv("LC_ALL"), d.Getenv("LC_CTYPE"), d.Getenv("LANG"))
	up := strings.ReplaceAll(strings.ToUpper(locale), "-", "")
	if locale != "" && !strings.Contains(up, "UTF8") {
		d.say(statusWarn, "locale", "Set LANG to a UTF-8 locale, such as C.UTF-8.", "%s is not UTF-8: letters and boxes may be garbled", locale)
	}
	out, _ := d.Stdout.(*os.File)
	if !d.Terminal || out == nil {
		d.say(statusNote, "size", "Run doctor without a pipe to check size and colors.", "input and output are not both a terminal")
		return
	}
	if w, h, err := term.GetSize(out.Fd()); err == nil {
		small := w < 40 || h < 12
		d.say(text.Either(small, statusWarn, statusOK), "size", text.If(small, "The screens need 40x12."), "%dx%d", w, h)
	}
	_, colors := terminal.Colors("auto", out, os.Environ(), terminal.TmuxFeatures(ctx, d.Getenv))
	d.ok("colors", "%s", colors)
	d.say(statusNote, "pictures", "Start mediadesk, press 5 and go to Pictures.", "the settings screen shows what the terminal supports")
	for _, t := range media.Tools() {
		if t.Path == "" {
			d.say(statusNote, t.Program, "", "not installed; it would show %s", t.Makes)
		} else {
			d.ok(t.Program, "shows %s", t.Makes)
		}
	}
}

func (d *doctor) settingsFile(context.Context) {
	if d.wrong != nil {
		d.say(statusProblem, "config.toml", "Correct the line. Until then, doctor checks the defaults.", "%v", d.wrong)
	} else if _, err := os.Stat(d.Paths.Config); err != nil {
		d.say(statusNote, "config.toml", "", "no settings file yet at %s: the defaults apply", d.Paths.Config)
	} else {
		d.ok("config.toml", "%s", d.Paths.Config)
	}
	name := d.profile.Name
	if session.IsUnnamed(name) { // the path after the host may be an account
		name = session.UnnamedPrefix + hostOf(d.profile.UploadURL)
	}
	d.ok("profile", "%s (%s), of %s", name, d.profile.Kind, text.Plural(len(d.settings.Profiles), "profile"))
}

func (d *doctor) folders(context.Context) {
	for _, f := range []struct{ name, path string }{
		{"settings", filepath.Dir(d.Paths.Config)},
		{"data", d.Paths.Data},
		{"log", d.Paths.State},
		{"cache", d.Paths.Cache},
	} {
		there := f.path // or its nearest existing parent
		file, err := os.CreateTemp(there, ".mediadesk-doctor-*")
		for errors.Is(err, fs.ErrNotExist) && filepath.Dir(there) != there {
			there = filepath.Dir(there)
			file, err = os.CreateTemp(there, ".mediadesk-doctor-*")
		}
		if err == nil {
			err = errors.Join(file.Close(), os.Remove(file.Name()))
		}
		switch {
		case err != nil:
			d.say(statusProblem, f.name, "Check its permissions and the free space, or set MEDIADESK_HOME to another folder.", "no file can be created in %s: %v", there, err)
		case there != f.path:
			d.say(statusNote, f.name, "", "%s is created when it is needed", f.path)
		default:
			d.ok(f.name, "%s", there)
		}
	}
}

// journal checks the journal and the records of the local library. Contents are checked by
// serve --check only.
func (d *doctor) journal(ctx context.Context) {
	const none = "none yet: the first start creates it"
	state, err := journal.Check(ctx, d.Paths.Journal())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.say(statusNote, "journal", "", none)
	case err != nil:
		d.say(statusProblem, "journal", journal.Damaged, "%v", err)
	default:
		d.ok("journal", "no damage: %s, %s, schema %d", text.Bytes(state.Bytes),
			text.Plural(state.Jobs, "upload"), state.Version)
	}
	library := d.Paths.Library()
	sum, err := local.Check(ctx, library, local.CheckOptions{Quick: true}, func(p local.Problem) error {
		d.say(statusProblem, "library.db", p.Help, "%s", p.Message)
		return nil
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.say(statusNote, "library.db", "", none)
	case err != nil:
		d.say(statusProblem, "library.db", api.Hint(err), "%v", err)
	case sum.Problems == 0:
		d.ok("library.db", "no damage; mediadesk serve --check verifies the contents, too")
	}
	if address, _, ok := local.Find(library); ok && d.local {
		d.ok("local library", "runs at %s, in another process", address)
	}
}

func (d *doctor) key(ctx context.Context) {
	if d.local {
		d.ok("source", "the local library has its own")
	} else if key, source, err := d.keys.Find(ctx, d.profile); err != nil {
		d.say(statusProblem, "source", "", "%v", err)
	} else {
		d.secrets.Add(key)
		d.ok("source", "%s", source)
		switch err := session.TryKey(ctx, d.profile, key); {
		case err == nil:
			d.ok("accepted", "the service accepts the key")
		case api.KeyRefused(err):
			d.say(statusProblem, "accepted", "Set the private key of this account: mediadesk key set --profile "+d.profile.Name, "the service refuses the key: %v", err)
		default:
			d.say(statusNote, "accepted", "", "not known: %v", err)
		}
	}
	tried := d.keys.Keyring.Try(ctx)
	problem, known := errors.AsType[*config.KeyringError](tried)
	switch {
	case tried == nil:
		d.ok("keyring", "it answers")
	case !known:
		d.say(statusWarn, "keyring", "", "%v", tried)
	default:
		broken := problem.Problem == config.KeyringLocked || problem.Problem == config.KeyringSilent
		status := text.Either(broken, statusWarn, statusNote) // other sources of keys remain
		d.say(status, "keyring", text.Sentence(problem.Problem.Help()), "%s", problem.Describe())
	}
}

const addressTimeout = 8 * time.Second

func (d *doctor) addresses(ctx context.Context) {
	if proxy := cmp.Or(d.Getenv("HTTPS_PROXY"), d.Getenv("https_proxy")); proxy != "" {
		d.say(statusNote, "proxy", "", "HTTPS_PROXY is set: https goes through %s", hostOf(proxy))
	}
	if d.local {
		d.ok("URLs", "the local library is in this program: no network is used")
		return
	}
	for _, h := range []struct{ name, address string }{
		{"upload", d.profile.UploadURL}, {"details", d.profile.BaseURL}, {"delivery", d.profile.DeliveryURL},
	} {
		if h.address == "" {
			d.say(statusNote, h.name, "", "no URL is set: images of stored files cannot be fetched")
			continue
		}
		began := time.Now()
		status, _, err := request(ctx, http.MethodHead, h.address)
		if err != nil {
			d.down = d.down || h.name == "upload"
			d.sayUnreached(h.name, hostOf(h.address), err)
			continue
		}
		d.ok(h.name, "%s: answers %d, in %d ms", hostOf(h.address), status, time.Since(began).Milliseconds())
	}
}

// request sends a request without the key and returns the status of the answer and the beginning of
// its body. It follows no redirects.
func request(ctx context.Context, method, address string) (status int, body string, err error) {
	ctx, cancel := context.WithTimeout(ctx, addressTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return 0, "", err
	}
	res, err := (&http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	begin, _ := io.ReadAll(io.LimitReader(res.Body, 1024))
	return res.StatusCode, string(begin), nil
}

// sayUnreached reports a failed request without its address, which may contain an account.
func (d *doctor) sayUnreached(check, host string, err error) {
	what, help := api.DescribeUnreached(err)
	if what == "" {
		what = err.Error()
		if errors.Is(err, context.DeadlineExceeded) {
			what = "no answer within " + addressTimeout.String()
		}
	}
	d.say(statusProblem, check, cmp.Or(help, "Check the URL, the network and, behind a proxy, HTTPS_PROXY."), "%s: %s", host, what)
}

func (d *doctor) webhooks(ctx context.Context) {
	listen := d.settings.Webhook.Listen
	if d.profile.WebhookURL != "" {
		host := hostOf(d.profile.WebhookURL)
		address := strings.TrimRight(d.profile.WebhookURL, "/") + "/hook/doctor"
		if status, _, err := request(ctx, http.MethodGet, address); err != nil {
			d.sayUnreached("URL", host, err)
		} else {
			d.say(statusNote, "URL", "Point the tunnel or proxy at "+listen+": the receiver listens there while mediadesk runs.", "%s answers %d", host, status)
		}
	} else {
		if listener, err := net.Listen("tcp", listen); err != nil {
			d.say(statusNote, "receiver", "Another mediadesk may use it. If another program does, set listen in [webhook] to another port.",
				"%s is in use or cannot be listened on", listen)
		} else {
			_ = listener.Close()
			d.ok("receiver", "%s is free to listen on", listen)
		}
		switch {
		case !d.local && !api.IsPrivateHost(d.profile.UploadURL):
			d.say(statusNote, "URL", "Set webhook_url of the profile to a public URL that leads to the receiver, such as a tunnel.",
				"none is set: the service cannot reach this computer, so mediadesk polls the file for results")
		case d.down:
			d.say(statusNote, "URL", "", "not known: the service does not answer")
		default:
			d.ok("URL", "the service can reach this computer and posts to the receiver")
		}
	}
	if d.local {
		return
	}
	secrets, err := d.keys.WebhookSecrets(d.profile)
	for _, secret := range secrets {
		d.secrets.Add(secret)
	}
	switch {
	case err != nil:
		d.say(statusProblem, "signature", "Name a file that only you can read: mediadesk profile add NAME --webhook-secret-file FILE", "%v", err)
	case len(secrets) == 0:
		d.ok("signature", "no secret is set: posts are accepted by their URL, which nobody can guess")
	default:
		d.ok("signature", "posts are verified with the secrets in %s; others are kept but ignored", cmp.Or(d.profile.WebhookSecretFile, config.SecretVariable))
	}
}

func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return "(a URL that cannot be read)"
}
