package api

import (
	"encoding/json"
)

// MetadataField is a custom metadata field of the account (service.md §2.1) with its constraints.
type MetadataField struct {
	ID     string         `json:"id"`
	Name   string         `json:"name"`  // the key
	Label  string         `json:"label"` // for the user
	Schema MetadataSchema `json:"schema"`
	// Description is for users; may be empty.
	Description string `json:"description,omitempty"`
}

// MetadataSchema describes the values of a field. Bounds are raw JSON, because they are numbers or
// dates depending on the type.
type MetadataSchema struct {
	Type      string            `json:"type"`
	Options   []json.RawMessage `json:"selectOptions,omitempty"`
	MinValue  json.RawMessage   `json:"minValue,omitempty"`
	MaxValue  json.RawMessage   `json:"maxValue,omitempty"`
	MinLength *int              `json:"minLength,omitempty"` // characters; nil if unlimited
	MaxLength *int              `json:"maxLength,omitempty"`
	// Required means that every file has a value, and Default is the value if none is sent.
	Required bool            `json:"isValueRequired,omitempty"`
	Default  json.RawMessage `json:"defaultValue,omitempty"`
}
