package library

import (
	"slices"
	"strings"

	"mediadesk/api"
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
func (s standing) states(f *api.File) (string, theme.Sign) {
	var words []string
	sign := theme.SignNone
	pending, failed := s.pending[f.FileID] && f.FileID != "", s.failed[f.FileID] && f.FileID != ""
	for _, status := range f.ExtensionStatus {
		pending = pending || !s.known && status == api.StatusPending
		failed = failed || !s.known && status == api.StatusFailed
	}
	if hasRegion(f) {
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

func hasRegion(f *api.File) bool {
	return !f.CustomCoordinates.IsZero() && !f.CustomCoordinates.IsNull()
}

// rowFilter selects the rows to show: matches of the filter and of parts of a search that the
// service does not support. It is immutable, so commands can use it.
type rowFilter struct {
	words  []string // of the filter, in lower case
	region string   // as in search
	state  string
	standing
}

// rowFilter returns the current filter of rows.
func (m *Model) rowFilter(s search) rowFilter {
	return rowFilter{strings.Fields(strings.ToLower(m.filter.Value())), s.region, s.state, m.standing}
}

// isNone reports whether all rows are shown.
func (s *rowFilter) isNone() bool { return len(s.words) == 0 && s.region == "" && s.state == "" }

// within reports whether other shows every row that s shows.
func (s *rowFilter) within(other *rowFilter) bool {
	return s.region == other.region && s.state == other.state &&
		!slices.ContainsFunc(other.words, func(w string) bool {
			return !slices.ContainsFunc(s.words, func(own string) bool {
				return own == w || !strings.HasPrefix(w, isPrefix) && !strings.HasPrefix(own, isPrefix) && strings.Contains(own, w)
			})
		})
}

// isPrefix is the prefix of filter words for a state.
const isPrefix = "is:"

// shows reports whether a file or folder is shown: every word is in the name or a tag or, after
// "is:", a state such as private.
func (s *rowFilter) shows(f *api.File) bool {
	if s.isNone() {
		return true
	}
	states, _ := s.states(f)
	has := strings.Fields(states)
	switch {
	case s.region == withRegion && !hasRegion(f), s.region == withoutRegion && hasRegion(f),
		s.state != "" && !slices.Contains(has, s.state):
		return false
	}
	name := strings.ToLower(f.Name)
	for _, w := range s.words {
		if state, ok := strings.CutPrefix(w, isPrefix); ok {
			if state == "" || !slices.ContainsFunc(has, func(h string) bool { return strings.HasPrefix(h, state) }) {
				return false
			}
			continue
		}
		if strings.Contains(name, w) {
			continue
		}
		match := func(tag string) bool { return strings.Contains(strings.ToLower(tag), w) }
		if !slices.ContainsFunc(f.Tags.Or(nil), match) &&
			!slices.ContainsFunc(f.AITags.Or(nil), func(t api.AITag) bool { return match(t.Name) }) {
			return false
		}
	}
	return true
}

// filtered reports whether rows are hidden.
func (m *Model) filtered() bool { return m.filter.Value() != "" || m.shown.search.filtersHere() }

// narrow keeps only matches in a listing that is too long to keep.
func (l *listing) narrow(with rowFilter) {
	l.only = &with
	hidden := func(f api.File) bool { return !with.shows(&f) }
	l.folders, l.files = slices.DeleteFunc(l.folders, hidden), slices.DeleteFunc(l.files, hidden)
}

// tooNarrow reports whether dropped rows are needed again, because the filter changed or needs rows
// before the window.
func (m *Model) tooNarrow() bool {
	if m.shown.only != nil {
		now := m.rowFilter(m.shown.search)
		return !now.within(m.shown.only)
	}
	return m.filtered() && m.shown.first > 0
}
