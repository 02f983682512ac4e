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

// Folders are the folders that outlive a run of the program.
type Folders interface {
	// Bookmarks are the folders that the user marked.
	Bookmarks() ([]string, error)
	SetBookmarks([]string) error
	// Earlier are the folders that earlier runs showed, newest first.
	Earlier() ([]string, error)
	// Samples writes sample pictures and returns their folder.
	Samples() (string, error)
}

// place is a folder to go to.
type place struct {
	folder string
	reason string // why it is offered
}

// placesMsg has the folders that are offered.
type placesMsg struct {
	marked  []string
	earlier []string
	err     error
}

// recentKept is how many folders that were shown last are offered.
const recentKept = 15

func (m *Model) startPlaces() tea.Cmd {
	m.Open(newPlaces(m))
	folders := m.options.Folders
	if folders == nil {
		return nil
	}
	return func() tea.Msg {
		marked, err := folders.Bookmarks()
		earlier, also := folders.Earlier()
		return placesMsg{marked, earlier, errors.Join(err, also)}
	}
}

// places is the list of bookmarks and recent folders.
type places struct {
	kit.Popup
	m      *Model
	rows   []place
	list   kit.List
	clicks *kit.Clicks
	size   image.Point
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
		{ID: "picker.place-remove", Keys: kit.Bind("remove the bookmark", "", "d"), Group: groupMove, Footer: true, Disabled: p.noBookmark, Do: p.remove},
		{ID: "picker.place-close", Keys: kit.Bind("close", "", "esc", "b"), Group: groupMove, Footer: true, Do: p.Close},
	}, kit.ListActions(func() kit.Scroller { return &p.list }, nil)...)
}

// Mouse goes to the place that is clicked twice.
func (p *places) Mouse(msg tea.MouseMsg) tea.Cmd {
	if click, ok := msg.(tea.MouseClickMsg); ok {
		double := p.clicks.Double(click)
		switch {
		case !image.Pt(click.X, click.Y).In(image.Rectangle{Max: p.size}):
			return p.Close()
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

// arrange makes the rows: bookmarks, then the folders that were shown last, then those
// that files were sent from.
func (p *places) arrange() {
	p.rows = p.rows[:0]
	add := func(folders []string, reason string) {
		for _, f := range folders {
			if f != "" && !slices.ContainsFunc(p.rows, func(known place) bool { return known.folder == f }) {
				p.rows = append(p.rows, place{f, reason})
			}
		}
	}
	add(p.m.marked, "bookmark")
	add(Recent(p.m.recent, p.m.earlier), "recent")
	add(p.m.sentFolders, "sent from")
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

// without are the folders but for one.
func without(folders []string, gone string) []string {
	return slices.DeleteFunc(slices.Clone(folders), func(f string) bool { return f == gone })
}

func (p *places) goThere() tea.Cmd {
	i := p.list.Cursor()
	if i >= len(p.rows) {
		return nil
	}
	p.Close()
	return p.m.open(p.rows[i].folder, "")
}

// remove removes the bookmark under the cursor.
func (p *places) remove() tea.Cmd {
	folders, earlier, marked := p.m.options.Folders, p.m.earlier, without(p.m.marked, p.rows[p.list.Cursor()].folder)
	return func() tea.Msg {
		if err := folders.SetBookmarks(marked); err != nil {
			return problem(err)
		}
		return placesMsg{marked: marked, earlier: earlier}
	}
}

func (p *places) noBookmark() string {
	if i := p.list.Cursor(); i >= len(p.rows) || p.rows[i].reason != "bookmark" {
		return "only bookmarks can be removed"
	}
	return ""
}

// toggleMark makes the folder shown a bookmark, or removes the bookmark.
func (m *Model) toggleMark() tea.Cmd {
	folders, folder := m.options.Folders, m.shown.folder
	return func() tea.Msg {
		marked, err := folders.Bookmarks()
		if err != nil {
			return problem(err)
		}
		now, words := without(marked, folder), "is not a bookmark any more."
		if len(now) == len(marked) {
			now, words = append(now, folder), "is a bookmark now. Press b to list them."
		}
		if err := folders.SetBookmarks(now); err != nil {
			return problem(err)
		}
		return page.Toast{Level: page.Good, Text: filepath.Base(folder) + " " + words}
	}
}

func (p *places) View(room image.Point, th *theme.Theme) string {
	drawn := *p // drawing changes nothing
	drawn.Resize(room)
	in := kit.BoxInner(drawn.size)
	say := func(words string) string { return " " + th.Muted.Render(text.Truncate(words, in.X-1)) }
	rows := say("None yet. B bookmarks the folder shown.")
	if len(p.rows) > 0 {
		rows = drawn.list.View(image.Pt(in.X, max(1, in.Y-1)), func(i, width int, selected bool) string {
			row := p.rows[i]
			const words = 10
			line := " " + text.PadRight(text.TruncateMiddle(text.Safe(row.folder), width-words-2), width-words-1) + text.PadRight(row.reason, words)
			if selected {
				return th.Selected.Render(line)
			}
			return line
		})
	}
	return kit.Box("Places", kit.JoinV(rows, say("enter goes there, d removes a bookmark, esc closes")), drawn.size, true, th)
}
