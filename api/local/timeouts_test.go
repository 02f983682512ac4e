package local_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"mediadesk/api/local"
)

// TestReadersOfNothing: a connection whose client does not read is closed, whatever the size of
// the answer.
func TestReadersOfNothing(t *testing.T) {
	const connections = 200
	s := serve(t, local.Options{}.WithIdleTimeout(200*time.Millisecond))
	large := upload(t, s.Address, make([]byte, 10_000_000), "fileName", "large.bin")["filePath"]
	small := upload(t, s.Address, []byte("small"), "fileName", "small.txt")["filePath"]
	host := strings.TrimPrefix(s.Address, "http://")
	before := runtime.NumGoroutine()
	for n := range connections {
		c, err := net.Dial("tcp", host)
		must(t, err)
		defer c.Close()
		path := []any{large, small}[n%2]
		fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, host)
	}
	eventually(t, "the end of the connections", func() bool { return runtime.NumGoroutine() <= before+connections/50 })
}

// TestSlowReader: a download may take any time while bytes move, here nine times as long as a
// connection may stand still. With the default of one minute this allows 13 KB/s.
func TestSlowReader(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("this system buffers megabytes before a slow reader is noticed")
	}
	const size, patience, perPatience = 7_200_000, 300 * time.Millisecond, 800_000
	s := serve(t, local.Options{}.WithIdleTimeout(patience))
	r := upload(t, s.Address, make([]byte, size), "fileName", "large.bin")
	res, err := http.Get(r["url"].(string))
	must(t, err)
	defer res.Body.Close()
	pace := time.NewTicker(patience / 10)
	defer pace.Stop()
	var got int64
	for {
		n, err := io.CopyN(io.Discard, res.Body, perPatience/10)
		if got += n; err == io.EOF && got == size {
			return
		}
		if err != nil {
			t.Fatalf("the download ended after %d bytes: %v", got, err)
		}
		<-pace.C
	}
}
