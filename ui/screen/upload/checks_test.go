package upload

import (
	"image"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/media"
	"mediadesk/api/session"
)

func TestChecks(t *testing.T) {
	aPicture := known{
		inspected: true, identity: api.Identity{Size: 1000},
		facts: media.Facts{Picture: true, Name: "PNG picture", Stored: image.Pt(300, 200)},
	}
	aText := known{inspected: true, identity: api.Identity{Size: 1000}, facts: media.Facts{Name: "TXT text"}}
	huge := aPicture
	huge.identity.Size = 25_000_001
	gone := known{inspected: true, err: &api.SourceError{Path: "/p/a.jpg", Reason: "does not exist", Help: "Pick it again."}}
	file := api.Source{Path: "/p/a.jpg"}
	long := strings.Repeat("x", 501)
	deep := strings.Repeat("a/", 51)
	deaf := localProfile()
	deaf.Receiver = ""

	for _, c := range []struct {
		name  string
		src   api.Source
		k     known
		p     session.Profile
		set   map[string]string
		stop  bool
		field string
		want  string
	}{
		{"size over the limit", file, huge, localProfile(), nil, true, "name", "the limit of this account"},
		{"the file is gone", file, gone, localProfile(), nil, true, "name", "does not exist"},
		{"no name", file, aPicture, localProfile(), map[string]string{"name": ""}, true, "name", "is missing"},
		{"a step as a name", file, aPicture, localProfile(), map[string]string{"name": ".."}, true, "name", "step in a path"},
		{"tags too long", file, aPicture, localProfile(), map[string]string{"tags": long}, true, "tags", "501 characters"},
		{"tags with %", file, aPicture, localProfile(), map[string]string{"tags": "100%"}, true, "tags", "%"},
		{"folder too deep", file, aPicture, localProfile(), map[string]string{"folder": deep}, true, "folder", "51 levels"},
		{"folder with a blank", file, aPicture, localProfile(), map[string]string{"folder": "/my pictures/"}, true, "folder", `" "`},
		{"region is no region", file, aPicture, localProfile(), map[string]string{"region": "1,2,3"}, true, "region", "four numbers"},
		{"region leaves the picture", file, aPicture, localProfile(), map[string]string{"region": "200,100,101,100"}, true, "region", "outside the picture"},
		{"region of no picture", file, aText, localProfile(), map[string]string{"region": "1,2,3,4"}, true, "region", "images only"},
		{"extension on no picture", file, aText, localProfile(), map[string]string{"extensions": "remove-bg"}, false, "extensions", "TXT text"},
		{"metadata", file, aPicture, localProfile(), map[string]string{"metadata": "words"}, true, "metadata", "row 1"},
		{"extension twice", file, aPicture, localProfile(), map[string]string{"extensions": "remove-bg,remove-bg"}, true, "extensions", "twice"},
		{"webhook is no address", file, aPicture, localProfile(), map[string]string{"webhook": "ftp://x"}, true, "webhook", "http"},
		{"webhook at home, service away", file, aPicture, hostedProfile(), map[string]string{"extensions": "remove-bg"}, false, "webhook", "127.0.0.1:7900"},
		{"private webhook, service away", file, aPicture, hostedProfile(), map[string]string{"extensions": "google-auto-tagging", "webhook": "http://10.1.2.3/x"}, false, "webhook", "10.1.2.3"},
		{"slow and no webhook", file, aPicture, localProfile(), map[string]string{"extensions": "remove-bg", "webhook": entry.NoWebhook}, false, "webhook", "no webhook"},
		{"slow and no receiver", file, aPicture, deaf, map[string]string{"extensions": "remove-bg"}, false, "webhook", "there is no webhook"},
		{"address at home, service away", api.Source{URL: "http://192.168.1.9/a.jpg"}, known{}, hostedProfile(), nil, false, "name", "private network"},
		{"address that is none", api.Source{URL: "c:/a.jpg"}, known{}, localProfile(), nil, true, "name", "http"},
	} {
		o, problems := filled(c.src, c.p, c.set)
		found := false
		for _, l := range checksOf(&o.Entry, problems, &c.k, c.p) {
			found = found || l.stop == c.stop && l.field == c.field && strings.Contains(l.text, c.want)
		}
		if !found {
			t.Errorf("%s: no check with %q:\n%+v", c.name, c.want, checksOf(&o.Entry, problems, &c.k, c.p))
		}
	}
}

// TestChecksAreQuiet checks that valid input gets no warning and that no check appears twice.
func TestChecksAreQuiet(t *testing.T) {
	k := known{inspected: true, identity: api.Identity{Size: 5}, facts: media.Facts{Picture: true}}
	public := hostedProfile()
	public.Receiver = "https://hooks.example.com"
	for name, c := range map[string]struct {
		p   session.Profile
		set map[string]string
	}{
		"the local library reaches our receiver": {localProfile(), map[string]string{"extensions": "remove-bg"}},
		"a public receiver":                      {public, map[string]string{"extensions": "remove-bg"}},
		"tagging is quick":                       {localProfile(), map[string]string{"extensions": "google-auto-tagging", "webhook": entry.NoWebhook}},
		"no extension, no webhook":               {hostedProfile(), nil},
		"steps on a picture, at home":            {localProfile(), map[string]string{"transformation": `{"post":[{"type":"transformation","value":"w-90"}]}`}},
		"a video from a GIF, service away":       {public, map[string]string{"transformation": `{"post":[{"type":"gif-to-video"}]}`}},
		"a region, size unknown":                 {localProfile(), map[string]string{"region": "9,9,9,9"}},
	} {
		o, problems := filled(api.Source{Path: "/p/a.jpg"}, c.p, c.set)
		for _, l := range checksOf(&o.Entry, problems, &k, c.p) {
			t.Errorf("%s: %s", name, l.text)
		}
	}
	o, problems := filled(api.Source{Path: "/p/a.jpg"}, localProfile(),
		map[string]string{"folder": "a b", "tags": "%"})
	seen := map[string]int{}
	for _, l := range checksOf(&o.Entry, problems, &k, localProfile()) {
		if seen[l.text]++; seen[l.text] > 1 {
			t.Errorf("shown twice: %s", l.text)
		}
	}
}

// TestJumpToACheck: sending leads to the field in the file that stops it.
func TestJumpToACheck(t *testing.T) {
	m := started(t, localOptions(files(t, "a.png", "x", "b.png", "y"), &stub{}))
	m.set(m.Items[1], "folder", "a b")
	m.Load()
	press(t, m, "ctrl+s")
	if m.Model.Form.On() != "folder" || m.At() != 1 || len(m.Targets()) != 1 {
		t.Errorf("ctrl+s leads to %s of %d", m.Model.Form.On(), m.At())
	}
}
