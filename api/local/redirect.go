package local

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"mediadesk/api/local/delivery"
	"mediadesk/api/local/store"
)

// redirectTime is how long an address of the store holds. Players go on reading from it.
const redirectTime = time.Hour

// openDirect finds out whether the store serves files itself, if it shall.
func (l *Library) openDirect() (err error) {
	if l.o.RedirectFrom <= 0 {
		return nil
	}
	direct, ok := l.contents.(store.Direct)
	if !ok {
		return errors.New("a folder cannot give files to clients itself: redirects need an s3:// storage")
	}
	if _, err := direct.Address(strings.Repeat("0", 2*sha256.Size), redirectTime, "", ""); err != nil {
		return fmt.Errorf("redirect to the storage %s: %w", l.o.ShownStorage(), err)
	}
	l.direct = direct
	return nil
}

// redirect answers with an address of the store, if that serves this file as this request
// needs it.
func (l *Library) redirect(w http.ResponseWriter, r *http.Request, file *store.File, cache string) bool {
	span := min(redirectTime, delivery.Expires(r.URL).Sub(l.now()).Truncate(time.Second))
	if l.direct == nil || file.Version.Size < l.o.RedirectFrom || r.Method != http.MethodGet || span <= 0 || !harmless(file.Version.Mime) {
		return false
	}
	// The store has other tags and times for its objects than the service.
	for _, condition := range []string{"If-Match", "If-Range", "If-Modified-Since", "If-Unmodified-Since"} {
		if r.Header.Get(condition) != "" {
			return false
		}
	}
	address, err := l.direct.Address(file.Version.Hash, span, contentType(file.Version.Mime), cache)
	if err != nil {
		return false // the usual way has the words for it
	}
	w.Header().Set("ETag", `"`+file.Version.Hash+`"`)
	w.Header().Set("Location", address)
	w.WriteHeader(http.StatusTemporaryRedirect)
	return true
}

// harmless reports whether a browser runs nothing in files of that type: the store does
// not send the headers that forbid it.
func harmless(mime string) bool {
	kind, _, _ := strings.Cut(mime, "/")
	return kind == "video" || kind == "audio" || kind == "image" && mime != "image/svg+xml"
}
