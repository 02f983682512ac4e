package rule

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mediadesk/api"
)

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

// DescribeField describes a custom metadata field and its values.
func DescribeField(f *api.MetadataField) string {
	hint := describeSchema(&f.Schema)
	if f.Description != "" {
		hint = strings.TrimSuffix(f.Description, ".") + ". " + hint
	}
	return hint
}

// CheckMetadata checks values against fields for unknown keys and invalid values. The error is a
// *api.RuleError for the first key in order. Null is always valid.
func CheckMetadata(fields []api.MetadataField, values map[string]json.RawMessage) error {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		at := slices.IndexFunc(fields, func(f api.MetadataField) bool { return f.Name == key })
		if at < 0 {
			return broken(FieldMetadata, "customMetadata has the key "+api.Quote(key)+", which is not a custom metadata field",
				"Create the field in the library first, or take the key out.")
		}
		if string(values[key]) == "null" {
			continue
		}
		if reason := misfit(&fields[at].Schema, values[key]); reason != "" {
			return broken(FieldMetadata, "customMetadata: the value of "+api.Quote(key)+" "+reason+": "+api.Clip(string(values[key]), 80),
				"Its field takes "+describeSchema(&fields[at].Schema)+".")
		}
	}
	return nil
}

// CheckNewMetadata returns a *api.RuleError if the service would refuse the custom metadata of an
// upload: [CheckMetadata], then [CheckRequiredMetadata]. Without values, required fields get their
// defaults.
func CheckNewMetadata(fields []api.MetadataField, values map[string]json.RawMessage) error {
	if len(values) == 0 {
		return nil
	}
	return cmp.Or(CheckMetadata(fields, values), CheckRequiredMetadata(fields, values))
}

// CheckRequiredMetadata returns a *api.RuleError for a required field without a value.
func CheckRequiredMetadata(fields []api.MetadataField, values map[string]json.RawMessage) error {
	for _, f := range fields {
		if f.Schema.Required && IsNull(values[f.Name]) {
			return broken(FieldMetadata, "customMetadata has no value for "+api.Quote(f.Name)+", which is required",
				"Its field is of the type "+f.Schema.Type+"; give it a value.")
		}
	}
	return nil
}

// DefaultMetadata returns values plus the defaults of the fields without a value. It does not
// modify values.
func DefaultMetadata(fields []api.MetadataField,
	values map[string]json.RawMessage,
) map[string]json.RawMessage {
	with := maps.Clone(values)
	for _, f := range fields {
		if !IsNull(f.Schema.Default) && IsNull(values[f.Name]) {
			if with == nil {
				with = map[string]json.RawMessage{}
			}
			with[f.Name] = f.Schema.Default
		}
	}
	return with
}

// misfit says why a value is invalid, as part of a sentence; empty if it is valid or the type is
// unknown.
func misfit(s *api.MetadataSchema, value json.RawMessage) string {
	is := func(into any) bool { return json.Unmarshal(value, into) == nil }
	var text string
	switch s.Type {
	case MetadataText, MetadataTextarea:
		if !is(&text) {
			return "is not text"
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
			return "is not a number"
		}
		if least, ok := bound(s.MinValue); ok && n < least {
			return "is less than " + string(s.MinValue)
		}
		if most, ok := bound(s.MaxValue); ok && n > most {
			return "is more than " + string(s.MaxValue)
		}
	case MetadataDate:
		at, ok := readDate(value)
		if !ok {
			return "is not a date such as 2026-07-31"
		}
		if least, ok := readDate(s.MinValue); ok && at.Before(least) {
			return "is before " + string(s.MinValue)
		}
		if most, ok := readDate(s.MaxValue); ok && at.After(most) {
			return "is after " + string(s.MaxValue)
		}
	case MetadataBoolean:
		if !is(new(bool)) {
			return "is not true or false"
		}
	case MetadataSingleSelect:
		if !offers(s, value) {
			return "is not one of the options"
		}
	case MetadataMultiSelect:
		var list []json.RawMessage
		if !is(&list) {
			return "is not a list"
		}
		for _, v := range list {
			if !offers(s, v) {
				return "holds " + string(v) + ", which is not one of the options"
			}
		}
	}
	return ""
}

func bound(text json.RawMessage) (float64, bool) {
	var n *float64
	if json.Unmarshal(text, &n) != nil || n == nil {
		return 0, false
	}
	return *n, true
}

func readDate(value json.RawMessage) (time.Time, bool) {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return time.Time{}, false
	}
	return parseDate(text)
}

