package docs

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"
)

// noImports keeps the type checker inside one package: types of others are not needed here.
type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not imported") }

// noScreen are tests of a model that have no screen, with the reason.
var noScreen = map[string]string{"upload/truth_test.go": "it compares hundreds of predictions with what a library does"}

// TestScreenTests: tests drive keys and read the screen. None uses an unexported field or method of the
// model of its screen.
func TestScreenTests(t *testing.T) {
	folders, err := filepath.Glob("../ui/screen/*")
	if err != nil || len(folders) < 5 {
		t.Fatalf("only the screens %v: %v", folders, err)
	}
	for _, folder := range append(folders, "../ui/account") {
		names, err := filepath.Glob(folder + "/*.go")
		must(t, err)
		set, files := token.NewFileSet(), []*ast.File{}
		for _, name := range names {
			file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
			must(t, err)
			files = append(files, file)
		}
		uses := map[*ast.SelectorExpr]*types.Selection{}
		check := types.Config{Importer: noImports{}, Error: func(error) {}}
		// what is imported is unknown
		pkg, _ := check.Check(folder, set, files, &types.Info{Selections: uses})
		model := pkg.Scope().Lookup("Model")
		if model == nil {
			model = pkg.Scope().Lookup("Flow")
		}
		private := map[types.Object]bool{}
		for field := range model.Type().Underlying().(*types.Struct).Fields() {
			private[field] = !field.Exported()
		}
		for method := range model.Type().(*types.Named).Methods() {
			private[method] = !method.Exported() &&
				!strings.HasSuffix(set.Position(method.Pos()).Filename, "_test.go")
		}
		found := 0
		for at, use := range uses {
			switch where := set.Position(at.Pos()); {
			case !private[use.Obj()] || noScreen[strings.TrimPrefix(where.Filename, "../ui/screen/")] != "":
			case strings.HasSuffix(where.Filename, "_test.go"):
				t.Errorf("%s: a test uses %s of the model: press keys and read the screen", where, at.Sel.Name)
			default:
				found++
			}
		}
		if found < 10 {
			t.Errorf("%s: the model is used only %d times", folder, found)
		}
	}
}
