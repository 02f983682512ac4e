package account

import (
	"errors"

	"mediadesk/api"
	"mediadesk/config"
	"mediadesk/ui/text"
)

// Explain describes an error of the settings, a key or the keyring, and what to do about it, one
// sentence per line. Of several problems in the settings file, it describes the first. It never
// contains a key.
func Explain(err error) string {
	if problem, ok := errors.AsType[*config.FileError](err); ok {
		return text.Sentence(problem.Error())
	}
	if missing, ok := errors.AsType[*config.NoKeyError](err); ok {
		words := "No private key was found for the account " + missing.Profile + "."
		if problem, ok := errors.AsType[config.KeyringProblem](missing.Keyring); ok &&
			problem != config.KeyringNotFound {
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

// describeKeyring describes an error, one of the keyring without advice: the choices beside it say
// what to do.
func describeKeyring(err error) string {
	if known, ok := errors.AsType[*config.KeyringError](err); ok {
		return text.Sentence(known.Describe())
	}
	return text.Sentence(err.Error())
}
