package picker

import (
	"errors"
	"image"
	"path/filepath"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// place is a folder to go to.
type place struct {
	folder string
	words  string // why it is offered
}

// placesMsg brings the folders that are offered.
type placesMsg struct {
	marked  []string
	earlier []string
	err     error
}

// recentKept is how many folders that were shown last are offered.
const recentKept = 15

func (m *Model) startPlaces() tea.Cmd {
	m.Overlays().Open(newPlaces(m))
	return m.askPlaces()
}

// places is the list of bookmarks and recent folders.
type places struct {
	m      *Model
	rows   []place
	list   kit.List
	clicks *kit.Clicks
	size   image.Point
	closed bool
}

var _ kit.Overlay = (*places)(nil)

func newPlaces(m *Model) *places {
	p := &places{m: m, clicks: kit.NewClicks(m.now)}
	p.arrange()
	return p
}

// Actions go there, remove a bookmark, move and close.
func (p *places) Actions() []kit.Action {
	return append([]kit.Action{
		{ID: "picker.place-go", Keys: kit.Bind("go there", "", "enter", "l", "right"), Group: groupMove, Footer: true, Do: p.goThere},
		{ID: "picker.place-remove", Keys: kit.Bind("remove the bookmark", "", "d"), Group: groupMove, Footer: true, Disabled: p.noBookmark, Do: p.drop},
		{ID: "picker.place-close", Keys: kit.Bind("close", "", "esc", "b"), Group: groupMove, Footer: true, Do: p.close},
	}, kit.ListActions(func() kit.Scroller { return &p.list }, nil)...)
}

// Capturing is false.
func (p *places) Capturing() bool { return false }

// Type uses nothing.
func (p *places) Type(tea.Msg) (tea.Cmd, bool) { return nil, false }

// Mouse goes to the place that is clicked twice.
func (p *places) Mouse(msg tea.MouseMsg) tea.Cmd {
	if click, ok := msg.(tea.MouseClickMsg); ok {
		double := p.clicks.Double(click)
		switch {
		case !image.Pt(click.X, click.Y).In(image.Rectangle{Max: p.size}):
			return p.close()
		case p.list.Click(click.Y-kit.BoxOrigin(p.size).Y) && double:
			return p.goThere()
		}
	}
	p.list.Wheel(msg)
	return nil
}

// Resize fits it into room.
func (p *places) Resize(room image.Point) {
	p.size = image.Pt(min(room.X, 76), min(room.Y, max(1, len(p.rows))+3))
	p.list.SetHeight(max(1, kit.BoxInner(p.size).Y-1))
}

// Closed reports that it was left.
func (p *places) Closed() bool { return p.closed }

func (p *places) close() tea.Cmd {
	p.closed = true
	return nil
}

// askPlaces reads the bookmarks and the folders that earlier runs showed.
func (m *Model) askPlaces() tea.Cmd {
	marks, earlier := m.options.Bookmarks, m.options.Earlier
	return func() tea.Msg {
		var msg placesMsg
		if marks.Load != nil {
			msg.marked, msg.err = marks.Load()
		}
		if earlier != nil {
			found, err := earlier()
			msg.earlier, msg.err = found, errors.Join(msg.err, err)
		}
		return msg
	}
}

func (m *Model) gotPlaces(msg placesMsg) tea.Cmd {
	m.marked, m.earlier = msg.marked, msg.earlier
	if p, ok := m.Overlays().Top().(*places); ok {
		p.arrange()
	}
	if msg.err != nil {
		return page.Send(problem(msg.err))
	}
	return nil
}

// arrangePlaces makes the rows: bookmarks, then the folders that were shown last,
// then those that were sent from.
func (p *places) arrange() {
	m := p.m
	p.rows = p.rows[:0]
	known := map[string]bool{}
	add := func(folder, words string) {
		if folder != "" && !known[folder] {
			known[folder] = true
			p.rows = append(p.rows, place{folder, words})
		}
	}
	for _, f := range m.marked {
		add(f, "bookmark")
	}
	for _, f := range Recent(m.recent, m.earlier) {
		add(f, "recent")
	}
	for _, f := range m.sentFolders {
		add(f, "sent from")
	}
	p.list.SetLen(len(p.rows))
}

// Shown are the folders that were shown in this run, newest first.
func (m *Model) Shown() []string { return slices.Clone(m.recent) }

// Recent are the folders of a run and those of earlier ones, newest first: each
// once, and as many as are offered.
func Recent(run, earlier []string) []string {
	out := slices.Clone(run)
	for _, f := range earlier {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out[:min(len(out), recentKept)]
}

// remember puts a folder in front of the recent ones.
func (m *Model) remember(folder string) {
	m.recent = slices.DeleteFunc(m.recent, func(f string) bool { return f == folder })
	m.recent = slices.Insert(m.recent, 0, folder)
	m.recent = m.recent[:min(len(m.recent), recentKept)]
}

func (p *places) goThere() tea.Cmd {
	i := p.list.Cursor()
	if i >= len(p.rows) {
		return nil
	}
	p.closed = true
	return p.m.open(p.rows[i].folder, "")
}

// dropPlace takes the bookmark under the cursor away.
func (p *places) drop() tea.Cmd {
	gone := p.rows[p.list.Cursor()].folder
	return p.m.saveMarks(slices.DeleteFunc(slices.Clone(p.m.marked), func(f string) bool { return f == gone }))
}

func (p *places) noBookmark() string {
	if i := p.list.Cursor(); i >= len(p.rows) || p.rows[i].words != "bookmark" {
		return "only bookmarks can be removed"
	}
	return p.m.noBookmarks()
}

// toggleMark makes the folder shown a bookmark, or none any more.
func (m *Model) toggleMark() tea.Cmd {
	marks, folder := m.options.Bookmarks, m.shown.folder
	return func() tea.Msg {
		now, err := marks.Load()
		if err != nil {
			return problem(err)
		}
		words := "is a bookmark now. b lists them."
		if slices.Contains(now, folder) {
			now = slices.DeleteFunc(now, func(f string) bool { return f == folder })
			words = "is no bookmark any more."
		} else {
			now = append(now, folder)
		}
		if err := marks.Save(now); err != nil {
			return problem(err)
		}
		return page.Toast{Level: page.Good, Text: filepath.Base(folder) + " " + words}
	}
}

func (m *Model) saveMarks(folders []string) tea.Cmd {
	marks, earlier := m.options.Bookmarks, m.earlier
	return func() tea.Msg {
		err := marks.Save(folders)
		if err != nil {
			return placesMsg{marked: nil, earlier: earlier, err: err}
		}
		return placesMsg{marked: folders, earlier: earlier}
	}
}

func (p *places) View(room image.Point, th *theme.Theme) string {
	drawn := *p // drawing changes nothing
	drawn.Resize(room)
	p, size := &drawn, drawn.size
	in := kit.BoxInner(size)
	hint := " " + th.Muted.Render(text.Truncate("enter goes there, d removes a bookmark, esc closes", in.X-1))
	if len(p.rows) == 0 {
		return kit.Box("Places", kit.JoinV(" "+th.Muted.Render(text.Truncate("None yet. B makes the folder shown a bookmark.", in.X-1)), hint), size, true, th)
	}
	rows := p.list.View(image.Pt(in.X, max(1, in.Y-1)), func(i, width int, selected bool) string {
		row := p.rows[i]
		words := 10
		line := " " + text.PadRight(text.TruncateMiddle(text.Safe(row.folder), width-words-2), width-words-1) + text.PadRight(row.words, words)
		if selected {
			return th.Selected.Render(line)
		}
		return line
	})
	return kit.Box("Places", kit.JoinV(rows, hint), size, true, th)
}
