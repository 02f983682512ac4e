package local_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"mediadesk/api/local"
	"mediadesk/api/local/store/pgtest"
	"mediadesk/api/local/store/storetest"
)

// TestSameContentOnTwoInstances stores and deletes the same contents on two instances in
// turn: what is stored has its content, however soon the other one removes it.
func TestSameContentOnTwoInstances(t *testing.T) {
	o := local.Options{Storage: storetest.Serve(t).URL, Database: pgtest.Database(t)}
	a, b := serve(t, o), serve(t, o)
	for round := range 6 {
		text := fmt.Sprint("the same ", round%2)
		for n, pair := range [][2]string{{a.Address, b.Address}, {b.Address, a.Address}} {
			name := fmt.Sprintf("%d-%d.txt", round, n)
			record := upload(t, pair[0], []byte(text), "fileName", name, "useUniqueFileName", "false")
			if got := fetch(t, pair[1]+"/"+name); got != text {
				t.Fatalf("%s reads as %q on the other instance", name, got)
			}
			if status, answer, _ := callHeader(t, http.MethodDelete, fmt.Sprintf("%s/v1/files/%v", pair[1], record["fileId"]), "", nil); status != http.StatusNoContent {
				t.Fatalf("the deletion was answered %d %v", status, answer)
			}
			if err := a.Library.RemoveDeleted(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestUploadCost measures 20 kB uploads at 8 connections on each combination of engines,
// one after the other. It is for docs/scale.md.
func TestUploadCost(t *testing.T) {
	if os.Getenv("MEDIADESK_LONG") == "" {
		t.Skip("MEDIADESK_LONG is not set")
	}
	onEachEngine(t, func(t *testing.T, o local.Options) {
		s := serve(t, o)
		source := rand.NewChaCha8([32]byte{1})
		const uploads = 1000
		bodies := make(chan []byte, uploads)
		for range uploads {
			data := make([]byte, 20_000)
			source.Read(data)
			bodies <- data
		}
		close(bodies)
		keep := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
		defer keep.CloseIdleConnections()
		start := time.Now()
		var group errgroup.Group
		for range 8 {
			group.Go(func() error {
				for data := range bodies {
					contentType, body := form(data, "fileName", "a.bin")
					req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Address+"/api/v1/files/upload", bytes.NewReader(body.Bytes()))
					if err != nil {
						return err
					}
					req.Header.Set("Content-Type", contentType)
					req.SetBasicAuth(testKey, "")
					res, err := keep.Do(req)
					if err != nil {
						return err
					}
					res.Body.Close()
					if res.StatusCode != http.StatusOK {
						return fmt.Errorf("an upload was answered %d", res.StatusCode)
					}
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		t.Logf("%.0f uploads/s", uploads/time.Since(start).Seconds())
	})
}
