package local

import (
	"errors"
	"net/http"
	"strconv"

	"golang.org/x/text/unicode/norm"

	"mediadesk/api"
	"mediadesk/api/local/store"
	"mediadesk/api/rule"
)

// makeFolder creates a folder with missing parents. An existing folder is no error.
func (l *Library) makeFolder(r *http.Request) (any, error) {
	var name, parent string
	if _, err := readBody(r, 2, member{"folderName", &name}, member{"parentFolderPath", &parent}); err != nil {
		return nil, err
	}
	if name == "" {
		return nil, badRequest("Your request is missing folderName parameter.", "Give the folder a name.").because(missingParameter)
	}
	name, err := folderName(name, false)
	if err != nil {
		return nil, err
	}
	clean, err := cleanFolder(parent + "/" + name)
	if err != nil {
		return nil, err
	}
	return store.Update(r.Context(), l.records, func(tx store.Tx) (any, error) {
		if err := tx.Folders.Make(clean, l.now()); err != nil {
			return nil, err
		}
		folder, err := tx.Folders.At(clean)
		if err != nil {
			return nil, err
		}
		return folderRecord(folder), nil
	})
}

// cleanFolder returns rule.CleanFolder(path) in NFC, as stored.
func cleanFolder(path string) (string, error) {
	clean, err := rule.CleanFolder(path)
	if broken, ok := errors.AsType[*api.RuleError](err); ok {
		err = badRequest(broken.Message, broken.Help).because(invalidFolder)
	}
	return norm.NFC.String(clean), err
}

// subfolder is like cleanFolder but returns the error root for the root folder.
func subfolder(path string, root error) (string, error) {
	clean, err := cleanFolder(path)
	if err == nil && clean == "/" {
		err = root
	}
	return clean, err
}

// folderName returns rule.FolderName, except for a step in a path.
func folderName(name string, renamed bool) (string, error) {
	if name == "." || name == ".." {
		return "", badRequest("A folder cannot have the name "+quote(name)+".", "It is a step in a path. Give the folder another name.").because(invalidFolder)
	}
	return rule.FolderName(name, renamed), nil
}

// checkCount refuses an operation on a folder with too many files and folders.
func (l *Library) checkCount(tx store.Tx, folder string) error {
	below := store.Match{Subject: store.MatchFolder, Op: ":", Text: []string{folder}}
	beyond, err := tx.Files.List(store.Query{Files: true, Folders: true, Match: &below, Limit: 1, Skip: l.o.objects})
	if err == nil && len(beyond) > 0 {
		err = badRequest("The folder "+quote(folder)+" has more than "+strconv.Itoa(l.o.objects)+" files and folders.", "Repeat the operation for each of its folders.").because("TOO_MANY_OBJECTS")
	}
	return err
}

// deleteFolder deletes a folder with its contents.
func (l *Library) deleteFolder(r *http.Request) (any, error) {
	var path string
	if _, err := readBody(r, 1, member{"folderPath", &path}); err != nil {
		return nil, err
	}
	clean, err := subfolder(path, invalid("folderPath", "it is the root folder", "Name a folder in it."))
	if err != nil {
		return nil, err
	}
	err = l.records.Update(r.Context(), func(tx store.Tx) error {
		if err := l.checkCount(tx, clean); err != nil {
			return err
		}
		return tx.Folders.Delete(clean)
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, refuse(http.StatusNotFound, "No folder found with folderPath "+quote(path)+".", "Check the path.").because("FOLDER_NOT_FOUND")
	}
	return nil, err
}
