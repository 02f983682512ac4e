package docs

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mediadesk/api/media/mediatest"
)

// TestComments: a comment on a declaration begins with its name, and what comments refer to exists.
func TestComments(t *testing.T) {
	packages, declared := declarations(t)
	eachFile(t, func(name string, file *ast.File, set *token.FileSet) {
		check := func(doc *ast.CommentGroup, id string) {
			first, _, _ := strings.Cut(doc.Text(), " ")
			first = strings.Trim(first, ":,.\n")
			if first != id && (strings.EqualFold(first, id) || mixedCaps.MatchString(first)) {
				t.Errorf("%s: the comment on %s begins with %q", set.Position(doc.Pos()), id, first)
			}
		}
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				check(decl.Doc, decl.Name.Name)
			case *ast.GenDecl:
				if len(decl.Specs) > 1 {
					break
				}
				switch spec := decl.Specs[0].(type) {
				case *ast.TypeSpec:
					check(decl.Doc, spec.Name.Name)
				case *ast.ValueSpec:
					check(decl.Doc, spec.Names[0].Name)
				}
			}
		}
		for _, group := range file.Comments {
			for _, link := range links.FindAllStringSubmatch(group.Text(), -1) {
				at := filepath.Dir(name) + "." + link[1]
				if pkg, _, _ := strings.Cut(link[1], "."); packages[pkg] {
					at = link[1]
				}
				if pkg, _, _ := strings.Cut(link[1], "."); !declared[at] && !slices.Contains(foreign, pkg) {
					t.Errorf("%s: there is no %s", set.Position(group.Pos()), link[0])
				}
			}
			for _, ref := range references.FindAllString(group.Text(), -1) {
				if pkg, _, _ := strings.Cut(ref, "."); packages[pkg] && !declared[ref] ||
					strings.ToLower(pkg) != pkg && !declared["."+ref] {
					t.Errorf("%s: there is no %s", set.Position(group.Pos()), ref)
				}
			}
			for _, file := range goFiles.FindAllString(group.Text(), -1) {
				if _, err := os.Stat(filepath.Join(filepath.Dir(name), file)); err != nil {
					t.Errorf("%s: there is no file %s", set.Position(group.Pos()), file)
				}
			}
		}
	})
}

// declarations returns the names of the packages, and of what they declare: "ui/kit.List.Arrange", and
// ".List.Arrange" for any package.
func declarations(t *testing.T) (packages, declared map[string]bool) {
	packages, declared = map[string]bool{}, map[string]bool{}
	eachFile(t, func(name string, file *ast.File, _ *token.FileSet) {
		packages[file.Name.Name] = true
		add := func(names ...string) {
			at := "." + strings.Join(names, ".")
			declared[file.Name.Name+at], declared[filepath.Dir(name)+at], declared[at] = true, true, true
		}
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if add(decl.Name.Name); decl.Recv != nil {
					add(receiver(decl.Recv.List[0].Type), decl.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					switch spec := spec.(type) {
					case *ast.ValueSpec:
						for _, id := range spec.Names {
							add(id.Name)
						}
					case *ast.TypeSpec:
						add(spec.Name.Name)
						ast.Inspect(spec.Type, func(n ast.Node) bool {
							if field, ok := n.(*ast.Field); ok {
								for _, id := range field.Names {
									add(spec.Name.Name, id.Name)
								}
							}
							return true
						})
					}
				}
			}
		}
	})
	return packages, declared
}

var (
	mixedCaps  = regexp.MustCompile(`^([a-z]+[A-Z]|[a-zA-Z]+\.[a-zA-Z])\w*$`)
	links      = regexp.MustCompile(`\[\*?((?:[a-z]+\.)?[A-Z]\w*(?:\.[A-Z]\w*)?)\]`)
	references = regexp.MustCompile(`\b(?:[a-z]+\.)?[A-Z]\w*\.[A-Z]\w*[a-z]\w*\b|\b[a-z]+\.[A-Z]\w*\b`)
	goFiles    = regexp.MustCompile(`\b\w+\.go\b`)
	foreign    = []string{"bufio", "image", "tea"} // packages of others that comments link to
)

func receiver(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return receiver(of.X)
	case *ast.IndexExpr:
		return receiver(of.X)
	case *ast.IndexListExpr:
		return receiver(of.X)
	case *ast.Ident:
		return of.Name
	}
	return ""
}

var must = mediatest.Must
