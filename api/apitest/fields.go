package apitest

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// testName tests the row fileName of service.md §4.1.
func testName(t *testing.T, s *suite) {
	for _, c := range []struct{ name, sent, stored string }{
		{"plain", "photo.jpg", "photo.jpg"},
		{"kept", "A-b.C9", "A-b.C9"},
		{"space", "my photo.jpg", "my_photo.jpg"},
		{"each character", "a  b", "a__b"},
		{"underscore", "a_b", "a_b"},
		{"signs", `a!@#$&()+=[]{};',~b`, "a" + strings.Repeat("_", 17) + "b"},
		{"slash", "a/b.jpg", "a_b.jpg"},
		{"dash is not minus", "день 1 — naïve (final).txt", "день_1___naïve__final_.txt"},
		{"other scripts", "写真٣नमस्ते.png", "写真٣नमस्ते.png"},
		{"combining mark", "e\u0301.jpg", "e\u0301.jpg"},
		{"numerals", "½Ⅷ①.jpg", "½Ⅷ①.jpg"},
		{"emoji", "a😀b", "a_b"},
		{"percent", "100%25", "100_25"},
		{"quotation mark", `a"b`, "a_b"},
		{"line end", "a\tb", "a_b"},
		{"escape", "a\x1b[31mb", "a__31mb"},
		{"right to left", "a\u202eb", "a_b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := s.store(t,
				append(exact(c.sent, []byte(c.name)), field("folder", s.folder+"names/"+random()))...)
			want(t, r, "name", c.stored)
			if !strings.HasSuffix(text(r["filePath"]), "/"+c.stored) {
				t.Errorf("filePath is %v", r["filePath"])
			}
		})
	}
	t.Run("required", func(t *testing.T) {
		s.refused(t, "fileName", content([]byte("x")))
		s.refused(t, "fileName", content([]byte("x")), field("fileName", ""))
	})
	s.runStrict(t, "path step", func(t *testing.T) {
		s.refused(t, "fileName", exact("..", []byte("x"))...)
		s.refused(t, "fileName", exact(".", []byte("x"))...)
	})
	t.Run("unique suffix", func(t *testing.T) {
		for _, sent := range []string{"", "true"} {
			parts := []part{field("fileName", "same one.jpg"), content([]byte("x"))}
			if sent != "" {
				parts = append(parts, field("useUniqueFileName", sent))
			}
			a, b := s.store(t, parts...), s.store(t, parts...)
			if a["fileId"] == b["fileId"] || a["name"] == b["name"] {
				t.Errorf("two uploads made %v and %v", a["name"], b["name"])
			}
			if form := regexp.MustCompile(`^same_one_[A-Za-z0-9_-]{5,}\.jpg$`); !form.MatchString(text(a["name"])) {
				t.Errorf("the name is %v", a["name"])
			}
		}
	})
	s.runStrict(t, "composed and decomposed are one name", func(t *testing.T) {
		a := s.store(t, exact("caf\u00e9.txt", []byte("1"))...)
		b := s.store(t, exact("cafe\u0301.txt", []byte("2"))...)
		want(t, b, "fileId", a["fileId"])
	})
}

