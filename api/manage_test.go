package api_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
)

// TestManagingCalls has the request of each managing call, and an answer without a body is a success.
func TestManagingCalls(t *testing.T) {
	var got string
	status, answer := http.StatusNoContent, ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = strings.TrimSpace(r.Method + " " + r.URL.RequestURI() + " " + string(body))
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	defer server.Close()
	c, err := api.NewClient(api.Options{UploadURL: server.URL, BaseURL: server.URL, Key: plainKey("private_k")})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx := t.Context()
	made := func(folder string, err error) error {
		got += " made " + folder
		return err
	}
	job := func(r api.Request, err error) error {
		if err != nil {
			return err
		}
		_, err = c.StartFolderJob(ctx, r)
		return err
	}
	for _, x := range []struct {
		do     func() error
		status int
		answer string
		want   string
	}{
		{func() error { _, err := c.Versions(ctx, "f/1"); return err }, 200, "[]", "GET /v1/files/f%2F1/versions"},
		{func() error { _, err := c.RestoreVersion(ctx, "f", "v"); return err }, 200, `{"fileId":"f"}`, "PUT /v1/files/f/versions/v/restore"},
		{func() error { return c.DeleteVersion(ctx, "f", "v") }, 204, "", "DELETE /v1/files/f/versions/v"},
		{func() error { return c.DeleteFile(ctx, "f") }, 204, "", "DELETE /v1/files/f"},
		{func() error { return c.CopyFile(ctx, "/a.jpg", "b") }, 204, "", `POST /v1/files/copy {"destinationPath":"/b/","sourceFilePath":"/a.jpg"}`},
		{func() error { return c.MoveFile(ctx, "/a.jpg", "/") }, 204, "", `POST /v1/files/move {"destinationPath":"/","sourceFilePath":"/a.jpg"}`},
		{func() error { return c.RenameFile(ctx, "/a.jpg", "b.jpg") }, 200, "{}", `PUT /v1/files/rename {"filePath":"/a.jpg","newFileName":"b.jpg"}`},
		{func() error {
			p, err := c.RenameAndPurge(ctx, "/a.jpg", "b.jpg")
			if p.ID != "66b" {
				t.Errorf("a rename started the purge %+v", p)
			}
			return err
		}, 200, `{"purgeRequestId":"66b"}`, `PUT /v1/files/rename {"filePath":"/a.jpg","newFileName":"b.jpg","purgeCache":true}`},
		{func() error {
			p, err := c.StartPurge(ctx, "https://h/a/b.jpg*")
			if p.ID != "66b" {
				t.Errorf("started the purge %+v", p)
			}
			return err
		}, 201, `{"requestId":"66b"}`, `POST /v1/files/purge {"url":"https://h/a/b.jpg*"}`},
		{func() error {
			status, err := c.PurgeStatus(ctx, "66b")
			if status != api.JobPending {
				t.Errorf("the status is %q, want %v", status, api.JobPending)
			}
			return err
		}, 200, `{"status":"Pending"}`, "GET /v1/files/purge/66b"},
		{func() error { return job(c.DescribeRenameFolder("/a/b", "c", true)) }, 202, `{"jobId":"66a"}`, `POST /v1/bulkJobs/renameFolder {"folderPath":"/a/b/","newFolderName":"c","purgeCache":true}`},
		{func() error { return made(c.MakeFolder(ctx, "x-y/a-b")) }, 201, "{}", `POST /v1/folder {"folderName":"a-b","parentFolderPath":"/x-y/"} made /x-y/a_b/`},
		{func() error { return made(c.MakeFolder(ctx, "/a")) }, 201, `{"folderPath":"/A"}`, `POST /v1/folder {"folderName":"a","parentFolderPath":"/"} made /A/`},
		{func() error { return c.DeleteFolder(ctx, "/a b") }, 204, "", `DELETE /v1/folder {"folderPath":"/a b/"}`},
		{func() error { return job(c.DescribeCopyFolder("/a/", "b")) }, 200, `{"jobId":"66a"}`, `POST /v1/bulkJobs/copyFolder {"destinationPath":"/b/","sourceFolderPath":"/a/"}`},
		{func() error { return job(c.DescribeMoveFolder("/a/b", "/")) }, 200, `{"jobId":"66a"}`, `POST /v1/bulkJobs/moveFolder {"destinationPath":"/","sourceFolderPath":"/a/b/"}`},
		{func() error { return job(c.DescribeRenameFolder("/a/b", "c", false)) }, 202, `{"jobId":"66a"}`, `POST /v1/bulkJobs/renameFolder {"folderPath":"/a/b/","newFolderName":"c"}`},
		{func() error { _, err := c.FolderJob(ctx, "66a"); return err }, 200, `{"jobId":"66a","status":"Pending"}`, "GET /v1/bulkJobs/66a"},
		{func() error { _, err := c.List(ctx, api.Query{Kind: api.KindImage}); return err }, 200, "[]", "GET /v1/files?fileType=image"},
		{func() error {
			_, err := c.List(ctx, api.Query{Folder: "/a/", Search: `name : "x"`})
			return err
		}, 200, "[]", "GET /v1/files?path=%2Fa%2F&searchQuery=name+%3A+%22x%22"},
	} {
		status, answer = x.status, x.answer
		if err := x.do(); err != nil || got != x.want {
			t.Errorf("sent %q (%v), want %q", got, err, x.want)
		}
	}
	status, answer = http.StatusConflict, `{"message":"taken"}`
	var refused *api.ServiceError
	if err := c.RenameFile(ctx, "/a.jpg", "b.jpg"); !errors.As(err, &refused) || refused.Status != http.StatusConflict {
		t.Errorf("an existing name: %v", err)
	}
	got = ""
	for _, err := range []error{
		c.DeleteFile(ctx, ""), c.DeleteVersion(ctx, "f", ""), c.CopyFile(ctx, "", "/"),
		c.MoveFile(ctx, "/a", "/a b/"), c.RenameFile(ctx, "/a", ""), c.RenameFile(ctx, "", "b"),
	} {
		if err == nil {
			t.Error("an empty or impossible value was accepted")
		}
	}
	if got != "" {
		t.Errorf("sent %q, want no request", got)
	}
}

