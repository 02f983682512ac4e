package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
)

// Details is the body of a details update (service.md §4.2). An absent field keeps its value, null
// unsets it.
type Details struct {
	Tags              Field[[]string] `json:"tags,omitzero"`
	CustomCoordinates Field[string]   `json:"customCoordinates,omitzero"` // "x,y,width,height"

	// The rest is for hosted services only.
	CustomMetadata Field[map[string]json.RawMessage] `json:"customMetadata,omitzero"`
	Extensions     Field[[]Extension]                `json:"extensions,omitzero"`
	WebhookURL     Field[string]                     `json:"webhookUrl,omitzero"`
	NoWebhook      bool                              `json:"-"` // not even to this program's receiver
	Other          Members                           `json:"-"` // fields of the table without a member here
}

// MarshalJSON encodes the members that are not absent.
func (d Details) MarshalJSON() ([]byte, error) {
	type members Details
	return marshalWith(members(d), d.Other)
}

// UnmarshalJSON reads an update.
func (d *Details) UnmarshalJSON(data []byte) error {
	type members Details
	var sent map[string]json.RawMessage
	err := errors.Join(json.Unmarshal(data, (*members)(d)), json.Unmarshal(data, &sent))
	d.Other = without(sent, detailFields)
	return err
}

var detailFields = membersOf[Details]()

// IsEmpty reports whether the update would change nothing.
func (d Details) IsEmpty() bool {
	return d.Tags.IsZero() && d.CustomCoordinates.IsZero() && d.CustomMetadata.IsZero() &&
		len(d.Other) == 0 && d.Extensions.IsZero() && d.WebhookURL.IsZero()
}

// Field is a value that is absent, null or set. An absent field is not sent, an explicit false is,
// and null in a details update unsets a value (service.md §4.2). The zero Field is absent.
//
// In a struct, tag it `json:",omitzero"` to leave absent fields out of the JSON text.
type Field[T any] struct {
	value T
	state fieldState
}

type fieldState uint8

const (
	absent fieldState = iota
	null
	set
)

// Set returns a field with the value v, which may be empty or false.
func Set[T any](v T) Field[T] { return Field[T]{value: v, state: set} }

// Null returns a field that is null.
func Null[T any]() Field[T] { return Field[T]{state: null} }

// IsZero reports whether the field is absent, for omitzero.
func (f Field[T]) IsZero() bool { return f.state == absent }

// IsNull reports whether the field is null.
func (f Field[T]) IsNull() bool { return f.state == null }

// IsSet reports whether the field holds a value.
func (f Field[T]) IsSet() bool { return f.state == set }

// Get returns the value and whether there is one.
func (f Field[T]) Get() (T, bool) { return f.value, f.state == set }

// Or returns the value, or instead if the field is absent or null.
func (f Field[T]) Or(instead T) T {
	if f.state == set {
		return f.value
	}
	return instead
}

func (f Field[T]) part() (text string, sent bool, err error) {
	switch v := any(f.value).(type) {
	case string:
		return v, f.IsSet(), nil
	case []string:
		return strings.Join(v, ","), f.IsSet(), nil
	}
	encoded, err := json.Marshal(f)
	return string(encoded), f.IsSet(), err
}

// MarshalJSON encodes the value, or null without one. A nil list or map that is set becomes [] or
// {}, because null has another meaning.
func (f Field[T]) MarshalJSON() ([]byte, error) {
	if f.state != set {
		return []byte("null"), nil
	}
	switch v := reflect.ValueOf(f.value); {
	case v.Kind() == reflect.Slice && v.IsNil():
		return []byte("[]"), nil
	case v.Kind() == reflect.Map && v.IsNil():
		return []byte("{}"), nil
	}
	return json.Marshal(f.value)
}

// UnmarshalJSON reads a value or null. It is not called for an absent member.
func (f *Field[T]) UnmarshalJSON(data []byte) error {
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		*f = Null[T]()
		return nil
	}
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*f = Set(v)
	return nil
}
