package cli_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/uitest"
)

// canary is a key whose encoded forms all differ.
const canary = "private_c4n@ry/+%9Zq=&?"

// forms returns the encodings in which the key could appear.
func forms() []string {
	basic := base64.StdEncoding.EncodeToString([]byte(canary + ":"))
	return []string{
		canary, basic, strings.TrimRight(basic, "="), base64.URLEncoding.EncodeToString([]byte(canary + ":")),
		url.QueryEscape(canary), url.PathEscape(canary), url.UserPassword(canary, "").String(),
	}
}

// leaks returns the forms of the key in text.
func leaks(text string) []string {
	var found []string
	for _, form := range forms() {
		if strings.Contains(text, form) {
			found = append(found, form)
		}
	}
	return found
}

// leakyServer is a service with every fault. It repeats the key wherever it can.
type leakyServer struct {
	mu    sync.Mutex
	posts int
	reads int
	seen  int    // requests with the key in the Authorization header
	other string // another host
}

func (s *leakyServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, _, _ := r.BasicAuth()
	s.mu.Lock()
	if user == canary {
		s.seen++
	}
	count := &s.reads // with one count for all, a read that is tried again could fail for minutes
	if r.Method == http.MethodPost {
		count = &s.posts
	}
	n := *count
	*count++
	s.mu.Unlock()
	echo := fmt.Sprintf(`{"message":"key %s, %s, %s","help":"%s"}`, user, r.Header.Get("Authorization"), url.QueryEscape(user), url.PathEscape(user))
	answer := func(status int, text string) {
		w.Header().Set("X-Request-Id", user)
		w.WriteHeader(status)
		io.WriteString(w, text)
	}
	if r.Method != http.MethodPost {
		answer([]int{403, 404, 500, 302}[n%4], echo)
		return
	}
	hijack := func(text string) {
		io.Copy(io.Discard, r.Body)
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			io.WriteString(conn, text)
			conn.Close()
		}
	}
	switch n % 14 {
	case 0:
		answer(401, echo)
	case 1:
		answer(400, echo)
	case 2:
		io.Copy(io.Discard, r.Body)
		answer(500, echo)
	case 3:
		answer(502, "<html><title>"+user+"</title>"+echo+"</html>")
	case 4:
		w.Header().Set("Location", s.other+"/?"+url.QueryEscape("k"))
		answer(307, echo)
	case 5:
		w.Header().Set("Location", s.other)
		answer(302, echo)
	case 6:
		w.Header().Set("Retry-After", "0")
		answer(429, echo)
	case 7:
		answer(503, echo)
	case 8:
		hijack("")
	case 9:
		hijack("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n" + echo)
	case 10:
		hijack(echo)
	case 11:
		io.Copy(io.Discard, r.Body)
		answer(200, echo)
	case 12:
		io.Copy(io.Discard, r.Body)
		answer(200, "")
	default:
		io.Copy(io.Discard, r.Body)
		answer(200, fmt.Sprintf(`{"fileId":"id%d","name":"f","filePath":"/f%d","fileType":"non-image"}`, n, n))
	}
}

