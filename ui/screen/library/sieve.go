package library

import (
	"slices"
	"strings"

	"mediadesk/api"
	"mediadesk/ui/theme"
)

// standing is what is known of the extensions of files, by the files' ids.
type standing struct {
	pending, failed map[string]bool
	known           bool // the runs are known; else records speak for themselves
}

// standingOf tells how files stand by their runs, of which the newest of each
// extension counts.
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

// states are the marks of a file in words, and how bad the worst is.
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

// sieve is what of a listing is shown: what the filter finds, and what of a
// search the service cannot look for. It does not change, so that pages can be
// sifted while they are read.
type sieve struct {
	words  []string // of the filter, in small letters
	region string   // as in search
	state  string
	standing
}

// sieve is what the rows are sifted with now.
func (m *Model) sieve(s search) sieve {
	return sieve{strings.Fields(strings.ToLower(m.filter.Value())), s.region, s.state, m.standing}
}

// isNone tells whether everything is shown.
func (s *sieve) isNone() bool { return len(s.words) == 0 && s.region == "" && s.state == "" }

// within tells whether everything that s shows is shown by other, too.
func (s *sieve) within(other *sieve) bool {
	return s.region == other.region && s.state == other.state &&
		!slices.ContainsFunc(other.words, func(w string) bool {
			return !slices.ContainsFunc(s.words, func(mine string) bool {
				return mine == w || !strings.HasPrefix(w, isMark) && !strings.HasPrefix(mine, isMark) && strings.Contains(mine, w)
			})
		})
}

// isMark is what a word of the filter begins with that asks for a mark.
const isMark = "is:"

// shows tells whether a file or folder is shown: every word is part of the name
// or of a tag, or, after "is:", of a mark such as private.
func (s *sieve) shows(f *api.File) bool {
	if s.isNone() {
		return true
	}
	states, _ := s.states(f)
	marks := strings.Fields(states)
	switch {
	case s.region == withRegion && !hasRegion(f), s.region == withoutRegion && hasRegion(f),
		s.state != "" && !slices.Contains(marks, s.state):
		return false
	}
	name := strings.ToLower(f.Name)
	for _, w := range s.words {
		if mark, asks := strings.CutPrefix(w, isMark); asks {
			if mark == "" || !slices.ContainsFunc(marks, func(m string) bool { return strings.HasPrefix(m, mark) }) {
				return false
			}
			continue
		}
		if strings.Contains(name, w) {
			continue
		}
		has := func(tag string) bool { return strings.Contains(strings.ToLower(tag), w) }
		if !slices.ContainsFunc(f.Tags.Or(nil), has) &&
			!slices.ContainsFunc(f.AITags.Or(nil), func(t api.AITag) bool { return has(t.Name) }) {
			return false
		}
	}
	return true
}

// filtered tells whether a part of the listing is shown only.
func (m *Model) filtered() bool { return m.filter.Value() != "" || m.shown.search.sifts() }

// sift leaves in a listing what a sieve shows, from now on: it is too long to
// be held whole.
func (l *listing) sift(with sieve) {
	l.only = &with
	hidden := func(f api.File) bool { return !with.shows(&f) }
	l.folders, l.files = slices.DeleteFunc(l.folders, hidden), slices.DeleteFunc(l.files, hidden)
}

// unsifted tells whether what was let go of a listing is wanted after all: the
// filter is another one, or looks at what lies before the window.
func (m *Model) unsifted() bool {
	if m.shown.only != nil {
		now := m.sieve(m.shown.search)
		return !now.within(m.shown.only)
	}
	return m.filtered() && m.shown.first > 0
}
