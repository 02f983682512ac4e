package local

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"mediadesk/api/entry"
	"mediadesk/api/local/store"
	"mediadesk/api/media/mediatest"
)

// TestIsInternal: the guard keeps special and unassigned addresses, in each of their spellings, and
// lets those of the public internet through.
func TestIsInternal(t *testing.T) {
	for _, text := range []string{
		"0.0.0.0", "10.255.255.255", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1",
		"192.88.99.1", "192.168.0.1", "198.19.255.255", "203.0.113.1", "224.0.0.1", "255.255.255.255",
		"::", "::1", "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::1", "3fff::1", "5f00::1",
		"fc00::1", "fe80::1", "fec0::1", "ff02::1", "::ffff:0:127.0.0.1", "4000::1",
	} {
		ip := netip.MustParseAddr(text)
		for _, ip := range []netip.Addr{ip, ip.WithZone("eth0"), netip.AddrFrom16(ip.As16())} {
			mediatest.Equal(t, isInternal(ip), true, "%s is internal", ip)
		}
	}
	for _, text := range []string{"1.1.1.1", "100.128.0.1", "172.32.0.1", "192.0.3.1", "223.255.255.255", "2606:4700::1111", "::ffff:8.8.8.8"} {
		mediatest.Equal(t, isInternal(netip.MustParseAddr(text)), false, "%s is internal", text)
	}
}

// TestBase64 decodes encoded data, whatever the size of the reads and the line breaks.
func TestBase64(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 1, 20_000).Draw(t, "data")
		encoding := rapid.SampledFrom([]*base64.Encoding{
			base64.StdEncoding, base64.URLEncoding,
		}).Draw(t, "encoding")
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
	for _, text := range []string{"a", "abc", "abcd=", "ab=c", "abc=d", "abcd!", "====", "ab==abcd", strings.Repeat("abcd", 5000) + "ab", "photo.jpg", "/home/a/photo.jpg"} {
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

// TestEveryFieldHasAHandler: a field without a handler would be accepted and ignored.
func TestEveryFieldHasAHandler(t *testing.T) {
	for _, f := range entry.Fields {
		h, ok := handlers[f.Name]
		if !ok && f.Stored {
			ok = new(store.File).Text(f.Name) != nil
		} else if f.Stored {
			ok = h.change != nil
		}
		if !ok {
			t.Errorf("the library has no handler for the field %s", f.Name)
		}
	}
}
