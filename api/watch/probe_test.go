package watch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"mediadesk/api"
)

// tunnel leads to a receiver, as a public address does.
func tunnel(t *testing.T, to string, wrap func(http.Handler) http.Handler) string {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	server := httptest.NewServer(wrap(&httputil.ReverseProxy{
		Transport: transport,
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(u) },
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestProbe(t *testing.T) {
	m := newMemory()
	w := start(t, Options{Journal: m})
	other := start(t, Options{Journal: newMemory()})
	beside := start(t, Options{Journal: m})
	as := func(h http.Handler) http.Handler { return h }
	answer := func(code int, header ...string) func(http.Handler) http.Handler {
		return func(http.Handler) http.Handler {
			return http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
				if len(header) > 0 {
					rw.Header().Set("Location", header[0])
				}
				rw.WriteHeader(code)
			})
		}
	}
	after := func(code int) func(http.Handler) http.Handler {
		return func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
				h.ServeHTTP(httptest.NewRecorder(), req)
				rw.WriteHeader(code)
			})
		}
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	here := "http://" + w.Addr()
	for name, tt := range map[string]struct {
		public string
		want   string // part of the error; "" if the post arrives
	}{
		"the receiver itself":     {here, ""},
		"a slash behind":          {here + "/", ""},
		"a tunnel":                {tunnel(t, here, as), ""},
		"another of ours":         {tunnel(t, "http://"+beside.Addr(), as), ""},
		"a stranger's receiver":   {"http://" + other.Addr(), "knows no such address"},
		"nothing":                 {"http://" + closed.Addr().String(), "nothing answers"},
		"no such host":            {"http://no-such-host.invalid", "nothing answers"},
		"a dead end":              {tunnel(t, here, answer(502)), "does not reach this receiver"},
		"a page":                  {tunnel(t, here, answer(200)), "something else answers"},
		"a redirect":              {tunnel(t, here, answer(302, here)), "sends elsewhere"},
		"a door":                  {tunnel(t, here, answer(401)), "asks who is there"},
		"an answer that is eaten": {tunnel(t, here, after(204)), "did not pass the answer on"},
		"no address":              {"ftp://x", "not an http"},
	} {
		t.Run(name, func(t *testing.T) {
			err := w.Probe(t.Context(), tt.public)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if err != nil && api.Hint(err) == "" {
				t.Error("the error has no help")
			}
		})
	}
	if len(m.hooks) != 0 {
		t.Errorf("%d addresses stay, want 0", len(m.hooks))
	}
	off := start(t, Options{Journal: m, Listen: "off"})
	if err := off.Probe(t.Context(), here); !errors.Is(err, ErrNoReceiver) {
		t.Errorf("without a receiver: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Probe(ctx, here); err == nil {
		t.Error("an ended context arrives")
	}
}

// TestStrangersDoNotFillTheJournal: of a flood only the first posts are stored, each once.
func TestStrangersDoNotFillTheJournal(t *testing.T) {
	defer http.DefaultClient.CloseIdleConnections()
	m := newMemory()
	w := start(t, Options{Journal: m})
	at := "http://" + w.Addr() + hookPath
	token := newToken()
	for n := range 300 {
		if got := send(t, at+token, `{"service":"x","status":"SUCCESS"}`); got != 404 {
			t.Fatalf("answered %d, want 404", got)
		}
		if got := send(t, at+newToken(), fmt.Sprintf(`{"n":%d}`, n)); got != 404 {
			t.Fatalf("answered %d, want 404", got)
		}
	}
	send(t, at+newToken(), strings.Repeat("a", 100_000))
	w.keepUnmatched(t.Context())
	unmatched, _ := w.Unmatched(t.Context())
	times := 0
	for _, s := range unmatched {
		if s.Extension == "x" && s.Status == "success" {
			times += s.Times
		}
		if s.Reason != api.UnmatchedUnknown || len(s.Raw) > api.MaxUnmatchedBody {
			t.Errorf("kept %+v", s)
		}
	}
	if times != 300 || len(unmatched) > 4*maxWaiting {
		t.Errorf("%d posts are kept, the repeated one %d times", len(unmatched), times)
	}
}
