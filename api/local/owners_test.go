package local_test

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"mediadesk/api"
	"mediadesk/api/local"
)

// TestSixtyFourWriters lets 64 clients write one name at once. Without overwriting one of them
// succeeds. With overwriting each makes a version, and the current version is one that was sent.
func TestSixtyFourWriters(t *testing.T) {
	const writers = 64
	dir := t.TempDir()
	s := serve(t, local.Options{Dir: dir})
	write := func(overwrite string) (names []string, refused int) {
		var mu sync.Mutex
		var wg sync.WaitGroup
		for n := range writers {
			wg.Go(func() {
				contentType, body := form(fmt.Appendf(nil, "content %d", n), "fileName", "one", "useUniqueFileName", "false", "overwriteFile", overwrite)
				status, answer := call(t, http.MethodPost, s.Address+"/api/v1/files/upload", contentType, body)
				mu.Lock()
				defer mu.Unlock()
				switch status {
				case http.StatusOK:
					names = append(names, fmt.Sprint(answer["versionInfo"].(map[string]any)["name"]))
				case http.StatusBadRequest:
					refused++
				default:
					t.Errorf("answered %d: %v", status, answer)
				}
			})
		}
		wg.Wait()
		return names, refused
	}
	if names, refused := write("false"); len(names) != 1 || refused != writers-1 {
		t.Errorf("%d were stored, %d refused", len(names), refused)
	}
	names, refused := write("true")
	distinct := map[string]bool{}
	for _, name := range names {
		distinct[name] = true
	}
	if refused != 0 || len(distinct) != writers {
		t.Errorf("%d versions, %d refused", len(distinct), refused)
	}
	if got := fetch(t, s.Address+"/one"); !strings.HasPrefix(got, "content ") {
		t.Errorf("the file is %q", got)
	}
	if kinds, sum := checkFolder(t, dir, local.CheckOptions{}); len(kinds) != 0 || sum.Files != 1 || sum.Versions != writers+1 {
		t.Errorf("found %v, %+v", kinds, sum)
	}
}

// TestTwoServersOnOneFolder starts two processes on one folder at once. One serves it, and the
// other names the owner. When the owner is killed, the folder is free again.
func TestTwoServersOnOneFolder(t *testing.T) {
	dir := t.TempDir()
	for range 3 {
		const processes = 2
		lines := make(chan string, processes)
		var commands []*exec.Cmd
		for range processes {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childDir+"="+dir)
			in, err := cmd.StdinPipe() // closing it would end the child
			must(t, err)
			defer in.Close()
			out, err := cmd.StdoutPipe()
			must(t, err)
			must(t, cmd.Start())
			commands = append(commands, cmd)
			go func() {
				line, _ := bufio.NewReader(out).ReadString('\n')
				lines <- strings.TrimSpace(line)
			}()
		}
		serving := 0
		for range processes {
			if address := <-lines; address != "" {
				serving++
				upload(t, address, []byte("x"), "fileName", "x")
				_, err := local.Open(t.Context(), local.Options{Dir: dir, Key: key(testKey)})
				if !errors.Is(err, local.ErrInUse) || !strings.Contains(err.Error(), "serves at "+address) || api.Hint(err) == "" {
					t.Errorf("a second owner got %v", err)
				}
			}
		}
		if serving != 1 {
			t.Errorf("%d processes serve the folder, want 1", serving)
		}
		for _, cmd := range commands {
			cmd.Process.Kill()
			cmd.Wait()
		}
	}
	if kinds, sum := checkFolder(t, dir, local.CheckOptions{}); len(kinds) != 0 || sum.Files != 3 {
		t.Errorf("found %v, %+v", kinds, sum)
	}
}
