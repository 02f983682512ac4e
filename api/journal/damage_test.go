package journal

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
)

// damageRounds is the number of rounds of TestRandomDamage, and damageRoundsLong that with
// MEDIADESK_LONG.
const (
	damageRounds     = 25
	damageRoundsLong = 1000
)

// TestRandomDamage: with a damaged journal nothing panics, errors say what helps, and a new journal can
// be started.
func TestRandomDamage(t *testing.T) {
	base := filepath.Join(t.TempDir(), "base")
	path := filepath.Join(base, "journal.db")
	j := openTest(t, path)
	for n := range 40 {
		useJournal(t, j, n)
	}
	killed, closed := filepath.Join(t.TempDir(), "killed"), filepath.Join(t.TempDir(), "closed")
	if err := os.CopyFS(killed, os.DirFS(base)); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(closed, os.DirFS(base)); err != nil {
		t.Fatal(err)
	}
	rounds := damageRounds
	if os.Getenv("MEDIADESK_LONG") != "" {
		rounds = damageRoundsLong
	}
	seed := uint64(time.Now().UnixNano())
	count := map[string]int{}
	defer func() { t.Logf("seed %d: %v", seed, count) }()
	for round := range rounds {
		r := rand.New(rand.NewPCG(seed, uint64(round)))
		from := closed
		if r.IntN(2) == 0 {
			from = killed
		}
		dir := filepath.Join(t.TempDir(), "journal")
		if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		what := harmJournal(t, r, dir)
		damagedRound(t, fmt.Sprintf("seed %d, round %d: %s", seed, round, what), filepath.Join(dir, "journal.db"), count)
		if t.Failed() {
			return
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}

// useJournal writes and reads as the program does, and returns the error.
func useJournal(t *testing.T, j *Journal, n int) error {
	ctx := t.Context()
	jobs, err := j.AddJobs(ctx, []api.Job{newJob(fmt.Sprint(n))})
	errs := []error{err}
	for _, job := range jobs {
		job.State = api.Stored
		errs = append(errs, j.UpdateJob(ctx, job))
	}
	f := new(api.File)
	if err := f.UnmarshalJSON(fmt.Appendf(nil, `{"fileId":"%d","name":"n%[1]d","filePath":"/a/n%[1]d","tags":["x"]}`, n)); err != nil {
		t.Fatal(err)
	}
	errs = append(errs, j.SaveFile(ctx, "home", *f), j.SaveDraft(ctx, fmt.Sprint(n%3), []byte("{}")))
	runs, err := j.AddRuns(ctx, []api.Run{{Profile: "home", FileID: fmt.Sprint(n), Extension: "remove-bg", Status: api.StatusPending, Started: time.Now()}})
	errs = append(errs, err)
	for _, run := range runs {
		_, err := j.History(ctx, run.ID)
		errs = append(errs, err)
	}
	for _, read := range []func() error{
		func() error { _, err := j.Jobs(ctx, JobFilter{}); return err },
		func() error { _, err := j.Claim(ctx, "home", nil); return err },
		func() error { _, err := j.Files(ctx, "home", FileFilter{}); return err },
		func() error { _, err := j.Tags(ctx, "home", ""); return err },
		func() error { _, err := j.Runs(ctx, RunFilter{}); return err },
		func() error { _, err := j.NextUndo(ctx, EditFilter{Profile: "home"}); return err },
		func() error { _, err := j.Unmatched(ctx, "home"); return err },
		func() error { _, err := j.Presets(ctx); return err },
		func() error { _, err := j.RunMark(ctx); return err },
		func() error { _, err := j.Changes(ctx); return err },
	} {
		errs = append(errs, read())
	}
	return errors.Join(errs...)
}

func harmJournal(t *testing.T, r *rand.Rand, dir string) string {
	t.Helper()
	path := filepath.Join(dir, []string{"journal.db", "journal.db", "journal.db-wal"}[r.IntN(3)])
	data, err := os.ReadFile(path)
	if err != nil || len(data) == 0 {
		path = filepath.Join(dir, "journal.db")
		if data, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	how := ""
	at := r.IntN(len(data))
	switch r.IntN(6) {
	case 0, 1, 2:
		how = fmt.Sprint("a bit at ", at)
		data[at] ^= 1 << r.IntN(8)
	case 3:
		how = fmt.Sprint("zeros at ", at/512*512)
		clear(data[at/512*512 : min(at/512*512+512, len(data))])
	case 4:
		how = "cut"
		data = data[:at]
	case 5:
		how = fmt.Sprint("garbage at ", at)
		for i := at; i < min(at+512, len(data)); i++ {
			data[i] = byte(r.IntN(256))
		}
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return filepath.Base(path) + ": " + how
}

func damagedRound(t *testing.T, what, path string, count map[string]int) {
	defer func() {
		if v := recover(); v != nil {
			count["panics"]++
			t.Errorf("%s: panic: %v", what, v)
		}
	}()
	count["damages"]++
	_, checked := Check(t.Context(), path)
	j, err := Open(t.Context(), path)
	if err == nil {
		err = useJournal(t, j, 1)
		if closed := j.Close(); err == nil {
			err = closed
		}
	}
	for _, err := range []error{checked, err} {
		if err == nil {
			continue
		}
		var own *Error
		if !errors.As(err, &own) || own.Hint() == "" {
			t.Errorf("%s: %v, without a help", what, err)
		}
	}
	switch {
	case err != nil && checked != nil:
		count["told by both"]++
	case err != nil:
		count["told when it is used"]++
	case checked != nil:
		count["told by the check"]++
	}
	// Follow the hint.
	for _, end := range []string{"", "-wal", "-shm"} {
		if err := os.Rename(path+end, path+".away"+end); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
	}
	j, err = Open(t.Context(), path)
	if err != nil {
		t.Fatalf("%s: a new one: %v", what, err)
	}
	if err := errors.Join(useJournal(t, j, 1), j.Close()); err != nil {
		t.Errorf("%s: a new one: %v", what, err)
	}
}

// TestOtherDatabases: a negative version, a newer one, and another database are refused with a help,
// and are not changed.
func TestOtherDatabases(t *testing.T) {
	for text, want := range map[string]string{
		"PRAGMA user_version = -3": "no journal",
		"PRAGMA user_version = 99": "newer",
		"PRAGMA user_version = 0":  "no journal",
		"DROP TABLE jobs":          "no journal",
	} {
		path := newPath(t)
		if err := openTest(t, path).Close(); err != nil {
			t.Fatal(err)
		}
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = db.ExecContext(t.Context(), text)
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		_, opened := Open(t.Context(), path)
		_, checked := Check(t.Context(), path)
		for _, err := range []error{opened, checked} {
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(api.Hint(err), "journal.db-wal") {
				t.Errorf("%s: %v, %s", text, err, api.Hint(err))
			}
		}
	}
}
