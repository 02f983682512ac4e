package details

import (
	"context"
	"errors"
	"image"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/page"
	"mediadesk/ui/uitest"
)

func TestMain(m *testing.M) { uitest.VerifyTestMain(m) }

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// driven is the screen with its driver and a clock.
type driven struct {
	*uitest.Driver
	m   *Model
	now time.Time
}

// save presses ctrl+s and answers the question, if there is one, with the choice.
func (d *driven) save(choice string) {
	d.T.Helper()
	d.Press("ctrl+s")
	if list := uitest.Taken[page.Ask](&d.Out); len(list) > 0 {
		d.Choose(list[0], choice)
	}
}

// regions returns the regions of all files including the unsaved changes.
func (d *driven) regions() string {
	var out []string
	for _, e := range d.m.Items {
		out = append(out, e.Region())
	}
	return strings.Join(out, " ")
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
	d.m.Form.Blur() // of several files the tags are being typed
	d.Driver = uitest.Drive(t, page.Details, d.m, size)
	return d
}

// record parses a record as a service returns it.
func record(t testing.TB, text string) api.File {
	t.Helper()
	var f api.File
	must(t, f.UnmarshalJSON([]byte(text)))
	return f
}

const photo = `{"fileId":"f1","type":"file","name":"beach.png","filePath":"/summer/beach.png",
 "url":"http://127.0.0.1:7843/summer/beach.png",
 "thumbnail":"http://127.0.0.1:7843/tr:n-ik_ml_thumbnail/summer/beach.png",
 "fileType":"image","mime":"image/png","width":300,"height":200,"size":123456,
 "hasAlpha":false,"tags":["sea","old"],
 "AITags":[{"name":"sand","confidence":93.4,"source":"google-auto-tagging"},
  {"name":"sea","confidence":71,"source":"aws-auto-tagging"}],
 "versionInfo":{"id":"f1","name":"Version 1"},"isPrivateFile":false,"customCoordinates":"10,20,100,50",
 "createdAt":"2026-04-01T10:00:00.000Z",
 "customMetadata":{"price":12,"shop":"harbour"},"embeddedMetadata":{"Model":"X100"},
 "extensionStatus":{"remove-bg":"pending"},"isPublished":true}`

// shelf is a service in memory for Read, Save and Undo.
type shelf struct {
	t       *testing.T
	files   map[string]api.File
	saved   []api.Details
	readErr error
	saveErr error

	client *api.Client // nil: use files
	Manager

	// These functions override the answers; if nil, the shelf answers or knows nothing.
	picture    func(context.Context, api.File) (string, error)
	known      func(context.Context) ([]string, error)
	fields     func(context.Context) ([]api.MetadataField, error)
	undo, redo func(context.Context, string, session.Policy) ([]session.Edited, error)
	saveSome   func(context.Context, []session.Change, func(session.Edited)) []session.Edited
	extend     func([]api.Extension) (*api.File, error)
}

var errNone = errors.New("there is none")

func (s *shelf) ExtendAll(_ context.Context, files []api.File, list []api.Extension,
	report func(session.Edited),
) []session.Edited {
	return s.each(len(files), report, func(i int) session.Edited {
		f, err := (*api.File)(nil), errNone
		if s.extend != nil {
			f, err = s.extend(list)
		}
		return session.Edited{FileID: files[i].FileID, File: f, Err: err}
	})
}

func (s *shelf) ReadAll(ctx context.Context, ids []string, told func(session.Edited)) []session.Edited {
	return s.readAll(ctx, ids, told)
}

func (s *shelf) ChangeAll(ctx context.Context, changes []session.Change,
	told func(session.Edited),
) []session.Edited {
	if s.saveSome != nil {
		return s.saveSome(ctx, changes, told)
	}
	return s.saveAll(ctx, changes, told)
}

func (s *shelf) Picture(ctx context.Context, f api.File) (string, error) {
	if s.picture == nil {
		return "", errNone
	}
	return s.picture(ctx, f)
}

func (s *shelf) Thumb(ctx context.Context, f api.File) (string, error) { return s.Picture(ctx, f) }

func (s *shelf) Tags(ctx context.Context) ([]string, error) {
	if s.known == nil {
		return nil, nil
	}
	return s.known(ctx)
}

