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

// redacted replaces a key wherever it is printed.
const redacted = "[redacted]"

// maxSecret is the maximum length of a key in bytes. A longer text may not fit into a request header, and is
// far more likely to be the wrong file.
const maxSecret = 4096

// ErrBadSecret is wrapped by every error of NewSecret.
var ErrBadSecret = errors.New("this cannot be a private key")

// Secret holds a private key and never prints it: String, GoString, every verb of package fmt, text and JSON
// encoding and slog all produce "[redacted]". Only Reveal returns the key.
//
// The zero value holds no key. Compare with Equal; == compares identity.
type Secret struct {
	// A pointer, because fmt prints unexported fields of other packages' structs without calling their
	// methods. For a nested pointer it prints only the address.
	key *string
}

// NewSecret returns a Secret. It removes line ends at the end of text. It rejects an empty key, one that
// contains spaces, control or invisible characters, and one longer than 4,096 bytes; the error does not
// contain the key.
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

// Reveal returns the key, or "". Use it only for the Authorization header and the keyring.
func (s Secret) Reveal() string {
	if s.key == nil {
		return ""
	}
	return *s.key
}

// IsZero reports whether s holds no key.
func (s Secret) IsZero() bool { return s.key == nil }

// Equal reports whether both hold the same key, or none, in constant time.
func (s Secret) Equal(other Secret) bool {
	return s.IsZero() == other.IsZero() &&
		subtle.ConstantTimeCompare([]byte(s.Reveal()), []byte(other.Reveal())) == 1
}

// String returns "[redacted]".
func (Secret) String() string { return redacted }

// GoString returns "[redacted]", for %#v.
func (Secret) GoString() string { return redacted }

// Format writes "[redacted]" for every verb and flag.
func (Secret) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, redacted) }

// MarshalText returns "[redacted]", so that no encoder writes a key into a file.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// MarshalJSON returns "[redacted]" as a JSON string.
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// LogValue returns "[redacted]".
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }
