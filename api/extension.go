package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// Extension is an element of the extensions parameter (service.md §2.2).
type Extension struct {
	MaxTags       Field[int]                 `json:"maxTags,omitzero"`       // tagging only
	MinConfidence Field[int]                 `json:"minConfidence,omitzero"` // tagging only, percent
	Name          string                     `json:"name"`
	Options       map[string]json.RawMessage `json:"options,omitzero"`
	Rest          Members                    `json:"-"` // members that are not in the specification
}

// MarshalJSON writes the element.
func (e Extension) MarshalJSON() ([]byte, error) {
	type members Extension
	return marshalWith(members(e), e.Rest)
}

// UnmarshalJSON reads an element. Its error names the member of the wrong type.
func (e *Extension) UnmarshalJSON(data []byte) error {
	var sent map[string]json.RawMessage
	if json.Unmarshal(data, &sent) != nil || sent == nil {
		return errors.New("an extension is a JSON object with a name")
	}
	*e = Extension{}
	for name, i := range extensionFields {
		into := reflect.ValueOf(e).Elem().Field(i).Addr().Interface()
		if text, ok := sent[name]; ok && json.Unmarshal(text, into) != nil {
			return fmt.Errorf("%s of an extension is of the wrong type", name)
		}
	}
	e.Rest = without(sent, extensionFields)
	return nil
}

var extensionFields = membersOf[Extension]()

// Saved is a saved extension of an account (hosted-service.md §15).
type Saved struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Config      Extension `json:"config"`
}
