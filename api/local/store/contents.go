package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mediadesk/api/atomicfile"
)

// Contents keeps bytes under their hash. An implementation promises:
//
//   - a Draft is invisible until Commit, which makes all of it visible at once
//     under its hash;
//   - when Commit has returned nil the content outlives a kill and a power
//     cut; the same content committed twice is kept once and counts as written
//     by the later one;
//   - content never changes: an open content can be read to its end;
//   - SetAside and Remove do nothing to a content that was written again since
//     List described it, to one whose Draft is not discarded yet (its record is
//     about to be written), and to one of which unwanted says false. Nothing is
//     committed under its hash while unwanted is called.
type Contents interface {
	Draft() (Draft, error)
	Open(hash string) (Content, error) // ErrNotFound if it is missing or set aside
	// List describes the contents whose hash begins with prefix (two digits
	// or more), with those that were set aside.
	List(prefix string) ([]Stored, error)
	// SetAside moves a content to where Open does not find it.
	SetAside(s Stored, unwanted func() (bool, error)) error
	// BringBack undoes SetAside.
	BringBack(hash string) error
	// Remove removes a content for good, from where s says that it is.
	Remove(s Stored, unwanted func() (bool, error)) error
	// Mark returns one of the marks that the contents have. If there is none yet, it
	// becomes fresh; if that is empty, too, so is the mark.
	Mark(name, fresh string) (string, error)
	// Tidy removes what interrupted drafts left long ago.
	Tidy() error
	// Answers returns an error unless contents can be kept and read now.
	Answers(ctx context.Context) error
	Close() error
}

// Pictures keeps pictures that were made of contents, under names that begin with the
// hash. A store that several instances share has it; they go with the content.
type Pictures interface {
	Picture(name string) ([]byte, error) // ErrNotFound if there is none
	KeepPicture(name string, data []byte) error
}

// Direct is what a store has that clients can read from without the service.
type Direct interface {
	// Address returns an address that answers GET requests with a content of size bytes for
	// span, with these values of the headers Content-Type and Cache-Control. ErrNotFound if
	// the content is missing; a small one is not looked for.
	Address(hash string, size int64, span time.Duration, mime, cache string) (string, error)
}

// The marks of contents.
const (
	LibraryMark = "library" // identity of the library that they belong to: another one would set aside what its records do not name
	StoreMark   = "store"   // identity of the store, by which the records know it again
)

// Stored describes a content that is kept.
type Stored struct {
	Hash  string
	At    time.Time // when it was written, or set aside
	Aside bool
}

// Content is a stored content, open for reading.
type Content interface {
	io.ReadSeekCloser
	io.ReaderAt
}

// Draft is a content that is being written. Discard ends it, also after Commit:
// then it says that the record of the content is written, or never will be.
type Draft interface {
	io.Writer
	io.ReaderAt // reads what was written so far; then no more may be written to a large one
	Size() int64
	Commit() (hash string, err error)
	Discard()
}

// blobs is Contents in a folder: <dir>/ab/abcdef…, <dir>/incoming/ for drafts
// and <dir>/../set-aside/, in the same file system so that a rename is enough.
type blobs struct {
	dir     string
	unnamed bool         // drafts need no name here
	moving  sync.RWMutex // held for writing while one is removed or set aside

	holds

	making  sync.Mutex
	settled [256]atomic.Bool // folders whose own names are on the disk, by the first byte of the hashes in them
}

// OpenContents uses the folder dir, makes it if it is missing, and removes the drafts
// of an earlier process.
func OpenContents(dir string) (Contents, error) {
	b := &blobs{dir: dir, holds: holds{n: map[string]int{}}}
	if err := os.MkdirAll(b.incoming(), 0o700); err != nil {
		return nil, err
	}
	left, err := os.ReadDir(b.incoming())
	if err != nil {
		return nil, err
	}
	for _, entry := range left {
		if err := os.Remove(filepath.Join(b.incoming(), entry.Name())); err != nil {
			return nil, err
		}
	}
	b.unnamed = canDraftUnnamed(b.incoming())
	folders, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	if err := atomicfile.SyncDir(dir); err != nil {
		return nil, err
	}
	for _, folder := range folders {
		if first, err := hex.DecodeString(folder.Name()); err == nil && len(first) == 1 {
			b.settled[first[0]].Store(true)
		}
	}
	return b, nil
}

