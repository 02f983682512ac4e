package rule

import (
	"net/url"
	"path"
	"strings"

	"mediadesk/api"
)

// CheckPurgeURL checks an address to purge. The error is a *api.RuleError.
func CheckPurgeURL(address string) error {
	if u, err := url.Parse(address); err == nil && CheckSourceURL(address) == nil && u.Path != "" {
		before, after, found := strings.Cut(u.Path, "*")
		if !found || after == "" && (len(before) > 15 || strings.Count(before, "/") > 2 || path.Ext(before) != "") {
			return nil
		}
	}
	return &api.RuleError{
		Field: "url", Message: "The URL is not valid for cache purging.",
		Help: "Send the url of a record. It may end in * after two folder levels, 15 characters or a file name.",
	}
}

// PurgeURL returns the address that purges the URL of a record. It ends in * to include
// transformations in the query, if the service accepts that.
func PurgeURL(address string) string {
	address, _, _ = strings.Cut(address, "?")
	if all := address + "*"; CheckPurgeURL(all) == nil {
		return all
	}
	return address
}
