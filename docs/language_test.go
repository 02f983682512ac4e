package docs

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// ownWords are private words and the usual ones for them. CONTRIBUTING.md has the rules of English.
var ownWords = map[string]string{
	"act": "action", "acts": "actions", "attic": "recently removed", "colour": "color", "colours": "colors",
	"desk": "session", "doubtful": "ambiguous", "eighth": "DC decoder", "elsewhere": "conflict", "gallery": "image store",
	"glass": "fake terminal", "grey": "gray", "grip": "handle", "grips": "handles", "heir": "standby", "hung": "transmitted",
	"insist": "forced", "lights": "checks", "means": "component", "mine": "ours", "nasty": "hostile", "rival": "competing job",
	"rivals": "competing jobs", "sieve": "run-status filter", "skipper": "AC skipper", "stray": "unmatched webhook",
	"strays": "unmatched webhooks", "talk": "prompt session", "thrift": "GC tuning", "ticket": "job status",
	"tries": "attempts", "twin": "equivalent command", "twins": "equivalent commands", "unclear": "maybe stored",
	"wall": "grid", "why": "reason",
}

// verbs are words that do not say what a function does.
var verbs = map[string]string{
	"look": "refresh, read", "take": "accept", "place": "locate, position", "handed": "queued",
}

// phrases are not allowed on a screen, in a help or in an error.
var phrases = regexp.MustCompile(`(?i)\b(colours?|grey|anew|parted by|is no news|of whoever|nothing is lost|handed over|how it goes|` +
	`that of the \w+ which|(is|are) not there \(any more\)|found in everywhere|turn marks round|a desk|terminal desk|may be given again|lights)\b`)

// notRead are files whose texts users do not read: requests of the contract suite, SQL, and the action
// names of version 0.1.
var notRead = []string{"/apitest/", "/journal/schema.go"}

// privateWords are words of the project alone. Tests may use them.
var privateWords = map[string]string{
	"aim": "target", "apart": "separate, gap", "asked": "requested", "bare": "without what it lacks", "bring": "load",
	"farewell": "exit message", "finding": "check", "glance": "poll", "kept": "retained", "minor": "low priority",
	"noticed": "pending", "outlook": "prediction", "own": "whose it is", "patience": "timeout",
	"standing": "state", "told": "reported", "verdict": "decision", "wanted": "expected",
}

// TestIdentifiers: declarations use the terms of the field.
func TestIdentifiers(t *testing.T) {
	eachFile(t, func(name string, file *ast.File, set *token.FileSet) {
		check := func(id *ast.Ident, function bool) {
			if id == nil {
				return
			}
			words := split(id.Name)
			for i, w := range words {
				if w == "skipper" && i > 0 && words[i-1] == "ac" {
					continue
				}
				better := ownWords[w]
				if !strings.HasSuffix(name, "_test.go") {
					better = cmp.Or(better, privateWords[w])
				}
				if better != "" {
					t.Errorf("%s: %s: instead of %q write %s", set.Position(id.Pos()), id.Name, w, better)
				}
			}
			if !function || strings.HasSuffix(name, "_test.go") {
				return
			}
			if better := verbs[words[0]]; better != "" {
				t.Errorf("%s: func %s: instead of %q write %s, or what it does", set.Position(id.Pos()), id.Name, words[0], better)
			}
			if words[len(words)-1] == "words" {
				t.Errorf("%s: func %s: instead of Words write Label, Describe or String", set.Position(id.Pos()), id.Name)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				check(n.Name, true)
			case *ast.TypeSpec:
				check(n.Name, false)
			case *ast.ValueSpec:
				for _, id := range n.Names {
					check(id, false)
				}
			case *ast.Field:
				_, function := n.Type.(*ast.FuncType)
				for _, id := range n.Names {
					check(id, function)
				}
			case *ast.AssignStmt:
				if n.Tok == token.DEFINE {
					for _, e := range n.Lhs {
						if id, ok := e.(*ast.Ident); ok {
							check(id, false)
						}
					}
				}
			case *ast.RangeStmt:
				for _, e := range []ast.Expr{n.Key, n.Value} {
					if id, ok := e.(*ast.Ident); ok {
						check(id, false)
					}
				}
			}
			return true
		})
	})
}

// emptyNames are names of files that do not say what is in them.
var emptyNames = []string{"again", "common", "do", "helpers", "lost", "misc", "others", "parts", "second", "twin", "types", "util", "utils", "words"}

// TestFileNames: a file is named after what is in it.
func TestFileNames(t *testing.T) {
	eachFile(t, func(name string, _ *ast.File, _ *token.FileSet) {
		base := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(name), ".go"), "_test")
		if slices.Contains(emptyNames, base) {
			t.Errorf("%s: name it after what is in it", name)
		}
		for w := range strings.SplitSeq(base, "_") {
			if better := ownWords[w]; better != "" {
				t.Errorf("%s: instead of %q write %s", name, w, better)
			}
		}
	})
}

// TestPhrases: texts for users are plain English.
func TestPhrases(t *testing.T) {
	eachFile(t, func(name string, file *ast.File, set *token.FileSet) {
		if strings.HasSuffix(name, "_test.go") || slices.ContainsFunc(notRead, func(part string) bool { return strings.Contains(filepath.ToSlash(name), part) }) {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			if found := phrases.FindString(text); found != "" && strings.Contains(text, " ") { // names have no spaces
				t.Errorf("%s: %q: %q is not plain English", set.Position(lit.Pos()), text, found)
			}
			return true
		})
	})
}

// eachFile parses every Go file of the project.
func eachFile(t *testing.T, do func(name string, file *ast.File, set *token.FileSet)) {
	t.Helper()
	n := 0
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != ".." && strings.HasPrefix(entry.Name(), ".") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".go" || slices.Contains(strings.Split(filepath.ToSlash(path), "/"), "docs") {
			return nil
		}
		n++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		do(path, file, set)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < 300 {
		t.Fatalf("only %d files were read", n)
	}
}

// split returns the words of an identifier in lower case: "HTTPPort" has "http" and "port".
func split(name string) []string {
	var words []string
	for _, w := range regexp.MustCompile(`[A-Z]+(?:[a-z0-9]+)?|[a-z0-9]+|_`).FindAllString(name, -1) {
		if upper := strings.TrimRight(w, "abcdefghijklmnopqrstuvwxyz0123456789"); len(upper) > 1 && len(upper) < len(w) {
			words = append(words, strings.ToLower(w[:len(upper)-1]))
			w = w[len(upper)-1:]
		}
		words = append(words, strings.ToLower(w))
	}
	return words
}
