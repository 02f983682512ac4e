package local_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"mediadesk/api/local"
	"mediadesk/api/local/store/storetest"
)

// TestFaultsOfTheStore uploads, reads and deletes through a store that refuses a tenth of its
// requests and breaks off another tenth. Every upload that was answered as stored is complete.
// Refused uploads are not listed, and leave only contents that a repeat would use.
func TestFaultsOfTheStore(t *testing.T) {
	t.Parallel()
	s3 := storetest.Serve(t)
	var mu sync.Mutex
	var on atomic.Bool
	random := rand.New(rand.NewPCG(1, 2))
	s3.Fault = func(w http.ResponseWriter, _ *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		if !on.Load() || random.IntN(5) > 0 {
			return false
		}
		if random.IntN(2) == 0 {
			storetest.BreakOff(w)
		} else {
			http.Error(w, "on purpose", http.StatusServiceUnavailable)
		}
		return true
	}
	dir := t.TempDir()
	s := serve(t, local.Options{Dir: dir, Storage: s3.URL})
	on.Store(true)
	stored := map[string]string{} // text by name
	refused := 0
	for n := range 24 {
		name, text := fmt.Sprintf("%d.txt", n), fmt.Sprintf("text %d", n%16) // some texts twice
		if n%12 == 11 {
			text = strings.Repeat(text, 2_000_000)
		}
		contentType, body := form([]byte(text), "fileName", name, "useUniqueFileName", "false")
		status, answer, header := callHeader(t, http.MethodPost, s.Address+"/api/v1/files/upload", contentType, body)
		switch status {
		case http.StatusOK:
			stored[name] = text
			if n%7 == 0 {
				callHeader(t, http.MethodDelete, fmt.Sprintf("%s/v1/files/%v", s.Address, answer["fileId"]), "", nil)
				delete(stored, name)
			}
		case http.StatusServiceUnavailable:
			if refused++; header.Get("Retry-After") == "" {
				t.Errorf("%s was refused without Retry-After: %v", name, answer)
			}
		default:
			t.Errorf("%s was answered %d %v", name, status, answer)
		}
	}
	on.Store(false)
	t.Logf("%d of 24 were refused", refused)
	for name, text := range stored {
		if got := fetch(t, s.Address+"/"+name); got != text {
			t.Errorf("%s has %d bytes, want %d", name, len(got), len(text))
		}
	}
	closeServer(t, s)
	sum, err := local.Check(context.Background(), dir, local.CheckOptions{Storage: s3.URL}, func(p local.Problem) error {
		t.Error(p)
		return nil
	})
	if err != nil || sum.Files != len(stored) {
		t.Errorf("checked %+v, %v; want %d files", sum, err, len(stored))
	}
}

// TestStoreIsDown: while the store does not answer, uploads and reads are refused with Retry-After
// and health names the store. Afterwards everything works, and an interrupted extension run ends well.
func TestStoreIsDown(t *testing.T) {
	t.Parallel()
	s3 := storetest.Serve(t)
	var isDown atomic.Bool
	s3.Fault = func(w http.ResponseWriter, _ *http.Request) bool {
		if isDown.Load() {
			storetest.BreakOff(w)
		}
		return isDown.Load()
	}
	s := serve(t, local.Options{Storage: s3.URL})
	record := upload(t, s.Address, []byte("before"), "fileName", "before.txt", "useUniqueFileName", "false")
	isDown.Store(true)
	for what, ask := range map[string]func() (int, map[string]any, http.Header){
		"an upload": func() (int, map[string]any, http.Header) {
			contentType, body := form([]byte("meanwhile"), "fileName", "meanwhile.txt", "useUniqueFileName", "false")
			return callHeader(t, http.MethodPost, s.Address+"/api/v1/files/upload", contentType, body)
		},
		"a read": func() (int, map[string]any, http.Header) {
			return callHeader(t, http.MethodGet, s.Address+"/before.txt", "", nil)
		},
		"health": func() (int, map[string]any, http.Header) {
			return callHeader(t, http.MethodGet, s.Address+"/_mediadesk/health", "", nil)
		},
	} {
		status, answer, header := ask()
		if status != http.StatusServiceUnavailable || !strings.Contains(fmt.Sprint(answer["message"]), "storage") {
			t.Errorf("%s was answered %d %v", what, status, answer)
		}
		if header.Get("Retry-After") == "" {
			t.Errorf("%s was answered without Retry-After", what)
		}
	}
	// Requests that need only the records work.
	if got := details(t, s.Address, record["fileId"]); got["name"] != "before.txt" {
		t.Errorf("the record is %v", got)
	}
	isDown.Store(false)
	if got := fetch(t, s.Address+"/before.txt"); got != "before" {
		t.Errorf("read %q, want \"before\"", got)
	}
	if got := fetch(t, s.Address+"/meanwhile.txt"); got != "" {
		t.Errorf("a refused upload is stored: %q, want \"\"", got)
	}
	upload(t, s.Address, []byte("meanwhile"), "fileName", "meanwhile.txt", "useUniqueFileName", "false")
	if status, _, _ := callHeader(t, http.MethodGet, s.Address+"/_mediadesk/health", "", nil); status != http.StatusOK {
		t.Errorf("health was answered %d, want %d", status, http.StatusOK)
	}
}
