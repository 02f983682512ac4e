package session

import (
	"context"
	"errors"
	"net/http"

	"mediadesk/api"
	"mediadesk/api/journal"
)

// Rename renames a file and returns its new record. It can be undone.
func (s *Session) Rename(ctx context.Context, f api.File, name string) (*api.File, error) {
	return s.renameIn(ctx, "", f, name, nil)
}

func (s *Session) renameIn(ctx context.Context, batch string, f api.File, name string, purge *api.Purge) (after *api.File, err error) {
	if purge == nil {
		err = s.Client.RenameFile(ctx, f.FilePath, name)
	} else {
		*purge, err = s.Client.RenameAndPurge(ctx, f.FilePath, name)
	}
	if err != nil {
		return nil, err
	}
	if purge == nil || purge.ID == "" {
		s.oldURLs.add(f)
	}
	if after, err = s.Read(context.WithoutCancel(ctx), f.FileID); err != nil {
		return after, err
	}
	return after, s.keepMove(ctx, batch, f.FilePath, after)
}

// Move moves a file into a folder and returns its new record. The record is nil if the file became
// a version of an existing one, which cannot be undone.
func (s *Session) Move(ctx context.Context, f api.File, folder string) (*api.File, error) {
	return s.moveIn(ctx, "", f, folder)
}

func (s *Session) moveIn(ctx context.Context, batch string, f api.File, folder string) (*api.File, error) {
	if err := s.Client.MoveFile(ctx, f.FilePath, folder); err != nil {
		return nil, err
	}
	s.oldURLs.add(f)
	// The file has moved, so record it even if the user cancels now.
	after, err := s.Read(context.WithoutCancel(ctx), f.FileID)
	if api.Unavailable(err) {
		return nil, s.Journal.ForgetFile(ctx, s.Profile.Name, f.FileID)
	}
	if err != nil {
		return after, err
	}
	return after, s.keepMove(ctx, batch, f.FilePath, after)
}

// Copy copies a file into a folder.
func (s *Session) Copy(ctx context.Context, f api.File, folder string) error {
	return s.Client.CopyFile(ctx, f.FilePath, folder)
}

// Delete permanently removes a file with all its versions. A file that no longer exists is no
// error.
func (s *Session) Delete(ctx context.Context, f api.File) error {
	err := s.Client.DeleteFile(ctx, f.FileID)
	var answer *api.ServiceError
	gone := s.Profile.Local && errors.As(err, &answer) && answer.Status == http.StatusNotFound
	if err != nil && !gone {
		return err
	}
	return s.Journal.ForgetFile(ctx, s.Profile.Name, f.FileID)
}

// Versions returns the versions of a file, the current one first.
func (s *Session) Versions(ctx context.Context, fileID string) ([]api.File, error) {
	return s.Client.Versions(ctx, fileID)
}

// DeleteVersion permanently removes a version that is not current.
func (s *Session) DeleteVersion(ctx context.Context, fileID, versionID string) error {
	return s.Client.DeleteVersion(ctx, fileID, versionID)
}

// Restore makes a version of a file current. It can be undone.
func (s *Session) Restore(ctx context.Context, fileID, versionID string) (*api.File, error) {
	return s.restoreIn(ctx, "", fileID, versionID)
}

func (s *Session) restoreIn(ctx context.Context, batch, fileID, versionID string) (*api.File, error) {
	before, err := s.Read(ctx, fileID)
	if err != nil {
		return nil, err
	}
	after, err := s.restore(ctx, fileID, versionID)
	if err != nil {
		return after, err
	}
	was, became := versionOf(before), versionOf(after)
	if was == "" || became == "" || was == became {
		return after, nil
	}
	return after, s.keepAction(ctx, journal.Edit{FileID: fileID, Batch: batch, Action: journal.ActionRestore, Was: was, Became: became})
}

func (s *Session) restore(ctx context.Context, fileID, versionID string) (*api.File, error) {
	file, err := s.Client.RestoreVersion(ctx, fileID, versionID)
	if err != nil {
		return nil, err
	}
	return file, s.Journal.SaveFile(ctx, s.Profile.Name, *file)
}
