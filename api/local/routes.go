package local

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"mediadesk/api"
	"mediadesk/api/local/store"
)

// An operation returns the JSON value of its answer, nil for no body, or the error to answer with.
type operation = func(*Library, *http.Request) (any, error)

// uploadPath and uploadPathV2 accept uploads, also from web pages.
const (
	uploadPath   = "/api/v1/files/upload"
	uploadPathV2 = "/api/v2/files/upload"
)

func isUpload(path string) bool { return path == uploadPath || path == uploadPathV2 }

// A route is one operation of the API.
type route struct {
	method  string
	pattern string // path in the syntax of http.ServeMux, without a trailing slash
	summary string // what it does, for the docs
	takes   string // parameters of a GET, else members of the JSON body; see parseTakes
	status  int    // of a successful answer with a body
	answer  any    // a value of the body's type, or a map with its members; nil for no body
	serve   operation
}

// routes lists all operations.
var routes = slices.Concat(routesV1, presetRoutes(savedExtensions), presetRoutes(namedTransformations), secondVersion(routesV1))

// inV2 lists the operations with a second path under /v2/, which rclone calls but no document
// describes.
var inV2 = []string{
	"GET /v1/files", "GET /v1/files/{fileId}/details", "DELETE /v1/files/{fileId}", "POST /v1/folder", "DELETE /v1/folder",
	"POST /v1/bulkJobs/moveFolder", "GET /v1/bulkJobs/{jobId}",
}

func secondVersion(routes []route) (list []route) {
	for _, r := range routes {
		if slices.Contains(inV2, r.method+" "+r.pattern) {
			r.pattern = strings.Replace(r.pattern, "/v1/", "/v2/", 1)
			list = append(list, r)
		}
	}
	return list
}

