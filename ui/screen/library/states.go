package library

import (
	"strings"

	"mediadesk/api"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// standing holds files with pending or failed extensions, by ID.
type standing struct {
	pending, failed map[string]bool
	known           bool // the runs are known; otherwise use records
}

// standingOf builds a standing from runs; the newest of each extension counts.
func standingOf(runs []api.Run) standing {
	s := standing{pending: map[string]bool{}, failed: map[string]bool{}, known: true}
	newest := map[[2]string]api.Status{}
	for i := range runs {
		newest[[2]string{runs[i].FileID, strings.ToLower(runs[i].Extension)}] = runs[i].Status
	}
	for of, status := range newest {
		switch {
		case !status.Final():
			s.pending[of[0]] = true
		case status == api.StatusFailed:
			s.failed[of[0]] = true
		}
	}
	return s
}

// states describes the states of a file, with the sign of the most severe.
func (m *Model) states(f api.File) (string, theme.Sign) {
	s := &m.standing
	var words []string
	sign := theme.SignNone
	pending, failed := s.pending[f.FileID] && f.FileID != "", s.failed[f.FileID] && f.FileID != ""
	for _, status := range f.ExtensionStatus {
		pending = pending || !s.known && status == api.StatusPending
		failed = failed || !s.known && status == api.StatusFailed
	}
	if !f.CustomCoordinates.IsZero() && !f.CustomCoordinates.IsNull() {
		words = append(words, "region")
	}
	if f.IsPrivateFile.Or(false) {
		words = append(words, "private")
	}
	if v := f.VersionInfo; v != nil && f.FileID != "" && v.ID != "" && v.ID != f.FileID {
		words = append(words, "versions")
	}
	if pending {
		words, sign = append([]string{"pending"}, words...), theme.SignBusy
	}
	if failed {
		words, sign = append([]string{"failed"}, words...), theme.SignBad
	}
	return strings.Join(words, " "), sign
}

// matches reports whether every word is in the name or a tag.
func (m *Model) matches(f api.File, words []string) bool {
	texts := append([]string{f.Name}, f.Tags.Or(nil)...)
	for _, t := range f.AITags.Or(nil) {
		texts = append(texts, t.Name)
	}
	return text.HasAll(words, texts...)
}

// filtered reports whether rows are hidden.
func (m *Model) filtered() bool { return m.list.Filter() != "" }
