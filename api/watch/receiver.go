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

// The paths of the receiver: for the webhooks of one upload, followed by the token, and for all
// events of an account, followed by the profile name.
const (
	hookPath   = "/hook/"
	eventsPath = "/events/"
)

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
	if profile, ok := strings.CutPrefix(req.URL.Path, eventsPath); ok && req.Method == http.MethodPost {
		w.receiveEvent(rw, req, profile)
		return
	}
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
		logUnmatched("", "its address is unknown or has expired")
		refuse(rw, http.StatusNotFound, "not found")
		return
	}
	body, ok := w.readPost(rw, req, profile)
	if !ok {
		return
	}
	if w.decided(rw, req, profile, body) {
		return
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

// decided lets a webhook decide an upload that waits after a 202, and answers if it does.
func (w *Watch) decided(rw http.ResponseWriter, req *http.Request, profile string, body []byte) bool {
	event, ok := job.ParseUploadEvent(body)
	if !ok || w.o.Uploaded == nil {
		return false
	}
	matched, err := w.o.Uploaded(req.Context(), profile, event)
	switch {
	case err != nil: // the service sends it again later
		refuse(rw, http.StatusServiceUnavailable, "the journal cannot be written")
	case matched:
		rw.WriteHeader(http.StatusOK)
	}
	return matched || err != nil
}

// readPost reads the body of a webhook for a profile and checks that it is authentic; ok is false if
// it was refused.
func (w *Watch) readPost(rw http.ResponseWriter, req *http.Request, profile string) (body []byte, ok bool) {
	body, err := io.ReadAll(http.MaxBytesReader(rw, req.Body, job.MaxHookBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		refuse(rw, http.StatusRequestEntityTooLarge, "the post is larger than 64 KiB")
	case err != nil:
		refuse(rw, http.StatusBadRequest, "the post did not arrive whole")
	}
	if err != nil {
		return nil, false
	}
	reason := w.distrust(profile, req.Header, body)
	if reason != "" {
		logUnmatched(profile, reason)
		refuse(rw, http.StatusUnauthorized, reason)
	}
	return body, reason == ""
}

// receiveEvent handles a webhook for all events of an account. Its address can be guessed, so only
// the signature authenticates it: a profile without secrets has no such address. An event that
// decides no upload is acknowledged, because the service would repeat it.
func (w *Watch) receiveEvent(rw http.ResponseWriter, req *http.Request, profile string) {
	if len(w.secrets(profile)) == 0 {
		refuse(rw, http.StatusNotFound, "not found")
		return
	}
	body, ok := w.readPost(rw, req, profile)
	if !ok {
		return
	}
	if !w.decided(rw, req, profile, body) {
		logUnmatched(profile, "it is an event of the account")
		rw.WriteHeader(http.StatusOK)
	}
}

// logUnmatched logs that a webhook had no effect. profile is empty if unknown.
func logUnmatched(profile, reason string) {
	slog.Info("a webhook matches no run", "profile", profile, "reason", reason)
}

// secrets returns the secrets of a profile, or nil if its webhooks are not signed.
func (w *Watch) secrets(profile string) []string {
	if w.o.Secrets == nil {
		return nil
	}
	return w.o.Secrets(profile)
}

// distrust says why a webhook is not authentic, or returns "" if it is or the profile has no
// secrets.
func (w *Watch) distrust(profile string, h http.Header, body []byte) string {
	secrets := w.secrets(profile)
	if len(secrets) == 0 {
		return ""
	}
	return checkSignature(h, body, secrets, w.o.Now())
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
