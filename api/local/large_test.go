package local_test

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"

	"mediadesk/api/local"
	"mediadesk/api/media/mediatest"
)

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
