package local_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mediadesk/api"
	"mediadesk/api/apitest"
	"mediadesk/api/local"
)

// modelPictures are the contents that the model test stores. They have different sizes, so that
// some regions fit only one of them.
var modelPictures = [][]byte{apitest.PNG(8, 8), apitest.PNG(16, 8), apitest.PNG(8, 9)}

// modelFile is a file in the model.
type modelFile struct {
	id       string // empty until the library has returned it
	tags     []string
	region   string
	metadata string         // value of the custom metadata field; empty if not set
	versions []modelVersion // oldest first
	current  int            // number of the current version
}

type modelVersion struct{ number, picture int }

func (f *modelFile) version(number int) *modelVersion {
	for i := range f.versions {
		if f.versions[i].number == number {
			return &f.versions[i]
		}
	}
	return nil
}

func (f *modelFile) picture() int { return f.version(f.current).picture }

func (f *modelFile) last() int { return f.versions[len(f.versions)-1].number }

// modelDefault is the default of the one custom metadata field.
const modelDefault = "red"

// model has the expected content of a library, and the library itself.
type model struct {
	library *local.Library
	options local.Options
	root    string
	files   map[string]*modelFile // by path
	folders map[string]bool       // with a slash at both ends
}

// TestModel does random operations on the library and on a model in memory. Both always have the
// same files, folders, versions and contents.
func TestModel(t *testing.T) { onEachEngine(t, testModel) }

func testModel(t *testing.T, o local.Options) {
	// The operations wait for the disk, one after the other, so there are few of them.
	length := map[string]string{"rapid.checks": "15", "rapid.steps": "20"}
	if os.Getenv("MEDIADESK_TEST_LONG") != "" {
		length = map[string]string{"rapid.checks": "200", "rapid.steps": "50"}
	}
	for name, value := range length {
		before := flag.Lookup(name).Value.String()
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
		defer flag.Set(name, before)
	}
	o.Address = "http://127.0.0.1:1"
	m := &model{options: o}
	open := func() {
		var err error
		if m.library, err = local.Open(context.Background(), m.options); err != nil {
			t.Fatal(err)
		}
	}
	open()
	defer func() {
		if err := m.library.Close(); err != nil {
			t.Error(err)
		}
	}()
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/v1/customMetadataFields", strings.NewReader(
		`{"name":"colour","label":"Colour","schema":{"type":"SingleSelect","selectOptions":["red","blue"],"defaultValue":"`+modelDefault+`"}}`))
	r.SetBasicAuth(testKey, "")
	w := httptest.NewRecorder()
	if m.library.ServeHTTP(w, r); w.Code != http.StatusCreated {
		t.Fatalf("the field was answered %d %s, want %d", w.Code, w.Body, http.StatusCreated)
	}
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		m.root = fmt.Sprintf("/r%d/", round)
		m.files, m.folders = map[string]*modelFile{}, map[string]bool{}
		t.Repeat(map[string]func(*rapid.T){
			"upload":        m.upload,
			"upload again":  m.upload,
			"unique":        m.unique,
			"change":        m.change,
			"tags":          m.changeTags,
			"delete":        m.delete,
			"copy":          func(t *rapid.T) { m.transfer(t, "copy") },
			"move":          func(t *rapid.T) { m.transfer(t, "move") },
			"rename":        m.rename,
			"copy folder":   func(t *rapid.T) { m.transferFolder(t, false) },
			"move folder":   func(t *rapid.T) { m.transferFolder(t, true) },
			"rename folder": m.renameFolder,
			"metadata":      m.changeMetadata,
			"restore":       func(t *rapid.T) { m.changeVersion(t, true) },
			"forget":        func(t *rapid.T) { m.changeVersion(t, false) },
			"folder":        m.makeFolder,
			"delete folder": m.deleteFolder,
			"restart": func(t *rapid.T) {
				if rapid.IntRange(0, 3).Draw(t, "restart") > 0 {
					t.Skip("this operation is skipped at random")
				}
				if err := m.library.Close(); err != nil {
					t.Fatal(err)
				}
				open()
			},
			"": m.compare,
		})
	})
}

