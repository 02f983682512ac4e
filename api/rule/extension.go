package rule

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image/color"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/image/colornames"

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
	return broken(FieldExtensions, message, `Write a JSON array such as [{"name":"remove-bg","options":{"add_shadow":true}}].`)
}

// ParseMetadata parses the customMetadata parameter, a JSON object (service.md §4.1). The error is a
// *api.RuleError with the position of the problem.
func ParseMetadata(text string) (map[string]json.RawMessage, error) {
	var members map[string]json.RawMessage
	err := json.Unmarshal([]byte(text), &members)
	refuse := func(reason string) (map[string]json.RawMessage, error) {
		return nil, broken(FieldMetadata, "customMetadata "+reason, `Write an object such as {"brand":"Acme","year":2026}.`)
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
		line := bytes.Count(before, []byte("\n")) + 1
		column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
		return fmt.Sprintf("line %d, column %d: %s", line, column, syntax.Error())
	}
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return "it is of another type: " + kind.Value
	}
	return err.Error()
}

// ExtensionArguments formats extensions for flags: as names if they have no options.
func ExtensionArguments(list []api.Extension) []string {
	args := make([]string, 0, len(list))
	for _, e := range list {
		text, err := ReadableJSON(e)
		if err != nil {
			continue
		}
		if isName(e) {
			text = []byte(e.Name)
		}
		args = append(args, string(text))
	}
	return args
}

func isName(e api.Extension) bool {
	return e.Name != "" && e.Name == strings.TrimSpace(e.Name) && !strings.ContainsAny(e.Name, ",[{") &&
		e.Options == nil && e.MaxTags.IsZero() && e.MinConfidence.IsZero() && len(e.Rest) == 0
}

// ExtensionsText returns a comma-separated list of names, or a JSON array.
func ExtensionsText(list []api.Extension) string {
	if len(list) > 0 && !slices.ContainsFunc(list, func(e api.Extension) bool { return !isName(e) }) {
		return strings.Join(ExtensionArguments(list), ",")
	}
	return string(JSON(api.Set(list)))
}

// ParseExtensionList parses extensions in flags and settings: each value is a comma-separated list
// of names, a JSON object, or a JSON array of those. The error is a *api.RuleError.
func ParseExtensionList(values []string) ([]api.Extension, error) {
	var list []api.Extension
	for _, text := range values {
		text = strings.TrimSpace(text)
		if strings.HasPrefix(text, "{") {
			text = "[" + text + "]"
		}
		if strings.HasPrefix(text, "[") {
			more, err := ParseExtensions(text)
			if err != nil {
				return nil, err
			}
			list = append(list, more...)
			continue
		}
		for name := range strings.SplitSeq(text, ",") {
			list = append(list, api.Extension{Name: strings.TrimSpace(name)})
		}
	}
	return list, CheckExtensions(list)
}

// SavedElement returns the element that requests the saved extension.
func SavedElement(s *api.SavedExtension) api.Extension {
	id, _ := json.Marshal(s.ID)
	return api.Extension{Name: SavedExtension, Rest: map[string]json.RawMessage{"id": id}}
}

// TasksShow reports whether now shows a result of the tasks of ai-tasks (hosted-service.md §13): a
// tag or a custom metadata value that a task changes, and that then, the earlier record, does not
// show. What then does not tell does not count.
func TasksShow(requested *api.Extension, then, now *api.File) bool {
	type effect struct {
		AddTags       []any                    `json:"add_tags"`
		RemoveTags    []any                    `json:"remove_tags"`
		SetMetadata   []struct{ Field string } `json:"set_metadata"`
		UnsetMetadata []struct{ Field string } `json:"unset_metadata"`
	}
	var tasks []struct {
		Type, Field string
		Vocabulary  []any  // tags; for metadata also numbers and booleans
		OnYes       effect `json:"on_yes"`
		OnNo        effect `json:"on_no"`
		OnUnknown   effect `json:"on_unknown"`
	}
	if json.Unmarshal(requested.Rest["tasks"], &tasks) != nil {
		return false
	}
	appears := func(tag any, then, now *api.File) bool {
		name, _ := tag.(string)
		return !then.Tags.IsZero() && !now.Tags.IsZero() && slices.Contains(now.Tags.Or(nil), name) &&
			!slices.Contains(then.Tags.Or(nil), name)
	}
	added := func(tag any) bool { return appears(tag, then, now) }
	removed := func(tag any) bool { return appears(tag, now, then) }
	changed := func(m struct{ Field string }) bool {
		had, has := then.CustomMetadata[m.Field], now.CustomMetadata[m.Field]
		return then.CustomMetadata != nil && now.CustomMetadata != nil && (!IsNull(had) || !IsNull(has)) &&
			string(had) != string(has)
	}
	for _, t := range tasks {
		if t.Type == "select_tags" && slices.ContainsFunc(t.Vocabulary, added) ||
			t.Type == "select_metadata" && changed(struct{ Field string }{t.Field}) {
			return true
		}
		for _, e := range []effect{t.OnYes, t.OnNo, t.OnUnknown} {
			if slices.ContainsFunc(e.AddTags, added) || slices.ContainsFunc(e.RemoveTags, removed) ||
				slices.ContainsFunc(slices.Concat(e.SetMetadata, e.UnsetMetadata), changed) {
				return true
			}
		}
	}
	return false
}

// MaxUsageDays is the maximum number of days in a Usage request.
const MaxUsageDays = 89

// ParseColor parses a CSS color name, or three, four, six or eight hexadecimal digits.
func ParseColor(text string) (color.NRGBA, error) {
	name := strings.ToLower(strings.ReplaceAll(strings.TrimSpace(text), " ", ""))
	if c, ok := colornames.Map[name]; ok {
		return color.NRGBA(c), nil // all are opaque
	}
	unlisted := map[string]string{"transparent": "0000", "rebeccapurple": "663399"}
	digits := strings.TrimPrefix(cmp.Or(unlisted[name], name), "#")
	if len(digits) == 3 || len(digits) == 4 {
		digits = regexp.MustCompile(".").ReplaceAllString(digits, "$0$0")
	}
	if len(digits) == 6 {
		digits += "ff"
	}
	v, err := hex.DecodeString(digits)
	if err != nil || len(v) != 4 {
		return color.NRGBA{}, errors.New(strconv.Quote(text) + " is not a color: use a CSS name or #rrggbb")
	}
	return color.NRGBA{v[0], v[1], v[2], v[3]}, nil
}
