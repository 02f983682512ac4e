package local

import (
	"errors"
	"net/http"
	"slices"
	"strconv"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/local/store"
)

// Limits on the number of files in one request.
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

// deleteFile deletes a file with all its versions.
func (l *Library) deleteFile(tx store.Tx, r *http.Request) (any, error) {
	return nil, tx.Files.Delete(r.PathValue("fileId"))
}

// deleteFiles deletes several files.
func (l *Library) deleteFiles(r *http.Request) (any, error) {
	var list []string
	if _, err := readBody(r, 1, member{"fileIds", &list}); err != nil {
		return nil, err
	}
	return l.bulk(r, list, maxDeleted, "successfullyDeletedFileIds", func(tx store.Tx, id string) error { return tx.Files.Delete(id) })
}

// changeTags returns the operation that adds or removes tags of several files.
func changeTags(field string, change func(f *store.File, tags []string)) operation {
	return func(l *Library, r *http.Request) (any, error) {
		var list, tags []string
		if _, err := readBody(r, 2, member{"fileIds", &list}, member{field, &tags}); err != nil {
			return nil, err
		}
		if len(tags) == 0 {
			return nil, invalid(field, "it has no tags", `Send an array of texts such as ["a","b"].`)
		}
		if problems := entry.CheckDetails(api.Details{Tags: api.Set(tags)}); len(problems) > 0 {
			return nil, problems[0]
		}
		return l.bulk(r, list, maxTagged, "successfullyUpdatedFileIds", func(tx store.Tx, id string) error {
			file, err := store.Get[store.File](tx, id)
			if err != nil {
				return err
			}
			change(file, tags)
			file.Updated = l.now()
			return tx.Files.Update(file)
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

// bulk changes at most most files in one transaction. If one does not exist, it changes none.
func (l *Library) bulk(r *http.Request, list []string, most int, done string, change func(tx store.Tx, id string) error) (any, error) {
	ids, err := fileIDs(list, most)
	if err != nil {
		return nil, err
	}
	return map[string][]string{done: ids}, l.records.Update(r.Context(), func(tx store.Tx) error {
		var missing []string
		for _, id := range ids {
			switch err := change(tx, id); {
			case errors.Is(err, store.ErrNotFound):
				missing = append(missing, id)
			case err != nil:
				return err
			}
		}
		if missing != nil {
			p := refuse(http.StatusNotFound, "The requested file(s) does not exist.", "Nothing was changed. Check the file ids.")
			p.Missing = missing
			return p
		}
		return nil
	})
}
