package library

import (
	"strings"

	"mediadesk/api"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// states describes the states of a file, with the sign of the most severe.
func (m *Model) states(f api.File) (string, theme.Sign) {
	var words []string
	sign := theme.SignNone
	pending, failed := false, false
	for _, status := range f.ExtensionStatus {
		pending, failed = pending || status == api.StatusPending, failed || status == api.StatusFailed
	}
	if !f.CustomCoordinates.IsZero() && !f.CustomCoordinates.IsNull() {
		words = append(words, "region")
	}
	if f.IsPrivateFile.Or(false) {
		words = append(words, "private")
	}
	if pending {
		words, sign = append([]string{"pending"}, words...), theme.SignBusy
	}
	if failed {
		words, sign = append([]string{"failed"}, words...), theme.SignBad
	}
	return strings.Join(words, " "), sign
}

func (m *Model) matches(f api.File, words []string) bool {
	texts := append([]string{f.Name}, f.Tags.Or(nil)...)
	for _, t := range f.AITags.Or(nil) {
		texts = append(texts, t.Name)
	}
	return text.HasAll(words, texts...)
}

func (m *Model) filtered() bool { return m.list.Filter() != "" }
