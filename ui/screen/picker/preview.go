package picker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// previewDelay is how long the cursor stays before a preview.
const previewDelay = 60 * time.Millisecond

// subject identifies what a preview shows. A file that changed is another subject.
type subject struct {
	path    string
	folder  bool
	size    int64 // bytes
	changed time.Time
}

// known is what is known about the entry under the cursor.
type known struct {
	subject subject
	folder  page.Questions
	cancel  context.CancelFunc
	facts   *media.Facts
	count   *count
	failure error // why there are no facts
}

// count is the content of a folder at any depth, without what hidden folders contain.
type count struct {
	pictures, others, folders, hidden int
	more                              bool     // there is more than was counted
	first                             []string // paths of the first pictures
}

// maxCounted is about the number of entries after which counting ends.
const maxCounted = 50_000

// requested returns the subject to preview; zero means none.
func (m *Model) requested() subject {
	if !m.list.PaneShown() {
		return subject{}
	}
	if m.focus == onTray {
		i, ok := m.trayList.Row()
		if !ok || i.isURL() {
			return subject{}
		}
		return subject{path: i.source.Path, size: i.identity.Size, changed: i.identity.Modified}
	}
	e, ok := m.current()
	if !ok || e.kind != kindFile && e.kind != kindFolder || m.infos[e.name].silent {
		return subject{}
	}
	return subject{m.path(e), e.kind == kindFolder, m.infos[e.name].size, m.infos[e.name].modified}
}

