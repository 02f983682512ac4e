package local

import (
	"errors"
	"net/http"
	"slices"

	"golang.org/x/text/unicode/norm"

	"mediadesk/api"
	"mediadesk/api/local/store"
)

func errNoFileAt(path string) error {
	return &problem{status: http.StatusNotFound, message: "No file found with filePath " + quote(path) + ".", help: "Check the path.", reason: "SOURCE_FILE_MISSING"}
}

// transfer is a copy or a move as it was asked for.
type transfer struct {
	source      string // path of the file
	destination string // folder
	versions    bool   // copy all versions
}

func readTransfer(r *http.Request, more ...func(*transfer) member) (*transfer, error) {
	t := new(transfer)
	members := []member{{"sourceFilePath", &t.source}, {"destinationPath", &t.destination}}
	for _, m := range more {
		members = append(members, m(t))
	}
	if err := readBody(r, 2, members...); err != nil {
		return nil, err
	}
	clean, err := api.CleanFolder(t.destination)
	if err != nil {
		return nil, err
	}
	t.destination = norm.NFC.String(clean)
	return t, nil
}

// find reads the file that is copied or moved, and what is where it goes; nil
// where nothing is.
func (t *transfer) find(tx store.Tx) (source, there *store.File, err error) {
	folder, name, err := filePath("sourceFilePath", t.source)
	if err != nil {
		return nil, nil, err
	}
	source, err = tx.FileAt(folder, name)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil, errNoFileAt(t.source)
	}
	if err != nil {
		return nil, nil, err
	}
	there, err = tx.FileAt(t.destination, source.Name)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return source, nil, nil
	case err != nil:
		return nil, nil, err
	case there.ID == source.ID:
		return nil, nil, badRequest("The file is in the folder "+quote(t.destination)+" already.", "Choose another destinationPath.")
	}
	return source, there, nil
}

// copyFile copies a file into a folder. Where a file of its name is there
// already, the copy becomes a new version of that one.
func (l *Library) copyFile(w http.ResponseWriter, r *http.Request) error {
	all := func(t *transfer) member { return member{"includeFileVersions", &t.versions} }
	old := func(t *transfer) member { return member{"includeVersions", &t.versions} }
	t, err := readTransfer(r, all, old)
	if err != nil {
		return err
	}
	err = l.records.Update(r.Context(), func(tx store.Tx) error {
		source, there, err := t.find(tx)
		if err != nil {
			return err
		}
		return l.copyTo(tx, source, there, t.destination, t.versions)
	})
	if err != nil {
		return err
	}
	writeNothing(w, r)
	return nil
}

// copyTo copies a file into folder, with its current version or with all. there
// is the file that has its name there; nil: none.
func (l *Library) copyTo(tx store.Tx, source, there *store.File, folder string, all bool) error {
	versions := []store.Version{source.Version}
	if all {
		var err error
		if versions, err = tx.Versions(source.ID); err != nil {
			return err
		}
		slices.Reverse(versions)
	}
	return l.attach(tx, source, there, folder, versions)
}

// attach writes copies of versions of source, the oldest first, as a new file
// in folder, or as newer versions of the file that is there.
func (l *Library) attach(tx store.Tx, source, there *store.File, folder string, versions []store.Version) error {
	target, last := *source, 0
	target.ID, target.Folder, target.Created = store.NewID(), folder, l.now()
	if there != nil {
		count, highest, err := tx.CountVersions(there.ID)
		if err != nil {
			return err
		}
		if count+len(versions) > api.MaxVersions {
			return tooManyVersions()
		}
		target.ID, target.Name, target.Created, last = there.ID, there.Name, there.Created, highest
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
	if there == nil {
		if err := tx.MakeFolder(folder, target.Updated); err != nil {
			return err
		}
		err = tx.InsertFile(&target)
	} else {
		err = tx.UpdateFile(&target)
	}
	for i := range copies {
		if err == nil && i != current {
			err = tx.AddVersion(target.ID, &copies[i])
		}
	}
	return err
}

// moveFile moves a file into a folder. Where a file of its name is there
// already, the versions of the moved one become newer versions of that one.
func (l *Library) moveFile(w http.ResponseWriter, r *http.Request) error {
	t, err := readTransfer(r)
	if err != nil {
		return err
	}
	err = l.records.Update(r.Context(), func(tx store.Tx) error {
		source, there, err := t.find(tx)
		if err != nil {
			return err
		}
		return l.moveTo(tx, source, there, t.destination)
	})
	if err != nil {
		return err
	}
	writeNothing(w, r)
	return nil
}

// moveTo moves a file into folder. there is the file that has its name there;
// nil: none.
func (l *Library) moveTo(tx store.Tx, source, there *store.File, folder string) error {
	if there == nil {
		if err := tx.MakeFolder(folder, l.now()); err != nil {
			return err
		}
		return l.replace(tx, source, folder, source.Name)
	}
	if err := l.copyTo(tx, source, there, folder, true); err != nil {
		return err
	}
	return tx.DeleteFile(source.ID)
}

// replace gives a file another folder or name.
func (l *Library) replace(tx store.Tx, file *store.File, folder, name string) error {
	if err := tx.PlaceFile(file.ID, folder, name); err != nil {
		return err
	}
	file.Updated = l.now()
	return tx.UpdateFile(file)
}

// renameFile gives a file another name in its folder.
func (l *Library) renameFile(w http.ResponseWriter, r *http.Request) error {
	var path, name string
	var purge bool
	if err := readBody(r, 2, member{"filePath", &path}, member{"newFileName", &name}, member{"purgeCache", &purge}); err != nil {
		return err
	}
	if err := api.CheckName(name); err != nil {
		return err
	}
	folder, old, err := filePath("filePath", path)
	if err != nil {
		return err
	}
	name = api.StoredName(name)
	err = l.records.Update(r.Context(), func(tx store.Tx) error {
		file, err := tx.FileAt(folder, old)
		if errors.Is(err, store.ErrNotFound) {
			return errNoFileAt(path)
		}
		if err != nil {
			return err
		}
		err = store.ErrExists
		if file.Name != name {
			err = l.replace(tx, file, file.Folder, name)
		}
		if errors.Is(err, store.ErrExists) {
			return &problem{
				status: http.StatusConflict, message: "File with name " + quote(name) + " already exists at the same location.",
				help: "Choose another name.", reason: "FILE_ALREADY_EXISTS",
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	answer := map[string]string{}
	if purge {
		answer["purgeRequestId"] = l.jobs.add(jobPurge)
	}
	writeJSON(w, http.StatusOK, answer)
	return nil
}
