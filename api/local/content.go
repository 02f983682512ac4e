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
	"time"

	"mediadesk/api/local/store"
)

var errDeleted = errors.New("the version was deleted")

// openContent opens the content of a version. The error is errDeleted if another
// request deleted the version after the caller had read its record.
func (l *Library) openContent(ctx context.Context, v *store.Version) (store.Content, error) {
	content, err := l.contents.Open(v.Hash)
	if err == nil {
		return content, nil
	}
	if errors.Is(err, store.ErrNotFound) {
		again := l.records.View(ctx, func(tx store.Tx) error {
			_, err := tx.Version(v.ID)
			return err
		})
		if errors.Is(again, store.ErrNotFound) {
			return nil, errDeleted
		}
	}
	return nil, fmt.Errorf("open the content of the version %s: %w", v.ID, err)
}

// rangesForm is a Range header as RFC 9110 has it. Of what is another unit, or
// no range at all, a server takes no notice.
var rangesForm = regexp.MustCompile(`^(?i:bytes)=[ \t]*((\d+-\d*|-\d+)?[ \t]*(,[ \t]*|$))+$`)

// The last no bytes are a range that nothing meets, as one behind the end is.
// net/http would answer with no bytes at all, from the end to before it.
var emptySuffix = regexp.MustCompile(`(^|[, \t])-0+\b`)

var beyond = strconv.FormatInt(math.MaxInt64-1, 10) + "-"

// serveContent answers with a content, whole or in ranges, or tells that what
// the client has is still the same. Its refusals have a message like all
// others.
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

// refusingWriter writes the refusals of net/http in the form of our own.
type refusingWriter struct {
	http.ResponseWriter
	refused bool
}

// WriteHeader replaces what has no message for people.
func (w *refusingWriter) WriteHeader(status int) {
	message := map[int]string{
		http.StatusRequestedRangeNotSatisfiable: "The range lies outside the file.",
		http.StatusPreconditionFailed:           "The file is another one than the request asks for.",
	}[status]
	if message == "" {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.refused = true
	p := problem{status: status, message: message, help: "Ask for it without the condition."}
	writeJSON(w.ResponseWriter, status, p.body())
}

// Write throws away what was to stand in the place of the message.
func (w *refusingWriter) Write(p []byte) (int, error) {
	if w.refused {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}
