package local

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gabriel-vasile/mimetype"

	"mediadesk/api/atomicfile"
	"mediadesk/api/local/store"
)

// snapshotPath is where a running library regularly writes a copy of its records. Unlike the
// database itself, the snapshot is consistent in a copied folder.
func snapshotPath(dir string) string { return recordsPath(dir) + ".snapshot" }

// copyRecords replaces the records by those of the original library, which may be running.
func (c *checker) copyRecords(ctx context.Context) error {
	here, err := os.Stat(c.dir)
	if err != nil {
		return err
	}
	there, err := os.Stat(c.o.From)
	if err != nil {
		return err
	}
	if os.SameFile(here, there) {
		return fmt.Errorf("the folder %s cannot be repaired from itself", c.dir)
	}
	draft := recordsPath(c.dir) + ".from"
	if err := store.Snapshot(ctx, recordsPath(c.o.From), draft); err != nil {
		return fmt.Errorf("copy the records of %s: %w", c.o.From, err)
	}
	if err := store.RemoveRecords(recordsPath(c.dir)); err != nil {
		return err
	}
	return atomicfile.Rename(draft, recordsPath(c.dir))
}

// copyContent copies a content from the original library.
func (c *checker) copyContent(ctx context.Context, hash string, size int64) error {
	from := store.ReadContents(contentsPath(c.o.From))
	if p, _, err := verifyContent(ctx, from, hash, size); err != nil || p.Kind != "" {
		return errors.Join(err, errors.New(p.Message))
	}
	f, err := from.Open(hash)
	if err != nil {
		return err
	}
	defer f.Close()
	return c.keep(f)
}

// keep stores a content under its hash.
func (c *checker) keep(f io.Reader) error {
	draft, err := c.contents.Draft()
	if err != nil {
		return err
	}
	defer draft.Discard()
	if _, err := io.Copy(draft, f); err != nil {
		return err
	}
	_, err = draft.Commit()
	return err
}

// checkDatabase reports whether the records are readable, and whether it had to rebuild them.
func (c *checker) checkDatabase(ctx context.Context) (readable, rebuilt bool, err error) {
	problems, err := c.inspect(ctx)
	if err != nil {
		return false, false, err
	}
	done := ""
	if len(problems) > 0 && c.o.Repair {
		if done, err = c.rebuild(ctx); err != nil {
			return false, false, err
		}
	}
	readable = c.records != nil
	for _, p := range problems {
		if p.Repaired = done; done == "" && c.o.Database == "" {
			p.Help = repairHelp(c.dir)
		}
		if err := c.problem(p); err != nil {
			return false, false, err
		}
	}
	if !readable {
		return false, false, nil
	}
	if !c.outdated && c.o.Database == "" { // instances take over the runs of those that are gone
		err = c.checkUnfinished(ctx)
	}
	return true, done != "", err
}

// inspect opens the records and returns their problems. Damaged records stay closed.
func (c *checker) inspect(ctx context.Context) (problems []Problem, err error) {
	if c.o.Database == "" {
		if problems, err := c.inspectFile(ctx); err != nil || len(problems) > 0 {
			return problems, err
		}
	}
	if err := c.open(ctx); err != nil && c.contents == nil {
		return nil, err
	} else if err != nil {
		return nil, c.options().recordsError(err)
	}
	if c.o.Database != "" {
		if _, err := ownerOf(ctx, *c.options(), c.records, c.contents); err != nil {
			return nil, err
		}
	} else if old, err := store.Outdated(ctx, recordsPath(c.dir)); err != nil || old {
		c.outdated = true // skip checks that need the newest format
		return nil, err
	}
	lines, err := store.View(ctx, c.records, store.Tx.Unreadable)
	if err != nil {
		return nil, err
	}
	if len(lines) > 0 {
		return damaged(lines...), c.close()
	}
	if err := lost(ctx, c.dir, c.records, c.contents); err != nil {
		return []Problem{{Kind: ProblemRecords, Message: err.Error()}}, nil
	}
	s, err := newSurvey(ctx, c.records, c.contents)
	if err != nil {
		return nil, err
	}
	if text := s.tooMany(time.Now()); text != "" {
		problems = append(problems, Problem{Kind: ProblemUnnamed, Message: text})
	}
	c.sum.Unnamed, c.sum.Aside = len(s.orphaned(time.Now())), len(s.aside)
	if !c.o.Repair {
		return problems, nil
	}
	for _, hash := range s.back {
		if err := c.contents.BringBack(hash); err != nil {
			return nil, err
		}
	}
	return problems, nil
}

