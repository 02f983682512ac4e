package watch

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
)

const success = `{"service":"remove-bg","status":"SUCCESS","fileObject":{"fileId":"f","new":{"kept":1}}}`

// receiver starts a watch with a pending run of a file, and returns the webhook address of the file.
func receiver(t testing.TB, j *journal.Journal, o Options) (*Watch, string) {
	t.Helper()
	o.Journal = j
	w := start(t, o)
	address, err := w.Address(t.Context(), job.Hook{Profile: "home", FileID: "f"})
	must(t, err)
	must(t, w.Answered(t.Context(), "home", record(t, `{"fileId":"f","extensionStatus":{"remove-bg":"pending"}}`), true))
	return w, address
}

// raw sends text unchanged and returns the status of the answer, or 0 if there is none.
func raw(t *testing.T, addr, text string) int {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	must(t, err)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Minute))
	go io.WriteString(conn, text)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	res.Body.Close()
	return res.StatusCode
}

func TestHostileRequests(t *testing.T) {
	m := newJournal(t)
	w, address := receiver(t, m, Options{})
	addr := w.Addr()
	path := strings.TrimPrefix(address, "http://"+addr)
	request := func(method, path, body string, headers ...string) string {
		text := method + " " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
		for _, h := range headers {
			text += h + "\r\n"
		}
		return text + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	large := `{"x":"` + strings.Repeat("a", job.MaxHookBody) + `"}`
	other := strings.Repeat("A", 42) + "8"
	tests := []struct {
		name, text string
		want       int
	}{
		{"no path", request("POST", "/", success), 404},
		{"another path", request("POST", "/hooks/"+path[6:], success), 404},
		{"no token", request("POST", "/hook/", success), 404},
		{"a wrong token", request("POST", "/hook/"+other, success), 404},
		{"a token too short", request("POST", path[:len(path)-1], success), 404},
		{"a token too long", request("POST", path+"A", success), 404},
		{"a token of other letters", request("POST", "/hook/"+strings.Repeat("+", 43), success), 404},
		{"a path behind the token", request("POST", path+"/x", success), 404},
		{"steps in the path", request("POST", "/x/.."+path, success), 404},
		{"a query", request("POST", path+"?x=1", success), 404},
		{"a token in the query", request("POST", "/hook/?"+path[6:], success), 404},
		{"GET", request("GET", path, ""), 404},
		{"PUT", request("PUT", path, success), 404},
		{"a made-up method", request("HOOK", path, success), 404},
		{"OPTIONS *", request("OPTIONS", "*", ""), 200}, // answered by net/http, without content
		{"CONNECT", request("CONNECT", "example.com:443", ""), 404},
		{"no body", request("POST", path, ""), 400},
		{"no JSON", request("POST", path, "service=remove-bg&status=SUCCESS"), 400},
		{"an array", request("POST", path, "["+success+"]"), 400},
		{"null", request("POST", path, "null"), 400},
		{"a text", request("POST", path, `"SUCCESS"`), 400},
		{"two objects", request("POST", path, success+success), 400},
		{"cut JSON", request("POST", path, success[:20]), 400},
		{"nested deeply", request("POST", path, `{"a":`+strings.Repeat("[", 20000)+strings.Repeat("]", 20000)+"}"), 400},
		{"too large", request("POST", path, large), 413},
		{"too large, chunked", "POST " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n" + fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(large), large), 413},
		{"a length that is a lie", "POST " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 99999999999999999999\r\n\r\n{}", 400},
		{"two lengths", request("POST", path, success, "Content-Length: 5"), 400},
		{"length and chunks", request("POST", path, "0\r\n\r\n", "Transfer-Encoding: chunked"), 400},
		{"huge headers", request("POST", path, success, "X: "+strings.Repeat("a", 9000)), 431},
		{"a huge path", request("POST", "/hook/"+strings.Repeat("a", 9000), success), 431},
		{"no HTTP", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			mediatest.Equal(t, raw(t, addr, tt.text), tt.want, "answered")
		})
	}
	if run := theRun(t, m); run.Status != api.StatusPending {
		t.Errorf("something was accepted: %+v", run)
	}
	mediatest.Equal(t, raw(t, addr, request("POST", path, success)), 200, "the honest post was answered with")
	if run := theRun(t, m); run.Status != api.StatusSuccess || run.From != job.FromWebhook {
		t.Errorf("run %+v", run)
	}
}

func send(t testing.TB, address, body string) int {
	t.Helper()
	res, err := http.Post(address, "application/json", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0
	}
	io.Copy(io.Discard, res.Body)
	res.Body.Close()
	return res.StatusCode
}

// TestNotTakenIsNotAcknowledged: while the journal cannot be written, posts are refused, so that the
// service repeats them.
func TestNotTakenIsNotAcknowledged(t *testing.T) {
	defer http.DefaultClient.CloseIdleConnections()
	m := newJournal(t)
	w, address := receiver(t, m, Options{})
	must(t, m.Close())
	mediatest.Equal(t, send(t, address, success), http.StatusServiceUnavailable, "answered")
	if _, err := w.Address(t.Context(), job.Hook{Profile: "home", JobID: 8}); err == nil {
		t.Error("an address that could not be kept was given")
	}
}

func TestAddresses(t *testing.T) {
	m := newJournal(t)
	w, first := receiver(t, m, Options{})
	second, err := w.Address(t.Context(), job.Hook{Profile: "home", JobID: 7})
	if err != nil || second == first {
		t.Errorf("the second address is %q, %v", second, err)
	}
	w.o.PublicURL = "https://example.com/desk/"
	third, err := w.Address(t.Context(), job.Hook{Profile: "home", FileID: "f"})
	if err != nil || !strings.HasPrefix(third, "https://example.com/desk/hook/") {
		t.Errorf("the public address is %q, %v", third, err)
	}
	for _, a := range []string{first, second, third} {
		token := a[strings.LastIndex(a, "/")+1:]
		if len(token) != tokenLength || rule.CheckWebhookURL(a) != nil {
			t.Errorf("%q is no good address", a)
		}
		for after, want := range map[time.Duration]bool{
			HookTTL - time.Minute: true, HookTTL + time.Minute: false,
		} {
			_, known, err := m.HookKnown(t.Context(), sha256.Sum256([]byte(token)), time.Now().Add(after))
			if known != want || err != nil {
				t.Errorf("%s is known after %s: %t, %v", a, after, known, err)
			}
		}
	}
}

func TestATakenPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	w := start(t, Options{Journal: newJournal(t), Listen: l.Addr().String()})
	if w.Addr() == "" || w.Addr() == l.Addr().String() || !strings.HasPrefix(w.Addr(), "127.0.0.1:") {
		t.Errorf("listens at %q", w.Addr())
	}
	for _, listen := range []string{"nonsense", "203.0.113.1:80", "127.0.0.1:99999999"} {
		bad := New(Options{Journal: newJournal(t), Listen: listen})
		err := bad.Start(t.Context())
		if err != nil || listen != "127.0.0.1:99999999" &&
			(bad.Err() == nil || !strings.Contains(bad.Err().Error(), listen)) {
			t.Errorf("listening at %q: %v, %v", listen, err, bad.Err())
		}
		must(t, bad.Close(context.Background()))
		mediatest.Equal(t, bad.Addr(), "", "after Close the receiver listens at")
	}
}

// TestARecordIsReadAgain: after a post has ended a run, the record is read from the service, because
// the post is not trusted for it.
func TestARecordIsReadAgain(t *testing.T) {
	defer http.DefaultClient.CloseIdleConnections()
	m := newJournal(t)
	s := &shelf{files: map[string]*api.File{"f": record(t, `{"fileId":"f","hasAlpha":true}`)}}
	w, address := receiver(t, m, Options{Details: s.details})
	if got := send(t, address, success); got != 200 {
		t.Fatal(got)
	}
	for {
		<-w.Changes()
		if seen, ok := lastSeen(t, m, "f"); ok {
			if !seen.HasAlpha.Or(false) {
				t.Errorf("seen %s", seen.Raw)
			}
			return
		}
	}
}

func TestParseHookPost(t *testing.T) {
	for _, tt := range []struct {
		text string
		want job.HookPost
	}{
		{success, job.HookPost{Extension: "remove-bg", Status: api.StatusSuccess, FileID: "f"}},
		{`{"service":"aws-auto-tagging","status":"FAILURE","fileId":"f","error":{"message":"no luck"}}`, job.HookPost{Extension: "aws-auto-tagging", Status: api.StatusFailed, FileID: "f", Error: "no luck"}},
		{`{"Service":"x","Status":"Success"}`, job.HookPost{Extension: "x", Status: api.StatusSuccess}},
		{`{"service":"x","status":"failed","error":"text"}`, job.HookPost{Extension: "x", Status: api.StatusFailed, Error: "text"}},
		{`{"service":"x","status":"failed","error":{"code":5}}`, job.HookPost{Extension: "x", Status: api.StatusFailed, Error: `{"code":5}`}},
		{`{"service":"x","status":"pending","error":null}`, job.HookPost{Extension: "x", Status: api.StatusPending}},
		{`{"service":7,"status":{},"fileId":[],"fileObject":"x"}`, job.HookPost{}},
	} {
		got, err := job.ParseHookPost([]byte(tt.text))
		got.Raw = nil
		if err != nil || fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%s\n got %+v, %v\nwant %+v", tt.text, got, err, tt.want)
		}
	}
}
