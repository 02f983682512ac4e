package session

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/journal"
	"mediadesk/api/rule"
)

// Rename renames a file and returns its new record. It can be undone, with the other changes of a
// batch that is not empty.
func (s *Session) Rename(ctx context.Context, batch string, f api.File, name string) (*api.File, error) {
	if err := rule.CheckName(name); err != nil {
		return nil, err
	}
	return s.relocate(ctx, batch, f, path.Join(path.Dir(f.FilePath), name), func() error {
		return s.Client.Do(ctx, api.RenameFile(f.FilePath, name), nil)
	})
}

// Move moves a file into a folder and returns its new record. The record is nil if the file became
// a version of an existing one, which cannot be undone. The batch is as in Rename.
func (s *Session) Move(ctx context.Context, batch string, f api.File, folder string) (*api.File, error) {
	if err := checkFolder(folder); err != nil {
		return nil, err
	}
	return s.relocate(ctx, batch, f, path.Join("/", folder, path.Base(f.FilePath)), func() error {
		return s.Client.Do(ctx, api.MoveFile(f.FilePath, folder), nil)
	})
}

// relocate journals and calls do, which gives a file another path, and returns the new record.
func (s *Session) relocate(ctx context.Context, batch string, f api.File, to string,
	do func() error,
) (*api.File, error) {
	e := journal.Edit{FileID: f.FileID, Batch: batch, Action: journal.ActionMove, Was: f.FilePath, Became: to}
	return s.carryOut(ctx, e, do, func(ctx context.Context) (*api.File, string, error) {
		after, err := s.Read(ctx, f.FileID)
		switch {
		case api.Unavailable(err) && path.Dir(to) != path.Dir(f.FilePath):
			return nil, "", s.Journal.ForgetFile(ctx, s.Profile.Name, f.FileID)
		case after == nil:
			return nil, to, err
		}
		return after, after.FilePath, err
	})
}

// carryOut journals an action on a file, so that it can be taken back after a crash, too, does it,
// and journals what then returns: the new record, and the path or version that the file has now.
// An empty one means that the action cannot be taken back.
func (s *Session) carryOut(ctx context.Context, e journal.Edit, do func() error,
	then func(context.Context) (*api.File, string, error),
) (*api.File, error) {
	e.Profile = s.Profile.Name
	e, err := s.Journal.BeginEdit(ctx, e)
	if err != nil {
		return nil, err
	}
	if err := do(); err != nil {
		return nil, s.end(ctx, e, false, err)
	}
	ctx = context.WithoutCancel(ctx) // it is done, so record it even if the user cancels now
	after, became, err := then(ctx)
	if e.Became = became; became == "" || became == e.Was {
		return after, errors.Join(err, s.Journal.EndEdit(ctx, e, false))
	}
	return after, s.end(ctx, e, true, err)
}

// Copy copies a file into a folder.
func (s *Session) Copy(ctx context.Context, f api.File, folder string) error {
	if err := checkFolder(folder); err != nil {
		return err
	}
	return s.Client.Do(ctx, api.CopyFile(f.FilePath, folder), nil)
}

// Delete permanently removes a file with all its versions. A file that no longer exists is no
// error.
func (s *Session) Delete(ctx context.Context, f api.File) error {
	err := s.Client.Do(ctx, api.DeleteFile(f.FileID), nil)
	if err != nil && (!s.Profile.Local || !noFile(err)) {
		return err
	}
	return s.Journal.ForgetFile(ctx, s.Profile.Name, f.FileID)
}

// Versions returns the versions of a file, the current one first.
func (s *Session) Versions(ctx context.Context, fileID string) ([]api.File, error) {
	var versions []api.File
	err := s.Client.Do(ctx, api.ListVersions(fileID), &versions)
	return versions, err
}

// DeleteVersion permanently removes a version that is not current.
func (s *Session) DeleteVersion(ctx context.Context, fileID, versionID string) error {
	return s.Client.Do(ctx, api.DeleteVersion(fileID, versionID), nil)
}

