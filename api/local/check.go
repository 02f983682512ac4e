package local

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"mediadesk/api"
	"mediadesk/api/local/store"
	"mediadesk/api/rule"
)

// Kinds of Problem.
const (
	ProblemRecords    = "records"    // the database is damaged
	ProblemUnnamed    = "unnamed"    // contents without a record; the records may be too old
	ProblemMissing    = "missing"    // the content does not exist
	ProblemSize       = "size"       // the content is shorter or longer than its record says
	ProblemHash       = "hash"       // the content does not match its hash
	ProblemUnreadable = "unreadable" // the content cannot be read
)

// Problem is a defect that Check found.
type Problem struct {
	Kind     string `json:"problem"`
	FileID   string `json:"fileId,omitempty"`
	Path     string `json:"filePath,omitempty"`
	Version  string `json:"versionId,omitempty"`
	Hash     string `json:"hash,omitempty"` // hash of the expected content
	Message  string `json:"message"`
	Help     string `json:"help,omitempty"`     // what to do; empty if it was repaired
	Repaired string `json:"repaired,omitempty"` // what the repair did; empty if nothing
}

func (p Problem) String() string {
	text := p.Message
	if p.Path != "" {
		text = fmt.Sprintf("%s (file %s, version %s): %s", p.Path, p.FileID, p.Version, p.Message)
	}
	if p.Repaired != "" {
		text += "; " + p.Repaired
	}
	if p.Help != "" {
		text += ". " + p.Help
	}
	return text
}

// Checked counts what Check read and what it found.
type Checked struct {
	Files      int   `json:"files"`
	Versions   int   `json:"versions"`
	Bytes      int64 `json:"bytes"` // of all contents, each counted once
	Problems   int   `json:"problems"`
	Unrepaired int   `json:"left"`    // problems that were not repaired
	Unnamed    int   `json:"unnamed"` // contents without a record; they are set aside after an hour
	Aside      int   `json:"aside"`   // contents set aside, which are kept for 30 days
}

// CheckOptions configures Check.
type CheckOptions struct {
	Repair   bool   // repair what was found
	Quick    bool   // check the records only, not the bytes of the contents
	Storage  string // address of the content store; empty for the library's folder
	Database string // address of the records; empty for SQLite in the folder
}

type checker struct {
	o        Options // of the library
	how      CheckOptions
	report   func(Problem) error
	records  store.Records
	contents store.Contents
	sum      Checked
}

func recordsPath(dir string) string { return filepath.Join(dir, "library.db") }

func contentsPath(dir string) string { return filepath.Join(dir, "contents") }

// Check verifies the library in the folder dir: the database, and the size and hash of the content
// of every version. It calls report for each problem and stops at its first error. A running
// library can be checked but not repaired; the error is then ErrInUse. Records in a database
// server are never repaired. dir may be empty if nothing of the library is in a folder.
func Check(ctx context.Context, dir string, o CheckOptions, report func(Problem) error) (Checked, error) {
	c := &checker{o: Options{Dir: dir, Storage: o.Storage, Database: o.Database}, how: o, report: report}
	switch {
	case o.Database == "":
		_, err := os.Stat(recordsPath(dir))
		if errors.Is(err, fs.ErrNotExist) && missingRecords(dir) == nil {
			return c.sum, fmt.Errorf("there is no library in the folder %s: %w", dir, err)
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return c.sum, err
		}
		if o.Repair {
			lock, err := lockFolder(dir)
			if err != nil {
				return c.sum, err
			}
			defer lock.Unlock() //nolint:errcheck // it ends with this process at the latest
		}
	case o.Repair:
		return c.sum, errors.New("records in a database server cannot be repaired here: restore a backup of the database")
	}
	err := c.run(ctx)
	return c.sum, errors.Join(err, c.close())
}

func (c *checker) problem(p Problem) error {
	c.sum.Problems++
	if p.Repaired != "" {
		p.Help = ""
	} else {
		c.sum.Unrepaired++
	}
	return c.report(p)
}

