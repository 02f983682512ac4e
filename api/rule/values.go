package rule

import (
	"bytes"
	"encoding/json"
)

// IsNull reports whether a JSON value is missing or null.
func IsNull(value json.RawMessage) bool { return len(value) == 0 || string(value) == "null" }

// SameValue reports whether two JSON values are equal. Missing and null are.
func SameValue(a, b json.RawMessage) bool {
	if IsNull(a) || IsNull(b) {
		return IsNull(a) && IsNull(b)
	}
	return PlainValue(a) == PlainValue(b) && a[0] == b[0]
}

// PlainValue formats a JSON value for reading: texts without quotes, anything else compact.
func PlainValue(value json.RawMessage) string {
	var words string
	if json.Unmarshal(value, &words) == nil && string(value) != "null" {
		return words
	}
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return string(value)
	}
	return b.String()
}
