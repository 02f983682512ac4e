package ui

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/local"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/queue"
	"mediadesk/api/session"
	"mediadesk/api/watch"
	"mediadesk/assets"
	"mediadesk/config"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/uitest"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// stage is the whole program without a terminal. Its session has the same files, uploads and runs
// every time, at the same time of day.
type stage struct {
	t       *testing.T
	session *session.Session
	paths   config.Paths
	dir     string            // folder of pictures, with a name of fixed length
	ids     map[string]string // of the stored files, by name
	m       *Model
	now     *clock
	size    tea.WindowSizeMsg
	msgs    chan tea.Msg
	gone    chan struct{} // closed when the model is no longer used
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{t: t, ids: map[string]string{}, size: tea.WindowSizeMsg{Width: 120, Height: 36}}
	s.dir = fixedDir(t)
	pictures := filepath.Join(s.dir, "pictures")
	must(t, assets.WriteSamples(pictures))
	for _, name := range []string{"summer/", "день 1 — naïve (final).txt", "写真.txt", strings.Repeat("long-", 20) + "name.txt"} {
		path := filepath.Join(pictures, name)
		if strings.HasSuffix(name, "/") {
			must(t, os.Mkdir(path, 0o700))
		} else if err := os.WriteFile(path, []byte("notes\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(pictures)
	must(t, err)
	for i, e := range entries {
		at := noon.Add(-time.Duration(i+1) * 3 * time.Hour)
		must(t, os.Chtimes(filepath.Join(pictures, e.Name()), at, at))
	}
	s.paths = uitest.Paths(filepath.Join(s.dir, "home"))
	must(t, s.paths.Make())
	var seen []string
	for _, sc := range screens {
		seen = append(seen, sc.Name)
	}
	state := `{"tips": ["` + strings.Join(seen, `", "`) +
		`"], "profiles": {"work": {"kind": "hosted", "uploadUrl": "https://upload.imagekit.io",
		"baseUrl": "https://api.imagekit.io", "deliveryUrl": "https://ik.imagekit.io/my_id",
		"maxSize": 25000000, "maxVideoSize": 100000000, "tags": ["desk"]}}}`
	must(t, os.WriteFile(s.paths.StateFile(), []byte(state), 0o600))
	clock := func() time.Time { return noon.Add(-90 * time.Minute) }
	// Nothing listens at the address of the files. So the addresses are the same every time, and no
	// pictures are shown.
	s.session = openSessionWith(t, local.Options{Now: clock, Address: "http://127.0.0.1:1"},
		watch.Options{Now: clock}, s.fill)
	// Two of the earlier uploads resume at the start and fail again. Wait for that, because otherwise
	// the first scene could have a message about them.
	late := time.After(uitest.Deadline)
	for s.session.Queue.Counts(time.Time{}) != (queue.Counts{Failed: 2}) {
		select {
		case <-s.session.Queue.Changes():
		case <-late:
			t.Fatalf("the earlier uploads did not end: %+v", s.session.Queue.Counts(time.Time{}))
		}
	}
	return s
}

// fixedDir makes a folder whose path has the same length on every machine.
func fixedDir(t *testing.T) string {
	t.Helper()
	for n := os.Getpid(); ; n++ {
		dir := fmt.Sprintf("/tmp/desk-%08d", n%100_000_000)
		switch err := os.Mkdir(dir, 0o700); {
		case err == nil:
			t.Cleanup(func() { must(t, os.RemoveAll(dir)) })
			return dir
		case !os.IsExist(err):
			t.Fatal(err)
		}
	}
}

// fill stores files in the library, and records earlier uploads and extension runs in the journal.
func (s *stage) fill(d *session.Session) {
	s.t.Helper()
	ctx := s.t.Context()
	store := func(name, folder string, u api.Upload) *api.File {
		u.Source = api.Source{Path: filepath.Join(s.dir, "pictures", name)}
		if strings.HasPrefix(name, "note") {
			u.Source.Path = filepath.Join(s.dir, "pictures", "写真.txt")
		}
		u.FileName, u.Folder, u.UseUniqueFileName = name, api.Set(folder), api.Set(false)
		file, err := d.Client.Upload(ctx, &u, nil)
		if err != nil {
			s.t.Fatal(err)
		}
		if err := d.Journal.SaveFile(ctx, "local", *file); err != nil {
			s.t.Fatal(err)
		}
		s.ids[name] = file.FileID
		return file
	}
	harbour := store("harbour.jpg", "/", api.Upload{
		Tags: api.Set([]string{"sea", "boat"}), CustomCoordinates: api.Set("100,150,400,300"),
	})
	store("mug.jpg", "/", api.Upload{IsPrivateFile: api.Set(true)})
	for i := range 14 {
		store(fmt.Sprintf("note %02d.txt", i+1), "/", api.Upload{})
	}
	logo := store("logo.png", "/summer/", api.Upload{Tags: api.Set([]string{"mark"})})
	j := func(name string, state job.State, file *api.File, failure *job.Failure, ago time.Duration) job.Job {
		return job.Job{
			Profile: "local", State: state, File: file, Failure: failure, Attempts: 1, Naming: job.NameExact,
			Upload:  api.Upload{Source: api.Source{Path: filepath.Join(s.dir, "pictures", name)}, FileName: name, Folder: api.Set("/")},
			Created: noon.Add(-ago - time.Minute), Updated: noon.Add(-ago), Started: noon.Add(-ago - time.Minute),
			Identity: api.Identity{Size: 48_213},
		}
	}
	if _, err := d.Journal.AddJobs(ctx, []job.Job{
		j("harbour.jpg", job.Stored, harbour, nil, 90*time.Minute),
		j("logo.png", job.Stored, logo, nil, 80*time.Minute),
		j("день 1 — naïve (final).txt", job.Refused, nil, &job.Failure{Status: 400, Message: "the file cannot be stored", Help: "Choose another folder."}, 70*time.Minute),
		j("orbit.gif", job.Unknown, nil, &job.Failure{Message: "no answer came"}, 60*time.Minute),
		j("写真.txt", job.Unsent, nil, &job.Failure{Message: "the service cannot be reached"}, 50*time.Minute),
		j("mug.jpg", job.Canceled, nil, nil, 40*time.Minute),
	}); err != nil {
		s.t.Fatal(err)
	}
	// The journal records the time of each event, which must be the same every time.
	db, err := sql.Open("sqlite", d.Journal.Path())
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, "UPDATE jobs SET updated = ?", noon.Add(-40*time.Minute).UnixNano())
	if err != nil {
		s.t.Fatal(err)
	}
	run := func(file *api.File, extension string, status api.Status, from, failure string) job.Run {
		return job.Run{
			Profile: "local", FileID: file.FileID, FilePath: file.FilePath, Extension: extension, Status: status, From: from, Error: failure,
			Started: noon.Add(-90 * time.Minute), At: noon.Add(-89 * time.Minute), Webhook: true,
		}
	}
	if err := d.Journal.AddRuns(ctx, []job.Run{
		run(harbour, "google-auto-tagging", api.StatusSuccess, "answer", ""),
		run(harbour, "remove-bg", api.StatusFailed, "webhook", "no subject was found"),
		run(logo, "remove-bg", api.StatusPending, "answer", ""),
	}); err != nil {
		s.t.Fatal(err)
	}
}

// clock counts nanoseconds since noon. It is atomic, because commands of an ended program may still
// read it.
type clock struct{ atomic.Int64 }

func (c *clock) time() time.Time { return noon.Add(time.Duration(c.Load())) }

// fresh restarts the program with the same session, without a saved form, on a dark terminal with
// all colors and without pictures.
func (s *stage) fresh() {
	s.t.Helper()
	s.end()
	if err := s.session.SaveDraft(s.t.Context(), nil); err != nil {
		s.t.Fatal(err)
	}
	s.now = new(clock)
	s.msgs, s.gone = make(chan tea.Msg), make(chan struct{})
	s.m = New(Options{
		Paths: s.paths, Keys: &config.Keys{}, Now: s.now.time, Folder: filepath.Join(s.dir, "pictures"),
		Pictures: "off", Open: func(context.Context, string, api.Key) (*session.Session, error) { return s.session, nil },
		Getenv: func(name string) string { return map[string]string{"EDITOR": "true"}[name] },
	})
	s.send(s.size)
	s.send(tea.BackgroundColorMsg{Color: color.Black})
	s.send(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
	s.send(sessionOpened{session: s.session})
}

func (s *stage) end() {
	if s.m != nil {
		s.m.stop()
		close(s.gone)
		s.m = nil
	}
}

func (s *stage) send(msg tea.Msg) {
	_, cmd := s.m.Update(msg)
	s.start(cmd)
}

// start runs a command in the background and sends its result to msgs.
func (s *stage) start(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	msgs, gone := s.msgs, s.gone
	var run func(tea.Cmd)
	run = func(cmd tea.Cmd) {
		if cmd == nil {
			return
		}
		msg := cmd()
		// Bubble Tea does not export the type of a sequence of commands.
		if v := reflect.ValueOf(msg); v.Kind() == reflect.Slice &&
			v.Type().Elem() == reflect.TypeFor[tea.Cmd]() {
			_, batch := msg.(tea.BatchMsg)
			for i := range v.Len() {
				if one := v.Index(i).Interface().(tea.Cmd); batch {
					go run(one)
				} else {
					run(one)
				}
			}
			return
		}
		if msg == nil {
			return
		}
		select {
		case msgs <- msg:
		case <-gone:
		}
	}
	go run(cmd)
}

func (s *stage) screen() string { return ansi.Strip(s.m.View().Content) }

func (s *stage) waitFor(words ...string) {
	s.t.Helper()
	s.waitUntil(func() string {
		screen := s.screen()
		for _, w := range words {
			if !strings.Contains(screen, w) {
				return w
			}
		}
		return ""
	})
}

func (s *stage) waitForAction(words string) {
	s.t.Helper()
	s.waitUntil(func() string {
		if slices.ContainsFunc(s.m.host.Actions(),
			func(a kit.Action) bool { return a.Label() == words && a.Reason() == "" }) {
			return ""
		}
		return words
	})
}

func (s *stage) waitUntil(missing func() string) {
	s.t.Helper()
	limit := time.NewTimer(uitest.Deadline)
	defer limit.Stop()
	for {
		what := missing()
		if what == "" {
			return
		}
		select {
		case msg := <-s.msgs:
			s.send(msg)
		case <-limit.C:
			s.t.Fatalf("waited for %q on the screen:\n%s", what, s.screen())
		}
	}
}

func (s *stage) press(keys ...string) {
	for _, k := range keys {
		s.send(kit.KeyMsg(k))
		s.m.View()
	}
}

// settle handles the results of commands until the drawing is as wanted. It returns the drawing. A
// scene waits for a few words only, and on a busy machine other parts may change later. Without a
// wanted drawing, with -update and after a first failure, it waits until nothing comes for a second.
func (s *stage) settle(draw func() string, wanted string) string {
	quiet, most := uitest.Deadline, uitest.Deadline
	if wanted == "" || updating() || s.t.Failed() {
		quiet, most, wanted = time.Second, 4*time.Second, "" // clocks of the screens never rest
	}
	limit := time.NewTimer(most)
	defer limit.Stop()
	for {
		drawn := draw()
		if drawn == wanted {
			return drawn
		}
		select {
		case msg := <-s.msgs:
			s.send(msg)
		case <-time.After(quiet):
			return drawn
		case <-limit.C:
			return drawn
		}
	}
}

func updating() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

type scene struct {
	name string
	play func(s *stage)
}

// scenes are the screens in their most frequent states. Each begins after the first drawing of the picker.
var scenes = []scene{
	{"picker", func(s *stage) {
		s.press("j", "j", "space", "space")
		s.waitFor("To upload: 2 files, 7.4 kB", "900 × 900 · JPEG ·", "1 day ago")
	}},
	{"form", func(s *stage) {
		s.press("j", "j", "space", "space", "u")
		s.waitFor("Will be stored as", "7.4 kB")
	}},
	{"uploads", func(s *stage) {
		s.press("2")
		s.waitFor("refused")
	}},
	{"extensions", func(s *stage) {
		s.press("3")
		s.waitFor("remove-bg", "no subj")
	}},
	{"library", func(s *stage) {
		s.press("4")
		s.waitFor("harbour.jpg", "file", "region")
	}},
	{"details", func(s *stage) {
		s.press("4")
		s.waitFor("harbour.jpg", "1 file ·")
		s.press("down", "enter")
		s.waitFor("c edit region")
		s.waitForAction("rename, move, copy, versions, delete")
	}},
	{"settings", func(s *stage) {
		s.press("5")
		s.waitFor("work", "Parallel uploads")
	}},
	{"help", func(s *stage) {
		s.waitFor("1 day ago", "An empty folder.")
		s.press("?")
	}},
	{"dialog", func(s *stage) {
		s.waitFor("1 day ago", "An empty folder.")
		s.send(page.Ask{
			Title: "Send 2 files to /summer/?", Text: "One of them is there already.",
			Choices: []page.Choice{{Label: "Not yet", Key: "n"}, {Label: "Send 2 files to /summer/", Key: "s"}},
		})
		s.now.Add(int64(time.Second)) // it takes keys now
	}},
	{"onboarding", func(s *stage) {
		s.m.session = nil
		s.start(s.m.onboard("", nil))
		s.waitFor("Try it here")
	}},
}

// furtherScenes are further screen states with other actions.
var furtherScenes = []scene{
	{"picker, contact sheet", after("picker", "t")},
	{"picker, tray", after("picker", "tab")},
	{"form, name", after("form", "shift+tab")},
	{"form, extensions", after("form", "tab", "tab")},
	{"form, existing", after("form", "tab", "tab", "tab")},
	{"uploads, earlier ones", after("uploads", "j", "j", "j")},
	{"extensions, a failed one", after("extensions", "j")},
	{"library, sheet", after("library", "down", "t")},
	{"library, a file", after("library", "down")},
	{"details, tags", after("details", "e")},
	{"details, region", func(s *stage) {
		after("details", "c")(s)
		s.waitForAction("suggest a region") // the picture has been read
	}},
	{"settings, another account", after("settings", "j")},
	{"settings, program", after("settings", "G", "k", "k", "k", "k", "k", "k", "k")},
	{"settings, files", after("settings", "G")},
}

// after returns a scene setup that presses more keys.
func after(name string, keys ...string) func(*stage) {
	return func(s *stage) {
		for _, sc := range scenes {
			if sc.name == name {
				sc.play(s)
			}
		}
		s.press(keys...)
	}
}

func formLosingTags(keys ...string) func(*stage) {
	return func(s *stage) {
		s.press("/", "h", "a", "r", "b", "enter", "space", "u")
		s.waitFor("Will be stored as")
		s.press("down", "down", "down", "down", "down", "enter", "down", "down", "right", "right")
		s.waitFor("ctrl+g keep")
		s.press(keys...)
		s.waitForAction("keep tags")
	}
}

func (s *stage) play(sc scene) {
	s.t.Helper()
	s.fresh()
	s.waitFor("logo.png", "Extensions ◐1")
	s.m.messages.Push(page.Toast{Text: "There is a history of messages."})
	s.m.messages.Dismiss()
	sc.play(s)
}

// works presses a key and reports whether it changed the screen or returned a command. It does not
// run the command.
func (s *stage) works(k string) bool {
	s.m.View() // a screen may learn its size when it is drawn
	before := s.m.View()
	cmd := s.m.input(kit.KeyMsg(k))
	now := s.m.View()
	return cmd != nil || now.Content != before.Content
}

// TestEveryActionWorks: the first key of every enabled action in the help, the palette or the hints does
// something, and every disabled action has a reason.
func TestEveryActionWorks(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	defer s.end()
	done := map[string]bool{}
	for i, sc := range append(slices.Clone(scenes), furtherScenes...) {
		if sc.name == "help" || i >= len(scenes) && !mediatest.AllRounds {
			continue // its rows are the actions of the screen below
		}
		s.play(sc)
		before := s.m.View().Content
		s.press("f12")
		if s.m.View().Content != before {
			t.Errorf("%s: a key without an action does something", sc.name)
		}
		front, capturing := s.m.host.Front(), s.m.host.Capturing()
		var offered []offer
		for _, a := range s.m.host.Actions() {
			offered = append(offered, offer{a, a.Reason()})
		}
		for _, a := range offered {
			words, keys := a.Label(), a.Keys.Keys()
			state := fmt.Sprint(a.ID, a.reason == "")
			if done[state] || len(keys) == 0 {
				continue // pressed on another screen, or only in the palette
			}
			if capturing && (a.reason != "" || a.Group == everywhere && len(keys[0]) == 1) {
				continue // the key is text there, as the help says
			}
			if keys[0] == "esc" && a.reason != "" {
				continue // with nothing open, esc does nothing
			}
			done[state] = true
			if !s.presses(sc, front, a, keys[0]) {
				t.Errorf("%s: %s does nothing, but is shown as %q (disabled reason %q):\n%s", sc.name, keys[0], words, a.reason, s.screen())
			}
		}
	}
	if len(done) < 150 {
		t.Errorf("only %d keys were pressed", len(done))
	}
}

// offer is an action with its disabled reason at the time, because the model moves on.
type offer struct {
	kit.Action
	reason string
}

// presses reports whether the key of an action works now, or after the scene is played again. A key
// that moves the cursor to where it is does nothing, so the cursor is moved first.
func (s *stage) presses(sc scene, front page.ID, a offer, k string) bool {
	s.t.Helper()
	words := a.Label()
	over := sc.name == "dialog"
	same := func() bool {
		return s.m.host.Front() == front && (s.m.host.Overlays.Top() != nil) == over &&
			slices.ContainsFunc(s.m.host.Actions(), func(b kit.Action) bool {
				return b.Label() == words && (b.Reason() == "") == (a.reason == "")
			})
	}
	if same() && s.works(k) {
		return true
	}
	for _, before := range [][]string{nil, {"down"}, {"down", "down"}, {"up"}, {"tab"}, {"right"}, {"end"}} {
		s.play(sc)
		s.press(before...)
		if same() && s.works(k) {
			return true
		}
	}
	return false
}

// TestPaletteRunsFromATextField: the palette runs its actions also while a text field has the focus.
func TestPaletteRunsFromATextField(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	defer s.end()
	s.play(scene{play: after("details", "e")})
	if !s.m.host.Capturing() {
		t.Fatalf("no text field has the focus:\n%s", s.screen())
	}
	s.press("f1")
	for _, r := range "go to uploads" {
		s.press(string(r))
	}
	s.press("enter")
	if s.m.host.Front() != page.Uploads {
		t.Errorf("the wrong screen is in front:\n%s", s.screen())
	}
}

// TestOwnKeysWork: the user's keys run their actions on every screen, whatever the current labels are,
// and the default keys no longer work.
func TestOwnKeysWork(t *testing.T) {
	t.Parallel()
	own := map[string][]string{
		"picker.upload":            {"f7"},
		"screen.library":           {"f8"},
		"form.keep":                {"f9"},
		"picker.clear-tray":        {"X"},
		"extensions.status-filter": {"f10"},
	}
	if at, err := CheckKeys(own); err != nil {
		t.Fatal(at, err)
	}
	for _, c := range []struct {
		name        string
		from        func(*stage)
		usual, ours string
		then        string // shown on the screen afterwards
	}{
		{"the form for two files", after("picker"), "u", "f7", "Will be stored as"},
		{"the library", after("picker"), "4", "f8", "1 file ·"},
		{"the tray", after("picker", "tab"), "D", "X", "Nothing picked yet"},
		{"what is lost, by letters", formLosingTags(), "ctrl+g", "f9", "Overwrite tags      off"},
		{"what is lost, in a text field", formLosingTags("up"), "ctrl+g", "f9", "Overwrite tags      off"},
		{"a status of the runs", after("extensions"), "f", "f10", "showing pending only"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t) // the next program restores a changed form
			defer s.end()
			s.play(scene{play: c.from})
			s.m.host.Keys = own
			if s.works(c.usual) {
				t.Errorf("%s still does something:\n%s", c.usual, s.screen())
			}
			s.press(c.ours)
			s.waitFor(c.then)
		})
	}
}
