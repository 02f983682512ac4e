package local

import (
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

	"mediadesk/api/local/store"
)

// Kinds of Problem.
const (
	ProblemRecords    = "records"    // the database is damaged
	ProblemUnnamed    = "unnamed"    // contents without a record; the records may be too old
	ProblemRun        = "run"        // the program ended during an extension run
	ProblemRecord     = "record"     // a record contradicts itself
	ProblemMissing    = "missing"    // the content does not exist
	ProblemSize       = "size"       // the content is shorter or longer than its record says
	ProblemHash       = "hash"       // the content does not match its hash
	ProblemUnreadable = "unreadable" // the content cannot be read
)

// Problem is a finding of Check.
type Problem struct {
	Kind     string `json:"problem"`
	FileID   string `json:"fileId,omitempty"`
	Path     string `json:"filePath,omitempty"`
	Version  string `json:"versionId,omitempty"`
	Hash     string `json:"hash,omitempty"` // hash of the expected content
	Message  string `json:"message"`
	Help     string `json:"help,omitempty"`     // a command that helps; empty for a check with repair
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

// Checked counts what Check looked at and what it found.
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
	From     string // folder of the original library, to copy missing contents from; may be empty
}

// checker is a check in progress.
type checker struct {
	dir      string
	o        CheckOptions
	report   func(Problem) error
	free     bool // no process has the library open
	records  store.Records
	contents store.Contents
	outdated bool // the records have an older format and must not be changed
	sum      Checked
	bad      map[string]bool // hashes of bad contents
}

func recordsPath(dir string) string { return filepath.Join(dir, "library.db") }

func contentsPath(dir string) string { return filepath.Join(dir, "contents") }

// Check verifies the library in the folder dir: the database, and the size and hash of the content
// of every version. It calls report for each problem and stops at its first error. A running
// library can be checked but not repaired; the error is then ErrInUse. Records in a database
// server are never repaired. dir may be empty if nothing of the library is in a folder.
func Check(ctx context.Context, dir string, o CheckOptions, report func(Problem) error) (Checked, error) {
	c := &checker{dir: dir, o: o, report: report, bad: map[string]bool{}}
	if o.Database != "" {
		if o.Repair || o.From != "" {
			return Checked{}, errors.New("records in a database server cannot be repaired here: restore a backup of the database")
		}
		err := c.run(ctx)
		return c.sum, errors.Join(err, c.close())
	}
	if _, err := os.Stat(recordsPath(dir)); err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			return Checked{}, err
		}
		if lost := missingRecords(dir); lost == nil && o.From == "" {
			return Checked{}, fmt.Errorf("there is no library in the folder %s: %w", dir, fs.ErrNotExist)
		}
	}
	lock, err := lockFolder(dir)
	if err != nil && (o.Repair || !errors.Is(err, ErrInUse)) {
		return Checked{}, err
	}
	if o.Repair {
		defer lock.Unlock() //nolint:errcheck // it ends with this process at the latest
	} else if lock != nil {
		if err := lock.Unlock(); err != nil {
			return Checked{}, err
		}
	}
	c.free = lock != nil
	err = c.run(ctx)
	return c.sum, errors.Join(err, c.close())
}

func (c *checker) problem(p Problem) error {
	c.sum.Problems++
	if p.Repaired == "" {
		c.sum.Unrepaired++
	}
	return c.report(p)
}

func (c *checker) run(ctx context.Context) error {
	if c.o.From != "" {
		if err := c.copyRecords(ctx); err != nil {
			return err
		}
	}
	readable, rebuilt, err := c.checkDatabase(ctx)
	if err != nil || !readable || c.o.Quick {
		return err
	}
	if err := c.checkRecords(ctx); err != nil {
		return err
	}
	// In parts, so that a running library is not blocked.
	var broken []store.Holding
	for prefix := range prefixes {
		list, err := c.checkContents(ctx, prefix)
		if err != nil {
			return err
		}
		broken = append(broken, list...)
	}
	if !c.o.Repair {
		return nil
	}
	if err := c.dropBroken(ctx, broken); err != nil || !rebuilt {
		return err
	}
	return c.adoptUnnamed(ctx)
}

// options are those of the library that is checked.
func (c *checker) options() *Options {
	return &Options{Dir: c.dir, Storage: c.o.Storage, Database: c.o.Database}
}

func (c *checker) open(ctx context.Context) (err error) {
	open := store.ReadRecords
	if c.o.Repair {
		open = store.OpenRecords
	}
	if c.o.Repair || c.o.Storage != "" {
		c.contents, err = openContents(ctx, c.dir, c.o.Storage)
	} else {
		c.contents = store.ReadContents(contentsPath(c.dir))
	}
	if err == nil {
		c.records, err = openRecords(ctx, *c.options(), open)
	}
	return err
}

