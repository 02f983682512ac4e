package ui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"mediadesk/api"
	"mediadesk/api/journal"
	"mediadesk/ui/page"
)

// Change sends a change of a file's details, keeps the record and, for undo,
// the way back to the record as it was last seen.
func (d *Desk) Change(ctx context.Context, fileID string, change api.Details) (*api.File, error) {
	return d.changeIn(ctx, "", fileID, change)
}

// editors is how many changes are sent at once.
const editors = 6

// ChangeAll sends changes of several files, which are undone together. Each
// outcome is told as it comes, from one goroutine at a time, and returned in the
// order of the changes. A change that fails does not hold the others up; what
// was not begun when ctx ends fails with its error.
func (d *Desk) ChangeAll(ctx context.Context, changes []page.Change, told func(page.Edited)) []page.Edited {
	batch := ""
	if len(changes) > 1 {
		batch = api.NewSuffix() + api.NewSuffix()
	}
	return each(len(changes), told, func(i int) page.Edited {
		c := changes[i]
		out := page.Edited{FileID: c.FileID, Err: ctx.Err()}
		if out.Err == nil {
			out.File, out.Err = d.changeIn(ctx, batch, c.FileID, c.Details)
		}
		return out
	})
}

// ReadAll looks at several files anew.
func (d *Desk) ReadAll(ctx context.Context, ids []string, told func(page.Edited)) []page.Edited {
	return each(len(ids), told, func(i int) page.Edited {
		out := page.Edited{FileID: ids[i], Err: ctx.Err()}
		if out.Err == nil {
			out.File, out.Err = d.Read(ctx, ids[i])
		}
		return out
	})
}