// TestKeyCanary runs every command and the screens against a service with every fault. It searches
// for the key in everything that the program writes.
func TestKeyCanary(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	binary := uitest.Build(t)
	var strangers sync.Map
	other := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		strangers.Store(r.URL.String(), fmt.Sprint(r.Header, string(text)))
	}))
	service := &leakyServer{other: other}
	address := listen(t, service)
	dir := t.TempDir()
	var files []string
	for i := range 7 {
		name := filepath.Join(dir, fmt.Sprintf("f%d.txt", i))
		must(t, os.WriteFile(name, []byte(strings.Repeat("some text ", 1+9000*(i%2))), 0o600))
		files = append(files, name)
	}
	env := append(os.Environ(), "MEDIADESK_HOME="+filepath.Join(dir, "home"), "MEDIADESK_PRIVATE_KEY="+canary, "DBUS_SESSION_BUS_ADDRESS=", "XDG_RUNTIME_DIR="+dir)

	// These tools stand for the editor, the browser and the clipboard.
	tools := t.TempDir()
	for _, name := range []string{"editor", "xdg-open", "xclip"} {
		script := "#!/bin/sh\ncat /proc/$$/environ /proc/$$/cmdline >>'" + filepath.Join(dir, name+".seen") + "'\n"
		must(t, os.WriteFile(filepath.Join(tools, name), []byte(script), 0o700))
	}
	env = append(env, "PATH="+tools+":"+os.Getenv("PATH"), "EDITOR=editor", "VISUAL=", "DISPLAY=:987", "WAYLAND_DISPLAY=")

	stop, watched := make(chan struct{}), make(chan string, 1)
	go func() { watched <- commandLines(stop) }()

	for _, args := range keyCommands(files, dir) {
		cmd := exec.Command(binary, args...)
		if args[0] == "upload" {
			cmd.Args = append(cmd.Args, "--concurrency", "7", "--retry-for", "1s")
		}
		if len(args) < 2 || args[len(args)-2] != "--upload-url" {
			cmd.Args = append(cmd.Args, "--upload-url", address)
		}
		cmd.Env = env
		out, _ := cmd.CombinedOutput() // it fails on purpose
		if found := leaks(string(out)); found != nil {
			at := strings.Index(string(out), found[0])
			t.Errorf("mediadesk %s prints the key as %q: %s", args, found,
				out[max(0, at-200):min(len(out), at+100)])
		}
	}
	raw := sendOnScreens(t, binary, dir, address, files[:3:3], env)
	passKeyOtherwise(t, binary, address, dir)
	close(stop)

	if found := leaks(raw); found != nil {
		t.Errorf("the terminal got the key as %q", found)
	}
	mediatest.Equal(t, <-watched, "", "a command line has the key")
	count := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		count++
		if found := leaks(string(text)); found != nil {
			t.Errorf("%s has the key as %q", path, found)
		}
		return nil
	})
	must(t, err)
	strangers.Range(func(at, text any) bool {
		t.Errorf("another host got a request for %s: key %v", at, leaks(fmt.Sprint(at, text)) != nil)
		return true
	})
	if service.seen < 20 || count < 10 {
		t.Errorf("the test did too little: %d requests with the key, %d files searched", service.seen, count)
	}
}

// keyCommands are commands that use the key.
func keyCommands(files []string, dir string) [][]string {
	return [][]string{
		append([]string{"upload", "--json"}, files...),
		append([]string{"upload", "--unique", "service"}, files...),
		append([]string{"upload", "--unique", "off", "--debug", "--extension", "remove-bg"}, files...),
		append([]string{"upload", "--dry-run"}, files...),
		{"upload"},
		{"details", "abc"},
		{"details", "abc", "--tags", "x", "--debug"},
		{"list", "/", "--json"},
		{"watch", "--timeout", "100ms"},
		{"key", "where"},
		{"doctor"},
		{"doctor", "--json"},
		{"uploads", "--retry", "--failed", "--retry-for", "1s"},
		{"rename", "abc", "x"},
		{"download", "abc", "--to", dir},
		{"sign", "abc"},
		{"versions", "abc", "--debug"},
		{"upload", "--no-such-flag"},
		{"upload", files[0], "--upload-url", "http://" + canary + "@127.0.0.1:1"},
	}
}

// sendOnScreens uploads files on the screens, with the editor and the clipboard. It returns what the terminal
// got.
func sendOnScreens(t *testing.T, binary, dir, address string, files, env []string) string {
	t.Helper()
	term := uitest.StartBinary(t, binary, append(files, "--upload-url", address, "--debug"), env, 120, 36)
	term.WaitFor("f1.txt")
	term.Press("u")
	term.WaitFor("Will be stored as")
	term.Press("f2") // the command
	term.Press("ctrl+o")
	waitFor(t, "the editor",
		func() bool { _, err := os.Stat(filepath.Join(dir, "editor.seen")); return err == nil })
	waitFor(t, "the clipboard",
		func() bool { _, err := os.Stat(filepath.Join(dir, "xclip.seen")); return err == nil })
	// Wait until the screens have the terminal again. Another message may replace the one about the editor.
	waitFor(t, "the screens",
		func() bool { return strings.Count(term.Raw(), ansi.SetModeAltScreenSaveCursor) > 1 })
	term.Press("ctrl+s")
	term.WaitFor("enter send ") // in the line of hints: the dialog takes keys now
	term.Press("s")
	term.WaitUntil(func(screen string) bool {
		return strings.Contains(screen, "refused") || strings.Contains(screen, "unknown") ||
			strings.Contains(screen, "stored") || strings.Contains(screen, "again")
	})
	term.Press("q")
	term.WaitUntil(func(screen string) bool { return true })
	raw := term.Raw()
	term.Signal(os.Interrupt)
	term.Signal(os.Kill)
	<-term.Done()
	return raw
}

