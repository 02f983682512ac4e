package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"os"
	"strings"
	"time"

	"gocloud.dev/blob"
)

// upload implements Draft in a store: in memory while small, then in parts under a random key. The
// beginning stays in memory for inspection.
type upload struct {
	bucket *bucket
	hash   hash.Hash
	begin  []byte
	size   int64
	held   string // hash of the commit, until Discard
	done   bool   // discarded

	key      string // of the parts; empty while all is in memory
	parts    *blob.Writer
	cancel   context.CancelFunc
	complete *object // the finished parts
	failure  error
}

func (b *bucket) Draft() (Draft, error) { return &upload{bucket: b, hash: sha256.New()}, nil }

func (u *upload) Write(p []byte) (int, error) {
	switch {
	case u.done:
		return 0, os.ErrClosed
	case u.failure != nil:
		return 0, u.failure
	case u.complete != nil:
		return 0, errors.New("write to a content after reading it")
	}
	u.hash.Write(p)
	u.size += int64(len(p))
	if u.size <= smallContent {
		u.begin = append(u.begin, p...)
		return len(p), nil
	}
	if u.parts == nil {
		u.failure = u.begins()
	}
	if u.failure == nil {
		u.failure = u.moves(func() error { _, err := u.parts.Write(p); return err })
	}
	if u.failure != nil {
		return 0, u.failure
	}
	return len(p), nil
}

// begins starts sending parts.
func (u *upload) begins() (err error) {
	ctx, cancel := context.WithCancel(context.Background())
	u.cancel, u.key = cancel, largeKeys+NewID()+NewID()
	u.parts, err = u.bucket.NewWriter(ctx, u.key, &blob.WriterOptions{ContentType: "application/octet-stream", BufferSize: partSize, MaxConcurrency: 2})
	if err != nil {
		return down(err)
	}
	return u.moves(func() error { _, err := u.parts.Write(u.begin); return err })
}

// moves aborts the transfer if one step takes too long.
func (u *upload) moves(step func() error) error {
	late := time.AfterFunc(2*BucketTime, u.cancel)
	defer late.Stop()
	return down(step())
}

// completes finishes sending, so that the content can be read.
func (u *upload) completes() error {
	if u.failure != nil || u.complete != nil {
		return u.failure
	}
	u.failure = u.moves(u.parts.Close)
	u.parts = nil
	if u.failure == nil {
		u.failure = u.bucket.sync(u.key)
	}
	if u.failure == nil {
		u.complete = &object{bucket: u.bucket, key: u.key, size: u.size}
	}
	return u.failure
}

func (u *upload) ReadAt(p []byte, at int64) (int, error) {
	if u.done {
		return 0, os.ErrClosed
	}
	if u.key == "" || at+int64(len(p)) <= int64(len(u.begin)) {
		return bytes.NewReader(u.begin).ReadAt(p, at)
	}
	if err := u.completes(); err != nil {
		return 0, err
	}
	return u.complete.ReadAt(p, at)
}

func (u *upload) Size() int64 { return u.size }

func (u *upload) Commit() (string, error) {
	if u.done {
		return "", os.ErrClosed
	}
	hash := hex.EncodeToString(u.hash.Sum(nil))
	if u.held == "" {
		u.bucket.hold(hash, 1)
		u.held = hash
	}
	if err := u.publish(hash); err != nil {
		return "", fmt.Errorf("store the content: %w", err)
	}
	return hash, nil
}

func (u *upload) publish(hash string) error {
	if u.key == "" {
		return u.bucket.put(contentKey(hash), u.begin)
	}
	if err := u.completes(); err != nil {
		return err
	}
	places, err := u.bucket.places(contentsKeys, hash)
	if err != nil {
		return err
	}
	for _, p := range places {
		if p.data == u.key {
			return nil
		}
		if err := (&object{bucket: u.bucket, key: p.data}).fetch(0); err == nil {
			return nil // it exists already; Discard removes the parts
		}
	}
	return u.bucket.put(contentKey(hash)+"."+strings.TrimPrefix(u.key, largeKeys), nil)
}

func (u *upload) Discard() {
	if u.done {
		return
	}
	u.done, u.begin = true, nil
	if u.held != "" {
		u.bucket.hold(u.held, -1)
	}
	if u.key == "" {
		return
	}
	u.cancel()
	if u.parts != nil {
		u.parts.Close() // fails, because it was canceled
	}
	if u.complete == nil {
		return
	}
	// Keep committed parts, and those whose state is unknown: Tidy removes them later.
	if places, err := u.bucket.places(contentsKeys, hex.EncodeToString(u.hash.Sum(nil))); err == nil {
		for _, p := range places {
			if p.data == u.key {
				return
			}
		}
		u.bucket.delete(u.key) //nolint:errcheck // as above
	}
}
