package apitest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"mediadesk/api/media/mediatest"
)

const nobody = "0123456789abcdef01234567" // an ID without a file

// call sends a request with a JSON body, which may be empty, and checks the status.
func (s *suite) call(t *testing.T, status int, method, path, body string) answer {
	t.Helper()
	a := s.do(t, method, s.BaseURL+path, "application/json", strings.NewReader(body), nil)
	if a.status != status {
		t.Fatalf("%s %s %s answered %d %s, want %d", method, path, body, a.status, a.body, status)
	}
	if status == http.StatusNoContent && (len(a.body) > 0 || a.header.Get("Content-Type") != "") {
		t.Errorf("%s %s answered 204 with a body, or the type of one: %s", method, path, a.body)
	}
	return a
}

// js returns a JSON object; pairs are names and values.
func js(pairs ...any) string {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	text, _ := json.Marshal(m)
	return string(text)
}

func (s *suite) gone(t *testing.T, id string) bool {
	t.Helper()
	return s.do(t, http.MethodGet, s.detailsAddress(id), "", nil, nil).status == http.StatusNotFound
}

func (s *suite) id(t *testing.T, parts ...part) string {
	t.Helper()
	return text(s.store(t, parts...)["fileId"])
}

// fresh stores a small file under a unique name.
func (s *suite) fresh(t *testing.T, more ...part) string {
	t.Helper()
	return s.id(t, append([]part{field("fileName", "m.txt"), content([]byte(random()))}, more...)...)
}

// testDelete tests DELETE {base_url}/v1/files/{id} and batch/deleteByFileIds.
func testDelete(t *testing.T, s *suite) {
	t.Run("one", func(t *testing.T) {
		r := s.store(t, small("m.txt")...)
		id := text(r["fileId"])
		s.call(t, http.StatusNoContent, http.MethodDelete, "/v1/files/"+id, "")
		if !s.gone(t, id) {
			t.Error("the file is still there")
		}
		if s.DeliveryURL != "" && s.Strict {
			a := s.do(t, http.MethodGet, text(r["url"]), "", nil, nil)
			mediatest.Equal(t, a.status, http.StatusNotFound, "its address answers")
		}
		s.fails(t, http.StatusNotFound, http.MethodDelete, "/v1/files/"+id, "", "does not exist")
		s.call(t, http.StatusBadRequest, http.MethodDelete, "/v1/files/no-id", "")
	})
	t.Run("the name is free again", func(t *testing.T) {
		name := random() + ".txt"
		first := s.id(t, exact(name, []byte("1"))...)
		s.call(t, http.StatusNoContent, http.MethodDelete, "/v1/files/"+first, "")
		second := s.store(t, exact(name, []byte("2"))...)
		if second["fileId"] == first || versionName(second) != "Version 1" {
			t.Errorf("the new file is %v", second)
		}
	})
	t.Run("several", func(t *testing.T) {
		a, b := s.fresh(t), s.fresh(t)
		got := s.call(t, http.StatusOK, http.MethodPost, "/v1/files/batch/deleteByFileIds", js("fileIds", []string{a, b, a}))
		want(t, got.json, "successfullyDeletedFileIds", []string{a, b})
		if !s.gone(t, a) || !s.gone(t, b) {
			t.Error("the files are still there")
		}
		got = s.call(t, http.StatusNotFound, http.MethodPost, "/v1/files/batch/deleteByFileIds", js("fileIds", []string{a, nobody}))
		want(t, got.json, "missingFileIds", []string{a, nobody})
	})
	s.runStrict(t, "some of several", func(t *testing.T) {
		id := s.fresh(t)
		got := s.call(t, http.StatusNotFound, http.MethodPost, "/v1/files/batch/deleteByFileIds", js("fileIds", []string{id, nobody}))
		want(t, got.json, "missingFileIds", []string{nobody})
		if s.gone(t, id) {
			t.Error("the other one was deleted")
		}
	})
	t.Run("refused", func(t *testing.T) {
		s.refusedBodies(t, http.MethodPost, "/v1/files/batch/deleteByFileIds",
			`{}`, `[]`, `{"fileIds":[]}`, `{"fileIds":"`+nobody+`"}`, `{"fileIds":["x"]}`, `{"fileIds":[null]}`,
			js("fileIds", many(101)), js("fileIds", []string{nobody}, "more", 1))
	})
}

