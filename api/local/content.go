package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"mediadesk/api/local/store"
)

// openContent opens the content of a version. The error is store.ErrNotFound only if another
// request deleted the version after its record was read.
func (l *Library) openContent(ctx context.Context, v *store.Version) (store.Content, error) {
	content, err := l.readContent(ctx, v.Hash)
	if !errors.Is(err, store.ErrNotFound) {
		return content, err
	}
	if _, err := store.View(ctx, l.records, func(tx store.Tx) (*store.Version, error) { return tx.Version(v.ID) }); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("the content %s of the version %s is missing", v.Hash, v.ID)
}

// readContent opens a content and measures the time.
func (l *Library) readContent(ctx context.Context, hash string) (store.Content, error) {
	done := l.metrics.access(ctx, contentsTimeMetric, "read")
	content, err := l.contents.Open(hash)
	done(err)
	return content, err
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
		done := l.metrics.access(ctx, contentsTimeMetric, "write")
		v.Hash, err = content.Commit()
		if done(err); err != nil {
			return result, &keepError{err}
		}
		result, err = store.Update(ctx, l.records, func(tx store.Tx) (none T, err error) {
			if removed.Done { // before the commit
				if err := tx.ForgetRemoval(removed); err != nil {
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

// rangesForm matches a Range header of RFC 9110. Servers ignore other units and malformed ranges.
var rangesForm = regexp.MustCompile(`^(?i:bytes)=[ \t]*((\d+-\d*|-\d+)?[ \t]*(,[ \t]*|$))+$`)

// emptySuffix matches "the last 0 bytes", which cannot be satisfied. net/http would answer with an
// empty range.
var emptySuffix = regexp.MustCompile(`(^|[, \t])-0+\b`)

var beyond = strconv.FormatInt(math.MaxInt64-1, 10) + "-"

// serveContent answers with a content or ranges of it, or with 304. Unlike net/http it answers
// errors in JSON.
func serveContent(w http.ResponseWriter, r *http.Request, changed time.Time, content io.ReadSeeker) {
	if ranges := r.Header.Get("Range"); !validRanges(ranges) {
		r.Header.Del("Range")
	} else if _, list, ok := strings.Cut(ranges, "="); ok {
		r.Header.Set("Range", "bytes="+emptySuffix.ReplaceAllString(list, "${1}"+beyond))
	}
	http.ServeContent(&refusingWriter{ResponseWriter: w}, r, "", changed, content)
}

func validRanges(text string) bool {
	if !rangesForm.MatchString(text) {
		return false
	}
	_, list, _ := strings.Cut(text, "=")
	for one := range strings.SplitSeq(list, ",") {
		first, last, _ := strings.Cut(strings.TrimSpace(one), "-")
		if first == "" || last == "" {
			continue
		}
		from, errFrom := strconv.ParseInt(first, 10, 64)
		to, errTo := strconv.ParseInt(last, 10, 64)
		if errFrom != nil || errTo != nil || to < from {
			return false
		}
	}
	return true
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
	p := problem{status: status, message: message, help: "Send the request without the condition."}
	writeJSON(w.ResponseWriter, status, p.body())
}

// Write discards the error body of net/http.
func (w *refusingWriter) Write(p []byte) (int, error) {
	if w.refused {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}
