package watch

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxSkew is how far the service's clock may be ahead. A webhook may be as old as its address,
// because some services sign once and retry for hours, and a replay changes nothing.
const maxSkew = 5 * time.Minute

const (
	notSigned = "it is not signed, but the profile requires a signature"
	forged    = "its signature does not match"
)

// checkSignature checks whether a webhook is signed with one of the secrets, in either form of the
// hosted service: Standard Webhooks (webhook-id, webhook-timestamp in seconds, webhook-signature
// with "v1," and base64) or its older one (x-ik-signature: t=<milliseconds>,v1=<hex>). If both are
// present, one match is enough. It returns why the webhook is not authentic, or "".
func checkSignature(h http.Header, body []byte, secrets []string, now time.Time) (reason string) {
	reason = notSigned
	if header := h.Get("X-Ik-Signature"); header != "" {
		reason = forged
		if checkOlder(header, body, secrets, now) {
			return ""
		}
	}
	if list := h.Get("Webhook-Signature"); list != "" {
		reason = forged
		if checkStandard(h.Get("Webhook-Id"), h.Get("Webhook-Timestamp"), list, body, secrets, now) {
			return ""
		}
	}
	return reason
}

func checkOlder(header string, body []byte, secrets []string, now time.Time) bool {
	var stamp string
	var sums [][]byte
	for part := range strings.SplitSeq(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "t":
			stamp = value
		case "v1":
			if sum, err := hex.DecodeString(value); err == nil {
				sums = append(sums, sum)
			}
		}
	}
	ms, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || !timely(time.UnixMilli(ms), now) {
		return false
	}
	return anyMatches(sums, secrets, stamp+".", body)
}

func checkStandard(id, stamp, list string, body []byte, secrets []string, now time.Time) bool {
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || id == "" || !timely(time.Unix(seconds, 0), now) {
		return false
	}
	var sums [][]byte
	for part := range strings.FieldsSeq(list) {
		version, value, _ := strings.Cut(part, ",")
		if sum, err := base64.StdEncoding.DecodeString(value); err == nil && version == "v1" {
			sums = append(sums, sum)
		}
	}
	return anyMatches(sums, secrets, id+"."+stamp+".", body)
}

func timely(t, now time.Time) bool { return t.After(now.Add(-HookTTL)) && t.Before(now.Add(maxSkew)) }

// anyMatches compares sums with those of all possible keys of the secrets.
func anyMatches(sums [][]byte, secrets []string, before string, body []byte) bool {
	var keys [][]byte
	for _, secret := range secrets {
		keys = append(keys, keysOf(secret)...)
	}
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(before))
		mac.Write(body)
		want := mac.Sum(nil)
		if slices.ContainsFunc(sums, func(sum []byte) bool { return hmac.Equal(sum, want) }) {
			return true
		}
	}
	return false
}

// keysOf returns the possible keys of a secret: its text and, if it is base64 with or without the
// prefix "whsec_", the decoded bytes.
func keysOf(secret string) [][]byte {
	keys := [][]byte{[]byte(secret)}
	encoded := strings.TrimPrefix(secret, "whsec_")
	if encoded != secret && encoded != "" {
		keys = append(keys, []byte(encoded))
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding} {
		if key, err := encoding.DecodeString(encoded); err == nil && len(key) > 0 {
			return append(keys, key)
		}
	}
	return keys
}
