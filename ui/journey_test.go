package ui_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mediadesk/api/local"
	"mediadesk/api/media/mediatest"
	"mediadesk/assets"
	"mediadesk/ui/uitest"
)

func TestMain(m *testing.M) {
	uitest.Parallel(8) // most tests wait for other processes
	uitest.VerifyTestMain(m)
}

// workplace is a home folder and a folder of pictures for the built program.
type workplace struct {
	t              *testing.T
	home, pictures string
}

const odd = "день 1 — naïve (final).txt"

func newWorkplace(t *testing.T) *workplace {
	t.Helper()
	d := &workplace{t: t, home: t.TempDir(), pictures: t.TempDir()}
	must(t, assets.WriteSamples(d.pictures))
	must(t, os.WriteFile(filepath.Join(d.pictures, odd), []byte("notes\n"), 0o600))
	return d
}

// start runs the program in the folder of pictures.
func (d *workplace) start(w, h int, args ...string) *uitest.Term {
	d.t.Helper()
	return d.startWith(nil, w, h, args...)
}

// startWith is start with more of an environment.
func (d *workplace) startWith(env []string, w, h int, args ...string) *uitest.Term {
	d.t.Helper()
	return uitest.StartBinary(d.t, uitest.Build(d.t), args, append(d.env(), env...), w, h)
}

func (d *workplace) env() []string {
	return []string{"MEDIADESK_HOME=" + d.home, "HOME=" + d.home, "PATH=" + os.Getenv("PATH"), "PWD=" + d.pictures}
}

// follow presses each key and waits for the words after it.
func follow(term *uitest.Term, keysAndWords ...string) {
	for i := 0; i < len(keysAndWords); i += 2 {
		term.Press(keysAndWords[i])
		term.WaitFor(keysAndWords[i+1])
	}
}

func openHarbour(term *uitest.Term) {
	follow(term, "4", "m manage")
	term.WaitFor("harbour.jpg")
	term.Press("/")
	term.Type("harbour")
	follow(term, "enter", "1 of 1")
	term.WaitFor("enter/→ open")
	follow(term, "enter", "c edit region")
}

// TestMainJob is the whole job on a virtual terminal: first choice, pick, describe, send, watch,
// edit, leave, start again and find everything.
func TestMainJob(t *testing.T) {
	t.Parallel()
	d := newWorkplace(t)
	term := d.start(120, 36, d.pictures)
	term.WaitFor("Try it here")
	if entries, _ := os.ReadDir(d.home); len(entries) > 0 {
		t.Errorf("%d files were written before the first choice, want none", len(entries))
	}
	term.Press(":")
	term.WaitFor("Everywhere")
	term.Press("esc")
	term.WaitFor("enter choose")
	term.Press("enter")

	// Pick: a photograph, a drawing with alpha, an animation, a text.
	term.WaitFor("harbour.jpg")
	term.WaitFor("logo.png")
	term.WaitFor("shown turned right") // the photograph's metadata
	for range 5 {
		term.Press("space")
	}
	term.WaitFor("To upload: 5 files")
	term.Press("u")

	// Describe.
	term.WaitFor("Will be stored as")
	term.Type("sea,boat,")
	term.Press("ctrl+l", "r", "ctrl+l", "g")
	term.WaitFor("find tags (Google) ")
	term.Press("ctrl+s")
	term.WaitFor("enter send ") // in the line of hints: the dialog takes keys now
	term.Press("s")
	term.WaitFor("5 of 5 stored")

	// Watch.
	term.Press("3")
	waitForRuns(term)

	// Edit the details.
	openHarbour(term)
	term.Press("e")
	term.Type("dusk,")
	term.Press("esc", "down", "down", "enter") // the numbers of the region
	term.Type("100,150,400,300")
	term.WaitFor("400 × 300 at 100, 150")
	term.Press("ctrl+s")
	term.WaitFor("Saved ")

	// Leave, start again, find everything.
	term.WaitFor("c edit region")
	follow(term, "esc", "Changed  Tags", "1", "Nothing picked yet")
	term.Press("q")
	term.Wait()
	if code := term.ExitCode(); code != 0 {
		t.Fatalf("exit code %d, want 0", code)
	}
	term = d.start(120, 36)
	term.WaitFor("1 Pick")
	term.Press("4")
	term.WaitFor("Changed  Tags")
	term.WaitFor("harbour.jpg")
	for _, name := range []string{"logo.png", "mug.jpg", "orbit.gif", "день_1"} {
		term.WaitFor(name)
	}
	openHarbour(term)
	term.WaitFor("dusk")
	term.WaitFor("400 × 300 at 100, 150")
	term.Press("2")
	term.WaitFor("5 of 5 stored")
	term.WaitFor("harbour.jpg")
	follow(term, "3", "remove background", "1", "Nothing picked yet")
	term.Press("q")
	term.Wait()
}

