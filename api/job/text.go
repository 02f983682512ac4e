package job

import (
	"encoding/json"
	"strconv"
	"strings"
)

func clip(text string, n int) string {
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

func jsonText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return strings.TrimSpace(text)
	}
	return strings.TrimSpace(string(raw))
}

// quote quotes outside text for a message and escapes control characters.
func quote(text string) string { return strconv.Quote(clip(text, 120)) }