// each does n things, a few at a time, and returns their outcomes in order.
func each(n int, told func(page.Edited), do func(int) page.Edited) []page.Edited {
	out := make([]page.Edited, n)
	next := make(chan int)
	var done sync.WaitGroup
	var telling sync.Mutex
	for range min(n, editors) {
		done.Go(func() {
			for i := range next {
				out[i] = guarded(i, do)
				if told != nil {
					telling.Lock()
					told(out[i])
					telling.Unlock()
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

// guarded keeps a fault in one of several things from ending the program with the
// terminal as it is.
func guarded(i int, do func(int) page.Edited) (out page.Edited) {
	defer func() {
		if fault := recover(); fault != nil {
			out.Err = fmt.Errorf("a fault of mediadesk: %v", fault)
		}
	}()
	return do(i)
}

func (d *Desk) changeIn(ctx context.Context, batch, fileID string, change api.Details) (*api.File, error) {
	before, seen, err := d.Journal.File(ctx, d.Profile.Name, fileID)
	if err != nil {
		return nil, err
	}
	after, err := d.patch(ctx, fileID, change)
	if err != nil || !seen {
		return after, err
	}
	back := inverse(&before.File, change)
	if back.IsEmpty() {
		return after, nil // it only ran extensions: nothing takes that back
	}
	_, err = d.Journal.AddEdits(ctx, []journal.Edit{{
		Profile: d.Profile.Name, FileID: fileID, Batch: batch, Before: back, After: kept(change),
	}})
	return after, err
}

// kept is what of a change an undo and a redo are about: not the extensions.
func kept(change api.Details) api.Details {
	change.Extensions, change.WebhookURL = api.Field[[]api.Extension]{}, api.Field[string]{}
	return change
}

func (d *Desk) patch(ctx context.Context, fileID string, change api.Details) (*api.File, error) {
	change, address, err := d.withAddress(ctx, fileID, change)
	if err != nil {
		return nil, err
	}
	after, err := d.Client.UpdateDetails(ctx, fileID, change)
	if err != nil {
		return nil, errors.Join(err, d.asked(ctx, fileID, change, address, nil, err))
	}
	if err := d.Journal.SaveFile(ctx, d.Profile.Name, *after); err != nil {
		return after, err
	}
	return after, d.asked(ctx, fileID, change, address, after, nil)
}

// inverse is the change that takes change back on a file that was as before.
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

// Undo takes the newest change of a file back, and with it those of other files
// that were made in the same step. None is returned, without an error, where
// there is nothing to do. An error is of all of them: an *page.Elsewhere where
// others changed the same since and over is page.Careful.
func (d *Desk) Undo(ctx context.Context, fileID string, over page.Over) ([]page.Edited, error) {
	return d.replay(ctx, fileID, over, true)
}

// Redo makes the changes again that Undo took back.
func (d *Desk) Redo(ctx context.Context, fileID string, over page.Over) ([]page.Edited, error) {
	return d.replay(ctx, fileID, over, false)
}

// replayed is one edit on its way back, or forth again.
type replayed struct {
	edit journal.Edit
	now  *api.File
	send api.Details
	to   string // of an act: the path or the version to go to; empty: nowhere
	err  error
}

func (d *Desk) replay(ctx context.Context, fileID string, over page.Over, undo bool) ([]page.Edited, error) {
	next := d.Journal.NextRedo
	if undo {
		next = d.Journal.NextUndo
	}
	edits, err := next(ctx, journal.EditFilter{Profile: d.Profile.Name, FileID: fileID})
	if err != nil || len(edits) == 0 {
		return nil, err
	}
	todo := make([]replayed, len(edits))
	var found page.Elsewhere
	ids := make([]string, len(edits))
	for i, e := range edits {
		ids[i] = e.FileID
	}
	fresh := d.ReadAll(ctx, ids, nil)
	for i, e := range edits {
		now, err := d.asFarAsKnown(ctx, fresh[i])
		left, want := e.After, e.Before
		if !undo {
			left, want = want, left
		}
		todo[i] = replayed{edit: e, now: now, err: err}
		if err == nil {
			var conflicts []page.Conflict
			if e.Act != "" {
				todo[i].to, conflicts = backTo(now, e, over, undo)
			} else {
				todo[i].send, conflicts = onTop(now, left, want, over)
			}
			found.Conflicts = append(found.Conflicts, conflicts...)
		}
	}
	if len(found.Conflicts) > 0 && over == page.Careful {
		return nil, &found
	}
	return each(len(todo), nil, func(i int) page.Edited { return d.replayOne(ctx, todo[i], undo) }), nil
}

func (d *Desk) replayOne(ctx context.Context, t replayed, undo bool) page.Edited {
	out := page.Edited{FileID: t.edit.FileID, File: t.now, Err: t.err}
	if out.Err == nil && !t.send.IsEmpty() {
		out.File, out.Err = d.patch(ctx, out.FileID, t.send)
	}
	if out.Err == nil && t.to != "" {
		out.File, out.Err = d.bring(ctx, t.now, t.edit.Act, t.to)
	}
	if out.Err == nil {
		out.Err = d.Journal.MarkEdits(ctx, []int64{t.edit.ID}, undo)
	}
	return out
}

// asFarAsKnown is the record as it was just read, or as it was last seen where
// the service does not let us read.
func (d *Desk) asFarAsKnown(ctx context.Context, fresh page.Edited) (*api.File, error) {
	if fresh.Err == nil || !api.Unavailable(fresh.Err) {
		return fresh.File, fresh.Err
	}
	if d.Profile.Local {
		return nil, fresh.Err // it lets us read: the file is not there
	}
	seen, ok, err := d.Journal.File(ctx, d.Profile.Name, fresh.FileID)
	if err == nil && !ok {
		err = fresh.Err
	}
	return &seen.File, err
}

// onTop is the change that leads a file, as it is now, from the state that an
// edit left to the state that is wanted. What others did to tags stays; another
// field that is not as it was left is a conflict.
func onTop(now *api.File, left, want api.Details, over page.Over) (api.Details, []page.Conflict) {
	send := want
	if !want.Tags.IsZero() && !now.Tags.IsZero() {
		have, from, to := now.Tags.Or(nil), left.Tags.Or(nil), want.Tags.Or(nil)
		switch result := retagged(have, from, to); {
		case over != page.Mine && !slices.Equal(have, from):
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
	var found []page.Conflict
	// check compares one field; drop leaves it out of what is sent.
	check := func(field, left, is, want string, drop func()) {
		switch {
		case is == want:
			drop()
		case is != left && over != page.Mine:
			found = append(found, page.Conflict{FileID: now.FileID, Name: now.Name, Field: field, Left: left, Now: is})
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

// retagged does to have what was done between from and to.
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
		// It goes to the place it had, as far as that is still there.
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

// Failures joins the errors of outcomes.
func Failures(list []page.Edited) error {
	var errs []error
	for _, e := range list {
		if e.Err != nil {
			errs = append(errs, e.Err)
		}
	}
	return errors.Join(errs...)
}
