package store

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// dialect translates the queries of this package, which are written for
// SQLite. The nil dialect changes nothing. PostgreSQL gets functions with the names of
// SQLite's (see postgres.sql), so that little is left to translate.
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

// values are the arguments as columns take them: SQLite has no type for a bool, so none
// of the columns has it.
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

// storable replaces what a PostgreSQL text cannot have: NUL, and bytes that are no
// UTF-8.
func storable(text string) string {
	if utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 {
		return text
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}
