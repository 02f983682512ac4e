package local

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"time"

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
		return failure.err
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
	if file.Version.Unpublished {
		if l.authenticate(r) != nil && !delivery.Signed(l.o.Key.Reveal(), r.URL, l.now()) {
			return errNoPath
		}
		cache = "private, no-cache"
	}
	if file.Private {
		cache = "private, no-cache"
		if (!requested.Named() || vector) && !delivery.Signed(l.o.Key.Reveal(), r.URL, l.now()) {
			return refuse(http.StatusUnauthorized, "This file is private: its address needs a signature.", "Sign the address with ik-t and ik-s, or use a named transformation.")
		}
	}
	h := w.Header()
	requested = l.deliveryHeaders(h, r, requested, cache)
	if file.Version.Kind != api.KindImage {
		requested = requested.Original()
	}
	changed := requested.Changes() && file.Version.Kind == api.KindImage && !vector
	if requested.Changes() && file.Version.Kind != api.KindImage {
		return badRequest("This file is not an image, so it cannot be transformed.", "Ask for the original.")
	}
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
		if err != nil {
			return pictureError(err)
		}
		if expected, instead := requested.Instead(mime, made.mime); instead {
			h.Set("X-Mediadesk-Format", made.mime+" instead of "+expected)
		}
		body, mime = bytes.NewReader(made.data), made.mime
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
	if errors.Is(err, store.ErrNotFound) {
		err = errNoPath
	}
	return file, err
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

func pictureError(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return errNoPath
	}
	if _, ok := errors.AsType[*delivery.CannotError](err); ok {
		return badRequest("No picture can be made of this file: "+err.Error()+".", "Ask for the original.")
	}
	return err
}

// picture is an encoded picture.
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
	content, err := l.openContent(ctx, &file.Version)
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

// contentType adds the character set to text, which is mostly UTF-8.
func contentType(mime string) string {
	if mime == "text/plain" {
		return "text/plain; charset=utf-8"
	}
	return mime
}

// redirectTime is how long an address of the store holds. Players go on reading from it.
const redirectTime = time.Hour

// openDirect finds out whether the store serves files itself, if it shall.
func (l *Library) openDirect() (err error) {
	if l.o.RedirectFrom <= 0 {
		return nil
	}
	direct, ok := l.contents.(store.Direct)
	if !ok {
		return errors.New("a folder cannot give files to clients itself: redirects need an s3:// storage")
	}
	if _, err := direct.Address(strings.Repeat("0", 2*sha256.Size), redirectTime, "", ""); err != nil {
		return fmt.Errorf("redirect to the storage %s: %w", l.o.ShownStorage(), err)
	}
	l.direct = direct
	return nil
}

// redirect answers with an address of the store, if that serves this file as requested.
func (l *Library) redirect(w http.ResponseWriter, r *http.Request, file *store.File, cache string) bool {
	span := min(redirectTime, delivery.Expires(r.URL).Sub(l.now()).Truncate(time.Second))
	if l.direct == nil || file.Version.Size < l.o.RedirectFrom || r.Method != http.MethodGet ||
		span <= 0 || !harmless(file.Version.Mime) {
		return false
	}
	// The store has other tags and times for its objects than the service.
	for _, condition := range []string{"If-Match", "If-Range", "If-Modified-Since", "If-Unmodified-Since"} {
		if r.Header.Get(condition) != "" {
			return false
		}
	}
	address, err := l.direct.Address(file.Version.Hash, span, contentType(file.Version.Mime), cache)
	if err != nil {
		return false // the usual way has the words for it
	}
	w.Header().Set("ETag", `"`+file.Version.Hash+`"`)
	w.Header().Set("Location", address)
	w.WriteHeader(http.StatusTemporaryRedirect)
	return true
}

// harmless reports whether browsers run nothing in such a file: the store cannot forbid it.
func harmless(mime string) bool {
	kind, _, _ := strings.Cut(mime, "/")
	return kind == "video" || kind == "audio" || kind == "image" && mime != "image/svg+xml"
}