func (c *checker) run(ctx context.Context) error {
	broken, err := c.inspect(ctx)
	if err != nil {
		return err
	}
	done, help := "", repairHelp(c.o.Dir)
	if c.o.Database != "" {
		help = "Restore a backup of the database."
	}
	if len(broken) > 0 && c.how.Repair {
		help = "There is no good snapshot: restore a backup of the folder, or see docs/backup.md."
		if done, err = c.restore(ctx); err != nil {
			return err
		}
	}
	for _, message := range broken {
		p := Problem{Kind: ProblemRecords, Message: message, Help: help, Repaired: done}
		if err := c.problem(p); err != nil {
			return err
		}
	}
	if c.records == nil || len(broken) > 0 && done == "" {
		return nil
	}
	if err := c.checkUnnamed(ctx, done != "", help); err != nil || c.how.Quick {
		return err
	}
	// In parts, so that a running library is not blocked.
	for n := range 256 {
		if err := c.checkContents(ctx, fmt.Sprintf("%02x", n)); err != nil {
			return err
		}
	}
	return nil
}

// inspect opens the records and returns what is wrong with them. Damaged records stay closed.
func (c *checker) inspect(ctx context.Context) (broken []string, err error) {
	if c.o.Database == "" {
		if err := missingRecords(c.o.Dir); err != nil {
			return []string{err.Error()}, nil
		}
		lines, err := store.Damage(ctx, recordsPath(c.o.Dir))
		if err != nil {
			return nil, c.o.recordsError(err)
		}
		if len(lines) > 0 {
			return rule.Mapped(lines, func(line string) string { return "the records are damaged: " + line }), nil
		}
	}
	if err := c.open(ctx); err != nil && c.contents == nil {
		return nil, err
	} else if err != nil {
		return nil, c.o.recordsError(err)
	}
	if _, err := checkOwner(ctx, c.o, c.records, c.contents); err != nil {
		return nil, err
	}
	if err := checkLost(ctx, c.o.Dir, c.records, c.contents); err != nil {
		broken = append(broken, err.Error())
	}
	return broken, nil
}

// checkUnnamed compares records and contents. If the records are older than the contents, the
// repair restores a newer snapshot. What remains without a record it sets aside.
func (c *checker) checkUnnamed(ctx context.Context, restored bool, help string) error {
	s, err := newSurvey(ctx, c.records, c.contents)
	if err != nil {
		return err
	}
	c.sum.Unnamed, c.sum.Aside = len(s.orphaned), len(s.aside)
	many := s.tooMany()
	if many != "" && !restored {
		p := Problem{Kind: ProblemUnnamed, Message: many, Help: help}
		if c.how.Repair {
			if p.Repaired, err = c.restoreNewer(ctx, s); err != nil {
				return err
			}
			p.Repaired = cmp.Or(p.Repaired, "the records were kept")
		}
		if err := c.problem(p); err != nil {
			return err
		}
	}
	if !c.how.Repair {
		return nil
	}
	if s, err = newSurvey(ctx, c.records, c.contents); err != nil {
		return err
	}
	if err := s.restoreNamed(c.contents); err != nil {
		return err
	}
	if !restored && many == "" || len(s.unnamed) == 0 {
		return nil
	}
	// The records were restored, or a person decided it by calling the repair.
	for _, stored := range s.unnamed {
		if err := c.contents.Retire(stored, false, func() (bool, error) { return true, nil }); err != nil {
			return err
		}
	}
	c.sum.Unnamed, c.sum.Aside = 0, len(s.aside)+len(s.unnamed)
	return c.problem(Problem{
		Kind: ProblemUnnamed, Message: "contents without a record: " + fmt.Sprint(len(s.unnamed)),
		Repaired: "set aside for 30 days; upload those again that you need",
	})
}

func (c *checker) open(ctx context.Context) (err error) {
	open := store.ReadRecords
	if c.how.Repair {
		open = store.OpenRecords
	}
	if c.how.Repair || c.o.Storage != "" {
		c.contents, err = openContents(ctx, c.o.Dir, c.o.Storage)
	} else {
		c.contents = store.ReadContents(contentsPath(c.o.Dir))
	}
	if err == nil {
		c.records, err = openRecords(ctx, c.o, open)
	}
	return err
}

func (c *checker) close() (err error) {
	if c.records != nil {
		err = c.records.Close()
		c.records = nil
	}
	return err
}

