package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/local/store"
)

// recordsError explains why the records cannot be opened. The contents are untouched.
func (o *Options) recordsError(err error) error {
	name, help := "the local library in "+o.Dir, repairHelp(o.Dir)
	switch server := o.Database != ""; {
	case errors.Is(err, store.ErrFormat):
		help = "Use the version that wrote them, or choose another folder or database."
	case server && store.Unavailable(err):
		help = "Check that the database server runs and that the address, the user and the password are right."
	case server:
		help = "Check that the address names the database of this library."
	case store.Unavailable(err):
		help = "Check the free space of the disk and the permissions of the folder, then try again."
	}
	if o.Database != "" {
		name = "the library"
	}
	return api.WithHint(fmt.Errorf("%s cannot be opened: %w", name, err), help)
}

// repairHelp returns the command that repairs the library.
func repairHelp(dir string) string {
	if strings.ContainsAny(dir, " \t'\"$\\") {
		dir = "'" + strings.ReplaceAll(dir, "'", `'\''`) + "'"
	}
	return "To repair it, run: mediadesk serve --repair --data " + dir
}

// lost returns an error if the records name none of the stored contents. Contents newer than the
// records are left out: a crash in a new library leaves such contents.
func lost(ctx context.Context, dir string, records store.Records, contents store.Contents) error {
	empty, err := store.View(ctx, records, func(tx store.Tx) (bool, error) { return tx.Library.Empty() })
	if err != nil || !empty {
		return err
	}
	created, err := store.View(ctx, records, func(tx store.Tx) (time.Time, error) { return tx.Library.Created() })
	if err != nil {
		return err
	}
	s, err := newSurvey(ctx, records, contents)
	if err != nil || len(s.unnamed) == 0 {
		return err
	}
	left := len(s.orphaned(time.Now())) > 0 || !store.Empty(ctx, snapshotPath(dir))
	for _, c := range s.unnamed {
		left = left || c.At.Before(created)
	}
	if !left {
		return nil
	}
	return lostError(dir, len(s.unnamed))
}

// lostError names the snapshot that a repair would use.
func lostError(dir string, contents int) error {
	text := "no snapshot exists"
	if info, err := os.Stat(snapshotPath(dir)); err == nil {
		text = fmt.Sprintf("the last snapshot is %s of %s", snapshotPath(dir), info.ModTime().Format("2 Jan 2006 15:04"))
	}
	return fmt.Errorf("its records are new or empty although the folder has %s; %s", plural(contents, "content"), text)
}

// missingRecords returns an error if there are contents but no database.
func missingRecords(dir string) error {
	if info, err := os.Stat(recordsPath(dir)); err == nil && info.Size() > 0 {
		return nil
	}
	n, err := countContents(store.ReadContents(contentsPath(dir)))
	if err != nil || n == 0 {
		return err
	}
	return lostError(dir, n)
}
