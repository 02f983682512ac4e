package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mediadesk/api/media/mediatest"
)

// TestScriptsHaveEveryFlag: the scripts in testdata or other tests of this package run every command
// with each of its own flags.
func TestScriptsHaveEveryFlag(t *testing.T) {
	var lines []string
	for _, pattern := range []string{"testdata/*.txtar", "*_test.go"} {
		names, err := filepath.Glob(pattern)
		must(t, err)
		for _, name := range names {
			text, err := os.ReadFile(name)
			must(t, err)
			lines = append(lines,
				strings.Split(strings.NewReplacer(`", "`, " ", `"`, " ").Replace(string(text)), "\n")...)
		}
	}
	for _, c := range allCommands(newRoot(&Program{Getenv: os.Getenv})) {
		if !c.HasParent() || c.Name() == "help" {
			continue
		}
		words := regexp.QuoteMeta(strings.TrimPrefix(c.CommandPath(), "mediadesk "))
		used := func(rest string) bool {
			pattern := regexp.MustCompile(`(^|[ {])` + words + `( .*)?` + rest)
			for _, line := range lines {
				if pattern.MatchString(line) {
					return true
				}
			}
			return false
		}
		mediatest.Equal(t, used(""), true, "a script runs %s", c.CommandPath())
		for _, f := range visibleFlags(c.LocalNonPersistentFlags()) {
			if f.Name == "files-from" && takesFiles(c) {
				continue // one code for all commands: testdata/pipes.txtar
			}
			mediatest.Equal(t, used(` --`+f.Name+`\b`), true, "a script runs %s with --%s", c.CommandPath(), f.Name)
		}
	}
}
