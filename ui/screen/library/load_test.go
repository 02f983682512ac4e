package library

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
)

// TestListingEnds: reading ends even if a service ignores skip or limit.
func TestListingEnds(t *testing.T) {
	for _, all := range []bool{false, true} {
		calls := 0
		list := func(_ context.Context, q api.Query) ([]api.File, error) {
			if calls++; calls > 10 {
				return nil, errors.New("too many calls")
			}
			if q.Type == api.TypeFolder {
				return nil, nil
			}
			n := q.Limit
			if all {
				n = 2 * pageSize
			}
			files := make([]api.File, n)
			for i := range files {
				files[i] = api.File{Type: api.TypeFile, FileID: fmt.Sprint("id", i)}
			}
			return files, nil
		}
		l := listing{folder: "/"}
		var err error
		for err == nil && !l.done {
			err = l.fill(t.Context(), list, l.len()+pageSize)
		}
		if all && (err != nil || len(l.files) != 2*pageSize) ||
			!all && (!errors.Is(err, api.ErrSamePage) || len(l.files) != pageSize) {
			t.Errorf("all at once %v: %d files in %d calls, %v", all, len(l.files), calls, err)
		}
	}
}

// TestListingOfAllTypes: if a service ignores the type and returns files with the folders, the screen
// shows them all.
func TestListingOfAllTypes(t *testing.T) {
	list := func(context.Context, api.Query) ([]api.File, error) {
		folder := api.File{Type: api.TypeFolder, Name: "a"}
		return []api.File{folder, {Type: api.TypeFile, FileID: "b", Name: "b"}}, nil
	}
	d := start(t, Options{Session: stub{list: list}})
	mediatest.Equal(t, d.rows(), "a/ b", "shows")
}
