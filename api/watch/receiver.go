package watch

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"mediadesk/api/job"
)

// hookPath is the path for the webhooks of one upload, followed by the token.
const hookPath = "/hook/"

// Limits of the receiver. Connections are not limited, because a few slow senders could then block
// the others. The timeouts keep them few.
const (
	headerTimeout = 2 * time.Second
	bodyTimeout   = 5 * time.Second
	idleTimeout   = 10 * time.Second
	maxHeader     = 8 << 10
)

func (w *Watch) newServer(ctx context.Context) *http.Server {
	return &http.Server{
		Handler:           http.HandlerFunc(w.receive),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       bodyTimeout,
		WriteTimeout:      bodyTimeout,
		IdleTimeout:       idleTimeout,
		// net/http allows 4 KiB more than this for the request line.
		MaxHeaderBytes: maxHeader - 4096,
		// Errors of unknown senders must not appear on the terminal.
		ErrorLog:    log.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
}

// receive handles a webhook. For an unknown address the answer is always 404, so that it reveals
// nothing.
func (w *Watch) receive(rw http.ResponseWriter, req *http.Request) {
	h := rw.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	token, ok := strings.CutPrefix(req.URL.Path, hookPath)
	_, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if !ok || req.Method != http.MethodPost || len(token) != tokenLength || err != nil || req.URL.RawQuery != "" {
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
		logUnmatched("", "its address is unknown or has expired")
		refuse(rw, http.StatusNotFound, "not found")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(rw, req.Body, job.MaxHookBody))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		refuse(rw, http.StatusRequestEntityTooLarge, "the post is larger than 64 KiB")
		return
	}
	if err != nil {
		refuse(rw, http.StatusBadRequest, "the post did not arrive whole")
		return
	}
	if w.o.Secrets != nil {
		if secrets := w.o.Secrets(profile); len(secrets) > 0 {
			if reason := checkSignature(req.Header, body, secrets, w.o.Now()); reason != "" {
				logUnmatched(profile, reason)
				refuse(rw, http.StatusUnauthorized, reason)
				return
			}
		}
	}
	post, err := job.ParseHookPost(body)
	if err != nil {
		refuse(rw, http.StatusBadRequest, err.Error())
		return
	}
	result, err := w.o.Journal.HookPost(req.Context(), hash, post, w.o.Now())
	switch {
	case err != nil:
		// The service then sends it again later.
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

// logUnmatched logs that a webhook had no effect. profile is empty if unknown.
func logUnmatched(profile, reason string) {
	slog.Info("a webhook matches no run", "profile", profile, "reason", reason)
}

func refuse(rw http.ResponseWriter, status int, words string) {
	rw.Header().Set("Content-Type", "text/plain; charset=utf-8")
	rw.WriteHeader(status)
	io.WriteString(rw, words+"\n") //nolint:errcheck // the sender may be gone
}
