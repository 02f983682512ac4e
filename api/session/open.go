package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/local"
	"mediadesk/api/queue"
	"mediadesk/api/watch"
	"mediadesk/config"
)

// Open opens the profile of the request. The session ends with ctx, but must be closed. After an
// error nothing stays open.
func Open(ctx context.Context, o Options) (*Session, error) {
	settings, profile, err := load(o)
	if err != nil {
		return nil, err
	}
	if err := o.Paths.Make(); err != nil {
		return nil, err
	}
	o.Secrets = cmp.Or(o.Secrets, new(config.Redactor))
	s := &Session{Cache: o.Paths.Cache, Notices: make(chan string, 1), options: o}
	s.ctx, s.cancel = context.WithCancel(ctx)
	if err := s.open(ctx, settings, profile); err != nil {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), CloseTimeout)
		defer cancel()
		return nil, errors.Join(err, s.Close(closing))
	}
	return s, nil
}

func load(o Options) (config.Config, config.Profile, error) {
	settings, err := config.Load(o.Paths)
	if err != nil {
		return settings, config.Profile{}, err
	}
	profile, err := Resolve(settings, o.Request)
	return settings, profile, err
}

func (s *Session) open(ctx context.Context, settings config.Config, profile config.Profile) (err error) {
	if err := s.openJournal(ctx); err != nil {
		return err
	}
	if s.Profile, err = NewProfile(profile); err != nil {
		return err
	}
	s.Profile.FormNaming = s.Profile.Naming
	if profile.Naming == job.NameHere && !profile.NamingChosen &&
		settings.SetIn("profiles."+profile.Name) == "" {
		s.Profile.FormNaming = job.NameExact
	}
	if err := s.openClient(ctx, settings, &profile); err != nil {
		return err
	}
	s.Queue = queue.New(queue.Options{ // before the watch, which reports events to it
		Journal: s.Journal, Profile: s.Profile.Name, Sender: s.Client,
		Concurrency: cmp.Or(max(s.options.Concurrency, 0), settings.Concurrency),
		Fresh:       !s.options.Adopt, RetryTimeout: s.options.RetryTimeout,
		Prepare: s.prepare, Moved: s.deleteOrigin, Ended: s.jobEnded,
	})
	if err := s.openWatch(ctx, settings, profile); err != nil {
		return err
	}
	s.onClose(s.closeOthers)
	s.onClose(s.Queue.Close) // also after an error of Start
	if err := s.Queue.Start(ctx); err != nil {
		return err
	}
	settled := make(chan struct{})
	go func() {
		defer close(settled)
		if err := s.settleEdits(s.ctx); err != nil && s.ctx.Err() == nil {
			slog.Warn("interrupted changes are not settled", "err", err)
		}
	}()
	s.onClose(func(context.Context) error { <-settled; return nil })
	return nil
}

// Describe returns a session for describing requests, with the profile and a client without a key.
// It opens and sends nothing.
func Describe(o Options) (*Session, error) {
	settings, profile, err := load(o)
	if err != nil {
		return nil, err
	}
	s := new(Session)
	if s.Profile, err = NewProfile(profile); err != nil {
		return nil, err
	}
	if s.Profile.Local {
		s.Profile.Crops = cropsOf(profile.Crops, settings.Local.Transformations)
		address := "http://" + settings.Local.Addr
		profile.UploadURL, profile.BaseURL, profile.DeliveryURL = address, address, address
	}
	if s.Client, err = api.NewClient(clientOptions(profile)); err != nil {
		return nil, err
	}
	s.Profile.Host = s.Client.Host()
	return s, nil
}

func (s *Session) openJournal(ctx context.Context) error {
	j, err := journal.Open(ctx, s.options.Paths.Journal())
	if err != nil {
		return err
	}
	s.Journal = j
	s.onClose(func(context.Context) error { return j.Close() })
	if j.Aside != "" {
		s.Warnings = append(s.Warnings, api.WithHint(
			fmt.Errorf("the journal %q was empty, so mediadesk begins a new one: earlier uploads and changes are not listed", j.Path()),
			fmt.Sprintf("What was stored is safe at the service. The empty file is now %q.", j.Aside),
		))
	} else { // the journal knows what is needed
		s.removeUnused(ctx)
	}
	return nil
}

