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

// openContent opens the content of a version. The error is store.ErrNotFound only
// if another request deleted the version after the caller had read its record.
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

// readContent opens a content and measures how long that takes.
func (l *Library) readContent(ctx context.Context, hash string) (store.Content, error) {
	done := l.metrics.access(ctx, contentsTimeMetric, "read")
	content, err := l.contents.Open(hash)
	done(err)
	return content, err
}

// keepError says that a content could not be kept.
type keepError struct{ err error }

func (e *keepError) Error() string { return "keep the content: " + e.err.Error() }

func (e *keepError) Unwrap() error { return e.err }

// noted remembers the error of a read, which a decoder may take for a fault of the
// content.
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

// or returns the error of a read, else err.
func (n *noted) or(err error) error {
	if failed := n.failed.Load(); failed != nil {
		return *failed
	}
	return err
}

// removalWait is how long an upload waits for the end of the removal of its content.
const removalWait = 10 * time.Second

// record commits the content of v and runs write, which records it. Where another process
// is removing the same content from a shared store it waits, and commits it again.
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

// rangesForm is a Range header of RFC 9110. A server ignores other units and
// malformed ranges.
var rangesForm = regexp.MustCompile(`^(?i:bytes)=[ \t]*((\d+-\d*|-\d+)?[ \t]*(,[ \t]*|$))+$`)

// "The last 0 bytes" cannot be satisfied, like a range behind the end. net/http
// would answer with an empty range.
var emptySuffix = regexp.MustCompile(`(^|[, \t])-0+\b`)

var beyond = strconv.FormatInt(math.MaxInt64-1, 10) + "-"

// serveContent answers with a content or ranges of it, or that it is unchanged.
// Unlike those of net/http, its errors have a JSON body.
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

// refusingWriter gives the errors of net/http our JSON body.
type refusingWriter struct {
	http.ResponseWriter
	refused bool
}

// WriteHeader writes the JSON body of an error.
func (w *refusingWriter) WriteHeader(status int) {
	message := map[int]string{
		http.StatusRequestedRangeNotSatisfiable: "The range lies outside the file.",
		http.StatusPreconditionFailed:           "The file is another version than the request asks for.",
	}[status]
	if message == "" {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.refused = true
	p := problem{status: status, message: message, help: "Ask for it without the condition."}
	writeJSON(w.ResponseWriter, status, p.body())
}

// Write discards the body that net/http has for an error.
func (w *refusingWriter) Write(p []byte) (int, error) {
	if w.refused {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}
