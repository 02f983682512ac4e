package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"mediadesk/api"
	"mediadesk/api/rule"
)

// MaxUnknown limits the bytes fetched of a file of unknown size.
const MaxUnknown = 16 << 30

// Download fetches a file into a local folder, created if missing, and returns its path. The file
// gets the time of its record. An existing file is never overwritten; the new one gets a number. An
// interrupted download stays in a hidden file, and the next call continues it. report, if not nil,
// is called with the number of bytes as they arrive, and once with those of an earlier download.
func (s *Session) Download(ctx context.Context, f api.File, folder string,
	report func(n int64),
) (string, error) {
	part, err := s.fetchPart(ctx, f, folder, report)
	if err != nil {
		return "", err
	}
	defer os.Remove(part)
	return publish(part, folder, localName(f))
}

func (s *Session) fetchPart(ctx context.Context, f api.File, folder string,
	report func(n int64),
) (_ string, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("cannot create the folder %q: %w", folder, err)
	}
	size, known := f.Size.Get()
	path := filepath.Join(folder, partName(&f))
	f.URL = api.OriginalURL(f.URL)
	// Parallel downloads of the same file would write to the same place.
	_, busy := s.parts.LoadOrStore(path, true)
	if busy {
		path += "." + rand.Text()
	} else {
		defer s.parts.Delete(path)
	}
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		os.Remove(path) // it may be a link to elsewhere
	}
	part, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", fmt.Errorf("cannot write to the folder %q: %w", folder, err)
	}
	end := int64(0)
	defer func() {
		part.Close()
		if err != nil && (busy || !known || end == 0 || end >= size) { // cannot be continued
			os.Remove(path)
		}
	}()
	if info, err := part.Stat(); known && err == nil && info.Size() <= size {
		end = info.Size()
	}
	if !known || end < size || size == 0 {
		body, at, err := s.fetchFrom(ctx, f, end, f.Size.Or(MaxUnknown))
		answer, _ := errors.AsType[*api.ServiceError](err)
		if end > 0 && answer != nil && answer.Status == http.StatusRequestedRangeNotSatisfiable {
			body, at, err = s.fetchFrom(ctx, f, 0, size)
		}
		if err != nil {
			return "", err
		}
		defer body.Close()
		if err := part.Truncate(at); err != nil {
			return "", err
		}
		if report != nil && at > 0 {
			report(at)
		}
		n, err := io.Copy(io.NewOffsetWriter(part, at), io.TeeReader(body, tally(report)))
		if end = at + n; err != nil {
			return "", fmt.Errorf("the download is incomplete: %w", err)
		}
	}
	if known && end != size {
		err = fmt.Errorf("received %d bytes, but the record says %d; the file was discarded", end, size)
		end = 0
		return "", err
	}
	if err = errors.Join(part.Sync(), part.Close(), os.Chmod(path, 0o644)); err != nil {
		return "", err
	}
	if at := rule.Updated(&f); !at.IsZero() {
		err = os.Chtimes(path, at, at)
	}
	return path, err
}

func partName(f *api.File) string {
	sum := sha256.Sum256(fmt.Append(nil, f.FileID, "\x00", f.URL, "\x00", f.VersionID(), "\x00", f.UpdatedAt))
	return fmt.Sprintf(".mediadesk-%x.part", sum[:8])
}

// Downloaded is the result for a file of a folder.
type Downloaded struct {
	File    *api.File
	Path    string // local path; in a dry run without a possible number
	Already bool   // the file existed
	Err     error
}

const downloads = 4

// DownloadFolder downloads the files in a folder at any depth that pass the filter, with their
// folders, into a local one. It skips files that exist with the same size and time, or with the
// same content. n limits the downloads at the same time; 0 for the usual number. It calls report
// with each result, one at a time, in the order of the listing. With dry it downloads nothing. If
// the service does not list files, it uses those seen before.
func (s *Session) DownloadFolder(ctx context.Context, folder, to string, filter Filter, n int, dry bool,
	report func(Downloaded),
) error {
	folder, _ = rule.CleanFolder(folder)
	tree, err := s.FilesBelow(ctx, folder, filter)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	results, reported := make([]Downloaded, len(tree)), 0
	sideBySide(ctx, len(tree), cmp.Or(n, downloads), func(i int) {
		f := &tree[i]
		result := s.downloadBelow(ctx, f, localFolder(to, strings.TrimPrefix(f.FilePath, folder)), dry)
		mu.Lock()
		defer mu.Unlock()
		results[i] = result
		for ; reported < len(tree) && results[reported].File != nil; reported++ {
			report(results[reported])
		}
	})
	return ctx.Err()
}

// sideBySide calls do with 0 to n-1, at most most at a time, until ctx ends. It returns when all
// calls have returned.
func sideBySide(ctx context.Context, n, most int, do func(i int)) {
	var group errgroup.Group
	group.SetLimit(most)
	for i := 0; i < n && ctx.Err() == nil; i++ {
		group.Go(func() error {
			do(i)
			return nil
		})
	}
	_ = group.Wait() // do reports errors
}

