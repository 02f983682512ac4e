package local

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mediadesk/api/entry"
	"mediadesk/api/local/store"
	"mediadesk/api/rule"
)

// An operation returns the JSON value of its answer, nil for no body, or the error to answer with.
type operation = func(*Library, *http.Request) (any, error)

// within returns an operation in a transaction, which run is to begin.
func within(run func(context.Context, store.Records, func(store.Tx) (any, error)) (any, error),
	do func(*Library, store.Tx, *http.Request) (any, error),
) operation {
	return func(l *Library, r *http.Request) (any, error) {
		return run(r.Context(), l.records, func(tx store.Tx) (any, error) { return do(l, tx, r) })
	}
}

// uploadPath and uploadPathV2 accept uploads, also from web pages.
const (
	uploadPath   = "/api/v1/files/upload"
	uploadPathV2 = "/api/v2/files/upload"
)

func isUpload(path string) bool { return path == uploadPath || path == uploadPathV2 }

type route struct {
	method  string
	pattern string // path with {wildcards}, without a trailing slash
	summary string // what it does, for the docs
	takes   string // parameters of a GET, else members of the JSON body; see taken
	status  int    // of a successful answer; 204 for one without a body
	serve   operation
}

// routes lists all operations. Of two with the same method that fit a path, the first serves it.
var routes = slices.Concat(baseRoutes, presetRoutes(savedExtensions), presetRoutes(namedTransformations))