func (c *checker) checkContents(ctx context.Context, prefix string) error {
	list, err := holdings(ctx, c.records, prefix)
	if err != nil {
		return err
	}
	var last string
	var found Problem // with the last content
	for _, h := range list {
		c.sum.Versions++
		if h.Current {
			c.sum.Files++
		}
		if h.Version.Hash != last {
			last = h.Version.Hash
			var n int64
			found, n, err = verifyContent(ctx, c.contents, h.Version, io.Discard)
			if c.sum.Bytes += n; err != nil {
				return err
			}
		}
		if found.Kind == "" {
			continue
		}
		now, err := holdings(ctx, c.records, last)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(now, func(n store.Holding) bool { return n.Version.ID == h.Version.ID }) {
			continue // deleted during the check
		}
		if err := c.problem(found.of(h)); err != nil {
			return err
		}
	}
	return nil
}

func (p Problem) of(h store.Holding) Problem {
	p.FileID, p.Path, p.Version, p.Hash = h.FileID, h.Path, h.Version.ID, h.Version.Hash
	return p
}

// holdings returns the versions whose hash begins with prefix, and their files.
func holdings(ctx context.Context, records store.Records, prefix string) ([]store.Holding, error) {
	return store.View(ctx, records,
		func(tx store.Tx) ([]store.Holding, error) { return tx.Versions.Holdings(prefix) })
}

// verifyContent reads the content of a version into to, compares its size and hash, and returns
// its size. The zero Problem means that it is sound. An error is one of to, or the store does not
// answer.
func verifyContent(ctx context.Context, contents store.Contents, v store.Version,
	to io.Writer,
) (Problem, int64, error) {
	wrong := func(kind, message string) Problem {
		return Problem{Kind: kind, Message: "its content " + message, Help: "Restore its content from a backup, upload the file again, or delete it."}
	}
	f, err := contents.Open(v.Hash)
	var down *store.DownError
	switch {
	case errors.Is(err, store.ErrNotFound):
		return wrong(ProblemMissing, "is missing"), 0, nil
	case errors.As(err, &down):
		return Problem{}, 0, err
	case err != nil:
		return wrong(ProblemUnreadable, "cannot be opened: "+err.Error()), 0, nil
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(sum, diskWriter{to}), readerFunc(func(p []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return f.Read(p)
	}))
	var failure *storeError
	switch {
	case ctx.Err() != nil:
		return Problem{}, n, ctx.Err()
	case errors.As(err, &failure), errors.As(err, &down):
		return Problem{}, n, err
	case err != nil:
		return wrong(ProblemUnreadable, "cannot be read: "+err.Error()), n, nil
	case n != v.Size:
		return wrong(ProblemSize, fmt.Sprintf("has %d bytes, not %d", n, v.Size)), n, nil
	case hex.EncodeToString(sum.Sum(nil)) != v.Hash:
		return wrong(ProblemHash, "has changed"), n, nil
	}
	return Problem{}, n, nil
}

// recordsError explains why the records cannot be opened. The contents are untouched.
func (o *Options) recordsError(err error) error {
	name, help := "the local library in "+o.Dir, repairHelp(o.Dir)
	switch {
	case errors.Is(err, store.ErrFormat):
		help = "Use the version that wrote them, or choose another folder or database."
	case o.Database != "":
		help = "Check that the database server runs, and that the address, the user and the password are those of this library."
	case store.Unavailable(err):
		help = "Check the free space of the disk and the permissions of the folder, then try again."
	}
	if o.Database != "" {
		name = "the library"
	}
	return api.WithHint(fmt.Errorf("%s cannot be opened: %w", name, err), help)
}

func repairHelp(dir string) string {
	return "To repair it, run: mediadesk serve --repair --data " + api.ShellWord(dir)
}

// checkLost returns an error if the records name none of the stored contents. Contents newer than
// the records are left out: a crash in a new library leaves such contents.
func checkLost(ctx context.Context, dir string, records store.Records, contents store.Contents) error {
	created, err := store.View(ctx, records, func(tx store.Tx) (created time.Time, err error) {
		if empty, err := tx.Library.Empty(); err != nil || !empty {
			return created, err
		}
		return tx.Library.Created()
	})
	if err != nil || created.IsZero() {
		return err
	}
	s, err := newSurvey(ctx, records, contents)
	older := func(c store.Stored) bool { return c.At.Before(created) }
	if err != nil || len(s.orphaned) == 0 && store.Empty(ctx, snapshotPath(dir)) &&
		!slices.ContainsFunc(s.unnamed, older) {
		return err
	}
	return lostError(dir, len(s.unnamed))
}

