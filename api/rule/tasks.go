package rule

import (
	"encoding/json"
	"slices"

	"mediadesk/api"
)

// SavedElement returns the element that requests the saved extension.
func SavedElement(s *api.Saved) api.Extension {
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
		if t.Type == "select_tags" && slices.ContainsFunc(t.Vocabulary, added) || t.Type == "select_metadata" && changed(struct{ Field string }{t.Field}) {
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
