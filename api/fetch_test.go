package api_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
)

const deliveredHead = "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nConnection: close\r\n\r\n"

// TestFetchEndsWhenNothingComes: a body or message of a refusal ends if no more bytes come. One
// that is only slow does not.
func TestFetchEndsWhenNothingComes(t *testing.T) {
	for about, head := range map[string]string{"body": deliveredHead, "refusal": "HTTP/1.1 403 Forbidden\r\nContent-Length: 100\r\n\r\n"} {
		address := rawServer(t, func(conn rawConn, _ *http.Request, _ *bufio.Reader) {
			write(conn, head+"0123")
			conn.hang()
		})
		c := mustClient(t,
			api.Options{UploadURL: address, BaseURL: address, StallTimeout: 100 * time.Millisecond})
		body, _, err := c.Fetch(t.Context(), address+"/a.jpg", 0, 10)
		if about == "refusal" {
			var answer *api.ServiceError
			if !errors.As(err, &answer) || answer.Status != 403 {
				t.Errorf("%s: %v", about, err)
			}
			continue
		}
		must(t, err)
		defer body.Close()
		text, err := io.ReadAll(body)
		if string(text) != "0123" || err == nil || !strings.Contains(err.Error(), "no byte came for 100ms") {
			t.Errorf("%q, %v", text, err)
		}
	}
}

// TestFetchIsCanceled: canceling ends the download at once.
func TestFetchIsCanceled(t *testing.T) {
	address := rawServer(t, func(conn rawConn, _ *http.Request, _ *bufio.Reader) {
		write(conn, deliveredHead+"0123")
		conn.hang()
	})
	c := mustClient(t, api.Options{UploadURL: address, BaseURL: address})
	ctx, cancel := context.WithCancel(t.Context())
	body, _, err := c.Fetch(ctx, address+"/a.jpg", 0, 10)
	must(t, err)
	defer body.Close()
	_, err = io.ReadFull(body, make([]byte, 4))
	must(t, err)
	cancel()
	if _, err := io.ReadAll(body); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
