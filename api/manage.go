package api

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// The operations of this file are not part of the specification: hosted services and the local
// library support them, others answer 404 (see Unavailable).

// checkID checks the id of a file or version for use in a path. Escaping does not protect against
// ids such as "..".
func checkID(id string) error {
	fail := func(format string, args ...any) error {
		return &RuleError{Field: "fileId", Message: fmt.Sprintf(format, args...), Help: "Take the fileId of the record; a library path begins with /."}
	}
	switch {
	case id == "":
		return fail("the file id is empty")
	case len(id) > maxID:
		return fail("the file id %s is longer than %d characters", quote(id), maxID)
	case strings.Trim(id, ".") == "", strings.ContainsAny(id, `/\`), strings.ContainsFunc(id, func(r rune) bool { return !unicode.IsGraphic(r) }):
		return fail("%s is not a file id", quote(id))
	}
	return nil
}

// maxID is the maximum length of an ID in bytes. Services use 24.
const maxID = 256

// files returns the path of a file, or of the resource named by the further path elements.
func files(steps ...string) string {
	address := "/v1/files"
	for _, step := range steps {
		address += "/" + url.PathEscape(step)
	}
	return address
}

// Versions lists the versions of a file, newest first.
func (c *Client) Versions(ctx context.Context, fileID string) (list []File, err error) {
	err = c.Do(ctx, &list)(c.DescribeVersions(fileID))
	return list, err
}

// DescribeVersions returns the request that Versions would send.
func (c *Client) DescribeVersions(fileID string) (Request, error) {
	return c.request("list of versions", http.MethodGet, files(fileID, "versions"), nil, checkID(fileID))
}

// RestoreVersion makes a version the current one and returns the new record.
func (c *Client) RestoreVersion(ctx context.Context, fileID, versionID string) (*File, error) {
	return c.file(ctx)(c.DescribeRestore(fileID, versionID))
}

// DescribeRestore returns the request that RestoreVersion would send.
func (c *Client) DescribeRestore(fileID, versionID string) (Request, error) {
	err := cmp.Or(checkID(fileID), checkID(versionID))
	return c.request("restoring of a version", http.MethodPut, files(fileID, "versions", versionID, "restore"), nil, err)
}

// DescribeDelete describes permanently deleting a file with all its versions.
func (c *Client) DescribeDelete(fileID string) (Request, error) {
	return c.request("deletion", http.MethodDelete, files(fileID), nil, checkID(fileID))
}

// DescribeDeleteVersion describes permanently deleting a version other than the current one.
func (c *Client) DescribeDeleteVersion(fileID, versionID string) (Request, error) {
	err := cmp.Or(checkID(fileID), checkID(versionID))
	return c.request("deletion of a version", http.MethodDelete, files(fileID, "versions", versionID), nil, err)
}

// The maximum number of files per call (hosted-service.md §10).
const (
	maxTagged  = 50
	maxDeleted = 100
)

// AddTags adds tags to files, in calls of 50 files each. It returns an error, or nil, per file.
func (c *Client) AddTags(ctx context.Context, fileIDs, tags []string) []error {
	return c.bulk(ctx, "addTags", map[string]any{"tags": tags}, fileIDs, maxTagged)
}

// RemoveTags removes tags from files; see AddTags.
func (c *Client) RemoveTags(ctx context.Context, fileIDs, tags []string) []error {
	return c.bulk(ctx, "removeTags", map[string]any{"tags": tags}, fileIDs, maxTagged)
}

// DeleteFiles permanently deletes files, in calls of 100 files each. It returns an error, or nil, per
// file.
func (c *Client) DeleteFiles(ctx context.Context, fileIDs []string) []error {
	return c.bulk(ctx, "batch/deleteByFileIds", map[string]any{}, fileIDs, maxDeleted)
}

// bulk sends an operation on many files in batches. If a file is unknown, the service does nothing
// for its batch: bulk then repeats the call without that file.
func (c *Client) bulk(ctx context.Context, operation string, body map[string]any, fileIDs []string, most int) []error {
	errs := make([]error, len(fileIDs))
	var todo []int
	for i, id := range fileIDs {
		if errs[i] = checkID(id); errs[i] == nil {
			todo = append(todo, i)
		}
	}
	for portion := range slices.Chunk(todo, most) {
		for len(portion) > 0 {
			ids := make([]string, len(portion))
			for k, i := range portion {
				ids[k] = fileIDs[i]
			}
			body["fileIds"] = ids
			missing, err := c.bulkOnce(ctx, operation, body, func(id string, err error) {
				if i := slices.Index(fileIDs, id); i >= 0 {
					errs[i] = err
				}
			})
			if err == nil {
				break
			}
			rest := slices.DeleteFunc(slices.Clone(portion), func(i int) bool { return slices.Contains(missing, fileIDs[i]) })
			for _, i := range portion {
				if len(rest) == len(portion) || !slices.Contains(rest, i) {
					errs[i] = err
				}
			}
			if len(rest) == len(portion) {
				break
			}
			portion = rest
		}
	}
	return errs
}

// bulkOnce sends one batch. It calls failed for each file that the service reports as failed; missing
// are the files that the service does not know.
func (c *Client) bulkOnce(ctx context.Context, operation string, body map[string]any, failed func(id string, err error)) (missing []string, err error) {
	var answer struct {
		Errors         []struct{ FileID, Error string }
		MissingFileIDs []string
	}
	err = c.Do(ctx, &answer)(c.request(operation, http.MethodPost, files()+"/"+operation, body, nil))
	for _, e := range answer.Errors {
		status := http.StatusMultiStatus
		if slices.Contains(answer.MissingFileIDs, e.FileID) {
			status = http.StatusNotFound
		}
		failed(e.FileID, &ServiceError{Status: status, Message: e.Error})
	}
	if refusal, ok := errors.AsType[*ServiceError](err); ok {
		missing = refusal.MissingFileIDs
	}
	return missing, err
}

// DescribeCopy describes copying the file at a path into a folder. If a file of that name exists there,
// the copy becomes its new version.
func (c *Client) DescribeCopy(filePath, folder string) (Request, error) {
	return c.describeTransfer("copy", filePath, folder)
}

// DescribeMove describes moving the file at a path into a folder; see DescribeCopy for existing names.
func (c *Client) DescribeMove(filePath, folder string) (Request, error) {
	return c.describeTransfer("move", filePath, folder)
}

func (c *Client) describeTransfer(op, filePath, folder string) (Request, error) {
	clean, err := CleanFolder(folder)
	if filePath == "" {
		err = errNoPath
	}
	return c.request(op, http.MethodPost, files(op), map[string]string{"sourceFilePath": filePath, "destinationPath": clean}, err)
}

// DescribeRename describes renaming the file at a path; the service converts the name to the form of
// StoredName. It refuses an existing name. With purge, it also removes the cached copies of the old
// URL, and answers with a purgeRequestId.
func (c *Client) DescribeRename(filePath, name string, purge bool) (Request, error) {
	err := CheckName(name)
	if filePath == "" {
		err = errNoPath
	}
	body := map[string]any{"filePath": filePath, "newFileName": name}
	if purge {
		body["purgeCache"] = true
	}
	return c.request("renaming", http.MethodPut, files("rename"), body, err)
}

// CancelRun ends the pending runs of an extension on a file as failed, with the reason RunCanceled.
// Only the local library supports it. It answers 404 if the extension never ran on the file, and 409
// if it has ended.
func (c *Client) CancelRun(ctx context.Context, fileID, extension string) error {
	body := map[string]string{"fileId": fileID, "extension": extension}
	return c.Do(ctx, nil)(c.request("canceling of a run", http.MethodPost, "/api/v1/library/runs/cancel", body, nil))
}

var errNoPath = errors.New("the path of the file is empty")

// noExpiry is the expiry in the signature of an address that never expires.
const noExpiry = "9999999999"

// SignedURL returns a delivery address with a signature made with the private key, as private files
// need it (service.md §4.1, isPrivateFile). A zero time means that it never expires. The address does
// not contain the key.
func (c *Client) SignedURL(address string, expires time.Time) (string, error) {
	rest, ours := strings.CutPrefix(address, c.delivery+"/")
	switch {
	case c.delivery == "" || !ours:
		return "", errors.New("the address " + quote(address) + " is not one of the profile's delivery address, so it cannot be signed")
	case c.reveal == nil:
		return "", errors.New("an address cannot be signed without the private key")
	}
	until := noExpiry
	if !expires.IsZero() {
		until = strconv.FormatInt(expires.Unix(), 10)
	}
	h := hmac.New(sha1.New, []byte(c.reveal()))
	h.Write([]byte(rest + until))
	mark := "?"
	if strings.Contains(rest, "?") {
		mark = "&"
	}
	if !expires.IsZero() {
		mark += "ik-t=" + until + "&"
	}
	return address + mark + "ik-s=" + hex.EncodeToString(h.Sum(nil)), nil
}

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
	err := c.Do(ctx, &p)(c.DescribePurge(address))
	return p, err
}

// DescribePurge returns the request that StartPurge would send.
func (c *Client) DescribePurge(address string) (Request, error) {
	return c.request("purging of the cache", http.MethodPost, files("purge"), map[string]string{"url": address}, CheckPurgeURL(address))
}

// PurgeStatus returns the status of a purge: JobPending or JobCompleted.
func (c *Client) PurgeStatus(ctx context.Context, id string) (string, error) {
	var answer struct{ Status string }
	err := c.Do(ctx, &answer)(c.request("status of a purge", http.MethodGet, files("purge", id), nil, checkID(id)))
	return answer.Status, err
}
