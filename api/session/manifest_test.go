package session_test

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mediadesk/api"
	"mediadesk/api/apitest"
	"mediadesk/api/entry"
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/session"
)

// TestWhereAManifestIsWrong: an error names the line and the expected value.
func TestWhereAManifestIsWrong(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", "the manifest is empty"},
		{"[\n {\"source\":\"a\"},\n {\"source\":\"b\",\n  \"bogus\":1}\n]\n", `line 3: unknown member "bogus"; known are source,`},
		{"\n\n[\n {\"source\":\"a\",\n \"private\":\"yes\"}\n]\n\n\n", `line 4: private is true or false, not "yes"`},
		{`{"source":"a"}` + "\n" + `{"source":5}` + "\n", "line 2: source must be a text: a path or a URL"},
		{`{"source":"a"}` + "\n" + `{"source":"b",` + "\n" + `"tags":[1]}`, "line 2: tags is a list of texts, not [1]"},
		{`{"source":"a"}` + "\n" + `{"source":}` + "\n", "line 2: invalid character"},
		{`{"source":"a"}` + "\n]\n", "line 2: unexpected text after the end"},
		{"[{\"source\":\"a\"}\n{\"source\":\"b\"}]", "line 2: invalid character"},
		{"[{\"source\":\"a\"},\n\"b\"]", "line 2: an entry must be an object"},
		{"[{\"source\":\"a\"}]\n{}", "line 2: unexpected text after the end"},
		{"[{\"source\":\"a\"},\n{\"source\"", "line 2: unexpected end"},
		{"\nsource,colour\na,\n", `line 2: unknown column "colour"`},
		{"source,private\na,true\nb,perhaps\n", `line 3: private is true or false, not "perhaps"`},
		{"source,metadata\na,[]\n", "line 2: customMetadata"},
		{"source,private\na,true\nb\n", "line 3 has 1 cell, but the first line has 2 cells"},
		{"source,tags\n\"a\nb,c\n", "line 2: unexpected or missing \""},
		{"source,Source\na,b\n", "line 1: column source appears twice"},
		{"source,tags\na,b\nc,\xfcber\n", "line 3: not UTF-8 text"},
		{"\xff\xfes\x00o\x00", "line 1: not UTF-8 text"},
		{"[{\"source\":\"a\",\n\"source\":\"b\"}]", "line 1: source appears twice"},
	}
	for _, tt := range tests {
		entries, err := session.ReadManifest([]byte(tt.text))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
		mediatest.Equal(t, len(entries), 0, "%q: entries", tt.text)
	}
}

// TestManifestOfASpreadsheet: a byte order mark, capitals and any common cell separator are accepted.
func TestManifestOfASpreadsheet(t *testing.T) {
	for _, text := range []string{
		"\ufeffSource,PRIVATE,tags\r\na.jpg,TRUE,\"x,y\"\r\n",
		"source;private;tags\na.jpg;True;x,y\n",
		"source\tprivate\ttags\na.jpg\ttrue\tx,y\n",
	} {
		entries, err := session.ReadManifest([]byte(text))
		if err != nil || len(entries) != 1 {
			t.Fatalf("%q: %v, %v", text, entries, err)
		}
		e, err := entries[0].Entry("/", entry.Entry{})
		if tags := e.Tags.Or(nil); err != nil || e.Source.Path != "/a.jpg" || !e.IsPrivateFile.Or(false) ||
			!slices.Equal(tags, []string{"x", "y"}) {
			t.Errorf("%q: %+v, %v", text, e, err)
		}
	}
}

// TestManifestKeepsPathsThatAreNotUTF8: a path that is not UTF-8, as in old archives, survives
// writing and reading a manifest.
func TestManifestKeepsPathsThatAreNotUTF8(t *testing.T) {
	for _, path := range []string{"/pictures/caf\xe9 1.jpg", "/pictures/\xff\xfe/\xe9\xe9\ufffd.jpg", "/pictures/été.jpg"} {
		source := api.Source{Path: path}
		e := entry.Entry{Upload: api.Upload{Source: source, FileName: source.Name()}}
		var written strings.Builder
		must(t, session.WriteManifest(&written, []session.ManifestEntry{session.ManifestOf(&e)}))
		entries, err := session.ReadManifest([]byte(written.String()))
		if err != nil || len(entries) != 1 {
			t.Fatalf("%s: %v", written.String(), err)
		}
		up, err := entries[0].Entry("/elsewhere", entry.Entry{})
		if err != nil || up.Source.Path != path {
			t.Errorf("%q is %q after a manifest: %v", path, up.Source.Path, err)
		}
	}
}

// TestManifestRoundTrip: writing and reading a manifest as JSON and as CSV keeps every value of an
// upload.
func TestManifestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := apitest.DrawEntry(t)
		e.Source, e.Naming = api.Source{Path: "/p/a.png"}, job.NameHere
		if e.FileName == "" {
			e.FileName = "a.png"
		}
		var asJSON, asCSV strings.Builder
		must(t, session.WriteManifest(&asJSON, []session.ManifestEntry{session.ManifestOf(&e)}))
		head, row := []string{"source"}, []string{e.Source.Path}
		for _, f := range entry.Fields {
			head, row = append(head, f.Key), append(row, f.Text(&e))
		}
		w := csv.NewWriter(&asCSV)
		must(t, w.WriteAll([][]string{head, row}))
		for _, text := range []string{asJSON.String(), asCSV.String()} {
			entries, err := session.ReadManifest([]byte(text))
			if err != nil || len(entries) != 1 {
				t.Fatalf("%v\n%s", err, text)
			}
			back, err := entries[0].Entry("/elsewhere", entry.Entry{})
			if err != nil || back.Source.Path != e.Source.Path {
				t.Fatalf("%v\n%s", err, text)
			}
			apitest.SameEntry(t, text, &back, &e)
		}
	})
}
