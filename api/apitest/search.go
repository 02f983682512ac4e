package apitest

import (
	"net/http"
	"net/url"
	"testing"
)

// testSearch: the language of searchQuery.
func testSearch(t *testing.T, s *suite) {
	key := "k" + random()
	s.call(t, http.StatusCreated, http.MethodPost, "/v1/customMetadataFields", `{"name":"`+key+`","label":"L","schema":{"type":"Number"}}`)
	words := "w" + random()
	s.call(t, http.StatusCreated, http.MethodPost, "/v1/customMetadataFields", `{"name":"`+words+`","label":"L","schema":{"type":"Text"}}`)
	folder := s.folder + "search-" + random()
	meta := func(text string) part { return field("customMetadata", text) }
	for _, c := range []struct {
		name string
		data []byte
		more []part
	}{
		{"a.txt", []byte("a"), []part{field("tags", "red,blue"), meta(`{"` + key + `":5}`), field("description", "A red boat at sea")}},
		{"b.png", AlphaPNG(30, 20), []part{field("tags", "red"), meta(`{"` + key + `":10,"` + words + `":"Ocean View"}`), field("isPrivateFile", "true")}},
		{"c.jpg", JPEG(40, 20), []part{meta(`{"` + words + `":"ocean"}`)}},
		{"d.gif", GIF(20, 20), nil},
	} {
		s.store(t, exact(c.name, c.data, append(c.more, field("folder", folder))...)...)
	}
	s.store(t, exact("e.txt", []byte("deep"), field("folder", folder+"/sub"))...)
	for _, c := range [][2]string{
		{`name = "a.txt"`, "[a.txt]"},
		{`name != "a.txt"`, "[b.png c.jpg d.gif]"},
		{`name NOT = "a.txt"`, "[b.png c.jpg d.gif]"},
		{`name IN ["a.txt", 'd.gif']`, "[a.txt d.gif]"},
		{`name NOT IN ["a.txt","d.gif"]`, "[b.png c.jpg]"},
		{`name : "b"`, "[b.png]"},
		{`name HAS "PNG"`, "[b.png]"},
		{`tags IN ["blue"]`, "[a.txt]"},
		{`tags NOT IN ["red"]`, "[c.jpg d.gif]"},
		{`tags EXISTS`, "[a.txt b.png]"},
		{`tags NOT EXISTS`, "[c.jpg d.gif]"},
		{`tags : "bl"`, "[a.txt]"},
		{`format = "png"`, "[b.png]"},
		{`format IN ["jpg","gif"]`, "[c.jpg d.gif]"},
		{`fileType = "non-image"`, "[a.txt]"},
		{`mime = "image/gif"`, "[d.gif]"},
		{`width = 30`, "[b.png]"},
		{`width IN [30, 40]`, "[b.png c.jpg]"},
		{`width EXISTS`, "[b.png c.jpg d.gif]"},
		{`height >= 20 AND width < 35`, "[b.png d.gif]"},
		{`width < 35`, "[b.png d.gif]"},
		{`height <= 10`, "[]"},
		{`NOT (height > 1)`, "[a.txt]"},
		{`size = 1`, "[a.txt]"},
		{`size < "1kb" AND fileType = "non-image"`, "[a.txt]"},
		{`private = true`, "[b.png]"},
		{`transparency = true`, "[b.png d.gif]"},
		{`createdAt > "1h"`, "[a.txt b.png c.jpg d.gif]"},
		{`createdAt < "1h"`, "[]"},
		{`createdAt >= "2020-01-01" AND updatedAt > "1d"`, "[a.txt b.png c.jpg d.gif]"},
		{`"customMetadata.` + key + `" = 5`, "[a.txt]"},
		{`"customMetadata.` + key + `" > 5`, "[b.png]"},
		{`"customMetadata.` + key + `" >= 5`, "[a.txt b.png]"},
		{`"customMetadata.` + key + `" IN [1, 10]`, "[b.png]"},
		{`"customMetadata.` + key + `" EXISTS`, "[a.txt b.png]"},
		{`"customMetadata.` + key + `" NOT EXISTS`, "[c.jpg d.gif]"},
		{`"customMetadata.` + key + `" = "5"`, "[]"},
		{`"customMetadata.` + words + `" = "ocean"`, "[c.jpg]"},
		{`"customMetadata.` + words + `" : "Ocean"`, "[b.png]"},
		{`"customMetadata.` + words + `" HAS "OCEAN"`, "[b.png c.jpg]"},
		{`description HAS "boat RED"`, "[a.txt]"},
		{`description HAS "boat green"`, "[]"},
		{`path = "` + folder + `"`, "[a.txt b.png c.jpg d.gif]"},
		{`path : "` + folder + `/"`, "[a.txt b.png c.jpg d.gif]"},
		{`name = "a.txt" OR name = "b.png" AND tags IN ["blue"]`, "[a.txt]"},
		{`(name = "a.txt" OR name = "b.png") AND private = true`, "[b.png]"},
		{`NOT (private = true OR fileType = "non-image")`, "[c.jpg d.gif]"},
		{`type = "folder"`, "[sub]"},
		{`type = "file" AND name : "d"`, "[d.gif]"},
		{`type IN ["file","folder"] AND name IN ["sub","a.txt"]`, "[a.txt sub]"},
	} {
		t.Run(c[0], func(t *testing.T) {
			wantNames(t, s.list(t, "path", folder, "sort", "ASC_NAME", "searchQuery", c[0]), c[1])
		})
	}
	t.Run("below a folder", func(t *testing.T) {
		wantNames(t, s.list(t, "sort", "ASC_NAME", "searchQuery", `path : "`+folder+`" AND fileType = "non-image"`), "[a.txt e.txt]")
	})
	s.runStrict(t, "refused", func(t *testing.T) {
		for _, query := range []string{
			"name", `name =`, `name ~ "a"`, `name > "a"`, `size : 1`, `size = "x"`, `width HAS "1"`, `tags IN []`, `tags IN ["a"`, `name IN "a"`, `(name = "a"`, `name = "a")`,
			`name = "a`, `name = "a" AND`, `AND name = "a"`, `name = "a" name = "b"`, `colour = 1`, `"customMetadata" = 1`, `"customMetadata." = 1`, `private = 2`, `createdAt > "soon"`,
			`type = "x"`, `path = "/a?"`, `"name" "=" "a"`, `name.x = "a"`,
		} {
			a := s.do(t, http.MethodGet, s.BaseURL+"/v1/files?searchQuery="+url.QueryEscape(query), "", nil, nil)
			if a.status != http.StatusBadRequest || text(a.json["message"]) == "" {
				t.Errorf("%s answered %d %s", query, a.status, a.body)
			}
		}
	})
	t.Run("spaces as plus or %20", func(t *testing.T) {
		for _, query := range []string{"name+%3D+%22a.txt%22", "name%20%3D%20%22a.txt%22"} {
			a := s.do(t, http.MethodGet, s.BaseURL+"/v1/files?path="+url.QueryEscape(folder)+"&searchQuery="+query, "", nil, nil)
			if a.status != http.StatusOK || len(a.body) < 10 {
				t.Errorf("%s answered %d %s", query, a.status, a.body)
			}
		}
	})
}
