// Package picker is the screen for picking files to upload: a folder with a filter and a preview,
// and the tray.
package picker

import (
	"cmp"
	"context"
	"image"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/rule"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Options configure a picker. The zero value shows the working directory without a preview.
type Options struct {
	// Folder is the folder to show; empty means the working directory.
	Folder string
	// Samples writes the sample pictures and returns the path of the one to begin with. They are
	// opened if there is no picture in or below the first folder; nil does without them.
	Samples func() (string, error)
	// Sources are the initial items of the tray. Relative paths start at the working directory.
	Sources []api.Source
	// Preview shows the preview at the start; p toggles it.
	Preview bool
	// Loader loads pictures; nil shows only facts.
	Loader *picture.Loader
	// Clipboard saves the clipboard's picture to a file; nil disables it.
	Clipboard func(context.Context) (api.Source, error)
	// WatchInterval is the interval for checking the folder; 0 disables it.
	WatchInterval time.Duration
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

type focus int

const (
	onList focus = iota
	onTray
)

// Model is the picker. Create it with New.
type Model struct {
	page.Base
	options Options

	focus focus
	size  image.Point

	began   string // the first folder
	opening string // folder being opened; may be empty
	shown   arrangement
	changed time.Time         // modification time of the folder before it was read
	problem error             // why the first folder cannot be shown
	list    kit.List[int32]   // rows of shown
	pattern string            // filter of the latest arrangement
	cursors map[string]string // last name under the cursor by folder

	reads, arranging, watching page.Questions
	checking                   bool // whether the folder has changed

	order  order
	hidden bool

	infos      map[string]info // by name in the current folder
	folder     map[string]bool // names whose infos are known or requested
	inspecting bool            // rows are being inspected
	preview    *edit.Preview
	known      known // about the entry under the cursor
	tray       tray
	trayList   kit.List[item]
	removed    [][]item // removed items for z, latest last

	totals   map[string]int  // number of files that can be picked, by folder
	totaled  map[string]bool // folders whose totals are known or requested
	totaling bool
	pasting  bool // the clipboard is being read

	sheet *edit.Tiles // the contact sheet
	next  tea.Cmd     // of stepping back, to be run
}

var _ page.Screen = (*Model)(nil)

// New returns a picker. It reads nothing before Init.
func New(o Options) *Model {
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &Model{
		options: o,
		cursors: map[string]string{},
		infos:   map[string]info{},
		folder:  map[string]bool{},
		totals:  map[string]int{},
		totaled: map[string]bool{},
		tray:    tray{at: map[string]int{}, subs: map[string]string{}},
	}
	m.list = kit.List[int32]{
		ID: "picker", Placeholder: "letters of the name", NotFound: "no file is shown", Nothing: "no file is shown", Now: o.Now,
		NoPane: !o.Preview, Marking: true, Widen: m.widen,
		Rows: func() []kit.Group[int32] {
			if len(m.shown.rows) == 0 {
				return nil
			}
			return []kit.Group[int32]{{Rows: m.shown.rows}}
		},
		Key: func(row int32) any { return m.shown.entries[row].name },
		Sign: func(row int32) theme.Sign {
			e := m.shown.entries[row]
			some, _ := m.share(m.path(e))
			return text.Either(m.picked(e), theme.SignMarked, some)
		},
		Total: func() int { return len(m.shown.sorted) }, Title: m.title, Footer: m.footer, Empty: m.emptyText,
		Columns: m.columns, Cells: m.cells, Describe: m.describe,
		Tiles: func() kit.Tiles { return m.sheet.Shown() },
	}
	m.trayList = kit.List[item]{
		ID: "tray", RowsOnly: true, Placeholder: "part of a name", Nothing: "nothing is picked", NotFound: "the filter finds nothing", Now: o.Now,
		Rows: m.trayGroups, Key: func(i item) any { return keyOf(i.source) },
		Folds: func(string) bool { return len(m.tray.items) > manyPicked },
		Head: func(folder string, items []item, th *theme.Theme) (name, note string) {
			words := text.If(len(items) < len(m.tray.items), summary(items)) + items[0].to()
			return text.Safe(folder), th.Muted.Render(strings.TrimSpace(words))
		},
		Match:   func(i item, words []string) bool { return text.HasAll(words, i.label()) },
		Columns: func(int) kit.Columns { return trayColumns }, Cells: m.trayCells,
	}
	m.trayList.Arrange()
	m.preview = edit.NewPreview(edit.PreviewOptions{
		Context: context.Background(), Loader: o.Loader, List: &m.list, Thumbs: m.thumbs,
		Facts: func(f *kit.Facts) { f.Draw("size", "date", "link") },
	})
	m.sheet = edit.NewTiles(edit.TilesOptions{
		Context: context.Background(), Loader: o.Loader, List: m.list.Lines(), Tile: m.tile, First: firstPictures,
		Below: func() int { list, _ := m.layout(m.size); return m.size.Y - list.Max.Y },
	})
	m.list.Arrange()
	return m
}

// Init reads the folder and checks the initial sources. When called again, it reads the last
// folder.
func (m *Model) Init() tea.Cmd {
	sources := m.options.Sources
	m.options.Sources = nil
	return tea.Batch(m.open(cmp.Or(m.shown.folder, m.options.Folder), ""), m.watch(), m.add(sources))
}

// Update handles a message, then requests missing sizes and the preview.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd, used := m.handle(msg)
	if used = m.preview.Update(msg) || used; !used {
		return nil
	}
	if m.list.Filter() != m.pattern {
		cmd = tea.Batch(cmd, m.arrange(false))
	}
	if m.sheet.On {
		m.list.Landed() // the tiles share its cursor
	}
	list, tray := m.layout(m.size)
	m.list.Resize(list.Size())
	m.list.Changed()
	m.list.NoCursor, m.trayList.NoCursor = m.focus == onTray, m.focus != onTray
	m.trayList.Resize(kit.BoxInner(tray.Size()))
	m.trayList.Changed()
	m.sheet.Arrange(m.list.Inside().Size(), m.preview.Options())
	next := m.next
	m.next = nil
	return tea.Batch(cmd, next, m.wantInfos(), m.wantTotal(), m.wantPreview(), m.sheet.Want(),
		m.preview.Follow())
}

func (m *Model) handle(msg tea.Msg) (cmd tea.Cmd, used bool) {
	switch msg := msg.(type) {
	case page.Acted:
	case tea.MouseClickMsg:
		return m.clicked(msg), true
	case tea.MouseWheelMsg:
		m.wheel(msg)
	case page.Resized:
		m.size = msg.Size
	case page.Shown:
		return m.reload(), true
	case page.Add:
		return m.add(msg.Sources), true
	case page.Sent:
		m.sent(msg.Jobs)
	default:
		return nil, m.sheet.Update(msg)
	}
	return nil, true
}

func (m *Model) entryAt(i int) (entry, bool) {
	at, ok := m.list.At(i)
	if !ok {
		return entry{}, false
	}
	return m.shown.entries[at.Row], true
}

func (m *Model) current() (entry, bool) { return m.entryAt(m.list.Cursor()) }

func (m *Model) path(e entry) string { return filepath.Join(m.shown.folder, e.name) }

// source returns a file of the folder that is shown. As from a folder that is picked as a whole, it
// keeps the name of its folder, unless that is the one where the picker began.
func (m *Model) source(e entry) api.Source {
	s, at := api.Source{Path: m.path(e)}, m.shown.folder
	if _, known := m.tray.subs[at]; !known && at != m.began && at != filepath.Dir(at) {
		s.Sub = rule.SubFolder(filepath.Base(at))
	}
	return s
}

func (m *Model) picked(e entry) bool { return m.tray.has(api.Source{Path: m.path(e)}) }
