package api

import (
	"encoding/json"
	"slices"
)

var metadataTypes = []string{MetadataText, MetadataTextarea, MetadataNumber, MetadataDate, MetadataBoolean, MetadataSingleSelect, MetadataMultiSelect}

// Check checks the schema of a new field: its type, matching and ordered bounds, options of a
// choice, and a fitting default, which required fields need. The error is a *RuleError.
func (s *MetadataSchema) Check() error {
	if !slices.Contains(metadataTypes, s.Type) {
		return schemaError("type "+quote(s.Type)+" is not known", "The types are Text, Textarea, Number, Date, Boolean, SingleSelect and MultiSelect.")
	}
	for _, err := range []error{s.checkLengths(), s.checkBounds(), s.checkOptions()} {
		if err != nil {
			return err
		}
	}
	if !hasValue(s.Default) {
		if s.Required {
			return schemaError("defaultValue is missing, and isValueRequired is true", "Give it a default for the files that come without a value.")
		}
		return nil
	}
	if reason := s.misfit(s.Default); reason != "" {
		return schemaError("defaultValue "+reason, "A default is a value as files may have it.")
	}
	return nil
}

func (s *MetadataSchema) checkLengths() error {
	if s.MinLength == nil && s.MaxLength == nil {
		return nil
	}
	least, most := 0, 0
	if s.MinLength != nil {
		least = *s.MinLength
	}
	if most = least; s.MaxLength != nil {
		most = *s.MaxLength
	}
	switch {
	case s.Type != MetadataText && s.Type != MetadataTextarea:
		return schemaError("minLength and maxLength are for Text and Textarea only", "Leave them out.")
	case least < 0 || most < least:
		return schemaError("minLength and maxLength leave nothing between them", "Make minLength the smaller one.")
	}
	return nil
}

func (s *MetadataSchema) checkBounds() error {
	if !hasValue(s.MinValue) && !hasValue(s.MaxValue) {
		return nil
	}
	if s.Type != MetadataNumber && s.Type != MetadataDate {
		return schemaError("minValue and maxValue are for Number and Date only", "Leave them out.")
	}
	for name, value := range map[string]json.RawMessage{"minValue": s.MinValue, "maxValue": s.MaxValue} {
		kind := MetadataSchema{Type: s.Type}
		if !hasValue(value) {
			continue
		}
		if reason := kind.misfit(value); reason != "" {
			return schemaError(name+" "+reason, "A bound is of the type of the field.")
		}
	}
	if hasValue(s.MinValue) && hasValue(s.MaxValue) && s.misfit(s.MinValue) != "" {
		return schemaError("minValue and maxValue leave nothing between them", "Make minValue the smaller one.")
	}
	return nil
}

func (s *MetadataSchema) checkOptions() error {
	if s.Type != MetadataSingleSelect && s.Type != MetadataMultiSelect {
		return nil
	}
	if len(s.Options) == 0 {
		return schemaError("selectOptions are missing", "A "+s.Type+" needs them: an array of values to choose from.")
	}
	for _, option := range s.Options {
		if !sameScalar(option, option) || !hasValue(option) {
			return schemaError("selectOptions hold "+clip(string(option), 80), "An option is a text, a number, true or false.")
		}
	}
	return nil
}

func schemaError(reason, help string) error {
	return &RuleError{Field: "schema", Message: "schema of the custom metadata field: " + reason, Help: help}
}
