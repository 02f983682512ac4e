package entry

import (
	"bytes"
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

// readableJSON encodes a value as JSON without escapes for < > and &.
func readableJSON(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return bytes.TrimSpace(b.Bytes()), err
}
