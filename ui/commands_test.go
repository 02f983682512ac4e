//go:build unix

package ui_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
	"mediadesk/ui/uitest"
)

func copied(t *testing.T, term *uitest.Term) string {
	t.Helper()
	raw := term.Raw()
	at := strings.LastIndex(raw, "\x1b]52;c;")
	if at < 0 {
		t.Fatalf("nothing was copied; screen:\n%s", term.Screen())
	}
	text, _, _ := strings.Cut(raw[at+len("\x1b]52;c;"):], "\x07")
	out, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return string(out)
}

func equivalent(t *testing.T, term *uitest.Term) string {
	t.Helper()
	const begin = "\x1b]52;c;"
	before := strings.Count(term.Raw(), begin)
	term.Press("f2")
	term.WaitRaw(func(raw string) bool { // all of it
		return strings.Count(raw, begin) > before &&
			strings.ContainsAny(raw[strings.LastIndex(raw, begin)+len(begin):], "\a\x1b")
	})
	return copied(t, term)
}

// shell runs the copied commands with --json, like a user who pastes them, and returns the printed objects.
func (d *workplace) shell(commands string) []map[string]any {
	d.t.Helper()
	lines := strings.Split(commands, "\n")
	for i := range lines {
		lines[i] += " --json"
	}
	cmd := exec.Command("sh", "-ec", strings.Join(lines, "\n"))
	cmd.Dir = d.t.TempDir() // the commands work in any folder
	cmd.Env = append(d.env(),
		"PATH="+filepath.Dir(uitest.Build(d.t))+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, failed := cmd.Output()
	var list []map[string]any
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var one map[string]any
		if err := dec.Decode(&one); err != nil {
			d.t.Fatalf("%v\n%s", err, out)
		}
		list = append(list, one)
	}
	// The watch command reports a failed run by its exit code, too.
	said := slices.ContainsFunc(list,
		func(o map[string]any) bool { return o["status"] == string(api.StatusFailed) })
	if (failed != nil) != said {
		d.t.Fatalf("%s\n%v\n%s", strings.Join(lines, "\n"), failed, out)
	}
	return list
}

// requireSameUpload compares the fields of two records that depend on how the files were sent.
func requireSameUpload(t *testing.T, got, want map[string]any) {
	t.Helper()
	for _, field := range []string{"tags", "customCoordinates", "isPrivateFile", "size", "fileType", "description"} {
		a, _ := json.Marshal(got[field])
		b, _ := json.Marshal(want[field])
		mediatest.Equal(t, string(a), string(b), "%s: the command, and the screen, stored", field)
	}
	folder := func(r map[string]any) string { path, _ := r["filePath"].(string); return filepath.Dir(path) }
	if folder(got) != folder(want) {
		t.Errorf("the command stores in %s, the screen in %s", folder(got), folder(want))
	}
}

// checkDetailsCommand: the command of the details changes what the draft changes, and nothing else.
func checkDetailsCommand(t *testing.T, d *workplace, term *uitest.Term) {
	t.Helper()
	term.Press("4")
	term.WaitFor("Tags")
	listed := d.shell(equivalent(t, term))
	if len(listed) != 5 { // four files, and the folder of the others
		t.Errorf("library: %d rows, want 5", len(listed))
	}
	term.Press("/")
	term.Type("harbour")
	follow(term, "enter", "enter/→ open", "enter", "c edit region")
	term.Press("e")
	term.Type("dusk,")
	term.Press("esc", "down", "down", "enter")
	term.Type("100,150,400,300")
	term.WaitFor("→ 400 × 300 at 100, 150")
	changed := d.shell(equivalent(t, term))
	if len(changed) != 1 || changed[0]["customCoordinates"] != "100,150,400,300" ||
		!slices.Contains(changed[0]["tags"].([]any), any("dusk")) {
		t.Errorf("details: %v", changed)
	}
}

// TestEquivalents: the command that a screen copies does what the screen does. Over SSH it gets to the
// user's clipboard, too.
func TestEquivalents(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	d := newWorkplace(t)
	ssh := []string{"SSH_TTY=/dev/pts/0", "SSH_CONNECTION=192.0.2.1 50000 192.0.2.2 22"}
	term := d.startWith(ssh, 120, 36, d.pictures)
	term.WaitFor("Try it here")
	term.Press("enter")
	term.WaitFor("shown turned right")

	// Picker: upload the tray with the profile's defaults.
	term.Press("G", "space") // the text with an odd name
	term.WaitFor("To upload: 1 file")
	if sent := d.shell(equivalent(t, term)); len(sent) != 1 || sent[0]["outcome"] != string(job.Stored) {
		t.Errorf("picker: %v", sent)
	}
	term.Press("g", "space", "space")
	term.WaitFor("To upload: 3 files")

	// Form: three files, and one of them differs.
	term.Press("u")
	term.WaitFor("Will be stored as")
	term.Type("sea,it's,")
	term.Press("ctrl+l", "g")
	term.WaitFor("Extensions    find tags (Google)")
	commands := equivalent(t, term)
	var files []map[string]any
	for _, line := range d.shell(commands) {
		mediatest.Equal[any](t, line["outcome"], string(job.Stored), "form: %v", line)
		files = append(files, line["file"].(map[string]any))
	}
	if len(files) != 3 {
		t.Fatalf("%d files were sent, want 3, by\n%s", len(files), commands)
	}
	for _, file := range files { // their names are free for the screens
		d.shell("mediadesk move " + file["fileId"].(string) + " /sent/")
	}
	term.Press("ctrl+s")
	term.WaitFor("enter send ")
	term.Press("s")
	term.WaitUntil(func(screen string) bool { // the command's batch ended before
		return strings.Contains(screen, " 7 of 7 ") && strings.Count(screen, "B  ✓ ") >= 7
	})

	// Uploads: the job under the cursor, with its exact name. The second time it is refused, just as
	// with r on the screen.
	if command := equivalent(t, term); !strings.Contains(command, "--unique=off") ||
		!strings.Contains(command, "--overwrite-file=false") {
		t.Errorf("uploads: %s", command)
	}
	for _, line := range d.shell("mediadesk uploads") {
		record, _ := line["file"].(map[string]any)
		if record == nil || line["outcome"] != string(job.Stored) {
			t.Errorf("uploads: %v", line)
			continue
		}
		i := slices.IndexFunc(files, func(f map[string]any) bool {
			return f["size"] == record["size"] && f["fileId"] != record["fileId"]
		})
		if i >= 0 && record["tags"] != nil {
			requireSameUpload(t, files[i], record)
		}
	}

	// Extensions: watching ends, because all runs have ended. The first row depends on which run ended
	// last. The run of the text failed.
	term.Press("3")
	term.WaitFor("4 done")
	waitForRuns(term)
	d.shell(equivalent(t, term))

	checkDetailsCommand(t, d, term)
	// Settings. The command made the changes, so the screen may have none left.
	term.Press("esc", "e")
	term.Type("night,")
	term.WaitFor("+night")
	term.Press("esc", "esc")
	term.WaitFor("Leave")
	term.Press("esc")
	if shown := d.shell("mediadesk profile show local"); len(shown) != 1 {
		t.Errorf("settings: %v", shown)
	}
}
