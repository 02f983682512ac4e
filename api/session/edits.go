package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"mediadesk/api"
	"mediadesk/api/journal"
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

// Change changes the details of a file and stores the new record and its undo information. It
// refuses the same changes as ChangeAll.
func (s *Session) Change(ctx context.Context, fileID string, change api.Details) (*api.File, error) {
	done := s.ChangeAll(ctx, []Change{{fileID, change}}, nil)[0]
	return done.File, done.Err
}

// editors is the number of concurrent changes.
const editors = 6

// ChangeAll changes several files; one undo reverts all. Tag changes of many files are sent in bulk.
// Results are in the order of the changes. report, if not nil, is called with each result, one call
// at a time. Custom metadata that does not fit its field fails all changes before anything is sent.
// Other failures do not stop the rest; when ctx ends, the rest fail with its error.
func (s *Session) ChangeAll(ctx context.Context, changes []Change, report func(Edited)) []Edited {
	batch := batchOf(len(changes))
	values := make([]map[string]json.RawMessage, len(changes))
	for i, c := range changes {
		values[i] = c.Details.CustomMetadata.Or(nil)
	}
	_, wrong := s.CheckMetadata(ctx, values, api.CheckMetadata)
	var together map[string]*Edited
	if wrong == nil {
		together = s.changeTags(ctx, batch, changes)
	}
	return each(len(changes), report, func(i int) Edited {
		c := changes[i]
		out := Edited{FileID: c.FileID, Err: cmp.Or(wrong, ctx.Err())}
		switch done := together[c.FileID]; {
		case done != nil:
			out = *done
		case out.Err == nil:
			out.File, out.Err = s.changeIn(ctx, batch, c.FileID, c.Details)
		}
		return out
	})
}

// batchOf returns a batch name for changes to n files, or "" for one.
func batchOf(n int) string {
	if n < 2 {
		return ""
	}
	return api.NewSuffix() + api.NewSuffix()
}

// ReadAll reads several files, like Read; report is as in ChangeAll.
func (s *Session) ReadAll(ctx context.Context, ids []string, report func(Edited)) []Edited {
	return each(len(ids), report, func(i int) Edited {
		out := Edited{FileID: ids[i], Err: ctx.Err()}
		if out.Err == nil {
			out.File, out.Err = s.Read(ctx, ids[i])
		}
		return out
	})
}

