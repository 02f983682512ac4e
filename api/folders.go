package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"path"
)

// The operations of this file are in hosted-service.md §9. Folders have the form of CleanFolder, but
// existing ones may contain characters that it rejects. The root is rejected.

// FolderJob is the status of a folder that the service copies, moves or renames.
// Services report no failure and no counts.
type FolderJob struct {
	ID     string `json:"jobId"`
	Type   string `json:"type"`   // such as MOVE_FOLDER; empty in the answer that starts a job
	Status string `json:"status"` // JobPending or JobCompleted; empty in the answer that starts a job
	// PurgeID identifies the cache purge requested with a rename; empty if none started.
	PurgeID string `json:"purgeRequestId"`
}

// The values of the status of a folder job or a purge.
const (
	JobPending   = "Pending"
	JobCompleted = "Completed"
)

var errRoot = errors.New("the root folder cannot be created, copied, moved, renamed or deleted")

// describeFolder describes a request about a folder. field is the name of its member in the body.
func (c *Client) describeFolder(method, operation, field, folder string, members map[string]any) (Request, error) {
	clean, _ := CleanFolder(folder) // the folder exists, so only the service can judge its name
	if clean == "/" {
		return Request{}, errRoot
	}
	members[field] = clean
	text, err := json.Marshal(members)
	return Request{Method: method, Address: c.base + "/v1/" + operation, Body: string(text)}, err
}

// MakeFolder creates a folder and its parents, and returns its path, which may differ from folder: see
// CreatedFolder. It succeeds if the folder exists.
func (c *Client) MakeFolder(ctx context.Context, folder string) (made string, err error) {
	var answer struct {
		FolderPath string `json:"folderPath"` // empty on the hosted service
	}
	if err := c.perform(ctx, "creation of a folder", &answer)(c.DescribeMakeFolder(folder)); err != nil {
		return "", err
	}
	if answer.FolderPath == "" {
		return CreatedFolder(folder), nil
	}
	made, _ = CleanFolder(answer.FolderPath)
	return made, nil
}

// DescribeMakeFolder returns the request that MakeFolder would send.
func (c *Client) DescribeMakeFolder(folder string) (Request, error) {
	clean, err := CleanFolder(folder)
	switch {
	case err != nil:
		return Request{}, err
	case clean == "/":
		return Request{}, errRoot
	}
	parent, _ := CleanFolder(path.Dir(path.Clean(clean)))
	text, err := json.Marshal(map[string]string{"folderName": path.Base(clean), "parentFolderPath": parent})
	return Request{Method: http.MethodPost, Address: c.base + "/v1/folder", Body: string(text)}, err
}

// DeleteFolder permanently deletes a folder with its content.
func (c *Client) DeleteFolder(ctx context.Context, folder string) error {
	return c.perform(ctx, "deletion of a folder", nil)(c.DescribeDeleteFolder(folder))
}

// DescribeDeleteFolder returns the request that DeleteFolder would send.
func (c *Client) DescribeDeleteFolder(folder string) (Request, error) {
	return c.describeFolder(http.MethodDelete, "folder", "folderPath", folder, map[string]any{})
}

// DescribeCopyFolder returns the request that copies a folder into another, which is
// created if it does not exist. A file of the same path there gets a new version.
func (c *Client) DescribeCopyFolder(folder, into string) (Request, error) {
	return c.describeFolderTransfer("copyFolder", folder, into)
}

// DescribeMoveFolder returns the request that moves a folder into another, like
// DescribeCopyFolder.
func (c *Client) DescribeMoveFolder(folder, into string) (Request, error) {
	return c.describeFolderTransfer("moveFolder", folder, into)
}

func (c *Client) describeFolderTransfer(operation, folder, into string) (Request, error) {
	clean, err := CleanFolder(into)
	if err != nil {
		return Request{}, err
	}
	return c.describeFolder(http.MethodPost, "bulkJobs/"+operation, "sourceFolderPath", folder, map[string]any{"destinationPath": clean})
}

// DescribeRenameFolder returns the request that gives a folder another name, which is
// not a path. With purge, the cached copies of its old URLs are removed.
func (c *Client) DescribeRenameFolder(folder, name string, purge bool) (Request, error) {
	if err := CheckFolderName(name); err != nil {
		return Request{}, err
	}
	members := map[string]any{"newFolderName": name}
	if purge {
		members["purgeCache"] = true
	}
	return c.describeFolder(http.MethodPost, "bulkJobs/renameFolder", "folderPath", folder, members)
}

// CheckFolderName checks the name of a folder. The error is a *RuleError.
func CheckFolderName(name string) error {
	clean, err := CleanFolder(name)
	if err == nil && (clean != "/"+name+"/" || FolderDepth(clean) != 1) {
		err = &RuleError{Field: "folder", Message: quote(name) + " is not the name of a folder", Help: "Give a name without slashes."}
	}
	return err
}

// StartFolderJob sends a request that DescribeCopyFolder, DescribeMoveFolder or
// DescribeRenameFolder returned, and returns the id of the job; FolderJob asks for its
// status.
func (c *Client) StartFolderJob(ctx context.Context, r Request) (id string, err error) {
	var job FolderJob
	err = c.call(ctx, r, "start of a folder job", &job)
	return job.ID, err
}

// FolderJob asks for the status of a folder job.
func (c *Client) FolderJob(ctx context.Context, id string) (FolderJob, error) {
	job := FolderJob{ID: id}
	if err := checkID(id); err != nil {
		return job, err
	}
	err := c.call(ctx, Request{Method: http.MethodGet, Address: c.base + "/v1/bulkJobs/" + url.PathEscape(id)}, "status of a folder job", &job)
	return job, err
}
