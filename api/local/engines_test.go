package local_test

import (
	"path/filepath"
	"testing"

	"mediadesk/api/local"
	"mediadesk/api/local/store/pgtest"
	"mediadesk/api/local/store/storetest"
)

// engine is where a library keeps a part of itself.
type engine struct {
	name string
	use  func(t *testing.T, o *local.Options)
}

// recordEngines keep the records, contentEngines the contents.
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

// onEachEngine tests an empty library with each combination of engines.
func onEachEngine(t *testing.T, test func(t *testing.T, o local.Options)) {
	for _, records := range recordEngines {
		for _, contents := range contentEngines {
			t.Run(records.name+" and "+contents.name, func(t *testing.T) {
				o := local.Options{Dir: t.TempDir(), Key: key(testKey)}
				contents.use(t, &o)
				records.use(t, &o)
				test(t, o)
			})
		}
	}
}
