// Package storetest starts an S3 server for tests.
package storetest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"mediadesk/api/media/mediatest"
)

// Program is the S3 server for tests.
const Program = "versitygw"

// Server is an S3 server with an empty bucket.
type Server struct {
	URL string // for store.OpenStorage

	// Fault is called before every request and may answer it; may be nil. Set it before the first
	// request.
	Fault func(w http.ResponseWriter, r *http.Request) (answered bool)
}

// start runs an S3 server with a bucket until the test ends. It skips the test unless everything is
// required. It sets the credentials in the environment.
func start(t *testing.T, dir, socket string) (stop func()) {
	t.Helper()
	mediatest.OnlyWithEverything(t)
	program := mediatest.Tool(t, Program)
	for _, name := range []string{"files/media", "sidecar"} {
		mediatest.Must(t, os.MkdirAll(filepath.Join(dir, name), 0o700))
	}
	const user, secret = "tester", "secret-of-the-tester"
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": user, "AWS_SECRET_ACCESS_KEY": secret, "AWS_EC2_METADATA_DISABLED": "true"} {
		if err := os.Setenv(name, value); err != nil { // for good, so that tests can be parallel
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(context.Background(), program,
		"--port", socket, "--access", user, "--secret", secret, "--quiet",
		"posix", "--sidecar", filepath.Join(dir, "sidecar"), filepath.Join(dir, "files"),
	)
	cmd.Stdout, cmd.Stderr = t.Output(), t.Output()
	mediatest.Must(t, cmd.Start())
	return func() {
		cmd.Process.Kill() //nolint:errcheck // it may have ended
		cmd.Wait()         //nolint:errcheck // it was killed
	}
}

// Serve runs an S3 server until the test ends; see start.
func Serve(t *testing.T) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "s3-") // a short path, because of the socket in it
	mediatest.Must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	stop := start(t, dir, socket)
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}
	// A connection for each request: under load the server takes the end of a body for the next
	// request.
	transport := &http.Transport{DialContext: dial, DisableKeepAlives: true}
	s := &Server{}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: "s3"})
			r.Out.Host = r.In.Host // part of the signature
		},
		Transport:    transport,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { BreakOff(w) },
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.Fault == nil || !s.Fault(w, r) {
			proxy.ServeHTTP(w, r)
		}
	}))
	s.URL = "s3://media?region=us-east-1&use_path_style=true&endpoint=" + url.QueryEscape(front.URL)
	t.Cleanup(func() {
		front.Close()
		transport.CloseIdleConnections()
		stop()
	})
	if err := answers(t.Context(), transport); err != nil {
		t.Fatalf("%s does not answer: %v", Program, err)
	}
	return s
}

// BreakOff closes the connection of a request without an answer.
func BreakOff(w http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		conn.Close()
	}
}

// answers waits until the server answers.
func answers(ctx context.Context, transport http.RoundTripper) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://s3/", nil)
		if err != nil {
			return err
		}
		res, err := transport.RoundTrip(req)
		if err == nil {
			return res.Body.Close()
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-tick.C:
		}
	}
}
