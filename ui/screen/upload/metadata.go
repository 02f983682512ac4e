package upload

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mediadesk/api"
)

// readMetadata reads custom metadata as typed: a JSON object (service.md §4.1), or rows
// of a key and a value with = or : between them. A value that is JSON (a
// number, true, a text in quotation marks, a list) is that; any other is a
// text. Blank rows do not count. Nothing typed is nil.
func readMetadata(text string) (map[string]json.RawMessage, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		return api.ParseMetadata(text)
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

func metadataError(row int, why string) error {
	return &api.RuleError{
		Field:   "customMetadata",
		Message: fmt.Sprintf("customMetadata: row %d %s", row, why),
		Help:    `Write rows such as brand = Acme, or a JSON object.`,
	}
}

// metadataText writes members so that readMetadata reads the same: as rows in
// the order of their keys, or as a JSON object where a row could not hold one.
func metadataText(members map[string]json.RawMessage) string {
	keys := make([]string, 0, len(members))
	for key := range members {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	var rows []string
	for _, key := range keys {
		if key == "" || key != strings.TrimSpace(key) || strings.ContainsAny(key, "=:\n\r{[") {
			// What came out of JSON can be written as such.
			text, _ := json.Marshal(members)
			return string(text)
		}
		rows = append(rows, key+" = "+valueText(members[key]))
	}
	return strings.Join(rows, "\n")
}

// valueText writes a JSON value so that rowValue reads the same: texts without
// quotation marks where they can do without.
func valueText(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil && text != "" && text == strings.TrimSpace(text) &&
		!strings.ContainsAny(text, "\n\r") && !json.Valid([]byte(text)) && string(jsonText(text)) == string(value) {
		return text
	}
	var line bytes.Buffer
	if json.Compact(&line, value) != nil {
		return string(value)
	}
	return line.String()
}

// rowValue is the value of a row as JSON.
func rowValue(text string) json.RawMessage {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return jsonText(text)
}

// jsonText is a text as JSON, readable: without escapes for < > and &.
func jsonText(text string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	// A text can always be written, and a buffer takes it.
	_ = e.Encode(text)
	return bytes.TrimSpace(b.Bytes())
}

// jsonProblem says where a JSON text goes wrong.
func jsonProblem(text string, err error) string {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		before := text[:min(int(syntax.Offset), len(text))]
		line := 1 + strings.Count(before, "\n")
		column := max(1, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]))
		return "line " + strconv.Itoa(line) + ", column " + strconv.Itoa(column) + ": " + syntax.Error()
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return "it is JSON of the kind " + kind.Value
	}
	return err.Error()
}
