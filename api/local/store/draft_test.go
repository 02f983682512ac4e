package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"math/rand/v2"
	"os"
	"testing"
)

// TestDraftInPieces writes contents of many sizes in pieces, and reads in between. The stored content is
// what was written.
func TestDraftInPieces(t *testing.T) {
	c, err := OpenContents(t.TempDir())
	must(t, err)
	draftInPieces(t, c)
	left, err := os.ReadDir(c.(*folder).incoming())
	if err != nil || len(left) > 0 {
		t.Errorf("drafts remain: %v, %v", left, err)
	}
}

func draftInPieces(t *testing.T, c Contents) {
	t.Helper()
	source := rand.NewChaCha8([32]byte{7})
	random := rand.New(source)
	for _, size := range []int{0, 1, 4 << 10, draftBuffer - 1, draftBuffer, draftBuffer + 1, 2 * draftBuffer, 5_000_001, partSize, partSize + 1, 20_000_003} {
		data := make([]byte, size)
		source.Read(data)
		d, err := c.Draft()
		must(t, err)
		for at := 0; at < size; {
			n := min(1+random.IntN(100_000), size-at)
			if _, err := d.Write(data[at : at+n]); err != nil {
				t.Fatal(err)
			}
			at += n
			if d.Size() != int64(at) {
				t.Fatalf("after %d bytes the draft has %d", at, d.Size())
			}
			if random.IntN(20) == 0 && at <= partSize {
				got := make([]byte, 1)
				if _, err := d.ReadAt(got, int64(at-1)); err != nil || got[0] != data[at-1] {
					t.Fatalf("byte %d reads as %d, %v", at-1, got[0], err)
				}
			}
		}
		hash, err := d.Commit()
		sum := sha256.Sum256(data)
		if err != nil || hash != hex.EncodeToString(sum[:]) {
			t.Fatalf("%d bytes are %s, %v", size, hash, err)
		}
		f, err := c.Open(hash)
		must(t, err)
		got, err := io.ReadAll(f)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("wrote %d bytes and read %d, %v", size, len(got), err)
		}
		f.Close()
		d.Discard()
	}
}
