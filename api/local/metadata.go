package local

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"

	"mediadesk/api"
	"mediadesk/api/local/store"
	"mediadesk/api/media"
)

// fileMetadata is what hosted services tell of the bytes of a file, as far as
// it is known here.
type fileMetadata struct {
	Width           int                                   `json:"width,omitempty"` // pixels as stored
	Height          int                                   `json:"height,omitempty"`
	Size            int64                                 `json:"size"` // bytes
	Format          string                                `json:"format"`
	HasTransparency bool                                  `json:"hasTransparency"`
	Exif            map[string]map[string]json.RawMessage `json:"exif,omitempty"`
}

// metadata tells what is in the bytes of a file. The official clients of hosted
// services have a call for it.
func (l *Library) metadata(w http.ResponseWriter, r *http.Request) error {
	id, err := fileID(r)
	if err != nil {
		return err
	}
	return l.tellMetadata(w, r, func(tx store.Tx) (*store.File, error) { return tx.File(id) })
}

// metadataAt is metadata of the file that an address leads to, which is one of
// this library.
func (l *Library) metadataAt(w http.ResponseWriter, r *http.Request) error {
	text := r.URL.Query().Get("url")
	at, err := url.Parse(text)
	if text == "" || err != nil || !strings.EqualFold(at.Scheme+"://"+at.Host, l.Address()) {
		return badRequest("Your request contains invalid url parameter: "+quote(text)+".", "Send the address of a file of this library.")
	}
	folder, name := path.Split(at.Path)
	return l.tellMetadata(w, r, func(tx store.Tx) (*store.File, error) { return tx.FileAt(folder, name) })
}

func (l *Library) tellMetadata(w http.ResponseWriter, r *http.Request, find func(store.Tx) (*store.File, error)) error {
	var v store.Version
	err := l.records.View(r.Context(), func(tx store.Tx) error {
		file, err := find(tx)
		if err == nil {
			v = file.Version
		}
		return err
	})
	if err != nil {
		return notFound(err)
	}
	content, err := l.openContent(r.Context(), &v)
	if errors.Is(err, errDeleted) {
		return errNoFile
	}
	if err != nil {
		return err
	}
	defer content.Close()
	_, format, _ := strings.Cut(v.Mime, "/")
	if v.Mime == "image/jpeg" {
		format = "jpg" // as the clients' documents have it
	}
	m := fileMetadata{Size: v.Size, Format: format, HasTransparency: v.HasAlpha}
	if v.Kind == api.KindImage {
		m.Width, m.Height = v.Width, v.Height
		m.Exif = media.Exif(io.NewSectionReader(content, 0, v.Size), v.Mime)
	}
	writeJSON(w, http.StatusOK, m)
	return nil
}
