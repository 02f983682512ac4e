package edit

import (
	"context"
	"image"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Edited is a file that an [Editor] edits.
type Edited interface {
	comparable
	Edited() *Draft
}

// Part is a part of an editor.
type Part int

// The parts: the list of files, the form, and what the screen shows beside it.
const (
	OnFiles Part = iota
	OnForm
	OnSide
)

// EditorOptions configure an [Editor]. Those from Fields on are required.
type EditorOptions[T Edited] struct {
	FieldOptions
	ID     string // begins the IDs of the actions
	Group  string // their heading
	Getenv func(string) string
	Now    func() time.Time
	Loader *picture.Loader // nil shows no contact sheet
	Crops  []session.Crop

	// Fields are the fields that can be edited.
	Fields func() []*entry.Field
	// Rows are all rows, from those of the fields.
	Rows func(fields []*Row) []*Row
	// Name is the name of a file, Source names it in a document, Folder is the heading above it.
	Name, Source, Folder func(file T) string
	// Subject is its picture to draw a region on; zero if there is none.
	Subject func(file T) Subject
	// Tile is the file on the contact sheet.
	Tile func(file T) Tile
	// Facts are lines below the picture of a file.
	Facts func(file T) []string
	// State is the sign behind the name of a file.
	State func(file T) theme.Sign
	// Comments are written above the file in a document.
	Comments func(file T) []string
	// Save saves the changes; nil if the region editor only keeps a region.
	Save func() tea.Cmd
	// Changed runs after fields of files changed, and Moved after another file is shown.
	Changed func(files []T)
	Moved   func() tea.Cmd
}

// Editor edits the fields of one file or of hundreds: a list of files with marks, a form whose
// changes go to the marked files, their pictures, and the region on a picture. The upload form and
// the details are an editor with other fields. Create it with [NewEditor].
type Editor[T Edited] struct {
	Items    []T
	Files    kit.List[T]
	Form     *Form
	Region   *Region
	Page     *RegionPage // over the screen; nil if none was opened
	Sheet    *Tiles      // of several targets
	Document Document
	On       Part
	Side     bool         // whether the screen shows something in addition to the form
	Theme    *theme.Theme // of the pictures; nil: unknown

	o        EditorOptions[T]
	size     image.Point
	layout   Layout // in size
	regionOf []T    // whose region changes on the picture
	drew     bool   // the region was drawn, and the form has not taken the keys back yet
	next     tea.Cmd
	clicks   *kit.Clicks
}

// NewEditor returns an editor of files.
func NewEditor[T Edited](o EditorOptions[T], items []T) *Editor[T] {
	e := &Editor[T]{o: o, Items: items, On: OnForm, clicks: kit.NewClicks(o.Now)}
	e.Files = kit.List[T]{
		ID: o.ID, RowsOnly: true, Marking: true, Placeholder: "part of a name", NotFound: "the filter finds nothing", Now: o.Now,
		Rows: e.groups, Key: func(file T) any { return file },
		Match: func(file T, words []string) bool { return text.HasAll(words, o.Name(file)) },
		Mark:  func(file T) *bool { return &file.Edited().Marked }, Marked: e.Load,
		Moved: func() { e.next = tea.Batch(e.next, e.moved()) }, Draw: e.drawFile,
		Head: func(key string, rows []T, _ *theme.Theme) (string, string) { return key, text.Count(len(rows)) },
	}
	e.Form = &Form{
		ID: o.ID, Group: o.Group, Targets: e.targetRows,
		Entry: func(i int) *Draft { return e.Items[i].Edited() },
	}
	e.Form.Changed = func() { e.Touch(e.Targets()...) }
	e.Document = Document{Getenv: o.Getenv, Entries: e.document, Apply: e.applyDocument}
	e.Region = NewRegion(RegionOptions{
		Context: o.Context, Images: o.Loader.Images(), Overlays: o.Over, Crops: o.Crops,
		File: func() any { file, _ := e.Subject(); return file }, Keep: e.keepRegions,
		Files: func() []RegionFile { // the targets if there are several
			return rule.Mapped(e.pictures(), func(file T) RegionFile {
				return RegionFile{Subject: e.o.Subject(file), Set: func(region string) { e.SetRegion(region, file) }}
			})
		},
		Text: func() string {
			if file, ok := e.Subject(); ok {
				return file.Edited().Region()
			}
			return ""
		},
		Set: func(region string) {
			if file, ok := e.Subject(); ok && !e.Drawing() {
				e.regionOf = []T{file}
			}
			e.SetRegion(region, e.regionOf...)
		},
	})
	e.Sheet = NewTiles(TilesOptions{
		Context: o.Context, Loader: o.Loader, Rest: true,
		Len: func() int { return len(e.targetRows()) }, Tile: e.tile,
		Notes: func() bool { return len(e.targetRows()) <= fewFiles },
	})
	e.Sheet.On = true
	e.Files.Arrange()
	return e
}

func (e *Editor[T]) groups() []kit.Group[T] {
	var groups []kit.Group[T]
	for _, file := range e.Items {
		folder := e.o.Folder(file)
		at := slices.IndexFunc(groups, func(g kit.Group[T]) bool { return g.Key == folder })
		if at < 0 {
			at, groups = len(groups), append(groups, kit.Group[T]{Key: folder})
		}
		groups[at].Rows = append(groups[at].Rows, file)
	}
	if len(groups) == 1 {
		groups[0].Key = ""
	}
	return groups
}

// SetItems replaces the files, and orders them as they are listed.
func (e *Editor[T]) SetItems(items []T) {
	e.Items = items
	groups := e.groups()
	e.Items = nil
	for _, g := range groups {
		e.Items = append(e.Items, g.Rows...)
	}
	if len(items) == 1 {
		items[0].Edited().Marked = true
	}
	if e.Files.Arrange(); len(items) < 2 && e.On == OnFiles {
		e.Focus(OnForm)
	}
	if e.Load(); e.On == OnForm {
		e.Form.Begin()
	}
}

// Current returns the file under the cursor of the list; ok is false without files.
func (e *Editor[T]) Current() (file T, ok bool) {
	if file, ok = e.Files.Row(); ok || len(e.Items) == 0 {
		return file, ok
	}
	if under, ok := e.Files.Current(); ok { // the heading of a folder
		return under.Rows[0], true
	}
	return e.Items[0], true // the filter finds nothing
}

// At returns the number of the current file.
func (e *Editor[T]) At() int {
	file, _ := e.Current()
	return slices.Index(e.Items, file)
}

// Subject returns the target that the form shows: the current file if it is one.
func (e *Editor[T]) Subject() (file T, ok bool) {
	if file, ok = e.Current(); !ok || file.Edited().Marked {
		return file, ok
	}
	return e.Targets()[0], true
}

// Targets returns the files to which changes go: the marked ones, or else the current one.
func (e *Editor[T]) Targets() []T {
	return rule.Mapped(e.targetRows(), func(i int) T { return e.Items[i] })
}

func (e *Editor[T]) marked() (rows []int) {
	for i, file := range e.Items {
		if file.Edited().Marked {
			rows = append(rows, i)
		}
	}
	return rows
}

func (e *Editor[T]) targetRows() []int {
	marked := e.marked()
	return text.Either(len(marked) == 0 && len(e.Items) > 0, []int{e.At()}, marked)
}

// Load shows the values of the targets.
func (e *Editor[T]) Load() {
	if len(e.Items) > 0 {
		e.Form.SetRows(e.o.Rows(e.Form.Fields(e.o.FieldOptions, e.o.Fields())))
	}
}

// SetLibrary sets the custom metadata fields of the library.
func (e *Editor[T]) SetLibrary(fields []api.MetadataField) {
	e.o.Library = fields
	e.Load()
}

// Library returns the custom metadata fields of the library; nil if they are not known.
func (e *Editor[T]) Library() []api.MetadataField { return e.o.Library }

// Touch reports that fields of files changed.
func (e *Editor[T]) Touch(files ...T) {
	e.o.Changed(files)
	if len(e.groups()) > 1 || len(e.Items) > 1 {
		e.Files.Arrange() // the folder may be another one
	}
	e.Load()
}

// AddExtension offers extensions for the targets.
func (e *Editor[T]) AddExtension() tea.Cmd {
	e.Focus(e.On) // what was typed last counts, and typing goes on afterwards
	return ExtensionList{e.Form, &e.o.FieldOptions}.Add()
}

// Focus moves the focus to a part.
func (e *Editor[T]) Focus(on Part) {
	e.Form.Blur()
	if e.On = on; on == OnForm {
		e.Form.Begin()
	}
}

// EditAlone clears all marks, so that changes go to the current file.
func (e *Editor[T]) EditAlone() tea.Cmd {
	for _, file := range e.Items {
		file.Edited().Marked = false
	}
	e.Load()
	e.Focus(OnForm)
	e.Form.End(false)
	return nil
}

// Show makes a file the current one.
func (e *Editor[T]) Show(file T) tea.Cmd {
	e.Files.Show(file)
	return e.moved()
}

// Turn shows the next or previous file.
func (e *Editor[T]) Turn(by int) tea.Cmd {
	n := len(e.Items)
	return e.Show(e.Items[(e.At()+by+n)%n])
}

func (e *Editor[T]) moved() tea.Cmd {
	e.Region.Begin()
	e.Load()
	return e.o.Moved()
}

// Capturing reports whether a text field has the focus.
func (e *Editor[T]) Capturing() bool {
	return len(e.Items) > 0 && (e.On == OnFiles && e.Files.Capturing() || e.On == OnForm && e.Form.Editing())
}

// Type passes a key or paste to the text field with the focus.
func (e *Editor[T]) Type(msg tea.Msg) (tea.Cmd, bool) {
	switch {
	case !e.Capturing():
		return nil, false
	case e.On == OnFiles:
		return e.Files.Type(msg)
	}
	return nil, e.Form.Type(msg)
}

// Click draws on the picture, or moves the focus to the file or row under the pointer.
func (e *Editor[T]) Click(msg tea.MouseClickMsg) tea.Cmd {
	if _, used := e.Region.Update(msg); used || msg.Button != tea.MouseLeft {
		return nil
	}
	at, double := image.Pt(msg.X, msg.Y), e.clicks.Double(msg)
	switch list, rows := Inner(e.layout.Files), e.inside(e.layout.Form); {
	case at.In(list):
		e.Focus(OnFiles)
		if e.Files.Click(kit.Moved(msg, list.Min).(tea.MouseClickMsg)) {
			return e.EditAlone()
		}
	case at.In(rows):
		if e.On != OnForm {
			e.Focus(OnForm)
		}
		return e.Form.Click(at.Y-rows.Min.Y, double)
	}
	return nil
}

// Wheel scrolls what is under the pointer.
func (e *Editor[T]) Wheel(msg tea.MouseWheelMsg) {
	switch at := image.Pt(msg.X, msg.Y); {
	case at.In(e.layout.Files):
		e.Files.Wheel(kit.Moved(msg, Inner(e.layout.Files).Min).(tea.MouseWheelMsg))
	case at.In(e.layout.Form):
		e.Form.Wheel(msg)
	}
}

// Inner returns the rectangle inside a panel.
func Inner(r image.Rectangle) image.Rectangle {
	return image.Rectangle{Max: kit.BoxInner(r.Size())}.Add(r.Min.Add(kit.BoxOrigin(r.Size())))
}

// Update handles a message about pictures or of the user's editor.
func (e *Editor[T]) Update(msg tea.Msg) (cmd tea.Cmd, used bool) {
	if edited, ok := msg.(EditedMsg); ok {
		return e.Document.Update(edited), true
	}
	if e.Sheet.Update(msg) {
		return nil, true
	}
	return e.Region.Update(msg)
}

func (e *Editor[T]) viewFiles(room image.Rectangle, th *theme.Theme) string {
	if room.Empty() {
		return ""
	}
	n := len(e.marked())
	title := text.Either(n == 0 || n == len(e.Items), text.Plural(len(e.Items), "file"),
		text.Count(n)+" of "+text.Count(len(e.Items))+" marked")
	if text.Width(title) > room.Dx()-6 { // the border takes six columns
		title = strings.Replace(title, " of ", "/", 1)
	}
	return kit.BoxFooter(title, e.Files.Position(), e.Files.View(Inner(room).Size(), th), room.Size(),
		e.On == OnFiles, th)
}

func (e *Editor[T]) viewForm(title string, room image.Rectangle, th *theme.Theme) string {
	if room.Empty() {
		return ""
	}
	on := e.On == OnForm
	title = text.ShortName(title, max(1, room.Dx()-6))
	inside := e.inside(room)
	body := strings.Repeat("\n", inside.Min.Y-Inner(room).Min.Y) + e.Form.View(inside.Size(), on, th)
	return kit.Box(title, body, room.Size(), on, th)
}

// inside returns the part of the form in its box: without the first line if there is room.
func (e *Editor[T]) inside(form image.Rectangle) image.Rectangle {
	in := Inner(form)
	if a := air(e.size); !form.Empty() && a > 0 && in.Dy() >= e.Form.Height(in.Dx(), a) {
		in.Min.Y++
	}
	return in
}

func (e *Editor[T]) drawFile(file T, mark theme.Sign, width int, selected bool, th *theme.Theme) string {
	sign, room := e.o.State(file), width-4
	name := text.PadRight(text.ShortName(e.o.Name(file), room), room)
	if selected {
		style := text.Either(e.On == OnFiles, th.Selected, th.SelectedDim)
		return style.Render(th.Glyph(mark) + " " + name + " " + th.Glyph(sign))
	}
	return th.Sign(mark) + " " + th.Text.Render(name) + " " + th.Sign(sign)
}

// tile returns a target with its region on the contact sheet, from the page that shows the current
// one.
func (e *Editor[T]) tile(i int) Tile {
	targets, n := e.Targets(), max(1, e.Sheet.Grid().Page())
	subject, _ := e.Subject()
	at := max(0, slices.Index(targets, subject)) / n * n
	file := targets[(at+i)%len(targets)]
	t := e.TileOf(file)
	t.Current = file == subject
	t.Sign = e.o.State(file)
	return t
}

// TileOf returns the tile of a file with its region as it is edited.
func (e *Editor[T]) TileOf(file T) Tile {
	t := e.o.Tile(file)
	t.Note = file.Edited().Tags.Or(nil)
	of := e.o.Subject(file)
	t.Picture.Size, t.Picture.Orientation = of.Size, of.Orientation
	if region := file.Edited().Region(); CheckRegion(region, true, of.Size) == "" {
		t.Picture.Region, _ = rule.ParseRegion(region) // none is empty
	}
	return t
}

// SetRegion sets the region of files that can have one; empty text removes it.
func (e *Editor[T]) SetRegion(region string, files ...T) {
	field := entry.FieldByName(rule.FieldRegion)
	for _, file := range files {
		if e.o.Lacks == nil || !e.o.Lacks(slices.Index(e.Items, file), field) {
			file.Edited().SetRegion(region)
		}
	}
	e.Touch(files...)
}

// keepRegions returns what restores the regions of all files, or of those drawn on.
func (e *Editor[T]) keepRegions(all bool) map[any]func() {
	field, restore := entry.FieldByName(rule.FieldRegion), map[any]func(){}
	for _, file := range text.Either(all, e.Items, e.regionOf) {
		was := *file.Edited()
		restore[file] = func() {
			if file.Edited().Region() != was.Region() {
				file.Edited().Copy(field, &was)
				e.Touch(file)
			}
		}
	}
	return restore
}

func (e *Editor[T]) pictures() []T {
	of := e.Targets()
	if len(of) == 1 {
		of = e.Items
	}
	return slices.DeleteFunc(slices.Clone(of), func(file T) bool { return e.o.Subject(file).Path == nil })
}

// Drawing reports whether the region is being edited on the picture.
func (e *Editor[T]) Drawing() bool { return e.Region.open() }

// DrawRegion opens the picture to edit the region of files.
func (e *Editor[T]) DrawRegion(of ...T) tea.Cmd {
	e.Focus(OnForm)
	e.Form.Blur()
	e.drew = true
	e.regionOf = of
	e.Region.Begin()
	shown := func() T { file, _ := e.Subject(); return file }
	o := RegionPageOptions{
		Title: func() string {
			all, name := e.pictures(), e.o.Name(shown())
			return name + text.If(len(all) > 1, " · "+text.Count(slices.Index(all, shown())+1)+" of "+text.Count(len(all)))
		},
		Files: func() int { return len(e.regionOf) },
		Turn: func(by int) tea.Cmd {
			all := e.pictures()
			n := len(all)
			file := all[(slices.Index(all, shown())+by+n)%n]
			e.regionOf = []T{file}
			return e.Show(file)
		},
		NoTurn: func() string { return text.If(len(e.pictures()) < 2, "there is only one picture") },
		Save:   e.o.Save,
		Check:  func(region string) string { return CheckRegion(region, true, e.o.Subject(shown()).Size) },
	}
	if field := entry.FieldByName(rule.FieldRegion); shown().Edited().Saved != nil {
		o.Drop = func() {
			d := shown().Edited()
			d.Drop(entry.Values{field.Name: d.Changes()[field.Name]})
			e.Touch(shown())
		}
		o.NoDrop = func() string {
			return text.If(!shown().Edited().Changed(field.Name), "the region is not changed")
		}
	}
	e.Page = e.Region.Page(o)
	return nil
}

// document returns the targets with every field, also those without a value.
func (e *Editor[T]) document() []session.ManifestEntry {
	return rule.Mapped(e.Targets(), func(file T) session.ManifestEntry {
		return session.ManifestEntry{
			Source: e.o.Source(file), Comments: e.o.Comments(file),
			Options: entry.OptionsOf(&file.Edited().Entry, e.o.Fields()...),
		}
	})
}

func (e *Editor[T]) applyDocument(entries []session.ManifestEntry) tea.Cmd {
	var changed []T
	left := slices.Clone(e.Items)
	for _, item := range entries {
		at := slices.IndexFunc(left, func(file T) bool { return e.o.Source(file) == item.Source })
		if at < 0 {
			continue
		}
		d, next := left[at].Edited(), *left[at].Edited()
		item.Options.Apply(&next.Entry)
		for _, f := range e.o.Fields() {
			if f.Text(&next.Entry) != d.Text(f) {
				next.typed = nil
				d.Copy(f, &next)
				changed = append(changed, left[at])
			}
		}
		left = slices.Delete(left, at, at+1)
	}
	changed = slices.Compact(changed)
	e.Touch(changed...)
	if len(changed) == 0 {
		return page.Tell(page.Info, "Nothing was changed in the editor.")
	}
	return page.Tell(page.Good, "Changed "+text.Plural(len(changed), "file")+" in the editor.")
}

// Within limits a lookup of suggestions, whose errors do not matter.
func Within[R any](ctx context.Context, ask func(context.Context) (R, error), accept func(R)) tea.Cmd {
	return page.Within(ctx, timeout, func(ctx context.Context) tea.Msg {
		found, err := ask(ctx)
		if err != nil {
			return nil
		}
		return page.Do(func() { accept(found) })
	})
}
