package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"mediadesk/api"
	"mediadesk/api/atomicfile"
)

const maxPicture = 64 << 20

// Picture returns the path of a local file with the stored picture: the sent file if unchanged,
// else a copy fetched once per version.
func (s *Session) Picture(ctx context.Context, f api.File) (string, error) {
	f = s.here(f)
	if source := s.sameSource(ctx, f); source != "" {
		return source, nil
	}
	return s.cached(f, f.URL, func() (io.ReadCloser, error) {
		body, _, err := s.fetchFrom(ctx, f, 0, maxPicture)
		return body, err
	})
}

// cached returns the path of a cached copy of what an address delivers for a version. It fetches it
// once.
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
		return "", fmt.Errorf("cannot fetch the picture: %w", err)
	}
	defer body.Close()
	err = atomicfile.Write(name, 0o600, func(w io.Writer) error {
		_, err := io.Copy(w, body)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("cannot fetch the picture: %w", err)
	}
	return name, nil
}

const maxThumb = 8 << 20

// Thumb returns the path of a local file with a thumbnail, fetched once per version. It is the
// picture itself if the service makes no thumbnails or the file is not published.
func (s *Session) Thumb(ctx context.Context, f api.File) (string, error) {
	f = s.here(f)
	small := api.ThumbURL(&f)
	if small == "" || !f.IsPublished.Or(true) {
		return s.Picture(ctx, f)
	}
	return s.cached(f, "thumb\x00"+small, func() (io.ReadCloser, error) {
		body, _, err := s.Client.Fetch(ctx, small, 0, maxThumb)
		return body, err
	})
}

// sameSource returns the path of the sent file if both it and the stored file are unchanged, else
// "".
func (s *Session) sameSource(ctx context.Context, f api.File) string {
	if f.VersionInfo == nil || f.VersionInfo.ID != f.FileID {
		return "" // another version, or unknown
	}
	job, ok, err := s.Journal.JobOfFile(ctx, s.Profile.Name, f.FileID)
	// The answer must be about the same version.
	if err != nil || !ok || job.Identity.Size != f.Size.Or(job.Identity.Size) ||
		versionOf(job.File) != f.VersionInfo.ID {
		return ""
	}
	return unchangedSource(&job)
}

// here returns the record with the address at which the local service answers now: a record of the
// journal may have the port of an earlier start. Records of other services are returned unchanged.
func (s *Session) here(f api.File) api.File {
	for _, address := range []*string{&f.URL, &f.ThumbnailURL, &f.Thumbnail} {
		u, err := url.Parse(*address)
		if s.Profile.Local && err == nil && u.Scheme == "http" && api.IsLoopback(u.Hostname()) {
			u.Host = s.Client.Host()
			*address = u.String()
		}
	}
	return f
}

const signedTTL = 10 * time.Minute

// Signed returns an address at which anybody can fetch a private file for the time valid.
func (s *Session) Signed(f api.File, valid time.Duration) (string, error) {
	return s.Client.SignedURL(s.here(f).URL, time.Now().Add(valid))
}

// Fetch opens the stored content of a file, a private one by a signed address. At most limit bytes
// can be read.
func (s *Session) Fetch(ctx context.Context, f api.File, limit int64) (io.ReadCloser, error) {
	body, _, err := s.fetchOriginal(ctx, f, 0, limit)
	return body, err
}

// fetchOriginal is fetchFrom for the stored content, where it differs from the delivered one.
func (s *Session) fetchOriginal(ctx context.Context, f api.File, offset,
	limit int64,
) (body io.ReadCloser, at int64, err error) {
	f.URL = api.OriginalURL(f.URL)
	return s.fetchFrom(ctx, f, offset, limit)
}

func (s *Session) fetchFrom(ctx context.Context, f api.File, offset,
	limit int64,
) (body io.ReadCloser, at int64, err error) {
	f = s.here(f)
	if f.URL == "" {
		return nil, 0, errors.New("the record has no URL to fetch the file from")
	}
	private, known := f.IsPrivateFile.Get()
	private = private || !f.IsPublished.Or(true)
	if !private {
		body, at, err = s.Client.Fetch(ctx, f.URL, offset, limit)
		if known || !api.KeyRefused(err) { // the record may not show that the file is private
			return body, at, err
		}
	}
	address, err := s.Signed(f, signedTTL)
	if err != nil {
		return nil, 0, err
	}
	return s.Client.Fetch(ctx, address, offset, limit)
}
