package session

import (
	"net"
	"net/url"
	"os"
	"testing"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
	"mediadesk/config"
)

// TestRecordsOfAnEarlierStart: a stored record whose addresses have an old port of the local service
// leads to the file at the current address.
func TestRecordsOfAnEarlierStart(t *testing.T) {
	paths := newHome(t)
	s, end := openProfile(t, paths, config.LocalProfile, false)
	f := uploadFile(t, s, "mug.jpg", mug(t))
	end()
	// The port stays in use, so that the service gets another one.
	hold, err := net.Listen("tcp", hostOf(t, f.URL))
	if err != nil {
		t.Skipf("another program uses the port: %v", err)
	}
	defer hold.Close()
	s, _ = openProfile(t, paths, config.LocalProfile, false)
	mediatest.Equal(t, hostOf(t, f.URL) == s.Client.Host(), false, "the service got the same port")
	for name, read := range map[string]func() (string, error){
		"picture":   func() (string, error) { return s.Picture(t.Context(), *f) },
		"thumbnail": func() (string, error) { return s.Thumb(t.Context(), *f) },
	} {
		path, err := read()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	seen, ok, err := s.LastSeen(t.Context(), f.FileID)
	if err != nil || !ok || hostOf(t, seen.File.URL) != s.Client.Host() {
		t.Errorf("last seen at %s (%v)", seen.File.URL, err)
	}
	remote := api.File{URL: "https://ik.example/a.jpg", Thumbnail: "http://192.0.2.1/a.jpg"}
	if got := s.withCurrentURL(remote); got.URL != remote.URL || got.Thumbnail != remote.Thumbnail {
		t.Errorf("other addresses became %+v", got)
	}
}

func hostOf(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	must(t, err)
	return u.Host
}
