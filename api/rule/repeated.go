package rule

import (
	"bytes"
	"encoding/json"
)

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

// repeatedIn is RepeatedMember for the next value.
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
