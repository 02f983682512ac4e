package library

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"mediadesk/api"
	"mediadesk/api/apitest"
	"mediadesk/api/local"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/session"
	"mediadesk/ui/uitest"
)

// TestAgainstTheLocalLibrary lists the local library: folders first, page by page, sorted by the
// service.
func TestAgainstTheLocalLibrary(t *testing.T) {
	key := uitest.Key("private_test")
	server, err := local.Serve(t.Context(), "127.0.0.1:0", local.Options{Dir: t.TempDir(), Key: key})
	must(t, err)
	client := apitest.Client(t, server.Address, key)
	t.Cleanup(func() {
		client.Close()
		must(t, server.Close())
	})
	path := filepath.Join(t.TempDir(), "a.txt")
	send := func(name, folder, text string) {
		t.Helper()
		must(t, os.WriteFile(path, []byte(text), 0o600))
		u := api.Upload{
			Source: api.Source{Path: path}, FileName: name, Folder: api.Set(folder), UseUniqueFileName: api.Set(false),
		}
		_, err := client.Upload(t.Context(), &u, nil)
		must(t, err)
	}
	send("день 1 — naïve (final).txt", "/", "hello")
	send("small.txt", "/", "x")
	for i := range pageSize + 5 {
		send(fmt.Sprintf("n%03d.txt", i), "/summer/2026", "hello")
	}
	d := start(t, Options{Session: stub{list: client.List}, Profile: session.Profile{Local: true}})
	mediatest.Equal(t, d.rows(), "summer/ small.txt день_1___naïve__final_.txt", "rows")
	d.Sees(" 5 B")
	d.Press(",", "s")
	mediatest.Equal(t, d.rows(), "summer/ день_1___naïve__final_.txt small.txt", "by size")
	d.Press(",", "n", "enter", "enter")
	d.Sees("Library / summer / 2026", "1 of 200 and more")
	d.Press("G", "G")
	d.Sees("205 of 205")
	d.Press("h", "h")
	d.On("summer/")
}
