package rule

import (
	"fmt"
	"slices"
	"strings"

	"mediadesk/api"
)

// MaxFolderDepth is the maximum depth of nested folders (service.md §8).
const MaxFolderDepth = 50

// CleanFolder normalizes folder to the service's form: one slash at the start, at the end and
// between names (service.md §4.1, folder). Empty text is the root "/". Repeated slashes count as
// one.
//
// The error is a *api.RuleError for an invalid character, too many levels or a path that is too
// long. The normalized text is returned in any case, so that a form can show it.
func CleanFolder(folder string) (string, error) {
	names := folderNames(folder)
	clean := "/"
	if len(names) > 0 {
		clean = "/" + strings.Join(names, "/") + "/"
	}
	for _, r := range folder {
		if !folderRune(r) {
			wrong, help := string(r), fmt.Sprintf("Names of folders have letters, digits, _ and -, as in %s.", api.Quote(underscored(clean, folderRune)))
			if slices.Contains(names, "..") {
				wrong, help = "..", `Write it from the top: "/summer/".`
			}
			return clean, broken(FieldFolder,
				fmt.Sprintf("folder %s cannot have %s", api.Quote(folder), api.Quote(wrong)), help)
		}
	}
	if len(names) > MaxFolderDepth {
		return clean, broken(FieldFolder,
			fmt.Sprintf("folder is %d levels deep; at most %d are allowed", len(names), MaxFolderDepth), "Use fewer levels.")
	}
	return clean, checkPath(FieldFolder, clean)
}

// FolderDepth returns the number of levels in folder, 0 for the root.
func FolderDepth(folder string) int { return len(folderNames(folder)) }

func folderNames(folder string) []string {
	return strings.FieldsFunc(folder, func(r rune) bool { return r == '/' })
}

func folderRune(r rune) bool { return wordRune(r) || r == '/' || r == '_' || r == '-' }

// FolderName returns the name that the service gives to a folder that is created or renamed as
// name (hosted-service.md §9). Every character except letters, combining marks and numerals of any
// language becomes "_". Only a renamed folder keeps "-". Uploads create folders with the names of
// CleanFolder instead.
func FolderName(name string, renamed bool) string {
	return underscored(name, func(r rune) bool { return wordRune(r) || renamed && r == '-' })
}

// CreatedFolder returns the path of the folder that api.MakeFolder creates for folder: its last
// name is that of FolderName. The result has the form of CleanFolder.
func CreatedFolder(folder string) string {
	names := folderNames(folder)
	if last := len(names) - 1; last >= 0 {
		names[last] = FolderName(names[last], false)
	}
	clean, _ := CleanFolder(strings.Join(names, "/"))
	return clean
}

// SubFolder converts a path of folders such as "a b/c" to valid folder names, replacing invalid
// characters with "_" (service.md §4.1), for the Sub of a Source.
func SubFolder(rel string) string { return underscored(strings.Trim(rel, "/"), folderRune) }

// CheckFolderName checks the name of a folder. The error is a *api.RuleError.
func CheckFolderName(name string) error {
	clean, err := CleanFolder(name)
	if err == nil && (clean != "/"+name+"/" || FolderDepth(clean) != 1) {
		err = broken(FieldFolder, api.Quote(name)+" is not the name of a folder", "Give a name without slashes.")
	}
	return err
}
