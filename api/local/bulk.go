package local

import (
	"errors"
	"net/http"
	"slices"
	"strconv"

	"mediadesk/api"
	"mediadesk/api/local/store"
)

// How many files one request may name.
const (
	maxTagged  = 50
	maxDeleted = 100
)

func plural(n int, what string) string {
	text := strconv.Itoa(n) + " " + what
	if n != 1 {
		text += "s"
	}
	return text
}

// deleteFile removes a file with all its versions.
func (l *Library) deleteFile(w http.ResponseWriter, r *http.Request) error {
	id, err := fileID(r)
	if err != nil {
		return err
	}
	if err := l.records.Update(r.Context(), func(tx store.Tx) error { return tx.DeleteFile(id) }); err != nil {
		return notFound(err)
	}
	writeNothing(w, r)
	return nil
}

// deleteFiles removes several files at once.
func (l *Library) deleteFiles(w http.ResponseWriter, r *http.Request) error {
	var list []string
	if err := readBody(r, 1, member{"fileIds", &list}); err != nil {
		return err
	}
	ids, err := fileIDs(list, maxDeleted)
	if err != nil {
		return err
	}
	return l.bulk(w, r, ids, "successfullyDeletedFileIds", func(tx store.Tx, id string) error { return tx.DeleteFile(id) })
}

// changeTags is the operation that adds or removes tags of several files.
func changeTags(field string, change func(f *store.File, tags []string)) operation {
	return func(l *Library, w http.ResponseWriter, r *http.Request) error {
		var list, tags []string
		if err := readBody(r, 2, member{"fileIds", &list}, member{field, &tags}); err != nil {
			return err
		}
		ids, err := fileIDs(list, maxTagged)
		if err != nil {
			return err
		}
		if len(tags) == 0 {
			return badRequest("Your request contains invalid "+field+" parameter: it has no tags.", `Send an array of texts such as ["a","b"].`)
		}
		if problems := (&api.Details{Tags: api.Set(tags)}).Check(); len(problems) > 0 {
			return problems[0]
		}
		return l.bulk(w, r, ids, "successfullyUpdatedFileIds", func(tx store.Tx, id string) error {
			file, err := tx.File(id)
			if err != nil {
				return err
			}
			change(file, tags)
			file.Updated = l.now()
			return tx.UpdateFile(file)
		})
	}
}

func addTags(f *store.File, tags []string) { f.Tags = unique(append(f.Tags, tags...)) }

func removeTags(f *store.File, tags []string) {
	f.Tags = slices.DeleteFunc(f.Tags, func(tag string) bool { return slices.Contains(tags, tag) })
}

func removeAITags(f *store.File, names []string) {
	f.AITags = slices.DeleteFunc(f.AITags, func(tag api.AITag) bool { return slices.Contains(names, tag.Name) })
}

// bulk does the same to several files in one transaction. Those that do not
// exist are told: with 207 where others do, with 404 where none does.
func (l *Library) bulk(w http.ResponseWriter, r *http.Request, ids []string, done string, act func(store.Tx, string) error) error {
	type failure struct {
		FileID string `json:"fileId"`
		Error  string `json:"error"`
	}
	var good, missing []string
	var failures []failure
	err := l.records.Update(r.Context(), func(tx store.Tx) error {
		good, missing, failures = nil, nil, nil
		for _, id := range ids {
			err := act(tx, id)
			if errors.Is(err, store.ErrNotFound) {
				missing = append(missing, id)
				failures = append(failures, failure{id, "The requested file does not exist."})
				continue
			}
			if err != nil {
				return err
			}
			good = append(good, id)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case len(good) == 0:
		return &problem{status: http.StatusNotFound, message: "The requested file(s) does not exist.", help: "Check the file ids.", missing: missing}
	case len(missing) > 0:
		writeJSON(w, http.StatusMultiStatus, map[string]any{done: good, "errors": failures, "missingFileIds": missing})
	default:
		writeJSON(w, http.StatusOK, map[string]any{done: good})
	}
	return nil
}
