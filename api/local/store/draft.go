package store

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"

	"mediadesk/api/atomicfile"
)

// draft implements Draft in a temporary file.
type draft struct {
	file   *os.File
	buffer *bufio.Writer // of file and hash
	hash   hash.Hash
	size   int64 // including the buffer
	holds  *holds
	// publish gives the bytes in the file their hash.
	publish func(d *draft, hash string) error

	held string // hash of the commit, until Discard
	done bool
}

// draftBuffer is the size of the write buffer.
const draftBuffer = 256 << 10

func newDraft(dir string, h *holds, publish func(d *draft, hash string) error) (Draft, error) {
	file, err := os.CreateTemp(dir, "draft-*")
	if err != nil {
		return nil, err
	}
	d := &draft{file: file, hash: sha256.New(), holds: h, publish: publish}
	d.buffer = bufio.NewWriterSize(io.MultiWriter(file, d.hash), draftBuffer)
	return d, nil
}

func (d *draft) Write(p []byte) (int, error) {
	n, err := d.buffer.Write(p)
	d.size += int64(n)
	return n, err
}

func (d *draft) ReadAt(p []byte, at int64) (int, error) {
	if err := d.buffer.Flush(); err != nil {
		return 0, err
	}
	return d.file.ReadAt(p, at)
}

func (d *draft) Size() int64 { return d.size }

func (d *draft) Discard() {
	if d.done {
		return
	}
	if d.done = true; d.held != "" {
		d.holds.hold(d.held, -1)
	}
	d.file.Close()
	os.Remove(d.file.Name()) // a committed draft no longer has this name or need not have it
}

func (d *draft) Commit() (string, error) {
	if err := d.buffer.Flush(); err != nil {
		return "", fmt.Errorf("write the content: %w", err)
	}
	hash := hex.EncodeToString(d.hash.Sum(nil))
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
func (b *folder) publish(d *draft, hash string) error {
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
func (b *folder) unlink(d *draft, path string) {
	b.moving.Lock()
	defer b.moving.Unlock()
	own, err := d.file.Stat()
	if there, thereErr := os.Stat(path); err == nil && thereErr == nil && os.SameFile(own, there) {
		os.Remove(path)
	}
}

// replace renames the draft over a file of the same name, or where there are no links.
func (b *folder) replace(d *draft, path string) error {
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