var baseRoutes = []route{
	{http.MethodPost, uploadPath, "Upload a file", "", http.StatusOK, (*Library).upload},
	{http.MethodPost, uploadPathV2, "Upload a file; without the key, by a token that signs all fields", "", http.StatusOK, (*Library).upload},

	{http.MethodPost, "/v1/files/purge", "Purge the cache of an address", "url!", http.StatusCreated, (*Library).purge},
	{http.MethodGet, "/v1/files/purge/{requestId}", "Get the status of a purge", "", http.StatusOK, (*Library).purgeStatus},

	{http.MethodGet, "/v1/files", "List and search files and folders", "type path sort fileType searchQuery name tags limit:int skip:int", http.StatusOK, within(store.View[any], (*Library).list)},
	{http.MethodDelete, "/v1/files/{fileId}", "Delete a file with all its versions", "", http.StatusNoContent, within(store.Update[any],
		func(_ *Library, tx store.Tx, r *http.Request) (any, error) {
			return nil, tx.Files.Delete(r.PathValue("fileId"))
		})},
	{http.MethodGet, "/v1/files/{fileId}/details", "Get the record of a file", "", http.StatusOK, within(store.View[any], (*Library).details)},
	{http.MethodPatch, "/v1/files/{fileId}/details", "Update the record of a file", "tags:list? customCoordinates:text? customMetadata:object? " + strings.Join(storedTexts(), ":text? ") + ":text? extensions:any webhookUrl:text? removeAITags:any publish:object?", http.StatusOK, (*Library).updateDetails},
	{http.MethodGet, "/v1/files/{fileId}/metadata", "Get the metadata of a file's content", "", http.StatusOK, (*Library).metadata},
	{http.MethodGet, "/v1/metadata", "Get the metadata of the file at an address", "url!", http.StatusOK, (*Library).metadataAt},

	{http.MethodGet, "/v1/files/{fileId}/versions", "List the versions of a file", "", http.StatusOK, within(store.View[any], (*Library).listVersions)},
	{http.MethodGet, "/v1/files/{fileId}/versions/{versionId}", "Get a version of a file", "", http.StatusOK, within(store.View[any], (*Library).showVersion)},
	{http.MethodDelete, "/v1/files/{fileId}/versions/{versionId}", "Delete a version of a file", "", http.StatusNoContent, within(store.Update[any], (*Library).deleteVersion)},
	{http.MethodPut, "/v1/files/{fileId}/versions/{versionId}/restore", "Make a version the current one", "", http.StatusOK, within(store.Update[any], (*Library).restoreVersion)},

	{http.MethodPost, "/v1/files/addTags", "Add tags to files", "fileIds:list! tags:list!", http.StatusOK, changeTags("tags", addTags)},
	{http.MethodPost, "/v1/files/removeTags", "Remove tags from files", "fileIds:list! tags:list!", http.StatusOK, changeTags("tags", removeTags)},
	{http.MethodPost, "/v1/files/removeAITags", "Remove AI tags from files", "fileIds:list! AITags:list!", http.StatusOK, changeTags("AITags", removeAITags)},
	{http.MethodPost, "/v1/files/batch/deleteByFileIds", "Delete files", "fileIds:list!", http.StatusOK, (*Library).deleteFiles},
	{http.MethodPost, "/v1/files/copy", "Copy a file", "sourceFilePath! destinationPath! includeFileVersions:bool includeVersions:bool", http.StatusNoContent, func(l *Library, r *http.Request) (any, error) { return l.transferFile(r, false) }},
	{http.MethodPost, "/v1/files/move", "Move a file", "sourceFilePath! destinationPath!", http.StatusNoContent, func(l *Library, r *http.Request) (any, error) { return l.transferFile(r, true) }},
	{http.MethodPut, "/v1/files/rename", "Rename a file", "filePath! newFileName! purgeCache:bool", http.StatusOK, (*Library).renameFile},

	{http.MethodPost, "/v1/folder", "Create a folder", "folderName! parentFolderPath!", http.StatusCreated, (*Library).makeFolder},
	{http.MethodDelete, "/v1/folder", "Delete a folder with its contents", "folderPath!", http.StatusNoContent, (*Library).deleteFolder},
	{http.MethodPost, "/v1/bulkJobs/copyFolder", "Copy a folder", "sourceFolderPath! destinationPath! includeFileVersions:bool includeVersions:bool", http.StatusOK, func(l *Library, r *http.Request) (any, error) { return l.transferFolder(r, jobCopy) }},
	{http.MethodPost, "/v1/bulkJobs/moveFolder", "Move a folder", "sourceFolderPath! destinationPath!", http.StatusOK, func(l *Library, r *http.Request) (any, error) { return l.transferFolder(r, jobMove) }},
	{http.MethodPost, "/v1/bulkJobs/renameFolder", "Rename a folder", "folderPath! newFolderName! purgeCache:bool", http.StatusAccepted, (*Library).renameFolder},
	{http.MethodGet, "/v1/bulkJobs/{jobId}", "Get the status of a folder job", "", http.StatusOK, (*Library).jobStatus},

	{http.MethodGet, "/v1/customMetadataFields", "List the custom metadata fields", "includeDeleted folderPath", http.StatusOK, (*Library).listFields},
	{http.MethodPost, "/v1/customMetadataFields", "Create a custom metadata field", "name! label! schema:object! description", http.StatusCreated, (*Library).addField},
	{http.MethodPatch, "/v1/customMetadataFields/{fieldId}", "Update a custom metadata field", "label schema:object description:text?", http.StatusOK, (*Library).updateField},
	{http.MethodDelete, "/v1/customMetadataFields/{fieldId}", "Delete a custom metadata field", "", http.StatusNoContent, within(store.Update[any], (*Library).deleteField)},

	{http.MethodGet, "/v1/accounts/usage", "Get what the library uses", "startDate! endDate!", http.StatusOK, (*Library).usage},

	// Extensions of this library.
	{http.MethodGet, identityPath, "Identify the running library", "", http.StatusOK, func(l *Library, _ *http.Request) (any, error) {
		return identity{"mediadesk", l.identity, l.Faults()}, nil
	}},
	{http.MethodGet, healthPath, "Check that records and contents answer", "", http.StatusOK, (*Library).health},
	{http.MethodGet, openAPIPath, "Describe the API", "", http.StatusOK, (*Library).openAPI},
	{http.MethodPost, controlPath + "reset", "Delete everything, if allowed, and load a seed", "seed", http.StatusNoContent, (*Library).reset},
	{http.MethodGet, controlPath + "requests", "List the last requests", "method path status:int since", http.StatusOK, (*Library).listRequests},
	{http.MethodPut, controlPath + "faults", "Set the rules of injected faults", "rules:any!", http.StatusOK, (*Library).setFaults},
	{http.MethodDelete, controlPath + "faults", "Remove the rules of injected faults", "", http.StatusNoContent, (*Library).removeFaults},
	{http.MethodGet, controlPath + "webhooks", "List the last webhook posts", "", http.StatusOK, func(l *Library, _ *http.Request) (any, error) { return l.sent.all(), nil }},
	{http.MethodPost, controlPath + "webhooks/{postId}/resend", "Send a webhook post again", "", http.StatusOK, (*Library).resendPost},
}

