// Package picker is the screen for picking files to upload: a folder with a filter and a preview, and the tray.
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
)

// Options configure a picker. The zero value shows the working directory without a preview.
type Options struct {
	// Folder is the folder to show; empty means the working directory.
	Folder string
	// Samples opens the sample pictures if the first folder has no picture.
	Samples bool
	// Sources are the initial items of the tray. Relative paths start at the working directory.
	Sources []api.Source
	// Preview shows the preview at the start; p toggles it.
	Preview bool
	// Loader loads pictures; nil shows only facts.
	Loader *picture.Loader
	// Folders provides bookmarks and recent folders; nil means none.
	Folders Folders
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
	onFilter // the text field of the filter
)

// Model is the picker. Create it with New.
type Model struct {
	page.Base
	options Options
	now     func() time.Time
	home    func() (string, error)

	focus focus

	// reading is the folder as read so far, shown as drawn.
	opening string // folder being opened; may be empty
	reading snapshot
	shown   arrangement
	problem error // why the first folder cannot be shown
	list    kit.List
	land    string            // name to place the cursor on
	moved   bool              // the user has moved the cursor here
	cursors map[string]string // last name under the cursor by folder

	readGen, arrangeGen int
	stopArranging       context.CancelFunc

	order  order
	hidden bool
	filter kit.Field
	anchor string // name where the range starts
	ranged bool

	disk       *disk
	infos      map[string]info // by name in the current folder
	asked      map[string]bool // names whose infos are known or requested
	inspecting [2]bool         // running inspections: local, remote
	preview    preview
	pause      time.Duration // rest of the cursor before a preview
	colors     picture.Color
	abilities  picture.Abilities // of the terminal
	plain      bool              // draw pictures without color
	light      bool
	tray       tray
	trayList   kit.MarkList
	removed    [][]item // removed items for z, latest last

	totals   map[string]int  // number of files that can be picked, by folder
	totaled  map[string]bool // folders whose totals are known or requested
	totaling bool
	pasting  bool // the clipboard is being read

	clicks  *kit.Clicks
	shifted shifted

	marked  []string  // bookmarks
	recent  []string  // shown folders, newest first
	earlier []string  // folders of earlier runs
	places  *kit.Menu // the latest places menu, or nil

	sentJobs    func() ([]api.Job, error)
	readingSent bool
	sentGen     int                     // number of the library, to drop stale results
	stored      map[string]api.Identity // stored files by path
	sentFolders []string

	sheet       *edit.Tiles // the contact sheet
	folderSheet *edit.Tiles // pictures in a folder's preview
	away        bool        // the terminal has no focus
	begun       bool        // Init has run

	watching int // number of the current watch

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
		filter:  kit.Field{Label: "filter", Placeholder: "letters of the name"},
	}
	if m.now == nil {
		m.now = time.Now
	}
	m.clicks = kit.NewClicks(m.now)
	m.trayList = kit.MarkList{ID: "tray", Name: func(row int) string { return m.tray.items[row].label() }}
	m.preview.on = o.Preview
	m.sheet, m.folderSheet = m.newSheet(), m.newFolderSheet()
	return m
}

// Init reads the folder and checks the initial sources. When called again, it reads the last folder.
func (m *Model) Init() tea.Cmd {
	m.watching++ // replies to the old watch may be lost
	if m.begun {
		folder := cmp.Or(m.shown.folder, m.options.Folder)
		return tea.Batch(m.open(folder, ""), m.readSent(), m.watch())
	}
	m.begun = true
	first := m.open(m.options.Folder, "")
	if m.options.Samples {
		first = m.orSamples(first)
	}
	cmds := []tea.Cmd{first, m.readSent(), m.watch()}
	if len(m.options.Sources) > 0 {
		cmds = append(cmds, m.absolute(m.options.Sources))
	}
	return tea.Batch(cmds...)
}

// Update handles a message, then requests missing sizes and the preview.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd, used := m.handle(msg)
	if !used {
		return nil
	}
	switch msg.(type) {
	case watchedMsg, infosMsg: // they report changes themselves
	default:
		m.Changed()
	}
	rows := m.rowsArea(m.layout()).Size()
	m.list.SetHeight(rows.Y)
	m.trayList.SetHeight(inner(m.layout().tray).Dy())
	m.sheet.Arrange(rows, m.drawing())
	m.folderSheet.Arrange(m.preview.subject.room, m.drawing())
	return tea.Batch(cmd, m.wantInfos(), m.wantTotal(), m.wantPreview(), m.sheet.Want(), m.folderSheet.Want())
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
	case page.Themed:
		if msg.Theme != nil {
			m.light, m.plain = !msg.Theme.Dark, !msg.Theme.Pictures
		}
	case tea.ColorProfileMsg:
		m.colors = picture.ColorOf(msg.Profile)
	case picture.Abilities:
		m.abilities = msg
	case page.Shown:
		return m.reload(), true
	case page.JobsChanged:
		return m.readSent(), true
	case tea.FocusMsg:
		m.away = false
	case tea.BlurMsg:
		m.away = true
	case page.Add:
		return m.add(msg.Sources), true
	case page.Sent:
		m.sent(msg.Jobs)
	default:
		return m.reply(msg)
	}
	return nil, true
}

// reply handles the results of the picker's own commands.
func (m *Model) reply(msg tea.Msg) (cmd tea.Cmd, used bool) {
	switch msg := msg.(type) {
	case snapshotMsg:
		return m.snapshot(msg), true
	case arrangedMsg:
		return m.arranged(msg), true
	case placesMsg:
		return m.gotPlaces(msg), true
	case watchedMsg:
		return m.watched(msg), true
	case linksMsg:
		return m.gotLinks(msg), true
	case infosMsg:
		return m.gotInfos(msg), true
	case folderPicked:
		return m.pickedFolder(msg), true
	case checkedMsg:
		return m.checked(msg), true
	case composeMsg:
		return m.compose(msg), true
	case factsMsg:
		return m.gotFacts(msg), true
	case drawnMsg:
		return m.gotDrawn(msg), true
	case picture.Transmitted:
		return m.transmitted(msg), true
	case countedMsg:
		m.gotCount(msg)
	default:
		return nil, false
	}
	return nil, true
}

// entryAt returns the entry of row i.
func (m *Model) entryAt(i int) (entry, bool) {
	if i < 0 || i >= len(m.shown.rows) {
		return entry{}, false
	}
	return m.shown.entries[m.shown.rows[i]], true
}

// current returns the entry under the cursor.
func (m *Model) current() (entry, bool) { return m.entryAt(m.list.Cursor()) }

// path returns the full path of an entry.
func (m *Model) path(e entry) string { return filepath.Join(m.shown.folder, e.name) }

func toast(level kit.Level, text string) tea.Cmd {
	return page.Send(page.Toast{Level: level, Text: text})
}
