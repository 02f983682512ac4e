package config

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Redactor takes keys out of text on its way to a log, a crash report or a screen. It knows each
// key in every form in which one of our requests or encoders could have written it: plain, as the
// Basic form of the Authorization header, percent-encoded, and escaped for JSON or Go.
//
// The zero value knows no key and lets everything through. It may be used by several goroutines.
type Redactor struct {
	mu    sync.RWMutex
	known []Secret
	forms []string // longest first, so that the longest one that fits is taken out
}

// Add makes the redactor know one more key. A zero Secret changes nothing.
func (r *Redactor) Add(s Secret) {
	if s.IsZero() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.ContainsFunc(r.known, s.Equal) {
		return
	}
	r.known = append(r.known, s)
	r.forms = append(slices.Clone(r.forms), formsOf(s.Reveal())...)
	slices.SortFunc(r.forms, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	r.forms = slices.Compact(r.forms)
}

// formsOf lists the spellings of a key.
func formsOf(key string) []string {
	forms := []string{key}
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		for _, user := range []string{key, key + ":"} {
			full := enc.EncodeToString([]byte(user))
			forms = append(forms, full, strings.TrimRight(full, "="))
			// Clients that send a password after the colon change the last group: what comes
			// before it gives the key away just as well.
			if whole := len(user) / 3 * 4; whole >= 8 {
				forms = append(forms, full[:whole])
			}
		}
	}
	for _, escaped := range []string{url.QueryEscape(key), url.PathEscape(key), url.UserPassword(key, "").String()} {
		escaped = strings.TrimSuffix(escaped, ":")
		forms = append(forms, escaped, lowerHex(escaped))
	}
	if quoted, err := json.Marshal(key); err == nil {
		forms = append(forms, strings.Trim(string(quoted), `"`))
	}
	quoted := strconv.Quote(key)
	return append(forms, quoted[1:len(quoted)-1])
}

// lowerHex writes the escapes of a percent-encoded text in small letters.
func lowerHex(escaped string) string {
	out := []byte(escaped)
	for i := 0; i+2 < len(out); i++ {
		if out[i] == '%' {
			copy(out[i+1:i+3], strings.ToLower(string(out[i+1:i+3])))
			i += 2
		}
	}
	return string(out)
}

// String gives text without the known keys.
func (r *Redactor) String(text string) string {
	out, _ := r.scan(text, true)
	return out
}

// scan takes the known forms out of text. Unless this is the end of the text it stops where the rest
// could be the beginning of a form, and gives that rest back.
func (r *Redactor) scan(text string, end bool) (clean, rest string) {
	r.mu.RLock()
	forms := r.forms
	r.mu.RUnlock()
	if len(forms) == 0 {
		return text, ""
	}
	var first [256]bool
	for _, form := range forms {
		first[form[0]] = true
	}
	var out strings.Builder
	done := 0
	for i := 0; i < len(text); {
		if !first[text[i]] {
			i++
			continue
		}
		hit := 0
		for _, form := range forms {
			tail := text[i:]
			if !end && len(tail) < len(form) && strings.HasPrefix(form, tail) {
				out.WriteString(text[done:i])
				return out.String(), tail
			}
			if strings.HasPrefix(tail, form) {
				hit = len(form)
				break
			}
		}
		if hit == 0 {
			i++
			continue
		}
		out.WriteString(text[done:i])
		out.WriteString(redacted)
		i += hit
		done = i
	}
	out.WriteString(text[done:])
	return out.String(), ""
}

// Writer gives a writer that passes text on to w without the known keys, also where a key arrives
// in pieces. What could be the beginning of a key is held back until the next write decides it, or
// Flush.
func (r *Redactor) Writer(w io.Writer) *RedactingWriter {
	return &RedactingWriter{redactor: r, to: w}
}

// RedactingWriter is the writer of Redactor.Writer. It may be used by several goroutines.
type RedactingWriter struct {
	redactor *Redactor
	to       io.Writer

	mu   sync.Mutex
	held string
}

// Write passes p on without the known keys. It takes all of p, unless the writer behind fails.
func (w *RedactingWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	clean, rest := w.redactor.scan(w.held+string(p), false)
	w.held = rest
	if clean != "" {
		if _, err := io.WriteString(w.to, clean); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Flush passes on what was held back. The beginning of a key that was never completed comes out as
// it is: call it at the end of a line or at the end of everything.
func (w *RedactingWriter) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	clean, _ := w.redactor.scan(w.held, true)
	w.held = ""
	if clean == "" {
		return nil
	}
	_, err := io.WriteString(w.to, clean)
	return err
}
