package local_test

import (
	"database/sql"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mediadesk/api/local"
	"mediadesk/api/local/store"
	"mediadesk/api/local/store/pgtest"
	"mediadesk/api/local/store/storetest"
)

// remoteOptions returns the options of a library in PostgreSQL, which syncs, and an S3 store.
func remoteOptions(t *testing.T) (local.Options, *pgtest.Server) {
	t.Helper()
	server := pgtest.New(t)
	database, err := server.Create(t.Context(), "media")
	if err != nil {
		t.Fatal(err)
	}
	return local.Options{Key: key(testKey), Database: database, Storage: storetest.Direct(t)}, server
}

// serverTime returns the processor time that a database server and its processes have used, or 0
// if the system does not report it.
func serverTime(t *testing.T, s *pgtest.Server) (used time.Duration) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.Dir, "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, _, _ := strings.Cut(string(text), "\n")
	children, err := os.ReadFile(filepath.Join("/proc", pid, "task", pid, "children"))
	if err != nil {
		return 0
	}
	for _, pid := range append(strings.Fields(string(children)), pid) {
		text, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
		if err != nil {
			continue // the process has ended
		}
		_, after, _ := strings.Cut(string(text), ") ")
		for _, field := range strings.Fields(after)[11:15] { // its own time, and that of its ended children
			ticks, _ := strconv.ParseInt(field, 10, 64)
			used += time.Duration(ticks) * time.Second / 100
		}
	}
	return used
}

// getter returns a function that reads pages of 50 over one connection.
func getter(t *testing.T, address string) (page func()) {
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}}
	t.Cleanup(c.CloseIdleConnections)
	return func() {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/v1/files?sort=ASC_NAME&limit=50", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.SetBasicAuth(testKey, "")
		res, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("a page was answered %d, %v, want %d", res.StatusCode, err, http.StatusOK)
		}
	}
}

// measureDuringUploads calls do n times while others upload as fast as possible. It returns the sorted
// durations in microseconds.
func measureDuringUploads(lines int, one func(line, n int), n int, do func()) (times []float64) {
	var ended atomic.Bool
	var wg sync.WaitGroup
	for line := range lines {
		wg.Go(func() {
			for !ended.Load() {
				one(line, 0)
			}
		})
	}
	for range n {
		times = append(times, microseconds(do))
	}
	ended.Store(true)
	wg.Wait()
	slices.Sort(times)
	return times
}

func percentile(sorted []float64, p int) float64 {
	return sorted[min(len(sorted)-1, len(sorted)*p/100)]
}

// benchEngines compares PostgreSQL and an S3 store with SQLite and a folder, in turns.
func benchEngines(t *testing.T) {
	const lines, rounds, uploads = 8, 7, 400
	near := serve(t, local.Options{Dir: filepath.Join(benchDir(t), "library")})
	o, _ := remoteOptions(t)
	far := serve(t, o)
	sendNear, sendFar := uploader(t, near.Address, lines), uploader(t, far.Address, lines)
	var a, b, ratios []float64
	// A library in a folder runs with more processors of the runtime than cores; see diskProcessors.
	forFolder := runtime.GOMAXPROCS(0)
	for range rounds {
		runtime.GOMAXPROCS(forFolder)
		a = append(a, inParallel(lines, uploads, sendNear))
		runtime.GOMAXPROCS(min(forFolder, runtime.NumCPU()))
		b = append(b, inParallel(lines, uploads, sendFar))
		ratios = append(ratios, b[len(b)-1]/a[len(a)-1])
	}
	t.Logf("uploads of 20 kB at %d connections: SQLite and folder %.0f/s, PostgreSQL and S3 %.0f/s, ratio %.2f (%.2f to %.2f)",
		lines, median(a), median(b), median(ratios), slices.Min(ratios), slices.Max(ratios))
	for _, side := range []struct {
		name, address string
		send          func(line, n int)
		processors    int
	}{{"SQLite and folder", near.Address, sendNear, forFolder}, {"PostgreSQL and S3", far.Address, sendFar, min(forFolder, runtime.NumCPU())}} {
		runtime.GOMAXPROCS(side.processors)
		page := getter(t, side.address)
		page() // opens the connection
		compute := computing[int](page)
		for _, lines := range []int{0, 8} {
			times := measureDuringUploads(lines, side.send, 1000, page)
			busy := measureDuringUploads(lines, side.send, 1000, func() { compute(0, 0) })
			t.Logf("page of 50, %s, beside uploads at %d connections: median %.1f ms, p99 %.1f ms; as much computing: median %.1f ms, p99 %.1f ms", side.name, lines,
				percentile(times, 50)/1000, percentile(times, 99)/1000, percentile(busy, 50)/1000, percentile(busy, 99)/1000)
		}
	}
}

