package session

import (
	"context"
	"fmt"
	"path"

	"mediadesk/api"
	"mediadesk/api/journal"
)

// keepMove keeps that a file was moved or renamed, for undo.
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

// versionOf is the id of the version that a record is of; empty where it does
// not say.
func versionOf(f *api.File) string {
	if f.VersionInfo == nil {
		return ""
	}
	return f.VersionInfo.ID
}

// backTo is the target of undoing an action, or of doing it again; empty if the file is
// there already. A file that is not where the action left it is a conflict.
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

// bring moves or renames a file to a path, or makes a version of it the current
// one.
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

// free is an error where a file is at a path: moved there, another would become
// a version of it, and no undo parts them again.
func (s *Session) free(ctx context.Context, filePath string) error {
	there, err := s.Locate(ctx, filePath)
	switch {
	case err != nil:
		return err
	case there.File != nil:
		return fmt.Errorf("another file is at %s by now; moved there, this one would become a version of it: rename one of them first", filePath)
	}
	return nil
}
