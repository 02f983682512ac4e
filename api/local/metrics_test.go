package local_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
	"mediadesk/api/local/store/pgtest"
)

var metricLine = regexp.MustCompile(`^([a-z_]+(?:\{(?:[a-z]+="[^"\\]*",?)+\})?) (\S+)$`)

// readMetrics returns the values by name and labels, and checks the syntax of the format.
func readMetrics(t *testing.T, l http.Handler) map[string]float64 {
	t.Helper()
	w := ask(l, http.MethodGet, "/_mediadesk/metrics")
	if kind := w.Header().Get("Content-Type"); w.Code != http.StatusOK || !strings.HasPrefix(kind, "text/plain; version=0.0.4") {
		t.Fatalf("answered %d %s: %s", w.Code, kind, w.Body)
	}
	figures := map[string]float64{}
	for line := range strings.Lines(w.Body.String()) {
		if strings.HasPrefix(line, "# ") {
			continue
		}
		match := metricLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if match == nil {
			t.Errorf("cannot parse the line %q", line)
			continue
		}
		value, err := strconv.ParseFloat(match[2], 64)
		if _, twice := figures[match[1]]; err != nil || twice {
			t.Errorf("the line %q: %v, twice %t", line, err, twice)
		}
		figures[match[1]] = value
	}
	return figures
}

func TestMetrics(t *testing.T) {
	onEachEngine(t, func(t *testing.T, o local.Options) {
		l, err := local.Open(t.Context(), o)
		must(t, err)
		defer l.Close()
		contentType, body := form(apitest.PNG(16, 16), "fileName", "a.png", "useUniqueFileName", "false", "extensions", `[{"name":"remove-bg"}]`)
		if w := send(l, http.MethodPost, "/api/v1/files/upload", contentType, body); w.Code != http.StatusOK {
			t.Fatalf("the upload was answered %d: %s, want %d", w.Code, w.Body, http.StatusOK)
		}
		ask(l, http.MethodGet, "/a.png")
		ask(l, "BREW", "/v1/files")
		ask(l, http.MethodGet, "/v1/files/"+strings.Repeat("0", 24)+"/details")
		eventually(t, "the end of the run", func() bool { return readMetrics(t, l)[`mediadesk_runs_ended_total{status="success"}`] == 1 })
		figures := readMetrics(t, l)
		for name, want := range map[string]float64{
			`mediadesk_requests_total{method="POST",route="/api/v1/files/upload",status="200"}`:      1,
			`mediadesk_requests_total{method="GET",route="files",status="200"}`:                      1,
			`mediadesk_requests_total{method="other",route="/v1/files",status="405"}`:                1,
			`mediadesk_requests_total{method="GET",route="/v1/files/{fileId}/details",status="404"}`: 1,
			`mediadesk_request_seconds_count{route="/api/v1/files/upload"}`:                          1,
			`mediadesk_request_seconds_bucket{route="/api/v1/files/upload",le="+Inf"}`:               1,
			"mediadesk_runs_pending":                       0,
			"mediadesk_webhooks_waiting":                   0,
			`mediadesk_up{part="database"}`:                1,
			`mediadesk_up{part="storage"}`:                 1,
			`mediadesk_runs_ended_total{status="success"}`: 1,
		} {
			if got, ok := figures[name]; !ok || got != want {
				t.Errorf("%s is %v (there: %t), want %v", name, got, ok, want)
			}
		}
		for _, name := range []string{"records", "contents"} {
			for _, access := range []string{"read", "write"} {
				if figures["mediadesk_"+name+`_seconds_count{access="`+access+`"}`] < 1 {
					t.Errorf("%s have no duration for %s", name, access)
				}
			}
		}
	})
}

// TestDatabaseIsDown: while PostgreSQL does not answer, requests are refused with Retry-After and
// name the part that fails. Afterwards nothing is missing, and refused uploads can be repeated.
func TestDatabaseIsDown(t *testing.T) {
	server := pgtest.New(t)
	l, err := local.Open(t.Context(), local.Options{Dir: t.TempDir(), Database: server.Address("postgres"), Key: key(testKey)})
	must(t, err)
	defer l.Close()
	store := func(name string) int {
		contentType, body := form([]byte(name), "fileName", name, "useUniqueFileName", "false", "overwriteFile", "false")
		return send(l, http.MethodPost, "/api/v1/files/upload", contentType, body).Code
	}
	if status := store("before.txt"); status != http.StatusOK {
		t.Fatalf("the upload was answered %d, want %d", status, http.StatusOK)
	}
	must(t, server.Stop())
	contentType, body := form([]byte("meanwhile"), "fileName", "meanwhile.txt", "useUniqueFileName", "false", "overwriteFile", "false")
	refused := send(l, http.MethodPost, "/api/v1/files/upload", contentType, body)
	for what, w := range map[string]*httptest.ResponseRecorder{
		"an upload": refused, "a list": ask(l, http.MethodGet, "/v1/files"), "a file": ask(l, http.MethodGet, "/before.txt"), "health": ask(l, http.MethodGet, "/_mediadesk/health"),
	} {
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
			t.Errorf("%s was answered %d without Retry-After: %s", what, w.Code, w.Body)
		}
	}
	if !strings.Contains(message(t, refused), "database") {
		t.Errorf("the upload was answered %d %s", refused.Code, refused.Body)
	}
	if figures := readMetrics(t, l); figures[`mediadesk_up{part="database"}`] != 0 || figures[`mediadesk_up{part="storage"}`] != 1 {
		t.Errorf("the metrics are %v", figures)
	}
	must(t, server.Start(t.Context()))
	if w := ask(l, http.MethodGet, "/before.txt"); w.Body.String() != "before.txt" {
		t.Errorf("what was stored reads %q", w.Body)
	}
	if status := store("meanwhile.txt"); status != http.StatusOK {
		t.Errorf("sent again, it was answered %d, want %d", status, http.StatusOK)
	}
}
