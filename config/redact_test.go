package config

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

func TestRedactorForms(t *testing.T) {
	for _, key := range []string{testKey, "private_abc", "k", "a<b>&\"c\\d", "schlüssel/+x", "ab", "abc", "abcd"} {
		var r Redactor
		r.Add(secretOf(t, key))
		request, err := http.NewRequest(http.MethodGet, "https://media.example.com/", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.SetBasicAuth(key, "")
		userURL := url.URL{Scheme: "https", User: url.User(key), Host: "h"}
		for _, text := range []string{
			key, "<" + key + ">",
			fmt.Sprintf("%+v", request.Header),
			"Basic " + base64.StdEncoding.EncodeToString([]byte(key+":")),
			"Basic " + base64.URLEncoding.EncodeToString([]byte(key+":")),
			"Basic " + base64.RawStdEncoding.EncodeToString([]byte(key)),
			"?k=" + url.QueryEscape(key), "/" + url.PathEscape(key) + "/", strings.ToLower(url.QueryEscape(key)),
			userURL.String(), fmt.Sprintf("%q", key),
		} {
			got := r.String("x " + text + " y")
			if key != "k" { // a single letter also appears in the rest of the output
				for _, form := range formsOf(key) {
					if strings.Contains(strings.ReplaceAll(got, redacted, ""), form) {
						t.Errorf("key %q: %q still has %q", key, got, form)
					}
				}
			}
			if !strings.Contains(got, redacted) {
				t.Errorf("key %q in %q was not seen: %q", key, text, got)
			}
		}
	}
}

// TestRedactorBasicWithPassword: a client may send a password after the colon, and the beginning of
// the Basic form reveals the key.
func TestRedactorBasicWithPassword(t *testing.T) {
	var r Redactor
	r.Add(secretOf(t, testKey))
	got := r.String("Basic " + base64.StdEncoding.EncodeToString([]byte(testKey+":some password")))
	if !strings.HasPrefix(got, "Basic "+redacted) {
		t.Errorf("got %q", got)
	}
}

func TestRedactorWithoutKeys(t *testing.T) {
	var r Redactor
	r.Add(Secret{})
	if got := r.String("nothing to hide"); got != "nothing to hide" {
		t.Errorf("got %q, want \"nothing to hide\"", got)
	}
}

// TestRedactorMixed: no key gets through, whatever is next to it.
func TestRedactorMixed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r Redactor
		for _, key := range []string{testKey, "private_s3cr3t", "zz"} {
			s, err := NewSecret(key)
			if err != nil {
				t.Fatal(err)
			}
			r.Add(s)
		}
		pieces := append(formsOf(testKey), "plain ", "private_", "zz", "z", "\n", "é", "private_s3cr3t+")
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
		var log strings.Builder
		if n, err := r.Writer(&log).Write([]byte(text)); n != len(text) || err != nil {
			t.Fatalf("wrote %d of %d: %v", n, len(text), err)
		}
		for _, form := range append(formsOf(testKey), "private_s3cr3t", "zz") {
			if strings.Contains(log.String(), form) {
				t.Fatalf("%q has %q", log.String(), form)
			}
		}
	})
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestRedactingWriterTellsErrors(t *testing.T) {
	var r Redactor
	r.Add(secretOf(t, testKey))
	w := r.Writer(failing{})
	if _, err := w.Write([]byte("text")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
}

func TestRedactorIsSafeTogether(t *testing.T) {
	var r Redactor
	var log strings.Builder
	var writing sync.Mutex // a logger locks, too
	w := r.Writer(&log)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			s, err := NewSecret(fmt.Sprintf("private_%d", i))
			if err != nil {
				t.Error(err)
			}
			r.Add(s)
			writing.Lock()
			_, _ = w.Write([]byte("line private_" + fmt.Sprint(i) + "\n"))
			writing.Unlock()
			_ = r.String("private_3")
		})
	}
	all.Wait()
	if strings.Contains(log.String(), "private_") {
		t.Errorf("the log is %q", log.String())
	}
}
