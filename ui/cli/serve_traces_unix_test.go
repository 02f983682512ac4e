//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"mediadesk/api/local/delivery"
	"mediadesk/ui/uitest"
)

// TestTraces: an OpenTelemetry receiver gets a span for each request, with spans of the database and
// the store below it. No span contains a secret.
func TestTraces(t *testing.T) {
	var mu sync.Mutex
	var all bytes.Buffer
	spans := map[string]*tracepb.Span{} // by id
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var sent collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &sent)
		}
		if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Collector-Key") != "of-the-collector" {
			t.Errorf("received %s %v %v", r.URL, r.Header, err)
		}
		mu.Lock()
		defer mu.Unlock()
		all.Write(body)
		for _, resource := range sent.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				for _, span := range scope.Spans {
					spans[hex.EncodeToString(span.SpanId)] = span
				}
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(receiver.Close)

	const key, secret, trace = "private_of_this_test_and_long", "a-value-of-the-query", "0af7651916cd43dd8448eb211c80319c"
	cmd := exec.CommandContext(t.Context(), uitest.Build(t), "serve", "--ephemeral", "--addr", "127.0.0.1:0", "--json")
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(), "MEDIADESK_HOME=" + t.TempDir(), "MEDIADESK_PRIVATE_KEY=" + key,
		"OTEL_EXPORTER_OTLP_ENDPOINT=" + receiver.URL, "OTEL_EXPORTER_OTLP_HEADERS=collector-key=of-the-collector",
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	text, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatal(err, stderr.String())
	}
	var line struct{ Address string }
	if err := json.Unmarshal(text, &line); err != nil {
		t.Fatal(err)
	}
	var form bytes.Buffer
	parts := multipart.NewWriter(&form)
	for name, value := range map[string]string{"fileName": "hidden-name.txt", "useUniqueFileName": "false", "isPrivateFile": "true", "file": "aGVsbG8="} {
		if err := parts.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	parts.Close()
	ask := func(method, address, contentType string, body io.Reader) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, address, body)
		if err != nil {
			t.Fatal(err)
		}
		req.SetBasicAuth(key, "")
		req.Header.Set("Content-Type", contentType)
		req.Header.Set("Traceparent", "00-"+trace+"-b7ad6b7169203331-01")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Errorf("%s %s answered %s", method, address, res.Status)
		}
	}
	signed := delivery.Sign(key, "/hidden-name.txt", time.Now().Add(time.Hour))
	ask(http.MethodPost, line.Address+"/api/v1/files/upload", parts.FormDataContentType(), &form)
	ask(http.MethodGet, line.Address+"/v1/files?name="+secret, "", nil)
	ask(http.MethodGet, line.Address+"/hidden-name.txt?"+signed, "", nil)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the program ended with %v: %s", err, stderr.String())
	}

	mu.Lock()
	defer mu.Unlock()
	children := map[string][]string{} // names of the spans below each span
	for _, span := range spans {
		if hex.EncodeToString(span.TraceId) != trace {
			t.Errorf("the span %s is in another trace", span.Name)
		}
		if parent := spans[hex.EncodeToString(span.ParentSpanId)]; parent != nil {
			children[parent.Name] = append(children[parent.Name], span.Name)
		}
	}
	for name, want := range map[string][]string{
		"POST /api/v1/files/upload": {"contents write", "records write"},
		"GET /v1/files":             {"records read"},
		"GET files":                 {"contents read", "records read"},
	} {
		for _, child := range want {
			if !slices.Contains(children[name], child) {
				t.Errorf("%s has the children %v, want %s", name, children[name], child)
			}
		}
	}
	if t.Failed() {
		t.Log(slices.Collect(maps.Keys(children)), stderr.String())
	}
	signature := signed[strings.LastIndex(signed, "=")+1:]
	for _, hidden := range []string{key, secret, signature, "hidden-name", "of-the-collector"} {
		if bytes.Contains(all.Bytes(), []byte(hidden)) {
			t.Errorf("the spans contain %q", hidden)
		}
	}
}
