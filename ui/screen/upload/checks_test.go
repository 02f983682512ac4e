package upload

import (
	"image"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/api/session"
)

func TestChecks(t *testing.T) {
	aPicture := known{looked: true, identity: api.Identity{Size: 1000}, facts: media.Facts{Kind: media.KindPicture, Name: "PNG picture", Stored: image.Pt(300, 200)}}
	aText := known{looked: true, identity: api.Identity{Size: 1000}, facts: media.Facts{Kind: media.KindText, Name: "TXT text"}}
	aVideo := known{looked: true, identity: api.Identity{Size: 1000}, facts: media.Facts{MIME: "video/mp4"}}
	steps := `{"post":[{"type":"transformation","value":"w-90"}]}`
	huge := aPicture
	huge.identity.Size = 25_000_001
	gone := known{looked: true, err: &api.SourceError{Path: "/p/a.jpg", Reason: "does not exist", Help: "Pick it again."}}
	file := api.Source{Path: "/p/a.jpg"}
	long := strings.Repeat("x", 501)
	deep := strings.Repeat("a/", 51)
	limitless := localProfile()
	limitless.MaxSize = 0
	deaf := localProfile()
	deaf.Receiver = ""

	for _, c := range []struct {
		name  string
		src   api.Source
		k     known
		p     session.Profile
		set   map[field]string
		level level
		field field
		want  string
	}{
		{"size within the limit", file, aPicture, localProfile(), nil, fine, fieldName, "Size 1 kB of 25 MB"},
		{"size with no known limit", file, aPicture, limitless, nil, fine, fieldName, "not known"},
		{"size over the limit", file, huge, localProfile(), nil, stop, fieldName, "at most"},
		{"the file is gone", file, gone, localProfile(), nil, stop, fieldName, "does not exist"},
		{"no name", file, aPicture, localProfile(), map[field]string{fieldName: ""}, stop, fieldName, "needs a name"},
		{"a step as a name", file, aPicture, localProfile(), map[field]string{fieldName: ".."}, stop, fieldName, "step in a path"},
		{"tags counted", file, aPicture, localProfile(), map[field]string{fieldTags: "sea,beach"}, fine, fieldTags, "Tags 9/500"},
		{"tags too long", file, aPicture, localProfile(), map[field]string{fieldTags: long}, stop, fieldTags, "501 characters"},
		{"tags at the limit", file, aPicture, localProfile(), map[field]string{fieldTags: long[1:]}, fine, fieldTags, "Tags 500/500"},
		{"tags with %", file, aPicture, localProfile(), map[field]string{fieldTags: "100%"}, stop, fieldTags, "%"},
		{"folder counted", file, aPicture, localProfile(), map[field]string{fieldFolder: "/a//b/"}, fine, fieldFolder, "Folder 2/50"},
		{"folder at the limit", file, aPicture, localProfile(), map[field]string{fieldFolder: deep[2:]}, fine, fieldFolder, "Folder 50/50"},
		{"folder too deep", file, aPicture, localProfile(), map[field]string{fieldFolder: deep}, stop, fieldFolder, "51 levels"},
		{"folder with a blank", file, aPicture, localProfile(), map[field]string{fieldFolder: "/my pictures/"}, stop, fieldFolder, `" "`},
		{"region is no region", file, aPicture, localProfile(), map[field]string{fieldRegion: "1,2,3"}, stop, fieldRegion, "four numbers"},
		{"region leaves the picture", file, aPicture, localProfile(), map[field]string{fieldRegion: "200,100,101,100"}, stop, fieldRegion, "outside the picture"},
		{"region of no picture", file, aText, localProfile(), map[field]string{fieldRegion: "1,2,3,4"}, stop, fieldRegion, "images only"},
		{"extension on no picture", file, aText, localProfile(), map[field]string{fieldRemove: on}, warn, fieldRemove, "TXT text"},
		{"private, no picture", file, aText, localProfile(), map[field]string{fieldPrivate: on}, warn, fieldPrivate, "TXT text"},
		{"metadata", file, aPicture, localProfile(), map[field]string{fieldMetadata: "words"}, stop, fieldMetadata, "row 1"},
		{"steps on a video, at home", file, aVideo, localProfile(), map[field]string{fieldTransformation: steps}, warn, fieldTransformation, "transformation will fail"},
		{"a thumbnail of a video, at home", file, aVideo, localProfile(), map[field]string{fieldTransformation: `{"post":[{"type":"thumbnail"}]}`}, warn, fieldTransformation, "thumbnail will fail"},
		{"extension twice", file, aPicture, localProfile(), map[field]string{fieldRemove: on, fieldOtherName: "remove-bg"}, stop, fieldOtherName, "a row of its own"},
		{"webhook is no address", file, aPicture, localProfile(), map[field]string{fieldWebhook: webhookAddress, fieldAddress: "ftp://x"}, stop, fieldAddress, "http"},
		{"webhook at home, service away", file, aPicture, hostedProfile(), map[field]string{fieldRemove: on}, warn, fieldWebhook, "127.0.0.1:7900"},
		{"private webhook, service away", file, aPicture, hostedProfile(), map[field]string{fieldGoogle: on, fieldWebhook: webhookAddress, fieldAddress: "http://10.1.2.3/x"}, warn, fieldWebhook, "10.1.2.3"},
		{"slow and no webhook", file, aPicture, localProfile(), map[field]string{fieldRemove: on, fieldWebhook: webhookNone}, warn, fieldWebhook, "no webhook"},
		{"slow and no receiver", file, aPicture, deaf, map[field]string{fieldRemove: on}, warn, fieldWebhook, "no webhook receiver"},
		{"address at home, service away", api.Source{URL: "http://192.168.1.9/a.jpg"}, known{}, hostedProfile(), nil, warn, fieldName, "private network"},
		{"address that is none", api.Source{URL: "c:/a.jpg"}, known{}, localProfile(), nil, stop, fieldName, "http"},
	} {
		o, problems := filled(c.src, c.p, c.set)
		found := false
		for _, l := range checksOf(&o.entry, problems, &c.k, c.p) {
			found = found || l.level == c.level && l.field == c.field && strings.Contains(l.text, c.want)
		}
		if !found {
			t.Errorf("%s: no check with %q:\n%+v", c.name, c.want, checksOf(&o.entry, problems, &c.k, c.p))
		}
	}
}