// inspectFile returns why the database in the folder cannot be opened.
func (c *checker) inspectFile(ctx context.Context) ([]Problem, error) {
	if err := missingRecords(c.dir); err != nil {
		return []Problem{{Kind: ProblemRecords, Message: err.Error()}}, nil
	}
	if c.free {
		if err := store.CheckHeader(recordsPath(c.dir)); err != nil {
			return damaged(err.Error()), nil
		}
	}
	lines, err := store.Damage(ctx, recordsPath(c.dir))
	if err != nil {
		return nil, c.options().recordsError(err)
	}
	return damaged(lines...), nil
}

// damaged are problems of the records.
func damaged(lines ...string) (problems []Problem) {
	for _, line := range lines {
		problems = append(problems, Problem{Kind: ProblemRecords, Message: "the records are damaged: " + line})
	}
	return problems
}

// rebuild makes new records from the readable old ones and the last snapshot. It keeps the old ones
// next to them.
func (c *checker) rebuild(ctx context.Context) (done string, err error) {
	if err := c.close(); err != nil {
		return "", err
	}
	path, draft := recordsPath(c.dir), recordsPath(c.dir)+".rebuilt"
	if err := store.RemoveRecords(draft); err != nil { // left by an interrupted repair
		return "", err
	}
	records, err := store.OpenRecords(ctx, draft)
	if err != nil {
		return "", err
	}
	from := path
	if _, err := os.Stat(path); err != nil { // an interrupted repair may have moved it
		kept, _ := filepath.Glob(path + ".damaged-*[0-9]")
		from = slices.Max(append(kept, path))
	}
	files, err := store.Salvage(ctx, from, records, true)
	if err == nil {
		var more int
		more, err = store.Salvage(ctx, snapshotPath(c.dir), records, false)
		done = fmt.Sprintf("rebuilt with %s that could still be read and %d more of the snapshot", plural(files, "file"), more)
	}
	if err := errors.Join(err, records.Close()); err != nil {
		return "", err
	}
	aside := fmt.Sprintf("%s.damaged-%d", path, time.Now().UnixMilli())
	if err := store.MoveRecords(path, aside); err != nil {
		return "", err
	}
	if err := store.MoveRecords(draft, path); err != nil {
		return "", err
	}
	if _, err := os.Stat(aside); err == nil {
		done += "; the old records are " + filepath.Base(aside)
	}
	return done, c.open(ctx)
}

// adoptUnnamed makes records for contents that still have none after a rebuild.
func (c *checker) adoptUnnamed(ctx context.Context) error {
	s, err := newSurvey(ctx, c.records, c.contents)
	if err != nil {
		return err
	}
	var hashes []string
	for _, stored := range s.unnamed {
		hashes = append(hashes, stored.Hash)
	}
	c.sum.Unnamed = 0
	return c.adopt(ctx, hashes)
}

