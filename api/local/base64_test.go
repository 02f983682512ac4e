package local

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// TestBase64 decodes encoded data, whatever the size of the reads and the line breaks.
func TestBase64(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 1, 20_000).Draw(t, "data")
		encoding := rapid.SampledFrom([]*base64.Encoding{base64.StdEncoding, base64.URLEncoding}).Draw(t, "encoding")
		text := encoding.EncodeToString(data)
		if width := rapid.SampledFrom([]int{0, 1, 63, 76}).Draw(t, "width"); width > 0 {
			var b strings.Builder
			for i := 0; i < len(text); i += width {
				b.WriteString(text[i:min(len(text), i+width)] + "\r\n ")
			}
			text = b.String()
		}
		escapes := rapid.Bool().Draw(t, "escapes")
		if escapes {
			every := rapid.IntRange(1, 100).Draw(t, "every")
			var b strings.Builder
			for i := range len(text) {
				if i%every == 0 {
					fmt.Fprintf(&b, "%%%02x", text[i])
					continue
				}
				b.WriteByte(text[i])
			}
			text = b.String()
		}
		var r io.Reader = strings.NewReader(text)
		if rapid.Bool().Draw(t, "halves") {
			r = iotest.HalfReader(r)
		}
		var src io.Reader = bufio.NewReaderSize(r, 8<<10)
		if escapes {
			src = percentReader{bufio.NewReaderSize(r, 8<<10)}
		}
		got, err := io.ReadAll(newBase64Reader(src))
		if err != nil || !bytes.Equal(got, data) {
			t.Fatalf("decoded %d bytes of %d, %v", len(got), len(data), err)
		}
	})
	for _, text := range []string{"", " ", "a", "abc", "abcd=", "ab=c", "abc=d", "abcd!", "====", "ab==abcd", strings.Repeat("abcd", 5000) + "ab", "photo.jpg", "/home/a/photo.jpg"} {
		if got, err := io.ReadAll(newBase64Reader(bufio.NewReader(strings.NewReader(text)))); err == nil {
			t.Errorf("decoding %.20q: got %q", text, got)
		}
	}
	broken := errors.New("broken")
	body := bufio.NewReader(io.MultiReader(strings.NewReader("abcdab"), iotest.ErrReader(broken)))
	if _, err := io.ReadAll(newBase64Reader(body)); !errors.Is(err, broken) {
		t.Errorf("a body that broke off: got error %v", err)
	}
}
