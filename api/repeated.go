package api

import (
	"bytes"
	"encoding/json"
)

// RepeatedMember returns the name of a member that appears twice in an object of a JSON text, at
// any depth. It returns false if there is none or the text is invalid.
func RepeatedMember(text []byte) (name string, found bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var open []*members // the enclosing values of the next token; nil members mean a list
	for {
		token, err := d.Token()
		if err != nil {
			return "", false
		}
		if token == json.Delim('}') || token == json.Delim(']') {
			open = open[:len(open)-1]
			continue
		}
		if name, repeated := read(open, token); repeated {
			return name, true
		}
		switch token {
		case json.Delim('{'):
			open = append(open, &members{seen: map[string]bool{}})
		case json.Delim('['):
			open = append(open, nil)
		}
	}
}

// members are the members of an object that is being read.
type members struct {
	seen  map[string]bool
	value bool // the next token is, or begins, a member's value
}

// read records a token that is the name of a member.
func read(open []*members, token json.Token) (name string, repeated bool) {
	if len(open) == 0 || open[len(open)-1] == nil {
		return "", false
	}
	in := open[len(open)-1]
	if in.value = !in.value; !in.value {
		return "", false
	}
	name, _ = token.(string)
	repeated, in.seen[name] = in.seen[name], true
	return name, repeated
}
