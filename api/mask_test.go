package api

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// TestMask: the key is masked in every spelling and place, and nothing else is.
func TestMask(t *testing.T) {
	const key = "private_Zq3/x+Rm8Lw0Kp5Tn2Vb7Yc4="
	m := newMasker(key)
	escaped := func(format string) string {
		var out strings.Builder
		for _, b := range []byte(key) {
			fmt.Fprintf(&out, format, b)
		}
		return out.String()
	}
	quoted, err := json.Marshal(key)
	if err != nil {
		t.Fatal(err)
	}
	for _, spelling := range []string{
		key, url.QueryEscape(key), url.PathEscape(key), strings.ToLower(url.QueryEscape("/+=")) + key, strings.Trim(string(quoted), `"`),
		strings.ReplaceAll(key, "/", `\/`), escaped(`%%%02x`), escaped(`%%%02X`), escaped(`\u%04x`), escaped(`\u%04X`),
		base64.StdEncoding.EncodeToString([]byte(key + ":")), base64.RawURLEncoding.EncodeToString([]byte(key + ":")),
		base64.StdEncoding.EncodeToString([]byte(key)), base64.StdEncoding.EncodeToString([]byte("user:" + key)), base64.URLEncoding.EncodeToString([]byte("it is " + key + "!")),
		url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(key + ":"))),
		hex.EncodeToString([]byte(key)), strings.ToUpper(hex.EncodeToString([]byte(key))),
		key[:len(key)-6], key[12:], key[9:26],
	} {
		for _, around := range []string{"%s", `{"message":"bad key %s!"}`, `{"a":"%%20\"","b":"%s"}`, strings.Repeat("x", maskWindow-20) + `\u0041%s`} {
			text := fmt.Sprintf(around, spelling)
			got := m.String(text)
			if secret := key[8:]; !strings.Contains(got, masked) || strings.Contains(got, spelling) || strings.Contains(got, secret[:8]) || strings.Contains(got, secret[8:16]) {
				t.Errorf("%.200q\nbecame %.200q", text, got)
			}
		}
	}
	for _, text := range []string{"", "private_photos", `{"tags":["private_","key"],"url":"https://a/%zz%20\u00e9\/"}`, "%", `\u00`, "Basic cHJpdmF0ZV8="} {
		if got := m.mask([]byte(text)); string(got) != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := newMasker("abc").String("abc"); got != "abc" {
		t.Error(got)
	}
	if got := newMasker("secret").String("a secret, c2VjcmV0Og== and %73ecret"); strings.Contains(got, "ecret") || strings.Contains(got, "c2Vj") {
		t.Error(got)
	}
}

// BenchmarkMask masks a listing of 1,000 records.
func BenchmarkMask(b *testing.B) {
	text := bytes.Repeat([]byte(`{"fileId":"6512f0a1","name":"a b.jpg","url":"https://ik.example/demo/a%20b.jpg","tags":["sea","sun"]},`), 10_000)
	m := newMasker("private_Zq3/x+Rm8Lw0Kp5Tn2Vb7Yc4=")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		m.mask(text)
	}
}
