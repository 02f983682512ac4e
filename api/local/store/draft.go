package store

import (
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"mediadesk/api/atomicfile"
)

// draft is Draft: in memory while it is small, then in a file.
type draft struct {
	blobs   *blobs
	file    *os.File // nil: all that came in is in the buffer
	name    string   // empty: it has none
	hash    hash.Hash
	hashing sync.WaitGroup    // done when hash has taken all that is in the file
	buffer  []byte            // came in and is not in the file yet
	spare   []byte            // takes turns with the buffer once that is large
	block   *[smallBlock]byte // what the buffer is made of; nil: something else
	size    int64             // with what is in the buffer
	failure error             // of an earlier write
	done    bool
	held    string // the hash under which it was committed, until Discard
}

// What comes in is gathered in blocks: the first is small, because many may be
// coming in at once and stand still, and those of a file that is large itself
// are large. A file that fits into smallBlock is in one piece until Commit.
const (
	firstBlock = 4 << 10
	smallBlock = 32 << 10
	largeBlock = 512 << 10
	largeFrom  = 1 << 20
)

var smallBlocks = sync.Pool{New: func() any { return new([smallBlock]byte) }}

func (d *draft) Write(p []byte) (int, error) {
	for n := 0; ; {
		if len(d.buffer) == cap(d.buffer) && !d.grow() {
			if err := d.flush(); err != nil {
				return n, err
			}
		}
		taken := copy(d.buffer[len(d.buffer):cap(d.buffer)], p[n:])
		d.buffer = d.buffer[:len(d.buffer)+taken]
		d.size += int64(taken)
		if n += taken; n == len(p) {
			return n, d.failure
		}
	}
}

// grow makes the buffer larger, where it is not as large as it should be.
func (d *draft) grow() bool {
	was := d.buffer
	switch {
	case cap(was) == 0:
		d.buffer = make([]byte, 0, firstBlock)
	case cap(was) < smallBlock:
		d.block = smallBlocks.Get().(*[smallBlock]byte)
		d.buffer = append(d.block[:0], was...)
	case cap(was) < largeBlock && d.size >= largeFrom:
		d.buffer = append(make([]byte, 0, largeBlock), was...)
		d.release()
	default:
		return false
	}
	return true
}

// release gives the block back, which the buffer is no longer made of.
func (d *draft) release() {
	if d.block != nil {
		smallBlocks.Put(d.block)
		d.block = nil
	}
}

// flush writes the buffer to the file, which it makes where there is none.
func (d *draft) flush() error {
	if d.failure == nil && d.file == nil {
		d.failure = d.create()
	}
	if d.failure != nil || len(d.buffer) == 0 {
		return d.failure
	}
	d.hashing.Wait()
	if len(d.buffer) == largeBlock {
		return d.flushLarge()
	}
	d.hash.Write(d.buffer)
	_, d.failure = d.file.Write(d.buffer)
	d.buffer = d.buffer[:0]
	return d.failure
}

// flushLarge writes a large block and has it hashed meanwhile, and while the
// next one comes in: with one after the other a large file would take half as
// long again.
func (d *draft) flushLarge() error {
	block := d.buffer
	d.hashing.Go(func() { d.hash.Write(block) })
	_, d.failure = d.file.Write(block)
	startWriting(d.file, d.size-largeBlock, largeBlock)
	if d.spare == nil {
		d.spare = make([]byte, 0, largeBlock)
	}
	d.buffer, d.spare = d.spare, block[:0]
	return d.failure
}

func (d *draft) create() (err error) {
	if d.blobs.unnamed {
		d.file, err = draftUnnamed(d.blobs.incoming())
	} else {
		d.file, err = os.CreateTemp(d.blobs.incoming(), "draft-*")
	}
	if err != nil {
		return fmt.Errorf("make a file for what comes in: %w", err)
	}
	if !d.blobs.unnamed {
		d.name = d.file.Name()
	}
	return nil
}

func (d *draft) ReadAt(p []byte, at int64) (int, error) {
	if d.file != nil {
		if err := d.flush(); err != nil {
			return 0, err
		}
		return d.file.ReadAt(p, at)
	}
	if at < 0 || d.done {
		return 0, os.ErrInvalid
	}
	if at >= d.size {
		return 0, io.EOF
	}
	n := copy(p, d.buffer[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (d *draft) Size() int64 { return d.size }

func (d *draft) Discard() {
	if d.held != "" {
		d.blobs.hold(d.held, -1)
		d.held = ""
	}
	d.end()
}

// end lets go of memory and file.
func (d *draft) end() {
	if d.done {
		return
	}
	d.done = true
	d.hashing.Wait()
	d.buffer, d.spare = nil, nil
	d.release()
	if d.file == nil {
		return
	}
	d.file.Close()
	if d.name != "" {
		os.Remove(d.name)
	}
}

func (d *draft) Commit() (string, error) {
	defer d.end()
	if d.done {
		return "", os.ErrClosed
	}
	if err := d.flush(); err != nil {
		return "", fmt.Errorf("write the content: %w", err)
	}
	if err := d.file.Sync(); err != nil {
		return "", fmt.Errorf("write the content to the disk: %w", err)
	}
	d.hashing.Wait()
	sum := d.hash.Sum(nil)
	hash := hex.EncodeToString(sum)
	path := d.blobs.path(hash)
	d.blobs.hold(hash, 1)
	d.held = hash
	if err := d.place(path, sum[0]); err != nil {
		return "", fmt.Errorf("put the content in its place: %w", err)
	}
	return hash, nil
}

// place gives the content its name, in the folder for hashes that begin with
// first. The name is on the disk when it returns.
func (d *draft) place(path string, first byte) error {
	if !d.blobs.settled[first].Load() {
		if err := d.blobs.settle(first); err != nil {
			return err
		}
	}
	d.blobs.placing.RLock()
	defer d.blobs.placing.RUnlock()
	if d.name == "" {
		err := linkUnnamed(d.file, path)
		if err == nil {
			return atomicfile.SyncDir(filepath.Dir(path))
		}
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
	if err := atomicfile.Rename(d.name, path); err != nil {
		return err
	}
	d.name = ""
	return nil
}
