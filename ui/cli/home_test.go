package cli_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	_ "modernc.org/sqlite"

	"mediadesk/api"
	"mediadesk/ui/uitest"
)

const (
	fixture = "testdata/home-0.1"
	labKey  = "private_lab_key"
)

// TestHomeOfVersion01 opens a home of version 0.1 that was killed during uploads, with settings,
// drafts and a library. Nothing in it may be lost, and interrupted uploads resume without being
// stored twice. It uses only the built program and its commands, so that it works with every later
// version.
func TestHomeOfVersion01(t *testing.T) {
	h := unpackHome(t)
	h.startLab(t)
	settings := h.read(t, "config.toml")
	for _, step := range []struct {
		name string
		test func(*testing.T)
	}{
		{"settings", h.testSettings},
		{"uploads", h.testUploads},
		{"library", h.testLibrary},
		{"contents", h.testContents},
		{"undo", h.testUndo},
		{"unfinished uploads", h.testUnfinished},
		{"failed uploads", h.testFailed},
		{"screens", h.testScreens},
		{"check", h.testCheck},
	} {
		t.Run(step.name, step.test)
	}
	if now := h.read(t, "config.toml"); now != settings {
		t.Errorf("config.toml was changed to:\n%s", now)
	}
}

// oldHome is the unpacked home, with the service of its profile lab.
type oldHome struct {
	binary string
	ada    string // the user's home folder, which contains .mediadesk

	mu     sync.Mutex
	stored map[string]int // by path: how often the service answered that it stored a file
}

// unpackHome unpacks the fixture into a folder of the test. It changes the paths in the journal and
// the settings accordingly.
func unpackHome(t *testing.T) *oldHome {
	t.Helper()
	dir := t.TempDir()
	f, err := os.Open(filepath.Join(fixture, "home.tar.gz"))
	fatalIf(t, err)
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	fatalIf(t, err)
	for entries := tar.NewReader(unzipped); ; {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		fatalIf(t, err)
		to := filepath.Join(dir, filepath.FromSlash(entry.Name))
		if entry.Typeflag == tar.TypeDir {
			fatalIf(t, os.MkdirAll(to, entry.FileInfo().Mode().Perm()))
			continue
		}
		file, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, entry.FileInfo().Mode().Perm())
		fatalIf(t, err)
		_, err = io.Copy(file, entries)
		fatalIf(t, errors.Join(err, file.Close(), os.Chtimes(to, entry.ModTime, entry.ModTime)))
	}
	h := &oldHome{binary: uitest.Build(t), ada: filepath.Join(dir, "ada"), stored: map[string]int{}}
	h.moveJournal(t)
	return h
}

func (h *oldHome) path(parts ...string) string {
	return filepath.Join(append([]string{h.ada, ".mediadesk"}, parts...)...)
}

func (h *oldHome) read(t *testing.T, parts ...string) string {
	t.Helper()
	text, err := os.ReadFile(h.path(parts...))
	fatalIf(t, err)
	return string(text)
}

// moveJournal changes the paths below /home/ada in a journal of version 0.1, and the recorded
// properties of the files there.
func (h *oldHome) moveJournal(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	db, err := sql.Open("sqlite", h.path("data", "journal.db"))
	fatalIf(t, err)
	defer func() { fatalIf(t, db.Close()) }()
	const old = "/home/ada/"
	now := filepath.ToSlash(h.ada) + "/"
	_, err = db.ExecContext(ctx, "UPDATE drafts SET body = CAST(replace(CAST(body AS TEXT), ?, ?) AS BLOB)", old, now)
	fatalIf(t, err)
	_, err = db.ExecContext(ctx, "UPDATE jobs SET body = replace(body, ?, ?)", old, now)
	fatalIf(t, err)
	sources := map[int64]string{}
	rows, err := db.QueryContext(ctx, "SELECT id, json_extract(body, '$.upload.source.path') FROM jobs")
	fatalIf(t, err)
	defer rows.Close()
	for rows.Next() {
		var id int64
		var source string
		fatalIf(t, rows.Scan(&id, &source))
		sources[id] = source
	}
	fatalIf(t, rows.Err())
	for id, source := range sources {
		is, err := api.Identify(filepath.FromSlash(source))
		if err != nil {
			continue // stored before
		}
		text, err := json.Marshal(is)
		fatalIf(t, err)
		_, err = db.ExecContext(ctx, "UPDATE jobs SET body = json_set(body, '$.identity', json(?)) WHERE id = ?", string(text), id)
		fatalIf(t, err)
	}
}