// many returns n file IDs.
func many(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%024x", i)
	}
	return list
}

func (s *suite) refusedBodies(t *testing.T, method, path string, bodies ...string) {
	t.Helper()
	s.strict(t)
	for _, body := range bodies {
		if a := s.do(t, method, s.BaseURL+path, "application/json", strings.NewReader(body),
			nil); a.status != http.StatusBadRequest || text(a.json["message"]) == "" {
			t.Errorf("%s %s %s answered %d %s, want 400 with a message", method, path, body, a.status, a.body)
		}
	}
}

// testBulkTags tests addTags, removeTags and removeAITags.
func testBulkTags(t *testing.T, s *suite) {
	a, b := s.fresh(t, field("tags", "one,two")), s.fresh(t)
	got := s.call(t, http.StatusOK, http.MethodPost, "/v1/files/addTags",
		js("fileIds", []string{a, b}, "tags", []string{"two", "three"}))
	want(t, got.json, "successfullyUpdatedFileIds", []string{a, b})
	want(t, s.details(t, a), "tags", []string{"one", "two", "three"})
	want(t, s.details(t, b), "tags", []string{"two", "three"})
	s.call(t, http.StatusOK, http.MethodPost, "/v1/files/removeTags",
		js("fileIds", []string{a, b}, "tags", []string{"two", "three", "none"}))
	want(t, s.details(t, a), "tags", []string{"one"})
	want(t, s.details(t, b), "tags", nil)
	got = s.call(t, http.StatusNotFound, http.MethodPost, "/v1/files/addTags",
		js("fileIds", []string{nobody}, "tags", []string{"x"}))
	want(t, got.json, "missingFileIds", []string{nobody})
	s.runStrict(t, "some", func(t *testing.T) {
		got := s.call(t, http.StatusNotFound, http.MethodPost, "/v1/files/addTags",
			js("fileIds", []string{a, nobody}, "tags", []string{"x"}))
		want(t, got.json, "missingFileIds", []string{nobody})
		want(t, s.details(t, a), "tags", []string{"one"})
	})
	s.runStrict(t, "AI tags", func(t *testing.T) {
		r := s.store(t, field("fileName", "p.png"), content(PNG(30, 20)), field("extensions", `[{"name":"aws-auto-tagging"}]`))
		tags, _ := s.details(t, text(r["fileId"]))["AITags"].([]any)
		if len(tags) == 0 {
			t.Fatal("nothing was found")
		}
		name := tags[0].(map[string]any)["name"]
		s.call(t, http.StatusOK, http.MethodPost, "/v1/files/removeAITags",
			js("fileIds", []any{r["fileId"]}, "AITags", []any{name}))
		left, _ := s.details(t, text(r["fileId"]))["AITags"].([]any)
		if len(left) != len(tags)-1 {
			t.Errorf("of %d AI tags %d are left", len(tags), len(left))
		}
	})
	t.Run("refused", func(t *testing.T) {
		s.refusedBodies(t, http.MethodPost, "/v1/files/addTags",
			js("fileIds", []string{a}), js("tags", []string{"x"}),
			js("fileIds", []string{a}, "tags", []string{}),
			js("fileIds", []string{a}, "tags", []string{""}),
			js("fileIds", []string{a}, "tags", "x"), js("fileIds", many(51), "tags", []string{"x"}))
	})
}

