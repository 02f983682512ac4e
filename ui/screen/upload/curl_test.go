package upload

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/local"
	"mediadesk/ui/page"
)

// tool returns the path of a system command. It skips the test if the command is missing, unless all tools are
// required.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("MEDIADESK_TEST_REQUIRE") == "all" {
			t.Fatalf("%s is not there", name)
		}
		t.Skipf("%s is not there", name)
	}
	return path
}

// TestCurlEquivalents checks that the copied curl command, run in a shell, gives the same record as
// the program's own upload. Each uploads to its own library.
func TestCurlEquivalents(t *testing.T) {
	shell := tool(t, "sh")
	tool(t, "curl")
	picture := string(pngBytes(t, 64, 48))
	remote := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte(picture))
	}))
	defer remote.Close()
	allowed := local.Options{AllowAddresses: []string{strings.TrimPrefix(remote.URL, "http://")}}
	own, _ := libraryOf(t, allowed)
	equivalent, _ := libraryOf(t, allowed)
	for n, c := range []struct {
		name string // of the file, or its URL
		set  map[field]string
	}{
		{"plain.png", nil},
		{"it's \"quoted\"; $HOME `x` \\ %41.png", nil},
		{"-d @x <y>.png", nil},
		{"день 1 — 写真 été صورة.png", map[field]string{fieldFolder: "/été//写真/", fieldTags: "sea,it's,@file,<x>,写真,مرحبا"}},
		{"two\nlines.png", map[field]string{fieldDescription: "one\ntwo 'three' $x"}},
		{"all.png", map[field]string{
			fieldPrivate: on, fieldRegion: "1, 2, 30, 20", fieldMetadata: "brand = it's \"A\" & <B>\nyear = 2026",
			fieldAWS: on, fieldAWSTags: "3", fieldAWSSure: "10", fieldWebhook: webhookNone,
			fieldOverFile: off, fieldOverTags: on, fieldOverAITags: off, fieldOverMetadata: on,
			fieldReturnTags: on, fieldReturnRegion: on, fieldReturnPrivate: on, fieldReturnEmbedded: on, fieldReturnMetadata: on,
		}},
		{"later.png", map[field]string{fieldRemove: on, fieldShadow: on, fieldColor: "green", fieldWebhook: webhookAddress, fieldAddress: "https://example.com/hook?a=1&b='2'"}},
		{remote.URL + "/from%20afar.png?x='1'&y=2", map[field]string{fieldName: "afar.png"}},
	} {
		for _, naming := range []api.Naming{api.NameHere, api.NameService, api.NameExact} {
			t.Run(fmt.Sprintf("%d %s", n, naming), func(t *testing.T) {
				src := api.Source{URL: c.name}
				if !strings.HasPrefix(c.name, "http") {
					src = api.Source{Path: filepath.Join(t.TempDir(), c.name)}
					if err := os.WriteFile(src.Path, []byte(picture), 0o600); err != nil {
						t.Skipf("the file system does not allow the name: %v", err)
					}
				}
				var shown api.Request
				m := started(t, Options{Sources: []api.Source{src}, Profile: localProfile(), Session: &stub{request: func(u *api.Upload) (api.Request, error) {
					var err error
					shown, err = equivalent.DescribeUpload(u)
					return shown, err
				}}})
				for f, text := range c.set {
					m.set(m.sources[0], f, text)
				}
				m.set(m.sources[0], fieldNaming, string(naming))
				m.load()
				for _, l := range m.sum().checks {
					if l.level == stop {
						t.Fatalf("the file cannot be sent: %s", l.text)
					}
				}
				press(t, m, "ctrl+r")
				line := press(t, m, "y")[0].(page.Copy).Text
				if strings.Contains(line, "private_test") {
					t.Fatalf("the key is in the line: %s", line)
				}
				cmd := exec.Command(shell, "-c", line)
				cmd.Dir = t.TempDir()
				cmd.Env = append(os.Environ(), api.KeyVariable+"=private_test")
				var errors bytes.Buffer
				cmd.Stderr = &errors
				answer, err := cmd.Output()
				if err != nil {
					t.Fatalf("%v: %s\n%s", err, errors.String(), line)
				}
				var got api.File
				if err := json.Unmarshal(answer, &got); err != nil || got.FileID == "" {
					t.Fatalf("answered %s, %v\n%s", answer, err, line)
				}
				// Upload with the name from the curl command.
				u := m.sources[0].upload()
				api.ApplyNaming(&u, naming)
				if naming == api.NameHere {
					for _, p := range shown.Parts {
						if p.Name == "fileName" {
							u.FileName = p.Value
						}
					}
				}
				want, err := own.Upload(context.Background(), &u, nil)
				if err != nil {
					t.Fatal(err)
				}
				if a, b := bare(t, want, naming), bare(t, &got, naming); a != b {
					t.Errorf("the line\n%s\nmade\n%s\nthe program made\n%s", line, b, a)
				}
			})
		}
	}
}

// bare returns the record without what differs between libraries: ids, times, addresses and generated suffixes.
func bare(t *testing.T, f *api.File, naming api.Naming) string {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal(f.Raw, &members); err != nil {
		t.Fatalf("%s: %v", f.Raw, err)
	}
	for _, name := range []string{"fileId", "createdAt", "updatedAt", "url", "thumbnail", "thumbnailUrl"} {
		if members[name] == nil {
			t.Errorf("the record has no %s: %s", name, f.Raw)
		}
		delete(members, name)
	}
	delete(members["versionInfo"].(map[string]any), "id")
	if naming == api.NameService {
		for _, name := range []string{"name", "filePath"} {
			members[name] = regexp.MustCompile(`_[A-Za-z0-9_-]{9}(\.[^.]*)?$`).ReplaceAllString(members[name].(string), "$1")
		}
	}
	text, err := json.MarshalIndent(members, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
