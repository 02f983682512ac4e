package store

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// dialect translates queries, which are written for SQLite. The nil dialect changes nothing. For
// PostgreSQL, postgres.sql defines SQLite's functions, so there is little to translate.
type dialect struct{ queries *strings.Replacer }

// query translates a query and numbers its parameters.
func (d *dialect) query(text string) string {
	if d == nil {
		return text
	}
	parts := strings.Split(d.queries.Replace(text), "?")
	var b strings.Builder
	for n, part := range parts {
		if n > 0 {
			b.WriteString("$" + strconv.Itoa(n))
		}
		b.WriteString(part)
	}
	return b.String()
}

// values converts arguments to column types: bools are stored as integers.
func (d *dialect) values(args []any) []any {
	if d == nil {
		return args
	}
	for i, arg := range args {
		switch v := arg.(type) {
		case bool:
			args[i] = 0
			if v {
				args[i] = 1
			}
		case string:
			args[i] = storable(v)
		}
	}
	return args
}

// storable replaces what PostgreSQL cannot store in a text: NUL and invalid UTF-8.
func storable(text string) string {
	if utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 {
		return text
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}
