package entry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/rule"
)

// NoWebhook is the text of the field webhook for no webhook.
const NoWebhook = "none"

// Entry is an upload as the user prepares it, before its naming is applied and its webhook is
// chosen.
type Entry struct {
	api.Upload
	Naming    job.Naming // empty if not set
	NoWebhook bool       // not even to this program's receiver
}

// fieldValue reads and writes a field of an entry in all its formats.
type fieldValue interface {
	// IsSet reports whether an entry sets the field.
	IsSet(e *Entry) bool
	// Text returns the field in the format of SetText; empty if it is not set or empty.
	Text(e *Entry) string
	// write sets the field from text, even if empty.
	write(e *Entry, text string) error
	// Clear makes the field absent.
	Clear(e *Entry)
	// Copy copies the field from one entry to another.
	Copy(to, from *Entry)
	// SetJSON sets the field from JSON; null is no value.
	SetJSON(e *Entry, raw json.RawMessage) error
	// raw returns the value as JSON, null if it has none, or nil if it is absent.
	raw(e *Entry) json.RawMessage
	// refusal returns a *api.RuleError if the service would refuse the value.
	refusal(u *api.Upload) error
}

// Check returns a *api.RuleError if the service would refuse the field.
func (f *Field) Check(u *api.Upload) error {
	if f.check != nil {
		return f.check(u)
	}
	return f.refusal(u)
}

// SetText sets the field from user input. Empty text, and "default" for a switch, clear it. It
// trims surrounding spaces except in names. After an error the field is absent.
func (f *Field) SetText(e *Entry, text string) error {
	f.Clear(e)
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || f.Kind == KindSwitch && strings.EqualFold(trimmed, "default") {
		return nil
	}
	if f.Name != rule.FieldName {
		text = trimmed
	}
	err := f.Parse(e, text)
	if err != nil || f.Text(e) == "" {
		f.Clear(e)
	}
	return err
}

// Parse sets the field from text; empty text is an empty value.
func (f *Field) Parse(e *Entry, text string) error {
	err := f.write(e, text)
	if _, broken := errors.AsType[*api.RuleError](err); err == nil || broken {
		return err
	}
	return fmt.Errorf("%s is %w", f.Key, err)
}

// JSON returns the field as a details update has it. Nil means that it is not known: see
// [OfFile].
func (f *Field) JSON(e *Entry) json.RawMessage {
	raw := f.raw(e)
	if rule.IsNull(raw) && f.Unset != "" {
		return json.RawMessage(f.Unset)
	}
	return raw
}

// Arguments returns the values of the field's flag, one per occurrence, or nil if it is absent.
func (f *Field) Arguments(e *Entry) []string {
	switch {
	case !f.IsSet(e):
		return nil
	case f.args != nil:
		return f.args(&e.Upload)
	}
	return []string{f.Text(e)}
}

// Webhook reports whether to send an address of the receiver: if the entry has extensions and
// says nothing else about webhooks.
func (e *Entry) Webhook(receiver string) bool {
	return !e.NoWebhook && receiver != "" && !e.WebhookURL.IsSet() && len(e.Extensions.Or(nil)) > 0
}

// Of returns the entry from which a job was made, without the suffix in its name. receiver
// says that a webhook receiver runs, so that a job without its address chose no webhook.
func Of(j *job.Job, receiver bool) Entry {
	e := Entry{Upload: j.Upload, Naming: j.Naming}
	e.UseUniqueFileName = api.Field[bool]{}
	if j.Naming == job.NameHere {
		e.FileName, e.OverwriteFile = rule.WithoutSuffix(e.FileName), api.Field[bool]{}
	}
	e.NoWebhook = receiver && !j.JobWebhook && !e.WebhookURL.IsSet() && len(e.Extensions.Or(nil)) > 0
	return e
}

// Options is an entry with some of its fields. In JSON it is an object with the keys of these
// fields; null means absent. Manifest entries, presets and drafts have this form. Unknown members
// are ignored.
type Options struct {
	entry Entry
	keys  map[string]bool
}

