// Package local is the service: an http.Handler over records and contents. It applies the rules of
// package rule, as the forms do, and answers as service.md requires. It also serves stored files
// and the listing and management calls of hosted-service.md. Its extensions do real work, with
// results of their own.
package local

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"mediadesk/api"
	"mediadesk/api/atomicfile"
	"mediadesk/api/local/delivery"
	"mediadesk/api/local/extension"
	"mediadesk/api/local/run"
	"mediadesk/api/local/store"
	"mediadesk/api/media"
)

// defaultMaxSize is the default limit for uploads, 25 MB (service.md §8, free plan).
const defaultMaxSize = 25_000_000

// maxObjects limits the files and folders of a folder operation (hosted-service.md §9).
const maxObjects = 100_000

// Options configures a library.
type Options struct {
	Dir string // the folder; created if missing
	// address of the content store, such as s3://bucket?region=…; empty for a folder in Dir
	Storage  string
	Database string                       // postgres:// address of the records; empty for SQLite in Dir
	Key      interface{ Reveal() string } // required
	MaxSize  int64                        // largest upload, in bytes; 0 for defaultMaxSize
	// public base address of url and thumbnail; empty for the one of the request
	Address string
	Hosts   []string // names that requests may use besides loopback and Address
	// host:port pairs that URL sources and webhooks may use although they are internal
	AllowAddresses []string
	Fault          Fault               // faults to inject
	Seed           uint64              // for the chances of faults; 0 for a random one
	Log            *slog.Logger        // nil: slog.Default()
	Now            func() time.Time    // nil: time.Now
	Commands       map[string][]string // by extension name: a command that replaces it
	Named          map[string]string   // transformations to create if missing, like "w-400,h-300", by name
	// of the account, for events without a webhookUrl; empty for none
	Webhook  string
	Lenient  bool // serve files without transformations that are unknown here
	Emulator bool // for development: pages of all sites may show public files

	AllowReset bool                   // allow POST /_mediadesk/reset, which empties the library
	Seeds      map[string]store.State // what a reset loads, by name; the one without a name by default
	Version    string                 // of the program, for GET /_mediadesk/health
	Observe    func(Request)          // called after every answer, from several goroutines; may be nil

	idleTimeout time.Duration                     // 0 for idleTimeout; shorter in tests
	retryDelay  func(int) time.Duration           // nil for run.RetryDelay; shorter in tests
	jobStep     int                               // 0 for jobStep; smaller in tests
	objects     int                               // 0 for maxObjects; smaller in tests
	observe     func(store.Records) store.Records // may be nil; tests act between two requests to the records
}

// Library is a running service. It is safe for concurrent use.
type Library struct {
	o         Options
	log       *slog.Logger
	keySum    [sha256.Size]byte
	identity  string // random; identifies this process
	lock      *flock.Flock
	records   *run.Records
	contents  store.Contents
	address   atomic.Pointer[string]
	public    atomic.Bool     // it listens beyond this computer
	hosts     map[string]bool // names that requests may use, in lower case
	suspect   atomic.Bool     // the records may be damaged or older than the contents
	snapshots sync.Mutex      // held while one is made
	guard     *guard
	chance    chance
	limits    limits
	rules     locked[FaultRule]
	ignored   sync.Map // kinds of transformations that were logged as left out
	sent      locked[SentPost]
	seeded    map[string]bool // hashes of the contents of seeds
	work      *run.Work
	tools     *extension.Tools
	origin    *http.CrossOriginProtection
	pictures  *media.Cache[string, picture]
	requests  locked[Request]
	traffic   traffic
	keyless   chan struct{}         // has one for each upload without the key
	describe  func() map[string]any // the API; a function to avoid an initialization cycle

	headerTimeout time.Duration // for the headers of a URL source, per hop
	tagTimeout    time.Duration // for tagging within the request
	close         func() error
}

// ErrInUse reports that another process owns the folder.
var ErrInUse = errors.New("another mediadesk is using the folder")

// CheckNamed checks named transformations, as in Options.
func CheckNamed(texts map[string]string) error {
	for name, text := range texts {
		if err := delivery.CheckNamed(name, text); err != nil {
			return err
		}
	}
	return nil
}

