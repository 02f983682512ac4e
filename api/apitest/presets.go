package apitest

import (
	"bytes"
	"fmt"
	"image"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"mediadesk/api/media/mediatest"
)

// testPresets tests the five calls for saved extensions and for named transformations
// (hosted-service.md §15).
func testPresets(t *testing.T, s *suite) {
	s.strict(t)
	for _, c := range []struct {
		path, unknown string
		make, change  []any
		bad           []string
	}{
		{
			"/v1/saved-extensions", "ext_" + nobody,
			[]any{"name", "Seasons", "description", "d", "config", map[string]any{"name": "aws-auto-tagging", "maxTags": 3, "minConfidence": 5}},
			[]any{"description", ""},
			[]string{
				`{}`, `{"name":"a","description":"d"}`, js("name", "", "description", "d", "config", map[string]any{"name": "remove-bg"}), js("name", 5, "description", "d", "config", map[string]any{"name": "remove-bg"}),
				js("name", "a", "description", "d", "config", map[string]any{}), js("name", "a", "description", "d", "config", "remove-bg"),
				js("name", "a", "description", "d", "config", map[string]any{"name": "saved-extension", "id": "ext_" + nobody}), js("name", "a", "description", "d", "config", map[string]any{"name": "remove-bg"}, "more", 1),
			},
		},
		{
			"/v1/named-transformations", nobody,
			[]any{"name", "n_" + random(), "transformation", "w-15,h-10"},
			[]any{"enabled", false},
			[]string{
				`{}`, `{"name":"a"}`, js("name", "a-b", "transformation", "w-1"), js("name", "", "transformation", "w-1"), js("name", "a", "transformation", "x-1"), js("name", "a", "transformation", ""),
				js("name", "a", "transformation", "n-other"), js("name", "a", "transformation", 5), js("name", "a", "transformation", "w-1", "enabled", "yes"), js("name", "ik_ml_thumbnail", "transformation", "w-1"),
			},
		},
	} {
		made := s.call(t, http.StatusCreated, http.MethodPost, c.path, js(c.make...)).json
		want(t, made, c.make...)
		wantText(t, made, "id", "createdAt")
		address := c.path + "/" + text(made["id"])
		if got := s.call(t, http.StatusOK, http.MethodGet, address, "").json; !same(got, made) {
			t.Errorf("got %v, made %v", got, made)
		}
		changed := s.call(t, http.StatusOK, http.MethodPatch, address, js(c.change...)).json
		want(t, changed, c.change...)
		want(t, changed, "id", made["id"], "name", made["name"], "createdAt", made["createdAt"])
		list := records(t, s.call(t, http.StatusOK, http.MethodGet, c.path, ""))
		if !same(list[len(list)-1], changed) {
			t.Errorf("listed %v", list)
		}
		s.refusedBodies(t, http.MethodPost, c.path, c.bad...)
		s.refusedBodies(t, http.MethodPatch, address, `{"more":1}`, `{"name":""}`)
		s.call(t, http.StatusNotFound, http.MethodGet, c.path+"/"+c.unknown, "")
		s.call(t, http.StatusNotFound, http.MethodPatch, c.path+"/"+c.unknown, `{}`)
		s.call(t, http.StatusNotFound, http.MethodDelete, c.path+"/"+c.unknown, "")
		s.call(t, http.StatusNoContent, http.MethodDelete, address, "")
		s.call(t, http.StatusNotFound, http.MethodGet, address, "")
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		s.fails(t, http.StatusBadRequest, method, "/v1/saved-extensions/5", "", "Invalid saved extension ID.")
	}
	t.Run("a saved extension works", func(t *testing.T) {
		made := s.call(t, http.StatusCreated, http.MethodPost, "/v1/saved-extensions",
			js("name", "Tags", "description", "", "config", map[string]any{"name": "aws-auto-tagging", "maxTags": 2, "minConfidence": 0})).json
		r := s.store(t, field("fileName", "p.png"), content(PNG(30, 20)), field("extensions", `[{"name":"saved-extension","id":"`+text(made["id"])+`"}]`))
		wantText(t, extensionStatus(r), "aws-auto-tagging")
		s.refused(t, "saved extension", field("fileName", "p.png"), content(PNG(30, 20)), field("extensions", `[{"name":"saved-extension","id":"ext_`+nobody+`"}]`))
		s.refused(t, "saved extension", field("fileName", "p.png"), content(PNG(30, 20)), field("extensions", `[{"name":"saved-extension"}]`))
		s.call(t, http.StatusNoContent, http.MethodDelete, "/v1/saved-extensions/"+text(made["id"]), "")
	})
	t.Run("a named transformation works", func(t *testing.T) { testNamedTransformation(t, s) })
}