func lostError(dir string, contents int) error {
	if contents == 0 {
		return nil
	}
	text := "no snapshot exists"
	if info, err := os.Stat(snapshotPath(dir)); err == nil {
		text = fmt.Sprintf("the last snapshot is %s of %s", snapshotPath(dir), info.ModTime().Format("2 Jan 2006 15:04"))
	}
	return fmt.Errorf("its records are new or empty although the folder has %s; %s", rule.Plural(contents, "content"), text)
}

func missingRecords(dir string) error {
	if info, err := os.Stat(recordsPath(dir)); err == nil && info.Size() > 0 {
		return nil
	}
	// Only a wrong pattern is an error. A folder that cannot be read fails when the library opens.
	contents, _ := fs.Glob(os.DirFS(contentsPath(dir)), "??/"+strings.Repeat("?", 2*sha256.Size))
	return lostError(dir, len(contents))
}

// Copied is the result of CopyContents.
type Copied struct {
	Contents int   `json:"contents"` // copied now
	Bytes    int64 `json:"bytes"`    // of the copied contents
	Present  int   `json:"present"`  // already in the target
	Problems int   `json:"problems"` // could not be copied
}

// CopyContents copies the contents of the library from o.Storage to the store at the address to; an
// empty address means the folder in o.Dir. It verifies each by its hash and leaves the originals in
// place. It skips what the target has, so a repeated call continues. The library may be running,
// but contents stored meanwhile need another call. CopyContents calls report, one call at a time,
// for contents that are missing or changed.
func CopyContents(ctx context.Context, o Options, to string,
	report func(Problem) error,
) (sum Copied, err error) {
	if o.Storage == to {
		return sum, errors.New("cannot copy the contents: the target is the storage in use")
	}
	records, err := openRecords(ctx, o, store.ReadRecords)
	if err != nil {
		return sum, o.recordsError(err)
	}
	defer func() { err = errors.Join(err, records.Close()) }()
	source := store.ReadContents(contentsPath(o.Dir))
	if o.Storage != "" {
		if source, err = store.OpenStorage(ctx, o.Storage); err != nil {
			return sum, err
		}
	}
	target, err := openContents(ctx, o.Dir, to)
	if err != nil {
		return sum, err
	}
	moved := o
	moved.Storage = to
	if _, err := checkOwner(ctx, moved, records, target); err != nil {
		return sum, err
	}
	for n := range 256 {
		if err := copyPrefix(ctx, records, source, target, fmt.Sprintf("%02x", n), &sum, report); err != nil {
			return sum, err
		}
	}
	if o.Database == "" { // the first start with the storage marks it
		return sum, nil
	}
	owner, err := source.Owner("")
	if err == nil {
		_, err = target.Owner(owner)
	}
	return sum, err
}

func copyPrefix(ctx context.Context, records store.Records, source, target store.Contents,
	prefix string, sum *Copied, report func(Problem) error,
) error {
	list, err := holdings(ctx, records, prefix)
	if err != nil || len(list) == 0 {
		return err
	}
	there, err := target.List(prefix)
	if err != nil {
		return err
	}
	present := map[string]bool{}
	for _, s := range there {
		present[s.Hash] = present[s.Hash] || !s.Aside
	}
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(8) // copies mostly wait for the store
	for i, h := range list {
		switch {
		case i > 0 && list[i-1].Version.Hash == h.Version.Hash:
			continue
		case present[h.Version.Hash]:
			sum.Present++
			continue
		}
		group.Go(func() error {
			problem, n, err := copyContent(ctx, source, target, h.Version)
			if err != nil {
				return fmt.Errorf("copy the content %s: %w", h.Version.Hash, err)
			}
			mu.Lock()
			defer mu.Unlock()
			if problem.Kind != "" {
				sum.Problems++
				return report(problem.of(h))
			}
			sum.Contents, sum.Bytes = sum.Contents+1, sum.Bytes+n
			return nil
		})
	}
	return group.Wait()
}

func copyContent(ctx context.Context, from, to store.Contents, v store.Version) (Problem, int64, error) {
	draft, err := to.Draft()
	if err != nil {
		return Problem{}, 0, err
	}
	defer draft.Discard()
	problem, n, err := verifyContent(ctx, from, v, draft)
	if err == nil && problem.Kind == "" {
		_, err = draft.Commit()
	}
	return problem, n, err
}