// inV2 lists the operations with a second path under /v2/, which rclone calls.
var inV2 = []string{
	"GET /v1/files", "GET /v1/files/{fileId}/details", "DELETE /v1/files/{fileId}", "POST /v1/folder", "DELETE /v1/folder",
	"POST /v1/bulkJobs/moveFolder", "GET /v1/bulkJobs/{jobId}",
}

// findRoute returns the route of a request at a clean path and sets its pattern and wildcards in
// r. For a path that other methods have, it returns nil and these methods.
func findRoute(r *http.Request, path string) (found *route, allowed []string) {
	path, second := strings.CutPrefix(path, "/v2/")
	if second {
		path = "/v1/" + path
	}
	for i := range routes {
		at := &routes[i]
		if second && !slices.Contains(inV2, at.method+" "+at.pattern) || !at.fits(r, path) {
			continue
		}
		r.Pattern = at.pattern
		if r.Method == at.method || r.Method == http.MethodHead && at.method == http.MethodGet {
			return at, nil
		}
		if allowed = append(allowed, at.method); at.method == http.MethodGet {
			allowed = append(allowed, http.MethodHead)
		}
	}
	slices.Sort(allowed)
	return nil, slices.Compact(allowed)
}

// fits reports whether a clean path has the pattern of the route, and sets its wildcards in r.
func (route *route) fits(r *http.Request, path string) bool {
	for pattern, more := route.pattern, true; more; {
		var step, value string
		var deeper bool
		step, pattern, more = strings.Cut(pattern, "/")
		if value, path, deeper = strings.Cut(path, "/"); deeper != more {
			return false
		}
		if name, ok := strings.CutPrefix(step, "{"); ok {
			r.SetPathValue(strings.TrimSuffix(name, "}"), value)
		} else if step != value {
			return false
		}
	}
	return true
}

func (route *route) answerTo(l *Library, w http.ResponseWriter, r *http.Request) error {
	for _, name := range []string{"fileId", "versionId"} {
		if strings.Contains(route.pattern, "{"+name+"}") && !store.IsID(r.PathValue(name)) {
			return badRequest("Your request contains invalid "+name+" parameter.", "An id has 24 hexadecimal digits.")
		}
	}
	r = r.WithContext(context.WithValue(r.Context(), routeKey{}, route))
	body, err := route.serve(l, r)
	if err != nil {
		return err
	}
	l.rebase(r, body)
	// Some generated clients of hosted services (Go, Java) fail on an empty answer. They name their
	// language in a header.
	status := route.status
	_, later := body.(accepted)
	switch {
	case body == nil && r.Header.Get("X-Stainless-Lang") == "":
		w.WriteHeader(http.StatusNoContent)
		return nil
	case body == nil:
		status, body = http.StatusOK, struct{}{}
	case later:
		status = http.StatusAccepted
	}
	writeJSON(w, status, body)
	return nil
}