func testNamedTransformation(t *testing.T, s *suite) {
	s.delivers(t)
	name := "small_" + random()
	made := s.call(t, http.StatusCreated, http.MethodPost, "/v1/named-transformations", js("name", name, "transformation", "w-15,h-10,f-png")).json
	s.refusedBodies(t, http.MethodPost, "/v1/named-transformations", js("name", name, "transformation", "w-1"))
	path := escapedPath(s.store(t, field("fileName", "p.png"), content(PNG(30, 20))))
	preset := s.DeliveryURL + "/tr:n-" + name + path
	get := func() answer { return s.do(t, http.MethodGet, preset, "", nil, nil) }
	if a := get(); a.status != http.StatusOK || a.header.Get("Content-Type") != "image/png" {
		t.Errorf("answered %d %s", a.status, a.header)
	}
	address := "/v1/named-transformations/" + text(made["id"])
	s.call(t, http.StatusOK, http.MethodPatch, address, `{"enabled":false}`)
	wantError(t, get(), http.StatusBadRequest, "disabled")
	s.call(t, http.StatusNoContent, http.MethodDelete, address, "")
	wantError(t, get(), http.StatusBadRequest, "no named transformation")
}

// testSteps tests the results of the transformations of hosted-service.md §18.
func testSteps(t *testing.T, s *suite) {
	s.strict(t)
	s.delivers(t)
	path := escapedPath(s.store(t, field("fileName", "p.jpg"), content(JPEG(60, 40))))
	clear := escapedPath(s.store(t, field("fileName", "p.png"), content(AlphaPNG(60, 40))))
	for _, c := range []struct {
		steps, path, want string // want is type and size
	}{
		{"w-30,h-30,c-at_max", path, "image/jpeg 30x20"},
		{"w-300,c-at_max", path, "image/jpeg 60x40"},
		{"w-120,h-120,c-at_max_enlarge", path, "image/jpeg 120x80"},
		{"w-30,h-30,c-at_least", path, "image/jpeg 45x30"},
		{"w-30,h-30,c-maintain_ratio", path, "image/jpeg 30x30"},
		{"w-30,h-30,c-force", path, "image/jpeg 30x30"},
		{"w-30,h-30,cm-pad_resize,bg-FF0000", path, "image/jpeg 30x30"},
		{"w-30,h-30,cm-pad_resize,bg-blurred", path, "image/jpeg 30x30"},
		{"w-30,h-30,cm-extract", path, "image/jpeg 30x30"},
		{"w-30,ar-1-1", path, "image/jpeg 30x30"},
		{"w-20,dpr-1.5", path, "image/jpeg 30x20"},
		{"rt-90", path, "image/jpeg 40x60"},
		{"rt-N90", path, "image/jpeg 40x60"},
		{"rt-auto", path, "image/jpeg 60x40"},
		{"bl-10", path, "image/jpeg 60x40"},
		{"e-grayscale", path, "image/jpeg 60x40"},
		{"r-10", path, "image/png 60x40"},
		{"r-max", path, "image/png 60x40"},
		{"q-10", path, "image/jpeg 60x40"},
		{"f-png", path, "image/png 60x40"},
		{"f-webp,w-30", path, "image/webp 30x20"},
		{"f-jpg", clear, "image/jpeg 60x40"},
		{"f-auto,w-30", clear, "image/png 30x20"},
		{"f-orig,w-30", clear, "image/png 30x20"},
	} {
		for _, address := range []string{
			s.DeliveryURL + "/tr:" + c.steps + c.path,
			s.DeliveryURL + c.path + "?tr=" + url.QueryEscape(c.steps),
		} {
			a := s.do(t, http.MethodGet, address, "", nil, nil)
			got := a.header.Get("Content-Type") + " " + pictureSize(a.body)
			if a.status != http.StatusOK || got != c.want {
				t.Errorf("%s answered %d %s, want %s", address, a.status, got, c.want)
			}
		}
	}
	for accept, want := range map[string]string{
		"": "image/jpeg", "*/*": "image/jpeg", "image/avif,image/webp,image/*;q=0.8": "image/webp", "image/png, image/webp;q=0.5": "image/webp", "image/webp;q=0, */*": "image/jpeg",
	} {
		for _, steps := range []string{"f-auto", "w-30,f-auto"} {
			a := s.do(t, http.MethodGet, s.DeliveryURL+"/tr:"+steps+path, "", nil,
				func(r *http.Request) { r.Header.Set("Accept", accept) })
			if got := a.header.Get("Content-Type"); a.status != http.StatusOK || got != want ||
				!slices.Contains(a.header.Values("Vary"), "Accept") {
				t.Errorf("%s with Accept %q answered %d %s, want %s; %v", steps, accept, a.status, got, want, a.header)
			}
		}
	}
	words := escapedPath(s.store(t, field("fileName", "w.txt"), content([]byte("words"))))
	if a := s.do(t, http.MethodGet, s.DeliveryURL+"/tr:f-auto"+words, "", nil,
		nil); a.status != http.StatusOK || string(a.body) != "words" {
		t.Errorf("f-auto of a text answered %d %s", a.status, a.body)
	}
	few, many := len(s.do(t, http.MethodGet, s.DeliveryURL+"/tr:q-5"+path, "", nil, nil).body), len(s.do(t,
		http.MethodGet, s.DeliveryURL+"/tr:q-95"+path, "", nil, nil).body)
	if few >= many {
		t.Errorf("the quality 5 has %d bytes, 95 has %d", few, many)
	}
	a := s.do(t, http.MethodGet, s.DeliveryURL+"/tr:f-avif"+path, "", nil, nil)
	if a.status != http.StatusOK || a.header.Get("Content-Type") != "image/jpeg" {
		t.Errorf("AVIF answered %d %s", a.status, a.header.Get("Content-Type"))
	}
	for _, steps := range []string{"l-text", "e-contrast", "cm-pad_extract", "fo-nose", "f-gif", "rt-45", "q-0", "t-0", "z-2", "so-1", "bg-blurred"} {
		a := s.do(t, http.MethodGet, s.DeliveryURL+"/tr:"+steps+path, "", nil, nil)
		wantError(t, a, http.StatusBadRequest, steps)
	}
	t.Run("signed", func(t *testing.T) { testSignedSteps(t, s) })
}