// startLab runs the service of the profile lab behind a counting proxy, and puts its address into
// the settings. The other addresses there become free ones.
func (h *oldHome) startLab(t *testing.T) {
	t.Helper()
	to, err := url.Parse(h.serve(t, filepath.Join(h.ada, "lab"), "MEDIADESK_PRIVATE_KEY="+labKey))
	fatalIf(t, err)
	proxy := &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(to) },
		ModifyResponse: h.count,
	}
	transport := &http.Transport{}
	proxy.Transport = transport
	server := httptest.NewServer(proxy)
	t.Cleanup(func() { server.Close(); transport.CloseIdleConnections() })

	settings := strings.NewReplacer(
		"http://127.0.0.1:7853", server.URL, "127.0.0.1:7854", "127.0.0.1:0", "127.0.0.1:7855", "127.0.0.1:0",
	).Replace(h.read(t, "config.toml"))
	fatalIf(t, os.WriteFile(h.path("config.toml"), []byte(settings), 0o600))
}

// serve runs the service over a folder until the test ends, and returns its address. Commands that
// need the folder use this process.
func (h *oldHome) serve(t *testing.T, folder string, env ...string) string {
	t.Helper()
	service := exec.Command(h.binary, "serve", "--addr", "127.0.0.1:0", "--data", folder, "--json")
	service.Env = append(h.env(), env...)
	out, err := service.StdoutPipe()
	fatalIf(t, err)
	fatalIf(t, service.Start())
	t.Cleanup(func() {
		_ = service.Process.Kill() // it may have ended
		_ = service.Wait()
	})
	var line struct{ Address string }
	fatalIf(t, json.NewDecoder(out).Decode(&line))
	return line.Address
}

func (h *oldHome) count(r *http.Response) error {
	if r.Request.Method != http.MethodPost || !strings.HasSuffix(r.Request.URL.Path, "/files/upload") || r.StatusCode != http.StatusOK {
		return nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var record struct{ FilePath string }
	h.mu.Lock()
	defer h.mu.Unlock()
	defer func() { h.stored[withoutSuffix(record.FilePath)]++ }()
	return json.Unmarshal(body, &record)
}

// env returns the whole environment of the program.
func (h *oldHome) env() []string {
	return []string{
		"HOME=" + h.ada, "MEDIADESK_HOME=" + h.path(), "XDG_RUNTIME_DIR=" + filepath.Join(h.ada, "run"), "DBUS_SESSION_BUS_ADDRESS=",
		"PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"),
	}
}

// run runs a command and returns its output and exit code.
func (h *oldHome) run(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), uitest.Deadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, h.binary, args...)
	cmd.Env = append(h.env(), "MEDIADESK_PRIVATE_KEY="+labKey)
	cmd.Dir = h.ada
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatalf("mediadesk %v: %v\n%s", args, err, stderr.String())
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// lines runs a command that must succeed, and parses its JSON lines.
func (h *oldHome) lines(t *testing.T, args ...string) []object {
	t.Helper()
	out, errs, code := h.run(t, append(args, "--json")...)
	if code != 0 {
		t.Fatalf("mediadesk %v: exit code %d\n%s", args, code, errs)
	}
	return readLines(t, out)
}

// object is a JSON object that the program printed.
type object map[string]any

func (o object) text(member string) string { s, _ := o[member].(string); return s }

