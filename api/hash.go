package api

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"sync"
)

// hashAside is the size from which a file is hashed beside the sending, in
// bytes. Below, handing the bytes over would cost more than hashing them.
const hashAside = 1 << 20

// hasher makes the SHA-256 of what is written to it. For a large file it works
// beside the writer, who only copies.
type hasher struct {
	state hash.Hash

	mu    sync.Mutex
	work  chan []byte // nil: it works in Write
	spare chan []byte
	done  chan struct{} // closed when the work is
	over  bool
}

func newHasher(size int64) *hasher {
	h := &hasher{state: sha256.New()}
	if size < hashAside {
		return h
	}
	const buffers = 4
	h.work, h.spare, h.done = make(chan []byte, buffers), make(chan []byte, buffers), make(chan struct{})
	for range buffers {
		h.spare <- make([]byte, 0, 64<<10)
	}
	go func() {
		defer close(h.done)
		for b := range h.work {
			h.state.Write(b)
			h.spare <- b[:0]
		}
	}()
	return h
}

// Write never fails. After end it does nothing.
func (h *hasher) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		return len(p), nil
	}
	if h.work == nil {
		return h.state.Write(p)
	}
	for rest := p; len(rest) > 0; {
		b := <-h.spare
		b = append(b, rest[:min(len(rest), cap(b))]...)
		rest = rest[len(b):]
		h.work <- b
	}
	return len(p), nil
}

// end waits for the work and takes nothing more.
func (h *hasher) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		return
	}
	h.over = true
	if h.work != nil {
		close(h.work)
		<-h.done
	}
}

// sum ends the work and is what came out, in hexadecimal.
func (h *hasher) sum() string {
	h.end()
	return hex.EncodeToString(h.state.Sum(nil))
}

// HashSource reads a file and is its SHA-256 in hexadecimal, with what the
// file was while it was read. The error is a *SourceError.
func HashSource(name string) (string, Identity, error) {
	f, before, err := OpenSource(name)
	if err != nil {
		return "", Identity{}, err
	}
	defer f.Close()
	state := sha256.New()
	if _, err := io.Copy(state, f); err != nil {
		return "", before, pathProblem(name, err)
	}
	after, err := Identify(name)
	if err != nil {
		return "", before, err
	}
	if !after.Same(before) {
		return "", before, &SourceError{Path: name, Reason: "changed while it was being read", Help: "Try again once it is complete."}
	}
	return fmt.Sprintf("%x", state.Sum(nil)), before, nil
}
