package session

import (
	"context"
	"errors"
	"net/http"

	"mediadesk/api"
	"mediadesk/api/journal"
)

// Rename gives a file another name and returns its record after that. Undo takes
// it back.
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

// Move moves a file into a folder and returns its record after that; nil where
// it became a version of the file of its name there, which no undo takes back.
func (s *Session) Move(ctx context.Context, f api.File, folder string) (*api.File, error) {
	return s.moveIn(ctx, "", f, folder)
}

func (s *Session) moveIn(ctx context.Context, batch string, f api.File, folder string) (*api.File, error) {
	if err := s.Client.MoveFile(ctx, f.FilePath, folder); err != nil {
		return nil, err
	}
	s.oldURLs.add(f)
	// The file has moved: that is kept also if the user cancels now.
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

// Delete removes a file with all its versions, for good. One that is not there
// any more is no error.
func (s *Session) Delete(ctx context.Context, f api.File) error {
	err := s.Client.DeleteFile(ctx, f.FileID)
	var answer *api.ServiceError
	gone := s.Profile.Local && errors.As(err, &answer) && answer.Status == http.StatusNotFound
	if err != nil && !gone {
		return err
	}
	return s.Journal.ForgetFile(ctx, s.Profile.Name, f.FileID)
}

// Versions are the versions of a file, the current one first.
func (s *Session) Versions(ctx context.Context, fileID string) ([]api.File, error) {
	return s.Client.Versions(ctx, fileID)
}

// DeleteVersion removes a version that is not the current one, for good.
func (s *Session) DeleteVersion(ctx context.Context, fileID, versionID string) error {
	return s.Client.DeleteVersion(ctx, fileID, versionID)
}

// Restore makes a version of a file the current one. Undo makes the one current
// again that was.
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