func readLines(t *testing.T, text string) []object {
	t.Helper()
	var list []object
	for line := range strings.Lines(text) {
		var o object
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		list = append(list, o)
	}
	return list
}

// expected returns the lines that 0.1 printed for this home.
func expected(t *testing.T, name string) []object {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(fixture, name))
	fatalIf(t, err)
	return readLines(t, string(text))
}

// addresses are the members that contain the port of the service.
var addresses = []string{"url", "thumbnail", "thumbnailUrl"}

// missingMembers returns the members of old that now lacks or has with another value. Additional members
// of now do not matter.
func missingMembers(old, now any, at string) []string {
	was, ok := old.(map[string]any)
	is, also := now.(map[string]any)
	if !ok || !also {
		if reflect.DeepEqual(old, now) {
			return nil
		}
		return []string{fmt.Sprintf("%s was %v and is %v", at, old, now)}
	}
	var list []string
	for _, member := range slices.Sorted(maps.Keys(was)) {
		if !slices.Contains(addresses, member) {
			list = append(list, missingMembers(was[member], is[member], at+"."+member)...)
		}
	}
	return list
}

func (h *oldHome) testSettings(t *testing.T) {
	profiles := map[string]bool{}
	for _, p := range h.lines(t, "profile", "list") {
		profiles[p.text("name")] = true
	}
	if !profiles["local"] || !profiles["lab"] || !profiles["work"] {
		t.Errorf("profiles: %v", profiles)
	}
	for name, want := range map[string][]string{
		"lab":  {`"/lab/"`, `"from-ada"`, "20000000", "90000000"},
		"work": {"ada_account", "remove-bg", "google-auto-tagging", `"service"`, "40000000", "bg_color"},
	} {
		out, _, code := h.run(t, "profile", "show", name, "--json")
		for _, word := range want {
			if code != 0 || !strings.Contains(out, word) {
				t.Errorf("profile %s has no %s: %s", name, word, out)
			}
		}
	}
}

// isOpen reports whether an upload of the journal has no outcome yet.
func isOpen(o object) bool {
	return o["outcome"] == nil || o["outcome"] == "waiting" || o["outcome"] == "sending"
}

func (h *oldHome) uploads(t *testing.T) map[any]object {
	t.Helper()
	byNumber := map[any]object{}
	for _, profile := range []string{"local", "lab"} {
		for _, line := range h.lines(t, "--profile", profile, "uploads", "--limit", "0") {
			byNumber[line["number"]] = line
		}
	}
	return byNumber
}

// testUploads: the journal has every upload with its earlier outcome.
func (h *oldHome) testUploads(t *testing.T) {
	now := h.uploads(t)
	open := 0
	for _, old := range expected(t, "uploads.jsonl") {
		is := now[old["number"]]
		if isOpen(old) && isOpen(is) {
			open++
			delete(old, "outcome")
		}
		for _, difference := range missingMembers(map[string]any(old), map[string]any(is), "upload") {
			t.Errorf("%v %s: %s", old["number"], old.text("source"), difference)
		}
	}
	if open < 12 {
		t.Errorf("%d uploads are unfinished, want at least 12", open)
	}
}

// records returns all records of the local library, or of the profile, by path.
func (h *oldHome) records(t *testing.T, profile, folder string) map[string]object {
	t.Helper()
	byPath := map[string]object{}
	for _, r := range h.lines(t, "--profile", profile, "list", folder) {
		byPath[pathOf(r)] = r
		if r.text("type") == "folder" {
			maps.Copy(byPath, h.records(t, profile, pathOf(r)))
		}
	}
	return byPath
}

func pathOf(record object) string { return record.text("filePath") + record.text("folderPath") }

// unfinishedRun is the file whose background was being removed when 0.1 was killed. The library
// resumes that when it opens.
const unfinishedRun = "/cut/pending.jpg"