func isAPI(path string) bool {
	begins := func(prefix string) bool { return strings.HasPrefix(path+"/", prefix) }
	return slices.ContainsFunc([]string{"/v1/", "/v2/", "/api/", controlPath}, begins)
}

func (l *Library) openAPI(r *http.Request) (any, error) {
	document := l.describe()
	document["info"] = object{"title": "mediadesk serve", "version": l.o.Version, "description": "All other paths are stored files."}
	document["servers"] = []object{{"url": l.base(r)}}
	return document, nil
}

type object = map[string]any

// describeAPI returns an OpenAPI 3.1 document of the routes.
func describeAPI() map[string]any {
	text, paths := takenTypes["text"], map[string]object{}
	for _, route := range routes {
		parameters, properties, required := []object{}, object{}, []string{}
		for _, name := range pathParameter.FindAllStringSubmatch(route.pattern, -1) {
			parameters = append(parameters,
				object{"name": name[1], "in": "path", "required": true, "schema": text})
		}
		for _, t := range route.taken() {
			if route.method == http.MethodGet {
				parameters = append(parameters,
					object{"name": t.name, "in": "query", "required": t.required, "schema": t.schema})
				continue
			}
			if properties[t.name] = t.schema; t.required {
				required = append(required, t.name)
			}
		}
		kind := "application/json"
		if isUpload(route.pattern) {
			kind, required = "multipart/form-data", []string{"file", "fileName"}
			for _, name := range append([]string{"file", isPublished}, signedParts...) {
				properties[name] = text
			}
			for _, field := range entry.Fields {
				properties[field.Name] = text
			}
		}
		done := object{"description": "Done", "content": object{"application/json": object{"schema": object{}}}}
		operation := object{"summary": route.summary, "parameters": parameters, "responses": object{
			"default": object{"description": "The request failed", "content": done["content"]}, strconv.Itoa(route.status): done,
		}}
		if route.status == http.StatusNoContent {
			operation["responses"].(object)["204"] = object{"description": "Done"}
		}
		if len(properties) > 0 {
			schema := object{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
			content := object{kind: object{"schema": schema}}
			operation["requestBody"] = object{"required": len(required) > 0, "content": content}
		}
		if noKey[route.pattern] || isUpload(route.pattern) { // a signature takes the place of the key
			operation["security"] = []object{{"key": []string{}}, {}}
		}
		if paths[route.pattern] == nil {
			paths[route.pattern] = object{}
		}
		paths[route.pattern][strings.ToLower(route.method)] = operation
	}
	key := object{"type": "http", "scheme": "basic", "description": "The private key is the user name; the password is ignored."}
	return object{
		"openapi": "3.1.0", "paths": paths, "security": []object{{"key": []string{}}},
		"components": object{"securitySchemes": object{"key": key}},
	}
}

type taken struct {
	name     string
	schema   object
	required bool
}

var takenTypes = map[string]object{
	"": {"type": "string"}, "text": {"type": "string"}, "int": {"type": "integer"}, "bool": {"type": "boolean"},
	"list": {"type": "array", "items": object{"type": "string"}}, "object": {"type": "object"}, "any": {},
}

// taken parses route.takes: NAME[:TYPE] separated by spaces, ! for required, ? for nullable.
func (route *route) taken() (list []taken) {
	for word := range strings.FieldsSeq(route.takes) {
		name, kind, _ := strings.Cut(strings.TrimRight(word, "!?"), ":")
		t := taken{name, takenTypes[kind], strings.HasSuffix(word, "!")}
		if strings.HasSuffix(word, "?") {
			t.schema = object{"anyOf": []object{t.schema, {"type": "null"}}}
		}
		list = append(list, t)
	}
	return list
}

func names(list []taken) []string { return rule.Mapped(list, func(t taken) string { return t.name }) }

type routeKey struct{}

func routeOf(r *http.Request) *route { return r.Context().Value(routeKey{}).(*route) }

var pathParameter = regexp.MustCompile(`\{(\w+)\}`)
