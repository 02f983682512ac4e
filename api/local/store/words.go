package store

import (
	"database/sql/driver"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"modernc.org/sqlite"
)

func init() {
	sqlite.MustRegisterDeterministicScalarFunction("has_words", 2, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		text, _ := args[0].(string)
		query, _ := args[1].(string)
		return wordsMatch(text, query), nil
	})
}

// wordsMatch reports whether text contains every word of query, in any case; the last one as a
// prefix. Spaces and punctuation separate words.
func wordsMatch(text, query string) bool {
	have, want := splitAtPunctuation(text), splitAtPunctuation(query)
	for i, word := range want {
		last := i == len(want)-1
		if !slices.ContainsFunc(have, func(w string) bool { return w == word || last && strings.HasPrefix(w, word) }) {
			return false
		}
	}
	return len(want) > 0
}

func splitAtPunctuation(text string) []string {
	return strings.FieldsFunc(strings.ToLower(norm.NFC.String(text)), func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M, unicode.N)
	})
}