// testLibrary: every file and folder has its earlier record.
func (h *oldHome) testLibrary(t *testing.T) {
	now := h.records(t, "local", "/")
	old := expected(t, "library.jsonl")
	for _, was := range old {
		is := now[pathOf(was)]
		if pathOf(was) == unfinishedRun && is != nil {
			continue
		}
		for _, difference := range missingMembers(map[string]any(was), map[string]any(is), "record") {
			t.Errorf("%s: %s", pathOf(was), difference)
		}
	}
	if len(now) != len(old) {
		t.Errorf("%d files and folders, want %d", len(now), len(old))
	}
	if versions := h.lines(t, "versions", now["/versions/logo.png"].text("fileId")); len(versions) != 3 {
		t.Errorf("%d versions, want 3: %v", len(versions), versions)
	}
}

// testContents: every file has its earlier content. The run that was under way ends with a new
// version of its file.
func (h *oldHome) testContents(t *testing.T) {
	sums, err := os.ReadFile(filepath.Join(fixture, "contents.sha256"))
	fatalIf(t, err)
	h.serve(t, h.path("data", "library"))
	now := h.records(t, "local", "/")
	to := t.TempDir()
	for line := range strings.Lines(string(sums)) {
		want, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		dir := filepath.Join(to, want[:8]+path.Base(name))
		fatalIf(t, os.MkdirAll(dir, 0o755))
		if _, errs, code := h.run(t, "download", now[name].text("fileId"), "--to", dir); code != 0 {
			t.Errorf("download of %s: exit code %d\n%s", name, code, errs)
			continue
		}
		body, err := os.ReadFile(filepath.Join(dir, path.Base(name)))
		fatalIf(t, err)
		if got := fmt.Sprintf("%x", sha256.Sum256(body)); got != want {
			t.Errorf("%s has the hash %s, want %s", name, got, want)
		}
	}
	unfinished := now[unfinishedRun].text("fileId")
	waitFor(t, "the run that was pending to end", func() bool { return len(h.lines(t, "versions", unfinished)) == 2 })
}

// testUndo undoes what was changed with 0.1, step by step.
func (h *oldHome) testUndo(t *testing.T) {
	h.serve(t, h.path("data", "library"))
	files := h.records(t, "local", "/")
	for _, step := range []struct{ file, flag, want string }{
		{"/summer/harbour.jpg", "--redo", `[sea wind] 1,2,30,40 map[price:99 season:summer]`},
		{"/summer/harbour.jpg", "--undo", `[sea wind] 1,2,30,40 map[price:12 season:summer]`},
		{"/summer/harbour.jpg", "--undo", `[sea boat wind] 10,20,300,200 map[price:12 season:summer]`},
		{"/summer/harbour.jpg", "--undo", `[sea boat] 10,20,300,200 map[price:12 season:summer]`},
		{"/trip/sea.jpg", "--undo", `[trip] <nil> map[]`},
		{"/trip/badge.png", "", `[trip] <nil> map[]`}, // both were changed in one step
	} {
		args := []string{"details", files[step.file].text("fileId")}
		if step.flag != "" {
			args = append(args, step.flag)
		}
		h.lines(t, args...)
		is := h.records(t, "local", path.Dir(step.file))[step.file]
		metadata, _ := is["customMetadata"].(map[string]any)
		if got := fmt.Sprintf("%v %v %v", is["tags"], is["customCoordinates"], metadata); got != step.want {
			t.Errorf("%s %s: %s, want %s", step.file, step.flag, got, step.want)
		}
	}
}

// withoutSuffix returns a path without the suffix that makes names unique.
func withoutSuffix(name string) string { return suffix.ReplaceAllString(name, "$1") }

// unsafe matches the sources of unfinished uploads whose names do not make a repeat safe, because it
// would be stored as another file or replace the first.
var unsafe = regexp.MustCompile(`open-[0348]\.`)

var suffix = regexp.MustCompile(`_[A-Za-z0-9_-]{9}(\.[a-z]+)$`)