// OptionsOf returns the options of an entry for some fields, including absent ones.
func OptionsOf(e *Entry, fields ...*Field) Options {
	o := Options{keys: map[string]bool{}}
	for _, f := range fields {
		f.Copy(&o.entry, e)
		o.keys[f.Key] = true
	}
	return o
}

// SetOptions returns the fields that an entry sets.
func SetOptions(e *Entry) Options {
	unset := func(f *Field) bool { return !f.IsSet(e) }
	return OptionsOf(e, slices.DeleteFunc(slices.Clone(Fields), unset)...)
}

// Has reports whether the options include a field.
func (o Options) Has(f *Field) bool { return o.keys[f.Key] }

// Apply sets the fields of an entry.
func (o Options) Apply(e *Entry) {
	for _, f := range Fields {
		if o.keys[f.Key] {
			f.Copy(e, &o.entry)
		}
	}
}

// Set sets a field from JSON.
func (o *Options) Set(f *Field, raw json.RawMessage) error {
	raw = bytes.TrimSpace(raw)
	if f.NeedsText && string(raw) == `""` {
		return nil
	}
	f.Clear(&o.entry)
	if string(raw) != "null" {
		if err := f.SetJSON(&o.entry, raw); err != nil {
			return fmt.Errorf("%s %w", f.Key, err)
		}
	}
	o.add(f)
	return nil
}

// SetText sets a field from text; empty text changes nothing.
func (o *Options) SetText(f *Field, text string) error {
	if text == "" {
		return nil
	}
	o.add(f)
	return f.SetText(&o.entry, text)
}

func (o *Options) add(f *Field) {
	if o.keys == nil {
		o.keys = map[string]bool{}
	}
	o.keys[f.Key] = true
}