// close closes records and contents.
func (c *checker) close() (err error) {
	if c.records != nil {
		err = c.records.Close()
		c.records = nil
	}
	if c.contents != nil {
		err = errors.Join(err, c.contents.Close())
		c.contents = nil
	}
	return err
}

// checkContents verifies the contents whose hash begins with prefix. It returns the versions that
// still need a repair and reports all other problems.
func (c *checker) checkContents(ctx context.Context, prefix string) (broken []store.Holding, err error) {
	holdings, err := c.holdings(ctx, prefix)
	if err != nil {
		return nil, err
	}
	var last string
	var found Problem // with the last content
	for _, h := range holdings {
		c.sum.Versions++
		if h.Current {
			c.sum.Files++
		}
		if h.Version.Hash != last {
			last = h.Version.Hash
			if found, err = c.verify(ctx, last, h.Version.Size); err != nil {
				return nil, err
			}
		}
		p := found
		if p.Kind == "" && h.Path == "" {
			p = Problem{Kind: ProblemRecord, Message: "its file has no record"}
			if c.o.Repair {
				p.Repaired = "the version was removed from the records"
				if err := c.dropVersion(ctx, h); err != nil {
					return nil, err
				}
			}
		}
		switch {
		case p.Kind == "":
			continue
		case p.Repaired != "":
		case c.o.Repair:
			c.bad[last] = true
			broken = append(broken, h)
			continue
		default:
			now, err := c.holdings(ctx, last)
			if err != nil {
				return nil, err
			}
			if !slices.ContainsFunc(now, func(n store.Holding) bool { return n.Version.ID == h.Version.ID }) {
				continue // deleted during the check
			}
		}
		if err := c.problem(p.of(h)); err != nil {
			return nil, err
		}
	}
	return broken, nil
}

// of returns the problem with the names of the version.
func (p Problem) of(h store.Holding) Problem {
	p.FileID, p.Path, p.Version, p.Hash = h.FileID, h.Path, h.Version.ID, h.Version.Hash
	return p
}

func (c *checker) holdings(ctx context.Context, prefix string) ([]store.Holding, error) {
	return store.View(ctx, c.records, func(tx store.Tx) ([]store.Holding, error) { return tx.Holdings(prefix) })
}

// verify checks one content. It returns the zero Problem if the content is sound.
func (c *checker) verify(ctx context.Context, hash string, size int64) (Problem, error) {
	p, n, err := verifyContent(ctx, c.contents, hash, size)
	c.sum.Bytes += n
	if err != nil || p.Kind == "" || c.o.From == "" {
		return p, err
	}
	if err := c.copyContent(ctx, hash, size); err != nil {
		if ctx.Err() != nil {
			return p, ctx.Err()
		}
		p.Message += fmt.Sprintf(" (copying it from %s failed: %s)", c.o.From, err)
		return p, nil
	}
	p.Repaired = "it was copied from " + c.o.From
	return p, nil
}

// verifyContent reads a content and compares its size and hash. A size of -1 is unknown. If the
// store does not answer it returns an error, since the content may be sound.
func verifyContent(ctx context.Context, contents store.Contents, hash string, size int64) (Problem, int64, error) {
	f, err := contents.Open(hash)
	if errors.Is(err, store.ErrNotFound) {
		return Problem{Kind: ProblemMissing, Message: "its content is missing"}, 0, nil
	}
	var down *store.DownError
	if errors.As(err, &down) {
		return Problem{}, 0, err
	}
	if err != nil {
		return Problem{Kind: ProblemUnreadable, Message: "its content cannot be opened: " + err.Error()}, 0, nil
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, readerFunc(func(b []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return f.Read(b)
	}))
	switch {
	case ctx.Err() != nil:
		return Problem{}, n, ctx.Err()
	case errors.As(err, &down):
		return Problem{}, n, err
	case err != nil:
		return Problem{Kind: ProblemUnreadable, Message: "its content cannot be read: " + err.Error()}, n, nil
	case size >= 0 && n != size:
		return Problem{Kind: ProblemSize, Message: fmt.Sprintf("its content has %d bytes, not %d", n, size)}, n, nil
	case hex.EncodeToString(sum.Sum(nil)) != hash:
		return Problem{Kind: ProblemHash, Message: "its content has changed"}, n, nil
	}
	return Problem{}, n, nil
}
