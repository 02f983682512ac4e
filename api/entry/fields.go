package entry

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/rule"
)

// Kind is the kind of value in a field, which determines its editor.
type Kind int

// The kinds of fields.
const (
	KindText       Kind = iota // one line, or one of the Choices
	KindSwitch                 // true, false, or the service's default
	KindList                   // comma-separated texts
	KindExtensions             // extensions to run (service.md §2.2)
	KindMetadata               // a JSON object
)

// Choice is a possible text of a field.
type Choice struct {
	Text  string // in manifests and flags
	Label string // in the form
}

// Field is one field of an upload or of a stored file: a row of [Fields].
type Field struct {
	Name    string // in requests (service.md §4.1)
	Key     string // in manifests, presets, drafts and the text for an editor
	Flag    string // of the command upload, without dashes
	Label   string // of its row in the form
	Words   string // in sentences
	Help    string // a phrase without a full stop: usage of the flag, note in the form
	Hint    string // placeholder in the form
	Value   string // placeholder for the value of the flag, such as PATH; empty for a switch
	Kind    Kind
	Choices []Choice
	Open    bool // texts other than the Choices are valid, too
	Default bool // for a switch: the service's default
	Repeat  bool // the flag is repeatable
	// NeedsText means that empty text in a manifest is the same as none.
	NeedsText bool
	// Stored means that the record of a file has the field, and a details update changes it
	// (service.md §4.2). Unset is the JSON that removes its value; empty for null.
	Stored bool
	Unset  string

	fieldValue
	check func(*api.Upload) error    // nil if every value is valid
	args  func(*api.Upload) []string // values of the flag, one per occurrence; nil means its text
}

