package store

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"mediadesk/api/atomicfile"
)

// Contents keeps bytes under their hash. An implementation promises:
//
//   - A Draft is invisible until Commit, which makes all of it visible under its hash.
//   - When Commit has returned nil, the content survives a kill or power cut. Committing the same
//     content again keeps one copy and renews its time.
//   - Content never changes: an open content can be read to its end.
//   - Retire does nothing to a content that was written again after List described it, that has a
//     Draft not yet discarded (its record is about to be written), or for which unwanted returns
//     false. Nothing is committed under its hash while unwanted runs.
type Contents interface {
	Draft() (*Draft, error)
	Open(hash string) (Content, error) // ErrNotFound if missing or set aside
	// Prefixes returns the first two digits of all contents, including those set aside. It may repeat
	// some, or return some of none.
	Prefixes() ([]string, error)
	// List describes the contents whose hash begins with prefix (two digits or more), including
	// those set aside.
	List(prefix string) ([]Stored, error)
	// Retire sets a content aside, which hides it from Open, or removes it from the place in s.
	Retire(s Stored, remove bool, unwanted func() (bool, error)) error
	// Restore undoes that it was set aside.
	Restore(hash string) error
	// Owner returns the identity of the library that the contents belong to: another one would set
	// aside what its records do not name. If there is none yet, it becomes fresh, which may be empty.
	Owner(fresh string) (string, error)
	// Answers returns an error if contents cannot be stored and read now.
	Answers(ctx context.Context) error
}

const ownerKey = "library"

// Stored describes a stored content.
type Stored struct {
	Hash  string
	At    time.Time // time of writing or setting aside
	Aside bool
}

// Content is an open content.
type Content interface {
	io.ReadSeekCloser
	io.ReaderAt
}

// folder implements Contents in a folder: <dir>/ab/abcdef…, <dir>/incoming/ for drafts, and
// <dir>/../set-aside/. All are in one file system, so renaming works.
type folder struct {
	dir    string
	shared bool         // other processes use it, too
	moving sync.RWMutex // held for writing during removals
	made   sync.Map     // folders whose names are durable

	holds
}

// leftoverTTL is the age from which drafts in a shared folder are removed.
const leftoverTTL = 30 * 24 * time.Hour

