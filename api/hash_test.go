package api_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
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

// TestHashOfWhatWasSent: the hash is that of the file, sent as a whole or in pieces.
func TestHashOfWhatWasSent(t *testing.T) {
	rec := newRecorder(t)
	c, err := api.NewClient(api.Options{UploadURL: rec.URL, BaseURL: rec.URL})
	must(t, err)
	defer c.Close()
	for size, want := range hashes {
		content := bytes.Repeat([]byte("mediadesk "), size/10+1)[:size]
		name := filepath.Join(t.TempDir(), "f.bin")
		must(t, os.WriteFile(name, content, 0o600))
		var p api.Progress
		_, err := c.Upload(t.Context(), &api.Upload{Source: api.Source{Path: name}, FileName: "f.bin"}, &p)
		must(t, err)
		mediatest.Equal(t, p.Hash(), want, "%d bytes, hash", size)
		if got, id, err := api.HashSource(name); err != nil || got != want || id.Size != int64(size) {
			t.Errorf("%d bytes: HashSource %q %v %v", size, got, id, err)
		}
	}
}