// TestChecksAreQuiet checks that valid input gets no warning and that no check appears twice.
func TestChecksAreQuiet(t *testing.T) {
	k := known{looked: true, identity: api.Identity{Size: 5}, facts: media.Facts{Kind: media.KindPicture}}
	public := hostedProfile()
	public.Receiver = "https://hooks.example.com"
	for name, c := range map[string]struct {
		p   session.Profile
		set map[field]string
	}{
		"the local library reaches our receiver": {localProfile(), map[field]string{fieldRemove: on}},
		"a public receiver":                      {public, map[field]string{fieldRemove: on}},
		"tagging is quick":                       {localProfile(), map[field]string{fieldGoogle: on, fieldWebhook: webhookNone}},
		"no extension, no webhook":               {hostedProfile(), nil},
		"steps on a picture, at home":            {localProfile(), map[field]string{fieldTransformation: `{"post":[{"type":"transformation","value":"w-90"}]}`}},
		"a video from a GIF, service away":       {public, map[field]string{fieldTransformation: `{"post":[{"type":"gif-to-video"}]}`}},
		"a private picture":                      {localProfile(), map[field]string{fieldPrivate: on}},
		"a region, size unknown":                 {localProfile(), map[field]string{fieldRegion: "9,9,9,9"}},
	} {
		o, problems := filled(api.Source{Path: "/p/a.jpg"}, c.p, c.set)
		for _, l := range checksOf(&o.entry, problems, &k, c.p) {
			if l.level != fine {
				t.Errorf("%s: %s", name, l.text)
			}
		}
	}
	o, problems := filled(api.Source{Path: "/p/a.jpg"}, localProfile(), map[field]string{fieldFolder: "a b", fieldTags: "%"})
	seen := map[string]int{}
	for _, l := range checksOf(&o.entry, problems, &k, localProfile()) {
		if seen[l.text]++; seen[l.text] > 1 {
			t.Errorf("shown twice: %s", l.text)
		}
	}
}
