package upload

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"mediadesk/api"
	"mediadesk/ui/text"
)

// letterKind is what became of one character of a name.
type letterKind int

const (
	letterSame    letterKind = iota // stays as it was typed
	letterChanged                   // the service writes _ for it
	letterSuffix                    // not known yet: a part of the unique suffix
)

// letter is one character of a stored name.
type letter struct {
	r    rune // as it will be stored; a placeholder for letterSuffix
	from rune // as it was typed
	kind letterKind
}

// placeholder stands for a character of a suffix that is not made yet.
const placeholder = '·'

// storedLetters is the name as the service will write it (service.md §4.1, fileName),
// character by character.
func storedLetters(name string, naming api.Naming) []letter {
	typed, other := name, name
	if naming != api.NameExact && name != "" {
		// Where two suffixes differ, the suffix stands.
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

// storedPath is the place as far as it is known before sending: folder and
// name as the service writes them, without a suffix.
func (o *options) storedPath() string { return o.entry.Path() }

// describeFolded says what becomes of repeated slashes in a folder; empty where
// there are none.
func describeFolded(folder string) string {
	if !strings.Contains(folder, "//") {
		return ""
	}
	clean, _ := api.CleanFolder(folder)
	return "// counts as one /: a folder without a name cannot be, so this is " + clean
}

// describeChanged says in words which characters are written as _; empty where
// none is.
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