// adopt creates files in /recovered/ for contents without a record.
func (c *checker) adopt(ctx context.Context, hashes []string) error {
	n := 0
	for _, hash := range hashes {
		done, err := c.adoptOne(ctx, hash)
		if err != nil {
			return err
		}
		if done {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	c.sum.Files += n
	c.sum.Versions += n
	return c.problem(Problem{Kind: ProblemUnnamed, Message: plural(n, "content") + " had no record", Repaired: "now in the folder /recovered/; delete what you do not need"})
}

// adoptOne returns false if there is nothing to adopt. A content that does not match its hash goes
// to damaged/.
func (c *checker) adoptOne(ctx context.Context, hash string) (bool, error) {
	named, err := namedHashes(ctx, c.records, hash)
	if err != nil || named[hash] {
		return false, err
	}
	f, err := c.contents.Open(hash)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return false, err
	}
	if p, _, err := verifyContent(ctx, c.contents, hash, size); err != nil || p.Kind != "" {
		return false, errors.Join(err, f.Close(), c.setAside(hash))
	}
	v, err := newVersion(f, size, time.Now())
	if err != nil {
		return false, err
	}
	v.ID, v.Number, v.Hash = store.NewID(), 1, hash
	v.Root = v.ID
	file := &store.File{
		ID: v.ID, Folder: "/recovered/", Name: hash[:16] + extensionOf(v.Mime), Version: v, Created: v.Created, Updated: v.Created,
		Private: true, // the lost record may have been private
	}
	c.sum.Bytes += size
	return true, c.records.Update(ctx, func(tx store.Tx) error {
		if err := tx.MakeFolder(file.Folder, v.Created); err != nil {
			return err
		}
		err := tx.InsertFile(file)
		if errors.Is(err, store.ErrExists) {
			err = insertUnique(tx, file)
		}
		return err
	})
}

// extensionOf returns the usual file name extension of a MIME type.
func extensionOf(mimeType string) string {
	if m := mimetype.Lookup(mimeType); m != nil {
		return m.Extension()
	}
	return ""
}

// checkUnfinished looks for extension runs during which the program ended.
func (c *checker) checkUnfinished(ctx context.Context) error {
	runs, err := store.View(ctx, c.records, store.Tx.PendingRuns)
	if err != nil {
		return err
	}
	for _, run := range runs {
		if run.Attempts == 0 {
			continue
		}
		p := Problem{Kind: ProblemRun, FileID: run.FileID, Message: fmt.Sprintf("the program ended %s while the extension %s worked on the file %s", plural(run.Attempts, "time"), run.Extension.Name, run.FileID)}
		if c.o.Repair {
			p.Repaired = "the run was canceled"
			err := c.records.Update(ctx, func(tx store.Tx) error {
				return finishRun(tx, &run, "canceled by serve --repair: "+p.Message, nil, time.Now())
			})
			if err != nil {
				return err
			}
		}
		if err := c.problem(p); err != nil {
			return err
		}
	}
	return nil
}

// checkRecords looks for inconsistent records.
func (c *checker) checkRecords(ctx context.Context) error {
	files, err := store.View(ctx, c.records, store.Tx.Contradictions)
	if err != nil {
		return err
	}
	for _, f := range files {
		p := Problem{Kind: ProblemRecord, FileID: f.ID, Path: f.Path(), Version: f.Version.ID, Message: "its current version does not exist"}
		if c.o.Repair {
			if p.Repaired, err = c.fallBack(ctx, f.ID); err != nil {
				return err
			}
		}
		if err := c.problem(p); err != nil {
			return err
		}
	}
	return nil
}

// dropBroken removes versions with missing or wrong contents from the records. Copying a running
// library leaves such versions. It keeps a copy of the old records, since the contents may be
// elsewhere.
func (c *checker) dropBroken(ctx context.Context, broken []store.Holding) error {
	if len(broken) == 0 {
		return nil
	}
	before := fmt.Sprintf("%s.before-repair-%d", recordsPath(c.dir), time.Now().UnixMilli())
	if err := store.Snapshot(ctx, recordsPath(c.dir), before); err != nil {
		return fmt.Errorf("keep the old records: %w", err)
	}
	if err := c.refile(ctx); err != nil {
		return err
	}
	for _, h := range broken {
		p, _, err := verifyContent(ctx, c.contents, h.Version.Hash, h.Version.Size)
		if err != nil {
			return err
		}
		if p = p.of(h); p.Kind == "" {
			p.Kind, p.Message = ProblemHash, "it had the content of another version"
			p.Repaired = "its own content is back"
		} else if h.Current {
			p.Repaired, err = c.fallBack(ctx, h.FileID)
		} else {
			p.Repaired = "the version was removed from the records"
			err = c.dropVersion(ctx, h)
		}
		if err != nil {
			return err
		}
		if err := c.problem(p); err != nil {
			return err
		}
	}
	return c.adopt(ctx, slices.Collect(maps.Keys(c.bad)))
}

// refile moves contents that do not match their hash to damaged/ and stores those again that
// another record names, in case files were swapped.
func (c *checker) refile(ctx context.Context) error {
	for hash := range c.bad {
		p, _, err := verifyContent(ctx, c.contents, hash, -1)
		if err == nil && p.Kind != "" {
			err = c.setAside(hash)
		}
		if err != nil {
			return err
		}
	}
	for hash := range c.bad {
		path := filepath.Join(c.dir, "damaged", hash)
		sum, err := sumOf(path)
		if err != nil {
			continue
		}
		if named, err := namedHashes(ctx, c.records, sum); err != nil || !named[sum] {
			if err != nil {
				return err
			}
			continue
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		if err := errors.Join(c.keep(f), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return hex.EncodeToString(sum.Sum(nil)), err
}

// update changes records without scheduling contents for deletion: missing contents may be
// elsewhere.
func (c *checker) update(ctx context.Context, fn func(store.Tx) error) error {
	return c.records.Update(ctx, func(tx store.Tx) error {
		before, err := tx.Deletions()
		if err != nil {
			return err
		}
		if err := fn(tx); err != nil {
			return err
		}
		after, err := tx.Deletions()
		for _, d := range after {
			if !slices.Contains(before, d) {
				err = errors.Join(err, tx.ForgetDeletion(d))
			}
		}
		return err
	})
}

func (c *checker) dropVersion(ctx context.Context, h store.Holding) error {
	return c.update(ctx, func(tx store.Tx) error { return dropVersion(tx, h.FileID, h.Version.ID) })
}

// dropVersion deletes a version, unless it was removed with its file.
func dropVersion(tx store.Tx, fileID, id string) error {
	if err := tx.DeleteVersion(fileID, id); !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return nil
}

// setAside moves a damaged content, if it exists, to damaged/ or sets it aside in a store.
func (c *checker) setAside(hash string) error {
	if c.o.Storage != "" {
		list, err := c.contents.List(hash)
		for _, s := range list {
			if err == nil && !s.Aside {
				err = c.contents.SetAside(s, func() (bool, error) { return true, nil })
			}
		}
		return err
	}
	aside := filepath.Join(c.dir, "damaged")
	if err := os.MkdirAll(aside, 0o700); err != nil {
		return err
	}
	err := atomicfile.Rename(filepath.Join(contentsPath(c.dir), hash[:2], hash), filepath.Join(aside, hash))
	if errors.Is(err, fs.ErrNotExist) {
		os.Remove(aside)
		return nil
	}
	return err
}

// fallBack removes a damaged version and makes the newest sound one current, or deletes the file if
// none is left. It returns a description.
func (c *checker) fallBack(ctx context.Context, id string) (done string, err error) {
	err = c.update(ctx, func(tx store.Tx) error {
		file, err := tx.File(id)
		if errors.Is(err, store.ErrNotFound) {
			done = "its record was removed already"
			return nil
		}
		if err != nil {
			return err
		}
		versions, err := tx.Versions(id)
		if err != nil {
			return err
		}
		was := file.Version
		for _, v := range versions {
			p, _, err := verifyContent(ctx, c.contents, v.Hash, v.Size)
			if err != nil {
				return err
			}
			if p.Kind != "" || v.ID == was.ID && c.bad[v.Hash] {
				continue
			}
			if err := tx.UpdateFile(withVersion(*file, v)); err != nil {
				return err
			}
			done = versionName(v.Number) + " is current now"
			if v.ID == was.ID {
				return nil
			}
			return dropVersion(tx, id, was.ID)
		}
		done = "the file was removed from the records"
		return tx.DeleteFile(id)
	})
	return done, err
}
