package watch

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"mediadesk/api"
)

// TestProbe posts through tunnels that work, and through some that do not.
func TestProbe(t *testing.T) {
	m := newJournal(t)
	w := start(t, Options{Journal: m})
	other := start(t, Options{Journal: newJournal(t)})
	here := "http://" + w.Addr()
	serve := func(h http.Handler) string {
		server := httptest.NewServer(h)
		t.Cleanup(server.Close)
		return server.URL
	}
	answer := func(code int) string {
		return serve(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(code) }))
	}
	to, err := url.Parse(here)
	if err != nil {
		t.Fatal(err)
	}
	tunnel := &httputil.ReverseProxy{
		Transport: &http.Transport{DisableKeepAlives: true},
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(to) },
	}
	eaten := serve(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		tunnel.ServeHTTP(httptest.NewRecorder(), req)
		rw.WriteHeader(http.StatusNoContent)
	}))
	for _, tt := range []struct{ name, public, want string }{ // want is a part of the error
		{"the receiver itself", here + "/", ""},
		{"a tunnel", serve(tunnel), ""},
		{"a stranger's receiver", "http://" + other.Addr(), "404"},
		{"no such host", "http://no-such-host.invalid", "no such host"},
		{"a page", answer(200), "200"},
		{"a redirect", answer(302), "302"},
		{"a tunnel that drops the answer", eaten, "did not pass the answer on"},
		{"no address", "ftp://x", "not an http"},
	} {
		err := w.Probe(t.Context(), tt.public)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || api.Hint(err) == "") {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
	if len(w.probes) != 0 {
		t.Errorf("%d addresses stay, want 0", len(w.probes))
	}
	off := start(t, Options{Journal: m, Listen: "off"})
	if err := off.Probe(t.Context(), here); !errors.Is(err, ErrNoReceiver) {
		t.Errorf("without a receiver: %v", err)
	}
}
