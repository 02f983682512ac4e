package local_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/apitest"
	"mediadesk/api/local"
	"mediadesk/api/local/store"
	"mediadesk/api/media/mediatest"
)

// These are the numbers of rounds of TestRandomDamage: the usual one, that with the race detector,
// and that with MEDIADESK_LONG.
const (
	damageRounds       = 25
	damageRoundsRacing = 5
	damageRoundsLong   = 1000
)

// TestRandomDamage damages a library at random. No content is lost and nothing panics. Opening
// works or says what is wrong, and repairing leaves a library without problems.
func TestRandomDamage(t *testing.T) {
	closed, killed, contents := damagedBase(t)
	rounds := damageRounds
	switch {
	case os.Getenv("MEDIADESK_LONG") != "":
		rounds = damageRoundsLong
	case mediatest.Racing:
		rounds = damageRoundsRacing
	}
	seed := uint64(time.Now().UnixNano())
	count := map[string]int{}
	defer func() { t.Logf("seed %d: %v", seed, count) }()
	for round := range rounds {
		r := rand.New(rand.NewPCG(seed, uint64(round)))
		base := closed
		if r.IntN(2) == 0 {
			base = killed
		}
		dir := filepath.Join(t.TempDir(), "library")
		if err := os.CopyFS(dir, os.DirFS(base)); err != nil {
			t.Fatal(err)
		}
		age(t, dir, 2*time.Hour)
		what := damageRandomly(t, r, dir)
		d := damagedLibrary{t: t, dir: dir, what: fmt.Sprintf("round %d: %s", round, what), count: count}
		d.run(contents)
		if t.Failed() {
			return
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}

// damagedBase makes a library and returns a copy of it closed, a copy of it killed, and the
// hashes of its contents.
func damagedBase(t *testing.T) (closed, killed string, contents []string) {
	closed, killed = filepath.Join(t.TempDir(), "closed"), filepath.Join(t.TempDir(), "killed")
	s := serve(t, local.Options{Dir: closed})
	database := filepath.Join(closed, "library.db")
	keep := func(name string) {
		if err := store.Snapshot(t.Context(), database, filepath.Join(closed, name)); err != nil {
			t.Fatal(err)
		}
	}
	keep("older-empty")
	add := func(data []byte, pairs ...string) map[string]any {
		contents = append(contents, sum(data))
		return upload(t, s.Address, data, append(pairs, "useUniqueFileName", "false")...)
	}
	for n := range 24 {
		add(fmt.Appendf(nil, "text %d", n), "fileName", fmt.Sprintf("t%d.txt", n), "folder", fmt.Sprintf("/a%d/b", n%5), "tags", fmt.Sprintf("tag%d,x", n))
		switch n {
		case 8:
			keep("older")
		case 16:
			if err := s.Library.Snapshot(); err != nil {
				t.Fatal(err)
			}
		}
		if n%4 == 0 { // a second version
			add(fmt.Appendf(nil, "again %d", n), "fileName", fmt.Sprintf("t%d.txt", n), "folder", fmt.Sprintf("/a%d/b", n%5))
		}
		if n%6 == 0 {
			add(apitest.PhotoJPEG(60+n, 40, n), "fileName", fmt.Sprintf("p%d.jpg", n), "customCoordinates", "1,2,3,4")
		}
	}
	add([]byte(strings.Repeat("large ", 50_000)), "fileName", "large")
	copyRunning(t, closed, killed)
	closeServer(t, s)
	return closed, killed, contents
}

// damageRandomly damages the library in dir in one random way and returns a description of it.
func damageRandomly(t *testing.T, r *rand.Rand, dir string) string {
	t.Helper()
	pick := func() string {
		if n := r.IntN(10); n < 6 {
			return filepath.Join(dir, "library.db")
		} else if n == 6 {
			return filepath.Join(dir, "library.db.snapshot")
		} else if n == 7 {
			return filepath.Join(dir, "library.db-wal") // missing if the library was closed
		}
		found, _ := filepath.Glob(filepath.Join(dir, "contents", "??", "*"))
		return found[r.IntN(len(found))]
	}
	path := pick()
	data, err := os.ReadFile(path)
	if err != nil || len(data) == 0 {
		path = filepath.Join(dir, "library.db")
		if data, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(path); err == nil {
		defer os.Chtimes(path, info.ModTime(), info.ModTime())
	}
	name, _ := filepath.Rel(dir, path)
	write := func(how string, data []byte) string {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return name + ": " + how
	}
	switch r.IntN(12) {
	case 0, 1, 2, 3:
		bit := r.IntN(8 * len(data))
		data[bit/8] ^= 1 << (bit % 8)
		return write(fmt.Sprint("bit ", bit), data)
	case 4:
		for range 20 {
			bit := r.IntN(8 * len(data))
			data[bit/8] ^= 1 << (bit % 8)
		}
		return write("20 bits", data)
	case 5, 6:
		size := []int{512, 4096}[r.IntN(2)]
		at := r.IntN(len(data)) / size * size
		clear(data[at:min(at+size, len(data))])
		return write(fmt.Sprintf("%d zeros at %d", size, at), data)
	case 7:
		at := r.IntN(len(data))
		for i := at; i < min(at+512, len(data)); i++ {
			data[i] = byte(r.IntN(256))
		}
		return write(fmt.Sprint("garbage at ", at), data)
	case 8:
		return write("cut", data[:r.IntN(len(data))])
	case 9:
		other := pick()
		text, err := os.ReadFile(other)
		if err != nil {
			return write("nothing", data)
		}
		if err := os.WriteFile(other, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return write("exchanged with "+filepath.Base(other), text)
	case 10:
		older := []string{"older", "older-empty", "library.db.snapshot"}[r.IntN(3)]
		path, name = filepath.Join(dir, "library.db"), "library.db"
		text, err := os.ReadFile(filepath.Join(dir, older))
		if err != nil {
			t.Fatal(err)
		}
		if r.IntN(2) == 0 {
			os.Remove(path + "-wal")
			os.Remove(path + "-shm")
		}
		return write("the "+older+" one", text)
	default:
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		return name + ": removed"
	}
}

// damagedLibrary is one round of TestRandomDamage.
type damagedLibrary struct {
	t         *testing.T
	dir, what string
	count     map[string]int
}

func (d *damagedLibrary) failf(format string, args ...any) {
	d.t.Errorf(d.what+": "+format, args...)
}

// hashes returns the hashes of all files in the folder.
func (d *damagedLibrary) hashes() map[string]bool {
	found := map[string]bool{}
	err := filepath.WalkDir(d.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		s := sha256.Sum256(data)
		found[hex.EncodeToString(s[:])] = true
		return err
	})
	if err != nil {
		d.failf("%v", err)
	}
	return found
}

func (d *damagedLibrary) expect(contents []string) {
	found := d.hashes()
	for _, hash := range contents {
		if !found[hash] {
			d.count["contents destroyed"]++
			d.failf("content %s is destroyed", hash)
		}
	}
}

func (d *damagedLibrary) run(contents []string) {
	d.count["damages"]++
	defer func() {
		if v := recover(); v != nil {
			d.count["panics"]++
			d.failf("panic: %v", v)
		}
	}()
	remaining := d.hashes()
	var whole []string
	for _, hash := range contents {
		if remaining[hash] {
			whole = append(whole, hash)
		}
	}
	refused := !d.open()
	d.expect(whole)
	found, ok := d.check(local.CheckOptions{})
	if refused && found == 0 && ok {
		d.failf("it does not open, and the check finds nothing")
	}
	if found, ok := d.check(local.CheckOptions{Repair: true}); !ok {
		return
	} else if found > 0 {
		d.count["repaired"]++
	}
	if found, _ := d.check(local.CheckOptions{}); found > 0 {
		d.failf("%d problems after the repair", found)
	}
	if !d.open() {
		d.failf("it does not open after the repair")
	}
	d.expect(whole)
}

// open opens, sweeps and uses the library. It returns false if opening was refused.
func (d *damagedLibrary) open() bool {
	l, err := local.Open(d.t.Context(), local.Options{Dir: d.dir, Key: key(testKey), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		if api.Hint(err) == "" || !strings.Contains(err.Error(), "cannot be opened") {
			d.failf("it opens with %v", err)
		}
		d.count["refused"]++
		return false
	}
	l.Sweep()
	ask(l, "GET", "/v1/files?limit=1000")
	contentType, body := form(fmt.Append(nil, "new ", time.Now().UnixNano()), "fileName", "new.txt")
	send(l, "POST", "/api/v1/files/upload", contentType, body)
	if err := l.Close(); err != nil {
		d.count["closed with an error"]++
	}
	d.count["opened"]++
	return true
}

// check returns the number of problems that are not repaired, or with repair the number of those
// that are. ok is false if checking failed.
func (d *damagedLibrary) check(o local.CheckOptions) (n int, ok bool) {
	sum, err := local.Check(d.t.Context(), d.dir, o, func(p local.Problem) error {
		if p.Message == "" {
			d.failf("a problem without words: %+v", p)
		}
		return nil
	})
	if err != nil {
		d.failf("checking with repair %t: %v", o.Repair, err)
		return 0, false
	}
	if o.Repair && sum.Unrepaired > 0 {
		d.failf("the repair left %d problems", sum.Unrepaired)
	}
	return sum.Problems, true
}
