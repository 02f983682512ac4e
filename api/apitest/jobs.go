package apitest

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// tree returns the sorted paths of all files and folders below a folder.
func (s *suite) tree(t *testing.T, folder string) string {
	t.Helper()
	var paths []string
	for _, r := range s.list(t, "searchQuery", `path : "`+folder+`"`) {
		path := text(r["filePath"])
		path = cmp.Or(path, text(r["folderPath"])+"/")
		paths = append(paths, strings.TrimPrefix(path, folder))
	}
	slices.Sort(paths)
	return strings.Join(paths, " ")
}

// completed waits until the job of an answer is done and returns it.
func (s *suite) completed(t *testing.T, a answer, kind string) (job map[string]any) {
	t.Helper()
	id := text(a.json["jobId"])
	if id == "" {
		t.Fatalf("there is no jobId in %s", a.body)
	}
	eventually(t, s.AnswerTimeout, "the job", func() bool {
		job = s.call(t, http.StatusOK, http.MethodGet, "/v1/bulkJobs/"+id, "").json
		want(t, job, "jobId", id, "type", kind)
		return job["status"] == "Completed"
	})
	return job
}

// testJobs tests copying, moving and renaming folders.
func testJobs(t *testing.T, s *suite) {
	s.strict(t)
	root := s.folder + "jobs-" + random() + "/"
	put := func(folder, name, data string, more ...part) string {
		return s.id(t, append(exact(name, []byte(data), field("folder", root+folder)), more...)...)
	}
	has := func(t *testing.T, want string) {
		t.Helper()
		if got := s.tree(t, root); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	job := func(t *testing.T, what, from, to string, more ...any) {
		t.Helper()
		kind := map[string]string{"copyFolder": "COPY_FOLDER", "moveFolder": "MOVE_FOLDER"}[what]
		body := js(append([]any{"sourceFolderPath", root + from, "destinationPath", root + to}, more...)...)
		s.completed(t, s.call(t, http.StatusOK, http.MethodPost, "/v1/bulkJobs/"+what, body), kind)
	}
	first := put("a", "1.txt", "one", field("tags", "x"))
	put("a", "1.txt", "one, newer", field("overwriteTags", "false"))
	deep := put("a/b", "2.txt", "two")
	s.call(t, http.StatusCreated, http.MethodPost, "/v1/folder", js("folderName", "empty", "parentFolderPath", root+"a/b"))
	has(t, "a/ a/1.txt a/b/ a/b/2.txt a/b/empty/")

	t.Run("copy", func(t *testing.T) {
		job(t, "copyFolder", "a", "c")
		has(t, "a/ a/1.txt a/b/ a/b/2.txt a/b/empty/ c/ c/a/ c/a/1.txt c/a/b/ c/a/b/2.txt c/a/b/empty/")
		r := s.list(t, "path", root+"c/a")[0]
		want(t, r, "tags", []string{"x"})
		want(t, r["versionInfo"].(map[string]any), "name", "Version 1")
		if r["fileId"] == first {
			t.Error("the copy is the file itself")
		}
		job(t, "copyFolder", "a", "v", "includeFileVersions", true)
		want(t, s.list(t, "path", root+"v/a")[0]["versionInfo"].(map[string]any), "name", "Version 2")
		s.call(t, http.StatusNoContent, http.MethodDelete, "/v1/folder", js("folderPath", root+"v"))
	})
	t.Run("over what is there", func(t *testing.T) {
		job(t, "copyFolder", "a", "c")
		r := s.list(t, "path", root+"c/a")[0]
		want(t, r["versionInfo"].(map[string]any), "name", "Version 2")
		want(t, r, "size", len("one, newer"))
	})
	t.Run("move", func(t *testing.T) {
		s.call(t, http.StatusNoContent, http.MethodDelete, "/v1/folder", js("folderPath", root+"c"))
		job(t, "moveFolder", "a", "m/n")
		has(t, "m/ m/n/ m/n/a/ m/n/a/1.txt m/n/a/b/ m/n/a/b/2.txt m/n/a/b/empty/")
		want(t, s.details(t, deep), "filePath", root+"m/n/a/b/2.txt")
		want(t, s.details(t, first), "tags", []string{"x"})
	})
	t.Run("rename", func(t *testing.T) {
		a := s.call(t, http.StatusAccepted, http.MethodPost, "/v1/bulkJobs/renameFolder", js("folderPath", root+"m/n", "newFolderName", "o p/-", "purgeCache", true))
		job := s.completed(t, a, "RENAME_FOLDER")
		has(t, "m/ m/o_p_-/ m/o_p_-/a/ m/o_p_-/a/1.txt m/o_p_-/a/b/ m/o_p_-/a/b/2.txt m/o_p_-/a/b/empty/")
		want(t, s.call(t, http.StatusOK, http.MethodGet, "/v1/files/purge/"+text(job["purgeRequestId"]), "").json, "status", "Completed")
		s.call(t, http.StatusCreated, http.MethodPost, "/v1/folder", js("folderName", "q", "parentFolderPath", root+"m"))
		wantError(t, s.call(t, http.StatusConflict, http.MethodPost, "/v1/bulkJobs/renameFolder", js("folderPath", root+"m/o_p_-", "newFolderName", "q")), http.StatusConflict, "already exists")
	})
	t.Run("no such job", func(t *testing.T) {
		s.call(t, http.StatusNotFound, http.MethodGet, "/v1/bulkJobs/"+nobody, "")
		wantError(t, s.call(t, http.StatusBadRequest, http.MethodGet, "/v1/files/purge/"+nobody, ""), http.StatusBadRequest, "No request found for this requestId.")
	})
	t.Run("purging", func(t *testing.T) {
		a := s.call(t, http.StatusCreated, http.MethodPost, "/v1/files/purge", js("url", text(s.details(t, first)["url"])))
		want(t, s.call(t, http.StatusOK, http.MethodGet, "/v1/files/purge/"+text(a.json["requestId"]), "").json, "status", "Completed")
		s.refusedBodies(t, http.MethodPost, "/v1/files/purge", `{}`, `{"url":5}`, `{"url":"nowhere"}`, `{"url":"http://h"}`, `{"url":"http://h/a/*"}`, `{"url":"http://h/a/b/*/c"}`)
		s.call(t, http.StatusCreated, http.MethodPost, "/v1/files/purge", `{"url":"http://h/a/b/*"}`)
		s.call(t, http.StatusCreated, http.MethodPost, "/v1/files/purge", `{"url":"http://h/a.jpg*"}`)
	})
}
