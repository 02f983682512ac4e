// Package picker is the screen for picking files to upload: a folder with a filter and a preview,
// and the tray.
package picker

import (
	"cmp"
	"context"
	"image"
	"path/filepath"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
)

// Options configure a picker. The zero value shows the working directory without a preview.
type Options struct {
	// Folder is the folder to show; empty means the working directory.
	Folder string
	// Samples writes the sample pictures and returns the path of the one to begin with. First opens
	// them if there is no picture in or below the first folder.
	Samples func() (string, error)
	First   bool
	// Sources are the initial items of the tray. Relative paths start at the working directory.
	Sources []api.Source
	// Preview shows the preview at the start; p toggles it.
	Preview bool
	// Loader loads pictures; nil shows only facts.
	Loader *picture.Loader
	// Clipboard saves the clipboard's picture to a file; nil disables it.
	Clipboard func(context.Context) (api.Source, error)
	// Watch is the interval for checking the folder; 0 disables it.
	Watch time.Duration
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// focus is the focused part of the screen.
type focus int

const (
	onList focus = iota
	onTray
)

// Model is the picker. Create it with New.
type Model struct {
	page.Base
	options Options
	now     func() time.Time
	home    func() (string, error)

	focus focus

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

	disk       *disk
	infos      map[string]info // by name in the current folder
	asked      map[string]bool // names whose infos are known or requested
	inspecting bool            // rows are being inspected
	preview    preview
	pause      time.Duration // rest of the cursor before a preview
	terminal   edit.Terminal
	tray       tray
	trayList   kit.List[item]
	removed    [][]item // removed items for z, latest last

	totals   map[string]int  // number of files that can be picked, by folder
	totaled  map[string]bool // folders whose totals are known or requested
	totaling bool
	pasting  bool // the clipboard is being read

	clicks *kit.Clicks

	sheet *edit.Tiles // the contact sheet
	away  bool        // the terminal has no focus
	begun bool        // Init has run

	size image.Point
}

var _ page.Screen = (*Model)(nil)

// New returns a picker. It reads nothing before Init.
func New(o Options) *Model {
	m := &Model{
		options: o,
		now:     o.Now,
		pause:   pause,
		home:    homeFolder,
		disk:    newDisk(),
		cursors: map[string]string{},
		infos:   map[string]info{},
		asked:   map[string]bool{},
		totals:  map[string]int{},
		totaled: map[string]bool{},
	}
	if m.now == nil {
		m.now = time.Now
	}
	m.clicks = kit.NewClicks(m.now)
	m.list = kit.List[int32]{
		ID: "picker", Bare: true, Placeholder: "letters of the name", NotFound: "no file is shown", Now: m.now,
		Rows: func() []kit.Group[int32] { return []kit.Group[int32]{{Rows: m.shown.rows}} }, Key: func(row int32) any { return m.shown.entries[row].name },
		Total: func() int { return len(m.shown.sorted) }, Columns: func(int) kit.Columns { return listColumns }, Draw: m.drawRow, Empty: m.emptyText,
		Tiles: func() kit.Tiles {
			if !m.sheet.On {
				return nil
			}
			return m.sheet
		},
	}
	m.trayList = kit.List[item]{
		ID: "tray", Bare: true, Placeholder: "part of a name", Nothing: "the tray is empty", NotFound: "the filter finds nothing", Now: m.now,
		OnHead: "a folder has no URL", Rows: m.trayGroups, Head: m.trayHead, Key: func(i item) any { return keyOf(i.source) },
		Match:   func(i item, words []string) bool { return text.HasAll(words, i.label()) },
		Columns: func(int) kit.Columns { return trayColumns }, Cells: m.trayCells,
	}
	m.trayList.Arrange()
	m.preview.on = o.Preview
	m.preview.pictures = m.newPreview()
	m.sheet = edit.NewTiles(edit.TilesOptions{
		Context: context.Background(), Loader: o.Loader, List: m.list.Lines(), Tile: m.tile, First: firstPictures,
	})
	m.list.Arrange()
	return m
}

// Init reads the folder and checks the initial sources. When called again, it reads the last
// folder.
func (m *Model) Init() tea.Cmd {
	if m.begun {
		folder := cmp.Or(m.shown.folder, m.options.Folder)
		return tea.Batch(m.open(folder, ""), m.watch())
	}
	m.begun = true
	first := m.open(m.options.Folder, "")
	if m.options.First && m.options.Samples != nil {
		first = m.openFirst()
	}
	cmds := []tea.Cmd{first, m.watch()}
	if len(m.options.Sources) > 0 {
		cmds = append(cmds, m.add(m.options.Sources))
	}
	return tea.Batch(cmds...)
}

// Update handles a message, then requests missing sizes and the preview.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd, used := m.handle(msg)
	if !used {
		return nil
	}
	m.Changed()
	if m.list.Filter() != m.pattern {
		cmd = tea.Batch(cmd, m.arrange(false))
	}
	if m.sheet.On {
		m.list.Landed() // the tiles share its cursor
	}
	m.list.Resize(inner(m.layout().list).Size())
	m.list.Changed()
	m.trayList.NoCursor = m.focus != onTray
	m.trayList.Resize(inner(m.layout().tray).Size())
	m.trayList.Changed()
	m.sheet.Arrange(m.list.Inside().Size(), m.terminal.Options())
	cmd = tea.Batch(cmd, m.wantInfos(), m.wantTotal(), m.wantPreview())
	m.preview.pictures.Arrange(m.layout().picture().Size(), m.terminal.Options())
	return tea.Batch(cmd, m.sheet.Want(), m.preview.pictures.Want())
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
	case tea.FocusMsg:
		m.away = false
	case tea.BlurMsg:
		m.away = true
	case page.Add:
		return m.add(msg.Sources), true
	case page.Sent:
		m.sent(msg.Jobs)
	case picture.Transmitted:
		return nil, m.sheet.Update(msg) || m.preview.pictures.Update(msg)
	default:
		return nil, m.terminal.Learn(msg)
	}
	return nil, true
}

// entryAt returns the entry of row i.
func (m *Model) entryAt(i int) (entry, bool) {
	at, ok := m.list.At(i)
	if !ok {
		return entry{}, false
	}
	return m.shown.entries[at.Row], true
}

// current returns the entry under the cursor.
func (m *Model) current() (entry, bool) { return m.entryAt(m.list.Cursor()) }

// path returns the full path of an entry.
func (m *Model) path(e entry) string { return filepath.Join(m.shown.folder, e.name) }