var routesV1 = []route{
	{http.MethodPost, uploadPath, "Upload a file", "", http.StatusOK, api.File{}, (*Library).upload},
	{http.MethodPost, uploadPathV2, "Upload a file; without the key, by a token that signs all fields", "", http.StatusOK, api.File{}, (*Library).upload},

	{http.MethodGet, "/v1/files", "List and search files and folders", "type path sort fileType searchQuery name tags limit:int skip:int", http.StatusOK, []api.File{}, (*Library).list},
	{http.MethodDelete, "/v1/files/{fileId}", "Delete a file with all its versions", "", http.StatusOK, nil, (*Library).deleteFile},
	{http.MethodGet, "/v1/files/{fileId}/details", "Get the record of a file", "", http.StatusOK, api.File{}, (*Library).details},
	{http.MethodPatch, "/v1/files/{fileId}/details", "Update the record of a file", "tags:list? customCoordinates:text? customMetadata:object? description:text? extensions:any webhookUrl:text? removeAITags:any publish:object?", http.StatusOK, api.File{}, (*Library).updateDetails},
	{http.MethodGet, "/v1/files/{fileId}/metadata", "Get the metadata of a file's content", "", http.StatusOK, fileMetadata{}, (*Library).metadata},
	{http.MethodGet, "/v1/metadata", "Get the metadata of the file at an address", "url!", http.StatusOK, fileMetadata{}, (*Library).metadataAt},

	{http.MethodGet, "/v1/files/{fileId}/versions", "List the versions of a file", "", http.StatusOK, []api.File{}, (*Library).listVersions},
	{http.MethodGet, "/v1/files/{fileId}/versions/{versionId}", "Get a version of a file", "", http.StatusOK, api.File{}, (*Library).showVersion},
	{http.MethodDelete, "/v1/files/{fileId}/versions/{versionId}", "Delete a version of a file", "", http.StatusOK, nil, (*Library).deleteVersion},
	{http.MethodPut, "/v1/files/{fileId}/versions/{versionId}/restore", "Make a version the current one", "", http.StatusOK, api.File{}, (*Library).restoreVersion},

	{http.MethodPost, "/v1/files/addTags", "Add tags to files", "fileIds:list! tags:list!", http.StatusOK, map[string][]string{"successfullyUpdatedFileIds": nil}, changeTags("tags", addTags)},
	{http.MethodPost, "/v1/files/removeTags", "Remove tags from files", "fileIds:list! tags:list!", http.StatusOK, map[string][]string{"successfullyUpdatedFileIds": nil}, changeTags("tags", removeTags)},
	{http.MethodPost, "/v1/files/removeAITags", "Remove AI tags from files", "fileIds:list! AITags:list!", http.StatusOK, map[string][]string{"successfullyUpdatedFileIds": nil}, changeTags("AITags", removeAITags)},
	{http.MethodPost, "/v1/files/batch/deleteByFileIds", "Delete files", "fileIds:list!", http.StatusOK, map[string][]string{"successfullyDeletedFileIds": nil}, (*Library).deleteFiles},
	{http.MethodPost, "/v1/files/copy", "Copy a file", "sourceFilePath! destinationPath! includeFileVersions:bool includeVersions:bool", http.StatusOK, nil, (*Library).copyFile},
	{http.MethodPost, "/v1/files/move", "Move a file", "sourceFilePath! destinationPath!", http.StatusOK, nil, (*Library).moveFile},
	{http.MethodPut, "/v1/files/rename", "Rename a file", "filePath! newFileName! purgeCache:bool", http.StatusOK, renamed{}, (*Library).renameFile},

	{http.MethodPost, "/v1/folder", "Create a folder", "folderName! parentFolderPath!", http.StatusCreated, api.File{}, (*Library).makeFolder},
	{http.MethodDelete, "/v1/folder", "Delete a folder with its contents", "folderPath!", http.StatusOK, nil, (*Library).deleteFolder},
	{http.MethodPost, "/v1/bulkJobs/copyFolder", "Copy a folder", "sourceFolderPath! destinationPath! includeFileVersions:bool includeVersions:bool", http.StatusOK, startedJob{}, (*Library).copyFolder},
	{http.MethodPost, "/v1/bulkJobs/moveFolder", "Move a folder", "sourceFolderPath! destinationPath!", http.StatusOK, startedJob{}, (*Library).moveFolder},
	{http.MethodPost, "/v1/bulkJobs/renameFolder", "Rename a folder", "folderPath! newFolderName! purgeCache:bool", http.StatusAccepted, startedJob{}, (*Library).renameFolder},
	{http.MethodGet, "/v1/bulkJobs/{jobId}", "Get the status of a folder job", "", http.StatusOK, folderJobStatus{}, (*Library).jobStatus},

	{http.MethodPost, "/v1/files/purge", "Purge the cache of an address", "url!", http.StatusCreated, map[string]string{"requestId": ""}, (*Library).purge},
	{http.MethodGet, purgePath + "{requestId}", "Get the status of a purge", "", http.StatusOK, map[string]string{"status": ""}, (*Library).purgeStatus},

	{http.MethodGet, "/v1/customMetadataFields", "List the custom metadata fields", "includeDeleted folderPath", http.StatusOK, []fieldRecord{}, (*Library).listFields},
	{http.MethodPost, "/v1/customMetadataFields", "Create a custom metadata field", "name! label! schema:object! description", http.StatusCreated, fieldRecord{}, (*Library).addField},
	{http.MethodPatch, "/v1/customMetadataFields/{fieldId}", "Update a custom metadata field", "label schema:object description:text?", http.StatusOK, fieldRecord{}, (*Library).updateField},
	{http.MethodDelete, "/v1/customMetadataFields/{fieldId}", "Delete a custom metadata field", "", http.StatusOK, nil, (*Library).deleteField},

	{http.MethodGet, "/v1/accounts/usage", "Get what the library uses", "startDate! endDate!", http.StatusOK, api.Usage{}, (*Library).usage},

	// Extensions of this library.
	{http.MethodGet, identityPath, "Identify the running library", "", http.StatusOK, identity{}, (*Library).identify},
	{http.MethodPost, identityPath + "/runs/cancel", "Cancel an extension that works on a file", "fileId! extension!", http.StatusOK, nil, (*Library).cancelRun},
	{http.MethodGet, healthPath, "Check that records and contents answer", "", http.StatusOK, health{}, (*Library).health},
	{http.MethodGet, openAPIPath, "Describe the API", "", http.StatusOK, map[string]any(nil), (*Library).openAPI},
	{http.MethodPost, controlPath + "reset", "Delete everything, if allowed", "", http.StatusOK, nil, (*Library).reset},
	{http.MethodGet, controlPath + "requests", "List the last requests", "", http.StatusOK, []Request{}, (*Library).listRequests},
	{http.MethodGet, controlPath + "metrics", "List metrics in the format of Prometheus", "", http.StatusOK, plainText(nil), (*Library).listMetrics},
}

