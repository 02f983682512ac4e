package api_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
)

// TestNewClientAddresses: service.md §5: the key is sent only over https or to this computer.
func TestNewClientAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"https://u.example": "", "https://u.example/": "", "https://u.example:8443/base/": "", "HTTPS://u.example": "", "https://10.0.0.1": "",
		"http://localhost:7843": "", "http://127.0.0.1:7843": "", "http://[::1]:7843": "", "http://LOCALHOST.": "",
		"http://u.example": "insecure", "http://10.0.0.1": "insecure", "http://0.0.0.0:80": "insecure", "http://127.1": "insecure",
		"http://localhost.u.example": "insecure", "http://[::ffff:10.0.0.1]": "insecure",
		"": "no", "u.example": "no", "ftp://u.example": "no", "https://": "no", "https://:443": "no", "https:u.example": "no", "https://u.example/?a=b": "no",
		"https://u.example?": "no", "https://u.example#": "no", "https://u.example/#a": "no", "https://a b.example": "no", "https://u.example/\n": "no",
		"https://" + "private_x@u.example": "no", "ftp://private_x@u.example": "no", "https://private_x:@u .example": "no",
	} {
		for _, o := range []api.Options{
			{UploadURL: address, BaseURL: "https://ok.example"}, {UploadURL: "https://ok.example", BaseURL: address},
		} {
			c, err := api.NewClient(o)
			switch {
			case (err == nil) != (want == ""):
				t.Errorf("%q: got %v", address, err)
			case errors.Is(err, api.ErrInsecure) != (want == "insecure"):
				t.Errorf("%q: got %v", address, err)
			case err != nil &&
				(c != nil || strings.Contains(err.Error(), "private_x") ||
					strings.Contains(err.Error(), "\n")):
				t.Errorf("%q: got %v, %q", address, c, err)
			}
		}
	}
	for address, ok := range map[string]bool{
		"http://10.0.0.1": true, "http://192.168.1.7:7843": true, "http://nas": true, "http://media.local": true, "http://[fd00::1]": true, "https://u.example": true,
		"http://u.example": false, "http://8.8.8.8": false, "http://localhost.u.example": false,
	} {
		_, err := api.NewClient(api.Options{
			UploadURL: address, BaseURL: "https://ok.example", Insecure: true,
		})
		if ok && err != nil || !ok && !errors.Is(err, api.ErrInsecure) {
			t.Errorf("insecure %q: got %v", address, err)
		}
	}
	c := mustClient(t, api.Options{UploadURL: "https://u.example:8443/base/", BaseURL: "https://b.example//", DeliveryURL: "https://d.example/"})
	details := c.Describe(api.ReadDetails("a b"))
	if details.Err != nil || c.Host() != "u.example:8443" || details.Address != "https://b.example/v1/files/a%20b/details" {
		t.Errorf("got %s, %s, %v", c.Host(), details.Address, details.Err)
	}
	if _, err := api.NewClient(api.Options{
		UploadURL: "https://u.example", BaseURL: "https://b.example", DeliveryURL: "d.example",
	}); err == nil {
		t.Error("a delivery address without a scheme was accepted")
	}
}

// keyForms are the forms in which the key could leak.
func keyForms() []string {
	return []string{
		testKey, base64.StdEncoding.EncodeToString([]byte(testKey + ":")), url.QueryEscape(testKey),
		url.PathEscape(testKey),
	}
}

func wantNoKey(t *testing.T, about string, value any) {
	t.Helper()
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		text := fmt.Sprintf(format, value)
		for _, form := range keyForms() {
			if strings.Contains(text, form) {
				t.Errorf("%s printed with %s shows the key: %s", about, format, text)
			}
		}
	}
}

