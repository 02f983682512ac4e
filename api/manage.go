package api

import (
	"context"
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // the form of signature that delivery checks
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// The operations of this file are not in the specification: a hosted service
// and the local library have them, others answer 404 or 403 (see Unavailable).

// fileAddress is where a file is, or what of it the further steps name.
func (c *Client) fileAddress(fileID string, more ...string) string {
	address := c.base + "/v1/files/" + url.PathEscape(fileID)
	for _, step := range more {
		address += "/" + url.PathEscape(step)
	}
	return address
}

// Versions lists the versions of a file, the newest first as services have it.
func (c *Client) Versions(ctx context.Context, fileID string) ([]File, error) {
	if fileID == "" {
		return nil, errNoID
	}
	var list []File
	err := c.call(ctx, http.MethodGet, c.fileAddress(fileID, "versions"), nil, "list of versions", &list)
	return list, err
}

// RestoreVersion makes a version the current one and returns the record after
// that.
func (c *Client) RestoreVersion(ctx context.Context, fileID, versionID string) (*File, error) {
	if fileID == "" || versionID == "" {
		return nil, errNoID
	}
	return c.callFile(ctx, http.MethodPut, c.fileAddress(fileID, "versions", versionID, "restore"), nil, "restoring of a version")
}

// DeleteVersion removes a version that is not the current one, for good.
func (c *Client) DeleteVersion(ctx context.Context, fileID, versionID string) error {
	if fileID == "" || versionID == "" {
		return errNoID
	}
	return c.call(ctx, http.MethodDelete, c.fileAddress(fileID, "versions", versionID), nil, "deletion of a version", nil)
}

// DeleteFile removes a file with all its versions, for good.
func (c *Client) DeleteFile(ctx context.Context, fileID string) error {
	if fileID == "" {
		return errNoID
	}
	return c.call(ctx, http.MethodDelete, c.fileAddress(fileID), nil, "deletion", nil)
}

// CopyFile copies the file at a path into a folder. Where a file of its name is
// there, the copy becomes a new version of that one.
func (c *Client) CopyFile(ctx context.Context, filePath, folder string) error {
	return c.transfer(ctx, "copy", filePath, folder)
}

// MoveFile moves the file at a path into a folder; see CopyFile for a name that
// is taken.
func (c *Client) MoveFile(ctx context.Context, filePath, folder string) error {
	return c.transfer(ctx, "move", filePath, folder)
}

func (c *Client) transfer(ctx context.Context, what, filePath, folder string) error {
	if filePath == "" {
		return errNoPath
	}
	clean, err := CleanFolder(folder)
	if err != nil {
		return err
	}
	text, err := json.Marshal(map[string]string{"sourceFilePath": filePath, "destinationPath": clean})
	if err != nil {
		return err
	}
	return c.call(ctx, http.MethodPost, c.fileAddress(what), text, what, nil)
}

// RenameFile gives the file at a path another name, which the service writes in
// the form of StoredName. A name that is taken is refused.
func (c *Client) RenameFile(ctx context.Context, filePath, name string) error {
	if filePath == "" {
		return errNoPath
	}
	if err := CheckName(name); err != nil {
		return err
	}
	text, err := json.Marshal(map[string]string{"filePath": filePath, "newFileName": name})
	if err != nil {
		return err
	}
	return c.call(ctx, http.MethodPut, c.fileAddress("rename"), text, "renaming", nil)
}

var errNoPath = errors.New("the path of the file is empty")

// noExpiry stands in a signature for an address that holds for good.
const noExpiry = "9999999999"

// SignedURL is an address of the delivery host with a signature of the private
// key, as files marked private need it (§4.1, isPrivateFile). With a zero time
// it holds for good. The key itself is not in it.
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
