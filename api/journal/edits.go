package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"mediadesk/api"
)

// The actions of edits other than changes of details.
const (
	ActionMove    = "move"    // to another path; renaming is one, too
	ActionRestore = "restore" // another version became the current one
	ActionFolder  = "folder"  // a folder was moved or renamed; there is no file
)

// Edit is a completed change of a file, its details or an action, with the data to undo it.
type Edit struct {
	ID      int64
	Profile string
	FileID  string
	Batch   string      // edits that are undone together; may be empty
	Before  api.Details // undoes the edit
	After   api.Details // redoes the edit
	Action  string      // one of the actions, without details; empty for a change of details
	Was     string      // the path or version ID before the action
	Became  string      // the path or version ID after it
	At      time.Time
	Undone  bool
}

// EditFilter selects edits.
type EditFilter struct {
	Profile string
	FileID  string // or empty
}

// AddEdits stores edits, all or none, and returns them with their ids. Undone edits of their files
// can no longer be redone.
func (j *Journal) AddEdits(ctx context.Context, edits []Edit) ([]Edit, error) {
	added := slices.Clone(edits)
	now := time.Now()
	err := j.change(ctx, func(t tx) error {
		for i := range added {
			e := &added[i]
			if e.At.IsZero() {
				e.At = now
			}
			before, err := json.Marshal(e.Before)
			if err != nil {
				return err
			}
			after, err := json.Marshal(e.After)
			if err != nil {
				return err
			}
			if _, err := t.exec("DELETE FROM edits WHERE undone = 1 AND profile = ? AND file = ?", e.Profile, e.FileID); err != nil {
				return err
			}
			e.ID, err = t.insert(`INSERT INTO edits (profile, file, batch, "before", "after", at, undone, act, was, became) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
				e.Profile, e.FileID, e.Batch, string(before), string(after), stamp(e.At), e.Undone, e.Action, e.Was, e.Became)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return added, nil
}

// NextUndo returns the newest edit that is not undone, with its batch, or nothing.
func (j *Journal) NextUndo(ctx context.Context, f EditFilter) ([]Edit, error) {
	return j.nextEdits(ctx, f, `undone = 0`, "DESC")
}

// NextRedo returns the last undone edit, with its batch, or nothing. A new edit clears the list.
func (j *Journal) NextRedo(ctx context.Context, f EditFilter) ([]Edit, error) {
	return j.nextEdits(ctx, f, `undone = 1 AND id > (SELECT coalesce(max(id), 0) FROM edits WHERE undone = 0 AND profile = ?1 AND (?2 = '' OR file = ?2))`, "ASC")
}

func (j *Journal) nextEdits(ctx context.Context, f EditFilter, which, order string) ([]Edit, error) {
	const columns = `SELECT id, profile, file, batch, "before", "after", at, undone, act, was, became FROM edits WHERE `
	next, err := list(ctx, j, scanEdit, columns+"profile = ?1 AND (?2 = '' OR file = ?2) AND "+which+" ORDER BY id "+order+" LIMIT 1", f.Profile, f.FileID)
	if err != nil || len(next) == 0 || next[0].Batch == "" {
		return next, err
	}
	return list(ctx, j, scanEdit, columns+"profile = ? AND batch = ? AND undone = ? ORDER BY id", f.Profile, next[0].Batch, next[0].Undone)
}

func scanEdit(scan scan) (e Edit, err error) {
	err = scan(&e.ID, &e.Profile, &e.FileID, &e.Batch, asJSON{&e.Before}, asJSON{&e.After}, when{&e.At}, &e.Undone, &e.Action, &e.Was, &e.Became)
	if err != nil {
		err = fmt.Errorf("edit %d cannot be read: %w", e.ID, err)
	}
	return e, err
}

// MarkEdits marks edits as undone or redone.
func (j *Journal) MarkEdits(ctx context.Context, ids []int64, undone bool) error {
	list, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	return j.exec(ctx, "UPDATE edits SET undone = ? WHERE id IN (SELECT value FROM json_each(?))", undone, string(list))
}
