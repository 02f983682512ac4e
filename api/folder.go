package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// MaxFolderDepth is the maximum depth of nested folders (service.md §8).
const MaxFolderDepth = 50

// CleanFolder normalizes folder to the service's form: one slash at the start, at the end and between
// names (service.md §4.1, folder). Empty text is the root "/". Repeated slashes count as one.
//
// The error is a *RuleError for an invalid character, too many levels or a path that is too long. The normalized text is
// returned in any case, so that a form can show it.
func CleanFolder(folder string) (string, error) {
	names := folderNames(folder)
	clean := "/"
	if len(names) > 0 {
		clean = "/" + strings.Join(names, "/") + "/"
	}
	for _, r := range folder {
		if !folderRune(r) {
			return clean, &RuleError{
				Field:   "folder",
				Message: fmt.Sprintf("folder %s holds %s, which a folder may not", quote(folder), quote(string(r))),
				Help:    fmt.Sprintf("Folders take letters, marks and numerals of any language, and / _ -. Allowed would be %s.", quote(allowedFolder(clean))),
			}
		}
	}
	if len(names) > MaxFolderDepth {
		return clean, &RuleError{
			Field:   "folder",
			Message: fmt.Sprintf("folder is %d levels deep; at most %d are allowed", len(names), MaxFolderDepth),
			Help:    "Use fewer levels.",
		}
	}
	return clean, checkPath("folder", clean)
}

// FolderDepth returns the number of levels in folder, 0 for the root.
func FolderDepth(folder string) int { return len(folderNames(folder)) }

func folderNames(folder string) []string {
	return strings.FieldsFunc(folder, func(r rune) bool { return r == '/' })
}

func folderRune(r rune) bool { return wordRune(r) || r == '/' || r == '_' || r == '-' }

func allowedFolder(folder string) string { return underscored(folder, folderRune) }

// FolderName returns the name that the service gives to a folder that is created or renamed as name
// (hosted-service.md §9). Every character except letters, combining marks and numerals of any language
// becomes "_". Only a renamed folder keeps "-". Uploads create folders with the names of CleanFolder
// instead.
func FolderName(name string, renamed bool) string {
	return underscored(name, func(r rune) bool { return wordRune(r) || renamed && r == '-' })
}

// CreatedFolder returns the path of the folder that Client.MakeFolder creates for folder: its last name
// is that of FolderName. The result has the form of CleanFolder.
func CreatedFolder(folder string) string {
	names := folderNames(folder)
	if last := len(names) - 1; last >= 0 {
		names[last] = FolderName(names[last], false)
	}
	clean, _ := CleanFolder(strings.Join(names, "/"))
	return clean
}

// SubFolder converts a path of folders such as "a b/c" to valid folder names, replacing invalid
// characters with "_" (service.md §4.1), for the Sub of a Source.
func SubFolder(rel string) string { return allowedFolder(strings.Trim(rel, "/")) }

// The operations on folders are in hosted-service.md §9. Folders have the form of CleanFolder, but
// existing ones may contain characters that it rejects. The root is rejected.

// FolderJob is the status of a folder that the service copies, moves or renames.
// Services report no failure and no counts.
type FolderJob struct {
	ID     string `json:"jobId"`
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

// describeFolder describes a request about a folder. field is the name of its member in the body. err
// is a problem of the other members.
func (c *Client) describeFolder(op, method, path, field, folder string, members map[string]any, err error) (Request, error) {
	clean, _ := CleanFolder(folder) // the folder exists, so only the service can judge its name
	if clean == "/" {
		err = errRoot
	}
	members[field] = clean
	return c.request(op, method, "/v1/"+path, members, err)
}

// MakeFolder creates a folder and its parents, and returns its path, which may differ from folder: see
// CreatedFolder. It succeeds if the folder exists.
func (c *Client) MakeFolder(ctx context.Context, folder string) (made string, err error) {
	var answer struct {
		FolderPath string `json:"folderPath"` // empty on the hosted service
	}
	if err := c.Do(ctx, &answer)(c.DescribeMakeFolder(folder)); err != nil {
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
	if clean == "/" {
		err = errRoot
	}
	parent, _ := CleanFolder(path.Dir(path.Clean(clean)))
	body := map[string]string{"folderName": path.Base(clean), "parentFolderPath": parent}
	return c.request("creation of a folder", http.MethodPost, "/v1/folder", body, err)
}

// DescribeDeleteFolder describes permanently deleting a folder with its content.
func (c *Client) DescribeDeleteFolder(folder string) (Request, error) {
	return c.describeFolder("deletion of a folder", http.MethodDelete, "folder", "folderPath", folder, map[string]any{}, nil)
}

const opFolderJob = "start of a folder job"

// DescribeCopyFolder describes copying a folder into another, which is created if it does not exist. A
// file of the same path there gets a new version. The answer is a [FolderJob].
func (c *Client) DescribeCopyFolder(folder, into string) (Request, error) {
	return c.describeFolderTransfer("copyFolder", folder, into)
}

// DescribeMoveFolder describes moving a folder into another, like DescribeCopyFolder.
func (c *Client) DescribeMoveFolder(folder, into string) (Request, error) {
	return c.describeFolderTransfer("moveFolder", folder, into)
}

func (c *Client) describeFolderTransfer(operation, folder, into string) (Request, error) {
	clean, err := CleanFolder(into)
	members := map[string]any{"destinationPath": clean}
	return c.describeFolder(opFolderJob, http.MethodPost, "bulkJobs/"+operation, "sourceFolderPath", folder, members, err)
}

// DescribeRenameFolder describes giving a folder another name, which is not a path. With purge, the
// cached copies of its old URLs are removed. The answer is a [FolderJob].
func (c *Client) DescribeRenameFolder(folder, name string, purge bool) (Request, error) {
	members := map[string]any{"newFolderName": name}
	if purge {
		members["purgeCache"] = true
	}
	return c.describeFolder(opFolderJob, http.MethodPost, "bulkJobs/renameFolder", "folderPath", folder, members, CheckFolderName(name))
}

// CheckFolderName checks the name of a folder. The error is a *RuleError.
func CheckFolderName(name string) error {
	clean, err := CleanFolder(name)
	if err == nil && (clean != "/"+name+"/" || FolderDepth(clean) != 1) {
		err = &RuleError{Field: "folder", Message: quote(name) + " is not the name of a folder", Help: "Give a name without slashes."}
	}
	return err
}

// FolderJob asks for the status of a folder job.
func (c *Client) FolderJob(ctx context.Context, id string) (FolderJob, error) {
	job := FolderJob{ID: id}
	path := "/v1/bulkJobs/" + url.PathEscape(id)
	err := c.Do(ctx, &job)(c.request("status of a folder job", http.MethodGet, path, nil, checkID(id)))
	return job, err
}