// each calls do n times, several at a time, and returns the results in order.
func each(n int, report func(Edited), do func(int) Edited) []Edited {
	out := make([]Edited, n)
	next := make(chan int)
	var done sync.WaitGroup
	var reporting sync.Mutex
	for range min(n, editors) {
		done.Go(func() {
			for i := range next {
				out[i] = guarded(i, do)
				if report != nil {
					reporting.Lock()
					report(out[i])
					reporting.Unlock()
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	done.Wait()
	return out
}

// guarded converts a panic into an error: a panic in a goroutine would leave the terminal unusable.
func guarded(i int, do func(int) Edited) (out Edited) {
	defer func() {
		if fault := recover(); fault != nil {
			out.Err = fmt.Errorf("a bug in mediadesk: %v", fault)
		}
	}()
	return do(i)
}

func (s *Session) changeIn(ctx context.Context, batch, fileID string, change api.Details) (*api.File, error) {
	before, seen, err := s.Journal.File(ctx, s.Profile.Name, fileID)
	if err != nil {
		return nil, err
	}
	after, err := s.patch(ctx, fileID, change)
	if err != nil || !seen {
		return after, err
	}
	back := inverse(&before.File, change)
	if back.IsEmpty() {
		return after, nil // it only ran extensions, which cannot be undone
	}
	_, err = s.Journal.AddEdits(ctx, []journal.Edit{{
		Profile: s.Profile.Name, FileID: fileID, Batch: batch, Before: back, After: kept(change),
	}})
	return after, err
}

// kept returns the part of a change that can be undone: all but extensions.
func kept(change api.Details) api.Details {
	change.Extensions, change.WebhookURL = api.Field[[]api.Extension]{}, api.Field[string]{}
	return change
}

func (s *Session) patch(ctx context.Context, fileID string, change api.Details) (*api.File, error) {
	change, address, err := s.withAddress(ctx, fileID, change)
	if err != nil {
		return nil, err
	}
	after, err := s.Client.UpdateDetails(ctx, fileID, change)
	if err != nil {
		return nil, errors.Join(err, s.asked(ctx, fileID, change, address, nil, err))
	}
	if err := s.Journal.SaveFile(ctx, s.Profile.Name, *after); err != nil {
		return after, err
	}
	return after, s.asked(ctx, fileID, change, address, after, nil)
}

// inverse returns the change that undoes change on a file that was as before.
func inverse(before *api.File, change api.Details) api.Details {
	var back api.Details
	if !change.Tags.IsZero() {
		back.Tags = api.Null[[]string]()
		if tags := before.Tags.Or(nil); len(tags) > 0 {
			back.Tags = api.Set(tags)
		}
	}
	if !change.CustomCoordinates.IsZero() {
		back.CustomCoordinates = api.Null[string]()
		if region, ok := before.CustomCoordinates.Get(); ok {
			back.CustomCoordinates = api.Set(region)
		}
	}
	if !change.Description.IsZero() {
		back.Description = api.Set(before.Description)
	}
	if values, ok := change.CustomMetadata.Get(); ok {
		old := make(map[string]json.RawMessage, len(values))
		for key := range values {
			old[key] = json.RawMessage("null")
			if value, had := before.CustomMetadata[key]; had {
				old[key] = value
			}
		}
		back.CustomMetadata = api.Set(old)
	}
	return back
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

// replayed is an edit being undone or redone.
type replayed struct {
	edit journal.Edit
	now  *api.File
	send api.Details
	to   string // target path or version of a move or restore; empty if already there
	err  error
}

func (s *Session) replay(ctx context.Context, fileID string, policy Policy, undo bool) ([]Edited, error) {
	next := s.Journal.NextRedo
	if undo {
		next = s.Journal.NextUndo
	}
	edits, err := next(ctx, journal.EditFilter{Profile: s.Profile.Name, FileID: fileID})
	if err != nil || len(edits) == 0 {
		return nil, err
	}
	if edits[0].Action == journal.ActionFolder {
		return s.replayFolder(ctx, edits[0], undo)
	}
	todo := make([]replayed, len(edits))
	var found ConflictError
	ids := make([]string, len(edits))
	for i, e := range edits {
		ids[i] = e.FileID
	}
	fresh := s.ReadAll(ctx, ids, nil)
	for i, e := range edits {
		now, err := s.asFarAsKnown(ctx, fresh[i])
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
	return each(len(todo), nil, func(i int) Edited { return s.replayOne(ctx, todo[i], undo) }), nil
}

func (s *Session) replayOne(ctx context.Context, t replayed, undo bool) Edited {
	out := Edited{FileID: t.edit.FileID, File: t.now, Err: t.err}
	if out.Err == nil && !t.send.IsEmpty() {
		out.File, out.Err = s.patch(ctx, out.FileID, t.send)
	}
	if out.Err == nil && t.to != "" {
		out.File, out.Err = s.bring(ctx, t.now, t.edit.Action, t.to)
	}
	if out.Err == nil {
		out.Err = s.Journal.MarkEdits(ctx, []int64{t.edit.ID}, undo)
	}
	return out
}

// asFarAsKnown returns the record as just read, or as last seen if the service does not let us read
// it.
func (s *Session) asFarAsKnown(ctx context.Context, fresh Edited) (*api.File, error) {
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

// onTop returns the change that takes a file from its current state to the wanted one. left is the
// state after the edit. Tag changes by others stay; another field that differs from left is a
// conflict.
func onTop(now *api.File, left, want api.Details, policy Policy) (api.Details, []Conflict) {
	send := want
	if !want.Tags.IsZero() && !now.Tags.IsZero() {
		have, from, to := now.Tags.Or(nil), left.Tags.Or(nil), want.Tags.Or(nil)
		switch result := retagged(have, from, to); {
		case policy != Ours && !slices.Equal(have, from):
			send.Tags = api.Null[[]string]()
			if len(result) > 0 {
				send.Tags = api.Set(result)
			}
			if slices.Equal(result, have) {
				send.Tags = api.Field[[]string]{}
			}
		case slices.Equal(have, to) && now.Tags.IsNull() == want.Tags.IsNull():
			send.Tags = api.Field[[]string]{}
		}
	}
	var found []Conflict
	// check compares a field; drop removes it from the change.
	check := func(field, left, is, want string, drop func()) {
		switch {
		case is == want:
			drop()
		case is != left && policy != Ours:
			found = append(found, Conflict{FileID: now.FileID, Name: now.Name, Field: field, Left: left, Now: is})
			drop()
		}
	}
	if !want.CustomCoordinates.IsZero() && !now.CustomCoordinates.IsZero() {
		check("region", left.CustomCoordinates.Or(""), now.CustomCoordinates.Or(""), want.CustomCoordinates.Or(""),
			func() { send.CustomCoordinates = api.Field[string]{} })
	}
	if !want.Description.IsZero() {
		check("description", left.Description.Or(""), now.Description, want.Description.Or(""),
			func() { send.Description = api.Field[string]{} })
	}
	if values, ok := want.CustomMetadata.Get(); ok {
		rest := make(map[string]json.RawMessage, len(values))
		for key, value := range values {
			rest[key] = value
			check("custom metadata "+key, valueText(left.CustomMetadata.Or(nil)[key]), valueText(now.CustomMetadata[key]), valueText(value),
				func() { delete(rest, key) })
		}
		send.CustomMetadata = api.Field[map[string]json.RawMessage]{}
		if len(rest) > 0 {
			send.CustomMetadata = api.Set(rest)
		}
	}
	return send, found
}

// retagged applies the difference between from and to to have.
func retagged(have, from, to []string) []string {
	var out []string
	for _, tag := range have {
		if !slices.Contains(from, tag) || slices.Contains(to, tag) {
			out = append(out, tag)
		}
	}
	for i, tag := range to {
		if slices.Contains(from, tag) || slices.Contains(out, tag) {
			continue
		}
		// Put it at its former position, if possible.
		at := len(out)
		for _, after := range to[i+1:] {
			if j := slices.Index(out, after); j >= 0 {
				at = j
				break
			}
		}
		out = slices.Insert(out, at, tag)
	}
	return out
}

func valueText(raw json.RawMessage) string {
	if text := strings.TrimSpace(string(raw)); text != "null" {
		return text
	}
	return ""
}
