package session

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"mediadesk/api"
	"mediadesk/api/journal"
)

// tagChange is what becomes of the tags of several files: they get tags, or lose
// some.
type tagChange struct {
	removed bool
	tags    []string
	files   []api.File // as they were last seen
	want    []api.Details
}

// changeTags makes the changes that do nothing but add the same tags to several
// files, or remove them, with the operations for many files. It returns the results
// of those that it made or that failed, by id. A service without these operations
// gets each change by itself.
func (s *Session) changeTags(ctx context.Context, batch string, changes []Change) map[string]*Edited {
	groups := map[string]*tagChange{}
	for _, c := range changes {
		seen, ok, err := s.Journal.File(ctx, s.Profile.Name, c.FileID)
		if err != nil || !ok {
			continue
		}
		removed, tags := tagsOnly(&seen.File, c.Details)
		if len(tags) == 0 {
			continue
		}
		key := strings.Join(tags, "\x00")
		if removed {
			key = "-" + key
		}
		g := groups[key]
		if g == nil {
			g = &tagChange{removed: removed, tags: tags}
			groups[key] = g
		}
		g.files, g.want = append(g.files, seen.File), append(g.want, c.Details)
	}
	results := map[string]*Edited{}
	for _, g := range groups {
		if len(g.files) > 1 && ctx.Err() == nil {
			s.changeGroup(ctx, batch, g, results)
		}
	}
	return results
}

// tagsOnly returns the tags that a change adds to a file, or removes from it, if it
// does one of both and nothing else.
func tagsOnly(file *api.File, change api.Details) (removed bool, tags []string) {
	have, want := file.Tags.Or(nil), change.Tags.Or(nil)
	change.Tags = api.Field[[]string]{}
	if !change.IsEmpty() {
		return false, nil
	}
	if len(want) > len(have) && slices.Equal(want[:len(have)], have) {
		return false, want[len(have):]
	}
	missing := slices.DeleteFunc(slices.Clone(have), func(tag string) bool { return slices.Contains(want, tag) })
	rest := slices.DeleteFunc(slices.Clone(have), func(tag string) bool { return slices.Contains(missing, tag) })
	if len(want) > 0 && slices.Equal(rest, want) {
		return true, missing
	}
	return false, nil
}

func (s *Session) changeGroup(ctx context.Context, batch string, g *tagChange, results map[string]*Edited) {
	ids := make([]string, len(g.files))
	for i := range g.files {
		ids[i] = g.files[i].FileID
	}
	change := s.Client.AddTags
	if g.removed {
		change = s.Client.RemoveTags
	}
	errs := change(ctx, ids, g.tags)
	after := s.records(ctx, ids)
	for i, id := range ids {
		file, known := after[id]
		switch {
		case errs[i] == nil && known:
			results[id] = &Edited{FileID: id, File: &file, Err: s.keepTags(ctx, batch, &g.files[i], &file, g.want[i])}
		case errs[i] == nil:
			read, err := s.Read(ctx, id)
			if err == nil {
				err = s.keepTags(ctx, batch, &g.files[i], read, g.want[i])
			}
			results[id] = &Edited{FileID: id, File: read, Err: err}
		case !api.Unavailable(errs[i]):
			results[id] = &Edited{FileID: id, Err: errs[i]}
		}
	}
}

// keepTags keeps the record of a file whose tags were changed, and the way back.
func (s *Session) keepTags(ctx context.Context, batch string, before, after *api.File, change api.Details) error {
	if err := s.Journal.SaveFile(ctx, s.Profile.Name, *after); err != nil {
		return err
	}
	_, err := s.Journal.AddEdits(ctx, []journal.Edit{{
		Profile: s.Profile.Name, FileID: before.FileID, Batch: batch, Before: inverse(before, change), After: change,
	}})
	return err
}

// records reads the records of files with few calls, as far as the service has
// them.
func (s *Session) records(ctx context.Context, ids []string) map[string]api.File {
	found := map[string]api.File{}
	for portion := range slices.Chunk(ids, 50) {
		list, err := json.Marshal(portion)
		if err != nil {
			return found
		}
		files, err := s.Client.List(ctx, api.Query{Search: "id IN " + string(list), Limit: 100})
		if err != nil {
			return found // each is read by itself
		}
		for _, f := range files {
			found[f.FileID] = f
		}
	}
	return found
}

// DeleteAll removes files with all their versions, for good, with few calls where the
// service has them. It returns the results in the order of the files.
func (s *Session) DeleteAll(ctx context.Context, files []api.File) []Edited {
	ids := make([]string, len(files))
	for i := range files {
		ids[i] = files[i].FileID
	}
	errs := s.Client.DeleteFiles(ctx, ids)
	return each(len(files), nil, func(i int) Edited {
		err := errs[i]
		switch {
		case err == nil:
			err = s.Journal.ForgetFile(ctx, s.Profile.Name, ids[i])
		case api.Unavailable(err): // it is gone, or the service has no such operation
			err = s.Delete(ctx, files[i])
		}
		return Edited{FileID: ids[i], Err: err}
	})
}
