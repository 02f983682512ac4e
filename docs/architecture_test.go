package docs

import (
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated parts of architecture.md and scale.md again")

// TestArchitecture: the drawing in architecture.md shows the imports as they are.
func TestArchitecture(t *testing.T) {
	const begin, end = "```mermaid\n", "```\n"
	page, err := os.ReadFile("architecture.md")
	must(t, err)
	before, rest, _ := strings.Cut(string(page), begin)
	drawn, after, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatal("architecture.md has no drawing")
	}
	want := drawing(t)
	if *update {
		must(t, os.WriteFile("architecture.md", []byte(before+begin+want+end+after), 0o644))
		return
	}
	if strings.ReplaceAll(drawn, "\r", "") != want {
		t.Error("architecture.md draws other imports; draw them again: go test ./docs -run TestArchitecture -update")
	}
}

// drawing returns a flowchart of the packages, with an arrow for each import that does not follow from
// others. Packages for tests are left out.
func drawing(t *testing.T) string {
	imports := map[string]map[string]bool{}
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == "testdata" || d.Name() == ".git":
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		from := part(path.Dir(strings.TrimPrefix(filepath.ToSlash(name), "../")))
		for _, spec := range file.Imports {
			to, _ := strconv.Unquote(spec.Path.Value)
			if to, ours := strings.CutPrefix(to, "mediadesk/"); ours && from != "" && part(to) != "" &&
				part(to) != from {
				if imports[from] == nil {
					imports[from] = map[string]bool{}
				}
				imports[from][part(to)] = true
			}
		}
		return nil
	})
	must(t, err)
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	for _, from := range slices.Sorted(maps.Keys(imports)) {
		for _, to := range slices.Sorted(maps.Keys(imports[from])) {
			if !follows(imports, from, to) {
				fmt.Fprintf(&b, "  %s[%s] --> %s[%s]\n", strings.ReplaceAll(from, "/", "_"), from,
					strings.ReplaceAll(to, "/", "_"), to)
			}
		}
	}
	return b.String()
}

// part returns the box of a package, or "". The screens share one box, and so do the service's and the
// decoders' internal packages.
func part(dir string) string {
	for _, whole := range []string{"ui/screen", "api/local", "api/media"} {
		if dir == whole || strings.HasPrefix(dir, whole+"/") {
			return whole
		}
	}
	switch {
	case dir == ".":
		return "main"
	case strings.HasPrefix(dir, "ui/uitest"), strings.HasPrefix(dir, "api/apitest"),
		strings.HasPrefix(dir, "docs"), strings.HasPrefix(dir, "."):
		return ""
	}
	return dir
}

// follows reports whether another import also leads to the package.
func follows(imports map[string]map[string]bool, from, to string) bool {
	var reach func(at string) bool
	reach = func(at string) bool {
		return imports[at][to] || slices.ContainsFunc(slices.Collect(maps.Keys(imports[at])), reach)
	}
	for other := range imports[from] {
		if other != to && reach(other) {
			return true
		}
	}
	return false
}
