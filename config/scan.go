package config

import (
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// entry is one header or one key with its value in the text of a settings file.
type entry struct {
	header bool     // [table]; else key = value
	table  []string // the table of the header above, nil at the top; for a header its own
	key    []string // the whole key, table included

	start, end           int // whole lines, with the line end
	valueStart, valueEnd int // only of key = value
	line                 int // from 1
}

// scan finds the headers and keys of a text. The text must be valid TOML: that was found out by the
// TOML library before, and is what keeps this short.
func scan(text string) []entry {
	s := scanner{text: text}
	var found []entry
	var table []string
	for {
		s.skip(" \t\r\n\ufeff")
		if s.pos >= len(s.text) {
			return found
		}
		if s.text[s.pos] == '#' {
			s.toLineEnd()
			continue
		}
		e := entry{start: s.lineStart(), line: strings.Count(s.text[:s.pos], "\n") + 1}
		if s.text[s.pos] == '[' {
			s.skip("[ \t")
			table = s.key()
			e.header, e.table, e.key = true, table, table
		} else {
			e.table = table
			e.key = append(append([]string{}, table...), s.key()...)
			s.skip("= \t")
			e.valueStart = s.pos
			s.value()
			e.valueEnd = s.pos
		}
		s.toLineEnd()
		e.end = s.pos
		found = append(found, e)
	}
}

type scanner struct {
	text string
	pos  int
}

func (s *scanner) skip(chars string) {
	rest := strings.TrimLeft(s.text[s.pos:], chars)
	s.pos = len(s.text) - len(rest)
}

// toLineEnd goes to the beginning of the next line.
func (s *scanner) toLineEnd() {
	if n := strings.IndexByte(s.text[s.pos:], '\n'); n >= 0 {
		s.pos += n + 1
		return
	}
	s.pos = len(s.text)
}

func (s *scanner) lineStart() int { return strings.LastIndexByte(s.text[:s.pos], '\n') + 1 }

// key reads a dotted key and stops behind it.
func (s *scanner) key() []string {
	var key []string
	for {
		s.skip(" \t")
		start := s.pos
		if s.pos < len(s.text) && (s.text[s.pos] == '"' || s.text[s.pos] == '\'') {
			s.quoted()
			key = append(key, unquote(s.text[start:s.pos]))
		} else {
			for s.pos < len(s.text) && isBareKeyRune(rune(s.text[s.pos])) {
				s.pos++
			}
			key = append(key, s.text[start:s.pos])
		}
		s.skip(" \t")
		if s.pos >= len(s.text) || s.text[s.pos] != '.' {
			return key
		}
		s.pos++
	}
}

// value reads a value and stops behind it.
func (s *scanner) value() {
	depth := 0
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; {
		case c == '"' || c == '\'':
			s.quoted()
		case c == '[' || c == '{':
			depth++
			s.pos++
		case c == ']' || c == '}':
			depth--
			s.pos++
		case depth > 0 && c == '#':
			s.toLineEnd()
			continue
		case depth > 0:
			s.pos++
			continue
		default: // a number, a date, true or false
			n := strings.IndexAny(s.text[s.pos:], "#\n")
			if n < 0 {
				n = len(s.text) - s.pos
			}
			s.pos += len(strings.TrimRight(s.text[s.pos:s.pos+n], " \t\r"))
			return
		}
		if depth <= 0 {
			return
		}
	}
}

// quoted reads a string of any of the four kinds and stops behind it.
func (s *scanner) quoted() {
	quote := s.text[s.pos : s.pos+1]
	escapes := quote == `"`
	long := strings.HasPrefix(s.text[s.pos:], strings.Repeat(quote, 3))
	if long {
		quote = strings.Repeat(quote, 3)
	}
	s.pos += len(quote)
	for s.pos < len(s.text) && !strings.HasPrefix(s.text[s.pos:], quote) {
		if escapes && s.text[s.pos] == '\\' {
			s.pos++
		}
		s.pos++
	}
	s.pos = min(s.pos+len(quote), len(s.text))
	// Up to two quotes may stand right before the three that close.
	for n := 0; long && n < 2 && strings.HasPrefix(s.text[s.pos:], quote[:1]); n++ {
		s.pos++
	}
}

// unquote gives the text that a quoted key stands for.
func unquote(quoted string) string {
	var v struct {
		V string `toml:"v"`
	}
	if err := toml.Unmarshal([]byte("v = "+quoted), &v); err != nil {
		return quoted
	}
	return v.V
}

func isBareKeyRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
}

// joinKey writes a dotted key as it stands in a file.
func joinKey(key []string) string {
	parts := make([]string, len(key))
	for i, part := range key {
		parts[i] = part
		if part == "" || strings.ContainsFunc(part, func(r rune) bool { return !isBareKeyRune(r) }) {
			parts[i] = encodeString(part)
		}
	}
	return strings.Join(parts, ".")
}

// hasPrefix says that key begins with prefix, or is it.
func hasPrefix(key, prefix []string) bool {
	if len(key) < len(prefix) {
		return false
	}
	for i := range prefix {
		if key[i] != prefix[i] {
			return false
		}
	}
	return true
}

// lineOf is the line where a key stands: its own, else that of the inline table it is in, else that of
// the first thing below it. 0 if nothing of it is in the file.
func lineOf(places []entry, key []string) int {
	within, below := 0, 0
	for _, e := range places {
		switch {
		case !e.header && len(e.key) == len(key) && hasPrefix(e.key, key):
			return e.line
		case !e.header && hasPrefix(key, e.key):
			within = e.line
		case e.header && len(e.key) > 0 && hasPrefix(key, e.key) && below == 0 && len(e.key) == len(key)-1:
			below = e.line
		case hasPrefix(e.key, key) && below == 0:
			below = e.line
		}
	}
	return or(within, below)
}
