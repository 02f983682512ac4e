package rule

import (
	"fmt"
	"strings"

	"mediadesk/api"
)

// FolderUnder returns the folder of a source below a destination folder. It keeps the tree of a
// selected folder (see WalkFolder).
func FolderUnder(s api.Source, folder string) string {
	if s.Sub == "" {
		return folder
	}
	return strings.TrimRight(folder, "/") + "/" + s.Sub + "/"
}

// CheckSize returns a *api.RuleError if size, in bytes, exceeds the limit of an account
// (service.md §8). A limit of 0 means none.
func CheckSize(size, limit int64) error {
	if limit <= 0 || size <= limit {
		return nil
	}
	has, most := api.DescribeSize(size), api.DescribeSize(limit)
	if has == most { // avoid "25.0 MB is more than 25.0 MB"
		has, most = fmt.Sprintf("%d bytes", size), fmt.Sprintf("%d bytes", limit)
	}
	return &api.RuleError{
		Field:   "file",
		Message: fmt.Sprintf("file has %s; the limit of this account is %s", has, most),
		Help:    "Make it smaller, or raise the limit in the profile if the account allows more.",
	}
}