// MarshalJSON writes the members in the order of the fields.
func (o Options) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, f := range Fields {
		if !o.keys[f.Key] {
			continue
		}
		text := json.RawMessage("null")
		if f.IsSet(&o.entry) {
			text = f.raw(&o.entry)
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", f.Key, text)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads the form of MarshalJSON.
func (o *Options) UnmarshalJSON(data []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return err
	}
	*o = Options{}
	for _, f := range Fields {
		if raw, ok := members[f.Key]; ok {
			if err := o.Set(f, raw); err != nil {
				return err
			}
		}
	}
	return nil
}

// entryText is a field that is a single text of an entry.
type entryText struct {
	get func(*Entry) string
	set func(*Entry, string) error
}

func (v entryText) refusal(*api.Upload) error { return nil }

func (v entryText) IsSet(e *Entry) bool { return v.get(e) != "" }

func (v entryText) Text(e *Entry) string { return v.get(e) }

func (v entryText) write(e *Entry, text string) error { return v.set(e, text) }

func (v entryText) Clear(e *Entry) { _ = v.set(e, "") } // empty text is always valid

func (v entryText) Copy(to, from *Entry) { _ = v.set(to, v.get(from)) }

func (v entryText) raw(e *Entry) json.RawMessage { return rule.JSON(v.get(e)) }

func (v entryText) SetJSON(e *Entry, raw json.RawMessage) error {
	var text string
	if json.Unmarshal(raw, &text) != nil { // null is empty
		return wrongKind("a text", raw)
	}
	if err := v.set(e, text); err != nil {
		return fmt.Errorf("is %w", err)
	}
	return nil
}

// typedValue is a field that is a Field of an upload.
type typedValue[T any] struct {
	at    func(*api.Upload) *api.Field[T]
	text  func(T) string          // for the user
	parse func(string) (T, error) // an error that is not a *api.RuleError continues "KEY is"
	takes string                  // describes its JSON type
	valid func(T) error           // nil if every value is valid
}

func (v typedValue[T]) refusal(u *api.Upload) error {
	if value, ok := v.at(u).Get(); ok && v.valid != nil {
		return v.valid(value)
	}
	return nil
}

func (v typedValue[T]) IsSet(e *Entry) bool { return v.at(&e.Upload).IsSet() }

func (v typedValue[T]) Clear(e *Entry) { *v.at(&e.Upload) = api.Field[T]{} }

func (v typedValue[T]) Copy(to, from *Entry) { *v.at(&to.Upload) = *v.at(&from.Upload) }

func (v typedValue[T]) raw(e *Entry) json.RawMessage {
	if v.at(&e.Upload).IsZero() {
		return nil
	}
	return rule.JSON(v.at(&e.Upload))
}

func (v typedValue[T]) Text(e *Entry) string {
	value, ok := v.at(&e.Upload).Get()
	if !ok {
		return ""
	}
	return v.text(value)
}

func (v typedValue[T]) write(e *Entry, text string) error {
	value, err := v.parse(text)
	if err == nil {
		*v.at(&e.Upload) = api.Set(value)
	}
	return err
}

// SetJSON reads a value, or text as the user types it.
func (v typedValue[T]) SetJSON(e *Entry, raw json.RawMessage) error {
	var value T
	var text string
	if string(raw) == "null" {
		*v.at(&e.Upload) = api.Null[T]()
		return nil
	}
	_, isSwitch := any(value).(bool)
	err := json.Unmarshal(raw, &text)
	if err == nil && !isSwitch {
		value, err = v.parse(text)
	} else {
		err = json.Unmarshal(raw, &value)
	}
	if _, kind := errors.AsType[*json.UnmarshalTypeError](err); kind {
		return wrongKind(v.takes, raw)
	}
	if err != nil {
		return fmt.Errorf("cannot be read: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	*v.at(&e.Upload) = api.Set(value)
	return nil
}

func wrongKind(takes string, raw json.RawMessage) error {
	return fmt.Errorf("is %s, not %.120s", takes, raw)
}

func sameText(text string) string { return text }

// otherText is a text without a member in Upload.
type otherText string

func (n otherText) refusal(u *api.Upload) error {
	if text := u.Other.Text(string(n)); n == rule.FieldChecks && text != "" {
		return rule.CheckChecks(text)
	}
	return nil
}

func (n otherText) IsSet(e *Entry) bool { return !rule.IsNull(e.Other[string(n)]) }

func (n otherText) Text(e *Entry) string { return e.Other.Text(string(n)) }

func (n otherText) write(e *Entry, text string) error {
	e.Other = e.Other.With(string(n), rule.JSON(text))
	return nil
}

func (n otherText) Clear(e *Entry) { e.Other = e.Other.With(string(n), nil) }

func (n otherText) Copy(to, from *Entry) { to.Other = to.Other.With(string(n), n.raw(from)) }

func (n otherText) raw(e *Entry) json.RawMessage { return e.Other[string(n)] }

func (n otherText) SetJSON(e *Entry, raw json.RawMessage) error {
	if json.Unmarshal(raw, new(string)) != nil { // null is no value
		return wrongKind("a text", raw)
	}
	e.Other = e.Other.With(string(n), raw)
	return nil
}

func listValue(at func(*api.Upload) *api.Field[[]string], valid func([]string) error) fieldValue {
	return typedValue[[]string]{
		at: at, takes: "a list of texts", valid: valid,
		text:  rule.JoinTags,
		parse: func(text string) ([]string, error) { return rule.SplitTags(text), nil },
	}
}

func switchValue(at func(*api.Upload) *api.Field[bool]) fieldValue {
	return typedValue[bool]{
		at: at, takes: "true or false", parse: parseSwitch, text: strconv.FormatBool,
	}
}

func parseSwitch(text string) (bool, error) {
	switch strings.ToLower(text) { // spreadsheets write TRUE
	case "true", "on", "yes":
		return true, nil
	case "false", "off", "no":
		return false, nil
	}
	return false, fmt.Errorf("true or false, not %.120q", text)
}

func setNaming(e *Entry, text string) error {
	n := job.Naming(strings.ToLower(text))
	if n != "" && n != job.NameHere && n != job.NameService && n != job.NameExact {
		return fmt.Errorf("here, service or off, not %.120q", text)
	}
	e.Naming = n
	return nil
}

func webhookText(e *Entry) string {
	if e.NoWebhook {
		return NoWebhook
	}
	return e.WebhookURL.Or("")
}

func setWebhook(e *Entry, text string) error {
	e.NoWebhook, e.WebhookURL = text == NoWebhook, api.Field[string]{}
	if !e.NoWebhook && text != "" {
		e.WebhookURL = api.Set(text)
	}
	return nil
}
