package ui

import (
	"context"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/api"
	"mediadesk/api/journal"
	"mediadesk/api/local"
	"mediadesk/api/queue"
	"mediadesk/api/session"
	"mediadesk/api/watch"
	"mediadesk/config"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

type testKey string

func (k testKey) Reveal() string { return string(k) }

// openSession opens a session with real parts only, over a new local library.
func openSession(t *testing.T) *session.Session {
	t.Helper()
	return openSessionWith(t, local.Options{}, watch.Options{}, func(*session.Session) {})
}

// openSessionWith is openSession with more options. It calls fill before the queue starts.
func openSessionWith(t *testing.T, library local.Options, w watch.Options, fill func(*session.Session)) *session.Session {
	t.Helper()
	ctx, dir := t.Context(), t.TempDir()
	library.Dir, library.Key = filepath.Join(dir, "library"), testKey("private_root_test")
	server := httptest.NewUnstartedServer(nil)
	if library.Address == "" {
		library.Address = "http://" + server.Listener.Addr().String()
	}
	opened, err := local.Open(context.Background(), library)
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = opened
	server.Start()
	d := &session.Session{Cache: dir, Profile: session.Profile{Name: "local", Host: "127.0.0.1:7843", Local: true, KeySource: "the library's own"}}
	if d.Journal, err = journal.Open(ctx, filepath.Join(dir, "journal.db")); err != nil {
		t.Fatal(err)
	}
	if d.Client, err = api.NewClient(api.Options{UploadURL: server.URL, BaseURL: server.URL, Key: testKey("private_root_test")}); err != nil {
		t.Fatal(err)
	}
	w.Journal, w.Listen, w.Profile = d.Journal, "127.0.0.1:0", "local"
	d.Watch = watch.New(w)
	if err := d.Watch.Start(ctx); err != nil {
		t.Fatal(err)
	}
	fill(d)
	d.Queue = queue.New(queue.Options{Journal: d.Journal, Sender: d.Client, Profile: "local"})
	if err := d.Queue.Start(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		closing := context.Background()
		errs := []error{d.Queue.Close(closing), d.Watch.Close(closing)}
		d.Client.Close()
		server.Close()
		for _, err := range append(errs, opened.Close(), d.Journal.Close()) {
			if err != nil {
				t.Error(err)
			}
		}
	})
	return d
}

// newModel returns the root with a session open, before any command has run.
func newModel(t *testing.T, d *session.Session) *Model {
	t.Helper()
	paths := config.FindPaths(func(name string) string { return map[string]string{"MEDIADESK_HOME": t.TempDir()}[name] })
	m := New(Options{Paths: paths, Keys: &config.Keys{}, Getenv: func(string) string { return "" }})
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	m.Update(sessionOpened{session: d})
	t.Cleanup(m.stop)
	return m
}

// TestEverySize draws the whole terminal with every screen in front, at every size, in every theme.
func TestEverySize(t *testing.T) {
	m := newModel(t, openSession(t))
	m.Update(page.Toast{Level: page.Bad, Text: "写真の送信に失敗しました " + strings.Repeat("long ", 40)})
	fronts := map[string]func(){
		"picker":     func() { m.Update(page.Show{ID: page.Picker}) },
		"uploads":    func() { m.Update(page.Show{ID: page.Uploads}) },
		"extensions": func() { m.Update(page.Show{ID: page.Extensions}) },
		"library":    func() { m.Update(page.Show{ID: page.Library}) },
		"settings":   func() { m.Update(page.Show{ID: page.Settings}) },
		"form": func() {
			m.Update(page.Compose{Sources: []api.Source{{Path: "/tmp/\x1b]0;x\a/été 写真 👩‍🚀.jpg"}, {URL: "https://example.com/" + strings.Repeat("long", 90) + ".jpg"}}})
		},
		"details": func() {
			m.Update(page.Inspect{Files: []api.File{{FileID: "x", Name: "a\u202eb\n.jpg", FilePath: "/深い/フォルダ/a.jpg"}}})
		},
		"onboarding": func() { m.welcome("", nil) },
	}
	for _, name := range []string{"picker", "uploads", "extensions", "library", "settings", "form", "details", "onboarding"} {
		fronts[name]()
		for _, over := range []string{"", "help", "dialog"} {
			m.host.Overlays.CloseAll()
			switch over {
			case "help":
				m.openHelp()
			case "dialog":
				m.ask(page.Ask{Title: "Leave?", Text: "Twelve uploads are not finished.", Choices: []page.Choice{{Label: "Stay"}, {Label: "Leave", Key: "l"}}}, nil)
			}
			t.Run(name+" "+over, func(t *testing.T) {
				uitest.Sweep(t, func(w, h int, th *theme.Theme) string {
					m.theme = th
					m.Update(tea.WindowSizeMsg{Width: w, Height: h})
					return m.View().Content
				})
			})
		}
	}
}

