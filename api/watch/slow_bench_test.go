package watch_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mediadesk/api/journal"
	"mediadesk/api/watch"
)

// BenchmarkPosts measures how long posts take until they are acknowledged, which is after their commit:
// alone, and beside 1,000 connections that send a few bytes and then stop. All must be served.
func BenchmarkPosts(b *testing.B) {
	for _, slow := range []int{0, 1000} {
		b.Run(fmt.Sprintf("beside-%d-slow", slow), func(b *testing.B) {
			j, err := journal.Open(b.Context(), filepath.Join(b.TempDir(), "journal.db"))
			if err != nil {
				b.Fatal(err)
			}
			defer j.Close()
			w := watch.New(watch.Options{Journal: j, Profile: "home", Listen: "127.0.0.1:0"})
			if err := w.Start(b.Context()); err != nil {
				b.Fatal(err)
			}
			defer w.Close(context.Background())
			address, err := w.FileAddress(b.Context(), "home", "f")
			if err != nil {
				b.Fatal(err)
			}
			path := strings.TrimPrefix(address, "http://"+w.Addr())
			open := func(n int) net.Conn {
				conn, err := net.Dial("tcp", w.Addr())
				if err != nil {
					b.Fatal(err)
				}
				switch n % 3 {
				case 1:
					fmt.Fprintf(conn, "POST %s HT", path)
				case 2:
					fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{", path)
				}
				return conn
			}
			conns := make([]net.Conn, slow)
			for n := range conns {
				conns[n] = open(n)
			}
			defer func() {
				for _, conn := range conns {
					conn.Close()
				}
			}()
			client := &http.Client{}
			defer client.CloseIdleConnections()
			var took []time.Duration
			for n := 0; b.Loop(); n++ {
				if slow > 0 {
					// The receiver closes slow connections, and new ones replace them.
					i := n % slow
					conns[i].Close()
					conns[i] = open(n)
				}
				began := time.Now()
				res, err := client.Post(address, "application/json", strings.NewReader(fmt.Sprintf(`{"service":"x%d","status":"SUCCESS"}`, n%60)))
				if err != nil {
					b.Fatal(err)
				}
				io.Copy(io.Discard, res.Body)
				res.Body.Close()
				if res.StatusCode != http.StatusOK {
					b.Fatalf("post %d was answered with %s", n, res.Status)
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			at := func(share float64) float64 { return float64(took[int(share*float64(len(took)-1))]) / 1e6 }
			b.ReportMetric(at(0.5), "p50-ms")
			b.ReportMetric(at(0.99), "p99-ms")
			b.ReportMetric(float64(len(took)), "served")
		})
	}
}