// TestTheSmallestTerminalPicksAndSends picks and sends by keys on a terminal of 40 columns and 12
// rows, with the real program and its local library.
func TestTheSmallestTerminalPicksAndSends(t *testing.T) {
	t.Parallel()
	d := newWorkplace(t)
	term := d.start(40, 12, "--profile", "local", d.pictures)
	term.WaitFor("space pick") // no tip hides the hints
	term.WaitFor("Nothing picked yet")
	term.Press("/")
	term.Type("harb")
	term.WaitFor("1 of ")
	term.Press("enter", "space")
	term.WaitFor("To upload: 1 file")
	follow(term, "u", "ctrl+s send", "ctrl+s", "1 of 1 stored")
	for y, line := range strings.Split(term.Screen(), "\n") {
		if len([]rune(line)) > 40 || y > 11 {
			t.Errorf("line %d lies outside 40x12: %q", y, line)
		}
	}
	list := exec.Command(uitest.Build(t), "list", "--profile", "local", "--json")
	list.Env = d.env()
	out, err := list.Output()
	must(t, err)
	if got := string(out); strings.Count(got, "\n") != 1 || !strings.Contains(got, `"name":"harbour.jpg"`) {
		t.Errorf("the library has:\n%s", got)
	}
	term.Press("q")
	term.Wait()
}

// transferKey is the key of the target account.
type transferKey struct{ text string }

func (k transferKey) Reveal() string { return k.text }

// TestTransferToAnotherProfile: s in the library sends the folder under the cursor to a chosen
// profile. Then that profile is in use, and the uploads are in front.
func TestTransferToAnotherProfile(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	d := newWorkplace(t)
	dir := t.TempDir()
	key, path, err := local.FolderKey(dir)
	must(t, err)
	account, err := local.Serve(context.Background(), "127.0.0.1:0",
		local.Options{Dir: dir, Key: transferKey{key}})
	must(t, err)
	defer account.Close()
	run := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), uitest.Build(t), args...)
		cmd.Env, cmd.Dir = d.env(), d.pictures
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	run("profile", "add", "work", "--upload-url", account.Address, "--delivery-url", account.Address, "--key-file", path)
	run("upload", filepath.Join(d.pictures, "mug.jpg"), filepath.Join(d.pictures, "logo.png"), "--folder", "/trip/", "--unique", "off", "--tags", "sea")
	run("upload", filepath.Join(d.pictures, "mug.jpg"), "--folder", "/trip/", "--unique", "off", "--overwrite-file")

	term := d.start(120, 36)
	term.WaitFor("Nothing picked yet")
	follow(term, "4", "trip", "s", "Send the folder /trip/ to profile", "enter", "Send 2 files to work?")
	term.WaitFor("Left behind: earlier versions of 1 file.")
	term.WaitFor("enter send")
	term.Press("s")
	term.WaitFor("2 of 2 stored")
	term.WaitFor("work 127.0.0.1:")
	term.Press("4")
	term.WaitFor("Library / trip")
	term.WaitFor("1 of 2") // the files that were sent
	term.Press("ctrl+a", "s")
	term.WaitFor("Send 2 files to profile")
	term.Press("enter")
	term.WaitFor("Nothing to send to local.")
}

// waitForRuns waits until the extensions screen shows runs of which none is pending.
func waitForRuns(term *uitest.Term) {
	term.WaitUntil(func(screen string) bool {
		screen, _, _ = strings.Cut(screen, "Tip ") // which names the states
		ended := strings.Contains(screen, "success") || strings.Contains(screen, " failed") ||
			strings.Contains(screen, "done")
		return ended && !strings.Contains(screen, "pending")
	})
}

var must = mediatest.Must
