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

// versionParameter selects a version of a file by its id.
const versionParameter = "ik-obj-version"

var errNoPath = refuse(http.StatusNotFound, "No file at this address.", "Check the path.")

// deliver serves a stored file: the original or a transformed picture.
func (l *Library) deliver(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		return refuse(http.StatusMethodNotAllowed, "Stored files are read-only at this address.", "Upload with POST to /api/v1/files/upload.")
	}
	asked, err := delivery.Parse(r.URL, func(name string) (string, error) { return l.transformation(r.Context(), name) })
	if own := (*storeError)(nil); errors.As(err, &own) {
		return own.err
	}
	if err != nil {
		return badRequest("Unknown transformation: "+err.Error()+".", "The local library supports w, h, ar, dpr, c, cm, bg, fo-custom, q, f, rt, bl, r, e-grayscale, orig-true, n-ik_ml_thumbnail and named transformations.")
	}
	folder, name := path.Split(asked.Path)
	file, err := store.View(r.Context(), l.records, func(tx store.Tx) (*store.File, error) {
		file, err := tx.Files.At(folder, name)
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
	if file.Version.Unpublished {
		if l.authenticate(r) != nil && !delivery.Signed(l.o.Key.Reveal(), r.URL, l.now()) {
			return errNoPath
		}
		cache = "private, no-cache"
	}
	if file.Private {
		cache = "private, no-cache"
		if (!asked.Named() || vector) && !delivery.Signed(l.o.Key.Reveal(), r.URL, l.now()) {
			return refuse(http.StatusUnauthorized, "This file is private: its address needs a signature.", "Sign the address with ik-t and ik-s, or use a named transformation.")
		}
	}
	h := w.Header()
	// All versions have the same address, so caches must revalidate.
	h.Set("Cache-Control", cache)
	// Scripts in stored pages and vector pictures must not run.
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "same-site")
	if l.o.Emulator {
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	}

	if asked.Automatic() {
		h.Add("Vary", "Accept")
		asked = asked.Accept(r.Header.Get("Accept"))
	}
	if file.Version.Kind != api.KindImage {
		asked = asked.Original()
	}
	changed := asked.Changes() && file.Version.Kind == api.KindImage && !vector
	if asked.Changes() && file.Version.Kind != api.KindImage {
		return badRequest("This file is not an image, so it cannot be transformed.", "Ask for the original.")
	}
	mime, tag := file.Version.Mime, file.Version.Hash
	if changed {
		tag += "-" + asked.Tag(file.Region)
	}
	if r.Header.Get("If-None-Match") == `"`+tag+`"` {
		h.Set("ETag", `"`+tag+`"`)
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	var body io.ReadSeeker
	if changed {
		picture, kind, err := l.pictures.Get(r.Context(), tag, func(ctx context.Context) ([]byte, string, error) {
			return l.makePicture(ctx, file, asked)
		})
		if errors.Is(err, store.ErrNotFound) {
			return errNoPath
		}
		if _, ok := errors.AsType[*delivery.CannotError](err); ok {
			return badRequest("No picture can be made of this file: "+err.Error()+".", "Ask for the original.")
		}
		if err != nil {
			return err
		}
		if wanted, instead := asked.Instead(mime, kind); instead {
			h.Set("X-Mediadesk-Format", kind+" instead of "+wanted)
		}
		body, mime = bytes.NewReader(picture), kind
	} else {
		if l.redirect(w, r, file, cache) {
			return nil
		}
		content, err := l.openContent(r.Context(), &file.Version)
		if errors.Is(err, store.ErrNotFound) {
			return errNoPath
		}
		if err != nil {
			return err
		}
		defer content.Close()
		body = content
	}
	h.Set("ETag", `"`+tag+`"`)
	h.Set("Content-Type", contentType(mime))
	// Updated, since a restored version is older than the file.
	http.ServeContent(&refusingWriter{ResponseWriter: w}, r, "", file.Updated, body)
	return nil
}

// makePicture makes a picture of a file.
func (l *Library) makePicture(ctx context.Context, file *store.File, asked delivery.Asked) ([]byte, string, error) {
	content, err := l.openContent(ctx, &file.Version)
	if err != nil {
		return nil, "", err
	}
	defer content.Close()
	reads := &noted{ReaderAt: content}
	picture, mime, err := delivery.Make(ctx, io.NewSectionReader(reads, 0, file.Version.Size), file.Version.Mime, asked, file.Region)
	return picture, mime, reads.or(err)
}

// contentType adds the character set to text, which is mostly UTF-8.
func contentType(mime string) string {
	if mime == "text/plain" {
		return "text/plain; charset=utf-8"
	}
	return mime
}
