// Package details is the screen that shows and edits the records of stored files.
package details

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Session is the part of [session.Session] that the screen uses; tests have another.
type Session interface {
	ReadAll(ctx context.Context, ids []string, report func(session.Edited)) []session.Edited
	Picture(ctx context.Context, f api.File) (path string, err error)
	Thumb(ctx context.Context, f api.File) (path string, err error)
	MetadataFields(ctx context.Context, folder string) ([]api.MetadataField, error)
	ChangeAll(ctx context.Context, changes []session.Change, report func(session.Edited)) []session.Edited
	edit.Manager
	edit.Signer
}

// Options configures the screen.
type Options struct {
	// Context ends the screen's background work.
	Context context.Context
	// Files are the records as last seen, at least one.
	Files   []api.File
	Session Session
	Profile session.Profile
	// Getenv finds the user's editor; nil for os.Getenv.
	Getenv func(string) string

	// Loader loads the pictures of several files; nil shows the current one alone.
	Loader *picture.Loader
	// Now is the clock; nil for time.Now.
	Now func() time.Time
}

// Model is the screen. Create it with New. It keeps unsaved changes while it lives.
type Model struct {
	page.Base
	*edit.Editor[*prepared]
	o   Options
	now func() time.Time

	manage  *edit.Manage // tracks running work
	probed  bool         // whether the service manages files was asked
	manages bool         // it lists versions, so it has the hosted calls

	size image.Point
	next func() tea.Cmd       // after saving everything; nil for nothing
	turn func(by int) tea.Cmd // see [page.Inspect]
}

var (
	_ page.Screen    = (*Model)(nil)
	_ page.Catalog   = (*Model)(nil)
	_ page.Commander = (*Model)(nil)
)

// New returns the screen for files.
func New(o Options) *Model {
	m := &Model{o: o, now: o.Now}
	if m.now == nil {
		m.now = time.Now
	}
	m.manage = &edit.Manage{
		Context: o.Context, Session: o.Session, Over: m.Overlays(), Profile: o.Profile,
		Now: m.now, Took: m.took, Loader: o.Loader, Draw: func() picture.Options { return m.Region.Draw() },
	}
	m.Editor = edit.NewEditor(edit.EditorOptions[*prepared]{
		Save: func() tea.Cmd { return m.SaveAnd(nil) },
		FieldOptions: edit.FieldOptions{
			Context: o.Context, Over: m.Overlays(), Offers: o.Session,
			Top: []string{rule.FieldTags, rule.FieldRegion, rule.FieldDescription},
			Lacks: func(i int, f *entry.Field) bool {
				return f.Name == rule.FieldRegion && !m.Items[i].canHaveRegion()
			},
		},
		ID: "details", Group: groupEdit, Getenv: o.Getenv, Now: m.now, Loader: o.Loader, Crops: o.Profile.Crops,
		Fields: m.fields, Rows: m.rows, Name: name,
		Source: func(e *prepared) string { return cmp.Or(e.file.FilePath, e.file.FileID) },
		Folder: func(e *prepared) string { return path.Dir(e.file.FilePath) }, Subject: m.subject,
		Tile: m.tile, Facts: m.shownFacts, State: state,
		Comments: comments, Changed: func(files []*prepared) {
			for _, e := range files {
				e.problem = nil
			}
		},
		Moved: func() tea.Cmd { return m.arrive() },
	}, nil)
	m.Form.Leave = func(int) {
		if m.Focus(edit.OnForm); len(m.Items) > 1 {
			m.Focus(edit.OnFiles)
		}
	}
	m.SetItems(rule.Mapped(o.Files, newEntry))
	m.begin()
	return m
}

// begin folds the form and puts the focus on it; with several files, letters are tags at once.
func (m *Model) begin() {
	m.Focus(edit.OnForm)
	m.Form.Fold()
	m.Form.End(false)
	if len(m.Targets()) > 1 {
		m.Form.Focus(rowTags, true)
	}
}

func name(e *prepared) string { return edit.Label(&e.file) }

func state(e *prepared) theme.Sign {
	switch {
	case e.problem != nil, !e.valid():
		return theme.SignBad
	case e.changed():
		return theme.SignChanged
	}
	return theme.SignNone
}

// comments says in a document why the draft cannot be saved.
func comments(e *prepared) []string {
	if _, err := e.change(); err != nil {
		return []string{page.Explain(err)}
	}
	return nil
}