// Open opens the library in o.Dir and starts its workers, which run until Close or the end of ctx.
// It continues the unfinished work of earlier processes. The error is ErrInUse if another process
// owns the folder. If the records are damaged, lost or newer, it has a hint.
func Open(ctx context.Context, o Options) (*Library, error) {
	if o.Key == nil || o.Key.Reveal() == "" {
		return nil, errors.New("the local library needs a key")
	}
	if o.Dir == "" && !o.many() {
		return nil, errors.New("the local library needs a folder")
	}
	o.MaxSize, o.idleTimeout = cmp.Or(o.MaxSize, defaultMaxSize), cmp.Or(o.idleTimeout, idleTimeout)
	o.jobStep, o.objects = cmp.Or(o.jobStep, jobStep), cmp.Or(o.objects, maxObjects)
	o.Log, o.Seed = cmp.Or(o.Log, slog.Default()), cmp.Or(o.Seed, mathrand.Uint64())
	if o.Now == nil {
		o.Now = time.Now
	}
	guard, err := newGuard(o.AllowAddresses)
	if err != nil {
		return nil, err
	}
	if o.Webhook != "" {
		if err := checkWebhook(o.Webhook); err != nil {
			return nil, err
		}
	}
	if err := CheckNamed(o.Named); err != nil {
		return nil, err
	}
	var lock *flock.Flock
	if !o.many() {
		if err := os.MkdirAll(o.Dir, 0o700); err != nil {
			return nil, fmt.Errorf("make the folder of the local library: %w", err)
		}
		atomicfile.Restrict(o.Dir)
		if lock, err = lockFolder(o.Dir); err != nil {
			return nil, err
		}
	}
	l := &Library{
		o: o, log: o.Log, keySum: sha256.Sum256([]byte(o.Key.Reveal())), identity: store.NewID(), lock: lock,
		hosts: map[string]bool{}, seeded: map[string]bool{}, traffic: traffic{bytes: map[string]int64{}},
		limits: limits{empty: map[string]time.Time{}}, guard: guard, chance: chance{source: mathrand.New(mathrand.NewPCG(o.Seed, o.Seed))},
		origin: http.NewCrossOriginProtection(), keyless: make(chan struct{}, maxKeyless),
		tools: extension.New(o.Commands), pictures: media.NewCache[string, picture](cacheSize),
		headerTimeout: 8 * time.Second, tagTimeout: 1500 * time.Millisecond,
	}
	l.describe, l.close = describeAPI, sync.OnceValue(l.release)
	for _, seed := range o.Seeds { // whose contents a sweep must not remove between two resets
		for _, version := range seed["versions"] {
			l.seeded[version["hash"].(string)] = true
		}
	}
	l.setAddress(o.Address)
	l.allowHosts(o.Hosts...)
	if u, err := url.Parse(o.Address); err == nil {
		l.allowHosts(u.Hostname())
	}
	guard.loopback = func() bool { return !l.public.Load() }
	if err := l.open(ctx); err != nil {
		return nil, errors.Join(err, l.release())
	}
	return l, nil
}

func lockFolder(dir string) (*flock.Flock, error) {
	lock := flock.New(filepath.Join(dir, "lock"))
	held, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the folder %s: %w", dir, err)
	}
	if !held {
		err := fmt.Errorf("%w %s", ErrInUse, dir)
		if address, _, ok := Find(dir); ok {
			err = fmt.Errorf("%w (it serves at %s)", err, address)
		}
		return nil, api.WithHint(err, "Use the running one, end it, or choose another folder.")
	}
	return lock, nil
}

func (l *Library) open(ctx context.Context) error {
	var err error
	if l.o.Database == "" {
		if err = missingRecords(l.o.Dir); err != nil {
			return l.o.recordsError(err)
		}
	}
	if l.contents, err = openContents(ctx, l.o.Dir, l.o.Storage); err != nil {
		return err
	}
	records, err := openRecords(ctx, l.o, store.OpenRecords)
	if err != nil {
		return l.o.recordsError(err)
	}
	if l.o.observe != nil {
		records = l.o.observe(records)
	}
	l.records = &run.Records{Records: records, Written: make(chan struct{}, 1)}
	owned, err := checkOwner(ctx, l.o, l.records, l.contents)
	if err != nil {
		return err
	}
	if err := checkLost(ctx, l.o.Dir, l.records, l.contents); err != nil {
		return l.o.recordsError(err)
	}
	if !owned {
		if err := l.claimContents(ctx); err != nil {
			return err
		}
	}
	l.work = run.New(ctx, run.Options{
		Records: l.records, Instance: l.identity, Sole: !l.o.many(), Shared: l.o.Database != "",
		Log: l.log, Now: l.now, Run: l.execute, Quick: l.isQuick, Post: l.post, Delay: l.o.retryDelay,
		Skip: func(run *store.Run) bool { return l.injected("extensions=pending", run.ID) },
		Step: func(ctx context.Context, job string) (bool, error) { return l.stepOfJob(ctx, job, nil) },
	})
	if l.o.Webhook != "" {
		l.records.Wrap, l.records.Committed = l.withEvents, l.work.PostsAdded
	}
	if err := l.work.Start(); err != nil {
		return l.o.recordsError(err)
	}
	l.work.Report("the named transformations of the settings could not be created",
		l.seedTransformations(ctx))
	l.work.Go(l.sweeping)
	if l.o.Database == "" {
		l.work.Go(l.keepSnapshots)
	}
	return nil
}

