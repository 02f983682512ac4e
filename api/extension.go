package api

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Extension is an element of the extensions parameter (service.md §2.2). Rest preserves members
// that are not in the specification.
type Extension struct {
	Name          string
	Options       map[string]json.RawMessage // may be nil
	MaxTags       Field[int]                 // tagging only
	MinConfidence Field[int]                 // tagging only, percent
	Rest          map[string]json.RawMessage
}

// MarshalJSON writes the element.
func (e Extension) MarshalJSON() ([]byte, error) {
	members := map[string]any{}
	for name, text := range e.Rest {
		members[name] = text
	}
	members["name"] = e.Name
	if e.Options != nil {
		members["options"] = e.Options
	}
	if !e.MaxTags.IsZero() {
		members["maxTags"] = e.MaxTags
	}
	if !e.MinConfidence.IsZero() {
		members["minConfidence"] = e.MinConfidence
	}
	return json.Marshal(members)
}

// UnmarshalJSON reads an element. Its error names the member of the wrong type.
func (e *Extension) UnmarshalJSON(data []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil || members == nil {
		return errors.New("an extension is a JSON object with a name")
	}
	*e = Extension{}
	for name, text := range members {
		var err error
		switch name {
		case "name":
			err = json.Unmarshal(text, &e.Name)
		case "options":
			err = json.Unmarshal(text, &e.Options)
		case "maxTags":
			err = json.Unmarshal(text, &e.MaxTags)
		case "minConfidence":
			err = json.Unmarshal(text, &e.MinConfidence)
		default:
			if e.Rest == nil {
				e.Rest = map[string]json.RawMessage{}
			}
			e.Rest[name] = text
		}
		if err != nil {
			return fmt.Errorf("%s of an extension is of the wrong type", name)
		}
	}
	return nil
}

// Saved is a saved extension of an account (hosted-service.md §15).
type Saved struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Config      Extension `json:"config"`
}
