package api

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Clip returns text, or its first n characters followed by … if it is longer.
func Clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for i := range text {
		if n == 0 {
			return text[:i] + "…"
		}
		n--
	}
	return text
}

// DescribeSize formats a number of bytes, such as 25.0 MB.
func DescribeSize(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 999_950:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	case n < 999_950_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}

// JSONText returns the text of a JSON string without outer space, or other JSON as it is.
func JSONText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return strings.TrimSpace(text)
	}
	return strings.TrimSpace(string(raw))
}

// Quote quotes outside text for a message and escapes control characters.
func Quote(text string) string { return strconv.Quote(Clip(text, 120)) }

const (
	masked      = "[key]" // replaces the key in answers
	shortestKey = 4       // bytes; a shorter text is not a key, and masking it would damage other text
)

// KeyForms returns the spellings in which a request, an answer or an encoder can contain a key,
// longest first: plain, also cut off, and in base64 as Basic authorization sends it; each also
// percent-encoded, and escaped for JSON or Go.
func KeyForms(key string) []string {
	forms := []string{key}
	for n := len(key) - 1; n >= max(12, len(key)/2); n-- {
		forms = append(forms, key[:n])
	}
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for _, user := range []string{key, key + ":"} {
			full := enc.EncodeToString([]byte(user))
			forms = append(forms, full, full+strings.Repeat("=", -len(full)&3))
			// Clients that send a password after the colon change only the last group: the groups before it
			// reveal the key just as well.
			if whole := len(user) / 3 * 4; whole >= 8 {
				forms = append(forms, full[:whole])
			}
		}
	}
	for _, form := range slices.Clone(forms) {
		spellings := []string{url.QueryEscape(form), url.PathEscape(form), url.User(form).String()}
		for _, escaped := range spellings {
			forms = append(forms, escaped, percentEscape.ReplaceAllStringFunc(escaped, strings.ToLower))
		}
	}
	for _, form := range slices.Clone(forms) {
		quoted, _ := json.Marshal(form) // no error for text
		forms = append(forms, string(quoted[1:len(quoted)-1]), strings.ReplaceAll(form, "/", `\/`))
		quotedGo := strconv.Quote(form)
		forms = append(forms, quotedGo[1:len(quotedGo)-1])
	}
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(forms)
}

var percentEscape = regexp.MustCompile(`%[0-9A-F]{2}`)

// maskerOf returns a function for the replacer that removes a key from answers, because some
// services repeat it in an error or a record. reveal is nil without a key.
func maskerOf(reveal func() string) func() *strings.Replacer {
	return sync.OnceValue(func() *strings.Replacer {
		var pairs []string
		if reveal != nil && len(reveal()) >= shortestKey {
			for _, form := range KeyForms(reveal()) {
				pairs = append(pairs, form, masked)
			}
		}
		return strings.NewReplacer(pairs...)
	})
}
