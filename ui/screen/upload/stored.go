package upload

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"mediadesk/api"
	"mediadesk/ui/text"
)

// letterKind tells what happens to a character of a name.
type letterKind int

const (
	letterSame    letterKind = iota // stays as typed
	letterChanged                   // the service writes _
	letterSuffix                    // part of the future unique suffix
)

type letter struct {
	r    rune // as stored; a placeholder for letterSuffix
	from rune // as typed
	kind letterKind
}

// placeholder stands for a character of a future suffix.
const placeholder = '·'

// storedLetters returns the characters of the name that the service will store (service.md §4.1, fileName).
func storedLetters(name string, naming api.Naming) []letter {
	typed, other := name, name
	if naming != api.NameExact && name != "" {
		// The suffix is where the two names differ.
		typed, other = api.UniqueName(name, "aaaaaaaaa"), api.UniqueName(name, "bbbbbbbbb")
	}
	var letters []letter
	stored, second := []rune(api.StoredName(typed)), []rune(api.StoredName(other))
	for i, at := 0, 0; at < len(typed); i++ {
		from, n := utf8.DecodeRuneInString(typed[at:])
		at += n
		l := letter{r: stored[i], from: from}
		switch {
		case stored[i] != second[i]:
			l.r, l.kind = placeholder, letterSuffix
		case stored[i] != from:
			l.kind = letterChanged
		}
		letters = append(letters, l)
	}
	return letters
}

// storedPath returns the folder and name that the service will store, without a suffix.
func (o *options) storedPath() string { return o.entry.Path() }

// describeFolded describes the effect of repeated slashes in a folder; "" if there are none.
func describeFolded(folder string) string {
	if !strings.Contains(folder, "//") {
		return ""
	}
	clean, _ := api.CleanFolder(folder)
	return "// counts as one /: a folder without a name cannot be, so this is " + clean
}

// describeChanged lists the characters that are written as _; "" if there are none.
func describeChanged(letters []letter) string {
	n := 0
	var which []string
	seen := map[rune]bool{}
	for _, l := range letters {
		if l.kind != letterChanged {
			continue
		}
		n++
		if !seen[l.from] {
			seen[l.from] = true
			which = append(which, describeRune(l.from))
		}
	}
	if n == 0 {
		return ""
	}
	const most = 8
	if len(which) > most {
		which = append(which[:most], "…")
	}
	if n == 1 {
		return "1 character becomes _: " + which[0]
	}
	return fmt.Sprintf("%d characters become _: %s", n, strings.Join(which, " "))
}

func describeRune(r rune) string {
	switch r {
	case ' ':
		return "space"
	case utf8.RuneError:
		return "a broken byte"
	}
	return text.Safe(string(r))
}
