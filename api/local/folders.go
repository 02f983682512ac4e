package local

import (
	"errors"
	"net/http"
	"strings"

	"golang.org/x/text/unicode/norm"

	"mediadesk/api"
	"mediadesk/api/local/store"
)

// makeFolder makes a folder and its missing parents. It succeeds if the folder exists.
func (l *Library) makeFolder(r *http.Request) (any, error) {
	var name, parent string
	if err := readBody(r, 2, member{"folderName", &name}, member{"parentFolderPath", &parent}); err != nil {
		return nil, err
	}
	if api.FolderDepth(name) == 0 {
		return nil, badRequest("Your request is missing folderName parameter.", "Give the folder a name.")
	}
	clean, err := cleanFolder(parent + "/" + folderName(name))
	if err != nil {
		return nil, err
	}
	return store.Update(r.Context(), l.records, func(tx store.Tx) (any, error) {
		if err := tx.MakeFolder(clean, l.now()); err != nil {
			return nil, err
		}
		folder, err := tx.FolderAt(clean)
		if err != nil {
			return nil, err
		}
		return folderRecord(folder), nil
	})
}

// cleanFolder is api.CleanFolder in the one spelling (NFC) that is stored.
func cleanFolder(path string) (string, error) {
	clean, err := api.CleanFolder(path)
	return norm.NFC.String(clean), err
}

// subfolder is cleanFolder of the member field for a folder that is not the root.
func subfolder(field, path string) (string, error) {
	clean, err := cleanFolder(path)
	if err == nil && clean == "/" {
		return "", badRequest("Your request contains invalid "+field+" parameter: it is the root folder.", "Name a folder in it.")
	}
	return clean, err
}

// folderName replaces characters in the name of a new folder as in a file name.
// Uploads into a folder with such characters are refused.
func folderName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '/' {
			return r
		}
		return []rune(strings.ReplaceAll(api.StoredName(string(r)), ".", "_"))[0]
	}, name)
}

// deleteFolder deletes a folder with everything in it.
func (l *Library) deleteFolder(r *http.Request) (any, error) {
	var path string
	if err := readBody(r, 1, member{"folderPath", &path}); err != nil {
		return nil, err
	}
	clean, err := subfolder("folderPath", path)
	if err != nil {
		return nil, err
	}
	err = l.records.Update(r.Context(), func(tx store.Tx) error { return tx.DeleteFolder(clean) })
	if errors.Is(err, store.ErrNotFound) {
		return nil, refuse(http.StatusNotFound, "No folder found with folderPath "+quote(path)+".", "Check the path.").because("FOLDER_NOT_FOUND")
	}
	return nil, err
}
