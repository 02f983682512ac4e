package api

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// masked replaces the key in answers.
const masked = "[key]"

const (
	shortestKey = 4       // bytes; a shorter text is not a key, and masking it would damage other text
	maskPart    = 6       // bytes: a fragment of twice that length reveals the key
	maskWindow  = 1 << 16 // bytes that are decoded at a time
)

// masker removes a key from answers, because some services repeat it in an error or a record. It
// finds the key plain, in base64 (also within longer text, at any alignment) and in hexadecimal; each
// of them also percent-encoded and with JSON escapes; and fragments of them.
type masker struct {
	needles map[string][]needle  // by their first shortestKey bytes
	first   [1 << 16 / 64]uint64 // a bit for each pair of bytes that begins a needle
	longest int                  // length of the longest spelling in bytes
}

// maskerOf returns a function for the masker of the current key; nil without a key.
func maskerOf(reveal func() string) func() *masker {
	var mu sync.Mutex
	known, m := "", newMasker("")
	return func() *masker {
		mu.Lock()
		defer mu.Unlock()
		if reveal == nil {
			return m
		}
		if key := reveal(); key != known {
			known, m = key, newMasker(key)
		}
		return m
	}
}

// needle is a part of a spelling. The rest of the spelling around it is masked as well.
type needle struct {
	text     string
	spelling string
	at       int // of text in spelling
}

// newMasker returns a masker; it ignores a key that is too short.
func newMasker(key string) *masker {
	m := &masker{needles: map[string][]needle{}}
	if len(key) < shortestKey {
		return m
	}
	// "private_" is not secret, and occurs in other text.
	_, secret, ok := strings.Cut(key, "_")
	if !ok || len(secret) < maskPart {
		secret = key
	}
	m.add(key, len(key)-len(secret))
	for _, text := range []string{hex.EncodeToString([]byte(key)), strings.ToUpper(hex.EncodeToString([]byte(key)))} {
		m.add(text, 2*(len(key)-len(secret)))
	}
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		m.add(encoding.EncodeToString([]byte(key+":")), (len(key)-len(secret)+2)/3*4)
		for before := range 3 { // bytes before it, which affect its alignment
			text := encoding.EncodeToString([]byte(strings.Repeat("\x00", before) + secret))
			tainted := [...]int{0, 2, 3}[before]
			if text = text[tainted : len(text)-1]; len(text) >= maskPart {
				m.add(text, 0)
			}
		}
	}
	return m
}

// add adds the needles of a spelling. Text before from is masked only together with the text after
// it.
func (m *masker) add(spelling string, from int) {
	m.longest = max(m.longest, len(spelling))
	if len(spelling)-from < 2*maskPart {
		m.addNeedle(needle{spelling, spelling, 0})
		return
	}
	// Every fragment of 2*maskPart-1 bytes contains a complete needle.
	for at := from; at+maskPart <= len(spelling); at += maskPart {
		m.addNeedle(needle{spelling[at : at+maskPart], spelling, at})
	}
}

func (m *masker) addNeedle(n needle) {
	pair := pairOf(n.text[0], n.text[1])
	m.first[pair/64] |= 1 << (pair % 64)
	m.needles[n.text[:shortestKey]] = append(m.needles[n.text[:shortestKey]], n)
}

// mask returns text without the key. It returns text itself if it does not contain the key.
func (m *masker) mask(text []byte) []byte {
	if len(m.needles) == 0 {
		return text
	}
	hits := m.find(text)
	percent, slash := bytes.IndexByte(text, '%') >= 0, bytes.IndexByte(text, '\\') >= 0
	if percent {
		hits = append(hits, m.findEscaped(text, true, false)...)
	}
	if slash {
		hits = append(hits, m.findEscaped(text, false, true)...)
	}
	if percent && slash {
		hits = append(hits, m.findEscaped(text, true, true)...)
	}
	if len(hits) == 0 {
		return text
	}
	slices.SortFunc(hits, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	var out []byte
	done := 0
	for _, hit := range hits {
		if hit.from >= done {
			out = append(append(out, text[done:hit.from]...), masked...)
		}
		done = max(done, hit.to)
	}
	return append(out, text[done:]...)
}

// String is like mask, for a string.
func (m *masker) String(text string) string { return string(m.mask([]byte(text))) }

// span is a part of a text.
type span struct{ from, to int }

// find returns the spans of text that contain the key or a fragment.
func (m *masker) find(text []byte) []span {
	var hits []span
	for i := 0; i+shortestKey <= len(text); i++ {
		pair := pairOf(text[i], text[i+1])
		if m.first[pair/64]>>(pair%64)&1 == 0 {
			continue
		}
		for _, n := range m.needles[string(text[i:i+shortestKey])] {
			if len(text)-i < len(n.text) || string(text[i:i+len(n.text)]) != n.text {
				continue
			}
			hit := span{i, i + len(n.text)}
			for at := n.at; at > 0 && hit.from > 0 && text[hit.from-1] == n.spelling[at-1]; at-- {
				hit.from--
			}
			for at := n.at + len(n.text); at < len(n.spelling) && hit.to < len(text) && text[hit.to] == n.spelling[at]; at++ {
				hit.to++
			}
			if n.text == n.spelling || hit.to-hit.from >= 2*maskPart { // less may be an ordinary word
				hits = append(hits, hit)
			}
		}
	}
	return hits
}

// findEscaped is like find, for text with escapes.
func (m *masker) findEscaped(text []byte, percent, slash bool) []span {
	// Windows overlap by one spelling; an escape has at most six bytes.
	var hits []span
	overlap := 6 * m.longest
	room := min(len(text), maskWindow+overlap)
	decoded, at := make([]byte, 0, room), make([]int, 0, room+1)
	for begin := 0; begin < len(text); begin += maskWindow {
		decoded, at = unescape(text[begin:min(len(text), begin+maskWindow+overlap)], decoded[:0], at[:0], percent, slash)
		for _, hit := range m.find(decoded) {
			hits = append(hits, span{begin + at[hit.from], begin + at[hit.to]})
		}
	}
	return hits
}

func pairOf(a, b byte) int { return int(a)<<8 | int(b) }

// unescape decodes %XX, and the JSON escapes \u00XX and \/, in text. at maps each decoded byte, and the
// end, to its offset in text.
func unescape(text, decoded []byte, at []int, percent, slash bool) ([]byte, []int) {
	for i := 0; i < len(text); {
		b, size := text[i], 1
		rest := text[i:]
		switch {
		case percent && b == '%' && len(rest) >= 3:
			if n, err := strconv.ParseUint(string(rest[1:3]), 16, 8); err == nil {
				b, size = byte(n), 3
			}
		case slash && b == '\\' && len(rest) >= 6 && string(rest[1:4]) == "u00":
			if n, err := strconv.ParseUint(string(rest[4:6]), 16, 8); err == nil {
				b, size = byte(n), 6
			}
		case slash && b == '\\' && len(rest) >= 2 && rest[1] == '/':
			b, size = '/', 2
		}
		decoded, at = append(decoded, b), append(at, i)
		i += size
	}
	return decoded, append(at, len(text))
}
