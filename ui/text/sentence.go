package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence capitalizes text and ends it with a full stop.
func Sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	// Keep the case of a path, an address or a name like maxTags at the beginning, but not
	// that of a verb ("upload: no answer").
	word, _, _ := strings.Cut(text, " ")
	word = strings.TrimSuffix(word, ":")
	if !strings.ContainsAny(word, "/\\_.:=") && !strings.ContainsFunc(word, unicode.IsUpper) {
		text = Capital(text)
	}
	return Stop(text)
}

// Stop ends text with a full stop, unless it already ends like a sentence or is empty.
func Stop(text string) string {
	if last, n := utf8.DecodeLastRuneInString(text); n > 0 && !strings.ContainsRune(".!?…", last) {
		text += "."
	}
	return text
}

// Capital capitalizes the first letter of text.
func Capital(text string) string {
	first, n := utf8.DecodeRuneInString(text)
	if n == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + text[n:]
}

// If returns words if is, otherwise "", such as the reason why an action is disabled.
func If(is bool, words string) string {
	if is {
		return words
	}
	return ""
}
