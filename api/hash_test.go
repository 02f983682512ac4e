package api_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mediadesk/api"
)

// hashes has the output of xxh128sum for that many bytes of "mediadesk " repeated.
var hashes = map[int]string{
	1:          "xxh128:d6e5345be2eaf78df0904807418c57fc",
	9:          "xxh128:0e7380a6aa103ab13128d6d395523d35",
	200:        "xxh128:c400fcfa78a083ebc7a656b43dd10d3d",
	1000:       "xxh128:7a7daf87b6fd1efcea0b3b78d0b73d63",
	70_000:     "xxh128:ec46bf5da9fa6c379ad1ffbbaecb9fde",
	1<<20 - 1:  "xxh128:5547a174f63655022f3797c5b4ce981e",
	1 << 20:    "xxh128:2cf5d1fd2abe8a4a6b071e5d409c8797",
	3<<20 + 17: "xxh128:280a60d7ef5157002ef65f970eb6017a",
}

// TestHashOfWhatWasSent: the hash is that of the file, sent as a whole, in pieces, or as base64.
func TestHashOfWhatWasSent(t *testing.T) {
	rec := newRecorder(t)
	c, err := api.NewClient(api.Options{UploadURL: rec.URL, BaseURL: rec.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for size, want := range hashes {
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
			if p.Hash() != want {
				t.Errorf("%d bytes, base64 %v: hash %q, want %q", size, base64, p.Hash(), want)
			}
			if got, id, err := api.HashSource(name, api.HashKindOf(want)); err != nil || got != want || id.Size != int64(size) {
				t.Errorf("%d bytes: HashSource %q %v %v", size, got, id, err)
			}
		}
	}
}

// TestHashOfOlderPrograms: the hash of older programs is what sha256sum prints.
func TestHashOfOlderPrograms(t *testing.T) {
	const want = "sha256:a48a8efa7c82f305753882b7610a873027ef08bd9e7a75392c36dd3519c18a17"
	got, size, err := api.HashContent(strings.NewReader(strings.Repeat("mediadesk ", 100)), api.HashKindOf(want))
	if err != nil || got != want || size != 1000 {
		t.Errorf("%q of %d bytes, %v", got, size, err)
	}
}
