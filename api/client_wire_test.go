package api_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
)

// content returns n bytes with every byte value, line ends and dashes.
func content(n int) []byte {
	b := bytes.Repeat([]byte("\r\n--\x00\x01\xff\xfe"), n/8+1)[:n]
	for i := 0; i < n; i += 13 {
		b[i] = byte(i)
	}
	return b
}

func writeFile(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(path, data, 0o600))
	return path
}

// TestUploadOnTheWire: every field of service.md §4.1 is one part with the right text. The file is
// the last part, byte for byte, and the length of the body is announced.
func TestUploadOnTheWire(t *testing.T) {
	for _, size := range []int{1, 2, 3, 4095, 24575, 24576, 24577, 64 << 10, 1<<20 + 1} {
		data := content(size)
		path := writeFile(t, "a.jpg", data)
		for _, test := range []struct {
			about    string
			source   api.Source
			value    string
			fileName string
		}{
			{"bytes", api.Source{Path: path}, string(data), "день 1.jpg"},
			{"address", api.Source{URL: "https://s.example/день.jpg?a=b&c=d"}, "https://s.example/день.jpg?a=b&c=d", ""},
		} {
			t.Run(fmt.Sprintf("%s/%d", test.about, size), func(t *testing.T) {
				rec := newRecorder(t)
				progress := new(api.Progress)
				f, err := rec.client(t).Upload(context.Background(), fullUpload(test.source), progress)
				must(t, err)
				if f.FileID != "598821f949c0a938d57563bd" || f.Name != "stored.jpg" {
					t.Errorf("got record %+v", f)
				}
				got := rec.last(t)
				want := append(slices.Clone(fullParts), api.Part{Name: "file", Value: test.value})
				if !slices.Equal(got.parts, want) {
					t.Errorf("parts differ: got %.2000q", got.parts)
				}
				if got.method != http.MethodPost || got.path != "/api/v1/files/upload" || got.query != "" {
					t.Errorf("got %s %s?%s", got.method, got.path, got.query)
				}
				mediatest.Equal(t, got.fileName, test.fileName, "file name of the part")
				if got.encoding != nil || got.length != progress.Total() ||
					got.length <= int64(len(test.value)) {
					t.Errorf("length %d, encoding %v, total %d", got.length, got.encoding, progress.Total())
				}
				if progress.Sent() != progress.Total() || !progress.Complete() ||
					progress.LastMove().IsZero() {
					t.Errorf("progress %d of %d, complete %v, last %v", progress.Sent(), progress.Total(),
						progress.Complete(), progress.LastMove())
				}
				credentials := base64.StdEncoding.EncodeToString([]byte(testKey + ":"))
				mediatest.Equal(t, got.auth, "Basic "+credentials, "Authorization")
				if got.agent != "mediadesk" || got.accept != "application/json" || got.cookies != 0 {
					t.Errorf("agent %q, accept %q, %d cookies", got.agent, got.accept, got.cookies)
				}
				if !strings.HasPrefix(got.contentType, "multipart/form-data; boundary=") {
					t.Errorf("content type %q", got.contentType)
				}
				mediatest.Equal(t, got.length > 64<<10, got.expect == "100-continue",
					"%d bytes with Expect %q", got.length, got.expect)
			})
		}
	}
}

// TestUploadHostileNames: hostile names cannot leave their header, and the fileName part has them unchanged.
func TestUploadHostileNames(t *testing.T) {
	path := writeFile(t, "a", []byte("x"))
	for _, name := range []string{
		"a\"b.jpg", "a\r\nX-Evil: 1\r\n\r\nb", "a\nb", "a%22b", "a\\b", "a;b=c", "--boundary", "\x1b[31m", "\xff\xfe", "a\x00b", strings.Repeat("é", 2000),
	} {
		rec := newRecorder(t)
		if _, err := rec.client(t).Upload(context.Background(),
			&api.Upload{Source: api.Source{Path: path}, FileName: name}, nil); err != nil {
			t.Errorf("%.50q: %v", name, err)
			continue
		}
		want := []api.Part{{Name: "fileName", Value: name}, {Name: "file", Value: "x"}}
		if got := rec.last(t); !slices.Equal(got.parts, want) {
			t.Errorf("%.50q: parts %.300q", name, got.parts)
		}
	}
}

// TestNothingToSend: an upload without a file or address is not sent. A service would decode anything
// but an address as base64, and store garbage.
func TestNothingToSend(t *testing.T) {
	rec := newRecorder(t)
	for _, source := range []api.Source{{}, {URL: "/a.jpg"}, {URL: "data:x"}} {
		_, err := rec.client(t).Upload(context.Background(), &api.Upload{FileName: "a", Source: source}, nil)
		wantRule(t, err, "file")
	}
	mediatest.Equal(t, len(rec.requests), 0, "a request was sent")
}
