package watch

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
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
		Handler: http.HandlerFunc(w.receive), ReadHeaderTimeout: headerTimeout,
		ReadTimeout: bodyTimeout, WriteTimeout: bodyTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeader - 4096,           // net/http allows 4 KiB more for the request line
		ErrorLog:       log.New(io.Discard, "", 0), // errors of unknown senders do not belong on the terminal
		BaseContext:    func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
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
	isToken := ok && err == nil && len(token) == tokenLength
	if !isToken || req.Method != http.MethodPost || req.URL.RawQuery != "" {
		http.Error(rw, "not found", http.StatusNotFound)
		return
	}
	hash := sha256.Sum256([]byte(token))
	profile, known, err := w.o.Journal.HookKnown(req.Context(), hash, w.o.Now())
	if err != nil {
		http.Error(rw, "the journal cannot be read", http.StatusServiceUnavailable)
		return
	}
	if !known {
		slog.Info("a webhook matches no run",
			"profile", "", "reason", "its address is unknown or has expired")
		http.Error(rw, "not found", http.StatusNotFound)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(rw, req.Body, job.MaxHookBody))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		http.Error(rw, "the post is larger than 64 KiB", http.StatusRequestEntityTooLarge)
		return
	}
	if err != nil {
		http.Error(rw, "the post was cut short", http.StatusBadRequest)
		return
	}
	if w.o.Secrets != nil {
		if secrets := w.o.Secrets(profile); len(secrets) > 0 {
			if reason := checkSignature(req.Header, body, secrets, w.o.Now()); reason != "" {
				slog.Info("a webhook matches no run", "profile", profile, "reason", reason)
				http.Error(rw, reason, http.StatusUnauthorized)
				return
			}
		}
	}
	post, err := job.ParseHookPost(body)
	if err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	result, err := w.o.Journal.HookPost(req.Context(), hash, post, w.o.Now())
	switch {
	case err != nil:
		// The service then sends it again later.
		http.Error(rw, "the journal cannot be written", http.StatusServiceUnavailable)
	case !result.Known:
		http.Error(rw, "not found", http.StatusNotFound)
	default:
		rw.WriteHeader(http.StatusOK)
		nudge(w.changes)
		if result.Changed {
			w.refresh(result.FileID)
		}
	}
}

// maxSkew is how far the service's clock may be ahead. A webhook may be as old as its address,
// because some services sign once and retry for hours, and a replay changes nothing.
const maxSkew = 5 * time.Minute

const (
	notSigned = "it is not signed, but the profile requires a signature"
	forged    = "its signature does not match"
)

// checkSignature checks whether a webhook is signed with one of the secrets, in either form of the
// hosted service: Standard Webhooks (webhook-id, webhook-timestamp in seconds, webhook-signature
// with "v1," and base64) or its older one (x-ik-signature: t=<milliseconds>,v1=<hex>). If both are
// present, one match is enough. It returns why the webhook is not authentic, or "".
func checkSignature(h http.Header, body []byte, secrets []string, now time.Time) (reason string) {
	older, standard := h.Get("X-Ik-Signature"), h.Get("Webhook-Signature")
	switch {
	case checkOlder(older, body, secrets, now),
		checkStandard(h.Get("Webhook-Id"), h.Get("Webhook-Timestamp"), standard, body, secrets, now):
		return ""
	case older == "" && standard == "":
		return notSigned
	}
	return forged
}

func checkOlder(header string, body []byte, secrets []string, now time.Time) bool {
	var stamp string
	var sums [][]byte
	for part := range strings.SplitSeq(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "t":
			stamp = value
		case "v1":
			if sum, err := hex.DecodeString(value); err == nil {
				sums = append(sums, sum)
			}
		}
	}
	ms, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || !timely(time.UnixMilli(ms), now) {
		return false
	}
	return anyMatches(sums, secrets, stamp+".", body)
}

func checkStandard(id, stamp, list string, body []byte, secrets []string, now time.Time) bool {
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || id == "" || !timely(time.Unix(seconds, 0), now) {
		return false
	}
	var sums [][]byte
	for part := range strings.FieldsSeq(list) {
		version, value, _ := strings.Cut(part, ",")
		if sum, err := base64.StdEncoding.DecodeString(value); err == nil && version == "v1" {
			sums = append(sums, sum)
		}
	}
	return anyMatches(sums, secrets, id+"."+stamp+".", body)
}

func timely(t, now time.Time) bool { return t.After(now.Add(-HookTTL)) && t.Before(now.Add(maxSkew)) }

// anyMatches compares sums with those of all possible keys of the secrets.
func anyMatches(sums [][]byte, secrets []string, before string, body []byte) bool {
	for _, secret := range secrets {
		for _, key := range keysOf(secret) {
			mac := hmac.New(sha256.New, key)
			mac.Write([]byte(before))
			mac.Write(body)
			want := mac.Sum(nil)
			if slices.ContainsFunc(sums, func(sum []byte) bool { return hmac.Equal(sum, want) }) {
				return true
			}
		}
	}
	return false
}

// keysOf returns the possible keys of a secret: its text, also without the prefix "whsec_", and the
// bytes that it encodes as base64.
func keysOf(secret string) [][]byte {
	keys := [][]byte{[]byte(secret)}
	encoded := strings.TrimPrefix(secret, "whsec_")
	if encoded != secret && encoded != "" {
		keys = append(keys, []byte(encoded))
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding} {
		if key, err := encoding.DecodeString(encoded); err == nil && len(key) > 0 {
			return append(keys, key)
		}
	}
	return keys
}
