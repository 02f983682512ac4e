package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// ParseMetadataRows parses custom metadata as users type it: a JSON object (service.md §4.1), or rows
// of a key and a value, separated by = or :. A value is JSON (a number, true, a quoted string, a
// list) or else text. Blank rows are ignored. The error is a *RuleError.
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
		members[key] = rowValue(value)
	}
	return members, nil
}

func metadataError(row int, reason string) error {
	return &RuleError{
		Field:   "customMetadata",
		Message: fmt.Sprintf("customMetadata: row %d %s", row, reason),
		Help:    `Write rows such as brand = Acme, or a JSON object.`,
	}
}

// MetadataRows formats members for ParseMetadataRows: as rows sorted by key, or as a JSON object if a
// row cannot represent one.
func MetadataRows(members map[string]json.RawMessage) string {
	keys := make([]string, 0, len(members))
	for key := range members {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	var rows []string
	for _, key := range keys {
		if key == "" || key != strings.TrimSpace(key) || strings.ContainsAny(key, "=:\n\r{[") {
			text, _ := readableJSON(members) // values read from JSON can be encoded
			return string(text)
		}
		rows = append(rows, key+" = "+valueText(members[key]))
	}
	return strings.Join(rows, "\n")
}

// valueText formats a JSON value for rowValue: texts without quotation marks if possible.
func valueText(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil && text != "" && text == strings.TrimSpace(text) &&
		!strings.ContainsAny(text, "\n\r") && !json.Valid([]byte(text)) && string(rowText(text)) == string(value) {
		return text
	}
	var line bytes.Buffer
	if json.Compact(&line, value) != nil {
		return string(value)
	}
	return line.String()
}

// rowValue converts the value of a row to JSON.
func rowValue(text string) json.RawMessage {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return rowText(text)
}

func rowText(text string) json.RawMessage {
	quoted, _ := readableJSON(text) // text can always be encoded
	return quoted
}
