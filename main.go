// Command mediadesk is a terminal desk for a media library: it picks pictures,
// says what they are, sends them, watches the service work on them, and
// touches up tags and the area of interest.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/term"

	"mediadesk/api"
	"mediadesk/api/journal"
	"mediadesk/api/local"
	"mediadesk/api/queue"
	"mediadesk/api/session"
	"mediadesk/api/watch"
	"mediadesk/assets"
	"mediadesk/config"
	"mediadesk/ui"
	"mediadesk/ui/cli"
	"mediadesk/ui/picture"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The first one ends in good order, the second one at once.
	context.AfterFunc(ctx, stop)
	getenv := config.TakeSecrets()
	a := &app{
		paths:  config.FindPaths(getenv),
		keys:   &config.Keys{Getenv: getenv, Keyring: config.NewKeyring()},
		getenv: getenv,
	}
	a.log = config.NewLog(a.paths.Log(), &a.secrets)
	slog.SetDefault(a.log.Logger(false))
	if err := config.HardenProcess(); err != nil {
		slog.Warn("other processes of this user may look into this one", "err", err)
	}
	code := cli.Main(ctx, cli.Program{
		Open:    a.open,
		Screens: a.screens,
		Paths:   a.paths,
		Getenv:  getenv,
		Stdin:   os.Stdin,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
		Version: version(),

		Terminal:    term.IsTerminal(os.Stdin.Fd()) && term.IsTerminal(os.Stdout.Fd()),
		TerminalOut: term.IsTerminal(os.Stdout.Fd()),
	}, os.Args[1:])
	if err := a.log.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "mediadesk: the log:", err)
	}
	os.Exit(code)
}

// app is what lives as long as the process.
type app struct {
	paths   config.Paths
	keys    *config.Keys
	log     *config.Log
	secrets config.Redactor     // the keys that must never be in the log
	getenv  func(string) string // the environment, with the secrets that no child inherits
}

// open wires the parts of a desk, each on top of the ones before it, and
// closes them in reverse.
func (a *app) open(ctx context.Context, r cli.Request) (*ui.Desk, error) {
	var closers []func(context.Context) error
	d := &ui.Desk{Cache: a.paths.Cache, Close: func(ctx context.Context) error {
		return cli.CloseInReverse(ctx, closers)
	}}
	fail := func(err error) (*ui.Desk, error) {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), ui.CloseTime)
		defer cancel()
		return nil, errors.Join(err, d.Close(closing))
	}

	slog.SetDefault(a.log.Logger(r.Debug))
	settings, err := config.Load(a.paths)
	if err != nil {
		return nil, err
	}
	profile, err := cli.Resolve(settings, r)
	if err != nil {
		return nil, err
	}
	if err := a.paths.Make(); err != nil {
		return nil, err
	}

	d.Journal, err = journal.Open(ctx, a.paths.Journal())
	if err != nil {
		return fail(err)
	}
	closers = append(closers, func(context.Context) error { return d.Journal.Close() })

	var key api.Key
	if d.Profile, err = cli.PageProfile(profile); err != nil {
		return fail(err)
	}
	if d.Profile.Local {
		d.Profile.MaxSize = settings.Local.MaxSize
	}
	if profile.Kind == config.KindLocal {
		var library io.Closer
		profile, key, library, err = a.openLibrary(settings, profile)
		if library != nil {
			closers = append(closers, func(context.Context) error { return library.Close() })
		}
		d.Profile.KeySource = "the library's own"
		// Asked of whoever runs it: another process may, with other settings.
		if faults := local.FindFaults(a.paths.Library()); faults != "" {
			d.Profile.Notice = "faults on: " + faults
		}
	} else {
		key, d.Profile.KeySource, err = a.findKey(ctx, r, profile)
	}
	if err != nil {
		return fail(err)
	}

	d.Client, err = api.NewClient(api.Options{
		UploadURL: profile.UploadURL, BaseURL: profile.BaseURL, DeliveryURL: profile.DeliveryURL,
		Key: key, UserAgent: "mediadesk/" + version(),
	})
	if err != nil {
		return fail(err)
	}
	closers = append(closers, func(context.Context) error { d.Client.Close(); return nil })
	d.Profile.Host = d.Client.Host()

	secrets, err := a.webhookSecrets(settings, profile)
	if err != nil {
		return fail(err)
	}
	d.Watch = watch.New(watch.Options{
		Journal: d.Journal, Listen: settings.Webhook.Listen, Profile: profile.Name,
		PublicURL: func(string) string { return profile.WebhookURL },
		Secret:    func(name string) string { return secrets[name] },
		Details: func(ctx context.Context, _, fileID string) (*api.File, error) {
			return d.Client.Details(ctx, fileID)
		},
	})
	if err := d.Watch.Start(ctx); err != nil {
		return fail(err)
	}
	closers = append(closers, d.Watch.Close)
	d.Profile.Receiver = receiver(profile, d.Watch.Addr())

	concurrency := settings.Concurrency
	if r.Concurrency > 0 {
		concurrency = r.Concurrency
	}
	d.Queue = queue.New(queue.Options{
		Journal: d.Journal, Profile: profile.Name, Sender: d.Client, Concurrency: concurrency, Fresh: !r.Adopt,
		Prepare:  prepare(d.Watch),
		Answered: answered(a.paths, d.Watch),
		BatchDone: func(ctx context.Context, batch string) {
			if err := writeReceipt(ctx, d, batch); err != nil {
				slog.Error("no receipt", "batch", batch, "err", err)
			}
		},
	})
	if err := d.Queue.Start(ctx); err != nil {
		return fail(err)
	}
	closers = append(closers, d.Queue.Close)
	return d, nil
}

