package api

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // delivery requires this signature
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
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
		return &RuleError{Field: "fileId", Message: fmt.Sprintf(format, args...), Help: "Take the fileId of the record."}
	}
	switch {
	case id == "":
		return fail("the file id is empty")
	case len(id) > maxID:
		return fail("the file id %s is longer than %d characters", quote(id), maxID)
	case strings.Trim(id, ".") == "", strings.ContainsFunc(id, func(r rune) bool { return !unicode.IsGraphic(r) }):
		return fail("%s is not a file id", quote(id))
	}
	return nil
}

// maxID is the maximum length of an ID in bytes. Services use 24.
const maxID = 256

// fileAddress returns the address of a file, or of the resource named by the further path elements.
func (c *Client) fileAddress(fileID string, more ...string) string {
	address := c.base + "/v1/files/" + url.PathEscape(fileID)
	for _, step := range more {
		address += "/" + url.PathEscape(step)
	}
	return address
}

// Versions lists the versions of a file, newest first.
func (c *Client) Versions(ctx context.Context, fileID string) ([]File, error) {
	var list []File
	err := c.perform(ctx, "list of versions", &list)(c.DescribeVersions(fileID))
	return list, err
}

// DescribeVersions returns the request that Versions would send.
func (c *Client) DescribeVersions(fileID string) (Request, error) {
	if err := checkID(fileID); err != nil {
		return Request{}, err
	}
	return Request{Method: http.MethodGet, Address: c.fileAddress(fileID, "versions")}, nil
}

// RestoreVersion makes a version the current one and returns the new record.
func (c *Client) RestoreVersion(ctx context.Context, fileID, versionID string) (*File, error) {
	return c.performFile(ctx, "restoring of a version")(c.DescribeRestore(fileID, versionID))
}

// DescribeRestore returns the request that RestoreVersion would send.
func (c *Client) DescribeRestore(fileID, versionID string) (Request, error) {
	if err := cmp.Or(checkID(fileID), checkID(versionID)); err != nil {
		return Request{}, err
	}
	return Request{Method: http.MethodPut, Address: c.fileAddress(fileID, "versions", versionID, "restore")}, nil
}

// DeleteVersion permanently deletes a version other than the current one.
func (c *Client) DeleteVersion(ctx context.Context, fileID, versionID string) error {
	if err := checkID(versionID); err != nil { // an empty ID would delete all versions
		return err
	}
	return c.perform(ctx, "deletion of a version", nil)(c.DescribeDelete(fileID, versionID))
}

// DeleteFile permanently deletes a file with all its versions.
func (c *Client) DeleteFile(ctx context.Context, fileID string) error {
	return c.perform(ctx, "deletion", nil)(c.DescribeDelete(fileID, ""))
}

// DescribeDelete returns the request that DeleteVersion would send or, for an empty version, that of
// DeleteFile.
func (c *Client) DescribeDelete(fileID, versionID string) (Request, error) {
	if err := checkID(fileID); err != nil {
		return Request{}, err
	}
	address := c.fileAddress(fileID)
	if versionID != "" {
		if err := checkID(versionID); err != nil {
			return Request{}, err
		}
		address = c.fileAddress(fileID, "versions", versionID)
	}
	return Request{Method: http.MethodDelete, Address: address}, nil
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
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Errors         []struct{ FileID, Error string }
		MissingFileIDs []string
	}
	err = c.call(ctx, Request{Method: http.MethodPost, Address: c.base + "/v1/files/" + operation, Body: string(text)}, operation, &answer)
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

// CopyFile copies the file at a path into a folder. If a file of that name exists there, the copy
// becomes its new version.
func (c *Client) CopyFile(ctx context.Context, filePath, folder string) error {
	return c.perform(ctx, "copy", nil)(c.DescribeCopy(filePath, folder))
}

// MoveFile moves the file at a path into a folder; see CopyFile for existing names.
func (c *Client) MoveFile(ctx context.Context, filePath, folder string) error {
	return c.perform(ctx, "move", nil)(c.DescribeMove(filePath, folder))
}

// DescribeCopy returns the request that CopyFile would send.
func (c *Client) DescribeCopy(filePath, folder string) (Request, error) {
	return c.describeTransfer("copy", filePath, folder)
}

// DescribeMove returns the request that MoveFile would send.
func (c *Client) DescribeMove(filePath, folder string) (Request, error) {
	return c.describeTransfer("move", filePath, folder)
}

func (c *Client) describeTransfer(what, filePath, folder string) (Request, error) {
	if filePath == "" {
		return Request{}, errNoPath
	}
	clean, err := CleanFolder(folder)
	if err != nil {
		return Request{}, err
	}
	text, err := json.Marshal(map[string]string{"sourceFilePath": filePath, "destinationPath": clean})
	return Request{Method: http.MethodPost, Address: c.fileAddress(what), Body: string(text)}, err
}

// RenameFile renames the file at a path; the service converts the name to the form of StoredName. It
// refuses an existing name.
func (c *Client) RenameFile(ctx context.Context, filePath, name string) error {
	return c.perform(ctx, "renaming", nil)(c.DescribeRename(filePath, name, false))
}

// DescribeRename returns the request that renames a file. With purge, the service also removes the
// cached copies of the old URL.
func (c *Client) DescribeRename(filePath, name string, purge bool) (Request, error) {
	if filePath == "" {
		return Request{}, errNoPath
	}
	if err := CheckName(name); err != nil {
		return Request{}, err
	}
	body := map[string]any{"filePath": filePath, "newFileName": name}
	if purge {
		body["purgeCache"] = true
	}
	text, err := json.Marshal(body)
	return Request{Method: http.MethodPut, Address: c.fileAddress("rename"), Body: string(text)}, err
}

// CancelRun ends the pending runs of an extension on a file as failed, with the reason RunCanceled.
// Only the local library supports it. It answers 404 if the extension never ran on the file, and 409
// if it has ended.
func (c *Client) CancelRun(ctx context.Context, fileID, extension string) error {
	text, err := json.Marshal(map[string]string{"fileId": fileID, "extension": extension})
	if err != nil {
		return err
	}
	return c.call(ctx, Request{Method: http.MethodPost, Address: c.base + "/api/v1/library/runs/cancel", Body: string(text)}, "canceling of a run", nil)
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
