package store

import (
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
	"runtime"
	"strings"
	"sync"
	"time"
)

// Contents keeps bytes under their hash. An implementation promises:
//
//   - what a Draft holds is seen by nobody else until Commit, which makes all
//     of it visible at once under its hash;
//   - when Commit has returned nil the content outlives a kill and a power
//     cut; the same content committed twice is kept once;
//   - content never changes: whoever has it open reads it to its end;
//   - Sweep removes only what nobody wants and what is older than an hour, so
//     that a content whose record is about to be written stays; it may run
//     while others commit and read.
type Contents interface {
	Draft() (Draft, error)
	Open(hash string) (Content, error) // ErrNotFound where there is none
	// Sweep asks wanted for the hashes that begin with a prefix and are in
	// the records.
	Sweep(ctx context.Context, now time.Time, wanted func(prefix string) (map[string]bool, error)) error
}

// Content is a stored content, open for reading.
type Content interface {
	io.ReadSeekCloser
	io.ReaderAt
}

// Draft is a content that is being written. It ends with Commit or Discard;
// Discard after Commit does nothing.
type Draft interface {
	io.Writer
	io.ReaderAt // reads what was written so far
	Size() int64
	Commit() (hash string, err error)
	Discard()
}

// orphanAge is how old a content must be before it counts as left behind.
const orphanAge = time.Hour

// blobs is Contents in a folder: <dir>/ab/abcdef…, and <dir>/incoming/ for
// drafts, which lies in the same file system so that a rename is enough.
type blobs struct {
	dir     string
	unnamed bool         // drafts need no name here
	placing sync.RWMutex // held for writing while one is removed
}

// OpenContents uses the folder dir, makes it where there is none, and removes
// the drafts that an earlier process left.
func OpenContents(dir string) (Contents, error) {
	b := &blobs{dir: dir}
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
	return b, syncDir(dir)
}

func (b *blobs) incoming() string { return filepath.Join(b.dir, "incoming") }

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
	d := &draft{blobs: b, hash: sha256.New()}
	var err error
	if b.unnamed {
		d.file, err = draftUnnamed(b.incoming())
	} else {
		d.file, err = os.CreateTemp(b.incoming(), "draft-*")
	}
	if err != nil {
		return nil, fmt.Errorf("make a file for what comes in: %w", err)
	}
	if !b.unnamed {
		d.name = d.file.Name()
	}
	return d, nil
}

func (b *blobs) Sweep(ctx context.Context, now time.Time, wanted func(prefix string) (map[string]bool, error)) error {
	folders, err := os.ReadDir(b.dir)
	if err != nil {
		return err
	}
	for _, folder := range folders {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !folder.IsDir() || len(folder.Name()) != 2 {
			continue
		}
		entries, err := os.ReadDir(filepath.Join(b.dir, folder.Name()))
		if err != nil {
			return err
		}
		keep, err := wanted(folder.Name())
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if !isHash(entry.Name()) || keep[entry.Name()] {
				continue
			}
			if err := b.removeOrphan(entry.Name(), now, wanted); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeOrphan removes a content that looks left behind, if it still does
// while nobody can put the same in its place.
func (b *blobs) removeOrphan(hash string, now time.Time, wanted func(prefix string) (map[string]bool, error)) error {
	b.placing.Lock()
	defer b.placing.Unlock()
	info, err := os.Stat(b.path(hash))
	if err != nil || now.Sub(info.ModTime()) < orphanAge {
		return nil // gone, or too young to judge
	}
	keep, err := wanted(hash)
	if err != nil || keep[hash] {
		return err
	}
	return os.Remove(b.path(hash))
}

type draft struct {
	blobs   *blobs
	file    *os.File
	name    string // empty: it has none
	hash    hash.Hash
	buffer  []byte // came in and is not in the file yet
	size    int64  // with what is in the buffer
	failure error  // of an earlier write
	done    bool
}

// What comes in goes on in blocks: small ones, because many may be coming in
// at once, and large ones for a file that is large itself.
const (
	smallBlock = 32 << 10
	largeBlock = 512 << 10
	largeFrom  = 1 << 20
)

func (d *draft) Write(p []byte) (int, error) {
	for n := 0; ; {
		if d.buffer == nil {
			d.buffer = make([]byte, 0, smallBlock)
		}
		if d.size >= largeFrom && cap(d.buffer) < largeBlock {
			d.buffer = append(make([]byte, 0, largeBlock), d.buffer...)
		}
		taken := copy(d.buffer[len(d.buffer):cap(d.buffer)], p[n:])
		d.buffer = d.buffer[:len(d.buffer)+taken]
		d.size += int64(taken)
		if n += taken; n == len(p) {
			return n, d.failure
		}
		if err := d.flush(); err != nil {
			return n, err
		}
	}
}

// flush writes the buffer to the file.
func (d *draft) flush() error {
	if d.failure != nil || len(d.buffer) == 0 {
		return d.failure
	}
	d.hash.Write(d.buffer) //nolint:errcheck // a hash takes everything
	_, d.failure = d.file.Write(d.buffer)
	if len(d.buffer) == largeBlock {
		startWriting(d.file, d.size-largeBlock, largeBlock)
	}
	d.buffer = d.buffer[:0]
	return d.failure
}

func (d *draft) ReadAt(p []byte, at int64) (int, error) {
	if err := d.flush(); err != nil {
		return 0, err
	}
	return d.file.ReadAt(p, at)
}

func (d *draft) Size() int64 { return d.size }

func (d *draft) Discard() {
	if d.done {
		return
	}
	d.done = true
	d.file.Close() //nolint:errcheck // it is thrown away
	if d.name != "" {
		os.Remove(d.name) //nolint:errcheck // the next start removes it
	}
}

func (d *draft) Commit() (string, error) {
	defer d.Discard()
	if err := d.flush(); err != nil {
		return "", fmt.Errorf("write the content: %w", err)
	}
	hash := hex.EncodeToString(d.hash.Sum(nil))
	if err := d.file.Sync(); err != nil {
		return "", fmt.Errorf("write the content to the disk: %w", err)
	}
	path := d.blobs.path(hash)
	folder := filepath.Dir(path)
	if err := os.Mkdir(folder, 0o700); err == nil {
		// The new folder's own name must be on the disk too.
		if err := syncDir(d.blobs.dir); err != nil {
			return "", err
		}
	} else if !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	if err := d.place(path); err != nil {
		return "", fmt.Errorf("put the content in its place: %w", err)
	}
	// Without this the name can be lost in a power cut although the bytes are not.
	if err := syncDir(folder); err != nil {
		return "", err
	}
	return hash, nil
}

// place gives the content its name.
func (d *draft) place(path string) error {
	d.blobs.placing.RLock()
	defer d.blobs.placing.RUnlock()
	if d.name == "" {
		err := linkUnnamed(d.file, path)
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		d.name = filepath.Join(d.blobs.incoming(), "draft-"+NewID())
		if err := linkUnnamed(d.file, d.name); err != nil {
			return err
		}
	}
	// Windows renames only what is closed.
	if err := d.file.Close(); err != nil {
		return err
	}
	// Renaming over the same content does no harm, gives it a fresh age, and
	// mends a file that a crash of an older kernel left short.
	if err := os.Rename(d.name, path); err != nil {
		return err
	}
	d.done = true
	return nil
}

func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // a folder cannot be synced there
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only synced
	if err := f.Sync(); err != nil {
		return fmt.Errorf("write folder %s to the disk: %w", dir, err)
	}
	return nil
}
