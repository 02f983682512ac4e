package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"mediadesk/api"
	"mediadesk/api/atomicfile"
)

// maxPicture is how much is fetched to show a picture, in bytes.
const maxPicture = 64 << 20

// Picture returns the path of a local file with the stored picture: the file that
// was sent, if it is unchanged, else a copy that is fetched once per version.
func (s *Session) Picture(ctx context.Context, f api.File) (string, error) {
	if source := s.sameSource(ctx, f); source != "" {
		return source, nil
	}
	return s.cached(f, f.URL, func() (io.ReadCloser, error) {
		body, _, err := s.fetchFrom(ctx, f, 0, maxPicture)
		return body, err
	})
}

// cached is the path in the cache of what an address delivers for a version of a
// file; it is fetched once.
func (s *Session) cached(f api.File, address string, fetch func() (io.ReadCloser, error)) (string, error) {
	version := f.FileID
	if f.VersionInfo != nil {
		version += f.VersionInfo.ID
	}
	sum := sha256.Sum256([]byte(s.Profile.Name + "\x00" + address + "\x00" + version))
	name := filepath.Join(s.Cache, "pictures", hex.EncodeToString(sum[:16]))
	if _, err := os.Stat(name); err == nil {
		return name, nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return "", err
	}
	body, err := fetch()
	if err != nil {
		return "", fmt.Errorf("the picture cannot be fetched: %w", err)
	}
	defer body.Close()
	err = atomicfile.Write(name, 0o600, func(w io.Writer) error {
		_, err := io.Copy(w, body)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("the picture cannot be fetched: %w", err)
	}
	return name, nil
}

// maxThumb is how much is fetched for a thumbnail, in bytes.
const maxThumb = 8 << 20

// Thumb returns the path of a local file with a thumbnail of the stored picture,
// fetched once per version; the picture itself where the service makes none.
func (s *Session) Thumb(ctx context.Context, f api.File) (string, error) {
	small := f.ThumbURL()
	if small == "" {
		return s.Picture(ctx, f)
	}
	return s.cached(f, "thumb\x00"+small, func() (io.ReadCloser, error) { return s.Client.Fetch(ctx, small, maxThumb) })
}

// sameSource is the path of the local file that was sent, if it is unchanged and
// the stored file is still what was sent; else empty.
func (s *Session) sameSource(ctx context.Context, f api.File) string {
	if f.VersionInfo == nil || f.VersionInfo.ID != f.FileID {
		return "" // another version, or not known
	}
	job, ok, err := s.Journal.SentAs(ctx, s.Profile.Name, f.FileID)
	if err != nil || !ok || job.Upload.Source.Path == "" {
		return ""
	}
	now, err := api.Identify(job.Upload.Source.Path)
	if err != nil || !now.Same(job.Identity) || now.Size != f.Size.Or(now.Size) {
		return ""
	}
	// The answer to this upload must be about the same version.
	if v := job.File.VersionInfo; v == nil || v.ID != f.VersionInfo.ID {
		return ""
	}
	return job.Upload.Source.Path
}

// signedFor is how long an address is valid that is fetched at once.
const signedFor = 10 * time.Minute

// Signed is an address at which anybody can fetch a private file for so long.
func (s *Session) Signed(f api.File, valid time.Duration) (string, error) {
	return s.Client.SignedURL(f.URL, time.Now().Add(valid))
}

// Fetch opens the content of a file as it is stored, a private one by a signed address.
// At most limit bytes can be read.
func (s *Session) Fetch(ctx context.Context, f api.File, limit int64) (io.ReadCloser, error) {
	body, _, err := s.fetchOriginal(ctx, f, 0, limit)
	return body, err
}

// fetchOriginal is fetchFrom for what is stored, where that differs from what is
// delivered.
func (s *Session) fetchOriginal(ctx context.Context, f api.File, offset, limit int64) (body io.ReadCloser, at int64, err error) {
	f.URL = api.OriginalURL(f.URL)
	return s.fetchFrom(ctx, f, offset, limit)
}

// fetchFrom opens the rest of the content of a file; see api.Client.FetchFrom.
func (s *Session) fetchFrom(ctx context.Context, f api.File, offset, limit int64) (body io.ReadCloser, at int64, err error) {
	if f.URL == "" {
		return nil, 0, errors.New("the record has no address to fetch the file from")
	}
	if f.IsPrivateFile.Or(false) {
		return s.fetchSigned(ctx, f, offset, limit)
	}
	body, at, err = s.Client.FetchFrom(ctx, f.URL, offset, limit)
	var answer *api.ServiceError
	if _, known := f.IsPrivateFile.Get(); !known && errors.As(err, &answer) && (answer.Status == http.StatusUnauthorized || answer.Status == http.StatusForbidden) {
		return s.fetchSigned(ctx, f, offset, limit) // the record does not say that it is private
	}
	return body, at, err
}

func (s *Session) fetchSigned(ctx context.Context, f api.File, offset, limit int64) (io.ReadCloser, int64, error) {
	address, err := s.Signed(f, signedFor)
	if err != nil {
		return nil, 0, err
	}
	return s.Client.FetchFrom(ctx, address, offset, limit)
}
