package apitest

import (
	"net/http"
	"net/url"
	"testing"
)

// testSearch tests the query language of searchQuery.
func testSearch(t *testing.T, s *suite) {
	made := map[string]string{}
	for kind, more := range map[string]string{"Text": "", "Number": "", "Date": "", "Boolean": "", "SingleSelect": `,"selectOptions":["red",2,10]`, "MultiSelect": `,"selectOptions":["a","b",3]`} {
		made[kind], _ = s.schemaField(t, `{"type":"`+kind+`"`+more+`}`)
	}
	custom := func(kind, rest string) string { return `"customMetadata.` + made[kind] + `" ` + rest }
	key, words := made["Number"], made["Text"]
	folder := s.folder + "search-" + random()
	meta := func(text string) part { return field("customMetadata", text) }
	for _, c := range []struct {
		name string
		data []byte
		more []part
	}{
		{"a.txt", []byte("a"), []part{field("tags", "red,blue"), meta(js(key, 5, made["Date"], "2026-03-01", made["Boolean"], true, made["SingleSelect"], "red", made["MultiSelect"], []any{"a", 3}))}},
		{"b.png", AlphaPNG(30, 20), []part{field("tags", "red"), meta(js(key, 10, words, "Ocean View", made["Date"], "2026-03-01T00:00:00Z", made["Boolean"], false, made["SingleSelect"], 10)), field("isPrivateFile", "true")}},
		{"c.jpg", JPEG(40, 20), []part{meta(js(words, "ocean", made["Date"], "2026-03-02T10:00:00.000Z", made["MultiSelect"], []any{"b"}))}},
		{"d.gif", GIF(20, 20), nil},
	} {
		s.store(t, exact(c.name, c.data, append(c.more, field("folder", folder))...)...)
	}
	s.store(t, exact("e.txt", []byte("deep"), field("folder", folder+"/sub"))...)
	a := s.list(t, "path", folder, "searchQuery", `name = "a.txt"`)[0]
	for _, c := range [][2]string{
		{`name = "a.txt"`, "[a.txt]"},
		{`name = "A.txt"`, "[]"},
		{`name NOT = "a.txt"`, "[b.png c.jpg d.gif sub]"},
		{`name IN ["a.txt", 'd.gif']`, "[a.txt d.gif]"},
		{`name NOT IN ["a.txt","d.gif"]`, "[b.png c.jpg sub]"},
		{`name : "b"`, "[b.png]"},
		{`name : "B"`, "[]"},
		{`name HAS "PNG"`, "[b.png]"},
		{`name HAS "png b"`, "[b.png]"},
		{`name HAS "b p"`, "[b.png]"},
		{`name HAS "ng"`, "[]"},
		{`tags IN ["blue"]`, "[a.txt]"},
		{`tags NOT IN ["red"]`, "[c.jpg d.gif sub]"},
		{`tags HAS "BLU"`, "[a.txt]"},
		{`tags EXISTS`, "[a.txt b.png]"},
		{`tags NOT EXISTS`, "[c.jpg d.gif sub]"},
		{`format = "png"`, "[b.png]"},
		{`format IN ["jpg","gif"]`, "[c.jpg d.gif]"},
		{`width = 30`, "[b.png]"},
		{`width IN [30, 40]`, "[b.png c.jpg]"},
		{`height >= 20 AND width < 35`, "[b.png d.gif]"},
		{`width < 35`, "[b.png d.gif]"},
		{`height <= 10`, "[]"},
		{`size = 1`, "[a.txt]"},
		{`size = 1 OR size > "1mb"`, "[a.txt]"},
		{`size < "1kb" AND format = "txt"`, "[a.txt]"},
		{`size <= 1`, "[a.txt]"},
		{`height NOT IN [20]`, "[a.txt sub]"},
		{`height = 20 AND width NOT = 30`, "[c.jpg d.gif]"},
		{`private = true`, "[b.png]"},
		{`published = true`, "[a.txt b.png c.jpg d.gif]"},
		{`published = false AND type = "file"`, "[]"},
		{`createdBy = "jane@example.com"`, "[]"},
		{`id = "` + text(a["fileId"]) + `"`, "[a.txt]"},
		{`id IN ["` + text(a["fileId"]) + `","` + nobody + `"]`, "[a.txt]"},
		{`transparency = true`, "[b.png d.gif]"},
		{`createdAt > "1h"`, "[a.txt b.png c.jpg d.gif sub]"},
		{`createdAt < "1h"`, "[]"},
		{`createdAt >= "2020-01-01" AND updatedAt > "1d"`, "[a.txt b.png c.jpg d.gif sub]"},
		{`createdAt > 2020-01-01 AND createdAt > 7d`, "[a.txt b.png c.jpg d.gif sub]"},
		{`createdAt < "2020-01-01T12:12:12"`, "[]"},
		{`createdAt >= "2020-01-01T12:12:12" AND updatedAt >= "2020-01-01T12:12:12"`, "[a.txt b.png c.jpg d.gif sub]"},
		{`createdAt > "2d" OR createdAt > "3w" OR createdAt > "4m" OR createdAt > "1y"`, "[a.txt b.png c.jpg d.gif sub]"},
		{`"customMetadata.` + key + `" = 5`, "[a.txt]"},
		{`"customMetadata.` + key + `" > 5`, "[b.png]"},
		{`"customMetadata.` + key + `" >= 5`, "[a.txt b.png]"},
		{`"customMetadata.` + key + `" IN [1, 10]`, "[b.png]"},
		{`"customMetadata.` + key + `" EXISTS`, "[a.txt b.png]"},
		{`"customMetadata.` + key + `" NOT EXISTS`, "[c.jpg d.gif sub]"},
		{custom("Number", "NOT = 5") + ` AND type = "file"`, "[b.png c.jpg d.gif]"},
		{custom("Number", "< 6"), "[a.txt]"},
		{custom("Date", `= "2026-03-01"`), "[a.txt b.png]"},
		{custom("Date", `> "2026-03-01"`), "[c.jpg]"},
		{custom("Date", `>= "2026-03-01T00:00:00"`), "[a.txt b.png c.jpg]"},
		{custom("Date", `< "2026-03-02"`), "[a.txt b.png]"},
		{custom("Date", `<= "2026-03-01"`), "[a.txt b.png]"},
		{custom("Date", `IN ["2026-03-01"]`), "[a.txt b.png]"},
		{custom("Boolean", "= true"), "[a.txt]"},
		{custom("Boolean", "= false"), "[b.png]"},
		{custom("SingleSelect", `= "red"`), "[a.txt]"},
		{custom("SingleSelect", `: "re"`), "[a.txt]"},
		{custom("SingleSelect", "> 2"), "[b.png]"},
		{custom("SingleSelect", `IN ["red",10]`), "[a.txt b.png]"},
		{custom("MultiSelect", `IN ["a"]`), "[a.txt]"},
		{custom("MultiSelect", `IN [3,"b"]`), "[a.txt c.jpg]"},
		{custom("MultiSelect", `NOT IN ["a"]`) + ` AND ` + custom("MultiSelect", "EXISTS"), "[c.jpg]"},
		{custom("Text", "NOT EXISTS") + ` AND type = "file"`, "[a.txt d.gif]"},

		{`"customMetadata.` + words + `" = "ocean"`, "[c.jpg]"},
		{`"customMetadata.` + words + `" : "Ocean"`, "[b.png]"},
		{`"customMetadata.` + words + `" HAS "OCEAN"`, "[b.png c.jpg]"},
		{`path = "` + folder + `"`, "[a.txt b.png c.jpg d.gif sub]"},
		{`path : "` + folder + `/"`, "[a.txt b.png c.jpg d.gif sub]"},
		{`name = "a.txt" OR name = "b.png" AND tags IN ["blue"]`, "[a.txt]"},
		{`(name = "a.txt" OR name = "b.png") AND private = true`, "[b.png]"},
		{`type = "folder"`, "[sub]"},
		{`type = "file" AND name : "d"`, "[d.gif]"},
		{`type IN ["file","folder"] AND name IN ["sub","a.txt"]`, "[a.txt sub]"},
	} {
		t.Run(c[0], func(t *testing.T) {
			wantNames(t, s.list(t, "path", folder, "sort", "ASC_NAME", "searchQuery", c[0]), c[1])
		})
	}
	t.Run("below a folder", func(t *testing.T) {
		wantNames(t, s.list(t, "sort", "ASC_NAME", "searchQuery", `path : "`+folder+`" AND format = "txt"`), "[a.txt e.txt]")
	})
	t.Run("other parameters", func(t *testing.T) {
		query := `name IN ["a.txt","b.png","sub"]`
		wantNames(t, s.list(t, "path", folder, "sort", "ASC_NAME", "searchQuery", query, "type", "folder", "tags", "none", "name", "none"), "[a.txt b.png sub]")
		wantNames(t, s.list(t, "path", folder, "searchQuery", query, "fileType", "image"), "[b.png]")
		wantNames(t, s.list(t, "path", folder, "sort", "DESC_NAME", "searchQuery", query, "limit", "1", "skip", "1"), "[b.png]")
	})
	t.Run("relevance", func(t *testing.T) {
		place := folder + "/relevance"
		for _, name := range []string{"boat-in-a-storm.txt", "boat.txt", "boat-at-sea.txt", "sea.txt"} {
			s.store(t, exact(name, []byte("x"), field("folder", place))...)
		}
		wantNames(t, s.list(t, "path", place, "searchQuery", `name HAS "boat"`, "sort", "DESC_RELEVANCE"), "[boat.txt boat-at-sea.txt boat-in-a-storm.txt]")
		wantNames(t, s.list(t, "path", place, "searchQuery", `name HAS "boat"`, "sort", "ASC_RELEVANCE", "limit", "1"), "[boat-in-a-storm.txt]")
		if got := s.list(t, "path", place, "sort", "ASC_RELEVANCE"); len(got) != 4 {
			t.Errorf("listed %s", names(got))
		}
	})
	s.runStrict(t, "photographs", func(t *testing.T) {
		place := folder + "/photographs"
		s.store(t, exact("photo.jpg", takenJPEG(), field("folder", place))...)
		s.store(t, exact("plain.jpg", JPEG(20, 20), field("folder", place))...)
		for query, want := range map[string]string{
			`"embeddedMetadata.DateTimeOriginal" = "2024-07-15T10:20:30"`:   "[photo.jpg]",
			`"embeddedMetadata.DateTimeOriginal" > "2024-07-15"`:            "[photo.jpg]",
			`"embeddedMetadata.DateTimeOriginal" < "2024-07-15"`:            "[]",
			`"embeddedMetadata.DateTimeOriginal" >= 2024-07-16`:             "[]",
			`"embeddedMetadata.LocationTaken" = "52.5,13.4 20km"`:           "[photo.jpg]",
			`"embeddedMetadata.LocationTaken" = "51.0,13.4 20km"`:           "[]",
			`"embeddedMetadata.LocationTaken" = "52,13|53,14"`:              "[photo.jpg]",
			`"embeddedMetadata.LocationTaken" = "-53,13|-52,14"`:            "[]",
			`"embeddedMetadata.LocationTaken" = "52,13|52,14|53,14|53,13"`:  "[photo.jpg]",
			`"embeddedMetadata.LocationTaken" = "50,13|50,14|51,14|51,13"`:  "[]",
			`"embeddedMetadata.Keywords" IN ["sea"]`:                        "[]",
			`"embeddedMetadata.Keywords" NOT IN ["sea"] AND format = "jpg"`: "[photo.jpg plain.jpg]",
			`"embeddedMetadata.Keywords" EXISTS`:                            "[]",
		} {
			if got := names(s.list(t, "path", place, "sort", "ASC_NAME", "searchQuery", query)); got != want {
				t.Errorf("%s found %s, want %s", query, got, want)
			}
		}
	})
	s.runStrict(t, "refused", func(t *testing.T) {
		for _, query := range []string{
			"name", `name =`, `name ~ "a"`, `name > "a"`, `size : 1`, `size = "x"`, `width HAS "1"`, `tags IN []`, `tags IN ["a"`, `name IN "a"`, `(name = "a"`, `name = "a")`,
			`name = "a`, `name = "a" AND`, `AND name = "a"`, `name = "a" name = "b"`, `colour = 1`, `"customMetadata" = 1`, `"customMetadata." = 1`, `private = 2`, `createdAt > "soon"`,
			`type = "x"`, `path = "/a?"`, `"name" "=" "a"`, `name.x = "a"`, `tags : "bl"`,
			`fileType = "image"`, `mime = "image/gif"`, `AITags EXISTS`, `description HAS "x"`, `fileId = "` + nobody + `"`, `isPrivateFile = true`, `hasAlpha = true`,
			`duration > 5`, `name != "a"`, `NOT name = "a"`, `NOT (name = "a")`, `width EXISTS`, `name EXISTS`, `name NOT HAS "a"`, `name NOT : "a"`, `tags = "red"`,
			`format NOT = "png"`, `format NOT IN ["png"]`, `format = "x"`, `private NOT = true`, `private IN [true]`, `name = a.txt`,
			`"embeddedMetadata.Make" = "x"`, `embeddedMetadata.Keywords EXISTS`, `"embeddedMetadata.Keywords" = "x"`, `"embeddedMetadata.LocationTaken" = "40"`,
			`"embeddedMetadata.LocationTaken" = "40,100 5mi"`, `"embeddedMetadata.LocationTaken" = "95,100 5km"`,
			`"customMetadata.none` + random() + `" = 1`, custom("Number", `= "5"`), custom("Number", `HAS "5"`), custom("Boolean", "NOT = true"), custom("MultiSelect", `= "a"`),
			custom("SingleSelect", `> "a"`), custom("Text", "> 5"), custom("Text", "= 5"), custom("Date", `: "2026"`), custom("Date", `> "soon"`),
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
