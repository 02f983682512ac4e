package local_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/apitest"
	"mediadesk/api/local"
	"mediadesk/api/local/store"
	"mediadesk/api/local/store/pgtest"
)

// benchVariable chooses what TestRatios measures: words separated by commas.
const benchVariable = "MEDIADESK_BENCH"

// TestRatios measures the library against other servers in the same run and prints the ratios.
// bench.sh runs it. It has no limits to meet, because the machine may be busy.
func TestRatios(t *testing.T) {
	for name, measure := range map[string]func(*testing.T){
		"uploads": benchUploads, "large": benchLarge, "million": benchMillion, "engines": benchEngines, "instances": benchInstances,
	} {
		t.Run(name, func(t *testing.T) {
			if !slices.Contains(strings.Split(os.Getenv(benchVariable), ","), name) {
				t.Skip("set " + benchVariable + " to measure: see bench.sh")
			}
			measure(t)
		})
	}
}

// benchDir returns a folder for measuring. TMPDIR should name a file system that is on a disk.
func benchDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "mediadesk-bench-")
	if err != nil {
		t.Fatal(err)
	}
	// Nothing is removed between the rounds, because some file systems are slower for minutes afterwards.
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// inParallel makes n calls of one, spread over so many connections, and returns the calls per second.
func inParallel(lines, n int, one func(line, n int)) float64 {
	var next atomic.Int64
	var wg sync.WaitGroup
	start := time.Now()
	for line := range lines {
		wg.Go(func() {
			for i := int(next.Add(1)); i <= n; i = int(next.Add(1)) {
				one(line, i)
			}
		})
	}
	wg.Wait()
	return float64(n) / time.Since(start).Seconds()
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

var benchCount atomic.Uint64

// picture20k returns a new picture of 20 kB that differs from all others.
func picture20k(base []byte) []byte {
	data := append(slices.Clone(base), make([]byte, max(0, 20_000-len(base)))...)
	binary.BigEndian.PutUint64(data[len(data)-8:], benchCount.Add(1))
	return data
}

// uploader sends pictures over connections that stay open. It does as little work as possible,
// because it runs on the same processors as the server.
func uploader(t testing.TB, address string, lines int) func(line, n int) {
	contentType, body := form(picture20k(apitest.PhotoJPEG(160, 120, 1)), "fileName", "picture.jpg")
	req := httptest.NewRequest(http.MethodPost, address+"/api/v1/files/upload", body)
	req.Header.Set("Content-Type", contentType)
	req.SetBasicAuth(testKey, "")
	size := body.Len()
	var wire bytes.Buffer
	if err := req.Write(&wire); err != nil {
		t.Fatal(err)
	}
	tail := bytes.LastIndex(wire.Bytes(), []byte("\r\n--")) // after the last byte of the picture
	if wire.Len() < size || tail < 0 {
		t.Fatal("the request has no picture")
	}
	type connection struct {
		net.Conn
		answers *bufio.Reader
		request []byte
	}
	var connections []connection
	for range lines {
		c, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		connections = append(connections, connection{c, bufio.NewReader(c), bytes.Clone(wire.Bytes())})
	}
	return func(line, _ int) {
		c := connections[line]
		binary.BigEndian.PutUint64(c.request[tail-8:], benchCount.Add(1))
		if _, err := c.Write(c.request); err != nil {
			t.Error(err)
			return
		}
		res, err := http.ReadResponse(c.answers, req)
		if err != nil {
			t.Error(err)
			return
		}
		defer res.Body.Close()
		if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK {
			t.Errorf("answered %d, %v, want %d", res.StatusCode, err, http.StatusOK)
		}
	}
}

// uploadVariants returns what uploads are compared with. "library" and "each" upload pictures of
// 20 kB to the library, "each" with a transaction for every picture. "minimal" uploads them to the
// minimal server, and "files" only creates, writes and syncs files.
func uploadVariants(t testing.TB, dir string) map[string]func(lines int) func(line, n int) {
	t.Helper()
	variants := map[string]func(lines int) func(line, n int){}
	for _, name := range []string{"library", "each"} {
		s, err := local.Serve(t.Context(), "127.0.0.1:0", local.Options{Dir: filepath.Join(dir, name), Key: key(testKey)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		if name == "each" {
			s.Library.OneTransactionEach()
		}
		variants[name] = func(lines int) func(line, n int) { return uploader(t, s.Address, lines) }
	}
	least := startMinimalServer(t, filepath.Join(dir, "minimal"))
	variants["minimal"] = func(lines int) func(line, n int) { return uploader(t, least, lines) }
	data := picture20k(apitest.PhotoJPEG(160, 120, 1))
	bare := filepath.Join(dir, "files")
	if err := os.MkdirAll(bare, 0o700); err != nil {
		t.Fatal(err)
	}
	one := func(int, int) {
		f, err := os.Create(filepath.Join(bare, fmt.Sprint(benchCount.Add(1))))
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		if _, err := f.Write(data); err != nil {
			t.Error(err)
		}
		if err := syncData(f); err != nil {
			t.Error(err)
		}
	}
	variants["files"] = func(int) func(line, n int) { return one }
	return variants
}

var uploadLines = []int{1, 2, 4, 8, 16, 32}

// benchUploads measures the variants in turns. Each ratio is the median of the ratios of all
// rounds, so that other work on the computer matters less. The processor time is that of the
// server and its client.
func benchUploads(t *testing.T) {
	const rounds = 7
	variants := uploadVariants(t, benchDir(t))
	t.Logf("%-12s %10s %10s %10s %10s %14s %14s %14s %14s", "connections", "library /s", "each /s", "minimal /s", "files /s", "library/each", "library/minimal", "library µs CPU", "minimal µs CPU")
	for _, lines := range uploadLines {
		n := 200 * min(lines, 8)
		rates, cpu, ratios := map[string][]float64{}, map[string][]float64{}, map[string][]float64{}
		for round := range rounds {
			for name, variant := range variants {
				one := variant(lines)
				before := processorTime()
				rates[name] = append(rates[name], inParallel(lines, n, one))
				cpu[name] = append(cpu[name], float64((processorTime()-before).Microseconds())/float64(n))
			}
			for _, other := range []string{"each", "minimal"} {
				ratios[other] = append(ratios[other], rates["library"][round]/rates[other][round])
			}
		}
		t.Logf("%-12d %10.0f %10.0f %10.0f %10.0f %14.2f %14.2f %14.0f %14.0f", lines, median(rates["library"]), median(rates["each"]), median(rates["minimal"]), median(rates["files"]),
			median(ratios["each"]), median(ratios["minimal"]), median(cpu["library"]), median(cpu["minimal"]))
	}
}

// BenchmarkUpload measures one upload of 20 kB in each variant.
func BenchmarkUpload(b *testing.B) {
	for _, lines := range uploadLines {
		for _, name := range []string{"library", "each", "minimal", "files"} {
			b.Run(fmt.Sprintf("%s/%d", name, lines), func(b *testing.B) {
				one := uploadVariants(b, benchDir(b))[name](lines)
				b.ReportAllocs()
				b.ResetTimer()
				before := processorTime()
				b.ReportMetric(inParallel(lines, b.N, one), "uploads/s")
				b.ReportMetric(float64((processorTime()-before).Microseconds())/float64(b.N), "µs-CPU/op")
			})
		}
	}
}

// BenchmarkPage measures one page of 50 files of a folder through HTTP.
func BenchmarkPage(b *testing.B) {
	dir := filepath.Join(benchDir(b), "library")
	seed(b, dir, 1000)
	s, err := local.Serve(b.Context(), "127.0.0.1:0", local.Options{Dir: dir, Key: key(testKey)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}}
	b.Cleanup(c.CloseIdleConnections)
	b.ReportAllocs()
	for b.Loop() {
		req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, s.Address+"/v1/files?path=/f0&sort=ASC_NAME&limit=50", nil)
		if err != nil {
			b.Fatal(err)
		}
		req.SetBasicAuth(testKey, "")
		res, err := c.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK {
			b.Fatalf("answered %d, %v, want %d", res.StatusCode, err, http.StatusOK)
		}
		res.Body.Close()
	}
}

// benchLarge sends 300 MB with curl to the library and to a server that only writes the bytes.
// Both run in processes of their own. It prints the most memory that each one used.
func benchLarge(t *testing.T) {
	requireTool(t, "curl")
	dir := benchDir(t)
	large := filepath.Join(dir, "large.bin")
	f, err := os.Create(large)
	if err != nil {
		t.Fatal(err)
	}
	const size = 300_000_000
	if _, err := io.CopyN(f, rand.NewChaCha8([32]byte{1}), size); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	library, libraryMemory := benchChild(t, childDir, filepath.Join(dir, "library"))
	writer, writerMemory := benchChild(t, writerDir, dir)
	idle := libraryMemory()
	var times [2][]float64
	for range 5 {
		for n, address := range []string{library, writer} {
			out, err := exec.CommandContext(t.Context(), "curl", "-sS", "-o", os.DevNull, "-w", "%{http_code} %{time_total}", "-u", testKey+":",
				"-H", "Expect:", "-F", "fileName=large.bin", "-F", "file=@"+large, address+"/api/v1/files/upload").Output()
			if err != nil {
				t.Fatal(err)
			}
			var status int
			var seconds float64
			if _, err := fmt.Sscan(string(out), &status, &seconds); err != nil || status != http.StatusOK {
				t.Fatalf("answered %s, %v", out, err)
			}
			times[n] = append(times[n], seconds*1000)
		}
	}
	a, b := median(times[0]), median(times[1])
	t.Logf("300 MB by curl: library %.0f ms, a server that only writes (and syncs) the bytes %.0f ms, ratio %.2f", a, b, a/b)
	t.Logf("most memory: library %d MB (idle %d MB), writer %d MB", libraryMemory()>>20, idle>>20, writerMemory()>>20)
}

// writerDir is the environment variable that makes a child write what it receives to a folder,
// and nothing else.
const writerDir = "MEDIADESK_LOCAL_TEST_WRITER_DIR"

func init() { childModes[writerDir] = beWriter }

func beWriter(dir string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return
	}
	fmt.Println("http://" + listener.Addr().String())
	count := 0
	http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		count++
		parts, err := r.MultipartReader()
		for err == nil {
			var part *multipart.Part
			if part, err = parts.NextPart(); err != nil || part.FormName() != "file" {
				continue
			}
			var f *os.File
			if f, err = os.Create(filepath.Join(dir, fmt.Sprint("written-", count))); err != nil {
				continue
			}
			if _, err = io.Copy(f, part); err == nil {
				err = errors.Join(f.Sync(), f.Close())
			}
		}
		if err != io.EOF {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
}

// benchChild starts this program as a server. It returns the address and a function that
// returns the most memory that the server has used, in bytes.
func benchChild(t *testing.T, variable, dir string) (address string, memory func() int64) {
	c := startChild(t, os.Stderr, variable+"="+dir, maxSizeVariable+"=400000000")
	t.Cleanup(func() {
		c.stdin.Close()
		c.cmd.Process.Kill()
		c.cmd.Wait()
	})
	return c.address, func() int64 {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
		if err != nil {
			return 0 // unknown on this system
		}
		_, after, _ := strings.Cut(string(text), "VmHWM:")
		var kilobytes int64
		fmt.Sscan(after, &kilobytes)
		return kilobytes << 10
	}
}

// keptVariable is the environment variable for a folder in which benchMillion keeps its
// libraries for the next run. If it is empty, they are built every time.
const keptVariable = "MEDIADESK_BENCH_KEPT"

// benchMillion measures a library of a million files against one of a thousand.
func benchMillion(t *testing.T) {
	dir := os.Getenv(keptVariable)
	if dir == "" {
		dir = benchDir(t)
	}
	type lib struct {
		name    string
		address string
		ask     func(method, path, contentType string, body io.Reader)
		ids     []string
	}
	var libs []lib
	postgres := pgtest.New(t)
	for which, n := range []int{1000, 1_000_000, 1000, 1_000_000} {
		name := fmt.Sprint(n)
		o := local.Options{Dir: filepath.Join(dir, name)}
		start := time.Now()
		var ids []string
		if which < 2 {
			ids = seeded(t, o.Dir, n)
		} else {
			var err error
			if o.Database, err = postgres.Create(t.Context(), "files"+name); err != nil {
				t.Fatal(err)
			}
			o.Dir = filepath.Join(benchDir(t), "postgres"+name)
			ids = seededPostgres(t, o.Dir, o.Database, n)
		}
		t.Logf("%d records made in %s", n, time.Since(start).Round(time.Millisecond))
		start = time.Now()
		s := serve(t, o)
		t.Logf("  opened in %s", time.Since(start).Round(time.Millisecond))
		c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}}
		t.Cleanup(c.CloseIdleConnections)
		libs = append(libs, lib{fmt.Sprint(n), s.Address, func(method, path, contentType string, body io.Reader) {
			req, err := http.NewRequestWithContext(t.Context(), method, s.Address+path, body)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", contentType)
			req.SetBasicAuth(testKey, "")
			res, err := c.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK {
				t.Fatalf("%s %s answered %d, %v, want %d", method, path, res.StatusCode, err, http.StatusOK)
			}
		}, ids})
	}
	base := apitest.PhotoJPEG(160, 120, 1)
	operations := []struct {
		name string
		do   func(l lib, n int)
	}{
		{"a page of 50 of a folder, by name", func(l lib, n int) { l.ask("GET", "/v1/files?path=/f0&sort=ASC_NAME&limit=50", "", nil) }},
		{"a page of 50 of all, newest first", func(l lib, n int) { l.ask("GET", "/v1/files?sort=DESC_CREATED&limit=50", "", nil) }},
		{"search by tag, 50 hits", func(l lib, n int) { l.ask("GET", "/v1/files?limit=50&tags=rare", "", nil) }},
		{"search by name prefix, 50 hits", func(l lib, n int) {
			l.ask("GET", "/v1/files?limit=50&searchQuery="+url.QueryEscape(`name : "rare"`), "", nil)
		}},
		{"details", func(l lib, n int) { l.ask("GET", "/v1/files/"+l.ids[n*7919%len(l.ids)]+"/details", "", nil) }},
		{"upload of 20 kB", func(l lib, n int) {
			contentType, body := form(picture20k(base), "fileName", "picture.jpg", "folder", fmt.Sprint("/f", n%10), "tags", "new,upload")
			l.ask("POST", "/api/v1/files/upload", contentType, body)
		}},
		{"PATCH of tags", func(l lib, n int) {
			l.ask("PATCH", "/v1/files/"+l.ids[n*7919%len(l.ids)]+"/details", "application/json", strings.NewReader(fmt.Sprintf(`{"tags":["a","n%d"]}`, n)))
		}},
	}
	t.Log("| median (99th percentile), ms | SQLite, 1,000 files | 1,000,000 | ratio | PostgreSQL, 1,000 | 1,000,000 | ratio | PostgreSQL/SQLite at 1,000,000 |")
	t.Log("|---|---|---|---|---|---|---|---|")
	for _, op := range operations {
		times := make([][]float64, len(libs))
		for n := range 400 {
			for which, l := range libs {
				times[which] = append(times[which], microseconds(func() { op.do(l, n) })/1000)
			}
		}
		for _, list := range times {
			slices.Sort(list)
		}
		m := func(which int) float64 { return percentile(times[which], 50) }
		cell := func(which int) string { return fmt.Sprintf("%.2f (%.1f)", m(which), percentile(times[which], 99)) }
		t.Logf("| %s | %s | %s | %.2f | %s | %s | %.2f | %.2f |", op.name, cell(0), cell(1), m(1)/m(0), cell(2), cell(3), m(3)/m(2), m(3)/m(1))
	}
	// The same pages while uploads come in as fast as possible. For comparison: a request that reads
	// nothing, and a computation as long as a page takes at rest, which show how busy the computer is.
	besides := append(operations[:2:2], operations[0], operations[0])
	besides[2].name = "a request that reads nothing"
	besides[2].do = func(l lib, n int) { l.ask("GET", "/api/v1/library", "", nil) }
	besides[3].name = "as much computing as a page"
	besides[3].do = computing[lib](func() { operations[0].do(libs[1], 0) })
	for _, lines := range []int{0, 1, 8, 32} {
		one := uploader(t, libs[1].address, lines)
		var ended atomic.Bool
		var uploads atomic.Int64
		var wg sync.WaitGroup
		start := time.Now()
		for line := range lines {
			wg.Go(func() {
				for !ended.Load() {
					one(line, 0)
					uploads.Add(1)
				}
			})
		}
		times := make([][]float64, len(besides))
		for n := range 1000 {
			for which, op := range besides {
				times[which] = append(times[which], microseconds(func() { op.do(libs[1], n) }))
			}
		}
		for which, op := range besides {
			m := median(times[which])
			t.Logf("%-36s %11.0f µs median %11.0f µs p99, beside uploads at %d connections", op.name, m, times[which][990], lines)
		}
		ended.Store(true)
		wg.Wait()
		t.Logf("  meanwhile %.0f uploads/s", float64(uploads.Load())/time.Since(start).Seconds())
	}
}

