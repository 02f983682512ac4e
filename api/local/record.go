package local

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/local/delivery"
	"mediadesk/api/local/store"
)

// record returns the record of a file (service.md §2.1) without the fields returned on request
// only. details selects the name of the thumbnail field (§4.1 or §4.2).
func (l *Library) record(f *store.File, details bool) *api.File {
	v := &f.Version
	r := &api.File{
		FileID: f.ID, Type: api.TypeFile, Name: f.Name, FilePath: f.Path(), URL: l.fileURL(f.Path()),
		FileType: v.Kind, Mime: v.Mime, Size: api.Set(v.Size), HasAlpha: api.Set(v.HasAlpha),
		Tags: orNull(f.Tags, len(f.Tags)), AITags: orNull(f.AITags, len(f.AITags)),
		CustomCoordinates: orNull(f.Region, len(f.Region)), IsPrivateFile: api.Set(f.Private),
		VersionInfo: &api.VersionInfo{ID: v.ID, Name: fmt.Sprint("Version ", v.Number)}, Other: texts(f),
		CreatedAt: timeText(f.Created), UpdatedAt: timeText(f.Updated),
	}
	if v.Kind != api.KindImage {
		return r
	}
	if v.Width > 0 && v.Height > 0 {
		r.Width, r.Height = api.Set(v.Width), api.Set(v.Height)
	}
	thumbnail := l.Address() + "/" + delivery.ThumbnailStep + escapePath(f.Path())
	if details {
		r.Thumbnail = thumbnail
	} else {
		r.ThumbnailURL = thumbnail
	}
	return r
}

func orNull[T any](v T, length int) api.Field[T] {
	if length == 0 {
		return api.Null[T]()
	}
	return api.Set(v)
}

// fullRecord returns the record with custom metadata, as details and lists do.
func (l *Library) fullRecord(f *store.File) *api.File {
	r := l.record(f, true)
	withMetadata(r, f)
	r.IsPublished = api.Set(!f.Version.Unpublished)
	return r
}

// withMetadata adds the custom metadata, or an empty object.
func withMetadata(r *api.File, f *store.File) {
	r.CustomMetadata = f.Metadata
	if r.CustomMetadata == nil {
		r.CustomMetadata = map[string]json.RawMessage{}
	}
}

// folderRecord returns the record of a folder.
func folderRecord(f *store.Folder) *api.File {
	return &api.File{
		Type: api.TypeFolder, FolderID: f.ID, Name: f.Name, FolderPath: strings.TrimSuffix(f.Path, "/"),
		CreatedAt: timeText(f.Created), UpdatedAt: timeText(f.Updated),
	}
}

// fileURL returns the address of a file. Paths that begin like those of operations (/v1/, /v2/,
// /api/) get an empty transformation step in front.
func (l *Library) fileURL(path string) string {
	step := ""
	if isAPI(path) {
		step = "/" + delivery.OriginalStep
	}
	return l.Address() + step + escapePath(path)
}

func escapePath(path string) string { return (&url.URL{Path: path}).EscapedPath() }

func timeText(t time.Time) string { return t.UTC().Format(api.TimeLayout) }
