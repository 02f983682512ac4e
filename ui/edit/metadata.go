package edit

import (
	"bytes"
	"encoding/json"
	"strings"

	"mediadesk/api"
	"mediadesk/api/rule"
)

// MetadataChoices returns the values to choose from for a field, or nil if the value is typed.
func MetadataChoices(s api.MetadataSchema) []json.RawMessage {
	switch s.Type {
	case rule.MetadataBoolean:
		return []json.RawMessage{json.RawMessage("true"), json.RawMessage("false")}
	case rule.MetadataSingleSelect:
		return s.Options
	}
	return nil
}

// MetadataText formats a value for editing: texts without quotes if the schema allows it, lists
// with commas. Without a schema it is JSON.
func MetadataText(value json.RawMessage, s api.MetadataSchema) string {
	var list []json.RawMessage
	switch s.Type {
	case "":
		return string(value)
	case rule.MetadataMultiSelect:
		if json.Unmarshal(value, &list) == nil {
			words := make([]string, len(list))
			for i, v := range list {
				words[i] = rule.PlainValue(v)
			}
			return strings.Join(words, ", ")
		}
	}
	return rule.PlainValue(value)
}

// MetadataValue parses a typed value for a field; nil if empty. Text that does not fit the schema
// becomes a JSON string, which [rule.CheckMetadata] reports. Without a schema the text is taken as
// JSON.
func MetadataValue(typed string, s api.MetadataSchema) json.RawMessage {
	trimmed := strings.TrimSpace(typed)
	if trimmed == "" {
		return nil
	}
	var n json.Number
	switch s.Type {
	case "":
		return json.RawMessage(trimmed)
	case rule.MetadataText, rule.MetadataTextarea:
		return jsonText(typed)
	case rule.MetadataMultiSelect:
		return multiSelect(trimmed, s.Options)
	case rule.MetadataNumber:
		if json.Unmarshal([]byte(trimmed), &n) != nil || trimmed[0] == '"' {
			return jsonText(trimmed)
		}
		return json.RawMessage(trimmed)
	case rule.MetadataBoolean, rule.MetadataSingleSelect:
		if json.Valid([]byte(trimmed)) {
			return json.RawMessage(trimmed)
		}
	}
	return jsonText(trimmed)
}

// multiSelect parses a comma-separated list or JSON. Each part is an option, else JSON, else a
// text.
func multiSelect(typed string, options []json.RawMessage) json.RawMessage {
	if strings.HasPrefix(typed, "[") && json.Valid([]byte(typed)) {
		return json.RawMessage(typed)
	}
	byWords := map[string]json.RawMessage{}
	for _, o := range options {
		byWords[rule.PlainValue(o)] = o
	}
	var list []string
	for _, part := range rule.SplitTags(typed) {
		value := jsonText(part)
		if option, ok := byWords[part]; ok {
			value = option
		} else if json.Valid([]byte(part)) {
			value = json.RawMessage(part)
		}
		list = append(list, string(value))
	}
	return json.RawMessage("[" + strings.Join(list, ",") + "]")
}

// jsonText encodes a text as JSON without escaping <, > and &.
func jsonText(words string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(words)
	return bytes.TrimSpace(b.Bytes())
}
