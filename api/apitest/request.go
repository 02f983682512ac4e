package apitest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/media/mediatest"
)

func random() string {
	var b [5]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// part is one part of a multipart body.
type part struct {
	name, value string
	file        bool // the part has a file name
	filename    string
	kind        string // Content-Type of a part without a file name; empty for none
}

func field(name, value string) part { return part{name: name, value: value} }

func content(data []byte) part {
	return part{name: "file", value: string(data), file: true, filename: "unknown_file"}
}

const (
	boundary = "a-boundary-of-the-contract-tests"
	formType = "multipart/form-data; boundary=" + boundary
)

// multipartBody encodes parts without validating them.
func multipartBody(parts ...part) []byte {
	var b bytes.Buffer
	for _, p := range parts {
		fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; name=\"%s\"", boundary, p.name)
		if p.file {
			fmt.Fprintf(&b, "; filename=\"%s\"\r\nContent-Type: application/octet-stream", p.filename)
		}
		if p.kind != "" {
			fmt.Fprintf(&b, "\r\nContent-Type: %s", p.kind)
		}
		fmt.Fprintf(&b, "\r\n\r\n%s\r\n", p.value)
	}
	fmt.Fprintf(&b, "--%s--\r\n", boundary)
	return b.Bytes()
}

// answer is a response with its body.
type answer struct {
	status int
	header http.Header
	body   []byte
	json   map[string]any
}

var client = &http.Client{
	Timeout:       60 * time.Second,
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func (s *suite) do(t *testing.T, method, address, contentType string, body io.Reader,
	change func(*http.Request),
) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, address, body)
	mediatest.Must(t, err)
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	req.SetBasicAuth(s.Key, "")
	if change != nil {
		change(req)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, address, err)
	}
	defer res.Body.Close()
	a := answer{status: res.StatusCode, header: res.Header}
	if a.body, err = io.ReadAll(res.Body); err != nil {
		t.Fatalf("%s %s: the answer was cut short: %v", method, address, err)
	}
	_ = json.Unmarshal(a.body, &a.json) // not every answer is an object
	return a
}

func (s *suite) uploadAddress() string { return s.UploadURL + "/api/v1/files/upload" }

func (s *suite) detailsAddress(id string) string { return s.BaseURL + "/v1/files/" + id + "/details" }

// send uploads parts.
func (s *suite) send(t *testing.T, parts ...part) answer {
	t.Helper()
	return s.do(t, http.MethodPost, s.uploadAddress(), formType, bytes.NewReader(multipartBody(parts...)), nil)
}

// sendSecond is send at the second address (hosted-service.md §14).
func (s *suite) sendSecond(t *testing.T, parts ...part) answer {
	t.Helper()
	address := s.UploadURL + "/api/v2/files/upload"
	return s.do(t, http.MethodPost, address, formType, bytes.NewReader(multipartBody(parts...)), nil)
}

// store uploads parts and returns the record. The default folder is the suite's.
func (s *suite) store(t *testing.T, parts ...part) map[string]any {
	t.Helper()
	a := s.send(t, s.inFolder(parts)...)
	wantStatus(t, a, http.StatusOK)
	if text(a.json["fileId"]) == "" {
		t.Fatalf("upload answered without a fileId: %s", a.body)
	}
	return a.json
}

// inFolder adds the suite's folder unless the parts name one.
func (s *suite) inFolder(parts []part) []part {
	if slices.ContainsFunc(parts, func(p part) bool { return p.name == "folder" }) {
		return parts
	}
	return append(parts, field("folder", s.folder))
}

// refused uploads parts and checks for a 400 whose message contains word.
func (s *suite) refused(t *testing.T, word string, parts ...part) answer {
	t.Helper()
	a := s.send(t, s.inFolder(parts)...)
	wantError(t, a, http.StatusBadRequest, word)
	return a
}

// wantError checks the status and that the message contains word. Every failure has a
// message (service.md §7).
func wantError(t *testing.T, a answer, status int, word string) {
	t.Helper()
	message := text(a.json["message"])
	if a.status != status || message == "" || !strings.Contains(strings.ToLower(message),
		strings.ToLower(word)) {
		t.Errorf("answered %d %s, want %d with a message that has %q", a.status, a.body, status, word)
	}
}

// Client returns a client of the service at address.
func Client(t testing.TB, address string, key api.Key) *api.Client {
	t.Helper()
	c, err := api.NewClient(api.Options{UploadURL: address, BaseURL: address, DeliveryURL: address, Key: key})
	mediatest.Must(t, err)
	return c
}

// fails makes a call that is refused with a message that has word.
func (s *suite) fails(t *testing.T, status int, method, path, body, word string) {
	t.Helper()
	wantError(t, s.call(t, status, method, path, body), status, word)
}

// escapedPath returns the path of a file as addresses have it.
func escapedPath(record map[string]any) string {
	return (&url.URL{Path: text(record["filePath"])}).EscapedPath()
}

