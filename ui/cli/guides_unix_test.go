//go:build unix

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

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
