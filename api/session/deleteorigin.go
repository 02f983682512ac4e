package session

import (
	"context"
	"errors"
	"fmt"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/rule"
)

// Move makes the transfer delete each file from the profile From after the profile To has it: the
// stored record was read back and the sizes agree.
func (t *Transfer) Move() {
	for i := range t.Jobs {
		t.Jobs[i].Move = job.MoveAfter
	}
}

// deleteOrigin finishes the move of a stored job. It deletes the source in the other profile, with
// all versions, if the stored file was read back and matches, and the source has not changed;
// else it keeps the source. It sets Move and Kept of the job.
func (s *Session) deleteOrigin(ctx context.Context, j *job.Job) {
	origin := j.Upload.Source.Origin
	err := s.compareStored(ctx, j)
	var from *Session
	if err == nil {
		from, err = s.Other(ctx, origin.Profile)
	}
	var source *api.File
	if err == nil {
		if source, err = from.originFile(ctx, origin); err != nil {
			err = fmt.Errorf("%s cannot be read: %w", j.Upload.Source, err)
		}
	}
	switch size := sizeOf(source); {
	case err != nil:
	case source == nil: // an earlier attempt deleted it, and the answer was lost
		err = s.Journal.ForgetFile(ctx, origin.Profile, origin.FileID)
	case versionOf(source) != origin.Version, size != j.Identity.Size:
		err = errors.New("its version or size is not what was sent")
	default:
		if err = from.Delete(ctx, *source); err != nil {
			err = fmt.Errorf("%s cannot be deleted: %w", j.Upload.Source, err)
		}
	}
	if j.Move = job.MoveDone; err != nil {
		j.Move, j.Kept = job.MoveKept, err.Error()
	}
}

// compareStored reads back the record of a stored file and compares its size with what was sent. If
// the upload was repeated or its answer was lost, it also compares the content.
func (s *Session) compareStored(ctx context.Context, j *job.Job) error {
	var stored *api.File
	var err error
	if j.File != nil && j.File.FileID != "" {
		stored, err = s.Read(ctx, j.File.FileID)
	} else {
		var found rule.Place
		if found, err = s.Locate(ctx, rule.PathOf(&j.Upload)); found.At.IsZero() { // else it is from the journal
			stored = found.File
		}
	}
	if err == nil && stored == nil {
		err = errors.New("no file is there")
	}
	if err != nil {
		return fmt.Errorf("the record of %s could not be read back from %s: %w", rule.PathOf(&j.Upload), j.Profile, err)
	}
	if size := sizeOf(stored); size != j.Identity.Size || size < 0 {
		return fmt.Errorf("%s has %d bytes in %s, and %d were to be sent", rule.PathOf(&j.Upload), size, j.Profile, j.Identity.Size)
	}
	if stored.FileID == j.Upload.Source.Origin.FileID {
		return fmt.Errorf("%s and %s show the same file", j.Upload.Source.Origin.Profile, j.Profile)
	}
	if j.File == nil || j.Attempts > 1 {
		body, _, err := s.fetchOriginal(ctx, *stored, 0, j.Identity.Size)
		if err != nil {
			return fmt.Errorf("%s could not be read back from %s: %w", rule.PathOf(&j.Upload), j.Profile, err)
		}
		defer body.Close()
		sum, _, err := api.HashContent(body)
		switch {
		case err != nil:
			return fmt.Errorf("%s could not be read back from %s: %w", rule.PathOf(&j.Upload), j.Profile, err)
		case sum != j.Hash:
			return fmt.Errorf("%s has other bytes in %s than those that were sent", rule.PathOf(&j.Upload), j.Profile)
		}
	}
	return nil
}

// sizeOf is the size of a file in bytes; -1 if it is unknown.
func sizeOf(f *api.File) int64 {
	if f == nil {
		return -1
	}
	return f.Size.Or(-1)
}
