package uitest

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// keyBytes maps named keys to what a terminal sends. Escape uses the newer
// keyboard protocol: a program reads a bare ESC followed by another key as alt with that
// key, and only sleeping would separate them.
var keyBytes = map[string]string{
	"enter": "\r", "tab": "\t", "esc": "\x1b[27u", "space": " ", "backspace": "\x7f",
	"shift+tab": "\x1b[Z", "insert": "\x1b[2~", "delete": "\x1b[3~",
	"pgup": "\x1b[5~", "pgdown": "\x1b[6~",
	"f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS",
	"f5": "\x1b[15~", "f6": "\x1b[17~", "f7": "\x1b[18~", "f8": "\x1b[19~",
	"f9": "\x1b[20~", "f10": "\x1b[21~", "f11": "\x1b[23~", "f12": "\x1b[24~",
	"ctrl+space": "\x00", "ctrl+@": "\x00", "ctrl+\\": "\x1c", "ctrl+]": "\x1d",
}

var arrowBytes = map[string]string{
	"up": "A", "down": "B", "right": "C", "left": "D", "end": "F", "home": "H",
}

func encodeKey(name string) (string, error) {
	if b, ok := keyBytes[name]; ok {
		return b, nil
	}
	if utf8.RuneCountInString(name) == 1 {
		return name, nil
	}
	mods, base := 1, name
	for found := true; found; {
		found = false
		for i, prefix := range []string{"shift+", "alt+", "ctrl+"} {
			if rest, ok := strings.CutPrefix(base, prefix); ok && rest != "" {
				mods += 1 << i
				base, found = rest, true
			}
		}
	}
	if letter, ok := arrowBytes[base]; ok {
		if mods == 1 {
			return "\x1b[" + letter, nil
		}
		return fmt.Sprintf("\x1b[1;%d%s", mods, letter), nil
	}
	switch rest := mods - 1; {
	case rest == 4 && len(base) == 1 && base[0] >= 'a' && base[0] <= 'z':
		return string(rune(base[0] & 0x1f)), nil
	case rest == 2 && utf8.RuneCountInString(base) == 1:
		return "\x1b" + base, nil
	case rest == 2 && base == "backspace":
		return "\x1b\x7f", nil
	}
	// Everything else uses the newer keyboard protocol.
	code := map[string]int{"enter": 13, "tab": 9, "esc": 27, "space": 32, "backspace": 127}[base]
	if utf8.RuneCountInString(base) == 1 {
		r, _ := utf8.DecodeRuneInString(base)
		code = int(r)
	}
	if code == 0 {
		return "", fmt.Errorf("no terminal key is called %q", name)
	}
	return fmt.Sprintf("\x1b[%d;%du", code, mods), nil
}
