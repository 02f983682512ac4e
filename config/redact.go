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

// Redactor removes keys from text for a log, a crash report or a screen. It recognizes each key in every form
// that our requests or encoders could produce: plain, as in the Basic Authorization header, percent-encoded,
// and escaped for JSON or Go.
//
// The zero value has no keys and changes nothing. A Redactor is safe for concurrent use.
type Redactor struct {
	mu       sync.RWMutex
	known    []Secret
	replacer *strings.Replacer // nil without keys
}

// Add adds a key. A zero Secret changes nothing.
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
	var forms []string
	for _, key := range r.known {
		forms = append(forms, formsOf(key.Reveal())...)
	}
	// Longest first, so that the longest match is replaced.
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(forms))
	for _, form := range forms {
		pairs = append(pairs, form, redacted)
	}
	r.replacer = strings.NewReplacer(pairs...)
}

// formsOf returns the spellings of a key.
func formsOf(key string) []string {
	forms := []string{key}
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		for _, user := range []string{key, key + ":"} {
			full := enc.EncodeToString([]byte(user))
			forms = append(forms, full, strings.TrimRight(full, "="))
			// Clients that send a password after the colon change only the last group: the groups before it
			// reveal the key just as well.
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

// lowerHex converts percent escapes to lower case.
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

// String returns text with the known keys redacted.
func (r *Redactor) String(text string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.replacer == nil {
		return text
	}
	return r.replacer.Replace(text)
}

// Writer returns a writer that redacts the known keys and writes to w. Each call must write complete lines, as
// a logger does: a key that is split between calls is not found.
func (r *Redactor) Writer(w io.Writer) io.Writer { return redactingWriter{r, w} }

type redactingWriter struct {
	redactor *Redactor
	to       io.Writer
}

func (w redactingWriter) Write(lines []byte) (int, error) {
	if _, err := io.WriteString(w.to, w.redactor.String(string(lines))); err != nil {
		return 0, err
	}
	return len(lines), nil
}
