package page

import (
	"image"
	"strconv"
	"strings"

	"mediadesk/api"
)

// Change is what is to become of one file.
type Change struct {
	FileID  string
	Details api.Details
}

// Edited is what became of a change: the record after it, or why there is none.
type Edited struct {
	FileID string
	File   *api.File
	Err    error
}

// Over says what undo and redo do where others changed the same meanwhile.
type Over int

// The three ways.
const (
	// Careful changes nothing, and fails with an [Elsewhere].
	Careful Over = iota
	// Mine writes over what others did.
	Mine
	// Theirs leaves what others changed and does the rest.
	Theirs
)

// Elsewhere says that files were changed elsewhere after an edit that is to be
// undone or made again. Tags are never among it: what was added or removed can
// be taken back on top of what others did.
type Elsewhere struct{ Conflicts []Conflict }

// Conflict is a field that is not as the edit left it.
type Conflict struct {
	FileID, Name string
	Field        string // in words, such as "region"
	Left, Now    string // as the edit left it, and as it is
}

func (e *Elsewhere) Error() string {
	words := make([]string, 0, len(e.Conflicts))
	for i, c := range e.Conflicts {
		if i == 5 {
			words = append(words, "and "+strconv.Itoa(len(e.Conflicts)-i)+" more")
			break
		}
		words = append(words, c.Name+": "+c.Field+" was left as "+orNone(c.Left)+" and is "+orNone(c.Now)+" now")
	}
	return "changed elsewhere since: " + strings.Join(words, "; ")
}

// Hint says what helps.
func (e *Elsewhere) Hint() string {
	return "Undo it all the same, or keep what others did and undo the rest."
}

func orNone(text string) string {
	if text == "" {
		return "unset"
	}
	return text
}

// FileGone tells that a file is not there any more, from whichever part of the
// program learnt it.
type FileGone struct{ FileID string }

// Pixels is a screen that can use the mouse more finely than by cells.
type Pixels interface {
	// WantsPixels tells whether it does now.
	WantsPixels() bool
}

// Pointer comes before a mouse message where the terminal tells of the mouse by
// pixels: the size of a cell, and where in its cell the mouse is.
type Pointer struct{ Cell, Within image.Point }