// TestKeyIsNowhereElse: no error and no printed client shows the key, even if the service repeats it.
func TestKeyIsNowhereElse(t *testing.T) {
	path := writeFile(t, "a", []byte("x"))
	echo := func(r *http.Request) string {
		return fmt.Sprintf("%s %s %s", strings.Join(keyForms(), " "), r.Header.Get("Authorization"), testKey)
	}
	for about, answer := range map[string]http.HandlerFunc{
		"plain":   func(w http.ResponseWriter, r *http.Request) { http.Error(w, "bad key "+echo(r), http.StatusForbidden) },
		"success": func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "bad key "+echo(r)) },
		"page":    func(w http.ResponseWriter, r *http.Request) { http.Error(w, "<title>"+echo(r)+"</title>", 502) },
		"json": func(w http.ResponseWriter, r *http.Request) {
			text, _ := json.Marshal(map[string]string{"message": echo(r), "help": echo(r)})
			w.Header().Set("X-Request-Id", echo(r))
			http.Error(w, string(text), http.StatusUnauthorized)
		},
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "https://other.example/"+url.PathEscape(echo(r)))
			w.WriteHeader(307)
		},
		"reset": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		c := answering(t, answer)
		wantNoKey(t, "the client", c)
		wantNoKey(t, "the client's value", *c)
		_, err := c.Upload(context.Background(), upload(path), nil)
		wantNoKey(t, about, err)
		wantNoKey(t, about, job.FailureOf(err))
		if err == nil {
			t.Errorf("%s: no error", about)
		}
		_, err = c.Details(context.Background(), "1")
		wantNoKey(t, about, err)
		_, err = c.List(context.Background(), api.Query{})
		wantNoKey(t, about, err)
	}
}

// TestKeyIsOnlyInTheAuthorizationHeader: the key is in one header of the request and nowhere else.
func TestKeyIsOnlyInTheAuthorizationHeader(t *testing.T) {
	requests := make(chan *http.Request, 1)
	address := rawServer(t, func(conn rawConn, r *http.Request, _ *bufio.Reader) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		requests <- r
		write(conn, "HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n"+`{"fileId":"1"}`)
	})
	c := mustClient(t, api.Options{
		UploadURL: address, BaseURL: address, Key: key(testKey), UserAgent: "mediadesk/1.0",
	})
	_, err := c.Upload(context.Background(), upload(writeFile(t, "a", []byte("x"))), nil)
	must(t, err)
	r := <-requests
	if user, password, ok := r.BasicAuth(); user != testKey || password != "" || !ok {
		t.Errorf("got user %q, password %q", user, password)
	}
	mediatest.Equal(t, r.UserAgent(), "mediadesk/1.0", "user agent")
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key", "Referer", "Cookie"} {
		mediatest.Equal(t, r.Header.Get(name), "", "header %s is sent", name)
	}
	r.Header.Del("Authorization")
	body, _ := io.ReadAll(r.Body)
	wantNoKey(t, "the rest of the request",
		fmt.Sprint(r.Method, r.URL, r.Host, r.Header, r.Trailer, string(body)))
}

func TestWithoutAKey(t *testing.T) {
	rec := newRecorder(t)
	c := mustClient(t, api.Options{UploadURL: rec.URL, BaseURL: rec.URL})
	_, err := c.Details(context.Background(), "1")
	must(t, err)
	mediatest.Equal(t, rec.last(t).auth, "", "Authorization")
}