// inLab counts the files of the profile lab by path without suffix. A file that was stored twice
// under one name has two versions, and so has a file whose background was removed.
func (h *oldHome) inLab(t *testing.T) map[string]int {
	t.Helper()
	files := map[string]int{}
	for name, record := range h.records(t, "lab", "/") {
		if record.text("type") == "file" {
			files[withoutSuffix(name)]++
			if version, _ := record["versionInfo"].(map[string]any); version["name"] != "Version 1" && !strings.Contains(name, "mug-") && !strings.Contains(name, "open-logo") {
				t.Errorf("%s was stored again: %v", name, version)
			}
		}
	}
	return files
}

// testUnfinished resumes the uploads that were under way when 0.1 was killed.
func (h *oldHome) testUnfinished(t *testing.T) {
	before := h.inLab(t)
	unfinished := map[any]object{}
	for number, line := range h.uploads(t) {
		if isOpen(line) {
			unfinished[number] = line
		}
	}
	// Newer programs have a command for this. In 0.1 it is upload without a source.
	out, errs, code := h.run(t, "--profile", "lab", "resume", "--json")
	if code == 2 {
		out, errs, code = h.run(t, "--profile", "lab", "upload", "--json")
	}
	if code != 0 && code != 4 {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	now, files := h.uploads(t), h.inLab(t)
	for number, old := range unfinished {
		is, source := now[number], old.text("source")
		switch {
		case isOpen(is):
			t.Errorf("%s has no outcome: %v", source, is)
		case is["outcome"] == "stored":
		case is["outcome"] == "unknown" && unsafe.MatchString(source):
		default:
			t.Errorf("%s: %v", source, is)
		}
	}
	// The service had stored the first four, but the program got no answer.
	for name, want := range map[string]struct{ before, times int }{
		"/lab/open-0.txt": {1, 0}, "/lab/open-1.txt": {1, 0}, "/lab/open-2.txt": {1, 0}, "/lab/open-3.txt": {1, 0},
		"/lab/open-5.txt": {0, 1}, "/lab/open-6.txt": {0, 1}, "/lab/open-7.txt": {0, 1},
		"/lab/open-tape.bin": {0, 1}, "/lab/open-logo.png": {0, 1}, "/lab/piped.txt": {0, 1},
	} {
		h.mu.Lock()
		times := h.stored[name]
		h.mu.Unlock()
		if before[name] != want.before || times != want.times || files[name] != 1 {
			t.Errorf("%s: %d before, stored %d times, %d now; want %d, %d, 1", name, before[name], times, files[name], want.before, want.times)
		}
	}
	for name, n := range files {
		if n != 1 {
			t.Errorf("%s is stored %d times, want 1", name, n)
		}
	}
}

// testFailed repeats the failed uploads of 0.1 that may be repeated.
func (h *oldHome) testFailed(t *testing.T) {
	if out, errs, code := h.run(t, "--profile", "lab", "uploads", "--failed", "--retry", "--json"); code == 0 || code == 2 || code == 3 {
		t.Errorf("got exit code %d, although one upload is refused again\n%s%s", code, out, errs)
	}
	files := h.inLab(t)
	for name, want := range map[string]int{
		"/lab/unsent.txt": 1, "/lab/forbidden.txt": 1, "/lab/open-9.txt": 1, "/lab/logo.png": 1,
		"/lab/unknown.txt": 1, // it had been stored
	} {
		if files[name] != want {
			t.Errorf("%s is stored %d times, want %d", name, files[name], want)
		}
	}
}

// testCheck: the library with its old versions is consistent, and the receipts exist.
func (h *oldHome) testCheck(t *testing.T) {
	if out, errs, code := h.run(t, "serve", "--check"); code != 0 {
		t.Errorf("the library has problems: %s%s", out, errs)
	}
	receipts, err := filepath.Glob(h.path("data", "receipts", "*.json"))
	fatalIf(t, err)
	if len(receipts) < 20 {
		t.Errorf("%d receipts", len(receipts))
	}
}

func fatalIf(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