// testFileVersions tests listing, reading, restoring and deleting versions.
func testFileVersions(t *testing.T, s *suite) {
	name := random() + ".png"
	data := [][]byte{PNG(40, 30), PNG(20, 30), PNG(40, 30)}
	var id string
	var ids []string
	for i, d := range data {
		r := s.store(t, exact(name, d, field("tags", fmt.Sprint("t", i)),
			field("customCoordinates", "0,0,20,30"))...)
		id = text(r["fileId"])
		ids = append(ids, text(object(r, "versionInfo")["id"]))
	}
	if ids[0] != id {
		t.Errorf("the first version has the id %s, the file %s", ids[0], id)
	}
	versions := func() []map[string]any {
		return records(t, s.call(t, http.StatusOK, http.MethodGet, "/v1/files/"+id+"/versions", ""))
	}
	kinds := func(list []map[string]any) string {
		var all []string
		for _, v := range list {
			all = append(all, versionName(v)+" "+text(v["type"]))
		}
		return strings.Join(all, ", ")
	}
	mediatest.Equal(t, kinds(versions()), "Version 3 file, Version 2 file-version, Version 1 file-version",
		"the versions are")
	t.Run("one", func(t *testing.T) {
		v := s.call(t, http.StatusOK, http.MethodGet, "/v1/files/"+id+"/versions/"+ids[1], "").json
		want(t, v, "type", "file-version", "fileId", id, "width", 20)
		if s.DeliveryURL != "" {
			if a := s.do(t, http.MethodGet, text(v["url"]), "", nil, nil); !bytes.Equal(a.body, data[1]) {
				t.Errorf("%v is not that version", v["url"])
			}
		}
		s.call(t, http.StatusNotFound, http.MethodGet, "/v1/files/"+id+"/versions/"+nobody, "")
		s.call(t, http.StatusNotFound, http.MethodGet, "/v1/files/"+nobody+"/versions", "")
		s.call(t, http.StatusNotFound, http.MethodGet, "/v1/files/"+s.fresh(t)+"/versions/"+ids[1], "")
	})
	t.Run("in a listing", func(t *testing.T) {
		list := s.list(t, "path", s.folder, "searchQuery", `type = "file-version" AND name = "`+name+`"`, "sort", "DESC_CREATED")
		mediatest.Equal(t, kinds(list), "Version 2 file-version, Version 1 file-version", "listed")
	})
	t.Run("restore", func(t *testing.T) {
		r := s.call(t, http.StatusOK, http.MethodPut, "/v1/files/"+id+"/versions/"+ids[1]+"/restore", "").json
		want(t, r, "fileId", id, "width", 20)
		want(t, object(r, "versionInfo"), "id", ids[1])
		now := s.details(t, id)
		want(t, now, "width", 20)
		if s.Strict {
			want(t, now, "customCoordinates", nil) // they were pixels of a wider picture
		}
		mediatest.Equal(t, kinds(versions()), "Version 3 file-version, Version 2 file, Version 1 file-version",
			"the versions are")
		if s.DeliveryURL != "" {
			if a := s.do(t, http.MethodGet, text(r["url"]), "", nil, nil); !bytes.Equal(a.body, data[1]) {
				t.Error("its address serves another version")
			}
		}
		s.call(t, http.StatusNotFound, http.MethodPut, "/v1/files/"+id+"/versions/"+nobody+"/restore", "")
	})
	t.Run("delete", func(t *testing.T) {
		s.call(t, http.StatusBadRequest, http.MethodDelete, "/v1/files/"+id+"/versions/"+ids[1], "")
		s.call(t, http.StatusNoContent, http.MethodDelete, "/v1/files/"+id+"/versions/"+ids[0], "")
		s.call(t, http.StatusNotFound, http.MethodDelete, "/v1/files/"+id+"/versions/"+ids[0], "")
		mediatest.Equal(t, kinds(versions()), "Version 3 file-version, Version 2 file", "the versions are")
		r := s.store(t, exact(name, data[0])...)
		want(t, object(r, "versionInfo"), "name", "Version 4")
	})
}

