package local

import (
	"cmp"
	"net/http"
	"slices"

	"mediadesk/api"
	"mediadesk/api/local/store"
	"mediadesk/api/rule"
)

var errNoVersion = refuse(http.StatusNotFound, "The requested file version does not exist.", "Check the version id.")

func findVersion(tx store.Tx, id, versionID string) (*store.File, store.Version, error) {
	file, list, err := findVersions(tx, id)
	at := slices.IndexFunc(list, func(v store.Version) bool { return v.ID == versionID })
	if err != nil || at < 0 {
		return nil, store.Version{}, cmp.Or(err, error(errNoVersion))
	}
	return file, list[at], nil
}

func findVersions(tx store.Tx, id string) (*store.File, []store.Version, error) {
	file, err := store.Get[store.File](tx, id)
	if err != nil {
		return nil, nil, err
	}
	list, err := tx.Versions.Of(id)
	return file, list, err
}

// withVersion returns the file with another version, and no region if the size differs.
func withVersion(file store.File, v store.Version) *store.File {
	if v.Width != file.Version.Width || v.Height != file.Version.Height {
		file.Region = ""
	}
	file.Version = v
	return &file
}

func (l *Library) versionRecord(file *store.File, v store.Version) *api.File {
	as := withVersion(*file, v)
	if v.ID == file.Version.ID {
		return l.fullRecord(as)
	}
	as.Updated = v.Created
	record := l.fullRecord(as)
	record.Type = api.TypeVersion
	record.URL += "?" + versionParameter + "=" + v.ID
	if record.Thumbnail != "" {
		record.Thumbnail += "?" + versionParameter + "=" + v.ID
	}
	return record
}

func (l *Library) listVersions(tx store.Tx, r *http.Request) (any, error) {
	file, list, err := findVersions(tx, r.PathValue("fileId"))
	return rule.Mapped(list, func(v store.Version) *api.File { return l.versionRecord(file, v) }), err
}

func (l *Library) showVersion(tx store.Tx, r *http.Request) (any, error) {
	file, v, err := findVersion(tx, r.PathValue("fileId"), r.PathValue("versionId"))
	if err != nil {
		return nil, err
	}
	record := l.versionRecord(file, v)
	record.EmbeddedMetadata, err = tx.Versions.Embedded(v.ID)
	return record, err
}

func (l *Library) deleteVersion(tx store.Tx, r *http.Request) (any, error) {
	file, v, err := findVersion(tx, r.PathValue("fileId"), r.PathValue("versionId"))
	if err == nil && v.ID == file.Version.ID {
		err = badRequest("You cannot delete current version of a file.", "Restore another version first, or delete the file.")
	}
	if err != nil {
		return nil, err
	}
	return nil, tx.Versions.Delete(file.ID, v.ID)
}

func (l *Library) restoreVersion(tx store.Tx, r *http.Request) (any, error) {
	file, v, err := findVersion(tx, r.PathValue("fileId"), r.PathValue("versionId"))
	if err != nil {
		return nil, err
	}
	if v.ID != file.Version.ID {
		file = withVersion(*file, v)
		file.Updated = l.now()
		if err := tx.Files.Update(file); err != nil {
			return nil, err
		}
	}
	return l.versionRecord(file, v), nil
}
