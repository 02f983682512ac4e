package session

import (
	"context"
	"fmt"
	"time"

	"mediadesk/api"
	"mediadesk/api/journal"
)

// settleEdits finds out which edits the service made of those that were under way when a program
// ended, or whose request had no answer. Only edits that were made can be undone. The error is
// about the first that remains undecided.
func (s *Session) settleEdits(ctx context.Context) error {
	s.settling.Lock()
	defer s.settling.Unlock()
	open, err := s.Journal.OpenEdits(ctx, s.Profile.Name)
	if err != nil || len(open) == 0 {
		return err
	}
	var ids []string
	for _, e := range open {
		if e.FileID != "" {
			ids = append(ids, e.FileID)
		}
	}
	now := map[string]Edited{}
	for _, read := range s.ReadAll(ctx, ids, nil) {
		now[read.FileID] = read
	}
	var undecided error
	for _, e := range open {
		made, err := s.isMade(ctx, &e, now)
		if err == nil {
			err = s.Journal.EndEdits(ctx, []journal.Edit{e}, made)
		}
		if err != nil && undecided == nil {
			undecided = api.WithHint(err, "A change was interrupted, and the service must say whether it was made. Try again when the service answers.")
		}
		if err != nil {
			_ = s.Journal.LeaveEdits(context.WithoutCancel(ctx), []journal.Edit{e}) // else it stays ours until the end
		}
	}
	return undecided
}

// folderJobTimeout is how long a folder job may take to begin after its edit was journaled.
const folderJobTimeout = time.Minute

// isMade reports whether the service made an edit: the file is not as it was before. It sets
// Became.
func (s *Session) isMade(ctx context.Context, e *journal.Edit, now map[string]Edited) (bool, error) {
	if e.Action == journal.ActionFolder {
		there, err := s.FindFolder(ctx, e.Became)
		if err == nil && there == nil && time.Since(e.At) < folderJobTimeout {
			err = fmt.Errorf("the service may still move the folder %s", e.Was)
		}
		return there != nil, err
	}
	file, err := now[e.FileID].File, now[e.FileID].Err
	switch {
	case api.Unavailable(err):
		// Without a record details can be set again, but an action cannot be undone.
		return e.Action == "" && !s.Profile.Local, nil
	case err != nil:
		return false, err
	}
	switch e.Action {
	case journal.ActionMove:
		e.Became = file.FilePath
	case journal.ActionRestore:
		e.Became = versionOf(file)
	default:
		missing, _ := onTop(file, e.Before, e.Before, Ours)
		return !missing.IsEmpty(), nil
	}
	return e.Became != e.Was, nil
}