// OpenContents opens or creates the folder dir and removes drafts of earlier processes. In a shared
// folder, other processes may be writing the younger drafts.
func OpenContents(dir string, shared bool) (Contents, error) {
	b := &folder{dir: dir, shared: shared, holds: holds{n: map[string]int{}}}
	if err := os.MkdirAll(b.incoming(), 0o700); err != nil {
		return nil, err
	}
	left, err := os.ReadDir(b.incoming())
	if err != nil {
		return nil, err
	}
	for _, entry := range left {
		if info, err := entry.Info(); err == nil && shared && time.Since(info.ModTime()) < leftoverTTL {
			continue
		}
		err := os.Remove(filepath.Join(b.incoming(), entry.Name()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // another process committed it meanwhile
			return nil, err
		}
	}
	return b, nil
}

func (b *folder) makeDir(dir string) error {
	if _, ok := b.made.Load(dir); ok {
		return nil
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	err := atomicfile.SyncDir(b.dir)
	if err == nil {
		b.made.Store(dir, true)
	}
	return err
}

func (b *folder) incoming() string { return filepath.Join(b.dir, "incoming") }

func (b *folder) aside() string { return filepath.Join(filepath.Dir(b.dir), "set-aside") }

func (b *folder) path(hash string) string { return filepath.Join(b.dir, hash[:2], hash) }

func isHash(text string) bool {
	return len(text) == 2*sha256.Size && strings.Trim(text, "0123456789abcdef") == ""
}

func (b *folder) Open(hash string) (Content, error) {
	if !isHash(hash) {
		return nil, ErrNotFound
	}
	f, err := os.Open(b.path(hash))
	if err != nil {
		return nil, Replaced(err, fs.ErrNotExist, ErrNotFound)
	}
	return f, nil
}

func (b *folder) Draft() (*Draft, error) { return newDraft(b.incoming(), &b.holds, b.publish) }

func (b *folder) Prefixes() (list []string, err error) {
	names, err := namesIn(b.dir, b.aside())
	for _, name := range names {
		if len(name) == 2 || isHash(name) {
			list = append(list, name[:2])
		}
	}
	return list, err
}

// namesIn returns the names in folders, which may be missing.
func namesIn(folders ...string) (names []string, err error) {
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

func (b *folder) List(prefix string) (list []Stored, err error) {
	for _, dir := range []string{filepath.Join(b.dir, prefix[:2]), b.aside()} {
		names := []string{prefix}
		if !isHash(prefix) {
			if names, err = namesIn(dir); err != nil {
				return nil, err
			}
		}
		for _, name := range names {
			if !isHash(name) || !strings.HasPrefix(name, prefix) {
				continue
			}
			switch info, err := os.Stat(filepath.Join(dir, name)); {
			case err == nil:
				list = append(list, Stored{name, info.ModTime(), dir == b.aside()})
			case !errors.Is(err, fs.ErrNotExist):
				return nil, err
			}
		}
	}
	return list, nil
}

func (b *folder) Restore(hash string) error {
	if err := b.makeDir(filepath.Dir(b.path(hash))); err != nil {
		return err
	}
	return atomicfile.Rename(filepath.Join(b.aside(), hash), b.path(hash))
}

func (b *folder) Retire(s Stored, remove bool, unwanted func() (bool, error)) error {
	b.moving.Lock()
	defer b.moving.Unlock()
	path := b.path(s.Hash)
	if s.Aside {
		path = filepath.Join(b.aside(), s.Hash)
	}
	if agreed, err := b.agreed(b, s, unwanted); err != nil || !agreed {
		return err
	}
	if remove {
		return os.Remove(path)
	}
	if err := os.MkdirAll(b.aside(), 0o700); err != nil {
		return err
	}
	now := time.Now() // start of the waiting time
	if err := os.Chtimes(path, now, now); err != nil {
		return err
	}
	return atomicfile.Rename(path, filepath.Join(b.aside(), s.Hash))
}

func (b *folder) Owner(fresh string) (string, error) {
	path := filepath.Join(b.dir, ownerKey)
	if fresh != "" {
		if err := atomicfile.Create(path, []byte(fresh), 0o600); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	owner, err := os.ReadFile(path)
	return string(owner), Replaced(err, fs.ErrNotExist, nil)
}

// healthSize is large enough for a draft to reach the disk.
const healthSize = 2 * draftBuffer

func (b *folder) Answers(context.Context) error {
	draft, err := b.Draft()
	if err != nil {
		return err
	}
	defer draft.Discard()
	_, err = draft.Write(make([]byte, healthSize))
	return err
}

// holds counts committed drafts that are not discarded, by hash.
type holds struct {
	mu sync.Mutex
	n  map[string]int
}

// hold adds n committed drafts, or removes them if n is negative.
func (h *holds) hold(hash string, n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.n[hash] += n; h.n[hash] == 0 {
		delete(h.n, hash)
	}
}

// agreed reports whether a content may be retired: it is as described and not held, and is unwanted.
func (h *holds) agreed(c Contents, s Stored, unwanted func() (bool, error)) (bool, error) {
	list, err := c.List(s.Hash)
	same := func(now Stored) bool { return now.Aside == s.Aside && now.At.Equal(s.At) }
	h.mu.Lock()
	held := h.n[s.Hash] > 0
	h.mu.Unlock()
	if err != nil || held || !slices.ContainsFunc(list, same) {
		return false, err
	}
	return unwanted()
}

// Draft is a content being written. Discard ends it, after Commit once its record is written.
type Draft struct {
	file   *os.File
	buffer *bufio.Writer // of file and hash
	hash   hash.Hash
	size   int64 // including the buffer
	holds  *holds
	// publish gives the bytes in the file their hash.
	publish func(d *Draft, hash string) error

	held string // hash of the commit, until Discard
	done bool
}

const draftBuffer = 256 << 10

func newDraft(dir string, h *holds, publish func(d *Draft, hash string) error) (*Draft, error) {
	file, err := os.CreateTemp(dir, "draft-*")
	if err != nil {
		return nil, err
	}
	d := &Draft{file: file, hash: sha256.New(), holds: h, publish: publish}
	d.buffer = bufio.NewWriterSize(io.MultiWriter(file, d.hash), draftBuffer)
	return d, nil
}

func (d *Draft) Write(p []byte) (int, error) {
	n, err := d.buffer.Write(p)
	d.size += int64(n)
	return n, err
}

// ReadAt reads what was written so far.
func (d *Draft) ReadAt(p []byte, at int64) (int, error) {
	if err := d.buffer.Flush(); err != nil {
		return 0, err
	}
	return d.file.ReadAt(p, at)
}

func (d *Draft) Size() int64 { return d.size }

func (d *Draft) Discard() {
	if d.done {
		return
	}
	if d.done = true; d.held != "" {
		d.holds.hold(d.held, -1)
	}
	d.file.Close()
	os.Remove(d.file.Name()) // a committed draft no longer has this name or need not have it
}

func (d *Draft) Commit() (hash string, err error) {
	if err := d.buffer.Flush(); err != nil {
		return "", fmt.Errorf("write the content: %w", err)
	}
	hash = hex.EncodeToString(d.hash.Sum(nil))
	if d.held == "" {
		d.holds.hold(hash, 1)
		d.held = hash
	}
	if err := d.publish(d, hash); err != nil {
		return "", fmt.Errorf("store the content: %w", err)
	}
	return hash, nil
}

// publish names the content in its folder, and makes both survive a power cut. A new name comes
// before the sync, since a file system with a journal then writes both at once: contents of 20 kB
// take half the time (ext4). An existing file may be that of a record's content, so only synced
// bytes replace it: that renews its time and repairs a file truncated by a crash.
func (b *folder) publish(d *Draft, hash string) error {
	path := b.path(hash)
	if err := b.makeDir(filepath.Dir(path)); err != nil {
		return err
	}
	b.moving.RLock()
	linked := os.Link(d.file.Name(), path) == nil
	b.moving.RUnlock()
	err := d.file.Sync()
	switch {
	case err != nil && linked:
		b.unlink(d, path)
	case err == nil && !linked:
		err = b.replace(d, path)
	}
	if err != nil {
		return err
	}
	return atomicfile.SyncDir(filepath.Dir(path))
}

// unlink takes the name back, unless it is that of another draft by now.
func (b *folder) unlink(d *Draft, path string) {
	b.moving.Lock()
	defer b.moving.Unlock()
	failure, err := d.file.Stat()
	if there, thereErr := os.Stat(path); err == nil && thereErr == nil && os.SameFile(failure, there) {
		os.Remove(path)
	}
}

// replace renames the draft over a file of the same name, or where there are no links.
func (b *folder) replace(d *Draft, path string) error {
	b.moving.RLock()
	defer b.moving.RUnlock()
	name := d.file.Name()
	if b.shared { // another process may remove the content, so the draft needs a name to commit again
		name += "-" + NewID()
		if err := os.Link(d.file.Name(), name); err != nil {
			return err
		}
		defer os.Remove(name) // remains if path is the same file
	} else if err := d.file.Close(); err != nil { // Windows cannot rename open files
		return err
	}
	return os.Rename(name, path)
}
