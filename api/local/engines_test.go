package local_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"mediadesk/api/local"
	"mediadesk/api/local/store/pgtest"
	"mediadesk/api/local/store/storetest"
	"mediadesk/api/media/mediatest"
)

// engine stores one part of a library, its records or its contents.
type engine struct {
	name string
	use  func(t *testing.T, o *local.Options)
}

// recordEngines store records, contentEngines store contents.
var (
	recordEngines = []engine{
		{"SQLite", func(*testing.T, *local.Options) {}},
		{"PostgreSQL", func(t *testing.T, o *local.Options) { o.Database = pgtest.Database(t) }},
	}
	contentEngines = []engine{
		{"folder", func(*testing.T, *local.Options) {}},
		{"file", func(t *testing.T, o *local.Options) { o.Storage = "file://" + filepath.ToSlash(t.TempDir()) + "/store" }},
		{"s3", func(t *testing.T, o *local.Options) { o.Storage = storetest.Serve(t).URL }},
	}
)

// onEachEngine runs a test on an empty library with SQLite and a folder, and on one with PostgreSQL
// and an S3 store. With the race detector it runs only on the first: the goroutines of the second
// meet in the tests of several instances.
func onEachEngine(t *testing.T, test func(t *testing.T, o local.Options)) {
	onEngines(t, recordEngines[0], contentEngines[0], test)
	if !mediatest.Racing {
		onEngines(t, recordEngines[1], contentEngines[2], test)
	}
}

// onMixedEngines runs a test on the libraries that only one process may serve although a part of
// them is not in their folder.
func onMixedEngines(t *testing.T, test func(t *testing.T, o local.Options)) {
	onEngines(t, recordEngines[0], contentEngines[2], test)
	onEngines(t, recordEngines[1], contentEngines[0], test)
}

func onEngines(t *testing.T, records, contents engine, test func(t *testing.T, o local.Options)) {
	t.Run(records.name+" and "+contents.name, func(t *testing.T) {
		o := local.Options{Dir: t.TempDir(), Key: key(testKey)}
		contents.use(t, &o)
		records.use(t, &o)
		test(t, o)
	})
}

// shared reports whether several instances can serve the library.
func shared(o local.Options) bool { return o.Database != "" && o.Storage != "" }

// splitter sends requests that only read to one instance of a library, and all others to another
// instance.
type splitter struct{ reads, writes http.Handler }

func (s splitter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		s.reads.ServeHTTP(w, r)
		return
	}
	s.writes.ServeHTTP(w, r)
}

// serveAll serves a library, with two instances where that is possible. What one instance has
// changed must be visible at the other one at once.
func serveAll(t *testing.T, o local.Options) (address string, library http.Handler) {
	t.Helper()
	if !shared(o) {
		s := serve(t, o)
		return s.Address, s.Library
	}
	front := httptest.NewUnstartedServer(nil)
	o.Address = "http://" + front.Listener.Addr().String() // the addresses in records are the same on both instances
	both := splitter{reads: serve(t, o).Library, writes: serve(t, o).Library}
	front.Config.Handler = both
	front.Start()
	t.Cleanup(front.Close)
	return front.URL, both
}
