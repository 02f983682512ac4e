package page

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
)

// Copies are the rows of a menu of what can be copied.
type Copies []kit.MenuRow

// Add offers a text under a key; an empty one is left out.
func (c *Copies) Add(key, what, text string) {
	if text != "" {
		c.AddCommand(key, what, text, Send(Copy{What: what, Text: text}))
	}
}

// AddCommand offers what a command writes when it is asked for; note says what
// that is. The command answers with [Copy].
func (c *Copies) AddCommand(key, what, note string, do tea.Cmd) {
	*c = append(*c, kit.MenuRow{Key: key, Label: what, Note: strings.ReplaceAll(note, "\n", " "), Do: func() tea.Cmd { return do }})
}

// Menu is the menu of them.
func (c Copies) Menu() *kit.Menu { return kit.NewMenu("Copy", c...) }
