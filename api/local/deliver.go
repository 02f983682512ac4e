package local

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"path"
	"strings"

	"mediadesk/api"
	"mediadesk/api/local/delivery"
	"mediadesk/api/local/store"
)

const versionParameter = "ik-obj-version"

var errNoPath = refuse(http.StatusNotFound, "No file at this address.", "Check the path.")

func (l *Library) deliver(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		return refuse(http.StatusMethodNotAllowed, "Stored files are read-only at this address.", "Upload with POST to /api/v1/files/upload.")
	}
	requested, err := delivery.Parse(r.URL, func(name string) (string, error) {
		return l.transformation(r.Context(), name)
	}, l.o.Lenient)
	if failure := (*storeError)(nil); errors.As(err, &failure) {
		return err
	} else if err != nil {
		return badRequest("Unknown transformation: "+err.Error()+".", "The local library supports w, h, ar, dpr, c, cm, bg, fo-custom, fo-auto, fo-face, q, f, rt, fl, bl, r, b, o, t, e-grayscale, e-sharpen, orig-true, n-ik_ml_thumbnail and named transformations. With serve --lenient, others are left out.")
	}
	file, err := l.deliveredFile(r, requested.Path)
	if err != nil {
		return err
	}
	// Vector pictures are always served unchanged.
	vector := file.Version.Mime == "image/svg+xml"
	cache := "public, no-cache"
	if file.Version.Unpublished || file.Private {
		cache = "private, no-cache"
		signed := delivery.Signed(l.o.Key.Reveal(), r.URL, l.now())
		switch {
		case file.Version.Unpublished && !signed && l.authenticate(r) != nil:
			return errNoPath
		case file.Private && !signed && (!requested.Named() || vector):
			return refuse(http.StatusUnauthorized, "This file is private: its address needs a signature.", "Sign the address with ik-t and ik-s, or use a named transformation.")
		}
	}
	h := w.Header()
	requested = l.deliveryHeaders(h, r, requested, cache)
	if file.Version.Kind != api.KindImage {
		if requested = requested.Original(); requested.Changes() {
			return badRequest("This file is not an image, so it cannot be transformed.", "Ask for the original.")
		}
	}
	changed := requested.Changes() && !vector
	mime, tag := file.Version.Mime, file.Version.Hash
	if changed {
		tag += "-" + requested.Tag(file.Region)
	}
	if r.Header.Get("If-None-Match") == `"`+tag+`"` {
		h.Set("ETag", `"`+tag+`"`)
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	var body io.ReadSeeker
	if changed {
		made, err := l.makePicture(r.Context(), file, requested)
		if cannot, ok := errors.AsType[*delivery.CannotError](err); ok {
			return badRequest("No picture can be made of this file: "+cannot.Error()+".", "Ask for the original.")
		}
		if err != nil {
			return err
		}
		body, mime = bytes.NewReader(made.data), made.mime
	} else {
		content, err := l.openContent(&file.Version)
		if err != nil {
			return err
		}
		defer content.Close()
		body = content
	}
	h.Set("ETag", `"`+tag+`"`)
	if mime == "text/plain" {
		mime += "; charset=utf-8" // most of them are
	}
	h.Set("Content-Type", mime)
	// Updated, since a restored version is older than the file.
	http.ServeContent(w, r, "", file.Updated, body)
	return nil
}

func (l *Library) deliveredFile(r *http.Request, at string) (*store.File, error) {
	folder, name := path.Split(at)
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
	return file, store.Replaced(err, store.ErrNotFound, errNoPath)
}

// deliveryHeaders sets headers and returns what is asked for with what the client's headers say.
func (l *Library) deliveryHeaders(h http.Header, r *http.Request, requested delivery.Request,
	cache string,
) delivery.Request {
	// All versions have the same address, so caches must revalidate.
	h.Set("Cache-Control", cache)
	// Scripts in stored pages and vector pictures must not run.
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "same-site")
	if l.o.Emulator {
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	}

	if len(requested.Ignored) > 0 {
		h.Set("X-Mediadesk-Ignored", strings.Join(requested.Ignored, " "))
		for _, member := range requested.Ignored {
			kind, _, _ := strings.Cut(member, "-")
			if _, known := l.ignored.LoadOrStore(kind, true); !known {
				l.log.Warn("a transformation is unknown here and left out", "kind", kind, "example", member)
			}
		}
	}
	return requested.For(r.Header, h)
}

type picture struct {
	data []byte
	mime string
}

const cacheSize = 48 << 20 // bytes of the pictures used last

// makePicture makes a picture of a file, or returns it from the cache.
func (l *Library) makePicture(ctx context.Context, file *store.File,
	requested delivery.Request,
) (made picture, err error) {
	key := file.Version.Hash + "-" + requested.Tag(file.Region)
	if made, ok := l.pictures.Get(key); ok {
		return made, nil
	}
	content, err := l.openContent(&file.Version)
	if err != nil {
		return made, err
	}
	defer content.Close()
	reads := &noted{ReaderAt: content}
	made.data, made.mime, err = delivery.Make(ctx, io.NewSectionReader(reads, 0, file.Version.Size),
		file.Version.Mime, requested, file.Region)
	if err = reads.or(err); err == nil && len(made.data) <= cacheSize/4 {
		l.pictures.Put(key, made, int64(len(made.data)))
	}
	return made, err
}
