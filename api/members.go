package api

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"
)

// Members are members of a JSON object, of which a struct has no field.
type Members map[string]json.RawMessage

// Text returns a member that is a text, or "".
func (m Members) Text(name string) (text string) {
	_ = json.Unmarshal(m[name], &text)
	return text
}

// With returns the members with one replaced; nil removes it.
func (m Members) With(name string, value json.RawMessage) Members {
	with := maps.Clone(m)
	if delete(with, name); value != nil {
		if with == nil {
			with = Members{}
		}
		with[name] = value
	}
	return with
}

func without(object map[string]json.RawMessage, fields map[string]int) Members {
	var other Members
	for name, value := range object {
		if _, ok := fields[name]; !ok {
			if other == nil {
				other = Members{}
			}
			other[name] = value
		}
	}
	return other
}

func membersOf[T any]() map[string]int {
	fields := map[string]int{}
	for f := range reflect.TypeFor[T]().Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "-" {
			fields[name] = f.Index[0]
		}
	}
	return fields
}

func marshalWith(object any, other Members) ([]byte, error) {
	text, err := json.Marshal(object)
	if err != nil || len(other) == 0 {
		return text, err
	}
	more, err := json.Marshal(other)
	if err == nil && len(text) > len("{}") {
		more = append(append(text[:len(text)-1], ','), more[1:]...)
	}
	return more, err
}
