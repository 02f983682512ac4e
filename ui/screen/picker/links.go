package picker

import (
	"errors"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
)

// linkTime is how long following links may take for each part of a folder. On a local disk
// it is enough for all links of a usual folder, so that its rows do not move later.
const linkTime = 10 * time.Millisecond

// linksMsg has the targets of some links of a folder.
type linksMsg struct {
	gen   int
	rows  []int32
	kinds []kind
	left  []int32
	limit time.Duration // of the time that it took
}

// follow finds out the targets of links, as many as it can in a time, and returns which of
// them did not answer and which are left.
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
			found(row, brokenKind(err))
		default:
			found(row, kindOf(info.Mode()))
		}
	}
	return silent, nil
}

// brokenKind is the kind of a link without a target.
func brokenKind(err error) kind {
	if errors.Is(err, syscall.ELOOP) {
		return kindCircle
	}
	return kindBroken
}

// followLinks follows the links of a folder that are left after reading it, off the event
// loop. Those that do not answer are tried again when they are in view.
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

// gotLinks sorts links by their targets.
func (m *Model) gotLinks(msg linksMsg) tea.Cmd {
	if msg.gen != m.reading.gen {
		return nil
	}
	// Each time the folder is sorted again: so the time doubles.
	return tea.Batch(m.setKinds(msg.rows, msg.kinds), m.followLinks(msg.left, 2*msg.limit))
}

// setKinds notes the kinds of some entries of the folder.
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
	m.Changed()
	return m.arrange(false)
}