// patch updates the details of a file.
func (s *suite) patch(t *testing.T, id, body string) answer {
	t.Helper()
	return s.do(t, http.MethodPatch, s.detailsAddress(id), "application/json", strings.NewReader(body), nil)
}

// details returns the record of a file.
func (s *suite) details(t *testing.T, id string) map[string]any {
	t.Helper()
	a := s.do(t, http.MethodGet, s.detailsAddress(id), "", nil, nil)
	wantStatus(t, a, http.StatusOK)
	return a.json
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// object returns a member that is an object; nil if there is none.
func object(record map[string]any, name string) map[string]any {
	m, _ := record[name].(map[string]any)
	return m
}

// records returns the records of an answer that is a list.
func records(t *testing.T, a answer) []map[string]any {
	t.Helper()
	var list []map[string]any
	if err := json.Unmarshal(a.body, &list); err != nil || list == nil {
		t.Fatalf("no array of records: %s", a.body)
	}
	return list
}

// same compares JSON values.
func same(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// want checks members of a record; pairs are names and values.
func want(t *testing.T, record map[string]any, pairs ...any) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		got, ok := record[pairs[i].(string)]
		if !ok {
			t.Errorf("%s is missing", pairs[i])
		} else if !same(got, pairs[i+1]) {
			t.Errorf("%s is %v, want %v", pairs[i], got, pairs[i+1])
		}
	}
}

// wantText checks that members of a record are not empty.
func wantText(t *testing.T, record map[string]any, names ...string) {
	t.Helper()
	for _, name := range names {
		if text(record[name]) == "" {
			t.Errorf("%s is missing in %v", name, record)
		}
	}
}

// wantAbsent checks that a record lacks members.
func wantAbsent(t *testing.T, record map[string]any, names ...string) {
	t.Helper()
	for _, name := range names {
		if v, ok := record[name]; ok {
			t.Errorf("%s is %v, want it absent", name, v)
		}
	}
}

// wantStatus ends the test unless the answer has the status.
func wantStatus(t *testing.T, a answer, status int) {
	t.Helper()
	if a.status != status {
		t.Fatalf("answered %d %s, want %d", a.status, a.body, status)
	}
}

// small returns the parts of an upload of one byte.
func small(name string, more ...part) []part {
	return append([]part{field("fileName", name), content([]byte("x"))}, more...)
}

// exact returns the parts of an upload under an exact name.
func exact(name string, data []byte, more ...part) []part {
	return append([]part{field("fileName", name), field("useUniqueFileName", "false"), content(data)},
		more...)
}

// eventually polls until ask returns true. The tests use it where no event can be awaited.
func eventually(t *testing.T, timeout time.Duration, what string, ask func() bool) {
	t.Helper()
	deadline := time.NewTimer(timeout)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ask() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("%s did not happen within %s", what, timeout)
		}
	}
}

// texts are values for fields of each kind, including all special characters.
var texts = map[entry.Kind][]string{
	entry.KindText:       {"a.png", "naïve (1) 写真.jpg", "/a/b//", "1,2,3,4", "# x", "\"", "[1: x]", "a = b", "@file", "it's $x\\", "two\n\tlines", "https://example.com/h?a=1&b='2'", "none"},
	entry.KindSwitch:     {"true", "false"},
	entry.KindList:       {"sea", "sea,写真,مرحبا", "# x,[y],\"z", "<a>,b & c"},
	entry.KindExtensions: {"remove-bg", "remove-bg,ai-tasks", `[{"name":"remove-bg","options":{"add_shadow":false,"bg_colour":"<red>"}},{"name":"x","tasks":[1]}]`, `{"name":"google-auto-tagging","maxTags":3,"minConfidence":0}`},
	entry.KindMetadata:   {"brand = Acme", "a = 1\nb = \"2\"\nc: x = y", `{"a=b":[1,"x"],"t":"2026","# c":{"d":null}}`, `{"é":"two\\nlines"}`},
}

// DrawEntry draws an entry with any of the fields set.
func DrawEntry(t *rapid.T) entry.Entry {
	var e entry.Entry
	for _, f := range entry.Fields {
		choices := texts[f.Kind]
		if f.Choices != nil {
			choices = nil
			for _, c := range f.Choices {
				choices = append(choices, c.Text)
			}
		}
		text := rapid.SampledFrom(append([]string{""}, choices...)).Draw(t, f.Key)
		if f.SetText(&e, text) != nil {
			t.Fatalf("%s cannot be %q", f.Key, text)
		}
	}
	return e
}

// SameEntry fails if two entries differ in a field.
func SameEntry(t *rapid.T, what string, got, want *entry.Entry) {
	for _, f := range entry.Fields {
		if f.Text(got) != f.Text(want) || f.IsSet(got) != f.IsSet(want) {
			t.Fatalf("%s: %s is %q, want %q", what, f.Key, f.Text(got), f.Text(want))
		}
	}
}
