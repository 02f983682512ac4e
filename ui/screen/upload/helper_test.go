package upload

import (
	"context"
	"errors"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/page"
	"mediadesk/ui/uitest"
)

// form is a form with its driver.
type form struct {
	*Model
	d *uitest.Driver
}

// drive shows a form,.
func drive(t testing.TB, m *Model) *form {
	t.Helper()
	return &form{m, uitest.Drive(t, page.Form, m, image.Pt(120, 40))}
}

// covered reports whether an overlay has the focus.
func (m *form) covered() bool { return m.d.Host.Covered() }

// Capturing reports whether a text field of the form or of an overlay has the focus.
func (m *form) Capturing() bool { return m.d.Host.Capturing() }

// others returns the messages for others and forgets them.
func (m *form) others() []tea.Msg {
	out := m.d.Out
	m.d.Out = nil
	return out
}

// says returns the text of a row for a source.
func (m *Model) says(s *source, key string) string { return s.Text(entry.FieldByKey(key)) }

// row returns the texts of all rows for a source.
func (m *Model) row(s *source) func(string) string {
	return func(key string) string { return m.says(s, key) }
}

// texts returns the texts of all rows.
func texts(d *edit.Draft) map[string]string {
	all := map[string]string{}
	for _, f := range entry.Fields {
		all[f.Key] = d.Text(f)
	}
	return all
}

// set sets a field of a source.
func (m *Model) set(s *source, key, text string) {
	s.SetText(entry.FieldByKey(key), text)
	m.Touch(s)
}

// current returns the source under the cursor.
func current(m *form) *source { s, _ := m.Current(); return s }

// filled returns a source with some typed rows, and the problems in them.
func filled(src api.Source, p session.Profile, set map[string]string) (*source, []edit.Problem) {
	s := New(Options{Profile: p, Sources: []api.Source{src}}).Items[0]
	for key, text := range set {
		s.SetText(entry.FieldByKey(key), text)
	}
	return s, s.Problems()
}

// run executes a command with everything that follows inside the form, and returns the messages for
// others.
func run(t testing.TB, m *form, cmd tea.Cmd) []tea.Msg {
	t.Helper()
	m.d.Run(cmd)
	return m.others()
}

// send sends a message to the form, like run.
func send(t testing.TB, m *form, msg tea.Msg) []tea.Msg {
	t.Helper()
	m.d.Send(msg)
	return m.others()
}

// pick picks a choice of a question and returns the messages for others.
func pick(t testing.TB, m *form, c page.Choice) []tea.Msg {
	t.Helper()
	m.d.Pick(c)
	return m.others()
}

// press presses keys by name and returns the messages for others.
func press(t testing.TB, m *form, keys ...string) []tea.Msg {
	t.Helper()
	m.d.Press(keys...)
	return m.others()
}

// held presses a key and returns the command without running it.
func held(t testing.TB, m *form, k string) tea.Cmd {
	t.Helper()
	var cmds []tea.Cmd
	m.d.Hold = &cmds
	m.d.Press(k)
	m.d.Hold = nil
	return tea.Batch(cmds...)
}

// write types text letter by letter.
func write(t *testing.T, m *form, text string) {
	t.Helper()
	for _, r := range text {
		k := string(r)
		if k == " " {
			k = "space"
		}
		press(t, m, k)
	}
}

// goTo moves the focus to a field.
func goTo(t *testing.T, m *form, f string) {
	t.Helper()
	m.Focus(edit.OnForm)
	m.Model.Form.Focus(f, true)
	send(t, m, page.Acted{})
	if m.Model.Form.On() != f {
		t.Fatalf("the focus is on %s, want %s", m.Model.Form.On(), f)
	}
}

// list moves the focus to the files.
func list(t *testing.T, m *form) {
	t.Helper()
	m.Focus(edit.OnFiles)
	send(t, m, page.Acted{})
}

// extend gives extensions to all files.
func extend(t *testing.T, m *form, text string) {
	t.Helper()
	for _, s := range m.Items {
		m.set(s, "extensions", text)
	}
	m.Load()
}

// screen returns the form without styles.
func screen(m *form, w, h int) string {
	m.d.Resize(image.Pt(w, h))
	return m.d.Text()
}

// told returns the text of all parts of the form without space limits, so that it does not depend on
// the layout.
func told(m *form) string {
	size := image.Pt(500, 70)
	return uitest.Flat(ansi.Strip(m.View(size, m.d.Theme) + strings.Join(m.Status(size, m.d.Theme), "")))
}

// ready reports whether no check stops sending: a narrow screen says so below the form.
func ready(m *form) bool {
	defer m.d.Resize(m.d.Size)
	return !strings.Contains(screen(m, 50, 20), "Not ready:")
}

// pngBytes returns a small picture.
func pngBytes(t testing.TB, w, h int) []byte {
	t.Helper()
	return mediatest.PNG(t, mediatest.Gradient(w, h))
}

