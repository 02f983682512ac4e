package local

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"mediadesk/api"
	"mediadesk/api/local/store"
	"mediadesk/api/rule"
)

func noFileAt(path, reason string) *problem {
	return refuse(http.StatusNotFound, "No file found with filePath "+quote(path)+".", "Check the path.").because(reason)
}

// fileAt is tx.FileAt, but returns nil for a missing file.
func fileAt(tx store.Tx, folder, name string) (*store.File, error) {
	file, err := tx.Files.At(folder, name)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return file, err
}

// copyFile copies a file into a folder. If a file of that name exists there, the copy becomes a new
// version of it.
func (l *Library) copyFile(r *http.Request) (any, error) {
	var versions bool
	return l.transferFile(r, func(tx store.Tx, source, existing *store.File, folder string) error {
		return l.copyTo(tx, source, existing, folder, versions)
	}, member{"includeFileVersions", &versions}, member{"includeVersions", &versions})
}

// moveFile moves a file into a folder. If a file of that name exists there, the versions of the
// moved file become newer versions of it.
func (l *Library) moveFile(r *http.Request) (any, error) { return l.transferFile(r, l.moveTo) }

// transferFile reads the request of a copy or move and calls do with the file and the existing file
// of its name in the destination, or nil.
func (l *Library) transferFile(r *http.Request, do func(tx store.Tx, source, existing *store.File, folder string) error, options ...member) (any, error) {
	var path, into string
	if _, err := readBody(r, 2, append([]member{{"sourceFilePath", &path}, {"destinationPath", &into}}, options...)...); err != nil {
		return nil, err
	}
	into, err := cleanFolder(into)
	if err != nil {
		return nil, err
	}
	folder, name, err := filePath("sourceFilePath", path)
	if err != nil {
		return nil, err
	}
	return nil, l.records.Update(r.Context(), func(tx store.Tx) error {
		source, err := fileAt(tx, folder, name)
		if err != nil {
			return err
		}
		if source == nil {
			return noFileAt(path, "SOURCE_FILE_MISSING")
		}
		existing, err := fileAt(tx, into, source.Name)
		if err != nil {
			return err
		}
		if existing != nil && existing.ID == source.ID {
			return badRequest("The file is in the folder "+quote(into)+" already.", "Choose another destinationPath.").because(samePlace)
		}
		return do(tx, source, existing, into)
	})
}

// copyTo copies a file into folder, with its current version or all. existing is the file of its
// name there, or nil.
func (l *Library) copyTo(tx store.Tx, source, existing *store.File, folder string, all bool) error {
	versions := []store.Version{source.Version}
	if all {
		var err error
		if versions, err = tx.Versions.Of(source.ID); err != nil {
			return err
		}
		slices.Reverse(versions)
	}
	return l.attach(tx, source, existing, folder, versions)
}

// attach writes copies of versions of source, oldest first, as a new file in folder or as newer
// versions of existing.
func (l *Library) attach(tx store.Tx, source, existing *store.File, folder string, versions []store.Version) error {
	target, last := *source, 0
	target.ID, target.Folder, target.Created = store.NewID(), folder, l.now()
	if existing != nil {
		count, highest, err := tx.Versions.Count(existing.ID)
		if err != nil {
			return err
		}
		if count+len(versions) > rule.MaxVersions {
			return badRequest(fmt.Sprintf("The file would have more than %d versions, which is the limit.", rule.MaxVersions),
				"Delete some of its versions, or choose another name.").because("VERSION_LIMIT_EXCEEDED")
		}
		target.ID, target.Name, target.Created, last = existing.ID, existing.Name, existing.Created, highest
	}
	target.Updated = l.now()
	var copies []store.Version
	current := 0
	for i, v := range versions {
		c, err := copyVersion(tx, v)
		if err != nil {
			return err
		}
		if v.ID == source.Version.ID {
			current = i
		}
		if c.Number = last + i + 1; c.Number == 1 {
			c.ID, c.Root = target.ID, target.ID
		}
		copies = append(copies, c)
	}
	target.Version = copies[current]
	var err error
	if existing == nil {
		if err := rule.CheckPath(target.Path()); err != nil {
			return err
		}
		if err := tx.Folders.Make(folder, target.Updated); err != nil {
			return err
		}
		err = tx.Files.Insert(&target)
	} else {
		err = tx.Files.Update(&target)
	}
	for i := range copies {
		if err == nil && i != current {
			err = tx.Versions.Add(target.ID, &copies[i])
		}
	}
	return err
}

// moveTo moves a file into folder. existing is the file of its name there, or nil.
func (l *Library) moveTo(tx store.Tx, source, existing *store.File, folder string) error {
	if existing == nil {
		if err := tx.Folders.Make(folder, l.now()); err != nil {
			return err
		}
		return l.replace(tx, source, folder, source.Name)
	}
	if err := l.copyTo(tx, source, existing, folder, true); err != nil {
		return err
	}
	return tx.Files.Delete(source.ID)
}

// replace changes the folder or name of a file.
func (l *Library) replace(tx store.Tx, file *store.File, folder, name string) error {
	if err := rule.CheckPath(folder + name); err != nil {
		return err
	}
	if err := tx.Files.Move(file.ID, folder, name); err != nil {
		return err
	}
	file.Updated = l.now()
	return tx.Files.Update(file)
}

// renamed is the answer to the renaming of a file.
type renamed struct {
	PurgeRequestID string `json:"purgeRequestId,omitempty"`
}

// renameFile renames a file.
func (l *Library) renameFile(r *http.Request) (any, error) {
	var path, name string
	var purge bool
	if _, err := readBody(r, 2, member{"filePath", &path}, member{"newFileName", &name}, member{"purgeCache", &purge}); err != nil {
		return nil, err
	}
	if broken, ok := errors.AsType[*api.RuleError](rule.CheckName(name)); ok {
		return nil, invalid("newFileName", broken.Message, broken.Help)
	}
	folder, old, err := filePath("filePath", path)
	if err != nil {
		return nil, err
	}
	name = rule.StoredName(name)
	err = l.records.Update(r.Context(), func(tx store.Tx) error {
		file, err := fileAt(tx, folder, old)
		switch {
		case err != nil:
			return err
		case file == nil:
			return noFileAt(path, "FILE_MISSING")
		case file.Name == name:
			return badRequest("The file already has the name "+quote(name)+".", "Choose another newFileName.").because("SAME_OLD_AND_NEW_NAME")
		}
		return l.replace(tx, file, file.Folder, name)
	})
	if errors.Is(err, store.ErrExists) {
		return nil, refuse(http.StatusConflict, "File with name "+quote(name)+" already exists at the same location.", "Choose another name.").because("FILE_ALREADY_EXISTS")
	}
	if err != nil {
		return nil, err
	}
	var answer renamed
	if purge {
		answer.PurgeRequestID = l.newJob(jobPurge, false)
	}
	return answer, nil
}
