package text

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
	// A path, an address or a name like maxTags at the beginning stays as it is;
	// what was being done ("upload: no answer") does not.
	word, _, _ := strings.Cut(text, " ")
	word = strings.TrimSuffix(word, ":")
	if !strings.ContainsAny(word, "/\\_.:=") && !strings.ContainsFunc(word, unicode.IsUpper) {
		text = Capital(text)
	}
	return Stop(text)
}

// Stop ends text with a full stop, unless it ends like a sentence; empty text
// stays so.
func Stop(text string) string {
	if last, n := utf8.DecodeLastRuneInString(text); n > 0 && !strings.ContainsRune(".!?…", last) {
		text += "."
	}
	return text
}

// Capital begins text with a capital letter.
func Capital(text string) string {
	first, n := utf8.DecodeRuneInString(text)
	if n == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + text[n:]
}