// files makes files with these names and contents and returns them as sources.
func files(t testing.TB, pairs ...string) []api.Source {
	t.Helper()
	dir := t.TempDir()
	var out []api.Source
	for i := 0; i < len(pairs); i += 2 {
		path := filepath.Join(dir, pairs[i])
		changed := time.Date(2026, 7, 31, 0, 0, 0, 0, time.UTC)
		must(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(pairs[i+1]), 0o600), os.Chtimes(path, changed, changed)))
		out = append(out, api.Source{Path: path})
	}
	return out
}

// localOptions returns the options of a form for sources to the local library.
func localOptions(sources []api.Source, s Session) Options {
	return Options{Sources: sources, Profile: localProfile(), Session: s}
}

// localProfile returns the profile of the local library.
func localProfile() session.Profile {
	return session.Profile{
		Name: "here", Host: "127.0.0.1:7843", Local: true, MaxSize: 25_000_000,
		Receiver: "http://127.0.0.1:7900",
	}
}

// hostedProfile returns the profile of a hosted service.
func hostedProfile() session.Profile {
	p := localProfile()
	p.Name, p.Host, p.Local, p.ColorOption = "shop", "upload.example.com", false, "bg_color"
	return p
}

// opened makes a form that has inspected its sources.
func opened(t testing.TB, o Options) *form {
	t.Helper()
	o.Context = t.Context()
	return drive(t, New(o))
}

// started returns an opened form with the focus on its first row.
func started(t testing.TB, o Options) *form {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir()) // for files of editors that do not run here
	m := opened(t, o)
	if len(m.Items) > 0 {
		goTo(t.(*testing.T), m, "name")
	}
	return m
}

// stub is a session that answers as a test decides. A nil function means that it knows nothing.
type stub struct {
	known     func(context.Context, string) (rule.Place, error) // what is at a path
	send      func(context.Context, []job.Job) ([]job.Job, error)
	saveDraft func(context.Context, []byte) error
	folders   func(context.Context) ([]string, error)
	tags      func(context.Context) ([]string, error)
	foldersIn func(context.Context, string) ([]string, error)
	fields    func(context.Context) ([]api.MetadataField, error)
	preview   func(context.Context, string) (string, error)
	presets   Presets
}

var errNone = errors.New("there is none")

// answer returns what f knows about a.
func answer[A, T any](ctx context.Context, f func(context.Context, A) (T, error), a A) (T, error) {
	if f == nil {
		return *new(T), errNone
	}
	return f(ctx, a)
}

// sources returns the sources that are left in a form.
func sources(m *form) (out []api.Source) {
	for _, s := range m.Items {
		out = append(out, s.Source)
	}
	return out
}

// listed returns what f knows.
func listed[T any](ctx context.Context, f func(context.Context) ([]T, error)) ([]T, error) {
	if f == nil {
		return nil, errNone
	}
	return f(ctx)
}

func (s *stub) Places(ctx context.Context, uploads []api.Upload) ([]rule.Place, error) {
	places := make([]rule.Place, len(uploads))
	for i := range uploads {
		if s.known != nil {
			var err error
			if places[i], err = s.known(ctx, rule.PathOf(&uploads[i])); err != nil {
				return nil, err
			}
		}
	}
	return places, nil
}

func (s *stub) Send(ctx context.Context, jobs []job.Job) ([]job.Job, error) {
	return answer(ctx, s.send, jobs)
}

func (s *stub) SaveDraft(ctx context.Context, text []byte) error {
	if s.saveDraft == nil {
		return nil
	}
	return s.saveDraft(ctx, text)
}

func (s *stub) Folders(ctx context.Context) ([]string, error) { return listed(ctx, s.folders) }

func (s *stub) Tags(ctx context.Context) ([]string, error) { return listed(ctx, s.tags) }

func (s *stub) Thumb(context.Context, api.File) (string, error) { return "", errors.New("no picture") }

func (s *stub) Preview(ctx context.Context, address string) (string, error) {
	return answer(ctx, s.preview, address)
}

func (s *stub) FoldersIn(ctx context.Context, folder string) ([]string, error) {
	return answer(ctx, s.foldersIn, folder)
}

func (s *stub) MetadataFields(ctx context.Context, _ string) ([]api.MetadataField, error) {
	return listed(ctx, s.fields)
}

func (s *stub) Presets(ctx context.Context) ([]journal.Preset, error) {
	if s.presets == nil {
		return nil, errNone
	}
	return s.presets.Presets(ctx)
}

func (s *stub) SavePreset(ctx context.Context, p journal.Preset) error {
	return s.presets.SavePreset(ctx, p)
}

func (s *stub) RemovePreset(ctx context.Context, name string) error {
	return s.presets.RemovePreset(ctx, name)
}
