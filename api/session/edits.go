package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/rule"
)

// Change is a change of one file.
type Change struct {
	FileID  string
	Details api.Details
}

// Edited is the result of a change: the new record or an error.
type Edited struct {
	FileID string
	File   *api.File
	Err    error
}

const editors = 6

// ChangeAll changes several files; one undo reverts all. Results are in the order of the changes.
// report, if not nil, is called with each result, one call at a time. Custom metadata that does
// not fit its field fails all changes before anything is sent. Other failures do not stop the
// rest; when ctx ends, the rest fail with its error.
func (s *Session) ChangeAll(ctx context.Context, changes []Change, report func(Edited)) []Edited {
	batch := batchOf(len(changes))
	ids := rule.Mapped(changes, func(c Change) string { return c.FileID })
	values := rule.Mapped(changes, func(c Change) map[string]json.RawMessage { return c.Details.CustomMetadata.Or(nil) })
	_, wrong := s.CheckMetadata(ctx, values, rule.CheckMetadata)
	return each(ctx, ids, report, func(i int) (*api.File, error) {
		if wrong != nil {
			return nil, wrong
		}
		return s.changeIn(ctx, batch, ids[i], changes[i].Details)
	})
}

func batchOf(n int) string {
	if n < 2 {
		return ""
	}
	return rule.NewSuffix() + rule.NewSuffix()
}

// ReadAll reads several files, like Read; report is as in ChangeAll.
func (s *Session) ReadAll(ctx context.Context, ids []string, report func(Edited)) []Edited {
	return each(ctx, ids, report, func(i int) (*api.File, error) { return s.Read(ctx, ids[i]) })
}

// each calls do for each of the files, several at a time, and returns the results in order. When ctx
// ends, the rest fail with its error.
func each(ctx context.Context, ids []string, report func(Edited), do func(i int) (*api.File, error)) []Edited {
	out := make([]Edited, len(ids))
	var reporting sync.Mutex
	sideBySide(context.Background(), len(ids), editors, func(i int) {
		out[i] = Edited{FileID: ids[i], Err: ctx.Err()}
		func() {
			defer func() {
				if fault := recover(); fault != nil { // it would leave the terminal unusable
					out[i].Err = fmt.Errorf("a bug in mediadesk: %v", fault)
				}
			}()
			if out[i].Err == nil {
				out[i].File, out[i].Err = do(i)
			}
		}()
		if report != nil {
			reporting.Lock()
			defer reporting.Unlock()
			report(out[i])
		}
	})
	return out
}

func (s *Session) changeIn(ctx context.Context, batch, fileID string, change api.Details) (*api.File, error) {
	before, seen, err := s.Journal.File(ctx, s.Profile.Name, fileID)
	if err == nil && !seen { // such as after its folder was moved; undo needs what was before
		read, unread := s.Read(ctx, fileID)
		if seen = unread == nil; seen {
			before.File = *read
		} else if !api.Unavailable(unread) {
			err = unread
		}
	}
	var edit journal.Edit // without an id if there is none
	// A change that only runs extensions cannot be undone.
	if back := inverse(&before.File, change); err == nil && seen && !back.IsEmpty() {
		after := change
		after.Extensions, after.WebhookURL = api.Field[[]api.Extension]{}, api.Field[string]{}
		edit, err = s.Journal.BeginEdit(ctx, journal.Edit{
			Profile: s.Profile.Name, FileID: fileID, Batch: batch, Before: back, After: after,
		})
	}
	if err != nil {
		return nil, err
	}
	after, err := s.patch(ctx, fileID, change)
	return after, s.end(ctx, edit, after != nil, err)
}

// end journals the result of an edit. err is the error of the request, which end returns; if it does
// not say whether the service made the edit, settleEdits finds out later.
func (s *Session) end(ctx context.Context, e journal.Edit, made bool, err error) error {
	ctx = context.WithoutCancel(ctx)
	_, answered := errors.AsType[*api.ServiceError](err)
	send, unanswered := errors.AsType[*api.SendError](err)
	var failed error
	switch {
	case e.ID == 0:
	case made, answered && job.OutcomeOf(err) == job.Refused, unanswered && !send.Complete:
		failed = s.Journal.EndEdit(ctx, e, made)
	default:
		failed = s.Journal.LeaveEdit(ctx, e.ID)
	}
	return errors.Join(err, failed)
}

