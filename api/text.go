package api

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Clip returns text of at most n characters, with … at the end if some are missing.
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
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
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
