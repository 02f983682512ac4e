package api

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Saved is a saved extension of an account (hosted-service.md §15).
type Saved struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Config      Extension `json:"config"`
}

// SavedElement returns the element that requests the saved extension.
func SavedElement(s *Saved) Extension {
	id, _ := json.Marshal(s.ID)
	return Extension{Name: SavedExtension, Rest: map[string]json.RawMessage{"id": id}}
}

// MayBeSaved reports whether e may name a saved extension.
func MayBeSaved(e Extension) bool { return isName(e) && !IsKnownExtension(e.Name) }

// ResolveSaved replaces names with the elements of saved extensions. An ambiguous name is an error.
func ResolveSaved(list []Extension, saved []Saved) ([]Extension, error) {
	list = slices.Clone(list)
	for i := range list {
		if !MayBeSaved(list[i]) {
			continue
		}
		named := slices.DeleteFunc(slices.Clone(saved), func(s Saved) bool { return s.Name != list[i].Name })
		switch len(named) {
		case 0:
		case 1:
			list[i] = SavedElement(&named[0])
		default:
			return nil, extensionError(fmt.Sprintf("extensions: %d saved extensions have the name %s", len(named), quote(list[i].Name)))
		}
	}
	return list, nil
}

// NameSaved returns the extension whose name ResolveSaved replaces by e; e itself if there is none.
func NameSaved(e Extension, saved []Saved) Extension {
	for i := range saved {
		name := Extension{Name: saved[i].Name}
		if list, err := ResolveSaved([]Extension{name}, saved); err == nil && reflect.DeepEqual(list[0], e) {
			return name
		}
	}
	return e
}

// Types of AITask.
const (
	TaskTags     = "select_tags"
	TaskMetadata = "select_metadata"
	TaskYesNo    = "yes_no"
)

// AITask is a question to ai-tasks about a picture, with the members that forms offer
// (hosted-service.md §13).
type AITask struct {
	Type        string      `json:"type"`
	Instruction string      `json:"instruction"`
	Field       string      `json:"field,omitempty"`      // for TaskMetadata: the custom metadata field
	Vocabulary  []string    `json:"vocabulary,omitempty"` // answers to choose from; for TaskMetadata empty means those of the field
	OnYes       *TaskEffect `json:"on_yes,omitempty"`     // for TaskYesNo
	OnNo        *TaskEffect `json:"on_no,omitempty"`
}

// TaskEffect is the consequence of an answer.
type TaskEffect struct {
	AddTags []string `json:"add_tags"`
}

// Limits of an AITask.
const (
	maxInstruction = 2000
	maxVocabulary  = 30
)

// Check returns a *RuleError if the service would refuse the task.
func (t AITask) Check() error {
	n := len([]rune(t.Instruction))
	switch {
	case n < 1 || n > maxInstruction:
		return extensionError(fmt.Sprintf("extensions: the instruction of %s has %d characters; the limit is 1 to %d", t.Type, n, maxInstruction))
	case len(t.Vocabulary) > maxVocabulary, t.Type == TaskTags && len(t.Vocabulary) == 0:
		return extensionError(fmt.Sprintf("extensions: the vocabulary of %s has %d entries; the limit is 1 to %d", t.Type, len(t.Vocabulary), maxVocabulary))
	case t.Type == TaskMetadata && strings.TrimSpace(t.Field) == "":
		return extensionError("extensions: select_metadata needs a field")
	case t.Type == TaskYesNo && t.OnYes == nil && t.OnNo == nil:
		return extensionError("extensions: yes_no needs tags for yes or for no")
	case t.Type == TaskTags:
		return CheckTags(t.Vocabulary)
	}
	return nil
}

// Element returns the element that requests the task.
func (t AITask) Element() Extension {
	tasks, _ := json.Marshal([]AITask{t})
	return Extension{Name: AITasks, Rest: map[string]json.RawMessage{"tasks": tasks}}
}

// TasksShow reports whether now shows a result of the tasks of ai-tasks (hosted-service.md §13): a tag
// or a custom metadata value that a task changes, and that then, the earlier record, does not show. What
// then does not tell does not count.
func TasksShow(asked *Extension, then, now *File) bool {
	type effect struct {
		AddTags       []any                    `json:"add_tags"`
		RemoveTags    []any                    `json:"remove_tags"`
		SetMetadata   []struct{ Field string } `json:"set_metadata"`
		UnsetMetadata []struct{ Field string } `json:"unset_metadata"`
	}
	var tasks []struct {
		AITask

		Vocabulary []any  `json:"vocabulary"` // for metadata also numbers and booleans
		OnYes      effect `json:"on_yes"`
		OnNo       effect `json:"on_no"`
		OnUnknown  effect `json:"on_unknown"`
	}
	if json.Unmarshal(asked.Rest["tasks"], &tasks) != nil {
		return false
	}
	appears := func(tag any, then, now *File) bool {
		name, _ := tag.(string)
		return !then.Tags.IsZero() && !now.Tags.IsZero() && slices.Contains(now.Tags.Or(nil), name) && !slices.Contains(then.Tags.Or(nil), name)
	}
	added := func(tag any) bool { return appears(tag, then, now) }
	removed := func(tag any) bool { return appears(tag, now, then) }
	changed := func(m struct{ Field string }) bool {
		had, has := then.CustomMetadata[m.Field], now.CustomMetadata[m.Field]
		return then.CustomMetadata != nil && now.CustomMetadata != nil && (!IsNull(had) || !IsNull(has)) && string(had) != string(has)
	}
	for _, t := range tasks {
		if t.Type == TaskTags && slices.ContainsFunc(t.Vocabulary, added) || t.Type == TaskMetadata && changed(struct{ Field string }{t.Field}) {
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
