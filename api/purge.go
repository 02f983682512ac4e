package api

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// Purge is a request to remove cached copies (hosted-service.md §10).
type Purge struct {
	URL    string `json:"url,omitempty"` // empty if the service chose it for a rename
	ID     string `json:"requestId"`     // empty if the rename succeeded but the purge failed
	Status string `json:"status"`        // JobPending or JobCompleted; empty if unknown
}

// CheckPurgeURL checks an address to purge. The error is a *RuleError.
func CheckPurgeURL(address string) error {
	if u, err := url.Parse(address); err == nil && CheckSourceURL(address) == nil && u.Path != "" {
		before, after, found := strings.Cut(u.Path, "*")
		if !found || after == "" && (len(before) > 15 || strings.Count(before, "/") > 2 || path.Ext(before) != "") {
			return nil
		}
	}
	return &RuleError{
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

// StartPurge starts purging an address, which may end in *. PurgeStatus returns its progress.
func (c *Client) StartPurge(ctx context.Context, address string) (Purge, error) {
	p := Purge{URL: address}
	err := c.perform(ctx, "purging of the cache", &p)(c.DescribePurge(address))
	return p, err
}

// DescribePurge returns the request that StartPurge would send.
func (c *Client) DescribePurge(address string) (Request, error) {
	if err := CheckPurgeURL(address); err != nil {
		return Request{}, err
	}
	text, err := json.Marshal(map[string]string{"url": address})
	return Request{Method: http.MethodPost, Address: c.fileAddress("purge"), Body: string(text)}, err
}

// PurgeStatus returns the status of a purge: JobPending or JobCompleted.
func (c *Client) PurgeStatus(ctx context.Context, id string) (string, error) {
	if err := checkID(id); err != nil {
		return "", err
	}
	var answer struct{ Status string }
	err := c.call(ctx, Request{Method: http.MethodGet, Address: c.fileAddress("purge", id)}, "status of a purge", &answer)
	return answer.Status, err
}

// RenameAndPurge renames a file and purges its old URL with all transformations in the query. The
// ID of the purge is empty if only the purge failed.
func (c *Client) RenameAndPurge(ctx context.Context, filePath, name string) (Purge, error) {
	var answer struct{ PurgeRequestID string }
	err := c.perform(ctx, "renaming", &answer)(c.DescribeRename(filePath, name, true))
	return Purge{ID: answer.PurgeRequestID}, err
}
