package page

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
)

// Copies are the rows of a menu of texts to copy.
type Copies []kit.MenuRow

// Add adds a text under a key; empty text is left out.
func (c *Copies) Add(key, what, text string) {
	if text != "" {
		c.AddCommand(key, what, text, Send(Copy{What: what, Text: text}))
	}
}

// AddCommand adds a row whose command answers with [Copy]; note describes the text.
func (c *Copies) AddCommand(key, what, note string, do tea.Cmd) {
	*c = append(*c, kit.MenuRow{Key: key, Label: what, Note: strings.ReplaceAll(note, "\n", " "), Do: func() tea.Cmd { return do }})
}

// Menu returns the menu.
func (c Copies) Menu() *kit.Menu { return kit.NewMenu("Copy", c...) }
