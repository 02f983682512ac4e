package ui

import (
	"context"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/local"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/queue"
	"mediadesk/api/session"
	"mediadesk/api/watch"
	"mediadesk/config"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

func openSession(t *testing.T) *session.Session {
	t.Helper()
	return openSessionWith(t, local.Options{}, watch.Options{}, func(*session.Session) {})
}

func openSessionWith(t *testing.T, library local.Options, w watch.Options,
	fill func(*session.Session),
) *session.Session {
	t.Helper()
	ctx, dir := t.Context(), t.TempDir()
	library.Dir, library.Key = filepath.Join(dir, "library"), uitest.Key("private_root_test")
	server := httptest.NewUnstartedServer(nil)
	if library.Address == "" {
		library.Address = "http://" + server.Listener.Addr().String()
	}
	opened, err := local.Open(context.Background(), library)
	must(t, err)
	server.Config.Handler = opened
	server.Start()
	d := &session.Session{
		Cache:   dir,
		Profile: session.Profile{Name: "local", Host: "127.0.0.1:7843", Local: true, KeySource: "the library's own"},
	}
	if d.Journal, err = journal.Open(ctx, filepath.Join(dir, "journal.db")); err != nil {
		t.Fatal(err)
	}
	if d.Client, err = api.NewClient(api.Options{
		UploadURL: server.URL, BaseURL: server.URL, Key: uitest.Key("private_root_test"),
	}); err != nil {
		t.Fatal(err)
	}
	w.Journal, w.Listen, w.Profile = d.Journal, "127.0.0.1:0", "local"
	d.Watch = watch.New(w)
	must(t, d.Watch.Start(ctx))
	fill(d)
	d.Queue = queue.New(queue.Options{Journal: d.Journal, Sender: d.Client, Profile: "local"})
	must(t, d.Queue.Start(ctx))
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

func newModel(t *testing.T, d *session.Session) *Model {
	t.Helper()
	paths := uitest.Paths(t.TempDir())
	m := New(Options{Paths: paths, Keys: &config.Keys{}, Getenv: func(string) string { return "" }})
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	m.Update(sessionOpened{session: d})
	t.Cleanup(m.stop)
	return m
}

// TestEverySize draws the whole terminal with every screen in front, at every size, in every theme.
func TestEverySize(t *testing.T) {
	t.Parallel()
	m := newModel(t, openSession(t))
	m.Update(page.Toast{Level: page.Bad, Text: "写真の送信に失敗しました " + strings.Repeat("long ", 40)})
	fronts := map[string]func(){
		"picker":     func() { m.Update(page.Show{ID: page.Picker}) },
		"uploads":    func() { m.Update(page.Show{ID: page.Uploads}) },
		"extensions": func() { m.Update(page.Show{ID: page.Extensions}) },
		"library":    func() { m.Update(page.Show{ID: page.Library}) },
		"settings":   func() { m.Update(page.Show{ID: page.Settings}) },
		"form": func() {
			m.Update(page.Compose{Sources: []api.Source{
				{Path: "/tmp/\x1b]0;x\a/été 写真 👩‍🚀.jpg"},
				{URL: "https://example.com/" + strings.Repeat("long", 90) + ".jpg"},
			}})
		},
		"details": func() {
			m.Update(page.Inspect{
				Files: []api.File{{FileID: "x", Name: "a\u202eb\n.jpg", FilePath: "/深い/フォルダ/a.jpg"}},
			})
		},
		"onboarding": func() { m.onboard("", nil) },
	}
	for _, name := range []string{"picker", "uploads", "extensions", "library", "settings", "form", "details", "onboarding"} {
		fronts[name]()
		for _, over := range []string{"", "help", "dialog"} {
			m.host.Overlays.CloseAll()
			switch over {
			case "help":
				m.host.Overlays.Open(kit.NewHelp("Keys on this screen", m.host.Actions()))
			case "dialog":
				m.ask(page.Ask{
					Title: "Leave?", Text: "Twelve uploads are not finished.",
					Choices: []page.Choice{{Label: "Stay"}, {Label: "Leave", Key: "l"}},
				}, nil)
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
	t.Parallel()
	m := newModel(t, openSession(t))
	press := func(keys ...string) {
		for _, k := range keys {
			m.Update(kit.KeyMsg(k))
		}
	}
	front := func(want page.ID) {
		t.Helper()
		if m.host.Front() != want {
			t.Fatalf("in front: %v, want %v", m.host.Front(), want)
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
	t.Parallel()
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
	m.Update(kit.KeyMsg("a")) // a text field for an address
	if !m.host.Capturing() {
		t.Fatal("the text field does not open")
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
	mediatest.Equal(t, m.ExitTimeout(), 0, "ctrl+c twice waits for what is under way")
}

// TestQuittingUnsaved: leaving or switching profiles asks about unsaved changes, from any screen.
func TestQuittingUnsaved(t *testing.T) {
	t.Parallel()
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
		if screen := ansi.Strip(m.View().Content); !strings.Contains(screen, title) ||
			!strings.Contains(screen, "harbour.jpg") {
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
	press("esc")
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

// TestNoticeIsSeen: the top line shows the service's permanent notice at every width.
func TestNoticeIsSeen(t *testing.T) {
	t.Parallel()
	d := openSession(t)
	d.Profile.Notice = "faults on: delay=2s webhooks=repeated"
	m := newModel(t, d)
	for width := 40; width <= 200; width++ {
		line := ansi.Strip(m.topLine(width))
		if !strings.Contains(line, "faults on") || ansi.StringWidth(line) != width {
			t.Errorf("at %d columns the line is %q", width, line)
		}
	}
	uitest.Shows(t, ansi.Strip(m.topLine(140)), "webhooks=repeated")
}

// TestMendingAnUpload: editing a refused upload opens the form with its options and the error
// message, and puts its source into the tray.
func TestMendingAnUpload(t *testing.T) {
	t.Parallel()
	m := newModel(t, openSession(t))
	src := api.Source{URL: "https://example.com/boat.png"}
	j := job.Job{
		Upload: api.Upload{Source: src, FileName: "boat.png", Folder: api.Set("/sea/")}, Naming: job.NameExact,
		State: job.Refused, Failure: &job.Failure{Status: 400, Message: "The library is full."},
	}
	_, cmd := m.Update(page.Compose{Jobs: []job.Job{j}})
	if m.host.Front() != page.Form {
		t.Fatalf("%v is in front, want the form", m.host.Front())
	}
	var added []api.Source
	var look func(cmd tea.Cmd)
	look = func(cmd tea.Cmd) {
		if cmd == nil {
			return
		}
		switch msg := cmd().(type) {
		case tea.BatchMsg:
			for _, c := range msg {
				look(c)
			}
		case page.Add:
			added = append(added, msg.Sources...)
		}
	}
	look(cmd)
	if len(added) != 1 || added[0] != src {
		t.Errorf("got %v in the tray", added)
	}
	m.Update(tea.WindowSizeMsg{Width: 160, Height: 50})
	uitest.Shows(t, m.draw(), "boat.png", "/sea/", "The library is full.")
}

// TestTip: the first visit to a screen shows its tip without hiding anything. Esc dismisses it, and
// it does not come again.
func TestTip(t *testing.T) {
	t.Parallel()
	m := newModel(t, openSession(t))
	m.tipsKnown = true
	m.tip()
	screen := func() string { return ansi.Strip(m.View().Content) }
	if !strings.Contains(screen(), "Tip Press v to pick") {
		t.Fatalf("no tip at the first visit:\n%s", screen())
	}
	uitest.Sweep(t, func(w, h int, th *theme.Theme) string {
		m.theme = th
		m.Update(tea.WindowSizeMsg{Width: w, Height: h})
		return m.View().Content
	})
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	m.Update(page.Show{ID: page.Library})
	uitest.Shows(t, screen(), "Tip Press space to mark")
	uitest.Lacks(t, screen(), "to pick a range") // the tip of another screen
	m.Update(kit.KeyMsg("esc"))
	uitest.Lacks(t, screen(), "Tip ") // esc dismisses the tip
	m.Update(page.Show{ID: page.Picker})
	uitest.Lacks(t, screen(), "Tip ") // the tip comes only once
	// A tip does not replace a message but waits for the next visit.
	m.Update(page.Toast{Text: "The disk is full."})
	m.Update(page.Show{ID: page.Settings})
	uitest.Shows(t, screen(), "The disk is full.")
	m.Update(kit.KeyMsg("esc"))
	m.Update(page.Show{ID: page.Picker})
	m.Update(page.Show{ID: page.Settings})
	uitest.Shows(t, screen(), "Tip ")
	for _, tip := range screens {
		if w := len(" Tip " + tip.tip + " "); w > 80 {
			t.Errorf("the tip %s takes %d columns", tip.Name, w)
		}
	}
}

// TestFrameOfTheSizeBefore: a frame for a small terminal scrolls and arrives when the terminal is
// larger already, which leaves the old scroll margins behind. The next screen is complete anyway.
func TestFrameOfTheSizeBefore(t *testing.T) {
	t.Parallel()
	d := openSession(t)
	home := t.TempDir()
	paths := config.FindPaths(func(string) string { return home })
	must(t, paths.Make())
	m := New(Options{
		Paths: paths, Keys: &config.Keys{}, Folder: t.TempDir(), Pictures: "off",
		Open: func(context.Context, string, api.Key) (*session.Session, error) { return d, nil },
	})
	var term *uitest.Term
	term = uitest.Start(t, m, 120, 12, tea.WithFilter(func(_ tea.Model, msg tea.Msg) tea.Msg {
		if size, yes := msg.(tea.WindowSizeMsg); yes && size.Height == 36 {
			term.Draw("\x1b[3;9r\x1b[1;12r") // what the renderer writes to set and reset margins
		}
		return msg
	}))
	defer func() {
		term.Quit()
		m.stop()
	}()
	term.WaitFor("? help")
	term.Press("?")
	term.WaitFor("type to search")
	term.Resize(120, 36)
	whole := func(top, bottom string) func(string) bool {
		return func(screen string) bool {
			lines := strings.Split(screen, "\n")
			from := slices.IndexFunc(lines,
				func(line string) bool { return strings.Contains(line, "╭─ "+top) })
			to := slices.IndexFunc(lines, func(line string) bool {
				return strings.HasPrefix(line, "╰") && strings.Contains(line, "╯")
			})
			boxed := from >= 0 && to > from+10
			for _, line := range lines[from+1 : max(from+1, to)] {
				boxed = boxed && strings.Count(line, "│")+strings.Count(line, "┃") >= 2
			}
			return boxed && len(lines) == 36 && strings.Contains(lines[35], bottom)
		}
	}
	term.WaitUntil(whole("Keys on this screen", "esc close"))
	term.Type("way home")
	term.WaitUntil(whole("Keys on this screen", "esc close"))
}

// TestMessagesLine: a message is above the hints and moves nothing. In a low terminal it replaces them.
// ! shows it in full on every screen and over every popup.
func TestMessagesLine(t *testing.T) {
	t.Parallel()
	m := newModel(t, openSession(t))
	long := "Nothing was stored, because " + strings.Repeat("the disk is full and ", 9) + "the light is off."
	for _, size := range []tea.WindowSizeMsg{
		{Width: 200, Height: 60}, {Width: 80, Height: 24}, {Width: 40, Height: 12},
	} {
		m.messages.Dismiss()
		m.Update(size)
		before := m.rects().screen
		hints := lastLine(m)
		m.Update(page.Toast{Level: page.Bad, Text: long})
		lines := strings.Split(ansi.Strip(m.View().Content), "\n")
		at := len(lines) - 2
		if size.Height < statusHeight {
			at++
		} else if lastLine(m) != hints {
			t.Errorf("%v: got the hints %q, want %q", size, lastLine(m), hints)
		}
		if line := strings.TrimRight(lines[at], " "); !strings.Contains(line, "Nothing was stored") ||
			size.Width < 200 && !strings.HasSuffix(line, "… ! whole message") &&
				!strings.HasSuffix(line, "…  ! whole message") {
			t.Errorf("%v: the message is %q", size, line)
		}
		mediatest.Equal(t, m.rects().screen, before, "%v: the message moved the screen", size)
		m.Update(kit.KeyMsg("!"))
		closes := "!"
		if size.Height < statusHeight { // no room for all of it below the list
			m.Update(kit.KeyMsg("enter"))
			closes = "esc"
		}
		got := strings.Join(strings.Fields(strings.ReplaceAll(ansi.Strip(m.View().Content), "│", "")), " ")
		uitest.Shows(t, got, "the light is off.")
		m.Update(kit.KeyMsg(closes))
		if m.host.Overlays.Top() != nil {
			t.Errorf("%v: "+closes+" does not close the messages", size)
		}
	}
	// Over a popup of a screen.
	m.Update(kit.KeyMsg(","))
	m.Update(kit.KeyMsg("!"))
	uitest.Shows(t, ansi.Strip(m.View().Content), "─ Messages ─")
}

func lastLine(m *Model) string {
	lines := strings.Split(ansi.Strip(m.View().Content), "\n")
	return lines[len(lines)-1]
}

// TestClicks: a click on a hint runs its action, one on the status line opens the messages, and one
// on a tab opens that screen.
func TestClicks(t *testing.T) {
	t.Parallel()
	m := newModel(t, openSession(t))
	click := func(words string) {
		t.Helper()
		for y, line := range strings.Split(ansi.Strip(m.View().Content), "\n") {
			if before, _, ok := strings.Cut(line, words); ok {
				m.Update(tea.MouseClickMsg{X: ansi.StringWidth(before), Y: y, Button: tea.MouseLeft})
				return
			}
		}
		t.Fatalf("no %q on\n%s", words, ansi.Strip(m.View().Content))
	}
	shows := func(words string) {
		t.Helper()
		uitest.Shows(t, ansi.Strip(m.View().Content), words)
	}
	click("? help")
	shows("type to search")
	m.Update(kit.KeyMsg("esc"))
	m.Update(page.Toast{Text: "The disk is full."})
	click("The disk is full.")
	shows("─ Messages ─")
	click("esc close ")
	if m.host.Overlays.Top() != nil {
		t.Error("the hint of an overlay does nothing")
	}
	click("4 Library")
	mediatest.Equal(t, m.host.Front(), page.Library, "in front")
}

// TestPalette: the palette has the actions of all screens, opens the screen and runs them. The help
// has the actions of the focused part.
func TestPalette(t *testing.T) {
	t.Parallel()
	m := newModel(t, openSession(t))
	screen := func() string { return ansi.Strip(m.View().Content) }
	find := func(words string) {
		m.Update(kit.KeyMsg(":"))
		for _, r := range words {
			m.Update(kit.KeyMsg(string(r)))
		}
	}
	find("library contact sheet")
	m.Update(kit.KeyMsg("enter"))
	if m.host.Front() != page.Library || m.host.Overlays.Top() != nil {
		t.Fatalf("the palette did not open its screen:\n%s", screen())
	}
	find("picker.add-url")
	m.Update(kit.KeyMsg("enter"))
	if m.host.Front() != page.Picker || !m.host.Covered() {
		t.Errorf("the action of another screen does not run:\n%s", screen())
	}
	m.Update(kit.KeyMsg("esc"))
	find("edit region")
	uitest.Shows(t, screen(), "Open a file in the library first") // no longer one that was open
	m.Update(kit.KeyMsg("esc"))
	m.Update(kit.KeyMsg("esc"))
	find("redo")
	mediatest.Equal(t, strings.Count(screen(), "redo the last"), 1, "times that the palette names an action")
	m.Update(kit.KeyMsg("esc"))
	m.Update(kit.KeyMsg("esc"))
	find("theme")
	m.Update(kit.KeyMsg("enter"))
	mediatest.Equal(t, m.host.Front(), page.Settings, "the screen of a setting")
	if find("ren"); strings.Contains(screen(), "parent") {
		t.Error("a word is found that does not begin with the typed one")
	}
	m.Update(kit.KeyMsg("esc"))
	m.Update(kit.KeyMsg("esc"))
	// A disabled action says why on its own screen.
	find("uploads.undo")
	m.Update(kit.KeyMsg("enter"))
	if _, told := m.messages.Shown(); m.host.Front() != page.Uploads || !told {
		t.Errorf("the disabled reason is not shown:\n%s", screen())
	}
	find("upload form send")
	uitest.Shows(t, screen(), "pick files and press u first")
	m.Update(kit.KeyMsg("esc"))
	m.Update(kit.KeyMsg("esc"))
	m.Update(kit.KeyMsg("?"))
	for _, r := range "library.grid" {
		m.Update(kit.KeyMsg(string(r)))
	}
	uitest.Shows(t, screen(), "No matching action")
}

// TestKeyIsAskedForAfterASession: the work of the first screen does not end with the session before it.
func TestKeyIsAskedForAfterASession(t *testing.T) {
	t.Parallel()
	m := newModel(t, openSession(t))
	m.open(page.UseProfile{Name: "work"})
	m.Update(sessionOpened{profile: "work", err: &config.NoKeyError{Profile: "work"}})
	if m.host.Front() != page.Onboarding || m.ctx != nil && m.ctx.Err() != nil {
		t.Errorf("screen %v in front works with a context that is over", m.host.Front())
	}
	if msg := page.Problem(fmt.Errorf("trying the keyring: %w", context.Canceled)); msg != nil {
		t.Errorf("a canceled request says %+v", msg)
	}
}

// TestUploadsAreTold: badges, the title and messages report the uploads until the user sees the
// uploads screen.
func TestUploadsAreTold(t *testing.T) {
	t.Parallel()
	m := newModel(t, openSession(t))
	counted := func(open, failed int, ended ...queue.Batch) tea.Cmd {
		_, cmd := m.Update(m.then(m.session, func() tea.Cmd {
			return m.jobsCounted(queue.Counts{Open: open, Failed: failed}, ended)
		}))
		return cmd
	}
	says := func(what, got string, words ...string) {
		t.Helper()
		uitest.Shows(t, got, words...)
	}
	screen := func() string { return ansi.Strip(m.View().Content) }

	m.uploading.started = false
	counted(6, 0)
	says("the screen", screen(), "2 Uploads ⋯6 ", "6 uploads continue (screen 2).")
	says("the title", m.title(), "mediadesk: 6 uploads")

	counted(4, 2)
	says("the screen", screen(), "2 Uploads ⋯4 ✗2 ")
	if strings.Count(screen(), "continue") != 1 {
		t.Errorf("the message came again:\n%s", screen())
	}
	counted(0, 8, queue.Batch{Total: 42, Stored: 34, Failed: 8})
	says("the screen", screen(), "2 Uploads ✗8 ", "8 of 42 uploads failed (screen 2).")
	m.Update(tea.WindowSizeMsg{Width: 40, Height: 12})
	says("a small screen", screen(), "2 ✗8 ")
	x := strings.Index(ansi.Strip(m.topLine(40)), "✗8")
	if id, ok := m.tabAt(x); id != page.Uploads || !ok {
		t.Errorf("the badge belongs to %v", id)
	}
	m.messages.Dismiss()
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})

	counted(0, 0, queue.Batch{Total: 1, Processing: 1})
	says("the screen", screen(), "0 of 1 upload stored, 1 processing")
	uitest.Lacks(t, screen(), "✓ 0 of 1") // a waiting upload has no sign of success
	m.messages.Dismiss()

	// Showing the uploads clears the badges and messages.
	m.Update(page.Show{ID: page.Uploads})
	counted(0, 0, queue.Batch{Total: 3, Stored: 3})
	uitest.Lacks(t, screen(), "✗8", "3 uploads stored")
	if !m.uploading.seen.After(m.lastQuit) {
		t.Error("earlier failures count again")
	}

	// An absent user gets a signal, too.
	m.Update(tea.BlurMsg{})
	m.messages.Dismiss()
	batch := m.batchEnded(queue.Batch{Total: 3, Stored: 2})().(tea.BatchMsg)
	if rung, _ := batch[len(batch)-1]().(tea.RawMsg); rung.Msg != bell {
		t.Errorf("the signal is %q", rung.Msg)
	}
	says("the screen", screen(), "2 of 3 uploads stored")
}

var must = mediatest.Must
