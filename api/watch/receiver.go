package watch

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	"mediadesk/api"
)

const hookPath = "/hook/"

// Limits of the receiver. There is no limit on connections: with one, a few
// slow senders would keep the honest ones out. The times keep them few.
const (
	headerTime  = 2 * time.Second
	bodyTime    = 5 * time.Second
	idleTime    = 10 * time.Second
	headerBytes = 8 << 10
)

func (w *Watch) newServer(ctx context.Context) *http.Server {
	return &http.Server{
		Handler:           http.HandlerFunc(w.receive),
		ReadHeaderTimeout: headerTime,
		ReadTimeout:       bodyTime,
		WriteTimeout:      bodyTime,
		IdleTimeout:       idleTime,
		// net/http allows 4 KiB more than this for the request line.
		MaxHeaderBytes: headerBytes - 4096,
		// What strangers send is no news for a terminal.
		ErrorLog:    log.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
}

// receive handles one post. Without a known address the answer is always 404, so
// it tells nothing.
func (w *Watch) receive(rw http.ResponseWriter, req *http.Request) {
	h := rw.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	token, ok := strings.CutPrefix(req.URL.Path, hookPath)
	if !ok || req.Method != http.MethodPost || !isToken(token) || req.URL.RawQuery != "" {
		refuse(rw, http.StatusNotFound, "not found")
		return
	}
	hash := sha256.Sum256([]byte(token))
	profile, known, err := w.o.Journal.HookKnown(req.Context(), hash, w.o.Now())
	if err != nil {
		refuse(rw, http.StatusServiceUnavailable, "the journal cannot be read")
		return
	}
	if !known {
		begin, _ := io.ReadAll(io.LimitReader(req.Body, api.MaxUnmatchedBody)) // what came of it
		w.note(api.UnmatchedPost{Hash: hash, Reason: api.UnmatchedUnknown, Raw: begin})
		refuse(rw, http.StatusNotFound, "not found")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(rw, req.Body, api.MaxHookBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		refuse(rw, http.StatusRequestEntityTooLarge, "the post is larger than 64 KiB")
		return
	case err != nil:
		refuse(rw, http.StatusBadRequest, "the post did not arrive whole")
		return
	}
	if reason := w.distrust(profile, req.Header, body); reason != "" {
		w.note(api.UnmatchedPost{Hash: hash, Reason: reason, Raw: body})
		refuse(rw, http.StatusUnauthorized, reason)
		return
	}
	post, err := api.ParseHookPost(body)
	if err != nil {
		refuse(rw, http.StatusBadRequest, err.Error())
		return
	}
	result, err := w.o.Journal.HookPost(req.Context(), hash, post, w.o.Now())
	switch {
	case err != nil:
		// Not taken: the service sends it again later.
		refuse(rw, http.StatusServiceUnavailable, "the journal cannot be written")
	case !result.Known:
		refuse(rw, http.StatusNotFound, "not found")
	default:
		rw.WriteHeader(http.StatusOK)
		w.signal()
		if result.Changed {
			w.refresh(result.FileID)
		}
	}
}

// distrust says why a post is not believed where its profile has a secret to
// sign with; empty where it is.
func (w *Watch) distrust(profile string, h http.Header, body []byte) string {
	if w.o.Secret == nil {
		return ""
	}
	secret := w.o.Secret(profile)
	if secret == "" {
		return ""
	}
	switch checkSignature(h, body, secret, w.o.Now()) {
	case unsigned:
		return api.UnmatchedUnsigned
	case forged:
		return api.UnmatchedForged
	}
	return ""
}

func isToken(text string) bool {
	if len(text) != tokenLength {
		return false
	}
	_, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return err == nil
}

func refuse(rw http.ResponseWriter, status int, words string) {
	rw.Header().Set("Content-Type", "text/plain; charset=utf-8")
	rw.WriteHeader(status)
	io.WriteString(rw, words+"\n") //nolint:errcheck // the sender may be gone
}