// wantPreview reads the facts of the entry under the cursor unless they are known or requested.
func (m *Model) wantPreview() tea.Cmd {
	want, p := m.requested(), &m.known
	if want == p.subject {
		return nil
	}
	if p.cancel != nil {
		p.cancel()
	}
	if want.path != p.subject.path {
		p.facts, p.count, p.failure = nil, nil, nil
	}
	p.folder.Drop()
	if p.subject = want; want.path == "" {
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	read := func() tea.Msg {
		if want.folder {
			n, err := countFolder(ctx, want.path)
			return page.Do(func() { p.count, p.failure = &n, err })
		}
		facts, err := media.FactsOf(ctx, want.path)
		return page.Do(func() { p.facts, p.failure = &facts, err })
	}
	return p.folder.Ask(page.After(previewDelay, page.Then(func() tea.Cmd { return p.folder.Ask(read) })))
}

// thumbs returns the pictures in the preview. That of a file is loaded together with its facts.
func (m *Model) thumbs() (list []edit.Thumb) {
	p, s := &m.known, m.known.subject
	switch picked := m.pickedFolder(); {
	case picked.Head():
		for _, i := range picked.Rows[:min(len(picked.Rows), edit.MaxFirst)] {
			if !i.isURL() {
				list = append(list, thumbOf(i.source.Path, ""))
			}
		}
	case s.path == "" || p.failure != nil:
	case p.count != nil:
		for _, path := range p.count.first {
			list = append(list, thumbOf(path, ""))
		}
	case p.facts != nil && p.facts.Shown(), p.facts == nil && !s.changed.IsZero() &&
		entry{name: s.path}.isPicture():
		list = append(list, thumbOf(s.path, fmt.Sprint(s.size, s.changed.UnixNano())))
	}
	return list
}

// pickedFolder returns the folder under the cursor of the tray; no heading for none.
func (m *Model) pickedFolder() (e kit.Entry[item]) {
	if m.focus == onTray {
		e, _ = m.trayList.Current()
	}
	return e
}

// perFolder is how many pictures of a subfolder are among the first ones.
const perFolder = 3

func countFolder(ctx context.Context, root string) (n count, err error) {
	per, seen := map[string]int{}, 0 // pictures of each folder; entries
	start := root + string(filepath.Separator)
	err = filepath.WalkDir(start, func(path string, d fs.DirEntry, err error) error {
		e := entry{name: filepath.Base(path)}
		in := filepath.Dir(path)
		switch {
		case seen == 0 && err != nil:
			return folderProblem(root, err)
		case err != nil, seen == 0: // a folder that cannot be read is counted as empty
		case e.hidden():
			n.hidden++
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir():
			n.folders++
		case e.isPicture():
			n.pictures++
			if per[in]++; in == root || per[in] <= perFolder {
				n.first = append(n.first, path)
			}
		default:
			n.others++
		}
		if seen++; seen > maxCounted {
			n.more = true
			return fs.SkipAll
		}
		return ctx.Err()
	})
	inOrder(n.first, func(path string) string { return path }) // those of the folder itself first
	n.first = n.first[:min(len(n.first), edit.MaxFirst)]
	return n, err
}

// String describes the content, such as "300 pictures in 12 folders".
func (n *count) String() string {
	var words []string
	if n.pictures > 0 {
		words = append(words, text.Plural(n.pictures, "picture"))
	}
	if n.others > 0 {
		words = append(words, text.Plural(n.others, text.If(n.pictures > 0, "other ")+"file"))
	}
	all := cmp.Or(strings.Join(words, ", "), "No files")
	if n.folders > 0 {
		all += " in " + text.Plural(n.folders, "folder")
	} else if n.pictures > 1 { // the preview shows some of them
		all += " in all"
	}
	return all + text.If(n.more, " and more") + text.If(n.hidden > 0, " · "+text.Count(n.hidden)+" hidden")
}

// holdsPictures reports whether a folder or one of its subfolders has a picture. The subfolders of
// a source checkout do not count: who tries the program from its clone sees the samples.
func holdsPictures(folder string) bool {
	found, _ := os.ReadDir(folder) // the listing tells problems
	checkout := slices.ContainsFunc(found, func(d fs.DirEntry) bool { return d.Name() == ".git" })
	return slices.ContainsFunc(found, func(d fs.DirEntry) bool {
		if e := (entry{name: d.Name()}); !d.IsDir() || e.hidden() {
			return e.isPicture() && !e.hidden()
		}
		if checkout {
			return false
		}
		below, _ := os.ReadDir(filepath.Join(folder, d.Name()))
		return slices.ContainsFunc(below, func(d fs.DirEntry) bool {
			return !d.IsDir() && entry{name: d.Name()}.isPicture()
		})
	})
}

func (m *Model) describe(_ kit.Entry[int32], out *kit.Facts) (title string) {
	m.preview.Describe(out, m.describeKnown)
	if m.focus == onTray {
		i, _ := m.trayList.Row()
		return text.ShortName(text.Either(m.pickedFolder().Head(), m.pickedFolder().Key, i.source.Name()), out.Width())
	}
	e, _ := m.current()
	return text.ShortName(e.name, out.Width())
}

func (m *Model) describeKnown(f *kit.Facts) {
	th, p := f.Theme(), &m.known
	if picked := m.pickedFolder(); picked.Head() {
		f.Say(th.Muted, summary(picked.Rows))
		return
	}
	if m.focus == onTray {
		if i, ok := m.trayList.Row(); ok && i.isURL() {
			f.Say(th.Muted, "The service downloads this file: "+i.source.URL)
			return
		}
	} else if e, ok := m.current(); ok {
		i := m.infos[e.name]
		if i.problem != nil {
			f.Say(th.Warn, m.reason(e, i.problem))
			return
		}
		f.Fact("link to", i.target)
	}
	switch err := cmp.Or(p.failure, m.preview.Failure()); {
	case err != nil && !errors.Is(err, context.Canceled):
		f.Say(th.Warn, pictureProblem(err))
	case p.count != nil && p.count.pictures+p.count.others+p.count.folders+p.count.hidden == 0:
		f.Say(th.Muted, "An empty folder.")
	case p.count != nil:
		f.Say(th.Muted, p.count.String())
	case p.facts != nil:
		describeFile(f, p.facts)
	default: // not read, as on a small screen
		if e, ok := m.current(); ok && m.focus != onTray {
			of := m.infos[e.name]
			f.Say(th.Muted, strings.Trim(cmp.Or(of.note(e), e.label())+" · "+text.Date(of.modified), " ·"))
		}
	}
}

// reason tells why an entry cannot be used.
func (m *Model) reason(e entry, err error) string {
	words := err.Error()
	var source *api.SourceError
	if errors.As(err, &source) {
		words = "It " + source.Reason
	}
	switch to := m.infos[e.name].target; {
	case e.kind == kindBroken && to != "":
		return "It is a link to " + text.Safe(to) + ", which leads to no file. Pick another file."
	case e.link:
		words += " (a link)"
	}
	words = text.Safe(words) + "."
	if hint := api.Hint(err); hint != "" {
		words += " " + hint
	}
	return words
}

// pictureProblem tells why there is no picture, without the file name, which the title shows.
func pictureProblem(err error) string { return text.Safe(text.Sentence(media.Reason(err))) }

func describeFile(f *kit.Facts, of *media.Facts) {
	words := []string{strings.TrimSuffix(of.Name, " picture"), text.Bytes(of.Bytes)}
	if of.Upright.X > 0 {
		words = slices.Insert(words, 0, pixels(of.Upright))
	}
	if of.Duration > 0 {
		words = append(words, text.Duration(of.Duration))
	}
	f.Say(f.Theme().Text, strings.Join(words, " · "))
	f.Say(f.Theme().Muted, "changed "+text.Date(of.Modified))
	if of.Orientation.Turned() {
		f.Fact("Stored", fmt.Sprintf("%s, shown %s", pixels(of.Stored), of.Orientation))
	}
	f.Fact("Camera", of.Camera)
	if !of.Taken.IsZero() {
		f.Fact("Taken", of.Taken.Format("2 Jan 2006 15:04"))
	}
	switch {
	case of.Problem != nil:
		f.Say(f.Theme().Warn, "No preview. "+pictureProblem(of.Problem))
	case of.Missing != "":
		f.Say(f.Theme().Muted, "No preview of "+of.Name+". Install "+of.Missing+" to see one.")
	case !of.Shown():
		f.Say(f.Theme().Muted, "No preview of "+of.Name+".")
	}
}

func pixels(p image.Point) string { return fmt.Sprintf("%d × %d", p.X, p.Y) }

// viewable reports whether a file can probably be shown as a picture.
func (m *Model) viewable(e entry) bool {
	if m.preview.Off() || e.kind != kindFile || m.infos[e.name].problem != nil {
		return false
	}
	if p := &m.known; p.subject.path == m.path(e) && p.facts != nil {
		return p.facts.Picture && p.facts.Shown()
	}
	return e.isPicture()
}

func (e entry) isPicture() bool { return slices.Contains(pictureExtensions, extension(e.name)) }

var pictureExtensions = []string{
	"avif", "bmp", "gif", "heic", "heif", "jpe", "jpeg", "jpg", "jxl", "png", "svg", "tif", "tiff", "webp",
}

// startViewer shows the picture under the cursor in full screen. It can step through the list's
// pictures, and the cursor follows.
func (m *Model) startViewer() tea.Cmd {
	var names []string
	at := 0
	for i := range m.shown.rows {
		e, _ := m.entryAt(i)
		if i == m.list.Cursor() {
			at = len(names)
		} else if !m.viewable(e) {
			continue
		}
		names = append(names, e.name)
	}
	v := m.newViewer(names, at)
	return tea.Batch(m.Open(v), v.Read())
}

func (m *Model) newViewer(names []string, at int) *edit.Viewer {
	var v *edit.Viewer
	source := func(i int) api.Source { return m.source(entry{name: names[i]}) }
	pick := func() tea.Cmd {
		s := source(at)
		if m.tray.has(s) {
			m.drop(among(s))
			return nil
		}
		return m.pick([]api.Source{s})
	}
	form := func() tea.Cmd { return tea.Batch(v.Close(), m.form(false)) }
	v = edit.NewViewer(edit.ViewerOptions{
		Context: context.Background(), Draw: m.preview.Options(), Images: m.options.Loader.Images(),
		Len: len(names), At: at, Now: m.options.Now,
		Subject: func(i int) edit.Subject {
			return edit.Subject{Name: names[i], Path: edit.Local(source(i).Path)}
		},
		Moved: func(i int) tea.Cmd {
			at = i
			m.list.Go(names[i])
			m.list.Hold()
			return nil
		},
		Note: func() string {
			return text.If(m.tray.has(source(at)), "picked")
		},
		Actions: func() []kit.Action {
			return []kit.Action{
				{ID: "picker.pick", Keys: kit.Bind("pick or unpick", "space", "space"), Group: groupPick, Footer: true, Do: pick},
				{ID: "picker.upload", Keys: kit.Bind("upload form", "", "u"), Group: groupSend, Footer: true, Do: form},
			}
		},
	})
	return v
}