// Init rereads the record and reads suggestions.
func (m *Model) Init() tea.Cmd {
	folder := ""
	for i, e := range m.Items {
		at := path.Dir(e.file.FilePath)
		if i > 0 && at != folder || e.file.FilePath == "" {
			folder = "" // fields of the library
			break
		}
		folder = at
	}
	fields := edit.Within(m.o.Context, func(ctx context.Context) ([]api.MetadataField,
		error,
	) {
		return m.o.Session.MetadataFields(ctx, folder)
	}, m.SetLibrary)
	return m.settle(tea.Batch(m.arrive(), m.manage.ReadKnown(), fields))
}

func (m *Model) Capturing() bool { return m.Editor.Capturing() }

func (m *Model) Type(msg tea.Msg) (tea.Cmd, bool) { return m.Editor.Type(msg) }

func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd, used := m.handle(msg)
	if !used {
		return nil
	}
	return m.settle(cmd)
}

func (m *Model) settle(cmd tea.Cmd) tea.Cmd { return tea.Batch(cmd, m.Settle(m.size, false)) }

func (m *Model) handle(msg tea.Msg) (cmd tea.Cmd, used bool) {
	switch msg := msg.(type) {
	case page.Acted, page.Shown:
		// Ages on the screen may be outdated.
	case page.Resized:
		m.size = msg.Size
	case page.Themed:
		m.Theme = msg.Theme
	case page.Inspect:
		m.turn = msg.Turn
		cmd := m.adopt(msg.Files)
		if msg.Edit {
			cmd = tea.Batch(cmd, m.edit(rowTags))
		}
		if msg.AddTags {
			cmd = tea.Batch(cmd, m.addAITags())
		}
		return cmd, true
	case page.FileChanged:
		if e := m.entryOf(msg.File.FileID); e != nil {
			e.meanwhile = append(e.meanwhile, e.rebase(msg.File)...)
			m.Load()
		}
	case page.FileGone:
		return m.lose(msg.FileID), true
	case page.RunsChanged:
		if len(m.Items) <= 6 { // of more, r reads them again
			return m.read(m.Items), true
		}
	case tea.MouseClickMsg:
		if len(m.Items) == 0 {
			return nil, true
		}
		return m.Click(msg), true
	case tea.MouseWheelMsg:
		m.Wheel(msg)
	default:
		return m.Editor.Update(msg)
	}
	return nil, true
}

// Commands returns the commands for the drafted changes, or to show the record.
func (m *Model) Commands() [][]string {
	var commands [][]string
	for _, e := range m.Items {
		change, err := e.change()
		if err != nil {
			return nil // the draft is not valid yet
		}
		if !change.IsEmpty() {
			commands = append(commands, session.DetailsArgs([]string{e.file.FileID}, change))
		}
	}
	if e := m.current(); e != nil && commands == nil {
		commands = [][]string{session.DetailsArgs([]string{e.file.FileID}, api.Details{})}
	}
	return commands
}

// Changed returns the number of files with unsaved changes.
func (m *Model) Changed() int { return len(m.changedEntries()) }

// Unsaved describes the unsaved changes, for [page.AskToSave]: those of each file, or of many files together.
func (m *Model) Unsaved() (changes [][2]string) {
	list := m.changedEntries()
	if len(list) > 3 { // counts say more than many names
		for i, line := range summary(list) {
			changes = append(changes, [2]string{text.If(i == 0, text.Plural(len(list), "file")), line})
		}
		return changes
	}
	for _, e := range list {
		words := strings.Join(edit.Describe(e.Saved.Values(), e.Changes()), "; ")
		changes = append(changes, [2]string{name(e), words})
	}
	return changes
}

// NoSave says why the unsaved changes cannot be saved; "" if they can.
func (m *Model) NoSave() string {
	for _, e := range m.changedEntries() {
		if _, err := e.change(); err != nil {
			return name(e) + " cannot be saved: " + page.Explain(err)
		}
	}
	return ""
}

func (m *Model) changedEntries() []*prepared {
	return slices.DeleteFunc(slices.Clone(m.Items), func(e *prepared) bool { return !e.changed() })
}

func (m *Model) current() *prepared {
	e, _ := m.Subject()
	return e
}

func (m *Model) entryOf(id string) *prepared {
	i := slices.IndexFunc(m.Items, func(e *prepared) bool { return e.file.FileID == id })
	if i < 0 || id == "" {
		return nil
	}
	return m.Items[i]
}

