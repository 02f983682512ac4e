package api_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
)

// tlsServer returns a server with TLS, with HTTP/2 or without.
func tlsServer(t *testing.T, h2 bool, answer http.HandlerFunc) (*api.Client, *httptest.Server) {
	t.Helper()
	server := httptest.NewUnstartedServer(answer)
	server.EnableHTTP2 = h2
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes are refused on purpose
	server.StartTLS()
	t.Cleanup(server.Close)
	c := mustClient(t, api.Options{UploadURL: server.URL, BaseURL: server.URL, Key: key(testKey)})
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	c.TrustForTest(&tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12})
	return c, server
}

func TestUploadOverTLS(t *testing.T) {
	path := sparseFile(t, tooLarge)
	for _, h2 := range []bool{false, true} {
		c, _ := tlsServer(t, h2, func(w http.ResponseWriter, r *http.Request) {
			mediatest.Equal(t, r.ProtoMajor == 2, h2, "spoke %s", r.Proto)
			if n, err := io.Copy(io.Discard, r.Body); err != nil || n != r.ContentLength || n <= tooLarge {
				t.Errorf("got %d of %d bytes, %v", n, r.ContentLength, err)
			}
			io.WriteString(w, `{"fileId":"1"}`)
		})
		progress := new(api.Progress)
		if _, err := c.Upload(context.Background(), upload(path), progress); err != nil ||
			!progress.Complete() {
			t.Errorf("HTTP/2 %v: %v, complete %v", h2, err, progress.Complete())
		}
	}
}

// TestEarlyRefusalOverTLS: an early refusal is reported over TLS too, where the failed write is in
// the TLS layer.
func TestEarlyRefusalOverTLS(t *testing.T) {
	path := sparseFile(t, tooLarge)
	for _, h2 := range []bool{false, true} {
		start := time.Now()
		c, _ := tlsServer(t, h2, func(w http.ResponseWriter, r *http.Request) {
			io.CopyN(io.Discard, r.Body, 1<<20)
			w.Header().Set("Connection", "close")
			http.Error(w, `{"message":"no!"}`, http.StatusUnauthorized)
		})
		for range 5 {
			_, err := c.Upload(context.Background(), upload(path), nil)
			var answer *api.ServiceError
			if !errors.As(err, &answer) || answer.Status != 401 || answer.Message != "no!" ||
				answer.Complete {
				t.Fatalf("HTTP/2 %v: got %v", h2, err)
			}
		}
		if took := time.Since(start); took > time.Minute {
			t.Errorf("HTTP/2 %v: took %s: something waits for a closed connection", h2, took)
		}
	}
}

// TestUnknownCertificate: with an untrusted certificate nothing is sent, not even the key.
func TestUnknownCertificate(t *testing.T) {
	_, server := tlsServer(t, false, func(http.ResponseWriter, *http.Request) { t.Error("got a request") })
	c := mustClient(t, api.Options{UploadURL: server.URL, BaseURL: server.URL, Key: key(testKey)})
	_, err := c.Upload(context.Background(), upload(sparseFile(t, 10)), nil)
	wantSendError(t, err, false)
	_, err = c.Record(context.Background(), api.ChangeDetails("1", api.Details{Tags: api.Null[[]string]()}))
	wantSendError(t, err, false)
}

// TestConnectionBrokenOverTLS: a broken TLS connection is reported at once, without waiting for an answer.
func TestConnectionBrokenOverTLS(t *testing.T) {
	path := sparseFile(t, tooLarge)
	c, _ := tlsServer(t, false, func(_ http.ResponseWriter, r *http.Request) {
		io.CopyN(io.Discard, r.Body, 1<<20)
		panic(http.ErrAbortHandler)
	})
	start := time.Now()
	for range 5 {
		_, err := c.Upload(context.Background(), upload(path), nil)
		wantSendError(t, err, false)
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("it took %s", took)
	}
}
