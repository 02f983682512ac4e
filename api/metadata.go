package api

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// MetadataField is a custom metadata field of the account: a key that custom
// metadata may have (service.md §2.1), and what its values must be.
type MetadataField struct {
	ID     string         `json:"id"`
	Name   string         `json:"name"`  // the key
	Label  string         `json:"label"` // for people
	Schema MetadataSchema `json:"schema"`
	// Description is for users; may be empty.
	Description string `json:"description,omitempty"`
}

// The types of custom metadata fields.
const (
	MetadataText         = "Text"
	MetadataTextarea     = "Textarea"
	MetadataNumber       = "Number"
	MetadataDate         = "Date"
	MetadataBoolean      = "Boolean"
	MetadataSingleSelect = "SingleSelect"
	MetadataMultiSelect  = "MultiSelect"
)

// MetadataSchema is what the values of a field must be. Values are kept as the
// service wrote them, since bounds are numbers in one type and dates in
// another.
type MetadataSchema struct {
	Type      string            `json:"type"`
	Options   []json.RawMessage `json:"selectOptions,omitempty"`
	MinValue  json.RawMessage   `json:"minValue,omitempty"`
	MaxValue  json.RawMessage   `json:"maxValue,omitempty"`
	MinLength *int              `json:"minLength,omitempty"` // characters; nil: any
	MaxLength *int              `json:"maxLength,omitempty"`
	// Required says that a file has a value, and Default which one it gets
	// where none is sent.
	Required bool            `json:"isValueRequired,omitempty"`
	Default  json.RawMessage `json:"defaultValue,omitempty"`
}

// Hint is the description of the field, if it has one, and what its values must be.
func (f *MetadataField) Hint() string {
	hint := f.Schema.Describe()
	if f.Description != "" {
		hint = strings.TrimSuffix(f.Description, ".") + ". " + hint
	}
	return hint
}

// MetadataFields lists the custom metadata fields for files in a folder; empty: those
// of the account. Like List it is not in the specification: see [Unavailable].
func (c *Client) MetadataFields(ctx context.Context, folder string) ([]MetadataField, error) {
	address := c.base + "/v1/customMetadataFields"
	if folder != "" {
		address += "?" + url.Values{"folderPath": {path.Clean(folder)}}.Encode()
	}
	var fields []MetadataField
	err := c.call(ctx, Request{Method: http.MethodGet, Address: address}, "list of custom metadata fields", &fields)
	return fields, err
}

// CheckMetadata checks values against fields: unknown keys and values that do not fit. The error, a
// *RuleError, is for the first key in order. Null always fits.
func CheckMetadata(fields []MetadataField, values map[string]json.RawMessage) error {
	keys := make([]string, 0, len(values))
	for key := range values {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		at := slices.IndexFunc(fields, func(f MetadataField) bool { return f.Name == key })
		if at < 0 {
			return &RuleError{
				Field: "customMetadata", Message: "customMetadata has the key " + quote(key) + ", which is no custom metadata field",
				Help: "Create the field in the library first, or take the key out.",
			}
		}
		if string(values[key]) == "null" {
			continue
		}
		if reason := fields[at].Schema.misfit(values[key]); reason != "" {
			return &RuleError{
				Field: "customMetadata", Message: "customMetadata: the value of " + quote(key) + " " + reason + ": " + clip(string(values[key]), 80),
				Help: "Its field takes " + fields[at].Schema.Describe() + ".",
			}
		}
	}
	return nil
}

// CheckRequiredMetadata says which required field has no value among those that
// a file is to have. The error is a *RuleError.
func CheckRequiredMetadata(fields []MetadataField, values map[string]json.RawMessage) error {
	for _, f := range fields {
		if f.Schema.Required && !hasValue(values[f.Name]) {
			return &RuleError{
				Field: "customMetadata", Message: "customMetadata has no value for " + quote(f.Name) + ", which is required",
				Help: "Its field is of the type " + f.Schema.Type + "; give it a value.",
			}
		}
	}
	return nil
}

// DefaultMetadata returns values with the default of each field that has one
// and no value among them. It changes nothing in values.
func DefaultMetadata(fields []MetadataField, values map[string]json.RawMessage) map[string]json.RawMessage {
	var with map[string]json.RawMessage
	for _, f := range fields {
		if !hasValue(f.Schema.Default) || hasValue(values[f.Name]) {
			continue
		}
		if with == nil {
			with = map[string]json.RawMessage{}
			maps.Copy(with, values)
		}
		with[f.Name] = f.Schema.Default
	}
	if with == nil {
		return values
	}
	return with
}

func hasValue(value json.RawMessage) bool { return len(value) > 0 && string(value) != "null" }

