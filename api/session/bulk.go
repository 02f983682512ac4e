package session

import (
	"context"
	"errors"

	"mediadesk/api"
)

// DeleteAll permanently removes files with all their versions. Results are in the order of the
// files; report is as in ChangeAll.
func (s *Session) DeleteAll(ctx context.Context, files []api.File, report func(Edited)) []Edited {
	return s.eachFile(ctx, files, report, func(_ int, f api.File) (*api.File, error) { return nil, s.Delete(ctx, f) })
}

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
	return s.eachFile(ctx, files, report, func(_ int, f api.File) (*api.File, error) {
		return s.moveIn(ctx, batch, f, folder)
	})
}

// CopyAll copies files into a folder, like MoveAll. Copies cannot be undone.
func (s *Session) CopyAll(ctx context.Context, files []api.File, folder string,
	report func(Edited),
) []Edited {
	return s.eachFile(ctx, files, report, func(_ int, f api.File) (*api.File, error) {
		return &f, s.Copy(ctx, f, folder)
	})
}

// RenameAll renames each file to its element of names, like MoveAll.
func (s *Session) RenameAll(ctx context.Context, files []api.File, names []string,
	report func(Edited),
) []Edited {
	batch := batchOf(len(files))
	return s.eachFile(ctx, files, report, func(i int, f api.File) (*api.File, error) {
		return s.renameIn(ctx, batch, f, names[i])
	})
}

// ExtendAll runs extensions on files, like Extend; report is as in ChangeAll.
func (s *Session) ExtendAll(ctx context.Context, files []api.File, list []api.Extension,
	report func(Edited),
) []Edited {
	return s.eachFile(ctx, files, report, func(_ int, f api.File) (*api.File, error) {
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