// TestFetch: delivered files are downloaded without the key, through redirects up to a limit.
func TestFetch(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mediatest.Equal(t, r.Header.Get("Authorization"), "", "the key went to the delivery host")
		switch r.URL.Path {
		case "/moved.jpg":
			http.Redirect(w, r, "/a.jpg", http.StatusFound)
		case "/a.jpg":
			io.WriteString(w, "0123456789")
		default:
			http.Error(w, `{"message":"signed addresses only"}`, http.StatusForbidden)
		}
	}))
	t.Cleanup(server.Close)
	c := mustClient(t, api.Options{UploadURL: server.URL, BaseURL: server.URL, Key: key(testKey)})
	for _, path := range []string{"/a.jpg", "/moved.jpg"} {
		body, _, err := c.Fetch(context.Background(), server.URL+path, 0, 10)
		must(t, err)
		if text, err := io.ReadAll(body); err != nil || string(text) != "0123456789" {
			t.Errorf("got %q, %v", text, err)
		}
		body.Close()
	}
	body, _, err := c.Fetch(context.Background(), server.URL+"/a.jpg", 0, 9)
	must(t, err)
	if text, err := io.ReadAll(body); err == nil || len(text) > 9 {
		t.Errorf("beyond the limit: %q, %v", text, err)
	}
	body.Close()
	var answer *api.ServiceError
	_, _, err = c.Fetch(context.Background(), server.URL+"/private.jpg", 0, 10)
	if !errors.As(err, &answer) || answer.Message != "signed addresses only" {
		t.Errorf("got %v", err)
	}
	for _, address := range []string{"", "/a.jpg", "file:///etc/passwd"} {
		if _, _, err := c.Fetch(context.Background(), address, 0, 10); err == nil {
			t.Errorf("%q was fetched", address)
		}
	}
}

// TestNoProxyForThisComputer: a proxy of the environment never gets a request to this computer,
// whatever the spelling of localhost. net/http reads the environment once, so this runs in a
// process of its own.
func TestNoProxyForThisComputer(t *testing.T) {
	if address := os.Getenv("API_TEST_DIRECT"); address != "" {
		c := mustClient(t, api.Options{UploadURL: address, BaseURL: address, Key: key(testKey)})
		var unknown *net.DNSError // some machines do not resolve every name of localhost
		if _, err := c.Details(context.Background(), "1"); err != nil && !errors.As(err, &unknown) {
			t.Fatal(err)
		}
		return
	}
	rec := newRecorder(t)
	proxied := make(chan string, 8)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proxied <- r.URL.String()
		http.Error(w, "proxy", http.StatusBadGateway)
	}))
	t.Cleanup(proxy.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(rec.URL, "http://"), ":")
	for _, host := range []string{"LOCALHOST", "localhost."} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestNoProxyForThisComputer$")
		cmd.Env = append(os.Environ(), "API_TEST_DIRECT=http://"+host+":"+port, "HTTP_PROXY="+proxy.URL, "http_proxy="+proxy.URL, "NO_PROXY=", "no_proxy=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", host, err, out)
		}
	}
	if len(proxied) > 0 {
		t.Errorf("the proxy saw %s", <-proxied)
	}
}

// TestKeyIsNotInRecords: a key that the service repeats in records is removed from them.
func TestKeyIsNotInRecords(t *testing.T) {
	record := func(r *http.Request) string {
		text, _ := json.Marshal(map[string]any{
			"fileId": "1", "name": testKey, "tags": keyForms(),
			"description": r.Header.Get("Authorization") + testKey[:len(testKey)-2],
		})
		return string(text)
	}
	one := answering(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, record(r)) })
	many := answering(t,
		func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "["+record(r)+"]") })
	check := func(f *api.File, err error) {
		t.Helper()
		if err != nil || f.FileID != "1" {
			t.Fatal(f, err)
		}
		wantNoKey(t, "the record", *f)
		wantNoKey(t, "the text of the record", string(f.Raw))
		if strings.Contains(string(f.Raw), testKey[:len(testKey)-2]) {
			t.Errorf("a part of the key is in %s", f.Raw)
		}
	}
	check(one.Upload(t.Context(), upload(writeFile(t, "a", []byte("x"))), nil))
	check(one.Details(t.Context(), "1"))
	check(one.Record(t.Context(), api.ChangeDetails("1", api.Details{Tags: api.Null[[]string]()})))
	list, err := many.List(t.Context(), api.Query{})
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	check(&list[0], err)
}
