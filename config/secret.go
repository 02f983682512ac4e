package config

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"unicode"
	"unicode/utf8"
)

// redacted is what every printing way of a Secret gives, and what a Redactor puts in a key's place.
const redacted = "[redacted]"

// maxSecret is the longest key that is taken for one, in bytes. A longer one would not fit into a
// request header everywhere and is far more likely to be a wrong file.
const maxSecret = 4096

// ErrBadSecret is in the chain of every error of NewSecret.
var ErrBadSecret = errors.New("this cannot be a private key")

// Secret holds a private key and never prints it: String, GoString, every verb of package fmt,
// text and JSON encoding and slog all give "[redacted]". Only Reveal gives the key.
//
// The zero value holds no key. Compare with Equal; == compares identity.
type Secret struct {
	// A pointer, because fmt prints the unexported fields of a foreign struct without asking
	// their methods: it shows the address of a nested pointer, never what it points to.
	key *string
}

// NewSecret makes a Secret of what a file, a command, the environment or a person gave. Line ends at
// the end are dropped. An empty key, one with spaces, control or invisible characters inside, and
// one above 4,096 bytes are refused; the error says why without the key.
func NewSecret(text string) (Secret, error) {
	text = strings.TrimRight(text, "\r\n")
	switch {
	case text == "":
		return Secret{}, fmt.Errorf("%w: it is empty", ErrBadSecret)
	case len(text) > maxSecret:
		return Secret{}, fmt.Errorf("%w: it has %d bytes, and %d are the most", ErrBadSecret, len(text), maxSecret)
	case !utf8.ValidString(text):
		return Secret{}, fmt.Errorf("%w: it is not text", ErrBadSecret)
	}
	for i, r := range text {
		if unicode.IsSpace(r) {
			return Secret{}, fmt.Errorf("%w: there is a space or a line break in it (at byte %d)", ErrBadSecret, i+1)
		}
		if !unicode.IsGraphic(r) {
			return Secret{}, fmt.Errorf("%w: there is an invisible character in it (at byte %d)", ErrBadSecret, i+1)
		}
	}
	return Secret{key: &text}, nil
}

// Reveal gives the key itself, "" if there is none. It belongs into the Authorization header and the
// keyring and nowhere else.
func (s Secret) Reveal() string {
	if s.key == nil {
		return ""
	}
	return *s.key
}

// IsZero says that s holds no key.
func (s Secret) IsZero() bool { return s.key == nil }

// Equal says that both hold the same key, or none, in a time that does not tell where they differ.
func (s Secret) Equal(other Secret) bool {
	return s.IsZero() == other.IsZero() &&
		subtle.ConstantTimeCompare([]byte(s.Reveal()), []byte(other.Reveal())) == 1
}

// String gives "[redacted]".
func (Secret) String() string { return redacted }

// GoString gives "[redacted]", for %#v.
func (Secret) GoString() string { return redacted }

// Format writes "[redacted]" for every verb and flag.
func (Secret) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, redacted) }

// MarshalText gives "[redacted]": a key is never written into a file by an encoder.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// MarshalJSON gives "[redacted]" as a JSON string.
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// LogValue gives "[redacted]" to package slog.
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }
