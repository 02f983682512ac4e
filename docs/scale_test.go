package docs

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// inputs are the numbers that the calculation in scale.md uses. Times are in seconds, sizes in bytes,
// rates per second.
type inputs struct {
	// Measured by api/local/bench.sh instances and million; see "Measurements" there.
	uploadCPU, pageCPU           float64 // of an instance, with the client of the measurement
	uploadDatabase, pageDatabase float64 // processor time of PostgreSQL
	logBytes                     float64 // of PostgreSQL's log for an upload, without images of pages
	rowBytes                     float64 // of a file in all tables and indexes; 100 of them are assumed for an index of hashes that differ

	// Counted in the code.
	uploadTrips, readTrips float64 // statements that wait for an answer: BEGIN, those of the operation, COMMIT
	randomIndexes          float64 // in which an upload writes at a random place: the path, the name, the hash
	presence               float64 // transactions in which each instance reports that it is running
	sweepPause, cutOff     float64 // between two sweeps; of a long transaction
	prefixes               float64 // parts in which a sweep reads the contents

	// Assumed: how a large library is used and what it runs on.
	files, instances          float64
	uploads, pages, deliver   float64 // at the busiest time
	cores, memory             float64 // of an instance
	pool, serverConnections   float64 // for each instance; that one PostgreSQL holds without becoming slow
	databaseCores, cache      float64 // of PostgreSQL; memory for its pages
	diskReads, diskRead       float64 // that its disk does; time of one
	logRate, flush            float64 // bytes that the disk of its log takes; time of a flush
	network                   float64 // time of a trip to the database
	randomBytes               float64 // of a file in the indexes with random places
	coldDeliveries, coldPages float64 // pages of the database that are read from the disk for one
	deliverCPU, deliverDB     float64
	checkpoint                float64
	put, list                 float64 // time of a request to the store
	storePuts                 float64 // that the store takes
	hashBytes, hashTime       float64 // memory and time of a sweep for one content
}

var scaleInputs = inputs{
	uploadCPU: 0.75e-3, pageCPU: 0.82e-3, uploadDatabase: 0.37e-3, pageDatabase: 0.38e-3, logBytes: 1659, rowBytes: 1650,

	uploadTrips: 5, readTrips: 3, randomIndexes: 3, presence: 1.0 / 5, sweepPause: 6 * 3600, cutOff: 60, prefixes: 256,

	files: 1e9, instances: 100, uploads: 1000, pages: 5000, deliver: 50_000,
	cores: 2, memory: 4e9, pool: 16, serverConnections: 500, databaseCores: 32, cache: 192e9,
	diskReads: 16_000, diskRead: 0.5e-3, logRate: 250e6, flush: 1e-3, network: 0.5e-3,
	randomBytes: 260, coldDeliveries: 0.4, coldPages: 4, deliverCPU: 0.4e-3, deliverDB: 0.2e-3,
	checkpoint: 300, put: 30e-3, list: 50e-3, storePuts: 3500, hashBytes: 300, hashTime: 5e-6,
}

// usable is the share of a resource with a queue that can be used: beyond it waits grow fast.
const usable = 0.7

// resource is something that can be used up.
type resource struct {
	name   string
	fixed  float64 // used without any request: 1 is all
	each   float64 // and used at the busiest time, which grows with the load
	limit  float64 // share that can be used
	remedy string
	change func(*inputs) // what the remedy changes; nil: nothing that is calculated here
}

// full is the load, as a multiple of the busiest time, at which it is used up.
func (r resource) full() float64 {
	if r.fixed >= r.limit {
		return 0
	}
	return (r.limit - r.fixed) / r.each
}

// missing is the share of a random index that is not in memory.
func (in inputs) missing() float64 { return max(0, 1-in.cache/(in.files*in.randomBytes)) }

// logOf is what an upload writes to the log, with the image of each page that it is the
// first to change since the last checkpoint.
func (in inputs) logOf() float64 {
	pages := in.files * in.randomBytes / in.randomIndexes / 8192
	touches := in.uploads * in.checkpoint / pages // of each page
	return in.logBytes + in.randomIndexes*8192*(1-math.Exp(-touches))/touches
}

// held is for how long an upload and a read have a connection when nobody else is there.
func (in inputs) held() (upload, read float64) {
	upload = in.uploadTrips*in.network + in.uploadDatabase + in.randomIndexes*in.missing()*in.diskRead + 1.5*in.flush
	return upload, in.readTrips*in.network + in.pageDatabase
}

func (in inputs) resources() []resource {
	upload, read := in.held()
	reads := in.uploads*in.randomIndexes*in.missing() + in.pages*in.coldPages + in.deliver*in.coldDeliveries
	perPrefix := in.files / in.prefixes
	list := []resource{
		{"connections that PostgreSQL holds", in.instances * in.pool / in.serverConnections, 0, 1, "`pool_max_conns=4`", func(in *inputs) { in.pool = 4 }},
		{"duration of a sweep, of the time between two sweeps", in.files / 1000 * in.list / in.sweepPause, 0, 1, "Sweep less often: contents without a record then stay longer", func(in *inputs) { in.sweepPause = 24 * 3600 }},
		{"longest transaction of a sweep", perPrefix * in.hashTime / in.cutOff, 0, 1, "Sweep in 4,096 parts (a change of the program)", func(in *inputs) { in.prefixes = 4096 }},
		{"memory of the instance that sweeps", perPrefix * in.hashBytes / in.memory, 0, 1, "Sweep in 4,096 parts (a change of the program)", func(in *inputs) { in.prefixes = 4096 }},
		{"processors of the instances", 0, (in.uploads*in.uploadCPU + in.pages*in.pageCPU + in.deliver*in.deliverCPU) / (in.instances * in.cores), usable, "More instances", func(in *inputs) { in.instances *= 2; in.pool /= 2 }},
		{"processors of PostgreSQL", in.instances * in.presence * in.uploadDatabase / in.databaseCores, (in.uploads*in.uploadDatabase + in.pages*in.pageDatabase + in.deliver*in.deliverDB) / in.databaseCores, usable, "More processors; then a database for each part of the folders", func(in *inputs) { in.databaseCores *= 2 }},
		{"connections in use", 0, (in.uploads*upload + (in.pages+in.deliver)*read) / (in.instances * in.pool), usable, "A larger `pool_max_conns`, up to what PostgreSQL holds", func(in *inputs) { in.pool = in.serverConnections / in.instances }},
		{"disk reads of PostgreSQL", 0, reads / in.diskReads, usable, "A faster disk, or memory for the indexes", func(in *inputs) { in.diskReads *= 4; in.diskRead /= 3 }},
		{"bytes of PostgreSQL's log", 0, in.uploads * in.logOf() / in.logRate, usable, "A longer `checkpoint_timeout`, `wal_compression`, a faster disk", func(in *inputs) { in.logRate *= 2 }},
		{"requests that write to the store", 0, in.uploads / in.storePuts, usable, "A store that divides keys by their beginning: they begin with the hash", func(in *inputs) { in.storePuts *= 16 }},
	}
	slices.SortStableFunc(list, func(a, b resource) int { return cmp.Compare(a.full(), b.full()) })
	return list
}

// waiting is the mean wait for one of n servers that are used to the share u for service
// seconds each (Erlang C).
func waiting(n, u, service float64) float64 {
	if u >= 1 {
		return math.Inf(1)
	}
	n = max(1, math.Floor(n))
	blocked := 1.0 // Erlang B, one server more each time
	for i := 1.0; i <= n; i++ {
		blocked = u * n * blocked / (i + u*n*blocked)
	}
	return blocked / (1 - u*(1-blocked)) * service / (n * (1 - u))
}

// uploadTime is the mean time of an upload at a multiple of the busiest time.
func (in inputs) uploadTime(load float64) float64 {
	used := map[string]float64{}
	for _, r := range in.resources() {
		used[r.name] = r.fixed + load*r.each
	}
	held, _ := in.held()
	const queue = 16 // reads that a disk does at once
	return in.put + in.uploadCPU + held +
		waiting(in.instances*in.cores, used["processors of the instances"], in.uploadCPU) +
		waiting(in.databaseCores, used["processors of PostgreSQL"], in.uploadDatabase) +
		waiting(in.instances*in.pool, used["connections in use"], held) +
		in.randomIndexes*in.missing()*waiting(queue, used["disk reads of PostgreSQL"], queue/in.diskReads)
}

func times(load float64) string {
	switch {
	case load == 0:
		return "none"
	case math.IsInf(load, 1):
		return "any"
	case load < 10:
		return fmt.Sprintf("%.2f", load)
	}
	return fmt.Sprintf("%.0f", load)
}

func milliseconds(seconds float64) string {
	if math.IsInf(seconds, 1) {
		return "no end"
	}
	return fmt.Sprintf("%.0f ms", seconds*1000)
}

