package cli_test

import (
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"mediadesk/api/media/mediatest"
	"mediadesk/assets"
	"mediadesk/ui/uitest"
)

func TestMain(m *testing.M) {
	uitest.Parallel(8) // most tests wait for other processes
	uitest.VerifyTestMain(m)
}

// TestScripts runs the built program as scripts do: every command with its output and exit code.
func TestScripts(t *testing.T) {
	t.Parallel()
	binary := uitest.Build(t)
	// List, upload, uploads and usage, or all.
	files, err := filepath.Glob(mediatest.Rounds("testdata/[lu]*.txtar", "testdata/*.txtar"))
	must(t, err)
	testscript.Run(t, testscript.Params{
		Files: files,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", filepath.Dir(binary)+string(filepath.ListSeparator)+env.Getenv("PATH"))
			env.Setenv("MEDIADESK_HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
			env.Setenv("XDG_RUNTIME_DIR", filepath.Join(env.WorkDir, "run"))
			for variable, address := range servers(env) {
				env.Setenv(variable, address)
			}
			return os.CopyFS(filepath.Join(env.WorkDir, "pictures"), samples{assets.Samples()})
		},
		Condition: func(string) (bool, error) { return mediatest.AllRounds, nil }, // [rounds]
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   exits,
			"capture": capture,
			"fifo":    makeFIFO,
			"appears": appears,
			"copies":  copies,

			"until":       until,
			"lastversion": lastVersion,
			"breaks":      breaks,
			"nul":         nul,
		},
	})
}

// waitFor polls until ok returns true, because nothing reports the change.
func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	limit := time.After(uitest.Deadline)
	for !ok() {
		select {
		case <-again.C:
		case <-limit:
			t.Fatalf("waited for %s", what)
		}
	}
}

// samples has the sample pictures with ordinary modes. Embedded files are read-only.
type samples struct{ fs.FS }

// servers starts services that misbehave. Each key is the variable with the address.
func servers(env *testscript.Env) map[string]string {
	html := serve(env, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		fmt.Fprint(w, "<html><head><title>Bad gateway \x1b[31m</title></head></html>")
	})
	wrong := serve(env, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Ik-Requestid", "req-17")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"message":"Your account cannot be authenticated.","help":"For support kindly contact us."}`)
	})
	silent := serve(env, func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	missing := serve(env, http.NotFound)
	var asked atomic.Int64
	odd := ""
	odd = serve(env, func(w http.ResponseWriter, r *http.Request) {
		switch q := r.URL.Query(); {
		case r.URL.Path == "/v1/files" && q.Get("path") == "/broken/":
			fmt.Fprint(w, `[{"type":"file","fileId":"1","name":"a.jpg"},{"type":"file","fileId":7}]`)
		case r.URL.Path == "/v1/files" && q.Get("path") == "/busy/" && asked.Add(1) == 1:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"message":"Closed for maintenance."}`)
		case r.URL.Path == "/v1/files" && q.Get("path") == "" &&
			q.Get("searchQuery") == "": // there is always another page
			first, _ := strconv.Atoi(q.Get("skip"))
			var list []string
			for i := range 1000 {
				list = append(list, fmt.Sprintf(`{"type":"file","fileId":"%d","name":"%[1]d","filePath":"/%[1]d"}`, first+i))
			}
			fmt.Fprint(w, "["+strings.Join(list, ",")+"]")
		case r.URL.Path == "/v1/files":
			fmt.Fprint(w, "[]")
		case strings.HasSuffix(r.URL.Path, "/details"):
			name := map[string]string{"bidi": `a\u202e\u0085b.jpg`, "windows": "CON.txt"}[strings.Split(r.URL.Path, "/")[3]]
			fmt.Fprintf(w, `{"type":"file","fileId":"1","name":"%s","filePath":"/%[1]s","url":"%s/a","size":1}`, name, odd)
		case r.URL.Path == "/a":
			fmt.Fprint(w, "a")
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	})
	return map[string]string{"MISSING": missing, "ODD": odd, "SILENT": silent, "HTML": html, "FORBIDDEN": wrong, "NOBODY": "http://127.0.0.1:1"}
}

func serve(env *testscript.Env, h http.HandlerFunc) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		env.T().Fatal(err)
	}
	s := &http.Server{Handler: h}
	done := make(chan struct{})
	go func() {
		s.Serve(listener)
		close(done)
	}()
	env.Defer(func() { s.Close(); <-done })
	return "http://" + listener.Addr().String()
}

// exits runs a program and checks its exit code: exits CODE PROGRAM ARG…
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG…")
	}
	code := "0"
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		code = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if code != args[0] {
		ts.Fatalf("exit code %s, want %s", code, args[0])
	}
}

// until runs a program repeatedly until its output matches:
// until PATTERN PROGRAM ARG…
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until PATTERN PROGRAM ARG…")
	}
	wanted := regexp.MustCompile(args[0])
	for began := time.Now(); ; {
		if err := ts.Exec(args[1], args[2:]...); err == nil && wanted.MatchString(ts.ReadFile("stdout")) {
			return
		}
		if time.Since(began) > uitest.Deadline {
			ts.Fatalf("%s was never in the output", args[0])
		}
	}
}

// capture sets a variable to the text value of a JSON member of the last
// output: capture NAME MEMBER
func capture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: capture NAME MEMBER")
	}
	_, after, ok := strings.Cut(ts.ReadFile("stdout"), `"`+args[1]+`":"`)
	if !ok {
		ts.Fatalf("no member %s in the output", args[1])
	}
	value, _, _ := strings.Cut(after, `"`)
	ts.Setenv(args[0], value)
}

// lastVersion sets a variable to the id of the last version in the output:
// lastversion NAME
func lastVersion(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: lastversion NAME")
	}
	lines := strings.Split(strings.TrimSpace(ts.ReadFile("stdout")), "\n")
	_, after, ok := strings.Cut(lines[len(lines)-1], `"versionInfo":{"id":"`)
	if !ok {
		ts.Fatalf("no version in the output")
	}
	id, _, _ := strings.Cut(after, `"`)
	ts.Setenv(args[0], id)
}

var must = mediatest.Must
