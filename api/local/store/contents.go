package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
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
//     while others commit and read. It removes nothing and fails with
//     ErrTooManyOrphans when more than 1 % of the contents are unwanted: the
//     records may be new, old or damaged.
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

// ErrTooManyOrphans says that more than 1 % of the contents have no record, so
// that nothing was removed.
var ErrTooManyOrphans = errors.New("nothing is removed: the records name too few of the contents")

// orphanAge is how old a content must be before it counts as left behind.
const orphanAge = time.Hour

// blobs is Contents in a folder: <dir>/ab/abcdef…, and <dir>/incoming/ for
// drafts, which lies in the same file system so that a rename is enough.
type blobs struct {
	dir     string
	unnamed bool         // drafts need no name here
	placing sync.RWMutex // held for writing while one is removed

	making  sync.Mutex
	settled [256]atomic.Bool // folders whose own names are on the disk, by the first byte of the hashes in them
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
	folders, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	if err := syncDir(dir); err != nil {
		return nil, err
	}
	for _, folder := range folders {
		if first, err := hex.DecodeString(folder.Name()); err == nil && len(first) == 1 {
			b.settled[first[0]].Store(true)
		}
	}
	return b, nil
}

// settle makes the folder for hashes that begin with first, and comes back
// when its own name is on the disk.
func (b *blobs) settle(first byte) error {
	b.making.Lock()
	defer b.making.Unlock()
	if b.settled[first].Load() {
		return nil
	}
	if err := os.Mkdir(filepath.Join(b.dir, hex.EncodeToString([]byte{first})), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := syncDir(b.dir); err != nil {
		return err
	}
	b.settled[first].Store(true)
	return nil
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
	return &draft{blobs: b, hash: sha256.New()}, nil
}

func (b *blobs) Sweep(ctx context.Context, now time.Time, wanted func(prefix string) (map[string]bool, error)) error {
	folders, err := os.ReadDir(b.dir)
	if err != nil {
		return err
	}
	var orphans []string
	stored := 0
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
			if !isHash(entry.Name()) {
				continue
			}
			stored++
			if !keep[entry.Name()] {
				orphans = append(orphans, entry.Name())
			}
		}
	}
	// Records that name so few of the contents are more likely lost than right.
	if len(orphans)*100 > stored {
		return fmt.Errorf("%w: %d of %d contents have no record", ErrTooManyOrphans, len(orphans), stored)
	}
	for _, hash := range orphans {
		if err := b.removeOrphan(hash, now, wanted); err != nil {
			return err
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
