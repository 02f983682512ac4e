//go:build unix

package local_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
	"mediadesk/api/local/store"
)

// deathDir is the environment variable with the folder of a library whose extension kills the program.
const deathDir = "MEDIADESK_LOCAL_TEST_DEATH_DIR"

func init() { childModes[deathDir] = beKilled }

func deadly(dir string) local.Options {
	return local.Options{Dir: dir, Key: key(testKey), Commands: map[string][]string{"remove-bg": {"sh", "-c", "kill -9 $PPID; sleep 60"}}}
}

func beKilled(dir string) {
	if _, err := local.Serve(context.Background(), "127.0.0.1:0", deadly(dir)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	select {}
}

// crashWhileRunning runs a library in a child process, which its own extension kills.
func crashWhileRunning(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), deathDir+"="+dir)
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the child ended with %v: %s", err, out)
	}
}

// leavePending leaves a run pending and returns the webhook posts about it.
func leavePending(t *testing.T, dir string) <-chan map[string]any {
	t.Helper()
	hook, posts := receiver(t, func(int) int { return 200 })
	s := serve(t, local.Options{Dir: dir, Fault: local.Fault{ExtensionsPending: true}})
	upload(t, s.Address, apitest.JPEG(120, 90), "fileName", "a.jpg", "webhookUrl", hook, "extensions", `[{"name":"remove-bg"}]`)
	closeServer(t, s)
	return posts
}

func expectFailure(t *testing.T, posts <-chan map[string]any, reason string) {
	t.Helper()
	if post := receive(t, posts); post["status"] != "FAILURE" || !strings.Contains(fmt.Sprint(post["error"]), reason) {
		t.Errorf("posted %v", post)
	}
}

// TestRunThatEndsTheProgram: such a run is started twice and then fails with a reason.
func TestRunThatEndsTheProgram(t *testing.T) {
	dir := t.TempDir()
	posts := leavePending(t, dir)
	crashWhileRunning(t, dir)
	crashWhileRunning(t, dir)
	serve(t, deadly(dir)) // does not kill this process
	expectFailure(t, posts, "ended twice")
}

// TestRunOfALibraryThatCloses: a run that was interrupted by closing does not count as one that
// ended the program.
func TestRunOfALibraryThatCloses(t *testing.T) {
	dir := t.TempDir()
	leavePending(t, dir)
	begun := filepath.Join(t.TempDir(), "begun")
	s := serve(t, local.Options{Dir: dir, Commands: map[string][]string{"remove-bg": {"sh", "-c", "touch " + begun + "; exec sleep 60"}}})
	eventually(t, "the work", func() bool { _, err := os.Stat(begun); return err == nil })
	closeServer(t, s)
	r, err := store.OpenRecords(t.Context(), filepath.Join(dir, "library.db"))
	must(t, err)
	defer r.Close()
	if runs, err := store.View(t.Context(), r, func(tx store.Tx) ([]store.Run, error) { return store.All[store.Run](tx, nil) }); err != nil || len(runs) != 1 || runs[0].Attempts != 0 {
		t.Errorf("the runs are %+v, %v", runs, err)
	}
}

// TestFilesArePrivate: other users of the computer cannot read records or contents, even if
// earlier permissions allowed it.
func TestFilesArePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "library")
	store20(t, dir)
	for _, name := range []string{"library.db", "library.db.snapshot", "."} {
		must(t, os.Chmod(filepath.Join(dir, name), 0o755))
	}
	s := serve(t, local.Options{Dir: dir})
	upload(t, s.Address, []byte("one more"), "fileName", "a")
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 && entry.Name() != "lock" {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		return err
	})
	must(t, err)
}
