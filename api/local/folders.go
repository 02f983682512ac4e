package local

import (
	"errors"
	"net/http"
	"strings"

	"golang.org/x/text/unicode/norm"

	"mediadesk/api"
	"mediadesk/api/local/store"
)

// makeFolder makes a folder with all that lead to it. One that is there
// already is no error.
func (l *Library) makeFolder(w http.ResponseWriter, r *http.Request) error {
	var name, parent string
	if err := readBody(r, 2, member{"folderName", &name}, member{"parentFolderPath", &parent}); err != nil {
		return err
	}
	if api.FolderDepth(name) == 0 {
		return badRequest("Your request is missing folderName parameter.", "Give the folder a name.")
	}
	name = folderName(name)
	clean, err := api.CleanFolder(parent + "/" + name)
	if err != nil {
		return err
	}
	clean = norm.NFC.String(clean)
	var folder *store.Folder
	err = l.records.Update(r.Context(), func(tx store.Tx) error {
		if err := tx.MakeFolder(clean, l.now()); err != nil {
			return err
		}
		folder, err = tx.FolderAt(clean)
		return err
	})
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusCreated, folderRecord(folder))
	return nil
}

// folderName writes the name of a new folder as a file's would be: of a folder
// that is to be stored in, a wrong character is refused.
func folderName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '/' {
			return r
		}
		return []rune(strings.ReplaceAll(api.StoredName(string(r)), ".", "_"))[0]
	}, name)
}

// deleteFolder removes a folder with everything in it.
func (l *Library) deleteFolder(w http.ResponseWriter, r *http.Request) error {
	var path string
	if err := readBody(r, 1, member{"folderPath", &path}); err != nil {
		return err
	}
	clean, err := api.CleanFolder(path)
	if err != nil {
		return err
	}
	if clean == "/" {
		return badRequest("The root folder cannot be deleted.", "Name a folder in it.")
	}
	err = l.records.Update(r.Context(), func(tx store.Tx) error { return tx.DeleteFolder(clean) })
	if errors.Is(err, store.ErrNotFound) {
		return &problem{status: http.StatusNotFound, message: "No folder found with folderPath " + quote(path) + ".", help: "Check the path.", reason: "FOLDER_NOT_FOUND"}
	}
	if err != nil {
		return err
	}
	writeNothing(w, r)
	return nil
}
