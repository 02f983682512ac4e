package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"mediadesk/api/local/store/storetest"
)

// eachContents runs a test with every kind of Contents.
func eachContents(t *testing.T, test func(*testing.T, Contents)) {
	t.Helper()
	t.Run("folder", func(t *testing.T) {
		c, err := OpenContents(filepath.Join(t.TempDir(), "contents"), false)
		must(t, err)
		test(t, c)
	})
	t.Run("file", func(t *testing.T) {
		c, err := OpenStorage(t.Context(), "file://"+filepath.ToSlash(t.TempDir())+"/store")
		must(t, err)
		test(t, c)
	})
	t.Run("s3", func(t *testing.T) {
		c, err := OpenStorage(t.Context(), storetest.Serve(t).URL)
		must(t, err)
		test(t, c)
	})
}

// TestDrafts writes contents of many sizes in pieces, and reads in between. The stored content is what
// was written.
func TestDrafts(t *testing.T) {
	t.Parallel()
	eachContents(t, draftInPieces)
}

// TestLargeContents: a content that is sent in parts is stored once, and removed with the last version
// that has it.
func TestLargeContents(t *testing.T) {
	t.Parallel()
	eachContents(t, func(t *testing.T, c Contents) {
		text := strings.Repeat("0123456789abcde\n", partSize/16+1)
		hash := putContent(t, c, text)
		if again := putContent(t, c, text); again != hash {
			t.Errorf("the same content has the hashes %s and %s", hash, again)
		}
		read := func() {
			t.Helper()
			f, err := c.Open(hash)
			must(t, err)
			defer f.Close()
			if got, err := io.ReadAll(f); err != nil || string(got) != text {
				t.Errorf("read %d bytes, %v", len(got), err)
			}
			_, err = f.Seek(-5, io.SeekEnd)
			must(t, err)
			if got, err := io.ReadAll(f); err != nil || string(got) != text[len(text)-5:] {
				t.Errorf("the end is %q, %v", got, err)
			}
		}
		read()
		prefixes := func(want ...string) {
			t.Helper()
			if got, err := c.Prefixes(); err != nil || !slices.Equal(slices.Compact(got), want) {
				t.Errorf("the prefixes are %q, %v, want %q", got, err, want)
			}
		}
		prefixes(hash[:2])
		yes := func() (bool, error) { return true, nil }
		if err := c.Retire(describe(t, c, hash), false, yes); err != nil || hasContent(c, hash) {
			t.Errorf("not set aside: %v", err)
		}
		prefixes(hash[:2])
		must(t, c.Restore(hash))
		read()
		if err := c.Retire(describe(t, c, hash), true, yes); err != nil || hasContent(c, hash) {
			t.Errorf("not removed: %v", err)
		}
		if b, ok := c.(*bucket); ok {
			if keys := keysOf(t, b); len(keys) > 0 {
				t.Errorf("%v remain", keys)
			}
		}
	})
}

func keysOf(t *testing.T, b *bucket) (keys []string) {
	t.Helper()
	must(t, b.each("", func(o minio.ObjectInfo) { keys = append(keys, o.Key) }))
	return keys
}

// TestNoStorage: the error for an unusable address says why, without its secrets.
func TestNoStorage(t *testing.T) {
	for _, address := range []string{
		"nothing", "ftp://user:s3cret@host/", "file:///dev/null/x", "s3://bucket?secret=s3cret", "s3://user:s3cret@bucket?region=x&sas=s3cret", "s3://b?endpoint=http%3A%2F%2Fuser%3As3cret%40host%20x&nothing=1",
	} {
		if _, err := OpenStorage(t.Context(), address); err == nil {
			t.Errorf("%s was opened", address)
		} else if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s shows its secret: %v", address, err)
		}
	}
	if got, want := MaskURL("s3://b?region=eu&token=x&endpoint=http%3A%2F%2Fu%3Ap%40h%3A1"), "s3://b?endpoint=http%3A%2F%2Fu%3Axxxxx%40h%3A1&region=eu&token=redacted"; got != want {
		t.Errorf("masked as %s, want %s", got, want)
	}
}

// TestStoreStandsStill: a request to a store that never answers ends after the time limit.
func TestStoreStandsStill(t *testing.T) {
	t.Parallel()
	s3 := storetest.Serve(t)
	c, err := OpenStorage(t.Context(), s3.URL)
	must(t, err)
	c.(*bucket).timeout = 50 * time.Millisecond
	moves := make(chan struct{})
	defer close(moves)
	s3.Fault = func(http.ResponseWriter, *http.Request) bool {
		<-moves
		return true
	}
	for _, size := range []int{10, partSize + 1} {
		d, err := c.Draft()
		must(t, err)
		d.Write(make([]byte, size))
		var down *DownError
		if _, err := d.Commit(); !errors.As(err, &down) {
			t.Errorf("%d bytes were answered %v", size, err)
		}
		d.Discard()
	}
}

func draftInPieces(t *testing.T, c Contents) {
	t.Helper()
	source := rand.NewChaCha8([32]byte{7})
	random := rand.New(source)
	for _, size := range []int{
		0, 1, 4 << 10, draftBuffer - 1, draftBuffer, draftBuffer + 1, 2 * draftBuffer, partSize, partSize + 1,
	} {
		data := make([]byte, size)
		source.Read(data)
		d, err := c.Draft()
		must(t, err)
		for at := 0; at < size; {
			n := min(1+random.IntN(100_000), size-at)
			_, err = d.Write(data[at : at+n])
			must(t, err)
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