func (s *shelf) Folders(context.Context) ([]string, error) { return nil, nil }

func (s *shelf) MetadataFields(ctx context.Context, _ string) ([]api.MetadataField, error) {
	if s.fields == nil {
		return nil, errNone
	}
	return s.fields(ctx)
}

func (s *shelf) Undo(ctx context.Context, id string, policy session.Policy) ([]session.Edited, error) {
	if s.undo == nil {
		return nil, nil
	}
	return s.undo(ctx, id, policy)
}

func (s *shelf) Redo(ctx context.Context, id string, policy session.Policy) ([]session.Edited, error) {
	if s.redo == nil {
		return nil, nil
	}
	return s.redo(ctx, id, policy)
}

// unmanaged is a service that cannot manage files.
type unmanaged struct{ Manager }

// Manager is the part of a session that works on whole files.
type Manager interface {
	edit.Manager
	edit.Signer
}

func (unmanaged) Versions(context.Context, string) ([]api.File, error) {
	return nil, &api.ServiceError{Status: 404, Message: "no"}
}

func (unmanaged) Signed(api.File, time.Duration) (string, error) { return "", errNone }

func newShelf(t *testing.T, files ...api.File) *shelf {
	s := &shelf{t: t, files: map[string]api.File{}, Manager: unmanaged{}}
	for _, f := range files {
		s.files[f.FileID] = f
	}
	return s
}

func (s *shelf) read(ctx context.Context, id string) (*api.File, error) {
	if s.client != nil {
		return s.client.Details(ctx, id)
	}
	f, ok := s.files[id]
	if s.readErr != nil || !ok {
		return nil, errors.Join(s.readErr)
	}
	return &f, nil
}

// save applies an update by the rules of the specification.
func (s *shelf) save(ctx context.Context, id string, d api.Details) (*api.File, error) {
	if s.client != nil {
		return s.client.Record(ctx, api.ChangeDetails(id, d))
	}
	s.saved = append(s.saved, d)
	if s.saveErr != nil {
		return nil, s.saveErr
	}
	f := s.files[id]
	f.Raw = nil
	if !d.Tags.IsZero() {
		f.Tags = d.Tags
	}
	if !d.CustomCoordinates.IsZero() {
		f.CustomCoordinates = d.CustomCoordinates
	}
	if d.Other != nil {
		f.Other = d.Other
	}
	s.files[id] = f
	// The answer to an update has fewer fields than the record.
	fewer := api.File{FileID: f.FileID, Name: f.Name, Tags: f.Tags, CustomCoordinates: f.CustomCoordinates}
	return &fewer, nil
}

// each applies do to several files, one after the other.
func (s *shelf) each(n int, told func(session.Edited), do func(i int) session.Edited) []session.Edited {
	var out []session.Edited
	for i := range n {
		e := do(i)
		out = append(out, e)
		if told != nil {
			told(e)
		}
	}
	return out
}

func (s *shelf) readAll(ctx context.Context, ids []string, told func(session.Edited)) []session.Edited {
	return s.each(len(ids), told, func(i int) session.Edited {
		f, err := s.read(ctx, ids[i])
		if err == nil && f == nil {
			err = api.ErrNoRecord
		}
		return session.Edited{FileID: ids[i], File: f, Err: err}
	})
}

func (s *shelf) saveAll(ctx context.Context, changes []session.Change,
	told func(session.Edited),
) []session.Edited {
	return s.each(len(changes), told, func(i int) session.Edited {
		f, err := s.save(ctx, changes[i].FileID, changes[i].Details)
		return session.Edited{FileID: changes[i].FileID, File: f, Err: err}
	})
}

// again is an undo that leaves the file as it is.
func (s *shelf) again(ctx context.Context, id string, _ session.Policy) ([]session.Edited, error) {
	return s.readAll(ctx, []string{id}, nil), nil
}

func (s *shelf) options(files ...api.File) Options {
	return Options{Files: files, Session: s, Profile: session.Profile{Name: "here", Local: true}}
}

// pngFile writes a picture and returns its path.
func pngFile(t testing.TB, w, h int) string {
	t.Helper()
	return mediatest.PNGFile(t, "p.png", mediatest.Gradient(w, h))
}

var must = mediatest.Must
