package docs

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"mediadesk/api/media/mediatest"
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
	"wall": "grid", "why": "reason", "greet": "welcome", "talks": "prompt sessions",
	"behaviour": "behavior", "recognised": "recognized", "catalogue": "catalog", "centre": "center", "centred": "centered", "favourite": "favorite",
	"neighbour": "neighbor", "neighbours": "neighbors", "organise": "organize", "recognise": "recognize",
}

// verbs are words that do not say what a function does.
var verbs = map[string]string{
	"take": "accept", "place": "locate, position", "handed": "queued",
}

// phrases are not allowed on a screen, in a help or in an error.
var phrases = regexp.MustCompile(`(?i)\b(colours?|grey|anew|parted by|is no news|of whoever|nothing is lost|handed over|how it goes|` +
	`that of the \w+ which|(is|are) not there \(any more\)|found in everywhere|turn marks round|a desk|terminal desk|may be given again|lights)\b`)

// notRead are files whose texts users do not read: requests of the contract suite, SQL, and the action
// names of version 0.1.
var notRead = []string{"/apitest/", "/journal/schema.go"}

// privateWords are words of the project alone. Tests may use them.
var privateWords = map[string]string{
	"aim": "target", "aims": "targets", "apart": "separate, gap", "asked": "requested", "bare": "without what it lacks",
	"bring": "load", "brings": "loads", "edge": "border, boundary", "edges": "borders, boundaries", "farewell": "exit message",
	"finding": "check", "findings": "checks", "glance": "poll", "kept": "retained", "look": "read, poll, view",
	"looked": "inspected", "looking": "searching", "looks": "is like", "minor": "low priority", "noticed": "pending",
	"outlook": "prediction", "own": "whose it is", "patience": "timeout", "patient": "delayed", "standing": "state",
	"told": "reported", "verdict": "decision", "verdicts": "decisions", "wanted": "expected", "wave": "batch", "waves": "batches",
}

// exceptions are names that stay, with the reason.
var exceptions = map[string]string{
	"acSkipper": "it skips the AC coefficients of a JPEG", "newACSkipper": "makes an acSkipper",
	"Duration": "the length of a recording", "length": "the length of a recording", "Left": "an estimate, not a limit",
	"maxSkew": "between two clocks", "d": "a parameter of one line", "unit": "of a number",
}

// spelling is British where a comment or a text should be American, except "cancelled" in the API.
var spelling = regexp.MustCompile(`(?i)\b(behaviour|catalogue|centred?|favour\w*|honour\w*|neighbour\w*|organis\w+|recognis\w+|normalis\w+|initialis\w+|licence|cancell(ing|ation)|labell\w+)\b`)

// TestIdentifiers: declarations use the terms of the field.
func TestIdentifiers(t *testing.T) {
	eachFile(t, func(name string, file *ast.File, set *token.FileSet) {
		check := func(id *ast.Ident, function bool) {
			if id == nil {
				return
			}
			if exceptions[id.Name] != "" {
				return
			}
			words := split(id.Name)
			if id.Name == "one" && !strings.HasSuffix(name, "_test.go") {
				t.Errorf("%s: instead of \"one\" write what it is", set.Position(id.Pos()))
			}
			for _, w := range words {
				better := ownWords[w]
				if !strings.HasSuffix(name, "_test.go") {
					better = cmp.Or(better, privateWords[w])
				}
				at := set.Position(id.Pos())
				mediatest.Equal(t, better, "", "%s: %s: instead of %q write", at, id.Name, w)
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
			mediatest.Equal(t, cmp.Or(ownWords[w], privateWords[w]), "", "%s: instead of %q write", name, w)
		}
	})
}

// TestPhrases: texts for users are plain English.
func TestPhrases(t *testing.T) {
	eachFile(t, func(name string, file *ast.File, set *token.FileSet) {
		if strings.HasSuffix(name, "_test.go") || slices.ContainsFunc(notRead,
			func(part string) bool { return strings.Contains(filepath.ToSlash(name), part) }) {
			return
		}
		for _, group := range file.Comments {
			text := group.Text()
			if found := cmp.Or(spelling.FindString(text), phrases.FindString(text)); found != "" {
				t.Errorf("%s: %q is not plain American English", set.Position(group.Pos()), found)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			must(t, err)
			// names have no spaces
			if found := cmp.Or(phrases.FindString(text), spelling.FindString(text)); found != "" &&
				strings.Contains(text, " ") {
				t.Errorf("%s: %q: %q is not plain English", set.Position(lit.Pos()), text, found)
			}
			return true
		})
	})
}

// TestDurations: the name of a duration says what kind it is.
func TestDurations(t *testing.T) {
	suffix := regexp.MustCompile(`(?i)(timeout|interval|delay|ttl|period)s?$`)
	isDuration := func(e ast.Expr) bool {
		found := false
		ast.Inspect(e, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				pkg, _ := sel.X.(*ast.Ident)
				units := []string{"Duration", "Nanosecond", "Millisecond", "Second", "Minute", "Hour"}
				found = found || pkg != nil && pkg.Name == "time" && slices.Contains(units, sel.Sel.Name)
			}
			switch n.(type) {
			case *ast.CallExpr, *ast.CompositeLit:
				return false
			}
			return true
		})
		return found
	}
	eachFile(t, func(name string, file *ast.File, set *token.FileSet) {
		if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "test/") {
			return
		}
		check := func(ids []*ast.Ident, of ast.Expr) {
			if _, function := of.(*ast.FuncType); function || of == nil || !isDuration(of) {
				return
			}
			for _, id := range ids {
				if !suffix.MatchString(id.Name) && exceptions[id.Name] == "" {
					t.Errorf("%s: end %s in Timeout, Interval, Delay, TTL or Period", set.Position(id.Pos()), id.Name)
				}
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				check(n.Names, n.Type)
				for i := range n.Values {
					check(n.Names[i:i+1], n.Values[i])
				}
			case *ast.Field:
				check(n.Names, n.Type)
			}
			return true
		})
	})
}

