package local

import (
	"net/http"
	"strings"
)

type operation = func(http.ResponseWriter, *http.Request) error

// operations are what can be done at a path, by method; nil for nothing. The
// path has no slash at its end.
func (l *Library) operations(path string) map[string]operation {
	switch path {
	case "/api/v1/files/upload":
		return map[string]operation{http.MethodPost: l.upload}
	case "/v1/files":
		return map[string]operation{http.MethodGet: l.list}
	case "/v1/metadata":
		return map[string]operation{http.MethodGet: l.metadataAt}
	case "/v1/files/addTags":
		return map[string]operation{http.MethodPost: l.changeTags("tags", addTags)}
	case "/v1/files/removeTags":
		return map[string]operation{http.MethodPost: l.changeTags("tags", removeTags)}
	case "/v1/files/removeAITags":
		return map[string]operation{http.MethodPost: l.changeTags("AITags", removeAITags)}
	case "/v1/files/batch/deleteByFileIds":
		return map[string]operation{http.MethodPost: l.deleteFiles}
	case "/v1/files/copy":
		return map[string]operation{http.MethodPost: l.copyFile}
	case "/v1/files/move":
		return map[string]operation{http.MethodPost: l.moveFile}
	case "/v1/files/rename":
		return map[string]operation{http.MethodPut: l.renameFile}
	case "/v1/files/purge":
		return map[string]operation{http.MethodPost: l.purge}
	case "/v1/bulkJobs/copyFolder":
		return map[string]operation{http.MethodPost: l.copyFolder}
	case "/v1/bulkJobs/moveFolder":
		return map[string]operation{http.MethodPost: l.moveFolder}
	case "/v1/bulkJobs/renameFolder":
		return map[string]operation{http.MethodPost: l.renameFolder}
	case "/v1/folder":
		return map[string]operation{http.MethodPost: l.makeFolder, http.MethodDelete: l.deleteFolder}
	case "/v1/customMetadataFields":
		return map[string]operation{http.MethodGet: l.listFields, http.MethodPost: l.addField}
	}
	if id, ok := strings.CutPrefix(path, "/v1/customMetadataFields/"); ok && !strings.Contains(id, "/") {
		return map[string]operation{http.MethodPatch: with(l.updateField, id), http.MethodDelete: with(l.deleteField, id)}
	}
	if id, ok := strings.CutPrefix(path, "/v1/bulkJobs/"); ok && !strings.Contains(id, "/") {
		return map[string]operation{http.MethodGet: with(l.jobStatus, id)}
	}
	if id, ok := strings.CutPrefix(path, "/v1/files/purge/"); ok && !strings.Contains(id, "/") {
		return map[string]operation{http.MethodGet: with(l.purgeStatus, id)}
	}
	if rest, ok := strings.CutPrefix(path, "/v1/files/"); ok {
		return l.fileOperations(strings.Split(rest, "/"))
	}
	return nil
}

// fileOperations are those of one file: its id, and what of it.
func (l *Library) fileOperations(steps []string) map[string]operation {
	id := steps[0]
	switch {
	case len(steps) == 1:
		return map[string]operation{http.MethodDelete: with(l.deleteFile, id)}
	case len(steps) == 2 && steps[1] == "details":
		return map[string]operation{http.MethodGet: with(l.details, id), http.MethodPatch: with(l.updateDetails, id)}
	case len(steps) == 2 && steps[1] == "metadata":
		return map[string]operation{http.MethodGet: with(l.metadata, id)}
	case steps[1] != "versions":
		return nil
	case len(steps) == 2:
		return map[string]operation{http.MethodGet: with(l.listVersions, id)}
	case len(steps) == 3:
		return map[string]operation{http.MethodGet: withVersion(l.showVersion, id, steps[2]), http.MethodDelete: withVersion(l.deleteVersion, id, steps[2])}
	case len(steps) == 4 && steps[3] == "restore":
		return map[string]operation{http.MethodPut: withVersion(l.restoreVersion, id, steps[2])}
	}
	return nil
}

func with(do func(http.ResponseWriter, *http.Request, string) error, id string) operation {
	return func(w http.ResponseWriter, r *http.Request) error { return do(w, r, id) }
}

func withVersion(do func(http.ResponseWriter, *http.Request, string, string) error, id, version string) operation {
	return func(w http.ResponseWriter, r *http.Request) error { return do(w, r, id, version) }
}