const purgePath = "/v1/files/purge/"

// apiMux serves the routes. Its ResponseWriter must be a *call.
var apiMux = newMux(routes)

func newMux(routes []route) *http.ServeMux {
	mux, purges := http.NewServeMux(), http.NewServeMux()
	endpoints := map[string]endpoint{}
	for _, r := range routes {
		if endpoints[r.pattern] == nil {
			endpoints[r.pattern] = endpoint{}
			of := mux
			if strings.HasPrefix(r.pattern, purgePath) {
				of = purges
			}
			of.Handle(r.pattern, endpoints[r.pattern])
		}
		endpoints[r.pattern][r.method] = r
	}
	mux.Handle("/", endpoint{})
	// A single mux refuses /v1/files/purge/{…} next to /v1/files/{…}/details, because both match
	// /v1/files/purge/details.
	purges.Handle("/", mux)
	return purges
}

// An endpoint maps methods to routes of one path. It is empty for an unknown path.
type endpoint map[string]route

// A call carries an operation's error through a mux.
type call struct {
	http.ResponseWriter // of the operation
	library             *Library
	err                 error
}

// ServeHTTP runs the operation of the request's method.
func (e endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := w.(*call)
	c.err = e.serve(c.library, c.ResponseWriter, r)
}

func (e endpoint) serve(l *Library, w http.ResponseWriter, r *http.Request) error {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet // the server sends only the header
	}
	route, ok := e[method]
	switch {
	case len(e) == 0:
		return refuse(http.StatusNotFound, "No such operation.", "docs/serve.md of mediadesk lists the operations of the local library.")
	case !ok:
		w.Header().Set("Allow", strings.Join(e.allowed(), ", "))
		return refuse(http.StatusMethodNotAllowed, "This address does not take "+quote(r.Method)+".", "It takes "+strings.Join(e.allowed(), ", ")+".")
	}
	for _, name := range []string{"fileId", "versionId"} {
		if strings.Contains(route.pattern, "{"+name+"}") && !store.IsID(r.PathValue(name)) {
			return badRequest("Your request contains invalid "+name+" parameter.", "An id has 24 hexadecimal digits.")
		}
	}
	body, err := route.serve(l, r)
	if err != nil {
		return err
	}
	l.rebase(r, body)
	// Some generated clients of hosted services (Go, Java) fail on an empty answer. They name their
	// language in a header.
	if body == nil && r.Header.Get("X-Stainless-Lang") == "" {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	if body == nil {
		body = struct{}{}
	}
	if text, ok := body.(plainText); ok {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		w.Write(text) //nolint:errcheck // the client is gone then
		return nil
	}
	status := route.status
	if _, ok := body.(accepted); ok {
		status = http.StatusAccepted
	}
	writeJSON(w, status, body)
	return nil
}

// allowed lists the methods of a path.
func (e endpoint) allowed() []string {
	methods := slices.Collect(maps.Keys(e))
	if _, ok := e[http.MethodGet]; ok {
		methods = append(methods, http.MethodHead)
	}
	slices.Sort(methods)
	return methods
}

// isAPI reports whether a path belongs to the API and not to a file.
func isAPI(path string) bool {
	return strings.HasPrefix(path+"/", "/v1/") || strings.HasPrefix(path+"/", "/v2/") || strings.HasPrefix(path+"/", "/api/") || isControl(path)
}

// operate answers an API request at a clean path.
func (l *Library) operate(w http.ResponseWriter, r *http.Request, path string) error {
	u := *r.URL
	u.Path, u.RawPath = path, "" // the mux redirects unclean paths
	asked := r
	r = r.WithContext(r.Context())
	r.URL = &u
	c := &call{ResponseWriter: w, library: l}
	apiMux.ServeHTTP(c, r)
	asked.Pattern = r.Pattern // for the metrics
	return c.err
}
