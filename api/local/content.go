package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"mediadesk/api/local/store"
)

// openContent opens the content of a version. The error is store.ErrNotFound only if another
// request deleted the version after its record was read.
func (l *Library) openContent(ctx context.Context, v *store.Version) (store.Content, error) {
	content, err := l.contents.Open(v.Hash)
	if !errors.Is(err, store.ErrNotFound) {
		return content, err
	}
	if _, err := store.View(ctx, l.records, func(tx store.Tx) (*store.Version, error) { return store.Get[store.Version](tx, v.ID) }); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("the content %s of the version %s is missing", v.Hash, v.ID)
}

// keepError reports that a content could not be stored.
type keepError struct{ err error }

func (e *keepError) Error() string { return "store the content: " + e.err.Error() }

func (e *keepError) Unwrap() error { return e.err }

// noted remembers a read error, which a decoder may report as bad content.
type noted struct {
	io.ReaderAt
	failed atomic.Pointer[error]
}

func (n *noted) ReadAt(p []byte, at int64) (int, error) {
	read, err := n.ReaderAt.ReadAt(p, at)
	if err != nil && !errors.Is(err, io.EOF) {
		n.failed.Store(&err)
	}
	return read, err
}

// or returns the read error, if any, else err.
func (n *noted) or(err error) error {
	if failed := n.failed.Load(); failed != nil {
		return *failed
	}
	return err
}

// removalWait is how long an upload waits while its content is being removed.
const removalWait = 10 * time.Second

// record commits the content of v and runs write to record it. If another process is removing this
// content from a shared store, it waits and commits again.
func record[T any](ctx context.Context, l *Library, content store.Draft, v *store.Version, write func(store.Tx) (T, error)) (result T, err error) {
	var removed store.Removal
	for until := time.Now().Add(removalWait); ; {
		v.Hash, err = content.Commit()
		if err != nil {
			return result, &keepError{err}
		}
		result, err = store.Update(ctx, l.records, func(tx store.Tx) (none T, err error) {
			if removed.Done { // before the commit
				if err := tx.Remove(&removed); err != nil {
					return none, err
				}
			}
			return write(tx)
		})
		var retired *store.RetiredError
		if !errors.As(err, &retired) {
			return result, err
		}
		if removed = retired.Removal; removed.Done {
			continue
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return result, ctx.Err()
		}
		if time.Now().After(until) {
			return result, &store.DownError{Part: "storage", Err: err}
		}
	}
}

// refusingWriter replaces the error bodies of net/http by JSON.
type refusingWriter struct {
	http.ResponseWriter
	refused bool
}

// WriteHeader writes the JSON body of an error.
func (w *refusingWriter) WriteHeader(status int) {
	message := map[int]string{
		http.StatusRequestedRangeNotSatisfiable: "The range lies outside the file.",
		http.StatusPreconditionFailed:           "The file is now another version.",
	}[status]
	if message == "" {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.refused = true
	writeJSON(w.ResponseWriter, status, refuse(status, message, "Send the request without the condition."))
}

// Write discards the error body of net/http.
func (w *refusingWriter) Write(p []byte) (int, error) {
	if w.refused {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}
