package picker

import (
	"errors"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
)

// linkTime is what following links may add to reading a part of a folder: on a
// disk at hand it is enough for all of a usual folder, so that its rows are in
// their places from the first drawing on.
const linkTime = 10 * time.Millisecond

// linksMsg brings what some links of a folder lead to.
type linksMsg struct {
	gen   int
	rows  []int32
	kinds []kind
	left  []int32
	limit time.Duration // of the time that it took
}

// follow finds out what links lead to, as many as it can in a time, and tells
// which of them gave no answer and which are left.
func follow(d *disk, folder string, entries []entry, rows []int32, limit, patience time.Duration, found func(row int32, k kind)) (silent, left []int32) {
	begin := time.Now()
	for i, row := range rows {
		if time.Since(begin) >= limit {
			return silent, rows[i:]
		}
		info, err := d.stat(filepath.Join(folder, entries[row].name), patience)
		switch {
		case errors.Is(err, errNoAnswer):
			silent = append(silent, row)
		case err != nil:
			found(row, lostLink(err))
		default:
			found(row, kindOf(info.Mode()))
		}
	}
	return silent, nil
}

// lostLink is what a link is that leads to nothing.
func lostLink(err error) kind {
	if errors.Is(err, syscall.ELOOP) {
		return kindCircle
	}
	return kindBroken
}

// followLinks follows what the reading left of a folder's links, beside the event
// loop. What still does not answer is asked again when it is in view.
func (m *Model) followLinks(rows []int32, limit time.Duration) tea.Cmd {
	if len(rows) == 0 {
		return nil
	}
	d, s := m.disk, m.reading
	return func() tea.Msg {
		msg := linksMsg{gen: s.gen, limit: limit}
		_, msg.left = follow(d, s.folder, s.entries, rows, limit, d.patience, func(row int32, k kind) {
			msg.rows, msg.kinds = append(msg.rows, row), append(msg.kinds, k)
		})
		return msg
	}
}

// gotLinks puts links in the places of what they lead to.
func (m *Model) gotLinks(msg linksMsg) tea.Cmd {
	if msg.gen != m.reading.gen {
		return nil
	}
	// Each time they are sorted anew, which is done ever less often.
	return tea.Batch(m.setKinds(msg.rows, msg.kinds), m.followLinks(msg.left, 2*msg.limit))
}

// setKinds notes what some entries of the folder that is read are.
func (m *Model) setKinds(rows []int32, kinds []kind) tea.Cmd {
	if len(rows) == 0 {
		return nil
	}
	entries := slices.Clone(m.reading.entries) // those drawn do not change
	for i, row := range rows {
		entries[row].kind = kinds[i]
	}
	m.reading.entries = entries
	m.reading.kinds++
	m.memo.Forget()
	return m.arrange(false)
}
