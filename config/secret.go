package config

import (
	"cmp"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"
)

const redacted = "[redacted]"

// maxSecret is the maximum length of a key in bytes. A longer text may not fit into a request
// header, and is far more likely to be the wrong file.
const maxSecret = 4096

// ErrBadSecret is wrapped by every error of NewSecret.
var ErrBadSecret = errors.New("this cannot be a private key")

// Secret holds a private key and never prints it: every verb of package fmt, text and JSON encoding
// and slog all produce "[redacted]". Only Reveal returns the key.
//
// The zero value holds no key. Compare with Equal; == compares identity.
type Secret struct {
	// A pointer, because fmt prints unexported fields of other packages' structs without calling their
	// methods. For a nested pointer it prints only the address.
	key *string
}

// NewSecret returns a Secret. It removes line ends at the end of text. It rejects an empty key,
// one that contains spaces, control or invisible characters, and one longer than 4,096 bytes; the
// error does not contain the key.
func NewSecret(text string) (Secret, error) {
	text = strings.TrimRight(text, "\r\n")
	switch {
	case text == "":
		return Secret{}, fmt.Errorf("%w: it is empty", ErrBadSecret)
	case len(text) > maxSecret:
		return Secret{}, fmt.Errorf("%w: it has %d bytes; the maximum is %d", ErrBadSecret, len(text), maxSecret)
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

// Format writes "[redacted]" for every verb and flag.
func (Secret) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, redacted) }

// MarshalText returns "[redacted]", so that no encoder writes a key into a file.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// RemoveSecrets removes the secrets from the environment of this process, so that no child process
// (editor, clipboard tool, browser) inherits them. It returns an os.Getenv that still knows them.
// Call it once, before starting any process.
func RemoveSecrets() (getenv func(string) string) {
	taken := map[string]string{}
	for _, name := range []string{KeyVariable, SecretVariable, DatabaseVariable} {
		if value, ok := os.LookupEnv(name); ok && os.Unsetenv(name) == nil {
			taken[name] = value
		}
	}
	return func(name string) string { return cmp.Or(taken[name], os.Getenv(name)) }
}

// SecretVariable is the environment variable with the secret for webhook signatures.
const SecretVariable = "MEDIADESK_WEBHOOK_SECRET"

// WebhookSecrets returns the secrets with which a profile's service may sign webhooks: from the
// profile's file, one per line, otherwise from SecretVariable, separated by spaces. There are
// several while a secret is being replaced. No secrets and no error means that webhooks are not
// signed, as with the local library.
func (k *Keys) WebhookSecrets(p Profile) ([]Secret, error) {
	if p.Kind == KindLocal {
		return nil, nil
	}
	if p.WebhookSecretFile == "" {
		secrets, err := secretsOf(k.getenv(SecretVariable))
		if err != nil {
			err = fmt.Errorf("the webhook secret in %s cannot be used: %w", SecretVariable, err)
		}
		return secrets, err
	}
	path := expandHome(p.WebhookSecretFile)
	var secrets []Secret
	file, err := openKeyFile(path, ownerOnly)
	if err == nil {
		defer file.Close()
		var text []byte
		if text, err = io.ReadAll(io.LimitReader(file, 10*maxSecret)); err == nil {
			secrets, err = secretsOf(string(text))
		}
	}
	if err == nil && len(secrets) == 0 {
		_, err = NewSecret("")
	}
	if err != nil {
		return nil, fmt.Errorf("the webhook secret of profile %q in %q cannot be used: %w", p.Name, path, err)
	}
	return secrets, nil
}

func secretsOf(text string) ([]Secret, error) {
	var secrets []Secret
	for word := range strings.FieldsSeq(text) {
		secret, err := NewSecret(word)
		if err != nil {
			return nil, err
		}
		secrets = append(secrets, secret)
	}
	return secrets, nil
}

// DatabaseVariable is the environment variable with the address of the served library's database.
// Unlike the flag and the setting, it may contain a password.
const DatabaseVariable = "MEDIADESK_DATABASE"

// CheckDatabase returns an error unless address is a PostgreSQL address. A password in it is an
// error unless password is set. The error does not repeat the address.
func CheckDatabase(address string, password bool) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return errors.New("give the URL of a PostgreSQL database, such as postgres://mediadesk@db.example/media")
	}
	if !password && len(DatabaseSecrets(address)) > 0 {
		return errors.New("a password there can be seen by others: set " + DatabaseVariable + ", or name a password file with ?passfile=FILE")
	}
	return nil
}

// DatabaseSecrets returns the passwords in the address of a database.
func DatabaseSecrets(address string) (secrets []string) {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	if password, ok := u.User.Password(); ok {
		secrets = append(secrets, password)
	}
	for _, name := range []string{"password", "sslpassword"} {
		secrets = append(secrets, u.Query()[name]...)
	}
	return secrets
}

// ShownDatabase describes the database at an address without its secrets; "" for an empty address.
func ShownDatabase(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" {
		return ""
	}
	host, name := cmp.Or(u.Host, u.Query().Get("host")), strings.TrimPrefix(u.Path, "/")
	return "PostgreSQL database " + name + " at " + host
}

// Permission bits that a key file must not have.
const (
	ownerOnly    fs.FileMode = 0o077
	notForOthers fs.FileMode = 0o007 // group allowed: systemd shows its access list there
)

func readKeyFile(path string, forbidden fs.FileMode) (Secret, error) {
	file, err := openKeyFile(path, forbidden)
	if err != nil {
		return Secret{}, err
	}
	defer file.Close()
	return readKey(file)
}

func openKeyFile(path string, forbidden fs.FileMode) (*os.File, error) {
	// Nonblocking, because opening a FIFO waits for a writer.
	file, err := os.OpenFile(path, os.O_RDONLY|openWithoutWaiting, 0)
	if err != nil {
		return nil, fmt.Errorf("it cannot be opened (%w): check the path and its permissions", cause(err))
	}
	info, err := file.Stat()
	switch {
	case err != nil:
		err = fmt.Errorf("it cannot be looked at: %w", cause(err))
	case !info.Mode().IsRegular():
		err = errors.New("it is not a regular file")
	default:
		err = checkOwner(info, forbidden)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

func readKey(r io.Reader) (Secret, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxSecret+3)) // of a line end, and a byte too many
	if err != nil {
		return Secret{}, fmt.Errorf("it cannot be read: %w", cause(err))
	}
	return NewSecret(string(data))
}

// OpenFD returns the file descriptor of --key-fd, for Keys.FD; 0 is standard input. Close it after
// the first Find. An error is a *SourceError.
func OpenFD(fd int) (*os.File, error) {
	fail := func(problem string) (*os.File, error) {
		return nil, &SourceError{SourceFD, fmt.Errorf("--key-fd %d: %s", fd, problem)}
	}
	file := os.NewFile(uintptr(fd), fmt.Sprintf("file descriptor %d", fd))
	if file == nil {
		return fail("there is no such file descriptor")
	}
	if _, err := file.Stat(); err != nil {
		return fail("nothing is open there: open it as in 3< FILE")
	}
	return file, nil
}