// Fields are the fields of an upload and of the record of a stored file, in the order of the
// request and of the form. This table is the only list of them: details updates, undo, flags,
// manifests, presets, drafts, the text for an editor, the form, the local service and the contract
// use it. The file itself is not a field: see [api.Source].
var Fields = []*Field{
	{
		Name: rule.FieldName, Key: "name", Flag: "name", Value: "NAME", Label: "Name", Words: "name", Hint: "a name is needed",
		Help: "name of the stored file (default: the source's name)", NeedsText: true,
		fieldValue: entryText{
			get: func(e *Entry) string { return e.FileName },
			set: func(e *Entry, text string) error { e.FileName = text; return nil },
		},
		check: rule.CheckPathOf,
	},
	{
		Name: "useUniqueFileName", Key: "unique", Flag: "unique", Value: "HOW",
		Label: "Naming", Words: "naming", NeedsText: true,
		Help:       "how to name the file: here (unique suffix, a repeat never stores twice), service (it adds a suffix) or off (exact name, replaces a file of this name)",
		Choices:    []Choice{{string(job.NameHere), "suffix"}, {string(job.NameService), "by the service"}, {string(job.NameExact), "kept as is"}},
		fieldValue: entryText{get: func(e *Entry) string { return string(e.Naming) }, set: setNaming},
	},
	{
		Name: rule.FieldFolder, Key: "folder", Flag: "folder", Value: "PATH", Label: "Folder", Words: "folder", Hint: "/, or such as /summer/2026",
		Help: "where the files go, created if missing (default /)",
		fieldValue: typedValue[string]{
			at:    func(u *api.Upload) *api.Field[string] { return &u.Folder },
			text:  sameText,
			parse: func(text string) (string, error) { return text, nil },
			takes: "a text",
			valid: func(folder string) error { _, err := rule.CleanFolder(folder); return err },
		},
	},
	{
		Name: "isPrivateFile", Key: "private", Flag: "private", Label: "Private", Words: "private", Kind: KindSwitch,
		Help:       "deliver the file with signed URLs only",
		fieldValue: switchValue(func(u *api.Upload) *api.Field[bool] { return &u.IsPrivateFile }),
	},
	{
		Name: rule.FieldDescription, Key: "description", Flag: "description", Value: "TEXT", Label: "Description", Words: "description", Hint: "none",
		Help: "text about the file", Stored: true, Unset: `""`,
		fieldValue: otherText(rule.FieldDescription),
	},
	{
		Name: rule.FieldChecks, Key: rule.FieldChecks, Flag: "checks", Value: "CONDITION",
		Label: "Condition", Words: "condition", Hint: "none",
		Help:       `condition that the service checks before it stores the file, such as "file.size" < "2mb"`,
		fieldValue: otherText(rule.FieldChecks),
	},
	{
		Name: rule.FieldTransformation, Key: "transformation", Flag: "transformation", Value: "STEPS", Label: "Transformation", Words: "transformation",
		Help:    "transformation before the file is stored: steps such as w-1600,q-80, or JSON with pre and post",
		Choices: transformationChoices, Open: true, Hint: "none, such as w-1600,q-80",
		fieldValue: typedValue[api.Transformation]{
			at:    func(u *api.Upload) *api.Field[api.Transformation] { return &u.Transformation },
			text:  rule.TransformationText,
			parse: rule.ParseTransformation,
			takes: "an object or steps",
			valid: func(t api.Transformation) error { return rule.CheckTransformation(t, "") },
		},
	},
	{
		Name: rule.FieldTags, Key: "tags", Flag: "tags", Value: "TAGS", Label: "Tags", Words: "tags",
		Kind: KindList, Hint: "none", Stored: true,
		Help:       "tags, separated by commas: at most 500 characters, no %",
		fieldValue: listValue(func(u *api.Upload) *api.Field[[]string] { return &u.Tags }, rule.CheckTags),
	},
	{
		Name: rule.FieldRegion, Key: "region", Flag: "region", Value: "REGION", Label: "Region", Words: "region", Hint: "the whole picture, or such as 10,20,300,200", NeedsText: true, Stored: true,
		Help: "the part that crops keep: x,y,width,height in pixels of the stored picture",
		fieldValue: typedValue[string]{
			at:   func(u *api.Upload) *api.Field[string] { return &u.CustomCoordinates },
			text: sameText,
			// The service takes no spaces.
			parse: func(text string) (string, error) { return strings.ReplaceAll(text, " ", ""), nil },
			takes: "a text",
			valid: func(text string) error { _, err := rule.ParseRegion(text); return err },
		},
	},
	{
		Name: rule.FieldExtensions, Key: "extensions", Flag: "extension", Value: "EXTENSION", Label: "Extensions", Words: "extensions", Kind: KindExtensions, Repeat: true,
		Help: "what to run on the file: the name or the JSON of an extension (repeatable)",
		fieldValue: typedValue[[]api.Extension]{
			at:    func(u *api.Upload) *api.Field[[]api.Extension] { return &u.Extensions },
			text:  rule.ExtensionsText,
			parse: func(text string) ([]api.Extension, error) { return rule.ParseExtensionList([]string{text}) },
			takes: "a list of extensions",
			valid: rule.CheckExtensions,
		},
		args: func(u *api.Upload) []string { return rule.ExtensionArguments(u.Extensions.Or(nil)) },
	},
	overwrite(rule.FieldOverwriteFile, "overwrite-file", "Overwrite file", "replace a file that has the same name, or else refuse the upload", func(u *api.Upload) *api.Field[bool] { return &u.OverwriteFile }),
	overwrite(rule.FieldOverwriteTags, "overwrite-tags", "Overwrite tags", "remove the tags of the replaced file if you send none", func(u *api.Upload) *api.Field[bool] { return &u.OverwriteTags }),
	overwrite(rule.FieldOverwriteAITags, "overwrite-ai-tags", "Overwrite AI tags", "remove the AI tags of the replaced file", func(u *api.Upload) *api.Field[bool] { return &u.OverwriteAITags }),
	overwrite(rule.FieldOverwriteMetadata, "overwrite-metadata", "Overwrite metadata", "remove the custom metadata of the replaced file if you send none", func(u *api.Upload) *api.Field[bool] { return &u.OverwriteCustomMetadata }),
	{
		Name: rule.FieldMetadata, Key: "metadata", Flag: "metadata", Value: "JSON", Label: "Metadata", Words: "metadata",
		Kind: KindMetadata, Stored: true, Hint: "none",
		Help: "custom metadata: a JSON object, or rows such as brand = Acme; the service must know the keys",
		fieldValue: typedValue[map[string]json.RawMessage]{
			at:    func(u *api.Upload) *api.Field[map[string]json.RawMessage] { return &u.CustomMetadata },
			text:  rule.MetadataRows,
			parse: rule.ParseMetadataRows,
			takes: "an object",
		},
		args: func(u *api.Upload) []string { return []string{string(rule.JSON(u.CustomMetadata.Or(nil)))} },
	},
	{
		Name: rule.FieldResponse, Key: "responseFields", Flag: "response-field", Value: "FIELD", Label: "Return", Words: "response fields", Kind: KindList, Repeat: true,
		Help:       "field to include in the response (repeatable)",
		Choices:    responseChoices,
		fieldValue: listValue(func(u *api.Upload) *api.Field[[]string] { return &u.ResponseFields }, checkResponseNames),
		args:       func(u *api.Upload) []string { return u.ResponseFields.Or(nil) },
	},
	{
		Name: rule.FieldWebhook, Key: "webhook", Flag: "webhook", Value: "URL", Label: "Webhook", Words: "webhook", NeedsText: true, Hint: "https://example.com/hook",
		Help:       "URL that receives the results of extensions, or none (default: the receiver of this program, if the service can reach it)",
		fieldValue: entryText{get: webhookText, set: setWebhook},
		check: func(u *api.Upload) error {
			if address, ok := u.WebhookURL.Get(); ok {
				return rule.CheckWebhookURL(address)
			}
			return nil
		},
	},
}

// InForm returns the message of an error with the label of a field in place of its name in requests.
func InForm(err error) string {
	words := err.Error()
	if broken, ok := errors.AsType[*api.RuleError](err); ok {
		if f := FieldByName(broken.Field); f != nil && !strings.EqualFold(f.Name, f.Label) {
			words = strings.Replace(words, f.Name+" ", f.Label+": ", 1)
		}
	}
	return words
}

// overwrite returns a switch about the file that an upload replaces.
func overwrite(name, flag, label, help string, at func(*api.Upload) *api.Field[bool]) *Field {
	f := &Field{Name: name, Key: name, Words: name, Flag: flag, Label: label, Help: help}
	f.Kind, f.Default, f.fieldValue = KindSwitch, true, switchValue(at)
	return f
}

var responseChoices = []Choice{
	{"tags", "Return tags"},
	{"customCoordinates", "Return region"},
	{"isPrivateFile", "Return private"},
	{"embeddedMetadata", "Return embedded"},
	{"customMetadata", "Return metadata"},
}

// hostedResponses are the response fields of hosted services alone (hosted-service.md §12).
var hostedResponses = []string{"metadata", "isPublished", "selectedFieldsSchema"}

// StoredFields are the fields that the record of a file has.
var StoredFields = slices.DeleteFunc(slices.Clone(Fields), func(f *Field) bool { return !f.Stored })

// FieldByName returns the field with a name in requests, or nil.
func FieldByName(name string) *Field {
	return fieldWhere(func(f *Field) bool { return f.Name == name })
}

// FieldByKey returns the field with a key, or nil.
func FieldByKey(key string) *Field {
	return fieldWhere(func(f *Field) bool { return f.Key == key })
}

func fieldWhere(is func(*Field) bool) *Field {
	if at := slices.IndexFunc(Fields, is); at >= 0 {
		return Fields[at]
	}
	return nil
}

var transformationChoices = []Choice{
	{"w-1600,c-at_max", "limit the width to 1600 px"},
	{`{"post":[{"type":"thumbnail","value":"w-300"}]}`, "thumbnail (videos)"},
	{`{"post":[{"type":"abs","value":"sr-240_360_480_720_1080","protocol":"hls"}]}`, "HLS stream (videos)"},
	{`{"post":[{"type":"abs","value":"sr-240_360_480_720_1080","protocol":"dash"}]}`, "DASH stream (videos)"},
}

// Values are the fields of a stored file that an update changes, as JSON by name. Each key of the
// custom metadata is a field of its own, see [MetadataName]. Null is no value; a missing field is
// unknown or, in an update, unchanged.
type Values map[string]json.RawMessage

// MetadataName returns the name of a custom metadata key in Values.
func MetadataName(key string) string { return rule.FieldMetadata + "." + key }

// MetadataKey returns the custom metadata key of a name, and whether it is one.
func MetadataKey(name string) (key string, ok bool) {
	return strings.CutPrefix(name, rule.FieldMetadata+".")
}

// OfFile returns the stored fields of a record. A field that the record lacks is absent: not known.
func OfFile(f *api.File) Entry {
	var e Entry
	var members map[string]json.RawMessage
	_ = json.Unmarshal(rule.JSON(f), &members) // a record can be encoded
	for _, field := range StoredFields {
		if raw := members[field.Name]; raw != nil {
			_ = field.SetJSON(&e, raw) // a value of the wrong type counts as missing
		}
	}
	return e
}

// ValuesOf returns the fields that a record has.
func ValuesOf(f *api.File) Values {
	e := OfFile(f)
	return e.Values()
}

// Values returns the stored fields that are known.
func (e *Entry) Values() Values {
	members := Values{}
	for _, f := range StoredFields {
		if raw := f.JSON(e); raw != nil {
			members[f.Name] = raw
		}
	}
	return members.split()
}

// Changes returns the fields that an update from one state of a file to another changes.
func Changes(from, to *Entry) Values {
	was, is := from.Values(), to.Values()
	for name := range was {
		if is[name] == nil {
			is[name] = json.RawMessage("null")
		}
	}
	maps.DeleteFunc(is, func(name string, value json.RawMessage) bool {
		before, known := was[name]
		_, metadata := MetadataKey(name)
		empty := string(value) == "[]" && rule.IsNull(before) && !metadata
		return empty || (known || !rule.IsNull(value)) && rule.SameValue(before, value)
	})
	return is
}

// ChangesOf returns the fields that an update changes. Extensions and the webhook are not among
// them.
func ChangesOf(d api.Details) Values {
	var members Values
	text, _ := json.Marshal(d) // it holds texts, lists and JSON
	_ = json.Unmarshal(text, &members)
	maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool {
		f := FieldByName(name)
		return f == nil || !f.Stored
	})
	return members.split()
}

// split makes each key of the custom metadata a field of its own.
func (v Values) split() Values {
	var metadata map[string]json.RawMessage
	_ = json.Unmarshal(v[rule.FieldMetadata], &metadata) // an object, null or missing
	delete(v, rule.FieldMetadata)
	for key, value := range metadata {
		v[MetadataName(key)] = value
	}
	return v
}

// Set sets a field.
func (v Values) Set(name string, value any) { v[name] = rule.JSON(value) }

// Details returns the update that sets the fields.
func (v Values) Details() api.Details {
	var d api.Details
	members, metadata := Values{}, map[string]json.RawMessage{}
	for name, value := range v {
		if key, ok := MetadataKey(name); ok {
			metadata[key] = value
		} else {
			members[name] = value
		}
	}
	if len(metadata) > 0 {
		members.Set(rule.FieldMetadata, metadata)
	}
	_ = json.Unmarshal(rule.JSON(members), &d) // each value was one of its field
	return d
}

// Names returns the names in the order of the form, the custom metadata last.
func (v Values) Names() []string {
	var names []string
	for _, f := range StoredFields {
		if v[f.Name] != nil {
			names = append(names, f.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if _, ok := MetadataKey(name); ok {
			names = append(names, name)
		}
	}
	return names
}