// TestKeys goes from screen to screen.
func TestKeys(t *testing.T) {
	m := newModel(t, openSession(t))
	press := func(keys ...string) {
		for _, k := range keys {
			m.Update(kit.KeyMsg(k))
		}
	}
	front := func(want page.ID) {
		t.Helper()
		if m.host.Front() != want {
			t.Fatalf("in front: %d, want %d", m.host.Front(), want)
		}
	}
	press("3")
	front(page.Extensions)
	press("]")
	front(page.Library)
	press("]", "]")
	front(page.Picker)
	press("[")
	front(page.Settings)
	press("?")
	if m.host.Overlays.Top() == nil {
		t.Fatal("no help")
	}
	press("4")
	front(page.Settings) // the help takes keys as a search: here for 4
	press("esc", "esc")
	if m.host.Overlays.Top() != nil {
		t.Fatal("esc does not close the help")
	}
	m.Update(page.Inspect{Files: []api.File{{FileID: "x"}}})
	front(page.Details)
	m.Update(page.Back{})
	front(page.Settings)
	press("1", "1")
	if !m.messages.Empty() {
		t.Error("the key of the current screen shows a message")
	}
	m.Update(page.Compose{Sources: []api.Source{{Path: "/tmp/a.jpg"}}})
	front(page.Form)
	form := m.host.Screen(page.Form)
	m.Update(page.Back{})
	front(page.Picker)
	m.Update(page.Compose{Sources: []api.Source{{Path: "/tmp/b.jpg"}}})
	if m.host.Screen(page.Form) != form {
		t.Error("the form and its input were discarded")
	}
}

// TestQuitting: esc never quits, q does, ctrl+c twice quits at once, and q is a letter in a text field.
func TestQuitting(t *testing.T) {
	quits := func(cmd tea.Cmd) bool {
		if cmd == nil {
			return false
		}
		_, quit := cmd().(tea.QuitMsg)
		return quit
	}
	clock := time.Now()
	m := newModel(t, openSession(t))
	m.o.Now = func() time.Time { return clock }
	if _, cmd := m.Update(kit.KeyMsg("esc")); quits(cmd) {
		t.Error("esc quits")
	}
	if _, cmd := m.Update(kit.KeyMsg("q")); !quits(cmd) {
		t.Error("q does not quit")
	}
	m.Update(page.Show{ID: page.Library})
	m.Update(kit.KeyMsg("/")) // the filter is a text field
	if !m.host.Capturing() {
		t.Fatal("the filter does not open")
	}
	if _, cmd := m.Update(kit.KeyMsg("q")); quits(cmd) {
		t.Error("q quits within a text field")
	}
	if _, cmd := m.Update(kit.KeyMsg("ctrl+c")); quits(cmd) {
		t.Error("the first ctrl+c in a text field quits")
	}
	clock = clock.Add(100 * time.Millisecond)
	if _, cmd := m.Update(kit.KeyMsg("ctrl+c")); !quits(cmd) {
		t.Error("ctrl+c twice does not quit")
	}
	if m.Patience() != 0 {
		t.Error("ctrl+c twice waits for what is under way")
	}
}

// TestQuittingUnsaved: leaving or switching profiles asks about unsaved changes, from any screen.
func TestQuittingUnsaved(t *testing.T) {
	clock := time.Now()
	m := newModel(t, openSession(t))
	m.o.Now = func() time.Time { return clock }
	press := func(keys ...string) (cmd tea.Cmd) {
		for _, k := range keys {
			clock = clock.Add(2 * time.Second)
			_, cmd = m.Update(kit.KeyMsg(k))
		}
		return cmd
	}
	asks := func(what, title string) {
		t.Helper()
		if m.host.Overlays.Top() == nil {
			t.Fatalf("%s does not ask", what)
		}
		if screen := ansi.Strip(m.View().Content); !strings.Contains(screen, title) || !strings.Contains(screen, "harbour.jpg") {
			t.Errorf("%s asks:\n%s", what, screen)
		}
	}
	m.Update(page.Inspect{Files: []api.File{{FileID: "x", Name: "harbour.jpg"}}})
	press("e", "s", ",", "esc", "1")
	if m.host.Front() != page.Picker {
		t.Fatalf("front is %v, want %v", m.host.Front(), page.Picker)
	}
	press("q")
	asks("q", "Leave mediadesk?")
	if cmd := press("k"); cmd != nil {
		m.Update(cmd())
	}
	if m.host.Front() != page.Details {
		t.Errorf("k leads to %v, want %v", m.host.Front(), page.Details)
	}
	m.Update(page.UseProfile{Name: "other"})
	asks("another profile", "Change to another profile?")
	press("esc")
	if m.session == nil {
		t.Fatal("the profile was switched without the answer")
	}
	press("q")
	asks("q", "Leave mediadesk?")
	cmd := press("l")
	if cmd == nil {
		t.Fatal("l does not leave")
	}
	if _, yes := cmd().(tea.QuitMsg); !yes {
		t.Error("l does not leave")
	}
}

// TestDialogSafeChoice: esc selects the first choice.
func TestDialogSafeChoice(t *testing.T) {
	clock := time.Now()
	m := newModel(t, openSession(t))
	m.o.Now = func() time.Time { return clock }
	type no struct{}
	type yes struct{}
	ask := page.Ask{Title: "Send?", Choices: []page.Choice{{Label: "No", Key: "n", Do: func() tea.Cmd { return page.Send(no{}) }}, {Label: "Yes", Key: "y", Do: func() tea.Cmd { return page.Send(yes{}) }}}}
	for key, want := range map[string]tea.Msg{"esc": no{}, "enter": no{}, "n": no{}, "y": yes{}} {
		m.Update(ask)
		if _, cmd := m.Update(kit.KeyMsg(key)); cmd != nil || m.host.Overlays.Top() == nil {
			t.Fatalf("%s acts before the dialog takes keys", key)
		}
		clock = clock.Add(time.Second)
		_, cmd := m.Update(kit.KeyMsg(key))
		if cmd == nil || cmd() != (page.Reply{Msg: want}) {
			t.Errorf("%s does not answer %T", key, want)
		}
	}
}
