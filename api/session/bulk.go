package session

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"mediadesk/api"
	"mediadesk/api/journal"
)

type tagChange struct {
	removed bool
	tags    []string
	files   []api.File // as last seen
	want    []api.Details
}

// changeTags applies the changes that only add or only remove tags with the bulk operations. It
// returns the results of those changes, including failures, by id. If the service lacks these
// operations, each change is sent separately.
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
	remaining := slices.DeleteFunc(slices.Clone(have),
		func(tag string) bool { return slices.Contains(missing, tag) })
	if len(want) > 0 && slices.Equal(remaining, want) {
		return true, missing
	}
	return false, nil
}

func (s *Session) changeGroup(ctx context.Context, batch string, g *tagChange, results map[string]*Edited) {
	ids := fileIDs(g.files)
	edits := make([]journal.Edit, len(ids))
	for i := range g.files {
		edits[i] = journal.Edit{
			FileID: ids[i], Batch: batch, Before: inverse(&g.files[i], g.want[i]),
			After: g.want[i],
		}
	}
	edits, err := s.begin(ctx, edits...)
	if err != nil {
		for _, id := range ids {
			results[id] = &Edited{FileID: id, Err: err}
		}
		return
	}
	change := s.Client.AddTags
	if g.removed {
		change = s.Client.RemoveTags
	}
	errs := change(ctx, ids, g.tags)
	after := s.records(ctx, ids)
	var made []journal.Edit
	for i, id := range ids {
		out := &Edited{FileID: id, Err: errs[i]}
		file, known := after[id]
		switch {
		case errs[i] != nil:
			out.Err = s.end(ctx, edits[i:i+1], false, errs[i])
		case known:
			out.File, out.Err = &file, s.Journal.SaveFile(ctx, s.Profile.Name, file)
		default:
			out.File, out.Err = s.Read(ctx, id)
		}
		if errs[i] == nil {
			made = append(made, edits[i])
		}
		if !api.Unavailable(errs[i]) { // else it is sent separately
			results[id] = out
		}
	}
	if err := s.end(ctx, made, true, nil); err != nil {
		for _, e := range made {
			results[e.FileID].Err = errors.Join(results[e.FileID].Err, err)
		}
	}
}

func fileIDs(files []api.File) []string {
	ids := make([]string, len(files))
	for i := range files {
		ids[i] = files[i].FileID
	}
	return ids
}

// records reads the records of files with few calls, where the service lists files.
func (s *Session) records(ctx context.Context, ids []string) map[string]api.File {
	found := map[string]api.File{}
	for portion := range slices.Chunk(ids, 50) {
		list, err := json.Marshal(portion)
		if err != nil {
			return found
		}
		files, err := s.Client.List(ctx, api.Query{Search: "id IN " + string(list), Limit: 100})
		if err != nil {
			return found // each is then read separately
		}
		for _, f := range files {
			found[f.FileID] = f
		}
	}
	return found
}

// DeleteAll permanently removes files with all their versions, in bulk where possible. Results are
// in the order of the files; report is as in ChangeAll.
func (s *Session) DeleteAll(ctx context.Context, files []api.File, report func(Edited)) []Edited {
	var out []Edited
	for portion := range slices.Chunk(files, maxAtOnce) {
		ids := fileIDs(portion)
		var errs []error
		if ctx.Err() == nil {
			errs = s.Client.DeleteFiles(ctx, ids)
		}
		out = append(out, s.eachFile(context.WithoutCancel(ctx), portion, report,
			func(i int, f api.File) (*api.File, error) {
				switch {
				case errs == nil:
					return nil, ctx.Err()
				case errs[i] == nil:
					return nil, s.Journal.ForgetFile(ctx, s.Profile.Name, f.FileID)
				case api.Unavailable(errs[i]): // already deleted, or the service lacks the operation
					return nil, s.Delete(ctx, f)
				}
				return nil, errs[i]
			})...)
	}
	return out
}

// maxAtOnce limits the files of one call (hosted-service.md §10).
const maxAtOnce = 100

// eachFile calls do for files, several at a time, until ctx ends.
func (s *Session) eachFile(ctx context.Context, files []api.File, report func(Edited),
	do func(i int, f api.File) (*api.File, error),
) []Edited {
	return each(len(files), report, func(i int) Edited {
		out := Edited{FileID: files[i].FileID, Err: ctx.Err()}
		if out.Err == nil {
			out.File, out.Err = do(i, files[i])
		}
		return out
	})
}

// MoveAll moves files into a folder, like Move. One undo reverts all. Results are in the order of
// the files; report is as in ChangeAll.
func (s *Session) MoveAll(ctx context.Context, files []api.File, folder string,
	report func(Edited),
) []Edited {
	batch := batchOf(len(files))
	return s.eachFile(ctx, files, report, func(_ int, f api.File) (*api.File,
		error,
	) {
		return s.moveIn(ctx, batch, f, folder)
	})
}

// CopyAll copies files into a folder, like MoveAll. Copies cannot be undone.
func (s *Session) CopyAll(ctx context.Context, files []api.File, folder string,
	report func(Edited),
) []Edited {
	return s.eachFile(ctx, files, report, func(_ int, f api.File) (*api.File,
		error,
	) {
		return &f, s.Copy(ctx, f, folder)
	})
}

// RenameAll renames each file to its element of names, like MoveAll.
func (s *Session) RenameAll(ctx context.Context, files []api.File, names []string,
	report func(Edited),
) []Edited {
	batch := batchOf(len(files))
	return s.eachFile(ctx, files, report, func(i int, f api.File) (*api.File,
		error,
	) {
		return s.renameIn(ctx, batch, f, names[i])
	})
}

// ExtendAll runs extensions on files, like Extend; report is as in ChangeAll.
func (s *Session) ExtendAll(ctx context.Context, files []api.File, list []api.Extension,
	report func(Edited),
) []Edited {
	return s.eachFile(ctx, files, report, func(_ int, f api.File) (*api.File,
		error,
	) {
		return s.Extend(ctx, f.FileID, list)
	})
}

// ErrOneVersion reports that a file has only its current version.
var ErrOneVersion = errors.New("the file has only one version")

// RestoreAll restores the previous version of each file, like MoveAll.
func (s *Session) RestoreAll(ctx context.Context, files []api.File, report func(Edited)) []Edited {
	batch := batchOf(len(files))
	return s.eachFile(ctx, files, report, func(_ int, f api.File) (*api.File, error) {
		older, err := s.olderVersions(ctx, f)
		if err != nil {
			return nil, err
		}
		return s.restoreIn(ctx, batch, f.FileID, older[0])
	})
}

// DeleteOldVersions permanently removes all versions of files but the current one; report is as in
// ChangeAll.
func (s *Session) DeleteOldVersions(ctx context.Context, files []api.File, report func(Edited)) []Edited {
	return s.eachFile(ctx, files, report, func(_ int, f api.File) (*api.File, error) {
		older, err := s.olderVersions(ctx, f)
		for _, version := range older {
			if err == nil {
				err = s.DeleteVersion(ctx, f.FileID, version)
			}
		}
		return &f, err
	})
}

func (s *Session) olderVersions(ctx context.Context, f api.File) ([]string, error) {
	list, err := s.Versions(ctx, f.FileID)
	if err != nil {
		return nil, err
	}
	now, err := s.Read(ctx, f.FileID)
	if err != nil {
		return nil, err
	}
	var ids []string
	for i := range list {
		if id := versionOf(&list[i]); id != "" && id != versionOf(now) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, ErrOneVersion
	}
	return ids, nil
}
