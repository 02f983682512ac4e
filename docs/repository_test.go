package docs

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestScriptsAreListed: CONTRIBUTING.md says what each script of the repository is for.
func TestScriptsAreListed(t *testing.T) {
	page := read(t, "../CONTRIBUTING.md")
	found := 0
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if path := strings.TrimPrefix(filepath.ToSlash(name), "../"); !d.IsDir() &&
			(strings.HasSuffix(path, ".sh") || strings.HasPrefix(path, ".ci/")) {
			found++
			if !strings.Contains(page, path) {
				t.Errorf("no line of CONTRIBUTING.md says what %s is for", path)
			}
		}
		return nil
	})
	if err != nil || found == 0 {
		t.Errorf("%d scripts were found, %v", found, err)
	}
}

// TestPagesSayWhatTheyAreFor: a page begins with its title and a paragraph of text.
func TestPagesSayWhatTheyAreFor(t *testing.T) {
	var pages []string
	for _, pattern := range []string{"*.md", "spec/*.md"} {
		found, err := filepath.Glob(pattern)
		must(t, err)
		pages = append(pages, found...)
	}
	for _, page := range pages {
		title, rest, _ := strings.Cut(strings.ReplaceAll(read(t, page), "\r", ""), "\n\n")
		if !regexp.MustCompile(`^# [^\n]+$`).MatchString(title) ||
			!regexp.MustCompile(`^[A-Z\[]`).MatchString(rest) {
			t.Errorf("%s begins with %q and %.40q", page, title, rest)
		}
	}
	if len(pages) < 13 {
		t.Errorf("only %q", pages)
	}
}

// TestChangelog: CHANGELOG.md has the form of Keep a Changelog: the newest version first,
// with its date, and the usual sections.
func TestChangelog(t *testing.T) {
	heading := regexp.MustCompile(`^## \[(Unreleased|\d+\.\d+\.\d+)\](?: - \d{4}-\d{2}-\d{2})?$`)
	section := regexp.MustCompile(`^### (Added|Changed|Deprecated|Removed|Fixed|Security)$`)
	last, versions := []int{math.MaxInt}, 0
	seen := map[string]bool{}
	for line := range strings.Lines(read(t, "../CHANGELOG.md")) {
		line = strings.TrimRight(line, "\r\n")
		switch found := heading.FindStringSubmatch(line); {
		case found != nil:
			if dated := strings.Contains(line, " - "); dated == (found[1] == "Unreleased") {
				t.Errorf("%s: a released version needs a date, and an unreleased one has none", line)
			}
			if found[1] != "Unreleased" {
				version := make([]int, 3)
				_, err := fmt.Sscanf(found[1], "%d.%d.%d", &version[0], &version[1], &version[2])
				if err != nil || slices.Compare(version, last) >= 0 {
					t.Errorf("%s comes after %d (%v)", found[1], last, err)
				}
				last = version
				versions++
			} else if versions > 0 {
				t.Error("the unreleased version must come first")
			}
			clear(seen)
		case strings.HasPrefix(line, "## "):
			t.Errorf("no heading of a version: %s", line)
		case strings.HasPrefix(line, "### "):
			if !section.MatchString(line) || seen[line] {
				t.Errorf("an unknown section, or one that the version has already: %s", line)
			}
			seen[line] = true
		}
	}
	if versions == 0 {
		t.Error("no version")
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	must(t, err)
	return string(text)
}

// TestPathsExist: the files and folders that the guides for developers name are there.
func TestPathsExist(t *testing.T) {
	paths := regexp.MustCompile("`((?:api|config|docs|ui|assets|\\.ci)/[a-z0-9_./-]*)`")
	for _, page := range []string{"architecture.md", "../CONTRIBUTING.md"} {
		text, err := os.ReadFile(page)
		must(t, err)
		found := paths.FindAllStringSubmatch(string(text), -1)
		if len(found) == 0 {
			t.Errorf("%s names no path", page)
		}
		for _, path := range found {
			if _, err := os.Stat("../" + path[1]); err != nil {
				t.Errorf("%s names %s, which does not exist", page, path[1])
			}
		}
	}
}
