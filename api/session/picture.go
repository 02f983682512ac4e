package session

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"image"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/atomicfile"
	"mediadesk/api/media"
	"mediadesk/api/rule"
)

const maxPicture = 64 << 20

// Picture returns the path of a local file with the stored picture: the sent file if unchanged,
// else a copy fetched once per version.
func (s *Session) Picture(ctx context.Context, f api.File) (string, error) {
	f = s.withCurrentURL(f)
	if source := s.sameSource(ctx, f); source != "" {
		return source, nil
	}
	return s.cached(f, f.URL, func() (io.ReadCloser, int64, error) {
		return s.fetchFrom(ctx, f, 0, maxPicture)
	})
}

// cached returns the path of a cached copy of what an address delivers for a version. It fetches it
// once.
func (s *Session) cached(f api.File, address string,
	fetch func() (io.ReadCloser, int64, error),
) (string, error) {
	sum := sha256.Sum256([]byte(s.Profile.Name + "\x00" + address + "\x00" + f.FileID + f.VersionID()))
	name := filepath.Join(s.Cache, "pictures", hex.EncodeToString(sum[:16]))
	if _, err := os.Stat(name); err == nil {
		return name, nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return "", err
	}
	err := atomicfile.Write(name, 0o600, func(w io.Writer) error {
		body, _, err := fetch()
		if err != nil {
			return err
		}
		defer body.Close()
		_, err = io.Copy(w, body)
		return err
	})
	return name, err
}

// Preview returns the path of a local copy of what a URL that is to be uploaded delivers, fetched once a day.
func (s *Session) Preview(ctx context.Context, address string) (string, error) {
	return s.cached(api.File{}, time.Now().Format(time.DateOnly)+address, func() (io.ReadCloser, int64, error) {
		body, at, err := s.Client.Fetch(ctx, address, 0, maxPicture)
		if answer, ok := errors.AsType[*api.ServiceError](err); ok { // of another server
			err = fmt.Errorf("the server answers %d", answer.Status)
		}
		return body, at, err
	})
}

const maxThumb = 8 << 20

// Thumb returns the path of a local file with a thumbnail, fetched once per version. It is the
// picture itself if the service makes no thumbnails or the file is not published.
func (s *Session) Thumb(ctx context.Context, f api.File) (string, error) {
	f = s.withCurrentURL(f)
	small := api.ThumbURL(&f)
	if small == "" || !f.IsPublished.Or(true) {
		return s.Picture(ctx, f)
	}
	return s.cached(f, "thumb\x00"+small, func() (io.ReadCloser, int64, error) {
		return s.Client.Fetch(ctx, small, 0, maxThumb)
	})
}

// sameSource returns the path of the sent file if both it and the stored file are unchanged, else
// "".
func (s *Session) sameSource(ctx context.Context, f api.File) string {
	if f.VersionID() != f.FileID {
		return "" // another version, or unknown
	}
	job, ok, err := s.Journal.JobOfFile(ctx, s.Profile.Name, f.FileID)
	// The answer must be about the same version.
	same := ok && job.Identity.Size == f.Size.Or(job.Identity.Size) && job.File.VersionID() == f.FileID
	if err != nil || !same {
		return ""
	}
	return unchangedSource(&job)
}

// withCurrentURL returns the record with the address at which the local service answers now: a
// record of the journal may have the port of an earlier start. Records of other services are
// returned unchanged.
func (s *Session) withCurrentURL(f api.File) api.File {
	for _, address := range []*string{&f.URL, &f.ThumbnailURL, &f.Thumbnail} {
		u, err := url.Parse(*address)
		if s.Profile.Local && err == nil && u.Scheme == "http" && api.IsLoopback(u.Hostname()) {
			u.Host = s.Client.Host()
			*address = u.String()
		}
	}
	return f
}

// Signed returns an address at which anybody can fetch a private file for ttl.
func (s *Session) Signed(f api.File, ttl time.Duration) (string, error) {
	return s.Client.SignedURL(s.withCurrentURL(f).URL, time.Now().Add(ttl))
}

// Fetch opens the stored content of a file, a private one by a signed address. At most limit bytes
// can be read.
func (s *Session) Fetch(ctx context.Context, f api.File, limit int64) (io.ReadCloser, error) {
	f.URL = api.OriginalURL(f.URL)
	body, _, err := s.fetchFrom(ctx, f, 0, limit)
	return body, err
}