type plainKey string

func (k plainKey) Reveal() string { return string(k) }

// TestSignedURL: the signatures are those of clients of hosted services, computed with openssl:
// printf 'a/b.jpg1700000000' | openssl dgst -sha1 -hmac private_k.
func TestSignedURL(t *testing.T) {
	c, err := api.NewClient(api.Options{
		UploadURL: "https://u.example", BaseURL: "https://b.example", DeliveryURL: "https://d.example/acct/", Key: plainKey("private_k"),
	})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1_700_000_000, 0)
	for _, x := range []struct {
		address string
		expires time.Time
		want    string
	}{
		{"https://d.example/acct/a/b.jpg", at, "https://d.example/acct/a/b.jpg?ik-t=1700000000&ik-s=90f62c2be644e1734e3bb1d639aa4f27730a7d82"},
		{"https://d.example/acct/a/b.jpg", time.Time{}, "https://d.example/acct/a/b.jpg?ik-s=0d09eed46a05bf9724ef0b33676e99e1ec33417f"},
		{"https://d.example/acct/a/b.jpg?tr=w-9", at, "https://d.example/acct/a/b.jpg?tr=w-9&ik-t=1700000000&ik-s=0ca12f8d0b582098330e7792da08c09c871d3a9d"},
		{"https://elsewhere.example/a/b.jpg", at, ""},
		{"https://d.example/account/b.jpg", at, ""},
	} {
		got, err := c.SignedURL(x.address, x.expires)
		if (err != nil) != (x.want == "") || got != x.want || strings.Contains(got, "private_k") {
			t.Errorf("%s signed is %q (%v), want %q", x.address, got, err, x.want)
		}
	}
}

// TestIDsAreChecked: no id can change the rest of the request path.
func TestIDsAreChecked(t *testing.T) {
	rec := newRecorder(t)
	c := mustClient(t, api.Options{UploadURL: rec.URL, BaseURL: rec.URL})
	for _, id := range []string{"", ".", "..", "...", "a\n", "a\u202eb", "\x00", strings.Repeat("a", 300)} {
		for about, call := range map[string]func() error{
			"details": func() error { _, err := c.Details(t.Context(), id); return err },
			"update": func() error {
				_, err := c.UpdateDetails(t.Context(), id, api.Details{Tags: api.Null[[]string]()})
				return err
			},
			"versions":        func() error { _, err := c.Versions(t.Context(), id); return err },
			"restore of":      func() error { _, err := c.RestoreVersion(t.Context(), id, "1"); return err },
			"restore":         func() error { _, err := c.RestoreVersion(t.Context(), "1", id); return err },
			"deletion":        func() error { return c.DeleteFile(t.Context(), id) },
			"version of":      func() error { return c.DeleteVersion(t.Context(), id, "1") },
			"deleted version": func() error { return c.DeleteVersion(t.Context(), "1", id) },
		} {
			var rule *api.RuleError
			if err := call(); !errors.As(err, &rule) || rule.Field != "fileId" {
				t.Errorf("%s of %q: %v", about, id, err)
			}
		}
	}
	if len(rec.requests) > 0 {
		t.Errorf("%d requests went out", len(rec.requests))
	}
}
