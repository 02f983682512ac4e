package account

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"mediadesk/api"
	"mediadesk/config"
	"mediadesk/ui/text"
)

// Explain describes an error of the settings, a key or the keyring, and what to do about it, one sentence per line.
// It never contains a key.
func Explain(err error) string {
	var files []string
	for _, problem := range fileErrors(err) {
		files = append(files, text.Sentence(problem.Error()))
	}
	if len(files) > 0 {
		return strings.Join(files, "\n")
	}
	if missing, ok := errors.AsType[*config.NoKeyError](err); ok {
		words := "No private key was found for the account " + missing.Profile + "."
		if problem, ok := errors.AsType[config.KeyringProblem](missing.Keyring); ok && problem != config.KeyringNotFound {
			words += "\n" + describeKeyring(missing.Keyring)
		}
		return words
	}
	words, hint := describeKeyring(err), api.Hint(err)
	if _, ok := errors.AsType[*config.KeyringError](err); ok || hint == "" {
		return words
	}
	return words + "\n" + text.Sentence(hint)
}

// describeKeyring describes an error, one of the keyring without advice: the choices beside it say what to do.
func describeKeyring(err error) string {
	if known, ok := errors.AsType[*config.KeyringError](err); ok {
		return text.Sentence(known.Describe())
	}
	return text.Sentence(err.Error())
}

// fileErrors returns the settings file errors that err wraps.
func fileErrors(err error) (list []*config.FileError) {
	switch inner := err.(type) { //nolint:errorlint // the chain is walked here
	case *config.FileError:
		return []*config.FileError{inner}
	case interface{ Unwrap() []error }:
		for _, e := range inner.Unwrap() {
			list = append(list, fileErrors(e)...)
		}
	case interface{ Unwrap() error }:
		list = fileErrors(inner.Unwrap())
	}
	return list
}

// splitCommand splits a command at blanks like a shell, with quotes. A backslash protects only a blank or a quote,
// because it also separates the folders of Windows paths. No shell runs, so nothing else is special.
func splitCommand(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	started, escaped := false, false
	var quote rune
	for i, r := range text {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'' && protects(text[i+1:]):
			escaped, started = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, started = r, true
		case unicode.IsSpace(r):
			if started {
				words = append(words, word.String())
				word.Reset()
				started = false
			}
		default:
			started = true
			word.WriteRune(r)
		}
	}
	switch {
	case quote != 0:
		return nil, errors.New("close the quote")
	case started:
		words = append(words, word.String())
	}
	return words, nil
}

// protects reports whether a backslash before rest protects its first character.
func protects(rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsSpace(next) || next == '"' || next == '\''
}

// joinCommand is the inverse of splitCommand.
func joinCommand(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if w == "" || strings.ContainsFunc(w, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"'\`, r) }) {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}