// computing returns a function that keeps one processor busy, without waiting, for about as long
// as do takes at rest.
func computing[L any](do func()) func(l L, n int) {
	block := make([]byte, 4<<10)
	hash := func() { sha256.Sum256(block) }
	var whole, part []float64
	for range 200 {
		whole, part = append(whole, microseconds(do)), append(part, microseconds(hash))
	}
	times := int(median(whole) / max(1, median(part)))
	return func(L, int) {
		for range times {
			hash()
		}
	}
}

func microseconds(do func()) float64 {
	start := time.Now()
	do()
	return float64(time.Since(start).Nanoseconds()) / 1000
}

// seeded is seed for a folder that may be seeded already.
func seeded(t *testing.T, dir string, n int) (ids []string) {
	kept := filepath.Join(dir, "ids.json")
	if text, err := os.ReadFile(kept); err == nil {
		if err := json.Unmarshal(text, &ids); err != nil {
			t.Fatal(err)
		}
		return ids
	}
	ids = seed(t, dir, n)
	text, err := json.Marshal(ids)
	if err == nil {
		err = os.WriteFile(kept, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// seed makes a library of n records that share one content, in folders of up to 10,000 files.
// Each file has two tags, and 50 files have "rare" among their tags and in their name.
func seed(t testing.TB, dir string, n int) (ids []string) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	records, err := store.OpenRecords(t.Context(), filepath.Join(dir, "library.db"))
	if err != nil {
		t.Fatal(err)
	}
	return seedRecords(t, dir, records, n)
}

// seedRecords is seed for records that are open already. It closes them.
func seedRecords(t testing.TB, dir string, records store.Records, n int) (ids []string) {
	defer records.Close()
	contents, err := store.OpenContents(filepath.Join(dir, "contents"))
	if err != nil {
		t.Fatal(err)
	}
	draft, err := contents.Draft()
	if err != nil {
		t.Fatal(err)
	}
	size, err := draft.Write(picture20k(apitest.PhotoJPEG(160, 120, 1)))
	if err != nil {
		t.Fatal(err)
	}
	hash, err := draft.Commit()
	if err != nil {
		t.Fatal(err)
	}
	folders := max(10, n/10_000)
	last := ""
	made := time.Now().Add(-24 * time.Hour).Truncate(time.Millisecond)
	for first := 0; first < n; first += 2000 {
		err := records.Update(t.Context(), func(tx store.Tx) error {
			for i := first; i < min(first+2000, n); i++ {
				f := &store.File{ID: store.NewID(), Folder: fmt.Sprintf("/f%d/", i*folders/n), Name: fmt.Sprintf("IMG_%07d.jpg", i), Tags: []string{"all", fmt.Sprint("t", i%1000)}, Created: made, Updated: made}
				if i%(n/50) == 0 {
					f.Name, f.Tags = "rare-"+f.Name, append(f.Tags, "rare")
				}
				f.Version = store.Version{ID: f.ID, Root: f.ID, Number: 1, Hash: hash, Created: made, Facts: store.Facts{Size: int64(size), Mime: "image/jpeg", Kind: api.KindImage, Width: 160, Height: 120}}
				if i%100 == 0 {
					ids = append(ids, f.ID)
				}
				made = made.Add(time.Millisecond)
				if f.Folder != last {
					last = f.Folder
					if err := tx.MakeFolder(f.Folder, made); err != nil {
						return err
					}
				}
				if err := tx.InsertFile(f); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return ids
}
