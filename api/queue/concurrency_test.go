package queue_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/queue"
)

// BenchmarkConcurrency is how the default was found: 40 pictures of 500 kB over a shared line of
// 10 MB/s, to a service that needs 100 ms for each. The default is the smallest number that comes
// near the limit of the line.
func BenchmarkConcurrency(b *testing.B) {
	const (
		files, size = 40, 500_000
		line        = 10_000_000 // bytes per second
		think       = 100 * time.Millisecond
	)
	var mu sync.Mutex
	var free time.Time // when the line has carried all earlier data
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		buffer := make([]byte, 32<<10)
		for {
			n, err := r.Body.Read(buffer)
			mu.Lock()
			if now := time.Now(); free.Before(now) {
				free = now
			}
			free = free.Add(time.Duration(n) * time.Second / line)
			wait := time.Until(free)
			mu.Unlock()
			time.Sleep(wait)
			if err == io.EOF {
				break
			}
			if err != nil {
				return
			}
		}
		time.Sleep(think)
		fmt.Fprint(w, `{"fileId":"id","name":"f","filePath":"/f","fileType":"non-image"}`)
	})}
	go server.Serve(listener)
	defer server.Close()
	address := "http://" + listener.Addr().String()
	client, err := api.NewClient(api.Options{UploadURL: address, BaseURL: address})
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	fileList := filesFor(b, files, size)
	for _, n := range []int{1, 2, 3, 4, 6, 8, 16} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				j := openJournal(b)
				q := queue.New(queue.Options{Journal: j, Sender: client, Profile: "home", Concurrency: n, Fresh: true})
				if err := q.Start(b.Context()); err != nil {
					b.Fatal(err)
				}
				jobs := make([]api.Job, len(fileList))
				for i := range jobs {
					jobs[i] = fileList[i]
					api.ApplyNaming(&jobs[i].Upload, api.NameHere)
				}
				if _, err := q.Add(b.Context(), jobs); err != nil {
					b.Fatal(err)
				}
				if _, err := q.Wait(b.Context(), nil); err != nil {
					b.Fatal(err)
				}
				q.Close(b.Context())
			}
			floor := float64(files*size) / line
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/floor, "times-the-line")
		})
	}
}
