package session

import (
	"context"
	"fmt"
	"path"

	"mediadesk/api"
	"mediadesk/api/journal"
)

// keepMove stores the undo information of a move or rename.
func (s *Session) keepMove(ctx context.Context, batch, was string, after *api.File) error {
	if was == after.FilePath {
		return nil
	}
	return s.keepAction(ctx, journal.Edit{FileID: after.FileID, Batch: batch, Action: journal.ActionMove, Was: was, Became: after.FilePath})
}

func (s *Session) keepAction(ctx context.Context, e journal.Edit) error {
	e.Profile = s.Profile.Name
	_, err := s.Journal.AddEdits(context.WithoutCancel(ctx), []journal.Edit{e})
	return err
}

// versionOf returns the version id of a record, or "".
func versionOf(f *api.File) string {
	if f.VersionInfo == nil {
		return ""
	}
	return f.VersionInfo.ID
}

// backTo returns the target for undoing or redoing an action, or "" if the file is already there. A
// file in an unexpected place is a conflict.
func backTo(now *api.File, e journal.Edit, policy Policy, undo bool) (string, []Conflict) {
	left, want := e.Became, e.Was
	if !undo {
		left, want = want, left
	}
	field, is := "place", now.FilePath
	if e.Action == journal.ActionRestore {
		field, is = "version", versionOf(now)
	}
	switch {
	case is == want:
		return "", nil
	case is != left && policy != Ours:
		return "", []Conflict{{FileID: now.FileID, Name: now.Name, Field: field, Left: left, Now: is}}
	}
	return want, nil
}

// bring moves or renames a file to a path, or restores a version.
func (s *Session) bring(ctx context.Context, now *api.File, action, to string) (*api.File, error) {
	if action == journal.ActionRestore {
		return s.restore(ctx, now.FileID, to)
	}
	folder, name := path.Split(to)
	from := now.FilePath
	if at, old := path.Split(from); at != folder {
		if err := s.free(ctx, folder+old); err != nil {
			return nil, err
		}
		if err := s.Client.MoveFile(ctx, from, folder); err != nil {
			return nil, err
		}
		from = folder + old
	}
	if path.Base(from) != name {
		if err := s.Client.RenameFile(ctx, from, name); err != nil {
			return nil, err
		}
	}
	return s.Read(ctx, now.FileID)
}

// free returns an error if a file exists at a path: a file moved there would become a version of
// it, which cannot be undone.
func (s *Session) free(ctx context.Context, filePath string) error {
	there, err := s.Locate(ctx, filePath)
	switch {
	case err != nil:
		return err
	case there.File != nil:
		return fmt.Errorf("another file exists at %s, and this one would become a version of it: rename one of them first", filePath)
	}
	return nil
}