// FilesBelow returns the files in folder, at any depth, that pass the filter. If the
// service does not list files, it returns those seen before.
func (s *Session) FilesBelow(ctx context.Context, folder string, filter Filter) ([]api.File, error) {
	folder, _ = rule.CleanFolder(folder)
	tree, err := s.FolderTree(ctx, folder)
	if api.Unavailable(err) {
		tree, err = s.Seen(ctx)
	}
	return slices.DeleteFunc(tree, func(f api.File) bool {
		rel, below := strings.CutPrefix(f.FilePath, folder)
		return f.IsFolder() || !below || !filter.Takes(&f, rel)
	}), err
}

func (s *Session) downloadBelow(ctx context.Context, f *api.File, folder string, dry bool) Downloaded {
	d := Downloaded{File: f}
	if d.Path = present(f, folder); d.Path != "" || dry {
		d.Already = d.Path != ""
		d.Path = cmp.Or(d.Path, filepath.Join(folder, localName(*f)))
		return d
	}
	part, err := s.fetchPart(ctx, *f, folder, nil)
	if d.Err = err; err != nil {
		return d
	}
	defer os.Remove(part)
	if d.Path = sameAs(part, folder, localName(*f)); d.Path != "" {
		d.Already = true
		if at := rule.Updated(f); !at.IsZero() {
			d.Err = os.Chtimes(d.Path, at, at)
		}
		return d
	}
	d.Path, d.Err = publish(part, folder, localName(*f))
	return d
}

func localFolder(to, rel string) string {
	for name := range strings.SplitSeq(path.Dir(rel), "/") {
		if name != "." {
			to = filepath.Join(to, localName(api.File{Name: name}))
		}
	}
	return to
}

// present returns the path of a file downloaded before, by size and time, or "".
func present(f *api.File, folder string) string {
	size, known := f.Size.Get()
	at := rule.Updated(f)
	for name := range numbered(folder, localName(*f)) {
		info, err := os.Lstat(name)
		if err != nil || !known || at.IsZero() {
			return ""
		}
		// File systems keep at least whole seconds.
		if info.Mode().IsRegular() && info.Size() == size && info.ModTime().Unix() == at.Unix() {
			return name
		}
	}
	return ""
}

// sameAs returns the path of a file in folder with the name, possibly with a number, and the same
// content as other, or "".
func sameAs(other, folder, name string) string {
	want, id, err := api.HashSource(other)
	for to := range numbered(folder, name) {
		info, statErr := os.Lstat(to)
		if err != nil || statErr != nil {
			return ""
		}
		if !info.Mode().IsRegular() || info.Size() != id.Size {
			continue
		}
		if sum, _, err := api.HashSource(to); err == nil && sum == want {
			return to
		}
	}
	return ""
}

type tally func(n int64)

func (t tally) Write(p []byte) (int, error) {
	if t != nil {
		t(int64(len(p)))
	}
	return len(p), nil
}

const maxNumber = 10_000

// maxName is the longest name in bytes that common file systems allow. A suffix after the last dot
// longer than maxExtension is not an extension.
const (
	maxLocalName = 255
	maxExtension = 32
)

// numbered yields the paths for a file in a folder: its name, then with numbers. A long name loses
// the end of its stem but keeps its extension.
func numbered(folder, name string) iter.Seq[string] {
	ext := path.Ext(name)
	if len(ext) > maxExtension {
		ext = ""
	}
	stem := strings.TrimSuffix(name, ext)
	return func(yield func(string) bool) {
		end := ext
		for n := 1; n < maxNumber; n++ {
			if n > 1 {
				end = " (" + strconv.Itoa(n) + ")" + ext
			}
			short := strings.ToValidUTF8(stem[:min(len(stem), maxLocalName-len(end))], "")
			if !yield(filepath.Join(folder, short+end)) {
				return
			}
		}
	}
}

func publish(from, folder, name string) (string, error) {
	for to := range numbered(folder, name) {
		if err := publishAs(from, to); !errors.Is(err, errChangedSince) {
			return to, err
		}
	}
	return "", fmt.Errorf("%q holds too many files of the name %q", folder, name)
}

var windowsNames = regexp.MustCompile(`(?i)^(CON|PRN|AUX|NUL|COM[0-9¹²³]|LPT[0-9¹²³]|CONIN\$|CONOUT\$) *(\.|$)`)

// LocalName returns the name under which a stored file is saved: one path element that is not
// hidden and valid on all systems. changed means that it is not the name of the file.
func LocalName(f *api.File) (name string, changed bool) {
	stored := cmp.Or(f.Name, path.Base(f.FilePath))
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, api.SafeName(stored))
	name = strings.TrimLeft(strings.TrimRight(name, " ."), ".")
	name = cmp.Or(windowsNames.ReplaceAllString(name, "_$0"), "file")
	return name, name != stored
}

func localName(f api.File) string {
	name, _ := LocalName(&f)
	return name
}
