package api

import (
	"encoding/json"
	"testing"
)

// TestEmptyMetadataIsWritten: a record with requested but empty metadata keeps that, because an
// empty value differs from a missing one (service.md §4.1, responseFields).
func TestEmptyMetadataIsWritten(t *testing.T) {
	none := map[string]json.RawMessage{}
	for want, f := range map[string]File{
		`{}`:                      {},
		`{"customMetadata":{}}`:   {CustomMetadata: none},
		`{"embeddedMetadata":{}}`: {EmbeddedMetadata: none},
	} {
		text, err := json.Marshal(f)
		if err != nil || string(text) != want {
			t.Errorf("wrote %s, %v, want %s", text, err, want)
		}
		var read File
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		if (read.CustomMetadata == nil) != (f.CustomMetadata == nil) || (read.EmbeddedMetadata == nil) != (f.EmbeddedMetadata == nil) {
			t.Errorf("%s is read as %+v", text, read)
		}
	}
}