// Restore makes a version of a file current. It can be undone.
func (s *Session) Restore(ctx context.Context, fileID, versionID string) (*api.File, error) {
	return s.restoreIn(ctx, "", fileID, versionID)
}

func (s *Session) restoreIn(ctx context.Context, batch, fileID, versionID string) (*api.File, error) {
	before, err := s.Read(ctx, fileID)
	if err != nil {
		return nil, err
	}
	var after *api.File
	e := journal.Edit{FileID: fileID, Batch: batch, Action: journal.ActionRestore, Was: before.VersionID()}
	return s.carryOut(ctx, e, func() (err error) {
		after, err = s.Client.Record(ctx, api.RestoreVersion(fileID, versionID))
		return err
	}, func(ctx context.Context) (*api.File, string, error) {
		became := after.VersionID()
		if e.Was == "" {
			became = "" // it cannot be undone
		}
		return after, became, s.Journal.SaveFile(ctx, s.Profile.Name, *after)
	})
}

// backTo returns the target for undoing or redoing an action, or "" if the file is already there. A
// file in an unexpected place is a conflict.
func backTo(now *api.File, e journal.Edit, policy Policy, undo bool) (string, []Conflict) {
	from, to := e.Became, e.Was
	if !undo {
		from, to = to, from
	}
	field, is := "place", now.FilePath
	if e.Action == journal.ActionRestore {
		field, is = "version", now.VersionID()
	}
	switch {
	case is == to:
		return "", nil
	case is != from && policy != Ours:
		return "", []Conflict{{FileID: now.FileID, Name: now.Name, Field: field, Left: from, Now: is}}
	}
	return to, nil
}

func (s *Session) revert(ctx context.Context, now *api.File, action, to string) (*api.File, error) {
	if action == journal.ActionRestore {
		return s.record(ctx, api.RestoreVersion(now.FileID, to))
	}
	folder, name := path.Split(to)
	from := now.FilePath
	if at, old := path.Split(from); at != folder {
		// Moved over a file it would become its version, which cannot be undone.
		there, err := s.Locate(ctx, folder+old)
		switch {
		case err != nil:
			return nil, err
		case there.File != nil:
			return nil, fmt.Errorf("another file exists at %s, and this one would become a version of it: rename one of them first", folder+old)
		}
		if err := s.Client.Do(ctx, api.MoveFile(from, folder), nil); err != nil {
			return nil, err
		}
		from = folder + old
	}
	if path.Base(from) != name {
		if err := s.Client.Do(ctx, api.RenameFile(from, name), nil); err != nil {
			return nil, err
		}
	}
	return s.Read(ctx, now.FileID)
}

// DeleteAll permanently removes files with all their versions. Results are in the order of the
// files; report is as in ChangeAll.
func (s *Session) DeleteAll(ctx context.Context, files []api.File, report func(Edited)) []Edited {
	return eachFile(ctx, files, report, func(_ int, f api.File) (*api.File, error) { return nil, s.Delete(ctx, f) })
}

func eachFile(ctx context.Context, files []api.File, report func(Edited),
	do func(i int, f api.File) (*api.File, error),
) []Edited {
	ids := rule.Mapped(files, func(f api.File) string { return f.FileID })
	return each(ctx, ids, report, func(i int) (*api.File, error) { return do(i, files[i]) })
}

// MoveAll moves files into a folder, like Move. One undo reverts all. Results are in the order of
// the files; report is as in ChangeAll.
func (s *Session) MoveAll(ctx context.Context, files []api.File, folder string,
	report func(Edited),
) []Edited {
	batch := batchOf(len(files))
	return eachFile(ctx, files, report, func(_ int, f api.File) (*api.File, error) {
		return s.Move(ctx, batch, f, folder)
	})
}

