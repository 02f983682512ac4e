package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
)

// shellWords runs a command line in a POSIX shell, in which curl prints its arguments, and returns
// them.
func shellWords(t interface{ Fatalf(string, ...any) }, sh, line string) []string {
	cmd := exec.Command(sh)
	// A NUL after each argument separates them, because no argument can contain it.
	cmd.Stdin = strings.NewReader("curl() { for word do printf '%s\\000' \"$word\"; done; }\n" + line + "\n")
	cmd.Env = []string{"PATH=/nonexistent", api.KeyVariable + "=private_key"}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("sh: %v in %q", err, line)
	}
	words := strings.Split(string(out), "\x00")
	return words[:len(words)-1]
}

func TestCurlSurvivesTheShell(t *testing.T) {
	sh := mediatest.Tool(t, "sh")
	value := rapid.OneOf(
		rapid.Map(rapid.String(), func(s string) string { return strings.ReplaceAll(s, "\x00", "") }),
		rapid.StringMatching("[-'\"\\\\$`!*?~#&;|<>(){}@ \n\ta]{0,20}"),
	)
	rapid.Check(t, func(t *rapid.T) {
		r := api.Request{Method: "POST", Address: "https://u.example/api/v1/files/upload"}
		want := []string{"-sS", "-X", "POST", "-u", "private_key:"}
		for range rapid.IntRange(0, 3).Draw(t, "parts") {
			p := api.Part{Name: "tags", Value: value.Draw(t, "value")}
			r.Parts = append(r.Parts, p)
			want = append(want, "--form-string", "tags="+p.Value)
		}
		if r.File = value.Draw(t, "file"); r.File != "" {
			name := r.File
			if name == "-" {
				name = "./-"
			}
			want = append(want, "-F", `file=@"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name)+`"`)
		}
		if r.Body = value.Draw(t, "body"); r.Body != "" {
			want = append(want, "-H", "Content-Type: application/json", "--data-raw", r.Body)
		}
		if got := shellWords(t, sh, r.Curl()); !slices.Equal(got, append(want, r.Address)) {
			t.Fatalf("%s\nbecame %q\nwant   %q", r.Curl(), got, want)
		}
	})
}

// TestCurlSendsTheSame: the real curl sends the same request as the client.
func TestCurlSendsTheSame(t *testing.T) {
	mediatest.Tool(t, "curl")
	sh := mediatest.Tool(t, "sh")
	rec := newRecorder(t)
	c := rec.client(t)
	dir := t.TempDir()
	name := filepath.Join(dir, `a "b\c; d.jpg`)
	must(t, os.WriteFile(name, []byte("\xff\xd8 bytes\r\n"), 0o600))
	u := fullUpload(api.Source{Path: name})
	u.Tags = api.Set([]string{"@/etc/passwd", "<x", "it's"})
	_, err := c.Upload(context.Background(), u, nil)
	must(t, err)
	ours := rec.last(t)
	request := c.DescribeUpload(u)
	must(t, request.Err)
	line := request.Curl()
	if strings.Contains(line, testKey) {
		t.Fatalf("the key is in %s", line)
	}
	cmd := exec.Command(sh, "-c", line)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), api.KeyVariable + "=" + testKey, "no_proxy=*"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", line, err, out)
	}
	theirs := rec.last(t)
	if theirs.auth != ours.auth || theirs.path != ours.path || !slices.Equal(theirs.parts, ours.parts) {
		t.Errorf("curl sent %+v\nthe client %+v", theirs, ours)
	}
}

func TestDescribeUpload(t *testing.T) {
	c := mustClient(t, api.Options{
		UploadURL: "https://u.example/", BaseURL: "https://b.example", Key: key(testKey),
	})
	r := c.DescribeUpload(fullUpload(api.Source{Path: "/p/a.jpg"}))
	if r.Err != nil || r.Method != http.MethodPost || r.Address != "https://u.example/api/v1/files/upload" ||
		r.File != "/p/a.jpg" || !slices.Equal(r.Parts, fullParts) {
		t.Errorf("got %+v", r)
	}
	r = c.DescribeUpload(&api.Upload{FileName: "a", Source: api.Source{URL: "https://s.example/a.jpg"}})
	if r.Err != nil || r.File != "" ||
		!slices.Contains(r.Parts, api.Part{Name: "file", Value: "https://s.example/a.jpg"}) {
		t.Errorf("got %+v", r)
	}
	text, err := json.Marshal(r)
	if err != nil || strings.Contains(string(text), testKey) {
		t.Errorf("%s, %v", text, err)
	}
	if r := c.DescribeUpload(&api.Upload{
		CustomMetadata: api.Set(map[string]json.RawMessage{"a": json.RawMessage("}")}),
	}); r.Err == nil {
		t.Error("a request that cannot be written was described")
	}
}
