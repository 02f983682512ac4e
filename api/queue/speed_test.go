package queue_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"mediadesk/api"
	"mediadesk/api/journal"
	"mediadesk/api/queue"
)

// startSink starts a service that accepts every upload and stores nothing.
func startSink(t testing.TB) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var n atomic.Int64
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		id := n.Add(1)
		fmt.Fprintf(w, `{"fileId":"id%d","name":"f","filePath":"/f%d","fileType":"non-image","size":20000}`, id, id)
	})}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return "http://" + listener.Addr().String()
}

func filesFor(t testing.TB, n, size int) []api.Job {
	dir := t.TempDir()
	jobs := make([]api.Job, n)
	content := make([]byte, size)
	for i := range jobs {
		name := filepath.Join(dir, fmt.Sprintf("f%05d.bin", i))
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
		id, err := api.Identify(name)
		if err != nil {
			t.Fatal(err)
		}
		jobs[i] = api.Job{Naming: api.NameHere, Identity: id, Upload: api.Upload{Source: api.Source{Path: name}, FileName: filepath.Base(name)}}
	}
	return jobs
}

// BenchmarkSmallFiles sends 2,000 files of 20 kB, 8 at a time, with the client alone and with the
// queue and its journal.
func BenchmarkSmallFiles(b *testing.B) {
	address := startSink(b)
	client, err := api.NewClient(api.Options{UploadURL: address, BaseURL: address})
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	list := filesFor(b, 2000, 20_000)
	b.Run("client", func(b *testing.B) {
		for b.Loop() {
			work := make(chan *api.Job)
			done := make(chan struct{})
			for range 8 {
				go func() {
					for j := range work {
						if _, err := client.Upload(b.Context(), &j.Upload, nil); err != nil {
							b.Error(err)
						}
					}
					done <- struct{}{}
				}()
			}
			for i := range list {
				work <- &list[i]
			}
			close(work)
			for range 8 {
				<-done
			}
		}
		b.ReportMetric(float64(len(list)*b.N)/b.Elapsed().Seconds(), "files/s")
	})
	b.Run("queue", func(b *testing.B) {
		for b.Loop() {
			j, err := journal.Open(b.Context(), filepath.Join(b.TempDir(), "j", "journal.db"))
			if err != nil {
				b.Fatal(err)
			}
			q := queue.New(queue.Options{Journal: j, Sender: client, Profile: "home", Concurrency: 8, Fresh: true})
			if err := q.Start(b.Context()); err != nil {
				b.Fatal(err)
			}
			jobs := make([]api.Job, len(list))
			for i := range jobs {
				jobs[i] = list[i]
				api.ApplyNaming(&jobs[i].Upload, api.NameHere)
			}
			if _, err := q.Add(b.Context(), jobs); err != nil {
				b.Fatal(err)
			}
			if _, err := q.Wait(b.Context(), nil); err != nil {
				b.Fatal(err)
			}
			if err := q.Close(b.Context()); err != nil {
				b.Fatal(err)
			}
			j.Close()
		}
		b.ReportMetric(float64(len(list)*b.N)/b.Elapsed().Seconds(), "files/s")
	})
}
