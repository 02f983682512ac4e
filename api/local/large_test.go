package local_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"mediadesk/api/local"
	"mediadesk/api/media/mediatest"
)

// TestExtremePicturesAreRefusedWithAReason: a picture that would need too much memory is stored,
// but no transformation or extension works on it.
func TestExtremePicturesAreRefusedWithAReason(t *testing.T) {
	if mediatest.Racing {
		t.Skip("one request at a time, and the pictures take two minutes with the race detector")
	}
	s := serve(t, local.Options{})
	const words = "no side may have more than"
	for name, data := range map[string][]byte{
		"thin.png": mediatest.LargePNG(200, 300_000, false), "line.png": mediatest.LargePNG(67_108_864, 1, false),
	} {
		upload(t, s.Address, data, "fileName", name, "useUniqueFileName", "false")
		status, answer := call(t, http.MethodGet, s.Address+"/tr:w-4000/"+name, "", nil)
		if message := fmt.Sprint(answer["message"]); status != http.StatusBadRequest || !strings.Contains(message, words) {
			t.Errorf("%s: answered %d %q", name, status, message)
		}
	}
	answer := upload(t, s.Address, mediatest.LargePNG(1, 67_108_864, false), "fileName", "high.png", "extensions", `[{"name":"google-auto-tagging"}]`)
	if text := fmt.Sprint(answer["extensionStatus"], answer["extensionErrors"]); !strings.Contains(text, "failed") || !strings.Contains(text, words) {
		t.Errorf("tagging: %s", text)
	}
	mediatest.Peak(t, "extreme pictures")
}

// TestManyLargePicturesAtOnce: a few large pictures are transformed at a time, and the others wait.
func TestManyLargePicturesAtOnce(t *testing.T) {
	s := serve(t, local.Options{})
	side := uint32(4000)
	if mediatest.Racing {
		side = 800 // as many requests, in a twentieth of the time
	}
	upload(t, s.Address, mediatest.LargePNG(side, side, true), "fileName", "a.png", "useUniqueFileName", "false")
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			to := int(side)*3/8 + i
			res, err := client.Get(fmt.Sprintf("%s/tr:w-%d,h-%d/a.png", s.Address, to, to))
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Body.Close()
			if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK {
				t.Errorf("answered %d, %v, want %d", res.StatusCode, err, http.StatusOK)
			}
		})
	}
	all.Wait()
	mediatest.Peak(t, "many large pictures")
}
