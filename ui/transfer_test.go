package ui_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"

	"mediadesk/api/local"
	"mediadesk/ui/uitest"
)

// transferKey is the key of the target account.
type transferKey struct{ text string }

func (k transferKey) Reveal() string { return k.text }

// TestTransferToAnotherProfile: s in the library sends the folder under the cursor to a chosen
// profile. Then that profile is in use, and the uploads are in front.
func TestTransferToAnotherProfile(t *testing.T) {
	d := newWorkplace(t)
	dir := t.TempDir()
	key, path, err := local.FolderKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	account, err := local.Serve(context.Background(), "127.0.0.1:0", local.Options{Dir: dir, Key: transferKey{key}})
	if err != nil {
		t.Fatal(err)
	}
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
	term.WaitFor("Tray")
	term.Press("4")
	term.WaitFor("trip")
	term.Press("s")
	term.WaitFor("Send the folder /trip/ to profile")
	term.Press("enter")
	term.WaitFor("Send 2 files to work?")
	term.WaitFor("Left behind: earlier versions of 1 file.")
	term.WaitFor("s Send")
	term.Press("s")
	term.WaitFor("2 of 2 stored")
	term.WaitFor("work 127.0.0.1:")
	term.Press("4")
	term.WaitFor("space mark")
	term.WaitFor("trip/")
	term.Press("enter")
	term.WaitFor("1 of 2") // the files of the folder
	term.Press("ctrl+a", "s")
	term.WaitFor("Send 2 files to profile")
	term.Press("enter")
	term.WaitFor("Nothing to send to local.")
}
