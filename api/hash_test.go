package api_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"mediadesk/api"
)

// TestHashOfWhatWasSent: the hash is that of the file, below and above the size
// from which it is made beside the sending, and for base64 too.
func TestHashOfWhatWasSent(t *testing.T) {
	rec := newRecorder(t)
	c, err := api.NewClient(api.Options{UploadURL: rec.URL, BaseURL: rec.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, size := range []int{1, 70_000, 1<<20 - 1, 1 << 20, 3<<20 + 17} {
		for _, base64 := range []bool{false, true} {
			content := bytes.Repeat([]byte("mediadesk "), size/10+1)[:size]
			name := filepath.Join(t.TempDir(), "f.bin")
			if err := os.WriteFile(name, content, 0o600); err != nil {
				t.Fatal(err)
			}
			var p api.Progress
			if _, err := c.Upload(t.Context(), &api.Upload{Source: api.Source{Path: name, Base64: base64}, FileName: "f.bin"}, &p); err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprintf("%x", sha256.Sum256(content))
			if p.Hash() != want {
				t.Errorf("%d bytes, base64 %v: hash %q", size, base64, p.Hash())
			}
			if got, id, err := api.HashSource(name); err != nil || got != want || id.Size != int64(size) {
				t.Errorf("%d bytes: HashSource %q %v %v", size, got, id, err)
			}
		}
	}
}
