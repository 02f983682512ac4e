//go:build unix

package cli

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// notRun has the beginnings of lines that no test runs as written, with the reason.
var notRun = map[string]string{
	"go run .":                       "ui/firstminute.sh runs it",
	"go test ./...":                  "this is one of them",
	"cloudflared ":                   "a service of others",
	"ngrok ":                         "a service of others",
	"tailscale ":                     "a service of others",
	"ssh -N ":                        "a computer of others",
	"https://":                       "an address",
	"CGO_ENABLED=0 ":                 "TestContainer builds the same",
	".ci/image ":                     "TestContainer runs it",
	"docker ":                        "TestContainer builds and runs the image without Docker",
	"mediadesk serve --ephemeral":    "serve as it is started in most tests",
	"chromium ":                      "TestBrowserSDK starts it so",
	"HTTPS_PROXY=":                   "TestRclone runs it so",
	"export MEDIADESK_":              "an address of others; TestInstancesAreKilled has both",
	"mediadesk serve --addr 0.0.0.0": "a store of others; TestInstancesAreKilled has one",
	"pg_dump ":                       "a tool of PostgreSQL",
}

// languages are those of blocks without commands, or whose commands another test runs.
var languages = map[string]string{
	"sh":      "TestGuide runs them",
	"js":      "a file, which a command of TestGuide runs",
	"go":      "a file, which a command of TestGuide runs",
	"python":  "a file, which a command of TestGuide runs",
	"yaml":    "an example for a service of others",
	"mermaid": "a drawing, see TestArchitecture",
}

var fenced = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

// TestGuidesAreRun: a test runs every line of every code block in every document, or notRun has the
// reason why not.
func TestGuidesAreRun(t *testing.T) {
	script, err := os.ReadFile("testdata/guides.txtar")
	if err != nil {
		t.Fatal(err)
	}
	run := map[string]bool{}
	for line := range strings.Lines(string(script)) {
		if _, command, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			run[strings.ReplaceAll(strings.TrimLeft(command, "0123456789 "), "$", "")] = true
		}
	}
	examples := map[string]bool{}
	for _, c := range allCommands(newRoot(&Program{Getenv: os.Getenv})) {
		for line := range strings.Lines(c.UseLine() + "\n" + strings.ReplaceAll(c.Example, "\\\n", " ")) {
			examples[strings.TrimSpace(line)] = true // see TestExamples
		}
	}
	unused := maps.Clone(notRun)
	err = filepath.WalkDir("../..", func(page string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(page) != ".md" {
			if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." {
				return fs.SkipDir
			}
			return err
		}
		text, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		blocks := fenced.FindAllStringSubmatch(string(text), -1)
		if n := strings.Count("\n"+string(text), "\n```"); n != 2*len(blocks) {
			t.Errorf("%s has %d fences and %d code blocks", page, n, len(blocks))
		}
		for _, block := range blocks {
			if block[1] != "" {
				if languages[block[1]] == "" {
					t.Errorf("%s: no test runs blocks of %s", page, block[1])
				}
				continue
			}
			for line := range strings.Lines(strings.ReplaceAll(block[2], "\\\n", " ")) {
				line = strings.TrimSpace(line)
				excused := false
				for begin := range notRun {
					if strings.HasPrefix(line, begin) {
						excused = true
						delete(unused, begin)
					}
				}
				if line != "" && !excused && !run[line] && !examples[line] {
					t.Errorf("%s: no line of guides.txtar runs %s", page, line)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for line := range unused {
		t.Errorf("no document has a line that begins with %s", line)
	}
}

// TestExamples: the examples in the help and in docs/commands.md are commands that exist, with flags
// that exist.
func TestExamples(t *testing.T) {
	for _, c := range allCommands(newRoot(&Program{Getenv: os.Getenv})) {
		if c.Example == "" || c.Name() == "completion" { // its examples are for other shells
			continue
		}
		for _, args := range shellWords(t, c.Example) {
			named, rest, err := newRoot(&Program{Getenv: os.Getenv}).Find(args)
			if err == nil {
				err = named.ParseFlags(rest)
			}
			if err == nil {
				err = named.ValidateArgs(named.Flags().Args())
			}
			if err != nil {
				t.Errorf("%s: %q: %v", c.CommandPath(), args, err)
			}
		}
	}
}

// shellWords returns the arguments of each call of mediadesk in a script. Other programs in the
// script do nothing.
func shellWords(t *testing.T, script string) (list [][]string) {
	t.Helper()
	const functions = `mediadesk() { for word; do printf '%s\0' "$word"; done >>"$OUT"; printf '\n\0' >>"$OUT"; }
xargs() { shift; "$@"; }
for name in curl find jq man exiftool cp; do eval "$name() { :; }"; done
`
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, ".local/share/man/man1"), 0o700); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(home, "arguments")
	cmd := exec.Command("sh", "-ec", functions+script)
	cmd.Dir, cmd.Env = home, append(os.Environ(), "OUT="+out, "HOME="+home)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v: %s", script, err, text)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Errorf("%s: the script does not call mediadesk: %v", script, err)
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n\x00"), "\n\x00") {
		list = append(list, strings.FieldsFunc(line, func(r rune) bool { return r == 0 }))
	}
	return list
}
