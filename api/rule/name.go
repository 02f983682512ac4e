package rule

import (
	"crypto/rand"
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode"

	"mediadesk/api"
)

// StoredName returns the name under which the service stores a file (service.md §4.1, fileName).
// Letters, combining marks and numerals of any language, "." and "-" stay; every other character,
// and every invalid UTF-8 byte, becomes "_". The result has as many characters as name, in the
// same positions.
func StoredName(name string) string {
	return underscored(name, func(r rune) bool { return wordRune(r) || r == '.' || r == '-' })
}

// wordRune reports whether r is a letter, combining mark or numeral of any language. U+FFFD, which
// stands for an invalid UTF-8 byte, is none.
func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r) }

// CheckName checks a file name to send: it is required (service.md §4.1), and must not be a path
// element such as "..", which has no address.
func CheckName(name string) error {
	switch name {
	case "":
		return broken(FieldName, "fileName is missing", "Give the file a name.")
	case ".", "..":
		return broken(FieldName, "fileName "+api.Quote(name)+" is a step in a path, not a name", "Give the file another name.")
	}
	return checkLength(FieldName, "fileName", len(StoredName(name)), maxName)
}

// The specification has no limit for names. The local service has the one where servers begin to
// refuse URLs, in bytes.
const (
	maxName = 4096 // of a file or folder
	maxPath = 8192
)

// CheckPath checks the length of the path of a stored file or folder, and of the names in it. The
// error is a *api.RuleError.
func CheckPath(path string) error { return checkPath(FieldName, path) }

func checkPath(field, path string) error {
	for name := range strings.SplitSeq(path, "/") {
		if err := checkLength(field, "a name in the path", len(name), maxName); err != nil {
			return err
		}
	}
	return checkLength(field, "the path", len(path), maxPath)
}

func checkLength(field, what string, length, most int) error {
	if length <= most {
		return nil
	}
	return broken(field, fmt.Sprintf("%s is %d bytes long; at most %d are allowed", what, length, most), "Shorten it.")
}

const (
	suffixRunes  = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	suffixLength = 9
)

// NewSuffix returns nine random characters of [A-Za-z0-9_-], the form in which
// the service itself makes a name unique.
func NewSuffix() string {
	b := make([]byte, suffixLength)
	rand.Read(b)
	for i := range b {
		b[i] = suffixRunes[b[i]%byte(len(suffixRunes))]
	}
	return string(b)
}

// UniqueName inserts "_" and suffix before the extension of name: "photo.jpg" and "iEyH1dQme"
// become "photo_iEyH1dQme.jpg". A leading dot is part of the name, not the start of an extension.
func UniqueName(name, suffix string) string {
	ext := path.Ext(name)
	if ext == name {
		ext = ""
	}
	return strings.TrimSuffix(name, ext) + "_" + suffix + ext
}

// madeSuffix matches the part that UniqueName inserts.
var madeSuffix = regexp.MustCompile(`_[A-Za-z0-9_-]{9}(\.[^.]*)?$`)

// WithoutSuffix returns a name without the part inserted by UniqueName.
func WithoutSuffix(name string) string { return madeSuffix.ReplaceAllString(name, "$1") }

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
