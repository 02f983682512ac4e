package local

import (
	"fmt"
	"net/http"

	"mediadesk/api"
	"mediadesk/api/local/store"
)

var errNoVersion = refuse(http.StatusNotFound, "The requested file version does not exist.", "Check the version id.")

// findVersion reads a file and one version of it.
func findVersion(tx store.Tx, id, versionID string) (*store.File, store.Version, error) {
	file, err := tx.File(id)
	if err != nil {
		return nil, store.Version{}, notFound(err)
	}
	list, err := tx.Versions(id)
	if err != nil {
		return nil, store.Version{}, err
	}
	for _, v := range list {
		if v.ID == versionID {
			return file, v, nil
		}
	}
	return nil, store.Version{}, errNoVersion
}

// versionRecord tells of a file as it is with a version of it.
func (l *Library) versionRecord(file *store.File, v store.Version) *api.File {
	current := v.ID == file.Version.ID
	as := *file
	as.Version = v
	if !current {
		// The region and what was found in the picture belong to the other one.
		as.Updated = v.Created
		if v.Width != file.Version.Width || v.Height != file.Version.Height {
			as.Region = ""
		}
	}
	record := l.record(&as, true)
	withMetadata(record, &as)
	if !current {
		record.Type = api.TypeVersion
		record.URL += "?" + versionParameter + "=" + v.ID
		if record.Thumbnail != "" {
			record.Thumbnail += "?" + versionParameter + "=" + v.ID
		}
	}
	return record
}

// versionIDs reads the ids of a file and of a version of it in the path of a
// request.
func versionIDs(r *http.Request) (id, versionID string, err error) {
	if id, err = fileID(r); err != nil {
		return "", "", err
	}
	versionID, err = pathID(r, "versionId")
	return id, versionID, err
}

// listVersions answers with all versions of a file, the newest first.
func (l *Library) listVersions(w http.ResponseWriter, r *http.Request) error {
	id, err := fileID(r)
	if err != nil {
		return err
	}
	records := []*api.File{}
	err = l.records.View(r.Context(), func(tx store.Tx) error {
		file, err := tx.File(id)
		if err != nil {
			return err
		}
		list, err := tx.Versions(id)
		for _, v := range list {
			records = append(records, l.versionRecord(file, v))
		}
		return err
	})
	if err != nil {
		return notFound(err)
	}
	writeJSON(w, http.StatusOK, records)
	return nil
}

// showVersion answers with one version of a file.
func (l *Library) showVersion(w http.ResponseWriter, r *http.Request) error {
	id, versionID, err := versionIDs(r)
	if err != nil {
		return err
	}
	var record *api.File
	err = l.records.View(r.Context(), func(tx store.Tx) error {
		file, v, err := findVersion(tx, id, versionID)
		if err != nil {
			return err
		}
		record = l.versionRecord(file, v)
		record.EmbeddedMetadata, err = tx.Embedded(v.ID)
		return err
	})
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, record)
	return nil
}

// deleteVersion removes a version that is not the current one.
func (l *Library) deleteVersion(w http.ResponseWriter, r *http.Request) error {
	id, versionID, err := versionIDs(r)
	if err != nil {
		return err
	}
	err = l.records.Update(r.Context(), func(tx store.Tx) error {
		file, v, err := findVersion(tx, id, versionID)
		if err != nil {
			return err
		}
		if v.ID == file.Version.ID {
			return badRequest("The current version of a file cannot be deleted.", "Restore another version first, or delete the file.")
		}
		return tx.DeleteVersion(id, versionID)
	})
	if err != nil {
		return err
	}
	writeNothing(w, r)
	return nil
}

// restoreVersion makes a version the current one.
func (l *Library) restoreVersion(w http.ResponseWriter, r *http.Request) error {
	id, versionID, err := versionIDs(r)
	if err != nil {
		return err
	}
	var record *api.File
	err = l.records.Update(r.Context(), func(tx store.Tx) error {
		file, v, err := findVersion(tx, id, versionID)
		if err != nil {
			return err
		}
		if v.ID != file.Version.ID {
			if v.Width != file.Version.Width || v.Height != file.Version.Height {
				file.Region = "" // it counts pixels of another picture
			}
			file.Version, file.Updated = v, l.now()
			if err := tx.UpdateFile(file); err != nil {
				return err
			}
		}
		record = l.versionRecord(file, v)
		return nil
	})
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, record)
	return nil
}

// tooManyVersions refuses what would give a file more versions than can be
// (service.md §8).
func tooManyVersions() error {
	return badRequest(fmt.Sprintf("The file would have more than %d versions, and more cannot be.", api.MaxVersions), "Delete some of its versions, or choose another name.")
}

// copyVersion is a version with its own id, ready to be written.
func copyVersion(tx store.Tx, v store.Version) (store.Version, error) {
	var err error
	v.Embedded, err = tx.Embedded(v.ID)
	v.ID = store.NewID()
	v.Root = v.ID
	return v, err
}