// patch sends a change, and with extensions an address of our receiver if the service can reach it and
// the change has none.
func (s *Session) patch(ctx context.Context, fileID string, change api.Details) (*api.File, error) {
	address := ""
	chosen := change.NoWebhook || !change.WebhookURL.IsZero()
	if len(change.Extensions.Or(nil)) > 0 && !chosen && s.Profile.Receiver != "" {
		var err error
		if address, err = s.Watch.Address(ctx, job.Hook{Profile: s.Profile.Name, FileID: fileID}); err != nil {
			return nil, err
		}
	}
	if address != "" {
		change.WebhookURL = api.Set(address)
	}
	after, err := s.record(ctx, api.ChangeDetails(fileID, change))
	return after, errors.Join(err, s.watchRuns(ctx, fileID, change, address, after, err))
}

func inverse(before *api.File, change api.Details) api.Details {
	back, was := entry.Values{}, entry.ValuesOf(before)
	for name := range entry.ChangesOf(change) {
		back[name] = json.RawMessage("null")
		if value, had := was[name]; had && string(value) != "[]" {
			back[name] = value
		}
	}
	return back.Details()
}

// Undo undoes the newest change of a file, together with those of other files in the same step. It
// returns nil, nil if there is nothing to undo. An empty fileID means the newest change of all,
// possibly of a folder. The error applies to all: a *ConflictError if a field was changed elsewhere
// and policy is Fail.
func (s *Session) Undo(ctx context.Context, fileID string, policy Policy) ([]Edited, error) {
	return s.replay(ctx, fileID, policy, true)
}

// Redo repeats what Undo undid.
func (s *Session) Redo(ctx context.Context, fileID string, policy Policy) ([]Edited, error) {
	return s.replay(ctx, fileID, policy, false)
}

type replayed struct {
	edit journal.Edit
	now  *api.File
	send api.Details
	to   string // target path or version of a move or restore; empty if already there
	err  error
}

func (s *Session) replay(ctx context.Context, fileID string, policy Policy, undo bool) ([]Edited, error) {
	if err := s.settleEdits(ctx); err != nil {
		return nil, err
	}
	edits, err := s.Journal.NextEdits(ctx, s.Profile.Name, fileID, undo)
	if err != nil || len(edits) == 0 {
		return nil, err
	}
	if edits[0].Action == journal.ActionFolder {
		return s.replayFolder(ctx, edits[0], undo)
	}
	todo := make([]replayed, len(edits))
	var found ConflictError
	ids := rule.Mapped(edits, func(e journal.Edit) string { return e.FileID })
	fresh := s.ReadAll(ctx, ids, nil)
	for i, e := range edits {
		now, err := s.lastKnown(ctx, fresh[i])
		left, want := e.After, e.Before
		if !undo {
			left, want = want, left
		}
		todo[i] = replayed{edit: e, now: now, err: err}
		if err == nil {
			var conflicts []Conflict
			if e.Action != "" {
				todo[i].to, conflicts = backTo(now, e, policy, undo)
			} else {
				todo[i].send, conflicts = onTop(now, left, want, policy)
			}
			found.Conflicts = append(found.Conflicts, conflicts...)
		}
	}
	if len(found.Conflicts) > 0 && policy == Fail {
		return nil, &found
	}
	return each(ctx, ids, nil, func(i int) (*api.File, error) { return s.replayOne(ctx, todo[i], undo) }), nil
}

func (s *Session) replayOne(ctx context.Context, t replayed, undo bool) (*api.File, error) {
	file, err := t.now, t.err
	if err == nil && !t.send.IsEmpty() {
		file, err = s.patch(ctx, t.edit.FileID, t.send)
	}
	if err == nil && t.to != "" {
		file, err = s.revert(ctx, t.now, t.edit.Action, t.to)
	}
	if err == nil || noFile(err) { // a deleted file does not stop the undo of what is older
		err = cmp.Or(err, s.Journal.MarkEdit(ctx, t.edit.ID, undo))
	}
	return file, err
}

