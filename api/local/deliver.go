package local

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"path"

	"mediadesk/api"
	"mediadesk/api/local/delivery"
	"mediadesk/api/local/store"
)

// versionParameter asks for a version of a file by its id.
const versionParameter = "ik-obj-version"

var errNoPath = refuse(http.StatusNotFound, "There is no file at this address.", "Check the path.")

// deliver serves a stored file: the original, or a picture made of it.
func (l *Library) deliver(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		return refuse(http.StatusMethodNotAllowed, "Stored files are read-only at this address.", "Upload with POST to /api/v1/files/upload.")
	}
	asked, err := delivery.Parse(r.URL, l.named)
	if err != nil {
		return badRequest("This transformation is not known: "+err.Error()+".", "The local library knows w-, h-, fo-custom, orig-true, n-ik_ml_thumbnail and the named transformations of its settings.")
	}
	folder, name := path.Split(asked.Path)
	file, err := store.View(r.Context(), l.records, func(tx store.Tx) (*store.File, error) {
		file, err := tx.FileAt(folder, name)
		id := r.URL.Query().Get(versionParameter)
		if err != nil || id == "" || id == file.Version.ID {
			return file, err
		}
		file, version, err := findVersion(tx, file.ID, id)
		if err != nil {
			return nil, err
		}
		return withVersion(*file, version), nil
	})
	if errors.Is(err, store.ErrNotFound) {
		return errNoPath
	}
	if err != nil {
		return err
	}
	// Vector pictures are always served unchanged.
	vector := file.Version.Mime == "image/svg+xml"
	cache := "public, no-cache"
	if file.Private {
		cache = "private, no-cache"
		if (!asked.Named() || vector) && !delivery.Signed(l.o.Key.Reveal(), r.URL, l.now()) {
			return refuse(http.StatusUnauthorized, "This file is private: its address needs a signature.", "Sign the address with ik-t and ik-s, or use a named transformation.")
		}
	}
	content, err := l.openContent(r.Context(), &file.Version)
	if errors.Is(err, store.ErrNotFound) {
		return errNoPath
	}
	if err != nil {
		return err
	}
	defer content.Close()

	h := w.Header()
	// A new version has the same address, so caches must revalidate; the ETag
	// makes that cheap.
	h.Set("Cache-Control", cache)
	// Stored files are shown, not run: scripts in pages and vector pictures do
	// nothing.
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "same-site")
	if l.o.Emulator {
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	}

	var body io.ReadSeeker = content
	mime, tag := file.Version.Mime, file.Version.Hash
	if asked.Changes() && file.Version.Kind == api.KindImage && !vector {
		tag += "-" + asked.Tag(file.Region)
		if r.Header.Get("If-None-Match") == `"`+tag+`"` {
			h.Set("ETag", `"`+tag+`"`)
			w.WriteHeader(http.StatusNotModified) // without making the picture
			return nil
		}
		picture, kind, err := l.pictures.Get(r.Context(), tag, func(ctx context.Context) ([]byte, string, error) {
			return delivery.Make(ctx, io.NewSectionReader(content, 0, file.Version.Size), asked, file.Region)
		})
		if err != nil {
			return l.makingError(err)
		}
		body, mime = bytes.NewReader(picture), kind
	} else if asked.Changes() && file.Version.Kind != api.KindImage {
		return badRequest("This file is not an image, so it cannot be transformed.", "Ask for the original.")
	}
	h.Set("ETag", `"`+tag+`"`)
	h.Set("Content-Type", contentType(mime))
	// The time of the file, since a restored version is older.
	serveContent(w, r, file.Updated, body)
	return nil
}

// makingError turns the error of a picture that cannot be processed into an answer.
func (l *Library) makingError(err error) error {
	var cannot *delivery.CannotError
	if errors.As(err, &cannot) {
		return badRequest("No picture can be made of this file: "+err.Error()+".", "Ask for the original.")
	}
	return err
}

// contentType adds the character set to text, which is kept as it came and
// mostly is UTF-8.
func contentType(mime string) string {
	if mime == "text/plain" {
		return "text/plain; charset=utf-8"
	}
	return mime
}
