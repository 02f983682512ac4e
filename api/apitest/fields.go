package apitest

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// testName is the row fileName of service.md §4.1.
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
			r := s.store(t, append(exact(c.sent, []byte(c.name)), field("folder", s.folder+"names/"+random()))...)
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

// testFolder is the row folder of service.md §4.1.
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
			r := s.store(t, field("fileName", "root.txt"), content([]byte("x")), field("folder", root))
			want(t, r, "filePath", "/"+text(r["name"]))
		}
	})
	s.runStrict(t, "refused", func(t *testing.T) {
		for _, folder := range []string{"/a b", "/a.b", "/../x", "/a\\b", "/a:b", "/a%20b", "/a😀", "/a\tb", s.folder + deep + "e"} {
			s.refused(t, "folder", exact("f.txt", []byte("x"), field("folder", folder))...)
		}
	})
}

// testTags is the row tags of service.md §4.1 and of §8.
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
			want(t, s.store(t, field("fileName", "tags"), content([]byte("x")), field("tags", c.sent), fields), "tags", c.stored)
		})
	}
	t.Run("refused", func(t *testing.T) {
		s.refused(t, "tags", field("fileName", "tags"), content([]byte("x")), field("tags", strings.Repeat("t", 501)))
		s.refused(t, "tags", field("fileName", "tags"), content([]byte("x")), field("tags", "100%"))
		s.refused(t, "tags", field("fileName", "tags"), content([]byte("x")), field("tags", strings.Repeat("ab,", 167)))
	})
}

// testRegion is the row customCoordinates of service.md §4.1.
func testRegion(t *testing.T, s *suite) {
	data := PNG(100, 60)
	for _, region := range []string{"0,0,100,60", "10,20,30,40", "99,59,1,1"} {
		r := s.store(t, field("fileName", "region"), content(data), field("customCoordinates", region), field("responseFields", "customCoordinates"))
		want(t, r, "customCoordinates", region)
	}
	s.runStrict(t, "refused", func(t *testing.T) {
		for _, region := range []string{"1,2,3", "a,b,c,d", "1,2,3,4,5", "-1,0,5,5", "0,0,0,5", "0,0,5,0", "0,0,101,60", "1,0,100,60", "0,0,100,61", "1.5,0,5,5", "99999999999999999999,0,1,1"} {
			s.refused(t, "customCoordinates", field("fileName", "region"), content(data), field("customCoordinates", region))
		}
		s.refused(t, "image", field("fileName", "region"), content([]byte("text")), field("customCoordinates", "0,0,1,1"))
	})
}

// testSwitches: booleans are true or false.
func testSwitches(t *testing.T, s *suite) {
	s.strict(t)
	for _, name := range []string{"useUniqueFileName", "isPrivateFile", "overwriteFile", "overwriteAITags", "overwriteTags", "overwriteCustomMetadata", "isPublished"} {
		for _, value := range []string{"yes", "1", "TRUE", "0", " true"} {
			s.refused(t, name, field("fileName", "switch"), content([]byte("x")), field(name, value))
		}
		for _, value := range []string{"true", "false", "", "undefined", "null"} {
			s.store(t, field("fileName", "switch"), content([]byte("x")), field(name, value))
		}
	}
}

// testChecks: the syntax of checks (hosted-service.md §12).
func testChecks(t *testing.T, s *suite) {
	s.store(t, field("fileName", "checks"), content([]byte("x")), field("checks", `"file.size" < "2mb" AND 'request.folder' : "/"`))
	a := s.refused(t, "checks", field("fileName", "checks"), content([]byte("x")), field("checks", `"file.size" <`))
	if s.Strict && !strings.Contains(text(a.json["message"]), "file.size is compared with nothing") {
		t.Errorf("the reason is missing: %s", a.body)
	}
}

// testResponseFields is the row responseFields of service.md §4.1.
func testResponseFields(t *testing.T, s *suite) {
	r := s.store(t, field("fileName", "fields"), content(PhotoJPEG(20, 20, 1)), field("responseFields", "tags,customCoordinates,isPrivateFile,embeddedMetadata,customMetadata"))
	for _, name := range []string{"tags", "customCoordinates", "isPrivateFile", "embeddedMetadata", "customMetadata"} {
		if _, ok := r[name]; !ok {
			t.Errorf("%s was asked for and is missing", name)
		}
	}
	embedded, _ := r["embeddedMetadata"].(map[string]any)
	if fmt.Sprint(embedded["Make"]) != "Pentacon" {
		t.Errorf("embeddedMetadata has the maker %v", embedded["Make"])
	}
	s.runStrict(t, "refused", func(t *testing.T) {
		s.refused(t, "responseFields", field("fileName", "fields"), content([]byte("x")), field("responseFields", "tags,everything"))
	})
}
