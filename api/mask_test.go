package api

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"mediadesk/api/media/mediatest"
)

// TestMask: the key is masked in its usual spellings, and nothing else is.
func TestMask(t *testing.T) {
	const key = "private_Zq3/x+Rm8Lw0Kp5Tn2Vb7Yc4="
	m := maskerOf(func() string { return key })()
	quoted, err := json.Marshal(key)
	mediatest.Must(t, err)
	for _, spelling := range []string{
		key, url.QueryEscape(key), url.PathEscape(key), strings.ToLower(url.QueryEscape("/+=")) + key, strings.Trim(string(quoted), `"`),
		strings.ReplaceAll(key, "/", `\/`), base64.StdEncoding.EncodeToString([]byte(key + ":")), base64.RawURLEncoding.EncodeToString([]byte(key + ":")),
		base64.StdEncoding.EncodeToString([]byte(key)),
		base64.StdEncoding.EncodeToString([]byte(key + ":password")),
		url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(key + ":"))),
	} {
		got := m.Replace(`{"message":"bad key ` + spelling + `!"}`)
		if secret := key[8:]; !strings.Contains(got, masked) || strings.Contains(got, secret[:8]) ||
			strings.Contains(got, spelling[:len(spelling)-8]) {
			t.Errorf("%q became %q", spelling, got)
		}
	}
	for _, text := range []string{"", "private_photos", `{"tags":["private_","key"],"url":"https://a/%zz%20\u00e9\/"}`, "%", `\u00`, "Basic cHJpdmF0ZV8="} {
		if got := m.Replace(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := maskerOf(func() string { return "abc" })().Replace("abc"); got != "abc" {
		t.Error(got)
	}
}
