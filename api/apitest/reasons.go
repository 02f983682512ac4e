package apitest

import (
	"net/http"
	"path"
	"strings"
	"testing"

	"mediadesk/api/media/mediatest"
)

// testReasons tests the documented reason or message of each rejection (hosted-service.md §9 and
// §10).
func testReasons(t *testing.T, s *suite) {
	s.strict(t)
	root := s.folder + "reasons-" + random() + "/"
	for _, file := range []string{"d/a.txt", "d/b.txt", "d/e/deep.txt", "d/full.txt"} {
		s.store(t, exact(path.Base(file), []byte("x"), field("folder", root+path.Dir(file)))...)
	}
	full := exact("full.txt", []byte("x"), field("folder", root+"full"))
	for range 100 {
		s.store(t, full...)
	}
	const (
		file, folder = "/v1/files/", "/v1/bulkJobs/"
		missing      = "MISSING_PARAMETER"
		invalid      = "INVALID_PARAMETER"
		badFolder    = "INVALID_FOLDER_PATH"
		same         = "SAME_SOURCE_AND_DESTINATION"
	)
	from := func(path string, more ...any) string {
		return js(append([]any{"sourceFilePath", root + path}, more...)...)
	}
	under := func(path string, more ...any) string {
		return js(append([]any{"sourceFolderPath", root + path}, more...)...)
	}
	for _, c := range []struct {
		path, body string
		status     int
		reason     string // or part of the message
	}{
		{file + "copy", `{}`, 400, missing},
		{file + "copy", from("d/a.txt", "destinationPath", root+"d"), 400, same},
		{file + "copy", from("d/a.txt", "destinationPath", "/a b"), 400, badFolder},
		{file + "copy", from("d/none.txt", "destinationPath", root), 404, "SOURCE_FILE_MISSING"},
		{file + "copy", from("d/full.txt", "destinationPath", root+"full"), 400, "VERSION_LIMIT_EXCEEDED"},
		{file + "move", from("d/a.txt"), 400, missing},
		{file + "move", from("d/a.txt", "destinationPath", root+"d/"), 400, same},
		{file + "move", from("d/a.txt", "destinationPath", "/.."), 400, badFolder},
		{file + "move", from("d/none.txt", "destinationPath", root), 404, "SOURCE_FILE_MISSING"},
		{file + "move", from("d/full.txt", "destinationPath", root+"full"), 400, "VERSION_LIMIT_EXCEEDED"},
		{"PUT " + file + "rename", js("filePath", root+"d/a.txt"), 400, missing},
		{"PUT " + file + "rename", js("filePath", root+"d/a.txt", "newFileName", 5), 400, invalid},
		{"PUT " + file + "rename", js("filePath", root+"d/a.txt", "newFileName", ".."), 400, invalid},
		{"PUT " + file + "rename", js("filePath", root+"d/a.txt", "newFileName", "a.txt"), 400, "SAME_OLD_AND_NEW_NAME"},
		{"PUT " + file + "rename", js("filePath", root+"d/none.txt", "newFileName", "b.txt"), 404, "FILE_MISSING"},
		{"PUT " + file + "rename", js("filePath", root+"d/a.txt", "newFileName", "b.txt"), 409, "FILE_ALREADY_EXISTS"},
		{"/v1/folder", js("folderName", "..", "parentFolderPath", root), 400, badFolder},
		{"/v1/folder", js("folderName", ".", "parentFolderPath", root), 400, badFolder},
		{"/v1/folder", js("folderName", "a", "parentFolderPath", root+".."), 400, badFolder},
		{"/v1/folder", js("folderName", "a"), 400, missing},
		{"DELETE /v1/folder", js("folderPath", root+"none"), 404, "FOLDER_NOT_FOUND"},
		{folder + "copyFolder", under("d"), 400, missing},
		{folder + "copyFolder", under("d", "destinationPath", 5), 400, invalid},
		{folder + "copyFolder", js("sourceFolderPath", "/", "destinationPath", root), 400, "SOURCE_IS_ROOT"},
		{folder + "copyFolder", under("d", "destinationPath", root), 400, same},
		{folder + "copyFolder", under("d", "destinationPath", "/a b"), 400, badFolder},
		{folder + "copyFolder", under("none", "destinationPath", root+"x"), 404, "NO_FILES_FOLDER"},
		{folder + "moveFolder", `{}`, 400, missing},
		{folder + "moveFolder", js("sourceFolderPath", "/", "destinationPath", root), 400, "SOURCE_IS_ROOT"},
		{folder + "moveFolder", under("d", "destinationPath", root), 400, same},
		{folder + "moveFolder", under("d", "destinationPath", root+"d/e"), 400, "INVALID_DESTINATION_PATH"},
		{folder + "moveFolder", under("..", "destinationPath", root), 400, badFolder},
		{folder + "moveFolder", under("none", "destinationPath", root+"x"), 404, "NO_FILES_FOLDER"},
		{folder + "renameFolder", js("folderPath", "/", "newFolderName", "x"), 400, "folderPath cannot be root."},
		{folder + "renameFolder", js("folderPath", root+"none", "newFolderName", "x"), 404, "Source folder not found."},
		{folder + "renameFolder", js("folderPath", root+"d", "newFolderName", ".."), 400, badFolder},
		{folder + "renameFolder", js("folderPath", root+"d", "newFolderName", "full"), 409, `Folder with name "full" already exists at the same location.`},
		{file + "purge", js("url", "nowhere"), 400, "The URL is not valid for cache purging."},
	} {
		method, path := http.MethodPost, c.path
		if before, after, found := strings.Cut(path, " "); found {
			method, path = before, after
		}
		a := s.do(t, method, s.BaseURL+path, "application/json", strings.NewReader(c.body), nil)
		if a.status != c.status || text(a.json["reason"]) != c.reason &&
			!strings.Contains(text(a.json["message"]), c.reason) {
			t.Errorf("%s %s answered %d %s, want %d %s", c.path, c.body, a.status, a.body, c.status, c.reason)
		}
	}
	mediatest.Equal(t, s.tree(t, root), "d/ d/a.txt d/b.txt d/e/ d/e/deep.txt d/full.txt full/ full/full.txt",
		"the refused calls left")
}