// misfit says why a value does not fit, as a part of a sentence; empty where it
// does, or where the type is not known.
func (s *MetadataSchema) misfit(value json.RawMessage) string {
	is := func(into any) bool { return json.Unmarshal(value, into) == nil }
	var text string
	switch s.Type {
	case MetadataText, MetadataTextarea:
		if !is(&text) {
			return "is no text"
		}
		n := utf8.RuneCountInString(text)
		if s.MinLength != nil && n < *s.MinLength {
			return fmt.Sprintf("has %d characters; at least %d are needed", n, *s.MinLength)
		}
		if s.MaxLength != nil && n > *s.MaxLength {
			return fmt.Sprintf("has %d characters; at most %d are allowed", n, *s.MaxLength)
		}
	case MetadataNumber:
		var n float64
		if !is(&n) {
			return "is no number"
		}
		if least, ok := bound(s.MinValue); ok && n < least {
			return "is less than " + string(s.MinValue)
		}
		if most, ok := bound(s.MaxValue); ok && n > most {
			return "is more than " + string(s.MaxValue)
		}
	case MetadataDate:
		return s.misfitDate(value)
	case MetadataBoolean:
		if !is(new(bool)) {
			return "is not true or false"
		}
	case MetadataSingleSelect:
		if !s.offers(value) {
			return "is none of the options"
		}
	case MetadataMultiSelect:
		var list []json.RawMessage
		if !is(&list) {
			return "is no list"
		}
		for _, v := range list {
			if !s.offers(v) {
				return "holds " + string(v) + ", which is none of the options"
			}
		}
	}
	return ""
}

func bound(text json.RawMessage) (float64, bool) {
	var n *float64
	err := json.Unmarshal(text, &n)
	if err != nil || n == nil {
		return 0, false
	}
	return *n, true
}

func (s *MetadataSchema) misfitDate(value json.RawMessage) string {
	at, ok := readDate(value)
	if !ok {
		return "is no date such as 2026-07-31"
	}
	if least, ok := readDate(s.MinValue); ok && at.Before(least) {
		return "is before " + string(s.MinValue)
	}
	if most, ok := readDate(s.MaxValue); ok && at.After(most) {
		return "is after " + string(s.MaxValue)
	}
	return ""
}

// readDate reads a date or an instant in the form of ISO 8601.
func readDate(value json.RawMessage) (time.Time, bool) {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return time.Time{}, false
	}
	return parseDate(text)
}

// parseDate reads a date in one of the forms of ISO 8601 that values have, or in more.
func parseDate(text string, more ...string) (time.Time, bool) {
	for _, layout := range append(more, time.RFC3339, time.DateOnly) {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// offers tells whether a value is one of the options, whatever way its JSON is
// written.
func (s *MetadataSchema) offers(value json.RawMessage) bool {
	return slices.ContainsFunc(s.Options, func(o json.RawMessage) bool { return sameScalar(o, value) })
}

func sameScalar(a, b json.RawMessage) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	switch x.(type) {
	case []any, map[string]any:
		return false
	}
	switch y.(type) {
	case []any, map[string]any:
		return false
	}
	return x == y
}

// Describe is the type in words for a form, with what bounds it.
func (s *MetadataSchema) Describe() string {
	words := s.Type
	switch {
	case s.MinLength != nil && s.MaxLength != nil:
		words += ", " + strconv.Itoa(*s.MinLength) + " to " + strconv.Itoa(*s.MaxLength) + " characters"
	case s.MaxLength != nil:
		words += ", at most " + strconv.Itoa(*s.MaxLength) + " characters"
	case s.MinLength != nil:
		words += ", at least " + strconv.Itoa(*s.MinLength) + " characters"
	}
	least, most := hasValue(s.MinValue), hasValue(s.MaxValue)
	switch {
	case least && most:
		words += ", " + string(s.MinValue) + " to " + string(s.MaxValue)
	case least:
		words += ", at least " + string(s.MinValue)
	case most:
		words += ", at most " + string(s.MaxValue)
	}
	if len(s.Options) > 0 {
		options := make([]string, min(len(s.Options), maxOptionsShown))
		for i := range options {
			options[i] = string(s.Options[i])
			_ = json.Unmarshal(s.Options[i], &options[i]) // a text goes without quotation marks
		}
		words += " of " + strings.Join(options, ", ")
		if more := len(s.Options) - len(options); more > 0 {
			words += " and " + strconv.Itoa(more) + " more"
		}
	}
	if s.Required {
		words += ", required"
	}
	return words
}

// maxOptionsShown is how many options Describe names.
const maxOptionsShown = 20