// testFolder tests the row folder of service.md §4.1.
func testFolder(t *testing.T, s *suite) {
	deep := strings.Repeat("d/", 49)
	for _, c := range []struct{ name, sent, stored string }{
		{"plain", "a/b", "a/b/"},
		{"slashes", "a//b///c/", "a/b/c/"},
		{"scripts", "été/写真/a_b-c", "été/写真/a_b-c/"},
		{"50 levels", deep, deep},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := s.store(t, exact("f.txt", []byte("x"), field("folder", s.folder+c.sent))...)
			want(t, r, "filePath", s.folder+c.stored+"f.txt")
		})
	}
	t.Run("no slash at the start", func(t *testing.T) {
		r := s.store(t, exact("f.txt", []byte("x"), field("folder", strings.Trim(s.folder, "/")+"/rel"))...)
		want(t, r, "filePath", s.folder+"rel/f.txt")
	})
	s.runStrict(t, "composed and decomposed are one folder", func(t *testing.T) {
		a := s.store(t, exact("f.txt", []byte("x"), field("folder", s.folder+"e\u0301"))...)
		b := s.store(t, exact("f.txt", []byte("x"), field("folder", s.folder+"\u00e9"))...)
		want(t, b, "fileId", a["fileId"], "filePath", a["filePath"])
	})
	t.Run("root", func(t *testing.T) {
		for _, root := range []string{"/", "", "undefined", "null"} {
			r := s.store(t, small("root.txt", field("folder", root))...)
			want(t, r, "filePath", "/"+text(r["name"]))
		}
	})
	s.runStrict(t, "refused", func(t *testing.T) {
		for _, folder := range []string{"/a b", "/a.b", "/../x", "/a\\b", "/a:b", "/a%20b", "/a😀", "/a\tb", s.folder + deep + "e"} {
			s.refused(t, "folder", exact("f.txt", []byte("x"), field("folder", folder))...)
		}
	})
}

// testTags tests the row tags of service.md §4.1 and of §8.
func testTags(t *testing.T, s *suite) {
	fields := field("responseFields", "tags")
	for _, c := range []struct {
		name, sent string
		stored     any
	}{
		{"three", "tag1,tag2,tag3", []string{"tag1", "tag2", "tag3"}},
		{"spaces within", "two words, next", []string{"two words", "next"}},
		{"500 characters", strings.Repeat("é", 500), []string{strings.Repeat("é", 500)}},
		{"empty", "", nil},
		{"undefined", "undefined", nil},
		{"null", "null", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := s.store(t, small("tags", field("tags", c.sent), fields)...)
			want(t, r, "tags", c.stored)
		})
	}
	t.Run("refused", func(t *testing.T) {
		s.refused(t, "tags", small("tags", field("tags", strings.Repeat("t", 501)))...)
		s.refused(t, "tags", small("tags", field("tags", "100%"))...)
		s.refused(t, "tags", small("tags", field("tags", strings.Repeat("ab,", 167)))...)
	})
}

// testRegion tests the row customCoordinates of service.md §4.1.
func testRegion(t *testing.T, s *suite) {
	data := PNG(100, 60)
	for _, region := range []string{"0,0,100,60", "10,20,30,40", "99,59,1,1"} {
		r := s.store(t, field("fileName", "region"), content(data), field("customCoordinates", region),
			field("responseFields", "customCoordinates"))
		want(t, r, "customCoordinates", region)
	}
	s.runStrict(t, "refused", func(t *testing.T) {
		for _, region := range []string{"1,2,3", "a,b,c,d", "1,2,3,4,5", "-1,0,5,5", "0,0,0,5", "0,0,5,0", "0,0,101,60", "1,0,100,60", "0,0,100,61", "1.5,0,5,5", "99999999999999999999,0,1,1"} {
			s.refused(t, "customCoordinates", field("fileName", "region"), content(data),
				field("customCoordinates", region))
		}
		s.refused(t, "image", field("fileName", "region"), content([]byte("text")),
			field("customCoordinates", "0,0,1,1"))
	})
}

// testSwitches tests that booleans are true or false.
func testSwitches(t *testing.T, s *suite) {
	s.strict(t)
	for _, name := range []string{"useUniqueFileName", "isPrivateFile", "overwriteFile", "overwriteAITags", "overwriteTags", "overwriteCustomMetadata", "isPublished"} {
		for _, value := range []string{"yes", "1", "TRUE", "0", " true"} {
			s.refused(t, name, small("switch", field(name, value))...)
		}
		for _, value := range []string{"true", "false", "", "undefined", "null"} {
			s.store(t, small("switch", field(name, value))...)
		}
	}
}

