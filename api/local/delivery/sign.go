package delivery

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // the form of signature that the clients of hosted services make
	"encoding/hex"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// forever is the expiry that a signature without one is made with.
const forever = "9999999999"

// Sign returns the query of a signed address for path, which stands before it
// unescaped: HMAC-SHA1 under the private key over the path without its first
// slash and the expiry in seconds since 1970. A zero time never expires.
func Sign(key, path string, expires time.Time) string {
	until := forever
	query := ""
	if !expires.IsZero() {
		until = strconv.FormatInt(expires.Unix(), 10)
		query = "ik-t=" + until + "&"
	}
	return query + "ik-s=" + hex.EncodeToString(sum(key, strings.TrimPrefix(path, "/")+until))
}

func sum(key, text string) []byte {
	h := hmac.New(sha1.New, []byte(key))
	h.Write([]byte(text)) //nolint:errcheck // a hash takes everything
	return h.Sum(nil)
}

// Signed reports whether an address carries a signature that holds now.
// Clients differ in whether they sign the path escaped and with its first
// slash; each of those is as strong as the others.
func Signed(key string, u *url.URL, now time.Time) bool {
	query := u.Query()
	got, err := hex.DecodeString(query.Get("ik-s"))
	if err != nil || len(got) != sha1.Size {
		return false
	}
	until := query.Get("ik-t")
	if until == "" {
		until = forever
	}
	seconds, err := strconv.ParseInt(until, 10, 64)
	if err != nil || now.Unix() > seconds {
		return false
	}
	rest := ""
	if steps := query.Get("tr"); steps != "" {
		rest = "?tr=" + steps
	}
	for _, path := range []string{u.Path, u.EscapedPath()} {
		for _, text := range []string{path, strings.TrimPrefix(path, "/")} {
			if hmac.Equal(got, sum(key, text+rest+until)) {
				return true
			}
		}
	}
	return false
}
