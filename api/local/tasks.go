package local

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"mediadesk/api"
	"mediadesk/api/local/store"
	"mediadesk/api/rule"
)

// task is one of the tasks of ai-tasks (hosted-service.md §13).
type task struct {
	Type          string            `json:"type"`
	Instruction   string            `json:"instruction"`
	Vocabulary    []json.RawMessage `json:"vocabulary"`
	Field         string            `json:"field"`
	MinSelections *int              `json:"min_selections"`
	MaxSelections *int              `json:"max_selections"`
	OnYes         *outcome          `json:"on_yes"`
	OnNo          *outcome          `json:"on_no"`
	OnUnknown     *outcome          `json:"on_unknown"`
}

type outcome struct {
	AddTags     []string `json:"add_tags"`
	RemoveTags  []string `json:"remove_tags"`
	SetMetadata []struct {
		Field string          `json:"field"`
		Value json.RawMessage `json:"value"`
	} `json:"set_metadata"`
	UnsetMetadata []struct {
		Field string `json:"field"`
	} `json:"unset_metadata"`
}

const (
	maxTasks       = 10
	maxInstruction = 2000 // characters
	maxVocabulary  = 30
	maxTagText     = 500 // total characters of a tag vocabulary
)

func readTasks(text json.RawMessage) (tasks []task, err error) {
	if err := decodeStrict(text, &tasks); err != nil {
		return nil, fmt.Errorf("tasks cannot be read: %w", err)
	}
	if len(tasks) < 1 || len(tasks) > maxTasks {
		return nil, fmt.Errorf("it takes 1 to %d tasks, not %d", maxTasks, len(tasks))
	}
	for i := range tasks {
		if reason := tasks[i].misfit(); reason != "" {
			return nil, fmt.Errorf("task %d: %s", i+1, reason)
		}
	}
	return tasks, nil
}

func (t *task) misfit() string {
	if n := utf8.RuneCountInString(t.Instruction); n < 1 || n > maxInstruction {
		return fmt.Sprintf("its instruction has %d characters; the limit is 1 to %d", n, maxInstruction)
	}
	selects := t.Vocabulary != nil || t.MinSelections != nil || t.MaxSelections != nil
	answers := t.OnYes != nil || t.OnNo != nil || t.OnUnknown != nil
	switch {
	case t.Type == "yes_no" && (selects || t.Field != ""):
		return "a question has no vocabulary, field or selections"
	case t.Type == "yes_no" && t.OnYes == nil && t.OnNo == nil:
		return "on_yes or on_no is missing"
	case t.Type == "yes_no":
		return ""
	case t.Type != "select_tags" && t.Type != "select_metadata":
		return quote(t.Type) + " is not select_tags, select_metadata or yes_no"
	case answers:
		return "only yes_no has on_yes, on_no and on_unknown"
	case t.Type == "select_metadata" && t.Field == "":
		return "field is missing"
	case t.Type == "select_tags" && t.Field != "":
		return "only select_metadata has a field"
	case len(t.Vocabulary) > maxVocabulary,
		len(t.Vocabulary) == 0 && (t.Vocabulary != nil || t.Type == "select_tags"):
		return fmt.Sprintf("its vocabulary has %d words; the limit is 1 to %d", len(t.Vocabulary), maxVocabulary)
	case t.MinSelections != nil && *t.MinSelections < 0, t.MaxSelections != nil && *t.MaxSelections < 1,
		t.MinSelections != nil && t.MaxSelections != nil && *t.MinSelections > *t.MaxSelections:
		return "min_selections and max_selections exclude every number"
	}
	length := 0
	for _, raw := range t.Vocabulary {
		var word any
		_ = json.Unmarshal(raw, &word)
		tag, isText := word.(string)
		switch word.(type) {
		case []any, map[string]any, nil:
			return "its vocabulary contains " + string(raw)
		}
		length += utf8.RuneCountInString(tag)
		if t.Type == "select_tags" && (!isText || tag == "" || strings.Contains(tag, "%")) {
			return "its vocabulary contains " + string(raw) + ", which is not a valid tag"
		}
	}
	if t.Type == "select_tags" && length > maxTagText {
		return fmt.Sprintf("its vocabulary has %d characters in total; the limit is %d", length, maxTagText)
	}
	return ""
}

// answerTasks carries out the tasks of ai-tasks on a file. It is a stand-in, the same for the same
// request: selections are the first words of the vocabulary, and a question is answered with yes
// if it names what the tagging extensions measure, else it is unknown. If one task fails, none is
// done: failure says why. err is an error of the records.
func (l *Library) answerTasks(tx store.Tx, run *store.Run, file *store.File,
	found []api.AITag,
) (failure, err error) {
	tasks, failure := readTasks(run.Extension.Rest["tasks"])
	if failure != nil {
		return failure, nil
	}
	fields, err := metadataFields(tx)
	if err != nil {
		return nil, err
	}
	values := map[string]json.RawMessage{}
	maps.Copy(values, file.Metadata)
	for i, t := range tasks {
		if err := t.answer(file, values, fields, found); err != nil {
			return fmt.Errorf("task %d: %w", i+1, err), nil
		}
	}
	file.Metadata, file.Updated = values, l.now()
	return nil, tx.Files.Update(file)
}

func (t *task) answer(file *store.File, values map[string]json.RawMessage, fields []api.MetadataField,
	found []api.AITag,
) error {
	set := func(name string, value json.RawMessage) error {
		values[name] = value
		return rule.CheckMetadata(fields, map[string]json.RawMessage{name: value})
	}
	words := t.Vocabulary
	at := slices.IndexFunc(fields, func(f api.MetadataField) bool { return f.Name == t.Field })
	if words == nil && at >= 0 {
		words = fields[at].Schema.Options
	}
	n := 1
	if t.MinSelections != nil {
		n = max(n, *t.MinSelections)
	}
	words = words[:min(n, len(words))]
	switch t.Type {
	case "select_tags":
		for _, raw := range words {
			var tag string
			_ = json.Unmarshal(raw, &tag) // readTasks checked it
			file.Tags = unique(append(slices.Clip(file.Tags), tag))
		}
		return nil
	case "select_metadata":
		switch {
		case at < 0:
			return fmt.Errorf("there is not a custom metadata field %s", quote(t.Field))
		case len(words) == 0:
			return fmt.Errorf("the custom metadata field %s has no options, and the task has no vocabulary", quote(t.Field))
		case fields[at].Schema.Type != rule.MetadataMultiSelect:
			return set(t.Field, words[0])
		}
		return set(t.Field, encode(words))
	}
	o, instruction := t.OnUnknown, strings.ToLower(t.Instruction)
	if slices.ContainsFunc(found, func(tag api.AITag) bool {
		return strings.Contains(instruction, strings.ToLower(tag.Name))
	}) {
		o = t.OnYes
	}
	if o == nil {
		return nil
	}
	addTags(file, o.AddTags)
	removeTags(file, o.RemoveTags)
	for _, change := range o.UnsetMetadata {
		delete(values, change.Field)
	}
	for _, change := range o.SetMetadata {
		if err := set(change.Field, change.Value); err != nil {
			return err
		}
	}
	return nil
}
