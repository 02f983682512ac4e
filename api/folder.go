package api

import (
	"fmt"
	"strings"
)

// MaxFolderDepth is how many levels deep folders may nest (service.md §8).
const MaxFolderDepth = 50

// CleanFolder returns folder as the service writes it: with one slash at the
// start, at the end and between names, "/" being the root (service.md §4.1, folder). An
// empty text is the root. Repeated slashes stand for one, since a folder
// without a name cannot be.
//
// The error, a *RuleError, names the character that is not allowed or the
// depth that is too great. The cleaned text comes with it, so that a form can
// show how far it got.
func CleanFolder(folder string) (string, error) {
	names := folderNames(folder)
	clean := "/"
	if len(names) > 0 {
		clean = "/" + strings.Join(names, "/") + "/"
	}
	for _, r := range folder {
		if !folderRune(r) {
			return clean, &RuleError{
				Field:   "folder",
				Message: fmt.Sprintf("folder %s holds %s, which a folder may not", quote(folder), quote(string(r))),
				Help:    fmt.Sprintf("Folders take letters, marks and numerals of any language, and / _ -. Allowed would be %s.", quote(allowedFolder(clean))),
			}
		}
	}
	if len(names) > MaxFolderDepth {
		return clean, &RuleError{
			Field:   "folder",
			Message: fmt.Sprintf("folder is %d levels deep; at most %d are allowed", len(names), MaxFolderDepth),
			Help:    "Use fewer levels.",
		}
	}
	return clean, nil
}

// FolderDepth is the number of levels in folder; the root has none.
func FolderDepth(folder string) int { return len(folderNames(folder)) }

func folderNames(folder string) []string {
	return strings.FieldsFunc(folder, func(r rune) bool { return r == '/' })
}

func folderRune(r rune) bool {
	return r != '\uFFFD' && wordRune(r) || r == '/' || r == '_' || r == '-'
}

func allowedFolder(folder string) string {
	return strings.Map(func(r rune) rune {
		if folderRune(r) {
			return r
		}
		return '_'
	}, folder)
}

// SubFolder writes a path of folders such as "a b/c" as the service takes it,
// with each character that a folder may not have as "_" (service.md §4.1): the Sub of a
// Source.
func SubFolder(rel string) string { return allowedFolder(strings.Trim(rel, "/")) }
