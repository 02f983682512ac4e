package session

import (
	"strconv"
	"strings"
)

// Policy says what undo and redo do with a field that was changed elsewhere since.
type Policy int

// The policies.
const (
	// Fail changes nothing and returns a *ConflictError.
	Fail Policy = iota
	// Ours overwrites what was changed elsewhere.
	Ours
	// Theirs keeps what was changed elsewhere and does the rest.
	Theirs
)

// ConflictError says that files were changed elsewhere after an edit that is to be
// undone or redone. Tags are never in conflict: an addition or a removal can be
// undone on top of other changes.
type ConflictError struct{ Conflicts []Conflict }

// Conflict is a field that is not as the edit left it.
type Conflict struct {
	FileID, Name string
	Field        string // for people, such as "region"
	Left, Now    string // as the edit left it, and as it is
}

func (e *ConflictError) Error() string {
	const most = 5
	var list []string
	for i, c := range e.Conflicts {
		if i == most {
			list = append(list, "and "+strconv.Itoa(len(e.Conflicts)-i)+" more")
			break
		}
		list = append(list, c.Name+": "+c.Field+" was left as "+orNone(c.Left)+" and is "+orNone(c.Now)+" now")
	}
	return "changed elsewhere since: " + strings.Join(list, "; ")
}

// Hint says what helps.
func (e *ConflictError) Hint() string {
	return "Undo it all the same, or keep what others did and undo the rest."
}

func orNone(text string) string {
	if text == "" {
		return "unset"
	}
	return text
}
