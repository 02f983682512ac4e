package rule

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"mediadesk/api"
)

// Names of the extensions of the specification and the hosted service. Other names are sent as they
// are.
const (
	RemoveBackground = "remove-bg"
	GoogleTagging    = "google-auto-tagging"
	AWSTagging       = "aws-auto-tagging"
	AutoDescription  = "ai-auto-description"
	AITasks          = "ai-tasks"
	SavedExtension   = "saved-extension"
)

// Limits of the options of the tagging extensions.
const (
	MaxAutoTags      = 30
	maxMinConfidence = 100
)

var taggingName = regexp.MustCompile(`^[a-z0-9_-]+-auto-tagging$`)

// IsTagging reports whether name is one of the automatic-tagging extensions,
// `<provider>-auto-tagging` (service.md §2.2).
func IsTagging(name string) bool { return taggingName.MatchString(name) }

// ParseExtensions parses the extensions parameter of an upload, a JSON array (service.md §2.2). It
// may be empty. The error is a *api.RuleError with the position of the problem.
func ParseExtensions(text string) ([]api.Extension, error) {
	var elements []json.RawMessage
	if err := json.Unmarshal([]byte(text), &elements); err != nil {
		return nil, extensionError("extensions are not a JSON array of extensions: " + jsonProblem([]byte(text), err))
	}
	if elements == nil {
		return nil, extensionError("extensions are null, not a JSON array")
	}
	if name, found := RepeatedMember([]byte(text)); found {
		return nil, extensionError("extensions: " + api.Quote(name) + " is listed twice")
	}
	list := make([]api.Extension, len(elements))
	for i, element := range elements {
		if err := json.Unmarshal(element, &list[i]); err != nil {
			return nil, extensionError(fmt.Sprintf("extensions: number %d of %d: %s", i+1, len(elements), err))
		}
	}
	return list, CheckExtensions(list)
}

// MakesVersion reports whether an extension of that name may create a new version of the file.
// Those that tag or describe do not.
func MakesVersion(name string) bool {
	return !IsTagging(name) && name != AutoDescription && name != AITasks
}

// CheckExtensions checks that extensions have unique names and that specified options have the
// right types. The error is a *api.RuleError.
func CheckExtensions(list []api.Extension) error {
	seen := map[string]bool{}
	for _, e := range list {
		if strings.TrimSpace(e.Name) == "" {
			return extensionError("extensions: one has no name")
		}
		key := e.Name
		if key == SavedExtension {
			key += string(e.Rest["id"])
		}
		if seen[key] {
			return extensionError("extensions: " + api.Quote(e.Name) + " is listed twice")
		}
		seen[key] = true
		if err := checkOptions(e); err != nil {
			return err
		}
	}
	return nil
}

func checkOptions(e api.Extension) error {
	if n, ok := e.MaxTags.Get(); ok && (n < 0 || n > MaxAutoTags) {
		return extensionError(fmt.Sprintf("extensions: maxTags of %s is %d; it may be 0 to %d", api.Quote(e.Name), n, MaxAutoTags))
	}
	if n, ok := e.MinConfidence.Get(); ok && (n < 0 || n > maxMinConfidence) {
		return extensionError(fmt.Sprintf("extensions: minConfidence of %s is %d; it may be 0 to %d", api.Quote(e.Name), n, maxMinConfidence))
	}
	if e.Name != RemoveBackground {
		return nil
	}
	if e.Options["bg_colour"] != nil && e.Options["bg_color"] != nil {
		return extensionError("extensions: the options bg_colour and bg_color of remove-bg are the same, in two spellings")
	}
	for name, text := range e.Options {
		switch name {
		case "add_shadow", "semitransparency":
			if json.Unmarshal(text, new(bool)) != nil {
				return extensionError("extensions: option " + name + " of remove-bg is true or false")
			}
		case "bg_colour", "bg_color", "bg_image_url":
			if json.Unmarshal(text, new(string)) != nil {
				return extensionError("extensions: option " + name + " of remove-bg is a text")
			}
		}
	}
	return nil
}

func extensionError(message string) error {
	return &api.RuleError{Field: "extensions", Message: message, Help: `Write a JSON array such as [{"name":"remove-bg","options":{"add_shadow":true}}].`}
}

// ParseMetadata parses the customMetadata parameter, a JSON object (service.md §4.1). The error is a
// *api.RuleError with the position of the problem.
func ParseMetadata(text string) (map[string]json.RawMessage, error) {
	var members map[string]json.RawMessage
	err := json.Unmarshal([]byte(text), &members)
	refuse := func(reason string) (map[string]json.RawMessage, error) {
		return nil, &api.RuleError{Field: "customMetadata", Message: "customMetadata " + reason, Help: `Write an object such as {"brand":"Acme","year":2026}.`}
	}
	if err != nil {
		return refuse("is not a JSON object: " + jsonProblem([]byte(text), err))
	}
	if members == nil {
		return refuse("is not a JSON object: it is null")
	}
	if name, found := RepeatedMember([]byte(text)); found {
		return refuse("has the key " + api.Quote(name) + " twice")
	}
	return members, nil
}

// jsonProblem describes an error of encoding/json with its 1-based line and column, in characters.
func jsonProblem(text []byte, err error) string {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		before := text[:max(min(int(syntax.Offset), len(text))-1, 0)]
		start := bytes.LastIndexByte(before, '\n') + 1
		return fmt.Sprintf("line %d, column %d: %s", 1+bytes.Count(before, []byte("\n")), 1+utf8.RuneCount(before[start:]), syntax.Error())
	}
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return "it is of another type: " + kind.Value
	}
	return err.Error()
}