func versionName(record map[string]any) string { return text(object(record, "versionInfo")["name"]) }

// testTransfer tests copy, move and rename.
func testTransfer(t *testing.T, s *suite) {
	from, to := s.folder+"from-"+random()+"/", s.folder+"to-"+random()+"/"
	put := func(folder, name, data string, more ...part) string {
		return s.id(t, append(exact(name, []byte(data), field("folder", folder)), more...)...)
	}
	find := func(folder, name string) map[string]any {
		list := s.list(t, "path", folder, "searchQuery", `name = "`+name+`"`)
		if len(list) == 0 {
			return nil
		}
		return list[0]
	}
	t.Run("copy", func(t *testing.T) {
		id := put(from, "a.txt", "a", field("tags", "x,y"))
		s.call(t, http.StatusNoContent, http.MethodPost, "/v1/files/copy",
			js("sourceFilePath", from+"a.txt", "destinationPath", to))
		r := find(to, "a.txt")
		if r == nil || r["fileId"] == id || s.gone(t, id) {
			t.Fatalf("the copy is %v", r)
		}
		want(t, r, "tags", []string{"x", "y"})
		put(from, "a.txt", "newer")
		s.call(t, http.StatusNoContent, http.MethodPost, "/v1/files/copy",
			js("sourceFilePath", from+"a.txt", "destinationPath", to))
		if again := find(to, "a.txt"); again["fileId"] != r["fileId"] || versionName(again) != "Version 2" ||
			!same(again["size"], 5) {
			t.Errorf("copied again it is %v", again)
		}
		s.call(t, http.StatusNoContent, http.MethodPost, "/v1/files/copy",
			js("sourceFilePath", from+"a.txt", "destinationPath", to+"all", "includeFileVersions", true))
		if all := find(to+"all", "a.txt"); versionName(all) != "Version 2" {
			t.Errorf("with its versions it is %v", all)
		}
	})
	t.Run("move", func(t *testing.T) {
		id := put(from, "b.txt", "b", field("tags", "x"))
		s.call(t, http.StatusNoContent, http.MethodPost, "/v1/files/move",
			js("sourceFilePath", from+"b.txt", "destinationPath", to))
		r := find(to, "b.txt")
		if find(from, "b.txt") != nil || r == nil || r["fileId"] != id {
			t.Fatalf("moved it is %v", r)
		}
		want(t, r, "filePath", to+"b.txt", "tags", []string{"x"})
		put(from, "b.txt", "newer")
		s.call(t, http.StatusNoContent, http.MethodPost, "/v1/files/move",
			js("sourceFilePath", from+"b.txt", "destinationPath", to))
		if again := find(to, "b.txt"); find(from, "b.txt") != nil || again["fileId"] != id ||
			versionName(again) != "Version 2" || !same(again["size"], 5) {
			t.Errorf("moved over it, it is %v", again)
		}
	})
	t.Run("rename", func(t *testing.T) {
		id := put(from, "c.txt", "c")
		put(from, "taken.txt", "t")
		s.call(t, http.StatusOK, http.MethodPut, "/v1/files/rename",
			js("filePath", from+"c.txt", "newFileName", "d e.txt"))
		if r := find(from, "d_e.txt"); r == nil || r["fileId"] != id || find(from, "c.txt") != nil {
			t.Errorf("renamed it is %v", r)
		}
		s.fails(t, http.StatusConflict, http.MethodPut, "/v1/files/rename", js("filePath", from+"d_e.txt", "newFileName", "taken.txt"), "already exists")
		if s.gone(t, id) {
			t.Error("the file was lost")
		}
	})
	s.runStrict(t, "a generated client", func(t *testing.T) {
		put(from, "g.txt", "g")
		a := s.do(t, http.MethodPost, s.BaseURL+"/v1/files/copy", "application/json",
			strings.NewReader(js("sourceFilePath", from+"g.txt", "destinationPath", to)), func(req *http.Request) {
				req.Header.Set("X-Stainless-Lang", "go")
			})
		if a.status != http.StatusOK || string(a.body) != "{}" || find(to, "g.txt") == nil {
			t.Errorf("answered %d %s", a.status, a.body)
		}
	})
	t.Run("refused", func(t *testing.T) { testRefusedTransfers(t, s, from, to) })
}

