package ui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestQuestions checks the dialogs in the source. A question must say what its default is: Default
// for an action that one key can undo or that loses nothing, Danger for an action that cannot be
// undone, which makes the safe choice the default.
func TestQuestions(t *testing.T) {
	found := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			asks, decides := false, false
			ast.Inspect(decl, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					decides = decides || n.Name == "Default" || n.Name == "Danger"
				case *ast.CompositeLit:
					typ, ok := n.Type.(*ast.SelectorExpr)
					asks = asks || ok && typ.Sel.Name == "Ask"
					if hasField(n, "Default") && hasField(n, "Danger") {
						t.Errorf("%s: the dialog has both Default and Danger", files.Position(n.Pos()))
					}
				}
				return true
			})
			if f, ok := decl.(*ast.FuncDecl); asks && ok {
				found++
				if !decides {
					t.Errorf("%s: the dialog of %s has neither Default nor Danger", files.Position(f.Pos()), f.Name.Name)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 15 {
		t.Errorf("only %d questions were found", found)
	}
}

// hasField reports whether a literal sets a field to true.
func hasField(lit *ast.CompositeLit, field string) bool {
	for _, e := range lit.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			name, _ := pair.Key.(*ast.Ident)
			value, _ := pair.Value.(*ast.Ident)
			if name != nil && value != nil && name.Name == field && value.Name == "true" {
				return true
			}
		}
	}
	return false
}
