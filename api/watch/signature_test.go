package watch

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
)

func sum(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

func TestSignatures(t *testing.T) {
	key := []byte("thirty-two bytes of a secret key")
	encoded := "whsec_" + base64.StdEncoding.EncodeToString(key)
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	body := success
	own := func(key []byte, at time.Time, body string) http.Header {
		stamp := fmt.Sprint(at.UnixMilli())
		signature := hex.EncodeToString(sum(key, stamp+"."+body))
		return http.Header{"X-Ik-Signature": {"t=" + stamp + ",v1=" + signature}}
	}
	standard := func(key []byte, at time.Time, body string) http.Header {
		stamp := fmt.Sprint(at.Unix())
		return http.Header{
			"Webhook-Id": {"msg_1"}, "Webhook-Timestamp": {stamp},
			"Webhook-Signature": {"v1," + base64.StdEncoding.EncodeToString(sum(key, "msg_1."+stamp+"."+body))},
		}
	}
	edit := func(h http.Header, change func(http.Header)) http.Header {
		change(h)
		return h
	}
	tests := []struct {
		name   string
		h      http.Header
		secret string
		want   string
	}{
		{"none", http.Header{}, encoded, notSigned},
		{"own style, the text as key", own([]byte(encoded), now, body), encoded, ""},
		{"own style, decoded key", own(key, now, body), encoded, ""},
		{"standard, decoded key", standard(key, now, body), encoded, ""},
		{"standard, the text as key", standard([]byte("plain-secret!"), now, body), "plain-secret!", ""},
		{"standard, without the prefix", standard(key, now, body), strings.TrimPrefix(encoded, "whsec_"), ""},
		{"standard, one of several", edit(standard(key, now, body), func(h http.Header) {
			h.Set("Webhook-Signature", "v1a,xx v1,AAAA "+h.Get("Webhook-Signature"))
		}), encoded, ""},
		{"own style, spaces and more", edit(own(key, now, body), func(h http.Header) {
			h.Set("X-Ik-Signature", strings.ReplaceAll(h.Get("X-Ik-Signature"), ",", " , v0=1, "))
		}), encoded, ""},
		{"own style, hours late", own(key, now.Add(-23*time.Hour), body), encoded, ""},
		{"own style, too old", own(key, now.Add(-26*time.Hour), body), encoded, forged},
		{"own style, from the future", own(key, now.Add(time.Hour), body), encoded, forged},
		{"standard, too old", standard(key, now.Add(-26*time.Hour), body), encoded, forged},
		{"standard, from the future", standard(key, now.Add(time.Hour), body), encoded, forged},
		{"the second of two secrets", standard(key, now, body), "whsec_new " + encoded, ""},
		{"the second of two secrets, own style", own([]byte(encoded), now, body), "whsec_new " + encoded, ""},
		{"none of two secrets", own([]byte("wrong"), now, body), "whsec_new " + encoded, forged},
		{"signed with the old and the new secret", edit(standard([]byte("whsec_new"), now, body), func(h http.Header) {
			h.Set("Webhook-Signature", h.Get("Webhook-Signature")+" "+standard([]byte("whsec_old"), now, body).Get("Webhook-Signature"))
		}), "whsec_old", ""},
		{"another key", own([]byte("wrong"), now, body), encoded, forged},
		{"another key, standard", standard([]byte("wrong"), now, body), encoded, forged},
		{"another body", own(key, now, body+" "), encoded, forged},
		{"another id", edit(standard(key, now, body), func(h http.Header) { h.Set("Webhook-Id", "msg_2") }), encoded, forged},
		{"no id", edit(standard(key, now, body), func(h http.Header) { h.Del("Webhook-Id") }), encoded, forged},
		{"another time", edit(standard(key, now, body), func(h http.Header) { h.Set("Webhook-Timestamp", fmt.Sprint(now.Unix()-1)) }), encoded, forged},
		{"no time", edit(own(key, now, body), func(h http.Header) {
			_, v1, _ := strings.Cut(h.Get("X-Ik-Signature"), ",")
			h.Set("X-Ik-Signature", v1)
		}), encoded, forged},
		{"nonsense", http.Header{"X-Ik-Signature": {"hello"}, "Webhook-Signature": {"v1,%%%"}}, encoded, forged},
		{"empty sum", http.Header{"X-Ik-Signature": {"t=" + fmt.Sprint(now.UnixMilli()) + ",v1="}}, encoded, forged},
		{"one of both matches", edit(standard(key, now, body), func(h http.Header) { h.Set("X-Ik-Signature", "t=1,v1=00") }), encoded, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := checkSignature(tt.h, []byte(body), strings.Fields(tt.secret), now); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestOnlySignedPostsAreBelieved(t *testing.T) {
	defer http.DefaultClient.CloseIdleConnections()
	const secret = "whsec_c2VjcmV0c2VjcmV0"
	m := newJournal(t)
	_, address := receiver(t, m, Options{Secrets: func(profile string) []string {
		if profile == "home" {
			return []string{"another secret", secret}
		}
		return nil
	}})
	post := func(sign func(string) string) int {
		req, err := http.NewRequest(http.MethodPost, address, strings.NewReader(success))
		must(t, err)
		if sign != nil {
			req.Header.Set("X-Ik-Signature", sign(fmt.Sprint(time.Now().UnixMilli())))
		}
		res, err := http.DefaultClient.Do(req)
		must(t, err)
		io.Copy(io.Discard, res.Body)
		res.Body.Close()
		return res.StatusCode
	}
	mediatest.Equal(t, post(nil), http.StatusUnauthorized, "notSigned")
	if got := post(func(stamp string) string {
		return "t=" + stamp + ",v1=00"
	}); got != http.StatusUnauthorized {
		t.Errorf("forged: %d, want %d", got, http.StatusUnauthorized)
	}
	if run := theRun(t, m); run.Status != api.StatusPending {
		t.Errorf("believed: %+v", run)
	}
	if got := post(func(stamp string) string {
		return "t=" + stamp + ",v1=" + hex.EncodeToString(sum([]byte(secret), stamp+"."+success))
	}); got != http.StatusOK || theRun(t, m).Status != api.StatusSuccess {
		t.Errorf("signed: %d, %+v", got, theRun(t, m))
	}
}
