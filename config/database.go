package config

import (
	"cmp"
	"errors"
	"net/url"
	"strings"
)

// DatabaseVariable is the environment variable with the address of the served library's database. Unlike the
// flag and the setting, it may contain a password.
const DatabaseVariable = "MEDIADESK_DATABASE"

// passwordParameters are the secret parameters of an address.
var passwordParameters = []string{"password", "sslpassword"}

// CheckDatabase returns an error unless address is a PostgreSQL address. A password in it is an error unless
// password is set. The error does not repeat the address.
func CheckDatabase(address string, password bool) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return errors.New("give the address of a PostgreSQL database, such as postgres://mediadesk@db.example/media")
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
	for _, name := range passwordParameters {
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
