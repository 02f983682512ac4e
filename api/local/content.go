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

// openContent opens the content of a version. The error is store.ErrNotFound only
// if another request deleted the version after the caller had read its record.
func (l *Library) openContent(ctx context.Context, v *store.Version) (store.Content, error) {
	content, err := l.contents.Open(v.Hash)
	if !errors.Is(err, store.ErrNotFound) {
		return content, err
	}
	if _, err := store.View(ctx, l.records, func(tx store.Tx) (*store.Version, error) { return tx.Version(v.ID) }); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("the content %s of the version %s is missing", v.Hash, v.ID)
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
