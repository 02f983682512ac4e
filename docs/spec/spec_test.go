// Package spec_test checks that comments in the code cite sections that exist.
package spec_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mediadesk/api/media/mediatest"
)

// A citation is a document with a section, as in "service.md §4.1". Further
// sections in the same comment are of the document named last.
var citation = regexp.MustCompile(`([a-z-]+\.md|RFC [0-9]+)|§([0-9.]*[0-9])?`)

// TestCitations: every service.md § in a comment leads to a heading of a document here.
func TestCitations(t *testing.T) {
	sections := map[string]map[string]bool{}
	for _, name := range []string{"service.md", "hosted-service.md", "design.md"} {
		sections[name] = headings(t, name)
	}
	cited := 0
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" ||
			path == filepath.Join(root, "docs", "spec", "spec_test.go") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, comment := range file.Comments {
			cited += checkCitations(t, sections, files.Position(comment.Pos()).String(), "", comment.Text())
		}
		return nil
	})
	mediatest.Must(t, err)
	if cited == 0 {
		t.Error("no citation was found")
	}
	for name := range sections {
		text, err := os.ReadFile(name)
		mediatest.Must(t, err)
		for line := range strings.Lines(string(text)) {
			checkCitations(t, sections, name, name, line)
		}
	}
}

// checkCitations checks a text in which a § is of the document until another is
// named, and returns how many there are.
func checkCitations(t *testing.T, sections map[string]map[string]bool,
	place, document, text string,
) (cited int) {
	t.Helper()
	for _, match := range citation.FindAllStringSubmatch(text, -1) {
		if match[1] != "" {
			document = match[1]
			continue
		}
		cited++
		switch known, ok := sections[document]; {
		case strings.HasPrefix(document, "RFC "):
		case !ok:
			t.Errorf("%s: %s names no document: write \"service.md %[2]s\", hosted-service.md or design.md", place, match[0])
		case !known[match[2]]:
			t.Errorf("%s: docs/spec/%s has no section %q", place, document, match[2])
		}
	}
	return cited
}

// headings are the numbers of a document's sections.
func headings(t *testing.T, name string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(name)
	mediatest.Must(t, err)
	numbers := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m)^##+ ([0-9.]*[0-9])\.? `).FindAllStringSubmatch(string(text),
		-1) {
		numbers[match[1]] = true
	}
	return numbers
}
