package rule

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"mediadesk/api"
)

// ReadableJSON encodes a value as JSON without escapes for < > and &.
func ReadableJSON(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return bytes.TrimSpace(b.Bytes()), err
}

// JSON is [ReadableJSON] of what can be encoded: texts, lists, and values read from JSON.
func JSON(value any) json.RawMessage {
	text, _ := ReadableJSON(value)
	return text
}

// broken returns the *api.RuleError of a field.
func broken(field, message, help string) error {
	return &api.RuleError{Field: field, Message: message, Help: help}
}

// Plural returns a number with its noun, such as "2 files".
func Plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Mapped returns what of returns for each element of a list. It is never nil.
func Mapped[T, R any](list []T, of func(T) R) []R {
	all := make([]R, len(list))
	for i, element := range list {
		all[i] = of(element)
	}
	return all
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
	return compact(value)
}

// compact returns JSON without white space, and invalid JSON as it is.
func compact(value json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return string(value)
	}
	return b.String()
}

// RepeatedMember returns the name of a member that appears twice in an object of a JSON text, at
// any depth. It returns false if there is none or the text is invalid.
func RepeatedMember(text []byte) (name string, found bool) {
	if !json.Valid(text) { // also limits the depth
		return "", false
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return repeatedIn(d)
}

func repeatedIn(d *json.Decoder) (string, bool) {
	open, _ := d.Token()
	if _, nested := open.(json.Delim); !nested {
		return "", false
	}
	seen := map[string]bool{}
	for d.More() {
		if open == json.Delim('{') {
			token, _ := d.Token()
			name, _ := token.(string)
			if seen[name] {
				return name, true
			}
			seen[name] = true
		}
		if name, found := repeatedIn(d); found {
			return name, true
		}
	}
	_, _ = d.Token() // the end
	return "", false
}