func testRefusedTransfers(t *testing.T, s *suite, from, to string) {
	s.store(t, exact("e.txt", []byte("e"), field("folder", from))...)
	for _, path := range []string{"/v1/files/copy", "/v1/files/move"} {
		s.refusedBodies(t, http.MethodPost, path, `{}`, js("sourceFilePath", from+"e.txt"),
			js("destinationPath", to), js("sourceFilePath", 1, "destinationPath", to),
			js("sourceFilePath", from+"e.txt", "destinationPath", "/a?b"),
			js("sourceFilePath", from+"e.txt", "destinationPath", from),
			js("sourceFilePath", from, "destinationPath", to),
			js("sourceFilePath", from+"e.txt", "destinationPath", strings.Repeat("/a", 51)),
			js("sourceFilePath", from+"e.txt", "destinationPath", to, "purge", true))
	}
	s.refusedBodies(t, http.MethodPut, "/v1/files/rename", `{}`, js("filePath", from+"e.txt"),
		js("filePath", from+"e.txt", "newFileName", ""), js("filePath", from+"e.txt", "newFileName", ".."))
}

// testFolders tests creating and deleting folders.
func testFolders(t *testing.T, s *suite) {
	name := "made" + random()
	parent := s.folder + "folders"
	a := s.call(t, http.StatusCreated, http.MethodPost, "/v1/folder",
		js("folderName", name, "parentFolderPath", parent))
	if s.Strict {
		want(t, a.json, "type", "folder", "name", name, "folderPath", parent+"/"+name)
	}
	list := s.list(t, "type", "folder", "path", parent)
	if !strings.Contains(names(list), name) {
		t.Fatalf("listed %s", names(list))
	}
	s.call(t, http.StatusCreated, http.MethodPost, "/v1/folder",
		js("folderName", name, "parentFolderPath", parent))
	id := s.fresh(t, field("folder", parent+"/"+name+"/deep/er"))
	beside := s.fresh(t, field("folder", parent+"/"+name+"_beside"))
	s.call(t, http.StatusNoContent, http.MethodDelete, "/v1/folder", js("folderPath", parent+"/"+name))
	if !s.gone(t, id) {
		t.Error("a file in the folder is still there")
	}
	if s.gone(t, beside) {
		t.Error("a file in another folder was deleted")
	}
	if got := names(s.list(t, "type", "folder", "path", parent)); strings.Contains(got, name+"]") ||
		strings.Contains(got, name+" ") || !strings.Contains(got, name+"_beside") {
		t.Errorf("listed %s", got)
	}
	wantError(t, s.call(t, http.StatusNotFound, http.MethodDelete, "/v1/folder",
		js("folderPath", parent+"/"+name)), http.StatusNotFound, "")
	t.Run("characters that are not allowed", func(t *testing.T) {
		a := s.call(t, http.StatusCreated, http.MethodPost, "/v1/folder",
			js("folderName", "new.one (2)/é_-", "parentFolderPath", parent+"/up-per"))
		if s.Strict {
			want(t, a.json, "name", "new_one__2__é__", "folderPath", parent+"/up-per/new_one__2__é__")
		}
		mediatest.Equal(t, names(s.list(t, "type", "folder", "path", parent+"/up-per")), "[new_one__2__é__]",
			"listed")
		id := s.fresh(t, field("folder", parent+"/up-load"))
		if got := text(s.details(t, id)["filePath"]); !strings.HasPrefix(got, parent+"/up-load/") {
			t.Errorf("an upload into a folder with a dash is at %s", got)
		}
	})
	t.Run("refused", func(t *testing.T) {
		s.refusedBodies(t, http.MethodPost, "/v1/folder", `{}`, js("folderName", "", "parentFolderPath", "/"),
			js("folderName", "a"), js("folderName", "a", "parentFolderPath", "/b?"),
			js("folderName", "a", "parentFolderPath", strings.Repeat("/a", 50)),
			js("folderName", "a", "parentFolderPath", "/", "more", 1))
		s.refusedBodies(t, http.MethodDelete, "/v1/folder", `{}`, js("folderPath", "/"), js("folderPath", ""),
			js("folderPath", 1))
	})
}

