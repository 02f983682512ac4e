package session

import (
	"context"
	"fmt"
	"testing"

	"mediadesk/api"
	"mediadesk/api/local"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
)

// TestManyFilesAtALimitedService: changes to many files and calls about them respect the limits of
// the service.
func TestManyFilesAtALimitedService(t *testing.T) {
	fault, err := local.ParseFault([]string{"rate=60/s"})
	must(t, err)
	server, err := local.Serve(context.Background(), "127.0.0.1:0",
		local.Options{Dir: t.TempDir(), Key: testKey("private_edits"), Fault: fault})
	must(t, err)
	t.Cleanup(func() { server.Close() })
	s, end := program(t, server.Address, t.TempDir())
	defer end()

	const n = 20
	files := make([]api.File, n)
	changes, tags := make([]Change, n), make([]Change, n)
	for i := range files {
		f := uploadFile(t, s, fmt.Sprintf("f%d.txt", i), api.Upload{Tags: api.Set([]string{"old"})})
		files[i] = *f
		changes[i] = Change{
			FileID: f.FileID, Details: api.Details{Other: api.Members{"description": []byte(`"d"`)}},
		}
		tags[i] = Change{FileID: f.FileID, Details: api.Details{Tags: api.Set([]string{"old", "new"})}}
	}
	check := func(what string, done []Edited) {
		t.Helper()
		for _, e := range done {
			if e.Err != nil {
				t.Fatalf("%s: %v", what, e.Err)
			}
		}
	}
	check("descriptions", s.ChangeAll(t.Context(), changes, nil))
	done := s.ChangeAll(t.Context(), tags, nil)
	check("tags", done)
	for _, e := range done {
		mediatest.Equal(t, rule.JoinTags(e.File.Tags.Or(nil)), "old,new", "the tags of a record")
	}
	undone, err := s.Undo(t.Context(), files[3].FileID, Fail)
	if err != nil || len(undone) != n {
		t.Fatalf("%d undone, %v, want %v", len(undone), err, n)
	}
	check("undo", undone)
	checkFile(t, s, files[3].FileID, "old", "")
	// A deleted file does not prevent changes to the others.
	must(t, s.Client.Do(t.Context(), api.DeleteFile(files[0].FileID), nil))
	list := s.ChangeAll(t.Context(), tags, nil)
	mediatest.Equal(t, list[0].Err == nil, false, "changing a deleted file succeeds")
	check("the others", list[1:])
	check("deletion", s.DeleteAll(t.Context(), files[1:], nil))
	if left, err := s.Client.List(t.Context(), api.Query{}); err != nil || len(left) > 0 {
		t.Errorf("got %d files, %v", len(left), err)
	}
}