// calculated are the tables of scale.md.
func calculated(in inputs) string {
	var b strings.Builder
	p := message.NewPrinter(language.English)
	p.Fprintf(&b, "Assumed: %.0f instances with %.0f processors each; %.0f files, %.1f TB of records; PostgreSQL on one server with %.0f processors, %.0f GB for pages and a disk that reads %.0f times a second; %.1f ms to the database and %.0f ms to store an object. At the busiest time there are %.0f uploads, %.0f pages of 50 and %.0f deliveries a second; %.0f %% of the deliveries read that disk, and a page does %.0f times.\n\n",
		in.instances, in.cores, in.files, in.files*in.rowBytes/1e12, in.databaseCores, in.cache/1e9, in.diskReads, in.network*1000, in.put*1000, in.uploads, in.pages, in.deliver, 100*in.coldDeliveries, in.coldPages)
	b.WriteString("| resource | used | headroom: how many times this load it can take | what to do |\n|---|---|---|---|\n")
	for _, r := range in.resources() {
		fmt.Fprintf(&b, "| %s | %.0f %% | %s | %s |\n", r.name, 100*(r.fixed+r.each), times(r.full()), r.remedy)
	}
	b.WriteString("\nEach row fixes the first bottleneck of the row above, until no fix helps:\n\n| fixed | headroom | uploads per second | mean time of an upload | at 1.4 times that load | next bottleneck |\n|---|---|---|---|---|---|\n")
	now, done := in, "nothing"
	for before := 0.0; ; {
		first := now.resources()[0]
		load := first.full()
		if load < before || load == before && load > 0 {
			break
		}
		took, later := "–", "–"
		if load > 0 {
			took, later = milliseconds(now.uploadTime(load)), milliseconds(now.uploadTime(1.4*load))
		}
		p.Fprintf(&b, "| %s | %s | %.0f | %s | %s | %s |\n", done, times(load), load*now.uploads, took, later, first.name)
		first.change(&now)
		before, done = load, first.name
	}
	b.WriteString("\nHow the headroom and the first bottleneck change if an input is half or double, after the fixes that the busiest time needs:\n\n| input | half | as assumed | double |\n|---|---|---|---|\n")
	for in.resources()[0].full() < 1 {
		in.resources()[0].change(&in)
	}
	cell := func(factor float64, field func(*inputs) *float64) string {
		changed := in
		*field(&changed) *= factor
		first := changed.resources()[0]
		return times(first.full()) + ", " + first.name
	}
	for _, v := range []struct {
		name  string
		field func(*inputs) *float64
	}{
		{"files", func(in *inputs) *float64 { return &in.files }},
		{"instances", func(in *inputs) *float64 { return &in.instances }},
		{"processor time of an upload in an instance", func(in *inputs) *float64 { return &in.uploadCPU }},
		{"processor time of a page in PostgreSQL", func(in *inputs) *float64 { return &in.pageDatabase }},
		{"pages per second", func(in *inputs) *float64 { return &in.pages }},
		{"deliveries that read the disk of the database", func(in *inputs) *float64 { return &in.coldDeliveries }},
		{"reads per second of that disk", func(in *inputs) *float64 { return &in.diskReads }},
		{"memory for pages of the database", func(in *inputs) *float64 { return &in.cache }},
		{"time of a trip to the database", func(in *inputs) *float64 { return &in.network }},
	} {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", v.name, cell(0.5, v.field), cell(1, v.field), cell(2, v.field))
	}
	return b.String()
}

// TestScale: the tables in scale.md are what scaleInputs lead to.
func TestScale(t *testing.T) {
	const begin, end = "<!-- calculated by scale_test.go -->\n", "<!-- end -->\n"
	page, err := os.ReadFile("scale.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(page), "\r", "")
	before, rest, _ := strings.Cut(text, begin)
	written, after, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatal("scale.md has no calculated part")
	}
	want := calculated(scaleInputs)
	if *update {
		if err := os.WriteFile("scale.md", []byte(before+begin+want+end+after), 0o644); err != nil { //nolint:gosec // a page of the guide
			t.Fatal(err)
		}
		return
	}
	if written != want {
		t.Errorf("scale.md is not up to date: run go test ./docs -run TestScale -update\n%s", want)
	}
}

// TestWaiting compares the queue with known values: one server is M/M/1, and many that are
// half used hardly wait.
func TestWaiting(t *testing.T) {
	for _, c := range []struct{ n, used, want float64 }{{1, 0.5, 1}, {1, 0.9, 9}, {2, 0.5, 1.0 / 3}, {100, 0.5, 0}, {1, 1, math.Inf(1)}} {
		if got := waiting(c.n, c.used, 1); got != c.want && math.Abs(got-c.want) > 1e-4 {
			t.Errorf("with %v servers used to %v: %v, want %v", c.n, c.used, got, c.want)
		}
	}
}
