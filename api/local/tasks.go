package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"mediadesk/api"
	"mediadesk/api/local/extension"
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

// outcome is what to do after an answer to a question.
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

// checkTasks checks the tasks of ai-tasks, which nothing here carries out.
func checkTasks(text json.RawMessage) error {
	var tasks []task
	if err := decodeStrict(text, &tasks); err != nil {
		return errors.New("tasks cannot be read: " + strings.TrimPrefix(err.Error(), "json: "))
	}
	if len(tasks) < 1 || len(tasks) > maxTasks {
		return fmt.Errorf("it takes 1 to %d tasks, not %d", maxTasks, len(tasks))
	}
	for i := range tasks {
		if reason := tasks[i].misfit(); reason != "" {
			return fmt.Errorf("task %d: %s", i+1, reason)
		}
	}
	return nil
}

// misfit returns what is wrong with a task, or "".
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
	case t.Vocabulary == nil && t.Type == "select_tags", t.Vocabulary != nil && len(t.Vocabulary) == 0, len(t.Vocabulary) > maxVocabulary:
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

// readExtensions reads the extensions of a request and checks the options of those that the library
// runs itself; others go to a command or another service. With saved, it replaces saved extensions
// by their content.
func (l *Library) readExtensions(text string, saved bool) ([]api.Extension, error) {
	list, err := rule.ParseExtensions(text)
	if err != nil {
		return nil, err
	}
	for i, e := range list {
		if e.Name == rule.SavedExtension && saved {
			if e, err = l.savedExtension(e); err != nil {
				return nil, err
			}
			list[i] = e
		}
		if e.Name == rule.AITasks {
			if err := checkTasks(e.Rest["tasks"]); err != nil {
				return nil, badRequest("extensions: ai-tasks: "+err.Error()+".", "Correct the task.")
			}
			continue
		}
		if !l.tools.Knows(e.Name) || !l.tools.Own(e.Name) {
			continue
		}
		if err := extension.CheckElement(e); err != nil {
			return nil, badRequest("extensions: "+e.Name+": "+err.Error()+".", "Correct the option, or leave it out.")
		}
	}
	return list, rule.CheckExtensions(list)
}

func (l *Library) savedExtension(e api.Extension) (api.Extension, error) {
	var id string
	_ = json.Unmarshal(e.Rest["id"], &id)
	list, err := store.View(l.work.Context(), l.records, func(tx store.Tx) ([]store.Preset, error) {
		return store.All[store.Preset](tx, store.Filter{"kind": rule.SavedExtension, "id": id})
	})
	if err == nil && len(list) == 0 {
		err = badRequest(errNoSaved.Message, errNoSaved.Help)
	}
	var body savedExtension
	if err == nil {
		err = json.Unmarshal(list[0].Body, &body)
	}
	if err == nil {
		err = json.Unmarshal(body.Config, &e)
	}
	return e, err
}