// many reports whether several processes can serve the library: none of it is in a local folder.
func (o *Options) many() bool { return o.Database != "" && o.Storage != "" }

func openContents(ctx context.Context, dir, storage string) (store.Contents, error) {
	if storage != "" {
		return store.OpenStorage(ctx, storage)
	}
	contents, err := store.OpenContents(contentsPath(dir), false)
	if err != nil {
		return nil, fmt.Errorf("open the contents: %w", err)
	}
	return contents, nil
}

// openRecords opens the database of o, else the one in its folder by open.
func openRecords(ctx context.Context, o Options,
	open func(context.Context, string) (store.Records, error),
) (store.Records, error) {
	if o.Database != "" {
		return store.OpenPostgres(ctx, o.Database)
	}
	return open(ctx, recordsPath(o.Dir))
}

// Close stops the workers, waits for them and releases the folder. Unfinished runs continue at the
// next start. All requests must have ended.
func (l *Library) Close() error { return l.close() }

func (l *Library) release() error {
	var err error
	if l.work != nil {
		if l.o.Database == "" {
			l.work.Report("the last snapshot of the records could not be made", l.lastSnapshot())
		}
		l.work.Close()
		l.guard.client.CloseIdleConnections()
	}
	if l.records != nil {
		err = l.records.Close()
	}
	if l.lock != nil {
		err = errors.Join(err, l.lock.Unlock())
	}
	return err
}

func (l *Library) setAddress(address string) {
	address = strings.TrimRight(address, "/")
	l.address.Store(&address)
}

// Address returns the public base address, or else that of Serve; empty before that.
func (l *Library) Address() string { return *l.address.Load() }

func (l *Library) now() time.Time { return l.o.Now().UTC().Truncate(time.Millisecond) }

// FolderKey returns the key of the library in dir and the path of its file. The first call creates
// both folder and key, readable by the owner alone (0600).
func FolderKey(dir string) (secret, path string, err error) {
	path = filepath.Join(dir, "key")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", path, fmt.Errorf("make the folder of the local library: %w", err)
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		var b [32]byte
		rand.Read(b[:])
		key := "private_" + base64.RawURLEncoding.EncodeToString(b[:])
		err = atomicfile.Create(path, []byte(key+"\n"), 0o600)
		if err != nil && !errors.Is(err, fs.ErrExist) { // another process was first
			return "", path, fmt.Errorf("write the key of the local library: %w", err)
		}
		text, err = os.ReadFile(path)
	}
	if secret = strings.TrimSpace(string(text)); err == nil && secret == "" {
		err = fmt.Errorf("the key file %s is empty; remove it to get a new key", path)
	}
	return secret, path, err
}

// ErrNotOwner reports that a content store is not that of the library.
var ErrNotOwner = errors.New("does not belong to this library")

func (o *Options) notOwner() error {
	return api.WithHint(fmt.Errorf("the storage %s %w", o.ShownStorage(), ErrNotOwner),
		"All instances of a library need the same --storage, and another library needs another one. To move the contents, "+
			"copy them with --copy-to, end all instances, and start them with the new storage. "+
			"If you restored old records of this very library, delete the object \"library\" in the storage.")
}

// ShownStorage returns the location of the contents without secrets.
func (o *Options) ShownStorage() string {
	if o.Storage == "" {
		return contentsPath(o.Dir)
	}
	return store.MaskURL(o.Storage)
}

// checkOwner reports whether the contents of o have an owner, and returns ErrNotOwner if that is
// another library. Records and contents in one folder need none.
func checkOwner(ctx context.Context, o Options, records store.Records,
	contents store.Contents,
) (owned bool, err error) {
	if o.Database == "" && o.Storage == "" {
		return true, nil
	}
	owner, err := contents.Owner("")
	if err != nil || owner == "" {
		return false, err
	}
	library, err := store.View(ctx, records,
		func(tx store.Tx) (string, error) { return tx.Library.Identity("") })
	if err == nil && owner != library {
		err = o.notOwner()
	}
	return true, err
}

// claimContents records this library as the owner of contents without one. It returns ErrNotOwner if
// shared records already name contents, which are elsewhere then.
func (l *Library) claimContents(ctx context.Context) error {
	library, err := store.Update(ctx, l.records, func(tx store.Tx) (string, error) {
		if empty, err := tx.Library.Empty(); err != nil || l.o.Database != "" && !empty {
			return "", cmp.Or(err, l.o.notOwner())
		}
		return tx.Library.Identity(store.NewID())
	})
	if err != nil {
		return err
	}
	owner, err := l.contents.Owner(library)
	if err == nil && owner != library {
		err = l.o.notOwner()
	}
	return err
}