// TestErrorsPass: no function takes an error in order to return it.
func TestErrorsPass(t *testing.T) {
	eachFile(t, func(name string, file *ast.File, set *token.FileSet) {
		for _, decl := range file.Decls {
			decl, ok := decl.(*ast.FuncDecl)
			if !ok || decl.Body == nil || strings.HasSuffix(name, "_test.go") {
				continue
			}
			given := map[string]bool{}
			for _, field := range decl.Type.Params.List {
				if id, ok := field.Type.(*ast.Ident); ok && id.Name == "error" {
					for _, id := range field.Names {
						given[id.Name] = true
					}
				}
			}
			if len(decl.Body.List) == 0 {
				continue
			}
			first, _ := decl.Body.List[0].(*ast.IfStmt)
			if first == nil || first.Init != nil {
				continue
			}
			if test, ok := first.Cond.(*ast.BinaryExpr); ok && test.Op == token.NEQ {
				id, _ := test.X.(*ast.Ident)
				if id != nil && given[id.Name] && returns(first.Body, id.Name) {
					t.Errorf("%s: %s returns the error that it takes: check it where it comes from", set.Position(decl.Pos()), decl.Name.Name)
				}
			}
		}
	})
}

// returns reports whether a block does nothing but return a value.
func returns(block *ast.BlockStmt, value string) bool {
	back, ok := block.List[0].(*ast.ReturnStmt)
	return ok && slices.ContainsFunc(back.Results, func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return ok && id.Name == value
	})
}

// eachFile parses every Go file of the project.
func eachFile(t *testing.T, do func(name string, file *ast.File, set *token.FileSet)) {
	mediatest.SkipRacing(t)
	t.Helper()
	files, err := parsed()
	must(t, err)
	if len(files) < 300 {
		t.Fatalf("only %d files were read", len(files))
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		do(name, files[name], positions)
	}
}

var positions = token.NewFileSet()

var parsed = sync.OnceValues(func() (map[string]*ast.File, error) {
	files := map[string]*ast.File{}
	return files, filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != ".." && strings.HasPrefix(entry.Name(), ".") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".go" ||
			slices.Contains(strings.Split(filepath.ToSlash(path), "/"), "docs") {
			return nil
		}
		const mode = parser.ParseComments | parser.SkipObjectResolution
		files[path], err = parser.ParseFile(positions, path, nil, mode)
		return err
	})
})

// split returns the words of an identifier in lower case: "HTTPPort" has "http" and "port".
func split(name string) []string {
	var words []string
	for _, w := range regexp.MustCompile(`[A-Z]+(?:[a-z0-9]+)?|[a-z0-9]+|_`).FindAllString(name, -1) {
		if upper := strings.TrimRight(w, "abcdefghijklmnopqrstuvwxyz0123456789"); len(upper) > 1 &&
			len(upper) < len(w) {
			words = append(words, strings.ToLower(w[:len(upper)-1]))
			w = w[len(upper)-1:]
		}
		words = append(words, strings.ToLower(w))
	}
	return words
}
