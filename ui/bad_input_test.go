//go:build unix

package ui_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mediadesk/api/media/mediatest"
)

// TestBadInput checks that the program reports bad input in a sentence and keeps running.
func TestBadInput(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	d := newWorkplace(t)
	put := func(name, text string) {
		must(t, os.WriteFile(filepath.Join(d.pictures, name), []byte(text), 0o600))
	}
	put("1 empty.jpg", "")
	put("2 \x1b]0;owned\x07\x1b[31m.txt", "escapes")
	put("3 \u202egpj.txt", "right to left")
	put("4 gone.txt", "vanishes")
	must(t, syscall.Mkfifo(filepath.Join(d.pictures, "5 pipe"), 0o600))
	large := filepath.Join(d.pictures, "6 large.bin")
	put("6 large.bin", "x")
	must(t, os.Truncate(large, 26_000_000))

	term := d.start(120, 36, d.pictures)
	term.WaitFor("Try it here")
	follow(term, "enter", "1 empty.jpg", "space", "there is nothing to store")
	term.Press("/")
	term.Type("pipe")
	term.Press("enter", "space")
	term.WaitFor("is a pipe, not a file")
	term.Press("esc", "/")
	term.Type("gone")
	term.Press("enter", "space")
	term.WaitFor("To upload: 1 file, 8 B") // it has been read
	must(t, os.Remove(filepath.Join(d.pictures, "4 gone.txt")))
	term.Press("u")
	term.WaitFor("does not exist.")
	term.Press("esc")
	term.WaitGone("Filter  gone")
	follow(term, "D", "Nothing picked yet")
	term.Press("/")
	term.Type("large")
	follow(term, "enter", "Filter  large", "space", "To upload: 1 file", "u", "account is 25.0 MB")
	if term.Title() == "owned" {
		t.Error("a file name set the terminal's title")
	}
	if strings.ContainsAny(term.Screen(), "\u202e") {
		t.Error("a right-to-left mark is on the screen")
	}
	term.Press("esc")
	term.WaitGone("account is 25.0 MB")
	term.WaitFor("u upload 1 file")
	term.Press("q")
	term.Wait()
	if term.ExitCode() != 0 || term.AltScreen() {
		t.Errorf("exit code %d, alternate screen %v", term.ExitCode(), term.AltScreen())
	}
}

// TestBadServices tries a dead server, a wrong key, and a server that answers with web pages. Each
// shows a sentence, and the program goes on.
func TestBadServices(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	forbidden := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		w.Write([]byte(`{"message":"Your account cannot be authenticated.","help":"Check the key."}`))
	}))
	defer forbidden.Close()
	html := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusNotFound)
		w.Write([]byte("<html><title>Parked \x1b[31mdomain</title>" + strings.Repeat("ads ", 1000)))
	}))
	defer html.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	dead := "http://" + listener.Addr().String()
	listener.Close()

	for name, c := range map[string]struct{ address, says string }{
		"wrong key": {forbidden.URL, "authenticated."},
		"web pages": {html.URL, "web page instead of an answer"},
		"nobody":    {dead, "connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newWorkplace(t)
			term := d.startWith([]string{"MEDIADESK_PRIVATE_KEY=" + testKey}, 120, 36, "--upload-url",
				c.address, filepath.Join(d.pictures, "mug.jpg"))
			term.WaitFor("To upload: 1 file")
			term.Press("u")
			term.WaitFor("Will be stored as")
			term.Press("ctrl+s")
			// The form may name the error, too.
			uploads := func(screen string) bool { return strings.Contains(screen, "╭─ Uploads ") }
			term.WaitUntil(
				func(screen string) bool { return uploads(screen) && strings.Contains(screen, c.says) })
			term.Press("4")
			term.WaitUntil(func(screen string) bool {
				return !uploads(screen) &&
					(strings.Contains(screen, c.says) || strings.Contains(screen, "cannot be") ||
						// the journal has folders when the service cannot list them
						strings.Contains(screen, "No uploads to this folder"))
			})
			term.Press("1")
			term.WaitFor("Nothing picked yet")
			term.Quit()
			if strings.Contains(term.Raw(), testKey) {
				t.Error("the key was drawn")
			}
		})
	}
}
