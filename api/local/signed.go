package local

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/local/delivery"
	"mediadesk/api/local/store"
)

// signedParts are what signs an upload from a web page, without the key (hosted-service.md §14).
var signedParts = []string{"signature", "publicKey", "token", "expire"}

const signatureTTL = time.Hour

// PublicKey returns the public key for a private key, which names the library in such uploads.
func PublicKey(private interface{ Reveal() string }) string {
	key := delivery.Sign(sha256.New, private.Reveal(), "public key")[:18]
	return "public_" + base64.RawURLEncoding.EncodeToString(key)
}

// allowPages lets pages of all sites read the answer. It reports whether it has answered a
// preflight request.
func allowPages(w http.ResponseWriter, r *http.Request) bool {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", requestIDHeader+", X-Request-Id")
	h.Set("X-Request-Id", h.Get(requestIDHeader)) // the browser SDK looks here
	if r.Method != http.MethodOptions {
		return false
	}
	h.Set("Access-Control-Allow-Methods", http.MethodPost)
	w.WriteHeader(http.StatusNoContent)
	return true
}

// maxKeyless limits the concurrent uploads without the key, which pages of all sites can send.
const maxKeyless = 32

// admit checks the parts of an upload without the key. The token is used up even if the upload fails.
func (l *Library) admit(r *http.Request, f *form) error {
	check, name := l.checkSignature, "signature"
	if r.Pattern == uploadPathV2 {
		check, name = l.checkJWT, "token"
	}
	if !f.keyless {
		if f.seen[name] {
			return badRequest("Your request contains both "+name+" and basic auth parameter.",
				"Send the private key, or what signs the upload.")
		}
		return nil
	}
	expire, err := check(f.texts)
	if err != nil {
		return err
	}
	token := f.texts["token"]
	sum := sha256.Sum256([]byte(token))
	err = l.records.Update(r.Context(), func(tx store.Tx) error {
		return tx.Library.UseToken(hex.EncodeToString(sum[:]), expire, l.now())
	})
	used := badRequest("The token with value '"+api.Clip(token, 120)+"' has been used before.", "Use a new token for each attempt.")
	return store.Replaced(err, store.ErrExists, used)
}

func (l *Library) checkSignature(parts map[string]string) (expire time.Time, err error) {
	missing := 0
	for _, name := range signedParts {
		if parts[name] == "" {
			missing++
			err = badRequest("Your request is missing "+name+" parameter.", "An upload without the private key needs "+strings.Join(signedParts, ", ")+".")
		}
	}
	if missing == len(signedParts) {
		err = errNoKey
	}
	if err != nil {
		return expire, err
	}
	if err := l.checkPublicKey(parts["publicKey"]); err != nil {
		return expire, err
	}
	seconds, err := strconv.ParseInt(parts["expire"], 10, 64)
	expire = time.Unix(seconds, 0)
	// Written otherwise, such as 017…, the signature would also fit a token without its last digits.
	plain := strconv.FormatInt(seconds, 10) == parts["expire"]
	if now := l.now(); err != nil || !plain || !expire.After(now) || !expire.Before(now.Add(signatureTTL)) {
		return expire, badRequest("Your request contains invalid expire parameter. Expire parameter should be a Unix time in less than 1 hour into the future.", "Write it in plain digits. Sign shortly before the upload and check your clock.")
	}
	expected := hex.EncodeToString(delivery.Sign(sha1.New, l.o.Key.Reveal(), parts["token"]+parts["expire"]))
	if !hmac.Equal([]byte(expected), []byte(parts["signature"])) {
		return expire, badRequest("Your request contains invalid signature parameter.", "Send the HMAC-SHA1 of token and expire under the private key, in lower-case hexadecimal.")
	}
	return expire, nil
}

func (l *Library) checkPublicKey(given string) error {
	if key := PublicKey(l.o.Key); given != key {
		return refuse(http.StatusForbidden, notAuthenticated, "The public key of this library is "+key+".")
	}
	return nil
}

func (l *Library) checkJWT(parts map[string]string) (expire time.Time, err error) {
	token := parts["token"]
	if token == "" {
		return expire, badRequest("Your request is missing token parameter.", "An upload without the private key needs a token: a JWT that signs its fields.")
	}
	head, rest, _ := strings.Cut(token, ".")
	body, signature, _ := strings.Cut(rest, ".")
	var header struct{ Alg, Typ, Kid string }
	var payload map[string]any
	signed := delivery.Sign(sha256.New, l.o.Key.Reveal(), head+"."+body)
	expected := base64.RawURLEncoding.EncodeToString(signed)
	if !hmac.Equal([]byte(expected), []byte(signature)) || decodeJWT(head, &header) != nil ||
		decodeJWT(body, &payload) != nil || header.Alg != "HS256" || header.Typ != "JWT" {
		return expire, badRequest("Your request contains invalid token parameter.", `Send a JWT with the header {"alg":"HS256","typ":"JWT","kid":PUBLIC_KEY}, signed by the private key.`)
	}
	if err := l.checkPublicKey(header.Kid); err != nil {
		return expire, err
	}
	issued, ok1 := payload["iat"].(float64)
	end, ok2 := payload["exp"].(float64)
	if !ok1 || !ok2 || end > issued+signatureTTL.Seconds() {
		return expire, badRequest("Your request contains invalid token parameter: iat and exp do not fit.", "Send Unix times with exp at most one hour after iat.")
	}
	if expire = time.Unix(int64(end), 0); !expire.After(l.now()) || expire.After(l.now().Add(signatureTTL)) {
		return expire, badRequest("Your request contains an expired token.", "Sign shortly before the upload and check your clock.")
	}
	delete(payload, "iat")
	delete(payload, "exp")
	var wrong []string
	for name, value := range parts {
		if name != "token" && payload[name] != value {
			wrong = append(wrong, name)
		}
		delete(payload, name)
	}
	wrong = slices.AppendSeq(wrong, maps.Keys(payload))
	if len(wrong) > 0 {
		return expire, badRequest("The field "+quote(slices.Min(wrong))+" of your request is not the one that the token signs.", "The payload of the token has all fields but file and token, as texts.")
	}
	return expire, nil
}

func decodeJWT(text string, into any) error {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, into)
}
