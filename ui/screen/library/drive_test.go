package library

import (
	"context"
	"fmt"
	"image"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/session"
	"mediadesk/ui/page"
	"mediadesk/ui/uitest"
)

func TestMain(m *testing.M) { uitest.VerifyTestMain(m) }

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

type driven struct {
	*uitest.Driver
	m   *Model
	now time.Time
}

func start(t testing.TB, o Options) *driven {
	t.Helper()
	return startIn(t, o, image.Pt(118, 32))
}

func startIn(t testing.TB, o Options, size image.Point) *driven {
	t.Helper()
	d := &driven{now: noon}
	if o.Now == nil {
		o.Now = func() time.Time { return d.now }
	}
	o.Context = t.Context()
	d.m = New(o)
	d.Driver = uitest.Drive(t, page.Library, d.m, size)
	return d
}

func (d *driven) rows() string { return strings.Join(d.Column("Name"), " ") }

// stub is a session that answers as a test decides. A nil function means that the session lacks it.
type stub struct {
	Session
	list     func(context.Context, api.Query) ([]api.File, error)
	seenIn   func(context.Context, string) ([]api.File, error)
	thumb    func(context.Context, api.File) (string, error)
	download func(context.Context, api.File, string, func(int64)) (string, error)
	fields   func(context.Context, string) ([]api.MetadataField, error)
}

func (s stub) MetadataFields(ctx context.Context, folder string) ([]api.MetadataField, error) {
	if s.fields == nil {
		return nil, errNone
	}
	return s.fields(ctx, folder)
}

var errNone = &api.ServiceError{Status: http.StatusNotImplemented, Message: "it does not list files"}

func (s stub) List(ctx context.Context, q api.Query) ([]api.File, error) {
	if s.list == nil {
		return nil, errNone
	}
	return s.list(ctx, q)
}

func (s stub) SeenIn(ctx context.Context, folder string) ([]api.File, error) {
	if s.seenIn == nil {
		return nil, errNone
	}
	return s.seenIn(ctx, folder)
}

func (s stub) Thumb(ctx context.Context, f api.File) (string, error) {
	if s.thumb == nil {
		return "", errNone
	}
	return s.thumb(ctx, f)
}

func (s stub) Download(ctx context.Context, f api.File, folder string, report func(int64)) (string, error) {
	return s.download(ctx, f, folder, report)
}

func (s stub) OtherProfiles() ([]string, error) { return nil, nil }

func (s stub) PlanTransfer(context.Context, string, string, []api.File,
	session.TransferOptions,
) (*session.Transfer, error) {
	return nil, errNone
}

func (s stub) Enqueue(context.Context, *session.Transfer) error { return errNone }

func (s stub) Undo(context.Context, string, session.Policy) ([]session.Edited, error) {
	return nil, nil
}

func (s stub) Redo(context.Context, string, session.Policy) ([]session.Edited, error) {
	return nil, nil
}

func (s stub) Tags(context.Context) ([]string, error) { return []string{"sea", "sunset"}, nil }
func (s stub) Folders(context.Context) ([]string, error) {
	return []string{"/summer/", "/winter/"}, nil
}

func (s stub) Signed(f api.File, _ time.Duration) (string, error) { return f.URL + "?ik-s=1", nil }

// shelf answers listings from folders in memory, page by page.
type shelf struct {
	mu      sync.Mutex
	folders map[string][]string   // names by folder
	files   map[string][]api.File // by folder, in the service's order
	asked   []api.Query
	err     error
}

func (s *shelf) list(_ context.Context, q api.Query) ([]api.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, q)
	if s.err != nil {
		return nil, s.err
	}
	var all []api.File
	if q.Type == api.TypeFolder {
		for _, name := range s.folders[q.Folder] {
			all = append(all, api.File{
				Type: api.TypeFolder, Name: name, FolderPath: strings.TrimRight(q.Folder, "/") + "/" + name,
				FolderID: "id " + name,
			})
		}
	} else {
		folder := q.Folder
		if _, below, found := strings.Cut(q.Search, `path : "`); found { // the preview of a folder
			folder, _, _ = strings.Cut(below, `"`)
		}
		all = s.files[folder]
	}
	return all[min(q.Skip, len(all)):min(q.Skip+q.Limit, len(all))], nil
}

func some(folder string, n int) []api.File {
	files := make([]api.File, n)
	for i := range files {
		name := fmt.Sprintf("f%05d.jpg", i)
		files[i] = api.File{
			FileID: folder + name, Type: api.TypeFile, Name: name, FilePath: folder + name, URL: "http://127.0.0.1:7843" + folder + name,
			FileType: api.KindImage, Mime: "image/jpeg", Size: api.Set(int64(1000 * (i + 1))),
		}
	}
	return files
}

func small() *shelf {
	files := some("/", 3)
	files[0].Tags = api.Set([]string{"sea", "beach"})
	files[1].CustomCoordinates, files[1].IsPrivateFile = api.Set("1,2,3,4"), api.Set(true)
	files[2].Name, files[2].Mime, files[2].FileType = "Notes.txt", "text/plain", api.KindNonImage
	return &shelf{
		folders: map[string][]string{"/": {"summer", "winter"}, "/summer/": {"day 1"}},
		files:   map[string][]api.File{"/": files, "/summer/": some("/summer/", 2)},
	}
}

var must = mediatest.Must