// settle makes the folder for hashes that begin with first. Its own name is on the
// disk when it returns.
func (b *blobs) settle(first byte) error {
	if b.settled[first].Load() {
		return nil
	}
	b.making.Lock()
	defer b.making.Unlock()
	if err := os.Mkdir(filepath.Join(b.dir, hex.EncodeToString([]byte{first})), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := atomicfile.SyncDir(b.dir); err != nil {
		return err
	}
	b.settled[first].Store(true)
	return nil
}

func (b *blobs) incoming() string { return filepath.Join(b.dir, "incoming") }

func (b *blobs) aside() string { return filepath.Join(filepath.Dir(b.dir), "set-aside") }

func (b *blobs) path(hash string) string { return filepath.Join(b.dir, hash[:2], hash) }

func isHash(text string) bool {
	return len(text) == 2*sha256.Size && strings.Trim(text, "0123456789abcdef") == ""
}

func (b *blobs) Open(hash string) (Content, error) {
	if !isHash(hash) {
		return nil, ErrNotFound
	}
	f, err := os.Open(b.path(hash))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (b *blobs) Draft() (Draft, error) {
	return &draft{blobs: b, hash: sha256.New()}, nil
}

func (b *blobs) List(prefix string) ([]Stored, error) {
	folders := []struct {
		dir   string
		aside bool
	}{{filepath.Join(b.dir, prefix[:2]), false}, {b.aside(), true}}
	var list []Stored
	for _, f := range folders {
		var names []string
		if isHash(prefix) {
			names = []string{prefix}
		} else {
			entries, err := os.ReadDir(f.dir)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			for _, entry := range entries {
				names = append(names, entry.Name())
			}
		}
		for _, name := range names {
			if !isHash(name) || !strings.HasPrefix(name, prefix) {
				continue
			}
			info, err := os.Stat(filepath.Join(f.dir, name))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			list = append(list, Stored{name, info.ModTime(), f.aside})
		}
	}
	return list, nil
}

func (b *blobs) SetAside(s Stored, unwanted func() (bool, error)) error {
	return b.retire(s, unwanted, func(path string) error {
		if err := os.MkdirAll(b.aside(), 0o700); err != nil {
			return err
		}
		now := time.Now() // from which it is kept for a while
		if err := os.Chtimes(path, now, now); err != nil {
			return err
		}
		return atomicfile.Rename(path, filepath.Join(b.aside(), s.Hash))
	})
}

func (b *blobs) BringBack(hash string) error {
	first, err := hex.DecodeString(hash[:2])
	if err == nil {
		err = b.settle(first[0])
	}
	if err != nil {
		return err
	}
	return atomicfile.Rename(filepath.Join(b.aside(), hash), b.path(hash))
}

func (b *blobs) Remove(s Stored, unwanted func() (bool, error)) error {
	return b.retire(s, unwanted, os.Remove)
}

// retire removes a content from its place unless a draft or a record has begun to use
// it since it was listed.
func (b *blobs) retire(s Stored, unwanted func() (bool, error), remove func(path string) error) error {
	b.moving.Lock()
	defer b.moving.Unlock()
	path := b.path(s.Hash)
	if s.Aside {
		path = filepath.Join(b.aside(), s.Hash)
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.ModTime().Equal(s.At) {
		return nil
	}
	if err != nil {
		return err
	}
	if b.isHeld(s.Hash) {
		return nil
	}
	if agreed, err := unwanted(); err != nil || !agreed {
		return err
	}
	return remove(path)
}

func (b *blobs) Mark(name, fresh string) (string, error) {
	path := filepath.Join(b.dir, name)
	if fresh != "" {
		if err := atomicfile.Create(path, []byte(fresh), 0o600); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	mark, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return string(mark), err
}

// Tidy does nothing: opening removes the drafts of an earlier process.
func (b *blobs) Tidy() error { return nil }

// healthSize is so many bytes that a draft of them leaves the memory.
const healthSize = 64 << 10

func (b *blobs) Answers(context.Context) error {
	draft, err := b.Draft()
	if err != nil {
		return err
	}
	defer draft.Discard()
	_, err = draft.Write(make([]byte, healthSize))
	return err
}

// Close does nothing: a folder needs no closing.
func (b *blobs) Close() error { return nil }

// holds counts the committed drafts of this process that are not discarded, by hash.
type holds struct {
	mu sync.Mutex
	n  map[string]int
}

// hold counts a committed draft; with -1 it was discarded.
func (h *holds) hold(hash string, n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.n[hash] += n; h.n[hash] == 0 {
		delete(h.n, hash)
	}
}

func (h *holds) isHeld(hash string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.n[hash] > 0
}