// openLibrary starts the local library, or finds the one that another process
// runs, and fills its address into the profile. When that process ends first,
// this one goes on with the library.
func (a *app) openLibrary(settings config.Config, profile config.Profile) (config.Profile, api.Key, io.Closer, error) {
	dir := a.paths.Library()
	text, _, err := local.FolderKey(dir)
	if err != nil {
		return profile, nil, nil, err
	}
	key, err := config.NewSecret(text)
	if err != nil {
		return profile, nil, nil, err
	}
	a.secrets.Add(key)
	o := local.Options{
		Dir: dir, Key: key, MaxSize: settings.Local.MaxSize, Commands: settings.Local.Commands, Named: settings.Local.Transformations,
		AllowAddresses: settings.Local.AllowAddresses, Seed: settings.Local.Seed,
	}
	if o.Fault, err = local.ParseFault(settings.Local.Fault); err != nil {
		return profile, nil, nil, fmt.Errorf("[local] of %s: %w", settings.Path, err)
	}
	address, server, err := serveOrFind(settings.Local.Addr, o)
	if err != nil {
		return profile, nil, nil, err
	}
	profile.UploadURL, profile.BaseURL, profile.DeliveryURL = address, address, address
	if server == nil {
		return profile, key, local.StandBy(address, o), nil
	}
	return profile, key, server, nil
}

// serveOrFind starts the library of a folder, or finds the one that another
// process runs; the server is nil then. The library outlives what asked for
// it: the desk closes it, after everything that uses it.
func serveOrFind(addr string, o local.Options) (string, *local.Server, error) {
	var failed error
	for range 3 {
		if address, ok := local.Find(o.Dir); ok {
			return address, nil, nil
		}
		server, err := local.Serve(context.Background(), addr, o)
		var taken *net.OpError
		switch {
		case err == nil:
			return server.Address, server, nil
		case errors.As(err, &taken) && taken.Op == "listen":
			// Somebody else has the usual port: any other will do.
			addr = "127.0.0.1:0"
		case !errors.Is(err, local.ErrInUse):
			return "", nil, err
		}
		failed = err
	}
	return "", nil, failed
}

// findKey looks for the key of a service elsewhere (design §8).
func (a *app) findKey(ctx context.Context, r cli.Request, profile config.Profile) (api.Key, string, error) {
	if r.Key != nil {
		if key, err := config.NewSecret(r.Key.Reveal()); err == nil {
			a.secrets.Add(key)
		}
		return r.Key, "typed for this run", nil
	}
	if r.KeyFD >= 0 && a.keys.FD == nil {
		f, err := config.OpenFD(r.KeyFD)
		if err != nil {
			return nil, "", err
		}
		a.keys.FD = f
	}
	key, source, err := a.keys.Find(ctx, profile)
	a.secrets.Add(key)
	return key, source.String(), err
}

// webhookSecrets are what the services of the profiles sign their posts with.
// The receiver takes posts for all of them. One that cannot be read is an error
// for the profile in use; posts for another are then not believed.
func (a *app) webhookSecrets(settings config.Config, used config.Profile) (map[string]string, error) {
	secrets := map[string]string{}
	for _, name := range append(settings.Names(), used.Name) {
		profile, ok := settings.Profiles[name]
		if !ok {
			profile = used // one without a name
		}
		secret, err := a.keys.WebhookSecret(profile)
		switch {
		case err != nil && name == used.Name:
			return nil, err
		case err != nil:
			slog.Warn("webhook posts of a profile cannot be checked", "profile", name, "err", err)
			secrets[name] = rand.Text()
		case !secret.IsZero():
			a.secrets.Add(secret)
			secrets[name] = secret.Reveal()
		}
	}
	return secrets, nil
}

// receiver is the address at which the profile's service reaches our webhook
// receiver; empty where it cannot.
func receiver(p config.Profile, listening string) string {
	if p.WebhookURL != "" {
		return p.WebhookURL
	}
	own := "http://" + listening
	if api.IsPrivateHost(p.UploadURL) {
		return own
	}
	return ""
}

// prepare puts an address of our receiver into an upload just before it goes
// out.
func prepare(w *watch.Watch) func(context.Context, api.Job) (*api.Upload, error) {
	return func(ctx context.Context, j api.Job) (*api.Upload, error) {
		u := j.Upload
		if !j.OwnWebhook {
			return &u, nil
		}
		address, err := w.Address(ctx, j.ID, j.Profile)
		if err != nil {
			return nil, fmt.Errorf("no webhook address: %w", err)
		}
		u.WebhookURL = api.Set(address)
		return &u, nil
	}
}