// testLongNames: names of 1,000 characters work like any other, and paths whose URL no server takes
// are refused.
func testLongNames(t *testing.T, s *suite) {
	long := strings.Repeat
	for _, script := range []struct {
		first rune
		count int
	}{{'a', 26}, {'ก', 40}, {'界', 1000}, {'\U00020000', 40_000}} {
		t.Run(string(script.first), func(t *testing.T) {
			letters := make([]rune, 1000) // random, since a database compresses what is repeated
			for i := range letters {
				letters[i] = script.first + rune(rand.IntN(script.count))
			}
			folder, name := s.folder+"long/"+string(letters)+"/", string(letters[:996])
			for range 2 { // the second is a version
				s.store(t, exact(name+".txt", []byte("long"), field("folder", folder))...)
			}
			s.call(t, http.StatusOK, http.MethodPut, "/v1/files/rename",
				js("filePath", folder+name+".txt", "newFileName", name+".old"))
			s.call(t, http.StatusNoContent, http.MethodPost, "/v1/files/copy",
				js("sourceFilePath", folder+name+".old", "destinationPath", folder+"b"))
			s.call(t, http.StatusNoContent, http.MethodPost, "/v1/files/move",
				js("sourceFilePath", folder+"b/"+name+".old", "destinationPath", folder+"c"))
			s.call(t, http.StatusOK, http.MethodPost, "/v1/bulkJobs/moveFolder",
				js("sourceFolderPath", folder+"c", "destinationPath", folder+"d"))
			list := s.list(t, "path", folder+"d/c", "searchQuery", `name = "`+name+`.old"`)
			if got := names(list); got != "["+name+".old]" {
				t.Fatalf("listed %s", got)
			}
			if a := s.do(t, http.MethodGet, text(list[0]["url"]), "", nil, nil); s.DeliveryURL != "" &&
				string(a.body) != "long" {
				t.Errorf("its URL answered %d %s", a.status, a.body)
			}
		})
	}
	s.store(t, exact(long("🙂", 1000), []byte("a"))...)
	s.runStrict(t, "refused", func(t *testing.T) {
		folder := s.folder + "limits/"
		deep := folder + long("x", 4000) + "/"
		file := s.store(t, exact("a.txt", []byte("a"), field("folder", deep+long("y", 3900)))...)
		s.refused(t, "4096", exact(long("a", 4097), []byte("a"))...)
		s.refused(t, "4096", field("fileName", long("a", 4090)), content([]byte("a"))) // with its suffix
		s.refused(t, "4096", exact("a", []byte("a"), field("folder", "/"+long("界", 1366)))...)
		s.refused(t, "8192", exact(long("a", 300), []byte("a"), field("folder", deep+long("y", 3900)))...)
		for _, c := range [][3]string{
			{http.MethodPost, "/v1/folder", js("folderName", long("a", 4097), "parentFolderPath", "/")},
			{http.MethodPut, "/v1/files/rename", js("filePath", text(file["filePath"]), "newFileName", long("a", 300))},
			{http.MethodPost, "/v1/files/copy", js("sourceFilePath", text(file["filePath"]), "destinationPath", deep+long("y", 3900)+"/"+long("z", 300))},
			{http.MethodPost, "/v1/bulkJobs/renameFolder", js("folderPath", deep, "newFolderName", long("x", 4097))},
			{http.MethodPost, "/v1/bulkJobs/moveFolder", js("sourceFolderPath", deep, "destinationPath", folder+long("z", 300))},
			{http.MethodPost, "/v1/bulkJobs/copyFolder", js("sourceFolderPath", deep, "destinationPath", folder+strings.Repeat("z/", 48))},
		} {
			s.fails(t, http.StatusBadRequest, c[0], c[1], c[2], "at most")
		}
		mediatest.Equal(t, s.details(t, text(file["fileId"]))["filePath"], file["filePath"],
			"the file was moved to")
		if list := s.list(t, "type", "folder", "path", folder); len(list) != 1 {
			t.Errorf("listed %s", names(list))
		}
	})
}

