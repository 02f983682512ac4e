package entry_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/media/mediatest"
)

// TestHostedFacts: facts that only hosted services return have names. Values of another type are shown
// as they are.
func TestHostedFacts(t *testing.T) {
	for text, want := range map[string]string{
		`{"fileId":"f","isPublished":false,"bitRate":1200,"duration":2.5,"audioCodec":"aac","videoCodec":"h264","strange":1}`:   "[{ Published no} { Duration 2.5 s} { Bit rate 1200 kbps} { Video codec h264} { Audio codec aac}]",
		`{"fileId":"f","metadata":{"height":9,"format":"jpg"},"isPublished":null}`:                                              "[{metadata format jpg} {metadata height 9}]",
		`{"fileId":"f","metadata":"none","duration":"long","isPublished":"soon"}`:                                               "[{ Published soon} { Duration long} { Metadata none}]",
		`{"fileId":"f","selectedFieldsSchema":{"price":{"type":"Number","minValue":1,"isValueRequired":true,"readOnly":true}}}`: `[{field price {"type":"Number","minValue":1,"isValueRequired":true,"readOnly":true}}]`,
		`{"fileId":"f","checks":"\"file.size\" < 9"}`:                                                                           `[{ Condition "file.size" < 9}]`,
	} {
		var f api.File
		mediatest.Must(t, json.Unmarshal([]byte(text), &f))
		mediatest.Equal(t, fmt.Sprint(entry.HostedFacts(&f)), want, "%s", text)
	}
	if facts := entry.HostedFacts(new(api.File)); facts != nil {
		t.Errorf("no record has %v", facts)
	}
}

// TestOtherFacts: members that nobody knows are shown by name and as they came.
func TestOtherFacts(t *testing.T) {
	var f api.File
	mediatest.Must(t, json.Unmarshal([]byte(`{"fileId":"f","tags":["a"],"isPublished":true,"duration":2,"selectedFieldsSchema":{},"z":"new","a":{"b":[1,2]}}`), &f))
	if got, want := fmt.Sprint(entry.OtherFacts(&f)), `[{other a {"b":[1,2]}} {other z new}]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if facts := entry.OtherFacts(new(api.File)); facts != nil {
		t.Errorf("no record has %v", facts)
	}
}
