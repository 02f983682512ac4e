package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mediadesk/api/local/store"
)

// snapshotPath is where a running library keeps a copy of its records from
// time to time: a copy of the folder that was made meanwhile may have caught
// the database in the middle of a change, but never this file.
func snapshotPath(dir string) string { return recordsPath(dir) + ".snapshot" }

// takeRecords puts the records of the library that this one is a copy of in
// the place of our own. It may be running.
func (c *checker) takeRecords(ctx context.Context) error {
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
	return os.Rename(draft, recordsPath(c.dir))
}

// takeContent copies a content from the library that this one is a copy of.
func (c *checker) takeContent(ctx context.Context, hash string, size int64) error {
	from := store.ReadContents(contentsPath(c.o.From))
	if p, _, err := look(ctx, from, hash, size); err != nil || p.Kind != "" {
		return errors.Join(err, errors.New(p.Message))
	}
	f, err := from.Open(hash)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
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

// checkDatabase says whether the records can be read. Where they are damaged
// and are to be repaired, the last snapshot takes their place.
func (c *checker) checkDatabase(ctx context.Context) (readable bool, err error) {
	path := recordsPath(c.dir)
	lines, err := store.Damage(ctx, path)
	if err != nil || len(lines) == 0 {
		return err == nil, err
	}
	done := ""
	if c.o.Repair {
		if done, err = c.useSnapshot(ctx); err != nil {
			return false, err
		}
	}
	for _, line := range lines {
		if err := c.problem(Problem{Kind: ProblemRecords, Message: "the records are damaged: " + line, Repaired: done}); err != nil {
			return false, err
		}
	}
	return done != "", nil
}

// useSnapshot sets the damaged records aside and puts the last snapshot in
// their place. It returns what was done; nothing where there is no snapshot.
func (c *checker) useSnapshot(ctx context.Context) (string, error) {
	path, saved := recordsPath(c.dir), snapshotPath(c.dir)
	info, err := os.Stat(saved)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if lines, err := store.Damage(ctx, saved); err != nil || len(lines) > 0 {
		return "", err
	}
	aside := fmt.Sprintf("%s.damaged-%d", path, time.Now().Unix())
	if err := store.MoveRecords(path, aside); err != nil {
		return "", err
	}
	if err := store.Snapshot(ctx, saved, path); err != nil {
		return "", err
	}
	return fmt.Sprintf("the records of %s took their place, what was written later is lost; the damaged ones are %s",
		info.ModTime().Format(time.DateTime), filepath.Base(aside)), nil
}

// checkRecords looks for records that contradict themselves.
func (c *checker) checkRecords(ctx context.Context) error {
	var files []store.File
	err := c.records.View(ctx, func(tx store.Tx) (err error) {
		files, err = tx.Contradictions()
		return err
	})
	if err != nil {
		return err
	}
	for _, f := range files {
		p := Problem{Kind: ProblemRecord, FileID: f.ID, Path: f.Path(), Version: f.Version.ID, Message: "its current version is none of its versions"}
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

// dropBroken takes versions out of the records whose content is not there or
// not right: in a copy they are what was stored while it was made.
// The records as they were are kept: the contents may only be elsewhere.
func (c *checker) dropBroken(ctx context.Context, broken []store.Holding) error {
	if len(broken) == 0 {
		return nil
	}
	before := fmt.Sprintf("%s.before-repair-%d", recordsPath(c.dir), time.Now().Unix())
	if err := store.Snapshot(ctx, recordsPath(c.dir), before); err != nil {
		return fmt.Errorf("keep the records as they were: %w", err)
	}
	for _, h := range broken {
		p, _, err := look(ctx, c.contents, h.Version.Hash, h.Version.Size)
		if err != nil {
			return err
		}
		p.FileID, p.Path, p.Version, p.Hash = h.FileID, h.Path, h.Version.ID, h.Version.Hash
		if h.Current {
			p.Repaired, err = c.fallBack(ctx, h.FileID)
		} else {
			p.Repaired = "the version was taken out of the records"
			err = c.dropVersion(ctx, h)
		}
		if err != nil {
			return err
		}
		if err := c.problem(p); err != nil {
			return err
		}
	}
	for hash := range c.bad {
		if err := c.setAside(hash); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) dropVersion(ctx context.Context, h store.Holding) error {
	return c.records.Update(ctx, func(tx store.Tx) error {
		if err := tx.DeleteVersion(h.FileID, h.Version.ID); !errors.Is(err, store.ErrNotFound) {
			return err
		}
		return nil // it went with its file
	})
}

// setAside moves a content that is not right out of the library, where there
// is one.
func (c *checker) setAside(hash string) error {
	aside := filepath.Join(c.dir, "damaged")
	if err := os.MkdirAll(aside, 0o700); err != nil {
		return err
	}
	err := os.Rename(filepath.Join(contentsPath(c.dir), hash[:2], hash), filepath.Join(aside, hash))
	if errors.Is(err, fs.ErrNotExist) {
		os.Remove(aside) //nolint:errcheck // only an empty one goes
		return nil
	}
	return err
}

// fallBack makes the newest version of a file current that is whole, and takes
// the one that was out; where there is none, it takes out the file. It returns
// what was done.
func (c *checker) fallBack(ctx context.Context, id string) (done string, err error) {
	err = c.records.Update(ctx, func(tx store.Tx) error {
		file, err := tx.File(id)
		if errors.Is(err, store.ErrNotFound) {
			done = "its record is gone already"
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
			p, _, err := look(ctx, c.contents, v.Hash, v.Size)
			if err != nil {
				return err
			}
			if p.Kind != "" || v.ID == was.ID && c.bad[v.Hash] {
				continue
			}
			if v.Width != was.Width || v.Height != was.Height {
				file.Region = "" // it was of another picture
			}
			file.Version = v
			if err := tx.UpdateFile(file); err != nil {
				return err
			}
			done = versionName(v.Number) + " is the current one now"
			if v.ID == was.ID {
				return nil
			}
			if err := tx.DeleteVersion(id, was.ID); !errors.Is(err, store.ErrNotFound) {
				return err
			}
			return nil
		}
		done = "the file was taken out of the records"
		return tx.DeleteFile(id)
	})
	return done, err
}
