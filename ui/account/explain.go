package account

import (
	"errors"
	"strings"
	"unicode"

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
		text := "No private key was found for the account " + missing.Profile + "."
		if problem, ok := errors.AsType[config.KeyringProblem](missing.Keyring); ok && problem != config.KeyringNotFound {
			text += "\n" + describeKeyring(missing.Keyring)
		}
		return text
	}
	if _, ok := errors.AsType[*config.KeyringError](err); ok {
		return describeKeyring(err)
	}
	words := text.Sentence(err.Error())
	if hint := api.Hint(err); hint != "" {
		words += "\n" + text.Sentence(hint)
	}
	return words
}

// describeKeyring describes a keyring error. The choices beside it say what to do.
func describeKeyring(err error) string {
	known, ok := errors.AsType[*config.KeyringError](err)
	if !ok {
		return text.Sentence(err.Error())
	}
	words := known.Problem.Error()
	if known.Cause != nil {
		words += " (" + known.Cause.Error() + ")"
	}
	return text.Sentence(words)
}

// fileErrors returns the settings file errors that err wraps.
func fileErrors(err error) []*config.FileError {
	if problem, ok := err.(*config.FileError); ok { //nolint:errorlint // the chain is walked here
		return []*config.FileError{problem}
	}
	var list []*config.FileError
	switch inner := err.(type) { //nolint:errorlint // the chain is walked here
	case interface{ Unwrap() []error }:
		for _, e := range inner.Unwrap() {
			list = append(list, fileErrors(e)...)
		}
	case interface{ Unwrap() error }:
		list = fileErrors(inner.Unwrap())
	}
	return list
}

// splitCommand splits a command at blanks like a shell, with quotes and backslashes. No shell runs, so nothing else
// is special.
func splitCommand(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	started, escaped := false, false
	var quote rune
	for _, r := range text {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
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
	case escaped:
		return nil, errors.New("remove the backslash at the end")
	case started:
		words = append(words, word.String())
	}
	return words, nil
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
