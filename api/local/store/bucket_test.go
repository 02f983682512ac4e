package store

import (
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"gocloud.dev/blob"

	"mediadesk/api/local/store/storetest"
)

// eachContents runs a test with every kind of Contents.
func eachContents(t *testing.T, test func(*testing.T, Contents)) {
	t.Helper()
	open := func(t *testing.T, c Contents, err error) Contents {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
		return c
	}
	t.Run("folder", func(t *testing.T) {
		c, err := OpenContents(filepath.Join(t.TempDir(), "contents"))
		test(t, open(t, c, err))
	})
	t.Run("file", func(t *testing.T) {
		c, err := OpenStorage(t.Context(), "file://"+filepath.ToSlash(t.TempDir())+"/store")
		test(t, open(t, c, err))
	})
	t.Run("s3", func(t *testing.T) {
		c, err := OpenStorage(t.Context(), storetest.Serve(t).URL)
		test(t, open(t, c, err))
	})
}

func TestDrafts(t *testing.T) { eachContents(t, draftInPieces) }

// TestLargeContents: a content that is too large for memory is sent in parts, stored once, and removed
// with the last version that has it.
func TestLargeContents(t *testing.T) {
	eachContents(t, func(t *testing.T, c Contents) {
		text := strings.Repeat("0123456789abcde\n", smallContent/16+1)
		hash := putContent(t, c, text)
		if again := putContent(t, c, text); again != hash {
			t.Errorf("the same content has the hashes %s and %s", hash, again)
		}
		read := func() {
			t.Helper()
			f, err := c.Open(hash)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if got, err := io.ReadAll(f); err != nil || string(got) != text {
				t.Errorf("read %d bytes, %v", len(got), err)
			}
			if _, err := f.Seek(-5, io.SeekEnd); err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(f); err != nil || string(got) != text[len(text)-5:] {
				t.Errorf("the end is %q, %v", got, err)
			}
		}
		read()
		yes := func() (bool, error) { return true, nil }
		if err := c.SetAside(describe(t, c, hash), yes); err != nil || hasContent(c, hash) {
			t.Errorf("not set aside: %v", err)
		}
		if err := c.BringBack(hash); err != nil {
			t.Fatal(err)
		}
		read()
		if err := c.Tidy(); err != nil {
			t.Error(err)
		}
		if err := c.Remove(describe(t, c, hash), yes); err != nil || hasContent(c, hash) {
			t.Errorf("not removed: %v", err)
		}
		if b, ok := c.(*bucket); ok {
			if keys := keysOf(t, b); len(keys) > 0 {
				t.Errorf("%v remain", keys)
			}
		}
	})
}

// TestBrokenOff: a large draft that is discarded leaves nothing.
func TestBrokenOff(t *testing.T) {
	eachContents(t, func(t *testing.T, c Contents) {
		b, ok := c.(*bucket)
		if !ok {
			t.Skip("TestDiscardedDraftLeavesNothing")
		}
		for _, size := range []int{smallContent + 1, 2*smallContent + 5} {
			d, err := b.Draft()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := d.Write(make([]byte, size)); err != nil {
				t.Fatal(err)
			}
			if size > 2*smallContent { // everything arrived and was read
				if _, err := d.ReadAt(make([]byte, 1), int64(size-1)); err != nil {
					t.Fatal(err)
				}
			}
			d.Discard()
			if _, err := d.Write(nil); err == nil {
				t.Error("a discarded draft accepted more data")
			}
			if keys := keysOf(t, b); len(keys) > 0 {
				t.Errorf("%v remain", keys)
			}
		}
	})
}

func keysOf(t *testing.T, b *bucket) (keys []string) {
	t.Helper()
	for token := blob.FirstPageToken; len(token) > 0; {
		page, next, err := b.ListPage(t.Context(), token, 1000, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range page {
			keys = append(keys, o.Key)
		}
		token = next
	}
	return keys
}

// TestPictures: pictures are stored beside the contents and removed with them.
func TestPictures(t *testing.T) {
	eachContents(t, func(t *testing.T, c Contents) {
		b, ok := c.(*bucket)
		if !ok {
			t.Skip("a folder keeps none")
		}
		hash := putContent(t, c, "a")
		if _, err := b.Picture(hash + "-x"); !errors.Is(err, ErrNotFound) {
			t.Errorf("a picture that was never made: %v", err)
		}
		for range 2 {
			if err := b.KeepPicture(hash+"-x", []byte("picture")); err != nil {
				t.Fatal(err)
			}
		}
		if data, err := b.Picture(hash + "-x"); err != nil || string(data) != "picture" {
			t.Errorf("the picture is %q, %v", data, err)
		}
		if err := b.Remove(describe(t, c, hash), func() (bool, error) { return true, nil }); err != nil {
			t.Fatal(err)
		}
		if keys := keysOf(t, b); len(keys) > 0 {
			t.Errorf("%v remain", keys)
		}
	})
}

// TestNoStorage: the error for an unusable address says why, without its secrets.
func TestNoStorage(t *testing.T) {
	for _, address := range []string{
		"nothing", "ftp://user:s3cret@host/", "file:///dev/null/x", "s3://bucket?secret=s3cret", "s3://user:s3cret@bucket?region=x&sas=s3cret", "s3://b?endpoint=http%3A%2F%2Fuser%3As3cret%40host%20x&nothing=1",
	} {
		c, err := OpenStorage(t.Context(), address)
		if err == nil {
			c.Close()
			t.Errorf("%s was opened", address)
		} else if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s shows its secret: %v", address, err)
		}
	}
	if got, want := MaskURL("s3://b?region=eu&token=x&endpoint=http%3A%2F%2Fu%3Ap%40h%3A1"), "s3://b?endpoint=http%3A%2F%2Fu%3Axxxxx%40h%3A1&region=eu&token=redacted"; got != want {
		t.Errorf("masked as %s, want %s", got, want)
	}
}
