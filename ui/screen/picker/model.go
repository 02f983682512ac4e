// Package picker is the screen on which the user picks what to upload: a folder
// with a filter and a preview, and the tray that collects the sources.
package picker

import (
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

// Options are the options of a picker. The zero value shows the working
// directory, without preview.
type Options struct {
	// Folder is the folder to show; empty is the working directory.
	Folder string
	// Samples opens the sample pictures if the first folder has no picture.
	Samples bool
	// Sources are put into the tray at the start. Relative paths are those of
	// the working directory.
	Sources []api.Source
	// Preview shows the preview from the start; p switches it.
	Preview bool
	// Loader draws the pictures; nil shows only their facts.
	Loader *picture.Loader
	// Folders are bookmarks and others; nil: there are none.
	Folders Folders
	// Clipboard copies the picture on the clipboard to a file; nil: it cannot be read.
	Clipboard func(context.Context) (api.Source, error)
	// Watch is how often the folder shown is checked for changes; 0: never.
	Watch time.Duration
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// focus is the part of the screen that takes the keys.
type focus int

const (
	onList focus = iota
	onTray
	onFilter // the text field of the filter
)

// Model is the picker. Make it with New.
type Model struct {
	page.Base
	options Options
	now     func() time.Time
	home    func() (string, error)

	focus focus

	// The folder. reading is what the disk gave so far, shown what is drawn.
	opening string // the folder on its way; empty when none is
	reading snapshot
	shown   arrangement
	problem error // why the first folder cannot be shown
	list    kit.List
	land    string            // the name the cursor is to land on
	moved   bool              // the person has moved the cursor in this folder
	cursors map[string]string // folder → name under the cursor when it was left

	readGen, arrangeGen int
	stopArranging       context.CancelFunc

	order  order
	hidden bool
	filter kit.Field
	anchor string // name at which a range begins; empty: no range
	ranged bool

	disk       *disk
	infos      map[string]info // by name, of the folder shown
	asked      map[string]bool // names whose infos are there or on their way
	inspecting [2]bool         // looks are on their way: at what is here, at what may be remote
	preview    preview
	pause      time.Duration // how long the cursor rests before a preview is made
	colors     picture.Color
	abilities  picture.Abilities // of the terminal
	plain      bool              // pictures have no color
	light      bool
	tray       tray
	trayList   kit.MarkList
	removed    [][]item // what was removed, the last one last, for z

	totals   map[string]int  // how many files of a folder can be picked, by path
	totaled  map[string]bool // folders whose totals are there or on their way
	totaling bool
	pasting  bool // the clipboard is being read

	clicks  *kit.Clicks
	shifted shifted

	marked  []string  // bookmarks
	recent  []string  // folders that were shown, newest first
	earlier []string  // those of earlier runs
	places  *kit.Menu // of them, opened last; nil: never

	sentJobs    func() ([]api.Job, error)
	readingSent bool
	sentGen     int                     // of the library: news of another one is dropped
	stored      map[string]api.Identity // what was sent and stored, by path
	sentFolders []string

	sheet       *edit.Tiles // the folder as a contact sheet
	folderSheet *edit.Tiles // the pictures in the preview of a folder
	away        bool        // the terminal does not have the focus
	begun       bool        // Init has run

	watching int // the number of the watch that runs

	size image.Point
}

var _ page.Screen = (*Model)(nil)

// New makes a picker. It reads nothing before Init.
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

// Init reads the folder and looks at the sources that came with the program. Once
// more, it reads the folder that was shown last.
func (m *Model) Init() tea.Cmd {
	m.watching++ // what the one before had on its way may have been lost
	if m.begun {
		folder := m.shown.folder
		if folder == "" {
			folder = m.options.Folder
		}
		return tea.Batch(m.open(folder, ""), m.readSent(), m.watch())
	}
	m.begun = true
	first := m.open(m.options.Folder, "")
	if m.options.Samples {
		first = m.orSamples(first)
	}
	cmds := []tea.Cmd{first, m.readSent(), m.watch()}
	if len(m.options.Sources) > 0 {
		cmds = append(cmds, absolute(m.options.Sources))
	}
	return tea.Batch(cmds...)
}

// Update takes a message. What a message leaves to be known (sizes of the rows
// in view, the preview) is asked for at the end.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd, used := m.handle(msg)
	if !used {
		return nil
	}
	switch msg.(type) {
	case watchedMsg, infosMsg: // what they change in the drawing says so itself
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

// reply takes the answers of the picker's own commands.
func (m *Model) reply(msg tea.Msg) (cmd tea.Cmd, used bool) {
	switch msg := msg.(type) {
	case snapshotMsg:
		return m.snapshot(msg), true
	case arrangedMsg:
		return m.arranged(msg), true
	case completedMsg:
		msg.of.completed(msg)
	case placesMsg:
		return m.gotPlaces(msg), true
	case sentMsg:
		return m.gotSent(msg), true
	case watchedMsg:
		return m.watched(msg), true
	case linksMsg:
		return m.gotLinks(msg), true
	case infosMsg:
		return m.gotInfos(msg), true
	case clipboardMsg:
		return m.gotClipboard(msg), true
	case absoluteMsg:
		return m.pick(msg.sources), true
	case folderPicked:
		return m.pickedFolder(msg), true
	case checkedMsg:
		return m.checked(msg), true
	case composeMsg:
		return m.compose(msg), true
	case previewDueMsg:
		return m.previewDue(msg), true
	case factsMsg:
		return m.gotFacts(msg), true
	case drawnMsg:
		return m.gotDrawn(msg), true
	case picture.Transmitted:
		return m.transmitted(msg), true
	case countedMsg:
		m.gotCount(msg)
	case totalMsg:
		m.gotTotal(msg)
	default:
		if cmd, used := m.sheet.Update(msg); used {
			return cmd, true
		}
		return m.folderSheet.Update(msg)
	}
	return nil, true
}

// entryAt is the entry of row i of the list.
func (m *Model) entryAt(i int) (entry, bool) {
	if i < 0 || i >= len(m.shown.rows) {
		return entry{}, false
	}
	return m.shown.entries[m.shown.rows[i]], true
}

// current is the entry under the cursor.
func (m *Model) current() (entry, bool) { return m.entryAt(m.list.Cursor()) }

// path is the whole path of an entry of the folder shown.
func (m *Model) path(e entry) string { return filepath.Join(m.shown.folder, e.name) }

func toast(level kit.Level, text string) tea.Cmd {
	return page.Send(page.Toast{Level: level, Text: text})
}
