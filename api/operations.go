package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// The functions of this file return the requests of operations: Client.Do sends one, and
// Client.Describe shows it. Except ChangeDetails, they are not part of the specification: hosted
// services and the local library support them, others answer 404 (see Unavailable).

// newRequest returns a request with the JSON of body, or without one if body is nil. Each check may
// say why it cannot be made.
func newRequest(op, method, path string, body any, checks ...error) Request {
	r := Request{op: op, Method: method, Address: path, Err: cmp.Or(checks...)}
	if body != nil && r.Err == nil {
		var text []byte
		text, r.Err = json.Marshal(body)
		r.Body = string(text)
	}
	return r
}

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
		return fail("the file id %s is longer than %d characters", Quote(id), maxID)
	case strings.Trim(id, ".") == "", strings.ContainsAny(id, `/\`),
		strings.ContainsFunc(id, func(r rune) bool { return !unicode.IsGraphic(r) }):
		return fail("%s is not a file id", Quote(id))
	}
	return nil
}

// maxID is the maximum length of an ID in bytes. Services use 24.
const maxID = 256

func files(steps ...string) string {
	address := "/v1/files"
	for _, step := range steps {
		address += "/" + url.PathEscape(step)
	}
	return address
}

// ReadDetails reads the record of a file.
func ReadDetails(fileID string) Request {
	return newRequest(opDetails, http.MethodGet, files(fileID, "details"), nil, checkID(fileID))
}

// ChangeDetails changes the details of a file (service.md §4.2). The answer is its record.
func ChangeDetails(fileID string, d Details) Request {
	return newRequest(opUpdate, http.MethodPatch, files(fileID, "details"), d, checkID(fileID))
}

// ListFiles lists records of files and folders.
func ListFiles(q Query) Request {
	v := url.Values{}
	add := func(name, value string) {
		if value != "" {
			v.Set(name, value)
		}
	}
	add("path", q.Folder)
	add("type", q.Type)
	add("fileType", q.Kind)
	add("sort", q.Sort)
	switch {
	case q.Search != "" && (q.Type == TypeFile || q.Type == TypeFolder) && !typeWord.MatchString(q.Search):
		// The service ignores the parameter type next to a query.
		v.Set("searchQuery", "("+q.Search+") AND type = "+SearchValue(q.Type))
	case q.Search != "":
		v.Set("searchQuery", q.Search)
	case q.Name != "":
		v.Set("searchQuery", "name = "+SearchValue(q.Name))
	}
	if q.Skip > 0 {
		v.Set("skip", strconv.Itoa(q.Skip))
	}
	if q.Limit > 0 {
		v.Set("limit", strconv.Itoa(q.Limit))
	}
	address := files()
	if len(v) > 0 {
		address += "?" + v.Encode()
	}
	return newRequest("list", http.MethodGet, address, nil)
}

// ListVersions lists the records of the versions of a file, newest first.
func ListVersions(fileID string) Request {
	return newRequest("list of versions", http.MethodGet, files(fileID, "versions"), nil, checkID(fileID))
}

// RestoreVersion makes a version the current one. The answer is the new record.
func RestoreVersion(fileID, versionID string) Request {
	path, ids := files(fileID, "versions", versionID, "restore"), []error{checkID(fileID), checkID(versionID)}
	return newRequest("restoring of a version", http.MethodPut, path, nil, ids...)
}

// DeleteFile permanently deletes a file with all its versions.
func DeleteFile(fileID string) Request {
	return newRequest("deletion", http.MethodDelete, files(fileID), nil, checkID(fileID))
}

// DeleteVersion permanently deletes a version other than the current one.
func DeleteVersion(fileID, versionID string) Request {
	path, ids := files(fileID, "versions", versionID), []error{checkID(fileID), checkID(versionID)}
	return newRequest("deletion of a version", http.MethodDelete, path, nil, ids...)
}

func checkPath(filePath string) error {
	if filePath == "" {
		return errors.New("the path of the file is empty")
	}
	return nil
}

// CopyFile copies the file at a path into a folder. If a file of that name exists there, the copy
// becomes its new version.
func CopyFile(filePath, folder string) Request { return transfer("copy", filePath, folder) }

// MoveFile moves the file at a path into a folder; see CopyFile for existing names.
func MoveFile(filePath, folder string) Request { return transfer("move", filePath, folder) }

func transfer(op, filePath, folder string) Request {
	body := map[string]string{"sourceFilePath": filePath, "destinationPath": slashed(folder)}
	return newRequest(op, http.MethodPost, files(op), body, checkPath(filePath))
}

// RenameFile renames the file at a path. The service refuses an existing name.
func RenameFile(filePath, name string) Request {
	body := map[string]string{"filePath": filePath, "newFileName": name}
	return newRequest("renaming", http.MethodPut, files("rename"), body, checkPath(filePath))
}

// Purge is a request to remove cached copies (hosted-service.md §10).
type Purge struct {
	URL    string `json:"url,omitempty"`
	ID     string `json:"requestId"`
	Status string `json:"status"` // JobPending or JobCompleted; empty if unknown
}

// StartPurge starts purging an address, which may end in *. The answer is a [Purge] without URL.
func StartPurge(address string) Request {
	body := map[string]string{"url": address}
	return newRequest("purging of the cache", http.MethodPost, files("purge"), body)
}

// ReadPurge asks for the status of a purge. The answer is a [Purge] with the status alone.
func ReadPurge(id string) Request {
	return newRequest("status of a purge", http.MethodGet, files("purge", id), nil, checkID(id))
}

// FolderJob is the status of a folder that the service copies, moves or renames (hosted-service.md
// §9). Services report no failure and no counts.
type FolderJob struct {
	ID     string `json:"jobId"`
	Status string `json:"status"` // JobPending or JobCompleted; empty in the answer that starts a job
}

// The values of the status of a folder job or a purge.
const (
	JobPending   = "Pending"
	JobCompleted = "Completed"
)

func slashed(folder string) string {
	names := strings.FieldsFunc(folder, func(r rune) bool { return r == '/' })
	if len(names) == 0 {
		return "/"
	}
	return "/" + strings.Join(names, "/") + "/"
}

func checkNotRoot(folder string) error {
	if slashed(folder) == "/" {
		return errors.New("the root folder cannot be created, copied, moved, renamed or deleted")
	}
	return nil
}

// MakeFolder creates a folder and its parents. It succeeds if the folder exists. The member
// folderPath of the answer is its path; hosted services omit it.
func MakeFolder(folder string) Request {
	clean := path.Clean(slashed(folder))
	body := map[string]string{"folderName": path.Base(clean), "parentFolderPath": slashed(path.Dir(clean))}
	return newRequest("creation of a folder", http.MethodPost, "/v1/folder", body, checkNotRoot(folder))
}

// DeleteFolder permanently deletes a folder with its content.
func DeleteFolder(folder string) Request {
	body := map[string]string{"folderPath": slashed(folder)}
	return newRequest("deletion of a folder", http.MethodDelete, "/v1/folder", body, checkNotRoot(folder))
}

const opFolderJob = "start of a folder job"

// CopyFolder copies a folder into another, which is created if it does not exist. A file of the
// same path there gets a new version. The answer is a [FolderJob].
func CopyFolder(folder, into string) Request { return transferFolder("copyFolder", folder, into) }

// MoveFolder moves a folder into another, like CopyFolder.
func MoveFolder(folder, into string) Request { return transferFolder("moveFolder", folder, into) }

func transferFolder(op, folder, into string) Request {
	body := map[string]string{"sourceFolderPath": slashed(folder), "destinationPath": slashed(into)}
	return newRequest(opFolderJob, http.MethodPost, "/v1/bulkJobs/"+op, body, checkNotRoot(folder))
}

// RenameFolder gives a folder another name, which is not a path. The answer is a [FolderJob].
func RenameFolder(folder, name string) Request {
	body := map[string]string{"folderPath": slashed(folder), "newFolderName": name}
	return newRequest(opFolderJob, http.MethodPost, "/v1/bulkJobs/renameFolder", body, checkNotRoot(folder))
}

// ReadFolderJob asks for the status of a folder job.
func ReadFolderJob(id string) Request {
	address := "/v1/bulkJobs/" + url.PathEscape(id)
	return newRequest("status of a folder job", http.MethodGet, address, nil, checkID(id))
}

// ListMetadataFields lists the custom metadata fields for files in a folder, or of the account if
// folder is empty.
func ListMetadataFields(folder string) Request {
	address := "/v1/customMetadataFields"
	if folder != "" {
		address += "?" + url.Values{"folderPath": {path.Clean(folder)}}.Encode()
	}
	return newRequest("list of custom metadata fields", http.MethodGet, address, nil)
}

// CreateMetadataField creates a custom metadata field.
func CreateMetadataField(f MetadataField) Request {
	body := map[string]any{"name": f.Name, "label": f.Label, "schema": f.Schema}
	return newRequest("custom metadata field", http.MethodPost, "/v1/customMetadataFields", body)
}

// ListSavedExtensions lists the saved extensions of the account, as a list of [SavedExtension].
func ListSavedExtensions() Request {
	return newRequest("list of saved extensions", http.MethodGet, "/v1/saved-extensions", nil)
}

// Usage is the usage of an account (hosted-service.md §15). Services omit what they do not count.
type Usage struct {
	StorageBytes         Field[int64] `json:"mediaLibraryStorageBytes,omitzero"`
	BandwidthBytes       Field[int64] `json:"bandwidthBytes,omitzero"`
	ExtensionUnits       Field[int64] `json:"extensionUnitsCount,omitzero"`
	VideoUnits           Field[int64] `json:"videoProcessingUnitsCount,omitzero"`
	OriginalStorageBytes Field[int64] `json:"originalCacheStorageBytes,omitzero"`
}

// ReadUsage asks for the [Usage] of the account from the day of start until the day before end, in
// UTC.
func ReadUsage(start, end time.Time) Request {
	v := url.Values{"startDate": {start.Format(time.DateOnly)}, "endDate": {end.Format(time.DateOnly)}}
	return newRequest("usage", http.MethodGet, "/v1/accounts/usage?"+v.Encode(), nil)
}
