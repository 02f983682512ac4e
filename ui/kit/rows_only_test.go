package kit_test

import (
	"image"
	"strings"
	"testing"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

func TestBareList(t *testing.T) {
	names := []string{"alpha", "beach", "beacon", "delta", "echo"}
	for keys, want := range map[string]string{
		"":                             "›alpha beach beacon delta echo",
		"space space":                  "✓alpha ✓beach ›beacon delta echo",
		"down v down down v":           "alpha ✓beach ✓beacon ›✓delta echo",
		"down v down":                  "alpha ✓beach ›✓beacon delta echo",
		"down v down esc":              "alpha beach ›beacon delta echo",
		"ctrl+a":                       "›✓alpha ✓beach ✓beacon ✓delta ✓echo",
		"space * G":                    "alpha ✓beach ✓beacon ✓delta ›✓echo",
		"/ b e a enter":                "›beach beacon",
		"/ b e a enter ctrl+a esc":     "alpha ›✓beach ✓beacon delta echo",
		"/ b e a enter j v k v esc":    "alpha ›✓beach ✓beacon delta echo",
		"/ b e a esc":                  "alpha ›beach beacon delta echo",
		"/ x y enter space ctrl+a esc": "›alpha beach beacon delta echo",
	} {
		marks := make([]bool, len(names))
		rows := []int{0, 1, 2, 3, 4}
		var got []string
		l := &kit.List[int]{
			ID: "x", RowsOnly: true, Marking: true, NotFound: "none", Mark: func(row int) *bool { return &marks[row] }, Key: func(row int) any { return row },
			Rows:  func() []kit.Group[int] { return []kit.Group[int]{{Rows: rows}} },
			Match: func(row int, words []string) bool { return text.HasAll(words, names[row]) },
			Draw: func(row int, mark theme.Sign, _ int, selected bool, _ *theme.Theme) string {
				words := strings.Trim(map[bool]string{true: "›"}[selected]+
					map[theme.Sign]string{theme.SignMarked: "✓"}[mark]+names[row], " ")
				got = append(got, words)
				return words
			},
		}
		l.Arrange()
		l.Resize(image.Pt(20, 9))
		press(bare{l}, strings.Fields(keys)...)
		view := l.View(image.Pt(20, 9), theme.New(true, false))
		mediatest.Equal(t, strings.Join(got, " "), want, "%q", keys)
		if n := strings.Count(view, "\n") + 1; n != 9 || text.Width(strings.Split(view, "\n")[0]) != 20 {
			t.Errorf("%q draws %d lines", keys, n)
		}
	}
}

type bare struct{ *kit.List[int] }

func (b bare) Actions() []kit.Action { return b.List.Actions(nil) }
