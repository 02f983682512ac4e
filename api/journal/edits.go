package journal

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mediadesk/api"
	"mediadesk/api/rule"
)

// The actions of edits other than changes of details.
const (
	ActionMove    = "move"    // to another path; renaming is one, too
	ActionRestore = "restore" // another version became the current one
	ActionFolder  = "folder"  // a folder was moved or renamed; there is no file
)

// Edit is a change of a file, its details or an action, with the data to undo it.
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

// BeginEdit stores an edit that is about to be requested and returns it with its id. It can be
// undone after EndEdit. If the process ends before, OpenEdits returns it.
func (j *Journal) BeginEdit(ctx context.Context, e Edit) (Edit, error) {
	e.At = time.Now()
	err := j.change(ctx, func(t tx) error {
		before, err := json.Marshal(e.Before)
		after, wrong := json.Marshal(e.After)
		if err := cmp.Or(err, wrong); err != nil {
			return err
		}
		e.ID, err = t.insert(`INSERT INTO edits
			(profile, file, batch, "before", "after", at, undone, act, was, became, open, owner)
			VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?, 1, ?)`,
			e.Profile, e.FileID, e.Batch, string(before), string(after), stamp(e.At), e.Action, e.Was,
			e.Became, j.owner.name)
		return err
	})
	return e, err
}

// EndEdit stores whether the service made an edit, and Became. One that it did not make is removed.
// Undone edits of a file that was changed can no longer be redone.
func (j *Journal) EndEdit(ctx context.Context, e Edit, made bool) error {
	if !made {
		return j.exec(ctx, "DELETE FROM edits WHERE id = ? AND open = 1", e.ID)
	}
	return j.change(ctx, func(t tx) error {
		_, err := t.exec("DELETE FROM edits WHERE undone = 1 AND profile = ? AND file = ?", e.Profile, e.FileID)
		if err != nil {
			return err
		}
		_, err = t.exec("UPDATE edits SET open = 0, owner = '', became = ? WHERE id = ?", e.Became, e.ID)
		return err
	})
}

// LeaveEdit gives up an edit whose result is unknown, so that OpenEdits returns it.
func (j *Journal) LeaveEdit(ctx context.Context, id int64) error {
	return j.exec(ctx, "UPDATE edits SET owner = '' WHERE id = ? AND open = 1", id)
}

// OpenEdits returns the edits of a profile whose result is unknown, because the process that made
// them has ended or left them, and makes this process their owner.
func (j *Journal) OpenEdits(ctx context.Context, profile string) ([]Edit, error) {
	owners, err := j.endedOwners(ctx, profile, "edits WHERE open = 1")
	if err != nil || len(owners) == 0 {
		return nil, err
	}
	const theirs = "open = 1 AND profile = ?1 AND owner IN (SELECT value FROM json_each(?2))"
	ended := string(rule.JSON(owners))
	var open []Edit
	err = j.change(ctx, func(t tx) (err error) {
		if open, err = collect(t.query, scanEdit, editColumns+theirs+" ORDER BY id", profile, ended); err == nil {
			_, err = t.exec("UPDATE edits SET owner = ?3 WHERE "+theirs, profile, ended, j.owner.name)
		}
		return err
	})
	return open, err
}

// NextEdits returns the newest edit that is not undone, with its batch, or nothing; or, to redo
// it, the last undone edit. A new edit clears the list of those. fileID may be empty, for all
// files.
func (j *Journal) NextEdits(ctx context.Context, profile, fileID string, undo bool) ([]Edit, error) {
	which := "undone = 0 ORDER BY id DESC"
	if !undo {
		which = `undone = 1 AND id > (SELECT coalesce(max(id), 0) FROM edits
			WHERE undone = 0 AND open = 0 AND profile = ?1 AND (?2 = '' OR file = ?2)) ORDER BY id`
	}
	where := "open = 0 AND profile = ?1 AND (?2 = '' OR file = ?2) AND "
	next, err := list(ctx, j, scanEdit, editColumns+where+which+" LIMIT 1", profile, fileID)
	if err != nil || len(next) == 0 || next[0].Batch == "" {
		return next, err
	}
	return list(ctx, j, scanEdit, editColumns+"open = 0 AND profile = ? AND batch = ? AND undone = ? ORDER BY id", profile, next[0].Batch, next[0].Undone)
}

const editColumns = `SELECT id, profile, file, batch, "before", "after", at, undone, act, was, became FROM edits WHERE `

func scanEdit(scan scan) (e Edit, err error) {
	err = scan(&e.ID, &e.Profile, &e.FileID, &e.Batch, asJSON{&e.Before}, asJSON{&e.After}, when{&e.At},
		&e.Undone, &e.Action, &e.Was, &e.Became)
	if err != nil {
		err = fmt.Errorf("edit %d cannot be read: %w", e.ID, err)
	}
	return e, err
}

// MarkEdit marks an edit as undone or redone.
func (j *Journal) MarkEdit(ctx context.Context, id int64, undone bool) error {
	return j.exec(ctx, "UPDATE edits SET undone = ? WHERE id = ?", undone, id)
}

// SaveDraft replaces the saved draft of a profile's upload form. The caller chooses the format. An
// empty body removes the draft.
func (j *Journal) SaveDraft(ctx context.Context, profile string, body []byte) error {
	if len(body) == 0 {
		return j.exec(ctx, "DELETE FROM drafts WHERE profile = ?", profile)
	}
	return j.exec(ctx, "INSERT OR REPLACE INTO drafts (profile, body, at) VALUES (?, ?, ?)", profile, body, stamp(time.Now()))
}

// Draft returns the last saved draft and its time; empty if none.
func (j *Journal) Draft(ctx context.Context, profile string) (body []byte, at time.Time, err error) {
	body, _, err = first(ctx, j, func(scan scan) (body []byte, err error) {
		err = scan(&body, when{&at})
		return body, err
	}, "SELECT body, at FROM drafts WHERE profile = ?", profile)
	return body, at, err
}

// Preset is a named set of upload options, in a format chosen by the caller.
type Preset struct {
	Name string
	Body []byte
}

// SavePreset saves a preset, replacing one of the same name.
func (j *Journal) SavePreset(ctx context.Context, p Preset) error {
	if p.Name == "" {
		return errors.New("a preset needs a name")
	}
	return j.exec(ctx, "INSERT OR REPLACE INTO presets (name, body, at) VALUES (?, ?, ?)", p.Name, p.Body, stamp(time.Now()))
}

// RemovePreset removes a preset. A missing one is not an error.
func (j *Journal) RemovePreset(ctx context.Context, name string) error {
	return j.exec(ctx, "DELETE FROM presets WHERE name = ?", name)
}

// Presets returns all presets, sorted by name.
func (j *Journal) Presets(ctx context.Context) ([]Preset, error) {
	return list(ctx, j, func(scan scan) (p Preset, err error) {
		err = scan(&p.Name, &p.Body)
		return p, err
	}, "SELECT name, body FROM presets ORDER BY name")
}
