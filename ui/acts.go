package ui

import (
	"context"
	"fmt"
	"path"

	"mediadesk/api"
	"mediadesk/api/journal"
	"mediadesk/ui/page"
)

// keepMove keeps that a file was moved or renamed, for undo.
func (d *Desk) keepMove(ctx context.Context, was string, after *api.File) error {
	if was == after.FilePath {
		return nil
	}
	return d.keepAct(ctx, journal.Edit{FileID: after.FileID, Act: journal.ActMove, Was: was, Became: after.FilePath})
}

func (d *Desk) keepAct(ctx context.Context, e journal.Edit) error {
	e.Profile = d.Profile.Name
	_, err := d.Journal.AddEdits(context.WithoutCancel(ctx), []journal.Edit{e})
	return err
}

// versionOf is the id of the version that a record is of; empty where it does
// not say.
func versionOf(f *api.File) string {
	if f.VersionInfo == nil {
		return ""
	}
	return f.VersionInfo.ID
}

// backTo is where an act is undone, or done again, to; empty where the file is
// there already. A file that is not where the act left it is a conflict.
func backTo(now *api.File, e journal.Edit, over page.Over, undo bool) (string, []page.Conflict) {
	left, want := e.Became, e.Was
	if !undo {
		left, want = want, left
	}
	field, is := "place", now.FilePath
	if e.Act == journal.ActRestore {
		field, is = "version", versionOf(now)
	}
	switch {
	case is == want:
		return "", nil
	case is != left && over != page.Mine:
		return "", []page.Conflict{{FileID: now.FileID, Name: now.Name, Field: field, Left: left, Now: is}}
	}
	return want, nil
}

// bring moves or renames a file to a path, or makes a version of it the current
// one.
func (d *Desk) bring(ctx context.Context, now *api.File, act, to string) (*api.File, error) {
	if act == journal.ActRestore {
		return d.restore(ctx, now.FileID, to)
	}
	folder, name := path.Split(to)
	from := now.FilePath
	if at, old := path.Split(from); at != folder {
		if err := d.free(ctx, folder+old); err != nil {
			return nil, err
		}
		if err := d.Client.MoveFile(ctx, from, folder); err != nil {
			return nil, err
		}
		from = folder + old
	}
	if path.Base(from) != name {
		if err := d.Client.RenameFile(ctx, from, name); err != nil {
			return nil, err
		}
	}
	return d.Read(ctx, now.FileID)
}

// free is an error where a file is at a path: moved there, another would become
// a version of it, and no undo parts them again.
func (d *Desk) free(ctx context.Context, filePath string) error {
	there, err := d.Place(ctx, filePath)
	switch {
	case err != nil:
		return err
	case there.File != nil:
		return fmt.Errorf("another file is at %s by now; moved there, this one would become a version of it: rename one of them first", filePath)
	}
	return nil
}