// lastKnown returns the record as just read, or as last seen if the service does not let us read
// it.
func (s *Session) lastKnown(ctx context.Context, fresh Edited) (*api.File, error) {
	if fresh.Err == nil || !api.Unavailable(fresh.Err) {
		return fresh.File, fresh.Err
	}
	if s.Profile.Local {
		return nil, fresh.Err // readable, so the file does not exist
	}
	seen, ok, err := s.Journal.File(ctx, s.Profile.Name, fresh.FileID)
	if err == nil && !ok {
		err = fresh.Err
	}
	return &seen.File, err
}

// onTop returns the change that takes a file from its current state to want. left is the
// state after the edit: a field that differs from it is a conflict.
func onTop(now *api.File, left, want api.Details, policy Policy) (api.Details, []Conflict) {
	send, was, is := entry.ChangesOf(want), entry.ChangesOf(left), entry.ValuesOf(now)
	var found []Conflict
	for _, name := range send.Names() {
		key, metadata := entry.MetadataKey(name)
		if is[name] == nil && !metadata {
			continue // not known
		}
		label := "custom metadata " + key
		if !metadata {
			label = entry.FieldByName(name).Words
		}
		before, value, requested := valueText(name, was[name]), valueText(name, is[name]),
			valueText(name, send[name])
		switch {
		case value == requested:
			delete(send, name)
		case value != before && policy != Ours:
			conflict := Conflict{FileID: now.FileID, Name: now.Name, Field: label, Left: before, Now: value}
			found = append(found, conflict)
			delete(send, name)
		}
	}
	return send.Details(), found
}

// valueText formats a value for a conflict; empty if there is none. Custom metadata stays JSON.
func valueText(name string, raw json.RawMessage) string {
	var tags []string
	switch _, metadata := entry.MetadataKey(name); {
	case rule.IsNull(raw):
		return ""
	case metadata:
		return string(raw)
	case name == rule.FieldTags && json.Unmarshal(raw, &tags) == nil:
		return rule.JoinTags(tags)
	}
	return rule.PlainValue(raw)
}

// Policy decides what undo and redo do with a field that was changed elsewhere.
type Policy int

// Policies.
const (
	// Fail changes nothing and returns a *ConflictError.
	Fail Policy = iota
	// Ours overwrites changes made elsewhere.
	Ours
	// Theirs keeps changes made elsewhere and does the rest.
	Theirs
)

// ConflictError reports that files were changed elsewhere since the edit to undo or redo.
type ConflictError struct{ Conflicts []Conflict }

// Conflict is a field that is not as the edit left it.
type Conflict struct {
	FileID, Name string
	Field        string // to show, such as "region"
	Left, Now    string // as the edit left it, and its current value
}

func (e *ConflictError) Error() string {
	shown := e.Conflicts[:min(len(e.Conflicts), 5)]
	list := rule.Mapped(shown, func(c Conflict) string {
		return c.Name + ": " + c.Field + " was left as " + cmp.Or(c.Left, "unset") + " and is " + cmp.Or(c.Now, "unset") + " now"
	})
	if more := len(e.Conflicts) - len(shown); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return "changed elsewhere since: " + strings.Join(list, "; ")
}

func (e *ConflictError) Hint() string {
	return "Undo anyway, or keep the other changes and undo the rest."
}

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
			err = s.Journal.EndEdit(ctx, e, made)
		}
		if err != nil {
			_ = s.Journal.LeaveEdit(context.WithoutCancel(ctx), e.ID) // else it stays ours
			undecided = cmp.Or(undecided, api.WithHint(err, "A change was interrupted, and the service must say whether it was made. Try again when the service answers."))
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
		e.Became = file.VersionID()
	default:
		missing, _ := onTop(file, e.Before, e.Before, Ours)
		return !missing.IsEmpty(), nil
	}
	return e.Became != e.Was, nil
}