// testChecks tests the conditions for an upload (hosted-service.md §12).
func testChecks(t *testing.T, s *suite) {
	s.store(t, small("checks", field("checks", `"file.size" < "2mb" AND 'request.folder' : "/"`))...)
	s.refused(t, "checks", small("checks", field("checks", `"file.size" > "2mb"`))...)
	a := s.refused(t, "checks", small("checks", field("checks", `"file.size" <`))...)
	if s.Strict && !strings.Contains(text(a.json["help"]), "file.size is compared with nothing") {
		t.Errorf("the reason is missing: %s", a.body)
	}
	s.runStrict(t, "evaluated", func(t *testing.T) {
		testConditions(t, s)
		testFilmConditions(t, s)
	})
}

func testConditions(t *testing.T, s *suite) {
	price, _ := s.schemaField(t, `{"type":"Number"}`)
	day, _ := s.schemaField(t, `{"type":"Date"}`)
	colors, _ := s.schemaField(t, `{"type":"MultiSelect","selectOptions":["red","blue"]}`)
	folder := s.folder + "checks/"
	picture := []part{
		content(PNG(60, 40)), field("folder", folder), field("useUniqueFileName", "false"), field("tags", "sea,boat"), field("customCoordinates", "1,2,3,4"),
		field("isPrivateFile", "true"), field("customMetadata", js(price, 12.5, day, "2026-01-31", colors, []string{"red"})),
	}
	for _, c := range []struct {
		checks string
		met    bool
	}{
		{`"request.fileName" = "photo.png"`, true},
		{`'request.fileName' : 'photo'`, true},
		{`"request.fileName" : "Photo"`, false},
		{`"request.fileName" IN ["a.png", "photo.png"]`, true},
		{`"request.fileName" NOT IN ["a.png", "photo.png"]`, false},
		{`"request.fileName" NOT = "a.png"`, true},
		{`"request.folder" : "` + strings.TrimPrefix(folder[:len(folder)-3], "/") + `"`, true},
		{`"request.folder" = "` + folder + `"`, true},
		{`"request.folder" : "news/"`, false},
		{`"request.tags" IN ["boat","car"]`, true},
		{`"request.tags" NOT IN ["boat","car"]`, false},
		{`"request.tags" IN ["car"]`, false},
		{`"request.customCoordinates" = "1,2,3,4"`, true},
		{`"request.webhookUrl" : "http"`, false},
		{`"request.webhookUrl" NOT = "http"`, true},
		{`"request.isPrivateFile" = true AND "request.useUniqueFileName" = false`, true},
		{`"request.isPrivateFile" NOT = true`, false},
		{`"request.overwriteFile" = true AND "request.isPublished" = true`, true},
		{`"file.mime" = "image/png"`, true},
		{`"file.mime" : "video/"`, false},
		{`"file.size" < 10 OR "file.size" <= "1mb"`, true},
		{`"file.size" >= "1mb"`, false},
		{`"file.size" > "2.5 kb" AND "file.size" < "3kb"`, true},
		{`"mediaMetadata.width" = 60 AND "mediaMetadata.height" <= 40`, true},
		{`"mediaMetadata.width" > 60`, false},
		{`("mediaMetadata.width" > 60 OR "mediaMetadata.height" = 40) AND "file.mime" NOT = "image/jpeg"`, true},
		{`"mediaMetadata.duration" > 0`, false},
		{`"mediaMetadata.videoCodec" = "h264"`, false},
		{`"request.customMetadata.` + price + `" > 12.4`, true},
		{`"request.customMetadata.` + price + `" > 12.5`, false},
		{`"request.customMetadata.` + day + `" < "2026-02-01"`, true},
		{`"request.customMetadata.` + day + `" > "2026-01-31"`, false},
		{`"request.customMetadata.` + colors + `" IN ["red"]`, true},
		{`"request.customMetadata.` + colors + `" IN ["blue"]`, false},
	} {
		a := s.send(t, append(picture, field("fileName", "photo.png"), field("checks", c.checks))...)
		stored := s.list(t, "path", folder)
		if met := a.status == http.StatusOK; met != c.met || met != (len(stored) == 1) ||
			!met && text(a.json["message"]) != "Your request failed 'checks' validation." {
			t.Errorf("%s: %d %s, %d files, want met: %v", c.checks, a.status, a.body, len(stored), c.met)
		}
		for _, f := range stored {
			s.call(t, http.StatusNoContent, http.MethodDelete, "/v1/files/"+text(f["fileId"]), "")
		}
	}
	for _, bad := range []string{`file.size < 2`, `"file.colour" = "red"`, `"file.size" : 2`, `"request.tags" = "a"`, `"request.customMetadata.none" = 1`, `"request.isPrivateFile" = "yes"`, `"file.size" < "2 miles"`, `"file.mime" = png`} {
		a := s.refused(t, "invalid syntax for the checks parameter", append(picture, field("fileName", "photo.png"), field("checks", bad))...)
		if text(a.json["help"]) == "" {
			t.Errorf("%s: the answer does not explain the error", bad)
		}
	}
	// For a picture the checks apply to the stored file.
	s.store(t, field("fileName", "p.png"), content(PNG(60, 40)), field("transformation", `{"pre":"w-30"}`), field("checks", `"mediaMetadata.width" = 30`))
}