// benchInstances measures one, two and four instances of the same library, in turns. They run in
// one process, so they share its processors with the database and the store.
func benchInstances(t *testing.T) {
	const lines, rounds, uploads, reads = 16, 5, 400, 400
	o, server := remoteOptions(t)
	db, err := sql.Open("pgx", o.Database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	o.Address = "http://127.0.0.1:1"
	var addresses []string
	for range 4 {
		addresses = append(addresses, serve(t, o).Address)
	}
	rates, cpu, times := map[int][]float64{}, map[int][]float64{}, map[int][]float64{}
	counts := []int{1, 2, 4}
	for range rounds {
		for _, count := range counts {
			var sends []func(line, n int)
			var pages []func()
			for _, address := range addresses[:count] {
				// The idle connections of the last round may have been closed.
				sends, pages = append(sends, uploader(t, address, lines)), append(pages, getter(t, address))
			}
			before := processorTime()
			send := func(line, n int) { sends[line%count](line, n) }
			rates[count] = append(rates[count], inParallel(lines, uploads, send))
			cpu[count] = append(cpu[count], float64((processorTime()-before).Microseconds())/uploads)
			next := 0
			times[count] = append(times[count], measureDuringUploads(lines/2, send, 200, func() { pages[next%count](); next++ })...)
		}
	}
	t.Logf("| instances | uploads/s at %d connections | against one | processor time of an upload in them, with its client | page beside %d uploaders, median | p99 |", lines, lines/2)
	t.Log("|---|---|---|---|---|---|")
	for _, count := range counts {
		slices.Sort(times[count])
		t.Logf("| %d | %.0f | %.2f | %.0f µs | %.1f ms | %.1f ms |", count, median(rates[count]), median(rates[count])/median(rates[1]), median(cpu[count]),
			percentile(times[count], 50)/1000, percentile(times[count], 99)/1000)
	}
	// These are the inputs of docs/scale_test.go.
	page := getter(t, addresses[0])
	page()
	for _, kind := range []struct {
		name string
		n    int
		do   func()
	}{
		{"an upload of 20 kB", rounds * uploads, func() { inParallel(lines, rounds*uploads, uploader(t, addresses[0], lines)) }},
		{"a page of 50", reads, func() {
			for range reads {
				page()
			}
		}},
	} {
		own, database, log := processorTime(), serverTime(t, server), walBytes(t, db)
		kind.do()
		own, database, log = processorTime()-own, serverTime(t, server)-database, walBytes(t, db)-log
		n := time.Duration(kind.n)
		t.Logf("%s: %d µs of processor time with its client, %d µs in PostgreSQL, %d bytes of its log", kind.name, (own / n).Microseconds(), (database / n).Microseconds(), log/int64(kind.n))
	}
}

// multiply makes a library of about a million files in PostgreSQL from one of 1,000. It copies
// the rows, each to another folder and with another id.
func multiply(t *testing.T, db *sql.DB) {
	t.Helper()
	const copies = `files AS f CROSS JOIN generate_series(1, 1051) AS g CROSS JOIN LATERAL (SELECT lpad(to_hex(f.created + g * 1000), 12, '0') || lpad(to_hex(g), 12, '0') AS id) AS fresh`
	for _, statement := range []string{
		`INSERT INTO versions SELECT r.* FROM ` + copies + ` JOIN versions AS v ON v.id = f.version_id
			CROSS JOIN LATERAL jsonb_populate_record(v, jsonb_build_object('file_id', fresh.id, 'id', fresh.id, 'root', fresh.id, 'created', f.created + g * 1000)) AS r
			WHERE f.name LIKE 'IMG%'`,
		`INSERT INTO files SELECT r.* FROM ` + copies + `
			CROSS JOIN LATERAL jsonb_populate_record(f, jsonb_build_object('id', fresh.id, 'version_id', fresh.id, 'root', fresh.id, 'folder', '/g' || g / 10 || '/',
				'name', 'IMG_' || g || f.name, 'name_key', 'IMG_' || g || f.name, 'created', f.created + g * 1000, 'updated', f.updated + g * 1000)) AS r
			WHERE f.name LIKE 'IMG%'`,
		`INSERT INTO folders SELECT r.* FROM folders AS f CROSS JOIN generate_series(0, 105) AS g
			CROSS JOIN LATERAL jsonb_populate_record(f, jsonb_build_object('path', '/g' || g || '/', 'name', 'g' || g, 'id', lpad(to_hex(g), 24, '0'))) AS r
			WHERE f.path = '/f0/'`,
		"ANALYZE",
	} {
		start := time.Now()
		res, err := db.ExecContext(t.Context(), statement)
		if err != nil {
			t.Fatal(err)
		}
		n, _ := res.RowsAffected()
		t.Logf("  %d rows in %s", n, time.Since(start).Round(time.Second))
	}
}

// tableSizes prints how much space the records of a file take in PostgreSQL.
func tableSizes(t *testing.T, db *sql.DB) {
	t.Helper()
	var files int64
	if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM files").Scan(&files); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"files", "versions", "file_tags"} {
		var rows, indexes int64
		if err := db.QueryRowContext(t.Context(), "SELECT pg_table_size($1::text::regclass), pg_indexes_size($1::text::regclass)", table).Scan(&rows, &indexes); err != nil {
			t.Fatal(err)
		}
		t.Logf("  bytes for each of %d files in %s: %d of rows, %d of indexes", files, table, rows/files, indexes/files)
	}
}

// walBytes returns how much PostgreSQL has written to its log.
func walBytes(t *testing.T, db *sql.DB) (n int64) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), "SELECT CAST(pg_current_wal_lsn() - '0/0' AS bigint)").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// seededPostgres makes a library of n files in PostgreSQL, with its contents in dir. It seeds
// 1,000 files as with SQLite, and multiplies them if n is larger.
func seededPostgres(t *testing.T, dir, address string, n int) (ids []string) {
	t.Helper()
	records, err := store.OpenPostgres(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	ids = seedRecords(t, dir, records, 1000)
	if n <= 1000 {
		return ids
	}
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	multiply(t, db)
	tableSizes(t, db)
	rows, err := db.QueryContext(t.Context(), "SELECT id FROM files TABLESAMPLE BERNOULLI (1) LIMIT 10000")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for ids = nil; rows.Next(); {
		var id string
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return ids
}