func testSignedSteps(t *testing.T, s *suite) {
	path := escapedPath(s.store(t, field("fileName", "p.jpg"), content(JPEG(60, 40)),
		field("isPrivateFile", "true")))
	for _, signed := range []string{"/tr:w-20,q-50:rt-90" + path, path + "?tr=w-20,q-50:rt-90"} {
		mark := "?"
		if strings.Contains(signed, "?") {
			mark = "&"
		}
		for query, status := range map[string]int{
			sign(s.Key, signed, 0): http.StatusOK, sign("other", signed, 0): http.StatusUnauthorized,
			"": http.StatusUnauthorized,
		} {
			a := s.getAnonymous(t, s.DeliveryURL+signed+mark+query)
			mediatest.Equal(t, a.status, status, "%s%s%s answered", signed, mark, query)
		}
	}
}

// pictureSize reads the size of a JPEG, PNG or lossless WebP file.
func pictureSize(data []byte) string {
	if rest, ok := bytes.CutPrefix(data[min(12, len(data)):], []byte("VP8L")); ok && len(rest) > 9 {
		bits := uint32(rest[5]) | uint32(rest[6])<<8 | uint32(rest[7])<<16 | uint32(rest[8])<<24
		return fmt.Sprintf("%dx%d", bits&0x3fff+1, bits>>14&0x3fff+1)
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%dx%d", config.Width, config.Height)
}

// testUsage tests GET {base_url}/v1/accounts/usage.
func testUsage(t *testing.T, s *suite) {
	day := func(n int) string { return time.Now().UTC().AddDate(0, 0, n).Format(time.DateOnly) }
	ask := func(status int, start, end string) answer {
		t.Helper()
		return s.call(t, status, http.MethodGet, "/v1/accounts/usage?startDate="+start+"&endDate="+end, "")
	}
	used := ask(http.StatusOK, day(-88), day(1)).json
	for _, name := range []string{"bandwidthBytes", "mediaLibraryStorageBytes", "videoProcessingUnitsCount", "extensionUnitsCount", "originalCacheStorageBytes"} {
		if n, ok := used[name].(float64); !ok || n < 0 {
			t.Errorf("%s is %v", name, used[name])
		}
	}
	ask(http.StatusBadRequest, day(-89), day(1))
	ask(http.StatusBadRequest, day(0), day(-1))
	ask(http.StatusBadRequest, "2026-13-01", day(1))
	ask(http.StatusBadRequest, "", day(1))
}
