package apitest

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
)

// testSecond tests that the paths under /v2/, which rclone calls, work like those under
// /v1/ (hosted-service.md §14).
func testSecond(t *testing.T, s *suite) {
	s.strict(t)
	folder := s.folder + "second-" + random()
	parts := multipartBody(exact("a.txt", []byte("two"), field("folder", folder+"/in"))...)
	a := s.do(t, http.MethodPost, s.UploadURL+"/api/v2/files/upload", "multipart/form-data; boundary="+boundary, bytes.NewReader(parts), nil)
	wantStatus(t, a, http.StatusOK)
	id := text(a.json["fileId"])
	s.call(t, http.StatusCreated, http.MethodPost, "/v2/folder", js("folderName", "to", "parentFolderPath", folder))
	want(t, s.call(t, http.StatusOK, http.MethodGet, "/v2/files/"+id+"/details", "").json, "filePath", folder+"/in/a.txt")
	job := s.call(t, http.StatusOK, http.MethodPost, "/v2/bulkJobs/moveFolder", js("sourceFolderPath", folder+"/in", "destinationPath", folder+"/to"))
	want(t, s.call(t, http.StatusOK, http.MethodGet, "/v2/bulkJobs/"+text(job.json["jobId"]), "").json, "status", "Completed")
	query := "?path=" + folder + "/to/in&skip=0&limit=10&searchQuery=type+%3D+%22file%22"
	if list := s.call(t, http.StatusOK, http.MethodGet, "/v2/files"+query, "").body; !strings.Contains(string(list), id) {
		t.Errorf("listed %s", list)
	}
	s.call(t, http.StatusNoContent, http.MethodDelete, "/v2/files/"+id, "")
	if !s.gone(t, id) {
		t.Error("the file is still there")
	}
	s.call(t, http.StatusNoContent, http.MethodDelete, "/v2/folder", js("folderPath", folder))
	s.call(t, http.StatusNotFound, http.MethodGet, "/v2/customMetadataFields", "")
}
