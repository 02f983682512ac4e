package picker

import (
	"errors"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
)

// linkTime limits the following of links for each part of a folder. It covers most local folders, so that rows do not move
// later.
const linkTime = 10 * time.Millisecond

// linksMsg carries targets of links.
type linksMsg struct {
	gen   int
	rows  []int32
	kinds []kind
	left  []int32
	limit time.Duration // time limit of this step
}

// follow resolves links until the time limit. It returns the links that did not respond and those it did not reach.
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

// brokenKind returns the kind of a link without a target.
func brokenKind(err error) kind {
	if errors.Is(err, syscall.ELOOP) {
		return kindCircle
	}
	return kindBroken
}

// followLinks resolves the remaining links in the background. Links that do not respond are retried when visible.
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

// gotLinks sorts the resolved links into the list.
func (m *Model) gotLinks(msg linksMsg) tea.Cmd {
	if msg.gen != m.reading.gen {
		return nil
	}
	// Each step sorts the folder again, so the limit doubles.
	return tea.Batch(m.setKinds(msg.rows, msg.kinds), m.followLinks(msg.left, 2*msg.limit))
}

// setKinds sets the kinds of entries.
func (m *Model) setKinds(rows []int32, kinds []kind) tea.Cmd {
	if len(rows) == 0 {
		return nil
	}
	entries := slices.Clone(m.reading.entries) // drawn entries are immutable
	for i, row := range rows {
		entries[row].kind = kinds[i]
	}
	m.reading.entries = entries
	m.reading.kinds++
	m.Changed()
	return m.arrange(false)
}