// CopyAll copies files into a folder, like MoveAll. Copies cannot be undone.
func (s *Session) CopyAll(ctx context.Context, files []api.File, folder string,
	report func(Edited),
) []Edited {
	return eachFile(ctx, files, report, func(_ int, f api.File) (*api.File, error) {
		return &f, s.Copy(ctx, f, folder)
	})
}

// RenameAll renames each file to its element of names, like MoveAll.
func (s *Session) RenameAll(ctx context.Context, files []api.File, names []string,
	report func(Edited),
) []Edited {
	batch := batchOf(len(files))
	return eachFile(ctx, files, report, func(i int, f api.File) (*api.File, error) {
		return s.Rename(ctx, batch, f, names[i])
	})
}

// ExtendAll runs extensions on files, like Extend; report is as in ChangeAll.
func (s *Session) ExtendAll(ctx context.Context, files []api.File, list []api.Extension,
	report func(Edited),
) []Edited {
	return eachFile(ctx, files, report, func(_ int, f api.File) (*api.File, error) {
		return s.Extend(ctx, f.FileID, list)
	})
}

var errOneVersion = errors.New("the file has only one version")

// RestoreAll restores the previous version of each file, like MoveAll.
func (s *Session) RestoreAll(ctx context.Context, files []api.File, report func(Edited)) []Edited {
	batch := batchOf(len(files))
	return eachFile(ctx, files, report, func(_ int, f api.File) (*api.File, error) {
		list, err := s.Versions(ctx, f.FileID)
		if err != nil {
			return nil, err
		}
		now, err := s.Read(ctx, f.FileID)
		if err != nil {
			return nil, err
		}
		for i := range list {
			if id := list[i].VersionID(); id != "" && id != now.VersionID() {
				return s.restoreIn(ctx, batch, f.FileID, id)
			}
		}
		return nil, errOneVersion
	})
}

// AwaitPurge polls the status of a purge until it is completed, but at most for timeout; with 0 it
// requests it once. A purge still pending then is no error.
func (s *Session) AwaitPurge(ctx context.Context, p api.Purge, timeout time.Duration) (api.Purge, error) {
	err := poll(ctx, timeout, func() (bool, error) {
		var now api.Purge
		err := s.Client.Do(ctx, api.ReadPurge(p.ID), &now)
		if err == nil {
			p.Status = now.Status
		}
		return strings.EqualFold(now.Status, api.JobPending), err
	})
	return p, err
}

// PurgeAll starts purging the URLs of files and of everything in folders from the cache. Results are in
// the order of the files; report is as in ChangeAll.
func (s *Session) PurgeAll(ctx context.Context, files []api.File, report func(Edited)) []Edited {
	return eachFile(ctx, files, report, func(_ int, f api.File) (*api.File, error) {
		addresses, err := []string{f.URL}, error(nil)
		switch {
		case f.IsFolder():
			addresses, err = s.folderURLs(ctx, f.FolderPath)
		case f.URL == "":
			err = errors.New("the record of the file has no URL")
		}
		for _, address := range addresses {
			if err == nil {
				err = s.Client.Do(ctx, api.StartPurge(rule.PurgeURL(address)), nil)
			}
		}
		return &f, err
	})
}

// folderURLs returns the URLs to purge for a folder: one that ends in a * where the service takes
// that, else those of all files in the folder.
func (s *Session) folderURLs(ctx context.Context, folder string) (addresses []string, err error) {
	folder, _ = rule.CleanFolder(folder)
	for file, err := range s.Client.All(ctx, TreeQuery(folder)) {
		if err != nil {
			return nil, err
		}
		address, wrong := url.Parse(file.URL)
		if file.IsFolder() || wrong != nil {
			continue
		}
		address.RawQuery, address.RawPath = "", ""
		base, found := strings.CutSuffix(address.Path, file.FilePath)
		address.Path = base + folder
		if every := address.String() + "*"; found && rule.CheckPurgeURL(every) == nil {
			return []string{every}, nil // it stands for all files
		}
		addresses = append(addresses, file.URL)
	}
	return addresses, nil
}