// testFilmConditions tests conditions on what a video contains.
func testFilmConditions(t *testing.T, s *suite) {
	folder := s.folder + "films/"
	box := func(kind string, body ...string) string {
		all := strings.Join(body, "")
		return "\x00\x00\x00" + string([]byte{byte(len(all) + 8)}) + kind + all
	}
	track := func(codec string) string {
		return box("trak",
			box("mdia", box("minf", box("stbl", box("stsd", strings.Repeat("\x00", 12), codec)))))
	}
	length := strings.Repeat("\x00", 15) + "\x64\x00\x00\x00\xfa" // 250 hundredths of a second
	film := []byte(box("ftyp", "isom\x00\x00\x02\x00isomiso2avc1mp41") + box("moov", box("mvhd", length), track("hvc1"), track("mp4a")))
	for checks, met := range map[string]bool{
		`"mediaMetadata.duration" = 2.5`: true, `"mediaMetadata.duration" < 2`: false, `"mediaMetadata.bitRate" < 2`: true,
		`"mediaMetadata.videoCodec" = "hevc" AND "mediaMetadata.audioCodec" IN ["aac","opus"]`: true, `"mediaMetadata.videoCodec" NOT = "hevc"`: false, `"mediaMetadata.audioCodec" : "mp"`: false,
	} {
		if a := s.send(t, field("fileName", "film.mp4"), content(film),
			field("checks", checks)); met != (a.status == http.StatusOK) {
			t.Errorf("%s: %d %s, want met: %v", checks, a.status, a.body, met)
		}
	}
	// For a video that is transformed an event reports that the checks failed.
	wantStatus(t, s.send(t, field("fileName", "film.mp4"), field("folder", folder), content(film),
		field("transformation", `{"pre":"w-30"}`), field("checks", `"file.size" > "1mb"`)), http.StatusAccepted)
	if stored := s.list(t, "path", folder); len(stored) > 0 {
		t.Errorf("a video that does not meet its checks was stored: %v", stored)
	}
}

// testResponseFields tests the row responseFields of service.md §4.1.
func testResponseFields(t *testing.T, s *suite) {
	r := s.store(t, field("fileName", "fields"), content(PhotoJPEG(20, 20, 1)), field("responseFields", "tags,customCoordinates,isPrivateFile,embeddedMetadata,customMetadata"))
	for _, name := range []string{"tags", "customCoordinates", "isPrivateFile", "embeddedMetadata", "customMetadata"} {
		if _, ok := r[name]; !ok {
			t.Errorf("%s was asked for and is missing", name)
		}
	}
	want(t, object(r, "embeddedMetadata"), "Make", "Pentacon")
	s.runStrict(t, "refused", func(t *testing.T) {
		s.refused(t, "responseFields", small("fields", field("responseFields", "tags,everything"))...)
	})
}
