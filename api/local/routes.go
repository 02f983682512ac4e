package local

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

// An operation answers one request. An error that it returns becomes the answer,
// so it must not have written anything then.
type operation = func(*Library, http.ResponseWriter, *http.Request) error

// uploadPath is where files are uploaded, also from web pages.
const uploadPath = "/api/v1/files/upload"

// A route is one operation of the API.
type route struct {
	method  string
	pattern string // path as http.ServeMux has it, without a slash at the end
	summary string // what it does, for people
	serve   operation
}

// routes are all operations of the API.
var routes = []route{
	{http.MethodPost, uploadPath, "Upload a file", (*Library).upload},

	{http.MethodGet, "/v1/files", "List and search files and folders", (*Library).list},
	{http.MethodDelete, "/v1/files/{fileId}", "Delete a file with all its versions", (*Library).deleteFile},
	{http.MethodGet, "/v1/files/{fileId}/details", "Get the record of a file", (*Library).details},
	{http.MethodPatch, "/v1/files/{fileId}/details", "Update the record of a file", (*Library).updateDetails},
	{http.MethodGet, "/v1/files/{fileId}/metadata", "Get the metadata of a file's content", (*Library).metadata},
	{http.MethodGet, "/v1/metadata", "Get the metadata of the file at an address", (*Library).metadataAt},

	{http.MethodGet, "/v1/files/{fileId}/versions", "List the versions of a file", (*Library).listVersions},
	{http.MethodGet, "/v1/files/{fileId}/versions/{versionId}", "Get a version of a file", (*Library).showVersion},
	{http.MethodDelete, "/v1/files/{fileId}/versions/{versionId}", "Delete a version of a file", (*Library).deleteVersion},
	{http.MethodPut, "/v1/files/{fileId}/versions/{versionId}/restore", "Make a version the current one", (*Library).restoreVersion},

	{http.MethodPost, "/v1/files/addTags", "Add tags to files", changeTags("tags", addTags)},
	{http.MethodPost, "/v1/files/removeTags", "Remove tags from files", changeTags("tags", removeTags)},
	{http.MethodPost, "/v1/files/removeAITags", "Remove AI tags from files", changeTags("AITags", removeAITags)},
	{http.MethodPost, "/v1/files/batch/deleteByFileIds", "Delete files", (*Library).deleteFiles},
	{http.MethodPost, "/v1/files/copy", "Copy a file", (*Library).copyFile},
	{http.MethodPost, "/v1/files/move", "Move a file", (*Library).moveFile},
	{http.MethodPut, "/v1/files/rename", "Rename a file", (*Library).renameFile},

	{http.MethodPost, "/v1/folder", "Create a folder", (*Library).makeFolder},
	{http.MethodDelete, "/v1/folder", "Delete a folder with all that is in it", (*Library).deleteFolder},
	{http.MethodPost, "/v1/bulkJobs/copyFolder", "Copy a folder", (*Library).copyFolder},
	{http.MethodPost, "/v1/bulkJobs/moveFolder", "Move a folder", (*Library).moveFolder},
	{http.MethodPost, "/v1/bulkJobs/renameFolder", "Rename a folder", (*Library).renameFolder},
	{http.MethodGet, "/v1/bulkJobs/{jobId}", "Get the status of a folder job", (*Library).jobStatus},

	{http.MethodPost, "/v1/files/purge", "Purge the cache of an address", (*Library).purge},
	{http.MethodGet, purgePath + "{requestId}", "Get the status of a purge", (*Library).purgeStatus},

	{http.MethodGet, "/v1/customMetadataFields", "List the custom metadata fields", (*Library).listFields},
	{http.MethodPost, "/v1/customMetadataFields", "Create a custom metadata field", (*Library).addField},
	{http.MethodPatch, "/v1/customMetadataFields/{fieldId}", "Update a custom metadata field", (*Library).updateField},
	{http.MethodDelete, "/v1/customMetadataFields/{fieldId}", "Delete a custom metadata field", (*Library).deleteField},

	// No hosted service has it.
	{http.MethodPost, identityPath + "/runs/cancel", "Cancel an extension that works on a file", (*Library).cancelRun},
}

const purgePath = "/v1/files/purge/"

// apiMux serves the routes. Its ResponseWriter must be a *call.
var apiMux = newMux(routes)

func newMux(routes []route) *http.ServeMux {
	mux, purges := http.NewServeMux(), http.NewServeMux()
	endpoints := map[string]endpoint{}
	for _, r := range routes {
		e := endpoints[r.pattern]
		if e == nil {
			e = endpoint{}
			endpoints[r.pattern] = e
			if strings.HasPrefix(r.pattern, purgePath) {
				purges.Handle(r.pattern, e)
			} else {
				mux.Handle(r.pattern, e)
			}
		}
		e[r.method] = r.serve
	}
	mux.Handle("/", endpoint{})
	// One mux refuses /v1/files/purge/{…} beside /v1/files/{…}/details, because
	// /v1/files/purge/details matches both. Here it is the status of a purge.
	purges.Handle("/", mux)
	return purges
}

// An endpoint holds the operations of one path by method. It is empty for an
// unknown path.
type endpoint map[string]operation

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
	do := e[r.Method]
	if r.Method == http.MethodHead {
		do = e[http.MethodGet] // the server sends its head alone
	}
	switch {
	case do != nil:
		return do(l, w, r)
	case len(e) == 0:
		return refuse(http.StatusNotFound, "There is no such operation here.", "docs/serve.md of mediadesk lists the operations of the local library.")
	}
	w.Header().Set("Allow", strings.Join(e.allowed(), ", "))
	return refuse(http.StatusMethodNotAllowed, "This address does not take "+quote(r.Method)+".", "It takes "+strings.Join(e.allowed(), ", ")+".")
}

// allowed lists the methods that a path takes.
func (e endpoint) allowed() []string {
	methods := slices.Collect(maps.Keys(e))
	if e[http.MethodGet] != nil {
		methods = append(methods, http.MethodHead)
	}
	slices.Sort(methods)
	return methods
}

// isAPI reports whether a path belongs to the API. All others are of files.
func isAPI(path string) bool {
	return strings.HasPrefix(path+"/", "/v1/") || strings.HasPrefix(path+"/", "/api/")
}

// operate answers a request of the API at a clean path.
func (l *Library) operate(w http.ResponseWriter, r *http.Request, path string) error {
	u := *r.URL
	u.Path, u.RawPath = path, "" // the mux redirects what is not clean
	r = r.WithContext(r.Context())
	r.URL = &u
	c := &call{ResponseWriter: w, library: l}
	apiMux.ServeHTTP(c, r)
	return c.err
}