// call sends a request and fails unless it gets the wanted status.
func (m *model) call(t *rapid.T, want int, method, path, contentType string, body []byte) []byte {
	r := httptest.NewRequest(method, "http://127.0.0.1"+path, bytes.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	r.SetBasicAuth(testKey, "")
	w := httptest.NewRecorder()
	m.library.ServeHTTP(w, r)
	if w.Code != want {
		t.Fatalf("%s %s %.200q answered %d %s, want %d", method, path, body, w.Code, w.Body, want)
	}
	return w.Body.Bytes()
}

func (m *model) json(t *rapid.T, want int, method, path string, pairs ...any) []byte {
	body := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		body[pairs[i].(string)] = pairs[i+1]
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return m.call(t, want, method, path, "application/json", text)
}

var (
	modelNames   = []string{"a.png", "b.png", "c"}
	modelFolders = []string{"", "x/", "x/y/", "z/"}
	modelTags    = [][]string{nil, {"one"}, {"two", "three"}}
	modelRegions = []string{"", "0,0,8,8", "0,0,16,8"}
)

func (m *model) drawFolder(t *rapid.T) string {
	return m.root + rapid.SampledFrom(modelFolders).Draw(t, "folder")
}

// drawFile picks a file. It skips the operation if there is none.
func (m *model) drawFile(t *rapid.T) (string, *modelFile) {
	if len(m.files) == 0 {
		t.Skip("there is no file yet")
	}
	path := rapid.SampledFrom(slices.Sorted(maps.Keys(m.files))).Draw(t, "file")
	return path, m.files[path]
}

func split(path string) (folder, name string) {
	cut := strings.LastIndexByte(path, '/')
	return path[:cut+1], path[cut+1:]
}

// addFolder adds a folder and its parents.
func (m *model) addFolder(folder string) {
	for folder != "/" {
		m.folders[folder] = true
		folder, _ = split(strings.TrimSuffix(folder, "/"))
	}
}

// fits reports whether a region lies within a picture.
func fits(region string, picture int) bool { return region != "0,0,16,8" || picture == 1 }

func (m *model) upload(t *rapid.T) {
	folder, name := m.drawFolder(t), rapid.SampledFrom(modelNames).Draw(t, "name")
	picture := rapid.IntRange(0, len(modelPictures)-1).Draw(t, "picture")
	tags, region := rapid.SampledFrom(modelTags).Draw(t, "tags"), rapid.SampledFrom(modelRegions).Draw(t, "region")
	overwrite, keep := rapid.IntRange(0, 4).Draw(t, "overwrite") > 0, rapid.Bool().Draw(t, "keep tags")
	contentType, body := form(modelPictures[picture], "fileName", name, "folder", folder, "useUniqueFileName", "false",
		"tags", strings.Join(tags, ","), "customCoordinates", region, "overwriteFile", fmt.Sprint(overwrite), "overwriteTags", fmt.Sprint(!keep))
	there := m.files[folder+name]
	want := http.StatusOK
	if !fits(region, picture) || there != nil && !overwrite {
		want = http.StatusBadRequest
	}
	answer := m.call(t, want, http.MethodPost, "/api/v1/files/upload", contentType, body.Bytes())
	if want != http.StatusOK {
		return
	}
	var record api.File
	if err := json.Unmarshal(answer, &record); err != nil {
		t.Fatal(err)
	}
	if there == nil {
		there = &modelFile{id: record.FileID}
		m.files[folder+name] = there
		m.addFolder(folder)
	} else {
		there.current = there.last()
	}
	there.current++
	there.versions = append(there.versions, modelVersion{there.current, picture})
	if there.region, there.metadata = region, modelDefault; tags != nil || !keep {
		there.tags = tags
	}
}

func (m *model) unique(t *rapid.T) {
	folder, name := m.drawFolder(t), rapid.SampledFrom(modelNames).Draw(t, "name")
	contentType, body := form(modelPictures[0], "fileName", name, "folder", folder)
	var record api.File
	if err := json.Unmarshal(m.call(t, http.StatusOK, http.MethodPost, "/api/v1/files/upload", contentType, body.Bytes()), &record); err != nil {
		t.Fatal(err)
	}
	if m.files[record.FilePath] != nil {
		t.Fatalf("%s is no unique name", record.FilePath)
	}
	m.files[record.FilePath] = &modelFile{id: record.FileID, metadata: modelDefault, versions: []modelVersion{{1, 0}}, current: 1}
	m.addFolder(folder)
}

func (m *model) change(t *rapid.T) {
	_, f := m.drawFile(t)
	tags, region := rapid.SampledFrom(modelTags).Draw(t, "tags"), rapid.SampledFrom(modelRegions).Draw(t, "region")
	body := []any{"tags", tags}
	if region != "" {
		body = append(body, "customCoordinates", region)
	}
	if !fits(region, f.picture()) {
		m.json(t, http.StatusBadRequest, http.MethodPatch, "/v1/files/"+f.id+"/details", body...)
		return
	}
	m.json(t, http.StatusOK, http.MethodPatch, "/v1/files/"+f.id+"/details", body...)
	if f.tags = tags; region != "" {
		f.region = region
	}
}

func (m *model) changeTags(t *rapid.T) {
	_, f := m.drawFile(t)
	tags := rapid.SampledFrom(modelTags[1:]).Draw(t, "tags")
	if rapid.Bool().Draw(t, "add") {
		m.json(t, http.StatusOK, http.MethodPost, "/v1/files/addTags", "fileIds", []string{f.id}, "tags", tags)
		for _, tag := range tags {
			if !slices.Contains(f.tags, tag) {
				f.tags = append(slices.Clone(f.tags), tag)
			}
		}
		return
	}
	m.json(t, http.StatusOK, http.MethodPost, "/v1/files/removeTags", "fileIds", []string{f.id}, "tags", tags)
	f.tags = slices.DeleteFunc(slices.Clone(f.tags), func(tag string) bool { return slices.Contains(tags, tag) })
}

func (m *model) delete(t *rapid.T) {
	path, f := m.drawFile(t)
	if rapid.Bool().Draw(t, "bulk") {
		m.json(t, http.StatusNotFound, http.MethodPost, "/v1/files/batch/deleteByFileIds", "fileIds", []string{f.id, "ffffffffffffffffffffffff"})
		m.json(t, http.StatusOK, http.MethodPost, "/v1/files/batch/deleteByFileIds", "fileIds", []string{f.id})
	} else {
		m.call(t, http.StatusNoContent, http.MethodDelete, "/v1/files/"+f.id, "", nil)
	}
	delete(m.files, path)
	m.call(t, http.StatusNotFound, http.MethodDelete, "/v1/files/"+f.id, "", nil)
}

func (m *model) transfer(t *rapid.T, what string) {
	path, _ := m.drawFile(t)
	folder, name := split(path)
	to := m.drawFolder(t)
	all := what == "move" || rapid.Bool().Draw(t, "all versions")
	body := []any{"sourceFilePath", path, "destinationPath", to}
	if what == "copy" {
		body = append(body, "includeFileVersions", all)
	}
	if to == folder {
		m.json(t, http.StatusBadRequest, http.MethodPost, "/v1/files/"+what, body...)
		return
	}
	m.json(t, http.StatusNoContent, http.MethodPost, "/v1/files/"+what, body...)
	m.addFolder(to)
	m.transferFile(path, to+name, all, what == "move")
}

// transferFile copies or moves a file to a path, which may have a file already.
func (m *model) transferFile(from, to string, all, move bool) {
	f, there := m.files[from], m.files[to]
	if move {
		delete(m.files, from)
		if there == nil {
			m.files[to] = f
			return
		}
	}
	if there == nil {
		there = &modelFile{}
		m.files[to] = there
	}
	number := 0
	if len(there.versions) > 0 {
		number = there.last()
	}
	there.tags, there.region, there.metadata = f.tags, f.region, f.metadata
	for _, v := range f.versions {
		if !all && v.number != f.current {
			continue
		}
		number++
		there.versions = append(there.versions, modelVersion{number, v.picture})
		if v.number == f.current {
			there.current = number
		}
	}
}

// contentsOf returns the files and folders in a folder, sorted.
func (m *model) contentsOf(folder string) (files, folders []string) {
	for _, path := range slices.Sorted(maps.Keys(m.files)) {
		if strings.HasPrefix(path, folder) {
			files = append(files, path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(m.folders)) {
		if strings.HasPrefix(path, folder) {
			folders = append(folders, path)
		}
	}
	return files, folders
}

// transferTree copies or moves a folder with its contents.
func (m *model) transferTree(from, to string, all, move bool) {
	files, folders := m.contentsOf(from)
	for _, path := range files {
		m.transferFile(path, to+strings.TrimPrefix(path, from), all, move)
	}
	for _, path := range folders {
		m.addFolder(to + strings.TrimPrefix(path, from))
		if move {
			delete(m.folders, path)
		}
	}
	m.addFolder(to)
}

func (m *model) transferFolder(t *rapid.T, move bool) {
	from, into := m.drawFolder(t), m.drawFolder(t)
	_, name := split(strings.TrimSuffix(from, "/"))
	to := into + name + "/"
	body := []any{"sourceFolderPath", from, "destinationPath", into}
	what, all := "moveFolder", true
	if !move {
		what, all = "copyFolder", rapid.Bool().Draw(t, "all versions")
		body = append(body, "includeFileVersions", all)
	}
	want := http.StatusOK
	switch {
	case strings.HasPrefix(to, from) || strings.HasPrefix(from, to):
		want = http.StatusBadRequest
	case !m.folders[from]:
		want = http.StatusNotFound
	}
	m.json(t, want, http.MethodPost, "/v1/bulkJobs/"+what, body...)
	if want == http.StatusOK {
		m.transferTree(from, to, all, move)
	}
}

func (m *model) renameFolder(t *rapid.T) {
	from := m.drawFolder(t)
	if from == m.root {
		t.Skip("the model stays in its folder")
	}
	name := rapid.SampledFrom([]string{"x", "z", "new"}).Draw(t, "name")
	parent, _ := split(strings.TrimSuffix(from, "/"))
	to := parent + name + "/"
	want := http.StatusAccepted
	switch {
	case !m.folders[from]:
		want = http.StatusNotFound
	case m.folders[to]:
		want = http.StatusConflict
	}
	m.json(t, want, http.MethodPost, "/v1/bulkJobs/renameFolder", "folderPath", from, "newFolderName", name)
	if want == http.StatusAccepted {
		m.transferTree(from, to, true, true)
	}
}

// changeMetadata sets or clears the value of the custom metadata field, which has a default.
func (m *model) changeMetadata(t *rapid.T) {
	_, f := m.drawFile(t)
	value := rapid.SampledFrom([]any{"red", "blue", nil, "none of them"}).Draw(t, "value")
	want := http.StatusOK
	if value == "none of them" {
		want = http.StatusBadRequest
	}
	m.json(t, want, http.MethodPatch, "/v1/files/"+f.id+"/details", "customMetadata", map[string]any{"colour": value})
	if want == http.StatusOK {
		f.metadata, _ = value.(string)
	}
}

func (m *model) rename(t *rapid.T) {
	path, f := m.drawFile(t)
	folder, _ := split(path)
	name := rapid.SampledFrom(modelNames).Draw(t, "name")
	want := http.StatusConflict
	if folder+name == path {
		want = http.StatusBadRequest
	}
	if m.files[folder+name] != nil {
		m.json(t, want, http.MethodPut, "/v1/files/rename", "filePath", path, "newFileName", name)
		return
	}
	m.json(t, http.StatusOK, http.MethodPut, "/v1/files/rename", "filePath", path, "newFileName", name)
	delete(m.files, path)
	m.files[folder+name] = f
}

// versionsOf requests the versions of a file and compares them with the model.
func (m *model) versionsOf(t *rapid.T, f *modelFile) map[int]string {
	var list []api.File
	if err := json.Unmarshal(m.call(t, http.StatusOK, http.MethodGet, "/v1/files/"+f.id+"/versions", "", nil), &list); err != nil {
		t.Fatal(err)
	}
	ids := map[int]string{}
	var got, want []string
	for _, v := range list {
		var number int
		fmt.Sscanf(v.VersionInfo.Name, "Version %d", &number)
		ids[number] = v.VersionInfo.ID
		got = append(got, fmt.Sprint(number, v.Type, v.Width, v.Height))
	}
	for _, v := range slices.Backward(f.versions) {
		kind := api.TypeVersion
		if v.number == f.current {
			kind = api.TypeFile
		}
		size := [][2]int{{8, 8}, {16, 8}, {8, 9}}[v.picture]
		want = append(want, fmt.Sprint(v.number, kind, api.Set(size[0]), api.Set(size[1])))
	}
	if !slices.Equal(got, want) {
		t.Fatalf("the versions are %q, want %q", got, want)
	}
	return ids
}

// changeVersion restores or deletes a version.
func (m *model) changeVersion(t *rapid.T, restore bool) {
	_, f := m.drawFile(t)
	ids := m.versionsOf(t, f)
	v := rapid.SampledFrom(f.versions).Draw(t, "version")
	path := "/v1/files/" + f.id + "/versions/" + ids[v.number]
	switch {
	case restore:
		m.call(t, http.StatusOK, http.MethodPut, path+"/restore", "", nil)
		if v.picture != f.picture() {
			f.region = ""
		}
		f.current = v.number
	case v.number == f.current:
		m.call(t, http.StatusBadRequest, http.MethodDelete, path, "", nil)
	default:
		m.call(t, http.StatusNoContent, http.MethodDelete, path, "", nil)
		f.versions = slices.DeleteFunc(f.versions, func(other modelVersion) bool { return other == v })
	}
}

func (m *model) makeFolder(t *rapid.T) {
	folder := m.drawFolder(t)
	parent, name := split(strings.TrimSuffix(folder, "/"))
	m.json(t, http.StatusCreated, http.MethodPost, "/v1/folder", "folderName", name, "parentFolderPath", parent)
	m.addFolder(folder)
}

func (m *model) deleteFolder(t *rapid.T) {
	folder := m.drawFolder(t)
	if !m.folders[folder] {
		m.json(t, http.StatusNotFound, http.MethodDelete, "/v1/folder", "folderPath", folder)
		return
	}
	m.json(t, http.StatusNoContent, http.MethodDelete, "/v1/folder", "folderPath", folder)
	maps.DeleteFunc(m.files, func(path string, _ *modelFile) bool { return strings.HasPrefix(path, folder) })
	maps.DeleteFunc(m.folders, func(path string, _ bool) bool { return strings.HasPrefix(path, folder) })
}

// compare lists everything, and checks one file in detail.
func (m *model) compare(t *rapid.T) {
	query := url.Values{"type": {"all"}, "searchQuery": {`path : "` + m.root + `"`}}
	var list []api.File
	if err := json.Unmarshal(m.call(t, http.StatusOK, http.MethodGet, "/v1/files?"+query.Encode(), "", nil), &list); err != nil {
		t.Fatal(err)
	}
	files, folders := 0, 0
	for _, r := range list {
		if r.Type == api.TypeFolder {
			if folders++; !m.folders[r.FolderPath+"/"] {
				t.Fatalf("got the folder %s, want none", r.FolderPath)
			}
			continue
		}
		files++
		f := m.files[r.FilePath]
		if f == nil {
			t.Fatalf("got the file %s, want none", r.FilePath)
		}
		if f.id == "" {
			f.id = r.FileID
		}
		var color string
		if value := r.CustomMetadata["colour"]; value != nil {
			if err := json.Unmarshal(value, &color); err != nil {
				t.Fatal(err)
			}
		}
		got := fmt.Sprint(r.FileID, r.Tags.Or(nil), r.CustomCoordinates.Or(""), color, r.VersionInfo.Name)
		if want := fmt.Sprint(f.id, f.tags, f.region, f.metadata, "Version ", f.current); got != want {
			t.Fatalf("%s is %s, want %s", r.FilePath, got, want)
		}
	}
	known := 0
	for folder := range m.folders {
		if folder != m.root {
			known++
		}
	}
	if files != len(m.files) || folders != known {
		t.Fatalf("got %d files and %d folders, want %d and %d", files, folders, len(m.files), known)
	}
	if len(m.files) == 0 {
		return
	}
	path, f := m.drawFile(t)
	m.versionsOf(t, f)
	w := httptest.NewRecorder()
	m.library.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1"+path, http.NoBody))
	if got, err := io.ReadAll(w.Body); err != nil || !bytes.Equal(got, modelPictures[f.picture()]) {
		t.Fatalf("%s serves %d bytes, %v", path, len(got), err)
	}
}
