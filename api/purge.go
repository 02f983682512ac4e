package api

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// Purge is a request to remove the cached copies of an address (hosted-service.md §10).
type Purge struct {
	URL    string `json:"url,omitempty"` // empty if the service chose it, after a rename
	ID     string `json:"requestId"`     // empty if a rename succeeded and the purge failed
	Status string `json:"status"`        // JobPending or JobCompleted; empty if it is not known
}

// CheckPurgeURL says what is wrong with an address that is to be purged. The error is a
// *RuleError.
func CheckPurgeURL(address string) error {
	if u, err := url.Parse(address); err == nil && CheckSourceURL(address) == nil && u.Path != "" {
		before, after, found := strings.Cut(u.Path, "*")
		if !found || after == "" && (len(before) > 15 || strings.Count(before, "/") > 2 || path.Ext(before) != "") {
			return nil
		}
	}
	return &RuleError{
		Field: "url", Message: "The URL is not valid for cache purging.",
		Help: "Send the url of a record. A * may stand at the end of two folder levels, of 15 characters, or of a file name.",
	}
}

// PurgeURL returns the address to purge for the URL of a record: with all
// transformations in the query, where the service takes a * at its end.
func PurgeURL(address string) string {
	address, _, _ = strings.Cut(address, "?")
	if all := address + "*"; CheckPurgeURL(all) == nil {
		return all
	}
	return address
}

// StartPurge asks the service to purge an address, which may end in *. PurgeStatus tells
// when it is done.
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

// RenameAndPurge is RenameFile, and purges the old URL with all transformations in the
// query. If the file was renamed but purging failed, the ID of the purge is empty.
func (c *Client) RenameAndPurge(ctx context.Context, filePath, name string) (Purge, error) {
	var answer struct{ PurgeRequestID string }
	err := c.perform(ctx, "renaming", &answer)(c.DescribeRename(filePath, name, true))
	return Purge{ID: answer.PurgeRequestID}, err
}