func (m *Model) withRegion() []*prepared {
	return slices.DeleteFunc(m.Targets(), func(e *prepared) bool { return !e.canHaveRegion() })
}

func filesOf(of []*prepared) []api.File {
	return rule.Mapped(of, func(e *prepared) api.File { return e.file })
}

func (m *Model) arrive() tea.Cmd {
	e := m.current()
	switch {
	case e == nil:
		return nil
	case e.requested:
		return m.probe()
	}
	return tea.Batch(m.read([]*prepared{e}), m.probe())
}

func (m *Model) adopt(files []api.File) tea.Cmd {
	old := m.Items
	var items []*prepared
	for _, f := range files {
		e := newEntry(f)
		if i := slices.IndexFunc(old, func(e *prepared) bool { return e.file.FileID == f.FileID }); i >= 0 {
			e = old[i]
			e.requested, e.Marked = false, true
			old = slices.Delete(slices.Clone(old), i, i+1)
		}
		items = append(items, e)
	}
	for _, e := range old {
		if e.changed() {
			e.Marked = false // only files opened now are targets
			items = append(items, e)
		}
	}
	m.SetItems(items)
	cmd := m.Show(items[0])
	m.begin()
	return cmd
}

func (m *Model) lose(id string) tea.Cmd {
	gone := m.entryOf(id)
	if gone == nil {
		return nil
	}
	at, i := m.At(), slices.Index(m.Items, gone)
	items := slices.Delete(slices.Clone(m.Items), i, i+1)
	if i < at {
		at--
	}
	if m.SetItems(items); len(items) == 0 {
		return page.Send(page.Back{})
	}
	m.Focus(edit.OnForm)
	return m.Show(items[min(at, len(items)-1)])
}

// timeout limits the time for reading records.
const timeout = 20 * time.Second

func (m *Model) read(entries []*prepared) tea.Cmd {
	for _, e := range entries {
		e.requested = true
	}
	ids, s := ids(entries), m.o.Session
	return page.Within(m.o.Context, time.Duration(len(ids))*timeout, func(ctx context.Context) tea.Msg {
		list := s.ReadAll(ctx, ids, nil)
		return page.Do(func() { m.gotFresh(list) })
	})
}

// gotFresh shows reread records and returns their entries.
func (m *Model) gotFresh(list []session.Edited) (entries []*prepared) {
	for _, fresh := range list {
		e := m.entryOf(fresh.FileID)
		if e == nil {
			continue
		}
		entries = append(entries, e)
		if e.readErr = fresh.Err; fresh.Err == nil {
			e.meanwhile = append(e.meanwhile, e.rebase(*fresh.File)...)
			if !e.changed() {
				e.problem = nil // the service has the changes that could not be saved
			}
		}
	}
	m.Load()
	return entries
}

// gone reports whether the file no longer exists. Only the local library is sure: a hosted service
// gives the same answer if it does not let us read.
func (m *Model) gone(e *prepared) bool {
	var answer *api.ServiceError
	return m.o.Profile.Local && errors.As(e.readErr, &answer) && answer.Status == http.StatusNotFound
}

// probe checks once whether the service manages files, by listing versions. If not, the actions are
// disabled.
func (m *Model) probe() tea.Cmd {
	if m.probed {
		return nil
	}
	m.probed = true
	s, id := m.o.Session, m.current().file.FileID
	return page.Within(m.o.Context, timeout, func(ctx context.Context) tea.Msg {
		_, err := s.Versions(ctx, id)
		return page.Do(func() {
			m.manages = m.manages || err == nil
			// otherwise the connection failed, and the next file tries again
			m.probed = err == nil || api.Unavailable(err)
		})
	})
}

func (m *Model) subject(e *prepared) edit.Subject {
	if !e.canHaveRegion() {
		return edit.Subject{}
	}
	f := e.file
	w, h, _ := rule.PixelSize(&f)
	return edit.Subject{ // each version has its own picture
		Name: fmt.Sprintf("%s %s %d", f.FileID, f.VersionID(), f.Size.Or(-1)), Size: image.Pt(w, h), File: f,
		Path: func(ctx context.Context) (string, error) { return m.o.Session.Picture(ctx, f) },
	}
}

func ids(of []*prepared) []string {
	return rule.Mapped(of, func(e *prepared) string { return e.file.FileID })
}
