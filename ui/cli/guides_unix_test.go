//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestGuidesAreRun: a script runs each command of the README and of the pages in docs.
// The guide of the service has a test of its own.
func TestGuidesAreRun(t *testing.T) {
	script, err := os.ReadFile("testdata/guides.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var run []string
	for line := range strings.Lines(string(script)) {
		if _, command, ok := strings.Cut(strings.TrimSpace(line), "mediadesk "); ok {
			run = append(run, strings.ReplaceAll(command, "$", ""))
		}
	}
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	generated := []string{"commands.md", "keys.md", "serve.md"}
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(generated, filepath.Base(page)) {
			continue
		}
		for _, block := range regexp.MustCompile("(?s)```\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
			for line := range strings.Lines(block[1]) {
				command, ours := strings.CutPrefix(strings.TrimSpace(line), "mediadesk ")
				if ours && !strings.HasPrefix(command, "serve --addr") && !slices.Contains(run, command) {
					t.Errorf("%s: no line of guides.txtar runs mediadesk %s", page, command)
				}
			}
		}
	}
}
