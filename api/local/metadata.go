package local

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"

	"mediadesk/api"
	"mediadesk/api/local/store"
	"mediadesk/api/media"
)

// fileMetadata is the part of a hosted service's file metadata that is known here.
type fileMetadata struct {
	Width           int                                   `json:"width,omitempty"` // pixels as stored
	Height          int                                   `json:"height,omitempty"`
	Size            int64                                 `json:"size"` // bytes
	Format          string                                `json:"format"`
	HasTransparency bool                                  `json:"hasTransparency"`
	Exif            map[string]map[string]json.RawMessage `json:"exif,omitempty"`
}

// metadata returns the metadata of a file's content, for a call of the official clients.
func (l *Library) metadata(r *http.Request) (any, error) {
	return l.metadataOf(r, func(tx store.Tx) (*store.File, error) { return tx.File(r.PathValue("fileId")) })
}

// metadataAt is metadata for the file at an address.
func (l *Library) metadataAt(r *http.Request) (any, error) {
	text := r.URL.Query().Get("url")
	at, err := url.Parse(text)
	if err == nil {
		base := at.Scheme + "://" + at.Host
		if !strings.EqualFold(base, l.Address()) && !strings.EqualFold(base, l.base(r)) {
			err = errNoPath
		}
	}
	if err != nil {
		return nil, badRequest("Your request contains invalid url parameter: "+quote(text)+".", "Send the address of a file of this library.")
	}
	folder, name := path.Split(at.Path)
	return l.metadataOf(r, func(tx store.Tx) (*store.File, error) { return tx.FileAt(folder, name) })
}

func (l *Library) metadataOf(r *http.Request, find func(store.Tx) (*store.File, error)) (any, error) {
	file, err := store.View(r.Context(), l.records, find)
	if err != nil {
		return nil, err
	}
	v := &file.Version
	content, err := l.openContent(r.Context(), v)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	_, format, _ := strings.Cut(v.Mime, "/")
	if v.Mime == "image/jpeg" {
		format = "jpg" // as the clients document it
	}
	m := fileMetadata{Size: v.Size, Format: format, HasTransparency: v.HasAlpha}
	if v.Kind == api.KindImage {
		m.Width, m.Height = v.Width, v.Height
		m.Exif = media.Exif(io.NewSectionReader(content, 0, v.Size), v.Mime)
	}
	return m, nil
}
