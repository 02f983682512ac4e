package rule

import (
	"mediadesk/api"
)

// PathOf returns the path of the stored file in the service's form. If the service adds a suffix,
// it is only the beginning of the path.
func PathOf(u *api.Upload) string {
	folder, _ := CleanFolder(u.Folder.Or("/"))
	return folder + StoredName(u.FileName)
}

// CheckPathOf checks the name and the length of the path of the stored file. An invalid folder is
// left to the check of the folder.
func CheckPathOf(u *api.Upload) error {
	if err := CheckName(u.FileName); err != nil {
		return err
	}
	if _, err := CleanFolder(u.Folder.Or("/")); err != nil {
		return nil
	}
	path := PathOf(u)
	if u.UseUniqueFileName.Or(true) {
		path = UniqueName(path, NewSuffix())
	}
	return CheckPath(path)
}