// openClient opens the client. For the local profile it first opens the local service and sets its
// address.
func (s *Session) openClient(ctx context.Context, settings config.Config, profile *config.Profile) (err error) {
	var key api.Key
	o := s.options
	if s.Profile.Local {
		s.Profile.MaxSize = settings.Local.MaxSize
		s.Profile.Crops = cropsOf(profile.Crops, settings.Local.Transformations)
		s.Profile.KeySource = "the library's own"
		key, err = s.openLibrary(settings, profile)
		// Ask the process that runs the library, which may have other settings.
		_, faults, _ := local.Find(o.Paths.Library())
		s.Profile.Notice = faultNotice(faults)
	} else {
		key, s.Profile.KeySource, err = findKey(ctx, o, *profile)
	}
	if err != nil {
		return err
	}
	client := clientOptions(*profile)
	client.Key, client.UserAgent = key, "mediadesk/"+o.Version
	client.Waiting, client.Rate = o.Waiting, o.Rate
	if s.Client, err = api.NewClient(client); err != nil {
		return err
	}
	s.onClose(func(context.Context) error { s.Client.Close(); return nil })
	s.Profile.Host = s.Client.Host()
	return nil
}

func (s *Session) openWatch(ctx context.Context, settings config.Config, profile config.Profile) error {
	secrets, err := webhookSecrets(s.options, settings, profile)
	if err != nil {
		return err
	}
	s.Watch = watch.New(watch.Options{
		Journal: s.Journal, Listen: settings.Webhook.Listen, Profile: profile.Name,
		PublicURL: profile.WebhookURL, Secrets: secrets, Details: s.Client.Details,
	})
	s.onClose(s.Watch.Close)
	if err := s.Watch.Start(ctx); err != nil {
		return err
	}
	if err := s.Watch.Err(); err != nil {
		s.Warnings = append(s.Warnings, api.WithHint(err, "Set [webhook] listen to an address of this computer. Until then, mediadesk polls files for the results of extensions."))
	}
	if listening := s.Watch.Addr(); listening != "" && profile.WebhookURL != "" {
		s.Profile.Receiver = profile.WebhookURL
	} else if listening != "" && api.IsPrivateHost(profile.UploadURL) {
		s.Profile.Receiver = "http://" + listening
	}
	return nil
}

func findKey(ctx context.Context, o Options, profile config.Profile) (api.Key, string, error) {
	if o.Key != nil {
		if key, err := config.NewSecret(o.Key.Reveal()); err == nil {
			o.Secrets.Add(key)
		}
		return o.Key, config.SourceTyped.String(), nil
	}
	if o.KeyFD >= 0 && o.Keys.FD == nil {
		f, err := config.OpenFD(o.KeyFD)
		if err != nil {
			return nil, "", err
		}
		o.Keys.FD = f
	}
	key, source, err := o.Keys.Find(ctx, profile)
	o.Secrets.Add(key)
	return key, source.String(), err
}

// webhookSecrets returns a function that reads the secrets that sign posts for a profile. It reads
// them for every post, so that they can be replaced while runs are pending. A file that cannot be
// read is an error at first, and later rejects the posts.
func webhookSecrets(o Options, settings config.Config,
	used config.Profile,
) (func(profile string) []string, error) {
	read := func(name string) ([]string, error) {
		profile, ok := settings.Profiles[name]
		if name == used.Name {
			profile = used // may be an unnamed one
		} else if !ok {
			return nil, nil
		}
		list, err := o.Keys.WebhookSecrets(profile)
		texts := make([]string, len(list))
		for i, secret := range list {
			o.Secrets.Add(secret)
			texts[i] = secret.Reveal()
		}
		return texts, err
	}
	_, err := read(used.Name)
	return func(name string) []string {
		list, err := read(name)
		if err != nil {
			slog.Warn("webhook posts of a profile cannot be checked", "profile", name, "err", err)
			return []string{rand.Text()}
		}
		return list
	}, err
}

