package session

import (
	"strconv"
	"strings"
)

// Policy decides what undo and redo do with a field that was changed elsewhere.
type Policy int

// Policies.
const (
	// Fail changes nothing and returns a *ConflictError.
	Fail Policy = iota
	// Ours overwrites changes made elsewhere.
	Ours
	// Theirs keeps changes made elsewhere and does the rest.
	Theirs
)

// ConflictError reports that files were changed elsewhere since the edit to undo or redo. Tags
// never conflict: adding and removing them can be undone on top of other changes.
type ConflictError struct{ Conflicts []Conflict }

// Conflict is a field that is not as the edit left it.
type Conflict struct {
	FileID, Name string
	Field        string // to show, such as "region"
	Left, Now    string // as the edit left it, and its current value
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

// Hint returns advice for the user.
func (e *ConflictError) Hint() string {
	return "Undo anyway, or keep the other changes and undo the rest."
}

func orNone(text string) string {
	if text == "" {
		return "unset"
	}
	return text
}
