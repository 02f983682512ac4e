package rule

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

func describeSize(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// ReadableJSON encodes a value as JSON without escapes for < > and &.
func ReadableJSON(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return bytes.TrimSpace(b.Bytes()), err
}

// underscored replaces every character that keep rejects, and every invalid UTF-8 byte, by "_".
func underscored(text string, keep func(rune) bool) string {
	return strings.Map(func(r rune) rune {
		if keep(r) {
			return r
		}
		return '_'
	}, text)
}