// parseDate parses a date in one of the usual ISO 8601 formats, or in more.
func parseDate(text string, more ...string) (time.Time, bool) {
	for _, layout := range append(more, time.RFC3339, time.DateOnly) {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// offers reports whether a value is one of the options, regardless of how its JSON is written.
func offers(s *api.MetadataSchema, value json.RawMessage) bool {
	return slices.ContainsFunc(s.Options, func(o json.RawMessage) bool { return sameScalar(o, value) })
}

func sameScalar(a, b json.RawMessage) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	if kind := reflect.TypeOf(x); kind != nil && !kind.Comparable() {
		return false
	}
	return x == y
}

// describeSchema describes the type and its bounds for a form.
func describeSchema(s *api.MetadataSchema) string {
	words := s.Type
	between := func(least, most json.RawMessage, unit string) {
		switch {
		case !IsNull(least) && !IsNull(most):
			words += ", " + string(least) + " to " + string(most) + unit
		case !IsNull(least):
			words += ", at least " + string(least) + unit
		case !IsNull(most):
			words += ", at most " + string(most) + unit
		}
	}
	between(JSON(s.MinLength), JSON(s.MaxLength), " characters")
	between(s.MinValue, s.MaxValue, "")
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

const maxOptionsShown = 20

var metadataTypes = []string{
	MetadataText, MetadataTextarea, MetadataNumber, MetadataDate,
	MetadataBoolean, MetadataSingleSelect, MetadataMultiSelect,
}

// CheckSchema checks the schema of a new field: its type, matching and ordered bounds, options of a
// choice, and a fitting default, which required fields need. The error is a *api.RuleError.
func CheckSchema(s *api.MetadataSchema) error {
	if !slices.Contains(metadataTypes, s.Type) {
		return schemaError("type "+api.Quote(s.Type)+" is not known", "The types are Text, Textarea, Number, Date, Boolean, SingleSelect and MultiSelect.")
	}
	if reason, help := schemaMisfit(s); reason != "" {
		return schemaError(reason, help)
	}
	if IsNull(s.Default) {
		if s.Required {
			return schemaError("defaultValue is missing, and isValueRequired is true", "Give it a default for the files that come without a value.")
		}
		return nil
	}
	if reason := misfit(s, s.Default); reason != "" {
		return schemaError("defaultValue "+reason, "A default is a value as files may have it.")
	}
	return nil
}

func schemaMisfit(s *api.MetadataSchema) (reason, help string) {
	isText := s.Type == MetadataText || s.Type == MetadataTextarea
	isOrdered := s.Type == MetadataNumber || s.Type == MetadataDate
	isChoice := s.Type == MetadataSingleSelect || s.Type == MetadataMultiSelect
	least := 0
	if s.MinLength != nil {
		least = *s.MinLength
	}
	kind := api.MetadataSchema{Type: s.Type}
	bounded := !IsNull(s.MinValue) || !IsNull(s.MaxValue)
	switch {
	case !isText && (s.MinLength != nil || s.MaxLength != nil):
		return "minLength and maxLength are for Text and Textarea only", "Leave them out."
	case least < 0 || s.MaxLength != nil && *s.MaxLength < least:
		return "minLength and maxLength leave nothing between them", "Make minLength the smaller one."
	case bounded && !isOrdered:
		return "minValue and maxValue are for Number and Date only", "Leave them out."
	case isChoice && len(s.Options) == 0:
		return "selectOptions are missing", "A " + s.Type + " needs them: an array of values to choose from."
	}
	for name, value := range map[string]json.RawMessage{"minValue": s.MinValue, "maxValue": s.MaxValue} {
		if misfits := misfit(&kind, value); !IsNull(value) && misfits != "" {
			return name + " " + misfits, "A bound is of the type of the field."
		}
	}
	if !IsNull(s.MinValue) && !IsNull(s.MaxValue) && misfit(s, s.MinValue) != "" {
		return "minValue and maxValue leave nothing between them", "Make minValue the smaller one."
	}
	for _, option := range s.Options {
		if isChoice && (!sameScalar(option, option) || IsNull(option)) {
			return "selectOptions hold " + api.Clip(string(option), 80), "An option is a text, a number, true or false."
		}
	}
	return "", ""
}

func schemaError(reason, help string) error {
	return broken("schema", "schema of the custom metadata field: "+reason, help)
}

// ParseMetadataRows parses custom metadata as users type it: a JSON object (service.md §4.1), or
// rows of a key and a value, separated by = or :. A value is JSON (a number, true, a quoted
// string, a list) or else text. Blank rows are ignored. The error is a *api.RuleError.
func ParseMetadataRows(text string) (map[string]json.RawMessage, error) {
	text = strings.TrimSpace(text)
	if text == "" || strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		return ParseMetadata(text)
	}
	members := map[string]json.RawMessage{}
	row := 0
	for line := range strings.SplitSeq(text, "\n") {
		row++
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		at := strings.IndexAny(line, "=:")
		if at < 0 {
			return nil, metadataError(row, "has no = between key and value")
		}
		key, value := strings.TrimSpace(line[:at]), strings.TrimSpace(line[at+1:])
		if key == "" {
			return nil, metadataError(row, "has no key before the "+line[at:at+1])
		}
		if _, twice := members[key]; twice {
			return nil, metadataError(row, fmt.Sprintf("sets %q a second time", key))
		}
		if members[key] = json.RawMessage(value); !json.Valid(members[key]) {
			members[key] = JSON(value)
		}
	}
	return members, nil
}

func metadataError(row int, reason string) error {
	return broken(FieldMetadata, fmt.Sprintf("customMetadata: row %d %s", row, reason),
		"Write rows such as brand = Acme, or a JSON object.")
}

// MetadataRows formats members for ParseMetadataRows: as rows sorted by key, or as a JSON object
// if a row cannot represent one.
func MetadataRows(members map[string]json.RawMessage) string {
	var rows []string
	for _, key := range slices.Sorted(maps.Keys(members)) {
		if key == "" || key != strings.TrimSpace(key) || strings.ContainsAny(key, "=:\n\r{[") {
			return string(JSON(members))
		}
		rows = append(rows, key+" = "+valueText(members[key]))
	}
	return strings.Join(rows, "\n")
}

// valueText formats a JSON value for a row: texts without quotation marks if possible.
func valueText(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil && text != "" && text == strings.TrimSpace(text) &&
		!strings.ContainsAny(text, "\n\r") && !json.Valid([]byte(text)) &&
		string(JSON(text)) == string(value) {
		return text
	}
	return compact(value)
}
