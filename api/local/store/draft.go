package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"mediadesk/api/atomicfile"
)

// draft implements Draft: in memory while small, then in a file of the folder dir.
type draft struct {
	dir     string
	unnamed bool // its file has no name
	holds   *holds
	// publish gives the bytes in the file their hash, which begins with first.
	publish func(d *draft, hash string, first byte) error

	file    *os.File // nil while everything is in the buffer
	name    string   // of the file; empty if unnamed
	hash    hash.Hash
	hashing sync.WaitGroup // done when hash covers all that is in the file
	buffer  []byte         // not yet in the file
	spare   []byte         // alternates with buffer
	size    int64          // including the buffer
	failure error          // of an earlier write
	done    bool
	held    string // hash of the commit, until Discard
}

func newDraft(dir string, unnamed bool, h *holds, publish func(d *draft, hash string, first byte) error) *draft {
	return &draft{dir: dir, unnamed: unnamed, holds: h, publish: publish, hash: sha256.New()}
}

// Sizes of the write buffer, which grows for large drafts.
const (
	draftBuffer = 32 << 10
	largeBuffer = 512 << 10
	largeFrom   = 1 << 20
)

func (d *draft) Write(p []byte) (n int, err error) {
	for n < len(p) {
		full := draftBuffer
		if d.size >= largeFrom {
			full = largeBuffer
		}
		if len(d.buffer) >= full {
			if err := d.flush(); err != nil {
				return n, err
			}
		}
		some := p[n:min(len(p), n+full-len(d.buffer))]
		d.buffer = append(d.buffer, some...)
		d.size += int64(len(some))
		n += len(some)
	}
	return n, d.failure
}

// flush writes the buffer to the file, which it makes first. A large buffer is hashed
// meanwhile and while the next one comes in: that saves a third of the time of a
// draft of 100 MB (0.29 s, 0.44 s one after the other).
func (d *draft) flush() error {
	if d.failure == nil && d.file == nil {
		d.failure = d.create()
	}
	if d.failure != nil || len(d.buffer) == 0 {
		return d.failure
	}
	d.hashing.Wait()
	block := d.buffer
	if len(block) > draftBuffer {
		d.hashing.Go(func() { d.hash.Write(block) })
	} else {
		d.hash.Write(block)
	}
	_, d.failure = d.file.Write(block)
	d.buffer, d.spare = d.spare[:0], block
	return d.failure
}

func (d *draft) create() (err error) {
	if d.unnamed {
		d.file, err = draftUnnamed(d.dir)
	} else if d.file, err = os.CreateTemp(d.dir, "draft-*"); err == nil {
		d.name = d.file.Name()
	}
	return err
}

func (d *draft) ReadAt(p []byte, at int64) (int, error) {
	if d.file == nil && !d.done {
		return bytes.NewReader(d.buffer).ReadAt(p, at)
	}
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
	if d.held != "" {
		d.holds.hold(d.held, -1)
	}
	d.hashing.Wait()
	d.done, d.buffer, d.spare, d.failure = true, nil, nil, os.ErrClosed
	if d.file != nil {
		d.file.Close()
	}
	if d.name != "" {
		os.Remove(d.name) // a committed draft no longer has it or need not have it
	}
}

func (d *draft) Commit() (string, error) {
	if err := d.flush(); err != nil {
		return "", fmt.Errorf("write the content: %w", err)
	}
	d.hashing.Wait()
	sum := d.hash.Sum(nil)
	hash := hex.EncodeToString(sum)
	if d.held == "" {
		d.holds.hold(hash, 1)
		d.held = hash
	}
	if err := d.publish(d, hash, sum[0]); err != nil {
		return "", fmt.Errorf("store the content: %w", err)
	}
	return hash, nil
}

// publish names the content in the folder for hashes that begin with first, and makes both survive
// a power cut. A new name comes before the sync, since a file system with a journal then writes both
// at once: contents of 20 kB take 40 % less time (ext4). A taken name may be that of a record's
// content, so only synced bytes replace it.
func (b *blobs) publish(d *draft, hash string, first byte) error {
	path := b.path(hash)
	if err := b.settle(first); err != nil {
		return err
	}
	named, err := b.link(d, path)
	if err != nil {
		return err
	}
	if err := d.file.Sync(); err != nil {
		if named {
			b.unlink(d, path)
		}
		return err
	}
	if !named {
		if err := b.replace(d, path); err != nil {
			return err
		}
	}
	return atomicfile.SyncDir(filepath.Dir(path))
}

// link names an unnamed draft, unless the name is taken.
func (b *blobs) link(d *draft, path string) (named bool, err error) {
	if d.name != "" {
		return false, nil
	}
	b.moving.RLock()
	defer b.moving.RUnlock()
	err = linkUnnamed(d.file, path)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

// unlink takes the name back, unless it is that of another draft by now.
func (b *blobs) unlink(d *draft, path string) {
	b.moving.Lock()
	defer b.moving.Unlock()
	own, err := d.file.Stat()
	if there, thereErr := os.Stat(path); err == nil && thereErr == nil && os.SameFile(own, there) {
		os.Remove(path)
	}
}

// replace renames the draft over the same content, or to a free name: that refreshes its age and
// repairs a file truncated by a crash.
func (b *blobs) replace(d *draft, path string) error {
	b.moving.RLock()
	defer b.moving.RUnlock()
	if d.name == "" {
		d.name = filepath.Join(b.incoming(), "draft-"+NewID())
		if err := linkUnnamed(d.file, d.name); err != nil {
			return err
		}
	}
	if b.shared {
		second := d.name + "-" + NewID()
		if err := os.Link(d.name, second); err != nil {
			return err
		}
		defer os.Remove(second) // remains if path is the same file
		return os.Rename(second, path)
	}
	// Windows cannot rename open files.
	if err := d.file.Close(); err != nil {
		return err
	}
	return os.Rename(d.name, path)
}
