package delivery

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/hex"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// forever is the expiry of a signature that never expires.
const forever = "9999999999"

func sum(key, text string) []byte {
	h := hmac.New(sha1.New, []byte(key))
	h.Write([]byte(text))
	return h.Sum(nil)
}

// Expires returns until when a signed address holds. An address that never expires and one
// without a signature give a time far ahead.
func Expires(u *url.URL) time.Time {
	seconds, err := strconv.ParseInt(cmp.Or(u.Query().Get("ik-t"), forever), 10, 64)
	if err != nil {
		seconds = 0
	}
	return time.Unix(seconds, 0)
}

// Signed reports whether an address carries a valid signature over its path and the rest of its
// query. Clients sign the path escaped or not, with or without the first slash; all these forms are
// accepted.
func Signed(key string, u *url.URL, now time.Time) bool {
	query := u.Query()
	got, err := hex.DecodeString(query.Get("ik-s"))
	if err != nil || len(got) != sha1.Size {
		return false
	}
	until := cmp.Or(query.Get("ik-t"), forever)
	// Path and expiry are signed without a separator, so the expiry needs a fixed length.
	if len(until) != len(forever) || until[0] == '+' || now.Unix() > Expires(u).Unix() {
		return false
	}
	rests := []string{""}
	if rest := unsigned(u.RawQuery); rest != "" {
		rests = []string{"?" + rest}
		if plain, err := url.QueryUnescape(rest); err == nil && plain != rest {
			rests = append(rests, "?"+plain)
		}
	}
	for _, path := range []string{u.Path, u.EscapedPath()} {
		for _, rest := range rests {
			for _, text := range []string{path, strings.TrimPrefix(path, "/"), strings.TrimLeft(path, "/")} {
				if hmac.Equal(got, sum(key, text+rest+until)) {
					return true
				}
			}
		}
	}
	return false
}

// unsigned returns a query without signature and expiry.
func unsigned(query string) string {
	var kept []string
	for part := range strings.SplitSeq(query, "&") {
		if part != "" && !strings.HasPrefix(part, "ik-t=") && !strings.HasPrefix(part, "ik-s=") {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, "&")
}