// writeReceipt keeps what was sent and answered of a batch.
func writeReceipt(ctx context.Context, d *ui.Desk, batch string) error {
	jobs, err := d.Journal.Jobs(ctx, journal.JobFilter{Batch: batch})
	if err != nil {
		return err
	}
	return session.NewReceipt(d.Profile.Host, jobs, time.Now()).WriteFile(session.NextReceiptFile(d.Receipts(), batch))
}

// answered tells the watch which runs an upload began; the record of the file
// is in the journal already. What was kept of standard input is needed no more.
func answered(paths config.Paths, w *watch.Watch) func(context.Context, api.Job) {
	return func(ctx context.Context, j api.Job) {
		if dir := filepath.Dir(j.Upload.Source.Path); filepath.Dir(dir) == paths.Spool() {
			if err := os.RemoveAll(dir); err != nil {
				slog.Warn("a copy of standard input stays", "path", dir, "err", err)
			}
		}
		if j.File == nil {
			return
		}
		if err := w.Answered(ctx, j.Profile, j.File, j.OwnWebhook); err != nil {
			slog.Error("runs could not be kept", "file", j.File.FileID, "err", err)
		}
	}
}

// screens runs the interactive program.
func (a *app) screens(ctx context.Context, r cli.Request, folder string, sources []api.Source) error {
	living, end := context.WithCancel(ctx)
	defer end()
	cli.Thrift(living)
	settings, err := config.Load(a.paths)
	if err != nil {
		return err
	}
	own, err := ownKeys(settings)
	if err != nil {
		return err
	}
	previews, err := a.previews(settings)
	if err != nil {
		return err
	}
	guarded := cli.Guard()
	signals, frames := &ui.Signals{}, &ui.Frames{}
	model := ui.New(ui.Options{
		Open: func(ctx context.Context, profile string, key api.Key) (*ui.Desk, error) {
			again := r
			again.Key = key
			if profile != "" && !cli.IsUnnamed(profile) {
				again.Profile, again.UploadURL, again.BaseURL, again.DeliveryURL = profile, "", "", ""
			}
			return a.open(ctx, again)
		},
		First:   !settings.Exists && !r.Unnamed() && r.Profile == "",
		Profile: r.Profile,
		Folder:  folder,
		Sources: sources,
		Theme:   settings.Theme,
		Themes:  settings.Themes,
		Signal:  settings.Signal,

		Pictures: picture.Setting(settings.Pictures),
		Previews: previews,
		Terminal: os.Stdout,

		Addresses: cli.AddressFlags(r),

		KeyMap: own,

		Signals:  signals,
		Frames:   frames,
		Stopping: guarded.Stopping(),

		Paths:   a.paths,
		Keys:    a.keys,
		Debug:   r.Debug,
		Getenv:  a.getenv,
		Version: version(),
		Samples: func() (string, error) {
			dir := filepath.Join(a.paths.Data, "samples")
			return dir, assets.WriteSamples(dir)
		},
	})
	// To find out the colours once more is to ask tmux once more, which takes a while.
	program := tea.NewProgram(model, tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithFPS(ui.FramesPerSecond),
		tea.WithColorProfile(lipgloss.Writer.Profile))
	frames.Pace(program)
	ended := cli.Endings(program)
	signals.WatchSignals(program)
	_, err = program.Run()
	signals.Close()
	// Nothing else removes the pictures that the terminal was sent.
	fmt.Fprint(os.Stdout, model.Farewell())
	guarded.Restored()
	if d := model.Desk(); d != nil {
		closing, cancel := context.WithTimeout(context.Background(), ui.CloseTime)
		defer cancel()
		err = errors.Join(err, model.Keep(closing))
		err = errors.Join(err, cli.FinishSending(closing, model.Patience(), os.Stdout, d.Queue.Close), d.Close(closing))
	}
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		err = nil
	}
	return errors.Join(err, ended())
}

// previews is the cache of small pictures, nil where the settings keep none: what
// was kept before is removed then.
func (a *app) previews(settings config.Config) (*picture.Cache, error) {
	dir := filepath.Join(a.paths.Cache, "previews")
	if settings.Previews == config.PreviewsKeep {
		return picture.NewCache(dir, picture.DefaultCache), nil
	}
	return nil, os.RemoveAll(dir)
}

// ownKeys are the keys of the settings, or what is wrong with one of them.
func ownKeys(settings config.Config) ([]ui.KeySetting, error) {
	var list []ui.KeySetting
	for _, k := range settings.Keys {
		list = append(list, ui.KeySetting{Act: k.Act, Keys: k.Keys})
	}
	if i, err := ui.CheckKeys(list); err != nil {
		return nil, &config.FileError{Path: settings.Path, Line: settings.Keys[i].Line, Key: settings.Keys[i].Act, Text: err.Error()}
	}
	return list, nil
}

// version is what the build wrote into the program.
func version() string {
	info, _ := debug.ReadBuildInfo()
	return cli.Version(info)
}
