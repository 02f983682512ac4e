package kit

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence begins text with a capital letter and ends it with a full stop.
func Sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	first, n := utf8.DecodeRuneInString(text)
	// A path or an address at the beginning stays as it is.
	if word, _, _ := strings.Cut(text, " "); !strings.ContainsAny(word, "/\\_.:=") {
		text = string(unicode.ToUpper(first)) + text[n:]
	}
	if last, _ := utf8.DecodeLastRuneInString(text); !strings.ContainsRune(".!?…", last) {
		text += "."
	}
	return text
}
