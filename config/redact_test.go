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
			if key != "k" { // one letter is found everywhere, also in the frame of this test
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

// A client may send a password after the colon: the head of the Basic form gives the key away too.
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
		t.Errorf("got %q", got)
	}
}

// However a text is cut into writes, the log is the same as if it had come in one.
func TestRedactingWriterSplits(t *testing.T) {
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
		w := r.Writer(&log)
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			if wrote, err := w.Write([]byte(rest[:n])); wrote != n || err != nil {
				t.Fatalf("wrote %d of %d: %v", wrote, n, err)
			}
			rest = rest[n:]
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if want := r.String(text); log.String() != want {
			t.Fatalf("in pieces %q, at once %q", log.String(), want)
		}
		if strings.Contains(log.String(), testKey) {
			t.Fatalf("%q has the key", log.String())
		}
	})
}

// A line that ends in nothing suspicious is in the log at once.
func TestRedactingWriterHoldsBackLittle(t *testing.T) {
	var r Redactor
	r.Add(secretOf(t, testKey))
	var log strings.Builder
	w := r.Writer(&log)
	for _, step := range []struct{ write, log string }{
		{"a line\n", "a line\n"},
		{"private", "a line\n"},
		{" means mine\n", "a line\nprivate means mine\n"},
		{testKey[:5], "a line\nprivate means mine\n"},
		{testKey[5:], "a line\nprivate means mine\n[redacted]"},
	} {
		if _, err := w.Write([]byte(step.write)); err != nil {
			t.Fatal(err)
		}
		if log.String() != step.log {
			t.Errorf("after %q the log is %q, want %q", step.write, log.String(), step.log)
		}
	}
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
	if _, err := w.Write([]byte("priv")); err != nil {
		t.Errorf("held back text was written: %v", err)
	}
	if err := w.Flush(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
	if err := w.Flush(); err != nil {
		t.Errorf("nothing was left to flush: %v", err)
	}
}

func TestRedactorIsSafeTogether(t *testing.T) {
	var r Redactor
	var log strings.Builder
	w := r.Writer(&log)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			s, err := NewSecret(fmt.Sprintf("private_%d", i))
			if err != nil {
				t.Error(err)
			}
			r.Add(s)
			_, _ = w.Write([]byte("line private_" + fmt.Sprint(i) + "\n"))
			_ = r.String("private_3")
		})
	}
	all.Wait()
	if err := w.Flush(); err != nil || strings.Contains(log.String(), "private_") {
		t.Errorf("%v: %q", err, log.String())
	}
}