// testFields tests changing and deleting custom metadata fields.
func testFields(t *testing.T, s *suite) {
	name := "f" + random()
	made := s.call(t, http.StatusCreated, http.MethodPost, "/v1/customMetadataFields", `{"name":"`+name+`","label":"`+name+`","schema":{"type":"Number","minValue":1},"description":"net"}`).json
	want(t, made, "description", "net")
	path := "/v1/customMetadataFields/" + text(made["id"])
	value := func(v string) part { return field("customMetadata", `{"`+name+`":`+v+`}`) }
	id := s.fresh(t, value("5"))
	t.Run("change", func(t *testing.T) {
		r := s.call(t, http.StatusOK, http.MethodPatch, path, `{"label":"M`+name+`","schema":{"type":"Text","maxValue":9}}`).json
		want(t, r, "label", "M"+name, "description", "net")
		want(t, object(r, "schema"), "type", "Number", "minValue", 1)
		longest := strings.Repeat("é", 500)
		changed := s.call(t, http.StatusOK, http.MethodPatch, path, js("description", longest))
		want(t, changed.json, "description", longest)
		wantAbsent(t, s.call(t, http.StatusOK, http.MethodPatch, path, `{"description":""}`).json, "description")
		s.refused(t, name, small("x", value("10"))...)
		s.fresh(t, value("9"))
	})
	t.Run("refused", func(t *testing.T) {
		s.refusedBodies(t, http.MethodPatch, path, `{}`, `{"label":1}`, `{"name":"x"}`,
			js("description", strings.Repeat("é", 501)))
		_, other := s.schemaField(t, `{"type":"Text"}`)
		s.refusedBodies(t, http.MethodPatch, "/v1/customMetadataFields/"+other, `{"label":"M`+name+`"}`)
		s.refusedBodies(t, http.MethodPost, "/v1/customMetadataFields", `{"name":"x"}`, `{"name":"`+name+`","label":"L","schema":{"type":"Text"}}`, `{"name":"x","label":"L","schema":{"type":"Colour"}}`,
			`{"name":"x","label":"L","schema":{"type":"SingleSelect"}}`, `{"name":"x","label":"L","schema":{"type":"Text"},"more":1}`)
		for query, word := range map[string]string{"includeDeleted=maybe": "includeDeleted", "include=true": "include", "includeDeleted=true&includeDeleted=false": "includeDeleted"} {
			s.fails(t, http.StatusBadRequest, http.MethodGet, "/v1/customMetadataFields?"+query, "", word)
		}
	})
	t.Run("delete", func(t *testing.T) {
		s.call(t, http.StatusNoContent, http.MethodDelete, path, "")
		s.call(t, http.StatusNotFound, http.MethodDelete, path, "")
		s.call(t, http.StatusNotFound, http.MethodPatch, path, `{"label":"N"}`)
		s.refused(t, name, small("x", value("5"))...)
		again := `{"name":"` + name + `","label":"` + name + `","schema":{"type":"Text"}}`
		s.refusedBodies(t, http.MethodPost, "/v1/customMetadataFields", again) // its name stays reserved
		all := s.call(t, http.StatusOK, http.MethodGet, "/v1/customMetadataFields?includeDeleted=true", "").body
		if !strings.Contains(string(all), name) {
			t.Error("the field is not in the list of deleted fields")
		}
		living := s.call(t, http.StatusOK, http.MethodGet, "/v1/customMetadataFields", "").body
		if strings.Contains(string(living), name) {
			t.Error("the field is still listed")
		}
		if meta := object(s.details(t, id), "customMetadata"); len(meta) != 0 {
			t.Errorf("the file still has %v", meta)
		}
	})
}

