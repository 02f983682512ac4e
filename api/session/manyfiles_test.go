package session

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
)

// paths returns the paths of all files in the library.
func paths(t *testing.T, s *Session) string {
	t.Helper()
	files, err := s.List(t.Context(), api.Query{Search: rule.SearchBelow("/"), Sort: "ASC_NAME"})
	must(t, err)
	var list []string
	for i := range files {
		if !files[i].IsFolder() {
			list = append(list, files[i].FilePath)
		}
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func undo(t *testing.T, s *Session) {
	t.Helper()
	done, err := s.Undo(t.Context(), "", Fail)
	if err != nil || len(done) == 0 {
		t.Fatalf("undo: %+v %v", done, err)
	}
	for _, e := range done {
		must(t, e.Err)
	}
}

// TestFolderUndo: renaming or moving a folder can be undone and redone. Merging it into another folder
// cannot.
func TestFolderUndo(t *testing.T) {
	s, end := program(t, newLibrary(t), t.TempDir())
	defer end()
	want := func(list string) {
		t.Helper()
		mediatest.Equal(t, paths(t, s), list, "the library has")
	}
	uploadFile(t, s, "a.txt", api.Upload{Folder: api.Set("/x/")})
	uploadFile(t, s, "b.txt", api.Upload{Folder: api.Set("/x/y/")})
	_, err := s.RenameFolder(t.Context(), "/x/", "z")
	must(t, err)
	_, err = s.MoveFolder(t.Context(), "/z/", "/new/")
	must(t, err)
	want("/new/z/a.txt /new/z/y/b.txt")
	undo(t, s)
	undo(t, s)
	want("/x/a.txt /x/y/b.txt")
	if done, err := s.Redo(t.Context(), "", Fail); err != nil || len(done) != 1 ||
		done[0].File.FolderPath != "/z" {
		t.Fatalf("redo: %+v %v", done, err)
	}
	_, _, err = s.MakeFolder(t.Context(), "/x/")
	must(t, err)
	if _, err := s.Undo(t.Context(), "", Fail); err == nil || !strings.Contains(err.Error(), "exists again") {
		t.Errorf("undo over another folder: got error %v", err)
	}
	uploadFile(t, s, "c.txt", api.Upload{Folder: api.Set("/x/z/")})
	_, err = s.MoveFolder(t.Context(), "/z/", "/x/")
	must(t, err)
	want("/x/z/a.txt /x/z/c.txt /x/z/y/b.txt")
	if edits, err := s.Journal.NextEdits(t.Context(), "p", "", true); err != nil || len(edits) != 1 ||
		edits[0].Became != "/z/" {
		t.Errorf("undo has the edits %+v (%v), want none", edits, err)
	}
}

// TestManyFilesOneUndo: moving, renaming, tagging and restoring several files is one undo step each.
func TestManyFilesOneUndo(t *testing.T) {
	s, end := program(t, newLibrary(t), t.TempDir())
	defer end()
	files := []api.File{
		*uploadFile(t, s, "a.txt", api.Upload{Tags: api.Set([]string{"old"})}),
		*uploadFile(t, s, "b.txt", api.Upload{}),
	}
	calm := func(done []Edited) {
		t.Helper()
		for _, e := range done {
			must(t, e.Err)
			if e.File != nil {
				i := slices.IndexFunc(files, func(f api.File) bool { return f.FileID == e.FileID })
				files[i] = *e.File
			}
		}
	}
	reported := 0
	count := func(Edited) { reported++ }
	calm(s.MoveAll(t.Context(), files, "/in/", count))
	calm(s.RenameAll(t.Context(), files, []string{"1.txt", "2.txt"}, count))
	mediatest.Equal(t, paths(t, s), "/in/1.txt /in/2.txt", "the library has")
	// Undo works without the records in the journal.
	for i := range files {
		must(t, s.Journal.ForgetFile(t.Context(), "p", files[i].FileID))
	}
	calm(tagAll(t.Context(), s, files,
		func(have []string) []string { return append(slices.Clone(have), "new") }, count))
	checkFile(t, s, files[0].FileID, "old,new", "")
	checkFile(t, s, files[1].FileID, "new", "")
	mediatest.Equal(t, reported, 6, "reported results")
	calm(s.CopyAll(t.Context(), files, "/copy/", count))
	undo(t, s)
	checkFile(t, s, files[0].FileID, "old", "")
	checkFile(t, s, files[1].FileID, "", "")
	undo(t, s)
	undo(t, s)
	mediatest.Equal(t, paths(t, s), "/a.txt /b.txt /copy/1.txt /copy/2.txt", "the library has")
	// Versions.
	uploadFile(t, s, "a.txt", api.Upload{})
	done := s.RestoreAll(t.Context(), files, count)
	if done[0].Err != nil || !errors.Is(done[1].Err, errOneVersion) {
		t.Fatalf("restored %+v", done)
	}
}