// prepare fetches the file of another profile and adds an address of our receiver to an upload,
// just before sending.
func (s *Session) prepare(ctx context.Context, j job.Job) (*api.Upload, error) {
	u := j.Upload
	if u.Source.Origin != (api.Origin{}) {
		path, err := s.fetchOrigin(ctx, j)
		if err != nil {
			return nil, err
		}
		u.Source = api.Source{Path: path, Label: u.Source.String()}
	}
	if !j.JobWebhook {
		return &u, nil
	}
	address, err := s.Watch.Address(ctx, job.Hook{Profile: j.Profile, JobID: j.ID})
	if address != "" {
		u.WebhookURL = api.Set(address)
	}
	return &u, err
}

// jobEnded removes a source's copy that is no longer needed and tells the watch which runs an
// upload began.
func (s *Session) jobEnded(ctx context.Context, j job.Job) {
	if err := s.removeSpooled(&j); err != nil {
		slog.Warn("could not remove the copy of a source", "err", err)
	}
	if j.State != job.Stored || j.File == nil {
		return
	}
	if err := s.Watch.Answered(ctx, j.Profile, j.File, j.JobWebhook); err != nil {
		slog.Error("could not record the runs of an upload", "file", j.File.FileID, "err", err)
	}
}

// openLibrary starts the local library, or finds the process that serves it, and sets its address
// in the profile. If that process ends first, this one takes over.
func (s *Session) openLibrary(settings config.Config, profile *config.Profile) (api.Key, error) {
	dir := s.options.Paths.Library()
	text, _, err := local.FolderKey(dir)
	if err != nil {
		return nil, err
	}
	key, err := config.NewSecret(text)
	if err != nil {
		return nil, err
	}
	s.options.Secrets.Add(key)
	served := local.Options{
		Dir: dir, Storage: settings.Local.Storage, Key: key, MaxSize: settings.Local.MaxSize,
		Commands: settings.Local.Commands, Named: settings.Local.Transformations,
		AllowAddresses: settings.Local.AllowAddresses, Database: settings.Local.Database,
	}
	var address string
	var library io.Closer
	address, s.Busy, library, err = serveOrFind(settings.Local.Addr, served, func(faults string) {
		select {
		case <-s.Notices: // one that nobody has read yet is replaced
		default:
		}
		s.Notices <- faultNotice(faults)
	})
	if err != nil {
		return nil, err
	}
	_, s.Serving = library.(*local.Server)
	s.onClose(func(context.Context) error { return library.Close() })
	profile.UploadURL, profile.BaseURL, profile.DeliveryURL = address, address, address
	return key, nil
}

func faultNotice(faults string) string {
	if faults == "" {
		return ""
	}
	return "faults on: " + faults
}

// serveOrFind serves the library of a folder, or finds the process that does. The library runs
// until the session closes it, after everything that uses it. If another program has the usual
// address, busy says so, and the address depends on the folder alone while that one is free.
func serveOrFind(usual string, o local.Options,
	changed func(string),
) (address, busy string, library io.Closer, err error) {
	addr := usual
	for range 4 {
		if address, _, ok := local.Find(o.Dir); ok {
			return address, "", local.StandBy(address, o, changed), nil
		}
		var server *local.Server
		server, err = local.Serve(context.Background(), addr, o)
		taken, isTaken := errors.AsType[*net.OpError](err)
		switch {
		case err == nil:
			return server.Address, busy, server, nil
		case isTaken && taken.Op == "listen":
			if addr = "127.0.0.1:0"; busy == "" {
				addr, busy = fixedAddress(o.Dir), "another program uses "+usual
			}
		case !errors.Is(err, local.ErrInUse):
			return "", "", nil, err
		}
	}
	return "", "", nil, err
}

// fixedAddress returns an address that depends only on the folder of a library, so that it stays
// the same from command to command. Its port is below those that systems give to any connection.
func fixedAddress(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	sum := sha256.Sum256([]byte(dir))
	return fmt.Sprintf("127.0.0.1:%d", 20_000+binary.BigEndian.Uint32(sum[:])%10_000)
}