// tree returns the sorted paths of all files and folders below a folder.
func (s *suite) tree(t *testing.T, folder string) string {
	t.Helper()
	var paths []string
	for _, r := range s.list(t, "searchQuery", `path : "`+folder+`"`) {
		path := cmp.Or(text(r["filePath"]), text(r["folderPath"])+"/")
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
		mediatest.Equal(t, s.tree(t, root), want, "the tree")
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
	s.call(t, http.StatusCreated, http.MethodPost, "/v1/folder",
		js("folderName", "empty", "parentFolderPath", root+"a/b"))
	has(t, "a/ a/1.txt a/b/ a/b/2.txt a/b/empty/")

	t.Run("copy", func(t *testing.T) {
		job(t, "copyFolder", "a", "c")
		has(t, "a/ a/1.txt a/b/ a/b/2.txt a/b/empty/ c/ c/a/ c/a/1.txt c/a/b/ c/a/b/2.txt c/a/b/empty/")
		r := s.list(t, "path", root+"c/a")[0]
		want(t, r, "tags", []string{"x"})
		want(t, object(r, "versionInfo"), "name", "Version 1")
		if r["fileId"] == first {
			t.Error("the copy is the file itself")
		}
		job(t, "copyFolder", "a", "v", "includeFileVersions", true)
		want(t, object(s.list(t, "path", root+"v/a")[0], "versionInfo"), "name", "Version 2")
		s.call(t, http.StatusNoContent, http.MethodDelete, "/v1/folder", js("folderPath", root+"v"))
	})
	t.Run("over what is there", func(t *testing.T) {
		job(t, "copyFolder", "a", "c")
		r := s.list(t, "path", root+"c/a")[0]
		want(t, object(r, "versionInfo"), "name", "Version 2")
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
		s.call(t, http.StatusCreated, http.MethodPost, "/v1/folder",
			js("folderName", "q", "parentFolderPath", root+"m"))
		s.fails(t, http.StatusConflict, http.MethodPost, "/v1/bulkJobs/renameFolder", js("folderPath", root+"m/o_p_-", "newFolderName", "q"), "already exists")
	})
	t.Run("no such job", func(t *testing.T) {
		s.call(t, http.StatusNotFound, http.MethodGet, "/v1/bulkJobs/"+nobody, "")
		s.fails(t, http.StatusBadRequest, http.MethodGet, "/v1/files/purge/"+nobody, "", "No request found for this requestId.")
	})
	t.Run("purging", func(t *testing.T) {
		a := s.call(t, http.StatusCreated, http.MethodPost, "/v1/files/purge",
			js("url", text(s.details(t, first)["url"])))
		ended := s.call(t, http.StatusOK, http.MethodGet, "/v1/files/purge/"+text(a.json["requestId"]), "")
		want(t, ended.json, "status", "Completed")
		s.refusedBodies(t, http.MethodPost, "/v1/files/purge", `{}`, `{"url":5}`, `{"url":"nowhere"}`, `{"url":"http://h"}`, `{"url":"http://h/a/*"}`, `{"url":"http://h/a/b/*/c"}`)
		s.call(t, http.StatusCreated, http.MethodPost, "/v1/files/purge", `{"url":"http://h/a/b/*"}`)
		s.call(t, http.StatusCreated, http.MethodPost, "/v1/files/purge", `{"url":"http://h/a.jpg*"}`)
	})
}
