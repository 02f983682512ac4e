package library

import (
	"context"
	"fmt"
	"image"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"mediadesk/api"
	"mediadesk/ui/picture"
	"mediadesk/ui/theme"
)

// TestLooks compares the screen in three sizes: the list, the contact sheet and the search. After a
// wanted change run with -update and check the difference.
func TestLooks(t *testing.T) {
	path := thumbFile(t)
	looks := map[string][]string{"list": nil, "sheet": {"t", "down", "space"}, "search": {"f"}}
	for name, keys := range looks {
		for _, size := range []image.Point{{118, 34}, {78, 22}, {40, 10}} {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size.X, size.Y), func(t *testing.T) {
				d := startIn(t, Options{
					Session: stub{
						list:  small().list,
						thumb: func(context.Context, api.File) (string, error) { return path, nil },
					},
					Loader: picture.NewLoader(),
				}, size)
				d.Theme = theme.New(true, false)
				d.Run(d.Host.Paint(d.Theme))
				d.Press(keys...)
				lines := strings.Split(d.Text(), "\n")
				for i, line := range lines {
					lines[i] = strings.TrimRight(line, " ")
				}
				golden.RequireEqual(t, []byte(strings.Join(lines, "\n")+"\n"))
			})
		}
	}
}
