package store

import (
	"bytes"
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

// draft implements Draft: in memory while small, then in a file.
type draft struct {
	blobs   *blobs
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

// Sizes of the write buffer, which grows for large drafts.
const (
	draftBuffer = 32 << 10
	largeBuffer = 512 << 10
	largeFrom   = 1 << 20
)

// buffers are the first buffers of drafts: most need no more.
var buffers = sync.Pool{New: func() any { return new([draftBuffer]byte) }}

func (d *draft) Write(p []byte) (n int, err error) {
	if d.buffer == nil && !d.done {
		d.buffer = buffers.Get().(*[draftBuffer]byte)[:0]
	}
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
	if d.blobs.unnamed {
		d.file, err = draftUnnamed(d.blobs.incoming())
	} else if d.file, err = os.CreateTemp(d.blobs.incoming(), "draft-*"); err == nil {
		d.name = d.file.Name()
	}
	if err != nil {
		return fmt.Errorf("create a file for the content: %w", err)
	}
	return nil
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
	if d.held != "" {
		d.blobs.hold(d.held, -1)
		d.held = ""
	}
	d.end()
}

// end closes the file and removes it unless committed.
func (d *draft) end() {
	if d.done {
		return
	}
	d.hashing.Wait()
	for _, b := range [][]byte{d.buffer, d.spare} {
		if cap(b) == draftBuffer {
			buffers.Put((*[draftBuffer]byte)(b[:draftBuffer]))
		}
	}
	d.done, d.buffer, d.spare, d.failure = true, nil, nil, os.ErrClosed
	if d.file != nil {
		d.file.Close()
	}
	if d.name != "" {
		os.Remove(d.name)
	}
}

func (d *draft) Commit() (string, error) {
	defer d.end()
	if err := d.flush(); err != nil {
		return "", fmt.Errorf("write the content: %w", err)
	}
	d.hashing.Wait()
	sum := d.hash.Sum(nil)
	hash := hex.EncodeToString(sum)
	d.blobs.hold(hash, 1)
	d.held = hash
	if err := d.publish(d.blobs.path(hash), sum[0]); err != nil {
		return "", err
	}
	return hash, nil
}

// publish names the content in the folder for hashes that begin with first, and makes both survive
// a power cut. A new name comes before the sync, since a file system with a journal then writes both
// at once: contents of 20 kB take 40 % less time (ext4). A taken name may be that of a record's
// content, so only synced bytes replace it.
func (d *draft) publish(path string, first byte) error {
	if err := d.blobs.settle(first); err != nil {
		return fmt.Errorf("name the content file: %w", err)
	}
	named, err := d.link(path)
	if err != nil {
		return fmt.Errorf("name the content file: %w", err)
	}
	if err := d.file.Sync(); err != nil {
		if named {
			d.unlink(path)
		}
		return fmt.Errorf("write the content to the disk: %w", err)
	}
	if !named {
		err = d.replace(path)
	}
	if err == nil {
		err = atomicfile.SyncDir(filepath.Dir(path))
	}
	if err != nil {
		return fmt.Errorf("name the content file: %w", err)
	}
	return nil
}

// link names an unnamed draft, unless the name is taken.
func (d *draft) link(path string) (named bool, err error) {
	if d.name != "" {
		return false, nil
	}
	d.blobs.moving.RLock()
	defer d.blobs.moving.RUnlock()
	err = linkUnnamed(d.file, path)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

// unlink takes the name back, unless it is that of another draft by now.
func (d *draft) unlink(path string) {
	d.blobs.moving.Lock()
	defer d.blobs.moving.Unlock()
	own, err := d.file.Stat()
	if there, thereErr := os.Stat(path); err == nil && thereErr == nil && os.SameFile(own, there) {
		os.Remove(path)
	}
}

// replace renames the draft over the same content, or to a free name: that refreshes its age and
// repairs a file truncated by a crash.
func (d *draft) replace(path string) error {
	d.blobs.moving.RLock()
	defer d.blobs.moving.RUnlock()
	if d.name == "" {
		d.name = filepath.Join(d.blobs.incoming(), "draft-"+NewID())
		if err := linkUnnamed(d.file, d.name); err != nil {
			return err
		}
	}
	// Windows cannot rename open files.
	if err := d.file.Close(); err != nil {
		return err
	}
	return os.Rename(d.name, path)
}