// passKeyOtherwise passes the key in every way except the environment.
func passKeyOtherwise(t *testing.T, binary, address, dir string) {
	t.Helper()
	key := filepath.Join(t.TempDir(), "key")
	must(t, os.WriteFile(key, []byte(canary), 0o600))
	run := func(home string, stdin io.Reader, fd *os.File, env []string, args ...string) {
		t.Helper()
		cmd := exec.Command(binary, args...)
		cmd.Stdin = stdin
		if fd != nil {
			cmd.ExtraFiles = []*os.File{fd}
		}
		cmd.Env = append(os.Environ(), append(env, "MEDIADESK_PRIVATE_KEY=", "MEDIADESK_HOME="+filepath.Join(dir, home), "DBUS_SESSION_BUS_ADDRESS=", "XDG_RUNTIME_DIR="+dir)...)
		out, _ := cmd.CombinedOutput() // the service refuses the key
		if found := leaks(string(out)); found != nil {
			t.Errorf("mediadesk %s with the key of %s prints it as %q", args, home, found)
		}
	}
	fd, err := os.Open(key)
	must(t, err)
	defer fd.Close()
	run("by descriptor", nil, fd, nil, "details", "abc", "--debug", "--key-fd", "3", "--upload-url", address)
	for home, flags := range map[string][]string{
		"by file": {"--key-file", key}, "by command": {"--key-command", "cat", "--key-command", key},
	} {
		run(home, nil, nil, nil,
			append([]string{"profile", "add", "work", "--upload-url", address}, flags...)...)
		run(home, nil, nil, nil, "details", "abc", "--debug", "--profile", "work")
		run(home, nil, nil, nil, "key", "where", "--profile", "work")
	}
	credentials := filepath.Dir(key)
	must(t, os.WriteFile(filepath.Join(credentials, "mediadesk-work"), []byte(canary), 0o600))
	run("by credential", nil, nil, nil, "profile", "add", "work", "--upload-url", address)
	run("by credential", nil, nil, []string{"CREDENTIALS_DIRECTORY=" + credentials}, "details", "abc", "--debug", "--profile", "work")
	// Without a keyring the key is refused.
	run("by keyring", strings.NewReader(canary), nil, nil, "profile", "add", "work", "--upload-url", address)
	run("by keyring", strings.NewReader(canary), nil, nil, "key", "set", "--profile", "work")
}

func listen(t *testing.T, h http.Handler) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	s := &http.Server{Handler: h}
	done := make(chan struct{})
	go func() {
		s.Serve(listener)
		close(done)
	}()
	t.Cleanup(func() { s.Close(); <-done })
	return "http://" + listener.Addr().String()
}

// commandLines watches the command lines of all processes until stop. It returns one with the key,
// except for the command line that the test itself wrote.
func commandLines(stop chan struct{}) string {
	const looks = 20 // a process gets its command line soon after its start
	seen := map[string]int{}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return ""
		case <-tick.C:
		}
		processes, _ := os.ReadDir("/proc")
		for _, process := range processes {
			if seen[process.Name()]++; seen[process.Name()] > looks {
				continue
			}
			text, err := os.ReadFile(filepath.Join("/proc", process.Name(), "cmdline"))
			if err == nil && leaks(string(text)) != nil &&
				!strings.Contains(string(text), canary+"@127.0.0.1") {
				<-stop
				return string(text)
			}
		}
	}
}