func (s *Session) fetchFrom(ctx context.Context, f api.File, offset,
	limit int64,
) (body io.ReadCloser, at int64, err error) {
	f = s.withCurrentURL(f)
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
	address, err := s.Signed(f, 10*time.Minute)
	if err != nil {
		return nil, 0, err
	}
	return s.Client.Fetch(ctx, address, offset, limit)
}

// Crop is a use of regions on pages: a ratio of width to height, or a named transformation of the
// account that uses custom coordinates.
type Crop struct {
	Name  string
	named bool
	size  image.Point // the ratio, or the size in pixels that is requested; a zero side follows the region
}

// cropsOf returns the crops of the setting of a profile, each a ratio such as "4:5" or
// "NAME=STEPS", and of named transformations.
func cropsOf(setting []string, named map[string]string) (crops []Crop) {
	if len(setting) == 0 {
		setting = []string{"1:1", "4:5", "16:9"}
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		setting = append(setting[:len(setting):len(setting)], name+"="+named[name])
	}
	for _, text := range setting {
		name, steps, is := strings.Cut(text, "=")
		if !is {
			width, height, _ := strings.Cut(name, ":")
			crops = append(crops, Crop{Name: name, size: image.Pt(atoi(width), atoi(height))})
		} else if size, custom := stepSize(steps); custom {
			crops = append(crops, Crop{name, true, size})
		}
	}
	return crops
}

// stepSize returns the size that the first step of a transformation requests, and whether it crops
// to the region.
func stepSize(steps string) (size image.Point, custom bool) {
	first, _, _ := strings.Cut(steps, ":")
	var ratio image.Point
	for part := range strings.SplitSeq(first, ",") {
		name, value, _ := strings.Cut(part, "-")
		switch name {
		case "w":
			size.X = atoi(value)
		case "h":
			size.Y = atoi(value)
		case "ar":
			wide, high, _ := strings.Cut(value, "-")
			ratio = image.Pt(atoi(wide), atoi(high))
		case "fo":
			custom = value == "custom"
		}
	}
	switch {
	case ratio.X == 0 || ratio.Y == 0:
	case size.Y == 0:
		size.Y = max(1, (size.X*ratio.Y+ratio.X/2)/ratio.X)
	case size.X == 0:
		size.X = max(1, (size.Y*ratio.X+ratio.Y/2)/ratio.Y)
	}
	return size, custom
}

func atoi(text string) int {
	n, _ := strconv.Atoi(text) // 0 if it is none
	return n
}

// Part returns the part of a region that the service delivers, both in pixels of the upright
// picture.
func (c Crop) Part(region image.Rectangle) image.Rectangle {
	if c.size.X < 1 || c.size.Y < 1 || region.Empty() {
		return region
	}
	return media.CoverCut(region.Size(), c.size).Add(region.Min)
}

// URL returns the address of a crop of a file with a region. Its width is at most width pixels; 0
// for no limit.
func (c Crop) URL(f *api.File, region image.Rectangle, width int) string {
	steps := "n-" + c.Name
	if !c.named {
		size := c.Part(region).Size()
		if width > 0 && width < size.X {
			size = image.Pt(width, max(1, (size.Y*width+size.X/2)/size.X))
		}
		steps = fmt.Sprintf("w-%d,h-%d,fo-custom", size.X, size.Y)
	}
	if strings.Contains(f.URL, "?") {
		return f.URL + "&tr=" + steps
	}
	return f.URL + "?tr=" + steps
}

// Markdown returns an image of the crop for Markdown.
func (c Crop) Markdown(f *api.File, region image.Rectangle) string {
	made := *f
	made.URL = c.URL(f, region, 0)
	return rule.Markdown(&made)
}

// HTML returns an image element of the crop, with a srcset of smaller widths for a ratio.
func (c Crop) HTML(f *api.File, region image.Rectangle) string {
	size, sources := c.Part(region).Size(), ""
	if c.named {
		size = image.Pt(cmp.Or(c.size.X, size.X), cmp.Or(c.size.Y, size.Y))
	} else {
		var list []string
		for _, width := range append(slices.DeleteFunc([]int{320, 640, 960, 1280, 1920},
			func(w int) bool { return w >= size.X }), size.X) {
			list = append(list, fmt.Sprintf("%s %dw", html.EscapeString(c.URL(f, region, width)), width))
		}
		sources = fmt.Sprintf(` srcset="%s" sizes="100vw"`, strings.Join(list, ", "))
	}
	return fmt.Sprintf(`<img src="%s"%s width="%d" height="%d" alt="%s">`,
		html.EscapeString(c.URL(f, region, 0)), sources, size.X, size.Y, html.EscapeString(f.Name))
}
