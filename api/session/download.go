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
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"mediadesk/api"
)

// MaxUnknown is how much is fetched of a file whose record does not tell its size,
// in bytes.
const MaxUnknown = 16 << 30

// Download fetches a file into a local folder, which is made if it does not exist, and
// returns its path. The file gets the time of its record. A file that is there already
// is never overwritten: the new one gets a number. What arrived of a download that
// broke off is kept in the folder, in a hidden file; the next one continues it.
// report, if not nil, is called with the number of bytes as they arrive, and once with
// those of an earlier download.
func (s *Session) Download(ctx context.Context, f api.File, folder string, report func(n int64)) (string, error) {
	part, err := s.fetchPart(ctx, f, folder, report)
	if err != nil {
		return "", err
	}
	defer os.Remove(part)
	return publish(part, folder, localName(f))
}

// fetchPart fetches a file into a hidden file of a folder and returns its path.
func (s *Session) fetchPart(ctx context.Context, f api.File, folder string, report func(n int64)) (_ string, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("the folder %q cannot be made: %w", folder, err)
	}
	size, known := f.Size.Get()
	path := filepath.Join(folder, partName(&f))
	// The same download twice at once would be written to the same file.
	_, busy := s.parts.LoadOrStore(path, true)
	if busy {
		path += "." + rand.Text()
	} else {
		defer s.parts.Delete(path)
	}
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		os.Remove(path) // a link would lead elsewhere
	}
	part, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", fmt.Errorf("the folder %q cannot be written to: %w", folder, err)
	}
	end := int64(0)
	defer func() {
		part.Close()
		if err != nil && (busy || !known || end == 0 || end >= size) { // nothing that could be continued
			os.Remove(path)
		}
	}()
	if info, err := part.Stat(); known && err == nil && info.Size() <= size {
		end = info.Size()
	}
	if !known || end < size || size == 0 {
		body, at, err := s.fetchOriginal(ctx, f, end, f.Size.Or(MaxUnknown))
		var answer *api.ServiceError
		if end > 0 && errors.As(err, &answer) && answer.Status == http.StatusRequestedRangeNotSatisfiable {
			body, at, err = s.fetchOriginal(ctx, f, 0, size)
		}
		if err != nil {
			return "", err
		}
		defer body.Close()
		if err := errors.Join(part.Truncate(at), seek(part, at)); err != nil {
			return "", err
		}
		if report != nil && at > 0 {
			report(at)
		}
		n, err := io.Copy(part, &tally{body, report})
		if end = at + n; err != nil {
			return "", fmt.Errorf("the file did not arrive completely: %w", err)
		}
	}
	if known && end != size {
		err = fmt.Errorf("%d bytes came, the record says %d: the file was not kept", end, size)
		end = 0
		return "", err
	}
	if err = errors.Join(part.Sync(), part.Close(), os.Chmod(path, 0o644)); err != nil {
		return "", err
	}
	if at := timeOf(&f); !at.IsZero() {
		err = os.Chtimes(path, at, at)
	}
	return path, err
}

func seek(f *os.File, at int64) error {
	_, err := f.Seek(at, io.SeekStart)
	return err
}

// partName is the name of the hidden file that a version of a file is downloaded to.
func partName(f *api.File) string {
	sum := sha256.Sum256(fmt.Append(nil, f.FileID, "\x00", f.URL, "\x00", versionOf(f), "\x00", f.UpdatedAt))
	return fmt.Sprintf(".mediadesk-%x.part", sum[:8])
}

// timeOf is when a file was changed last; the zero time where its record does not say.
func timeOf(f *api.File) time.Time {
	at, _ := time.Parse(time.RFC3339, f.UpdatedAt)
	return at
}

// Downloaded is what became of one file of a folder.
type Downloaded struct {
	File    *api.File
	Path    string // on this computer; of a dry run, without the number that it might get
	Already bool   // it was there
	Err     error
}

// downloads is how many files of a folder are downloaded at the same time.
const downloads = 4

// DownloadFolder downloads the files in a folder at any depth, with its folders, into
// a local one, as far as the filter takes them. A file that is there with the size and
// the time of the record is left as it is, and so is one with the same content. The
// results come in the order of the listing. dry: nothing is downloaded.
//
// A service that does not list is no error: then it is the files that were seen.
func (s *Session) DownloadFolder(ctx context.Context, folder, to string, filter Filter, dry bool) (iter.Seq[Downloaded], error) {
	folder, _ = api.CleanFolder(folder)
	tree, err := s.filesBelow(ctx, folder, filter)
	if err != nil {
		return nil, err
	}
	return func(yield func(Downloaded) bool) {
		var under sync.WaitGroup
		defer under.Wait()
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		results := make(chan chan Downloaded, downloads)
		under.Go(func() {
			defer close(results)
			for i := range tree {
				result := make(chan Downloaded, 1)
				select {
				case results <- result:
				case <-ctx.Done():
					return
				}
				under.Go(func() {
					rel := strings.TrimPrefix(tree[i].FilePath, folder)
					result <- s.downloadBelow(ctx, &tree[i], localFolder(to, rel), dry)
				})
			}
		})
		for result := range results {
			if !yield(<-result) {
				return
			}
		}
	}, nil
}

// filesBelow are the files in a folder at any depth, as far as the filter takes them.
// folder is clean. A service that does not list is no error: then it is the files that
// were seen.
func (s *Session) filesBelow(ctx context.Context, folder string, filter Filter) ([]api.File, error) {
	tree, err := s.FolderTree(ctx, folder)
	if api.Unavailable(err) {
		tree, err = s.Seen(ctx)
	}
	return slices.DeleteFunc(tree, func(f api.File) bool {
		rel, below := strings.CutPrefix(f.FilePath, folder)
		return f.IsFolder() || !below || !filter.takesBelow(rel)
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
	if err != nil {
		d.Err = err
		return d
	}
	defer os.Remove(part)
	if d.Path = sameAs(part, folder, localName(*f)); d.Path != "" {
		d.Already = true
		if at := timeOf(f); !at.IsZero() {
			d.Err = os.Chtimes(d.Path, at, at)
		}
		return d
	}
	d.Path, d.Err = publish(part, folder, localName(*f))
	return d
}

// localFolder is the local folder of a file that has this path below the folder that
// is downloaded.
func localFolder(to, rel string) string {
	for name := range strings.SplitSeq(path.Dir(rel), "/") {
		if name != "." {
			to = filepath.Join(to, localName(api.File{Name: name}))
		}
	}
	return to
}

// present is the path of a file that was downloaded to a folder before, by its size
// and time; empty where there is none.
func present(f *api.File, folder string) string {
	size, known := f.Size.Get()
	at := timeOf(f)
	for name := range numbered(folder, localName(*f)) {
		info, err := os.Lstat(name)
		if err != nil || !known || at.IsZero() {
			return ""
		}
		// File systems keep whole seconds at least.
		if info.Mode().IsRegular() && info.Size() == size && info.ModTime().Unix() == at.Unix() {
			return name
		}
	}
	return ""
}

// sameAs is the path of a file of a folder that has the name, or that name with a
// number, and the content of another; empty where there is none.
func sameAs(other, folder, name string) string {
	want, id, err := api.HashSource(other, api.XXH128)
	for to := range numbered(folder, name) {
		info, statErr := os.Lstat(to)
		if err != nil || statErr != nil {
			return ""
		}
		if !info.Mode().IsRegular() || info.Size() != id.Size {
			continue
		}
		if sum, _, err := api.HashSource(to, api.XXH128); err == nil && sum == want {
			return to
		}
	}
	return ""
}

// tally counts what is read.
type tally struct {
	from   io.Reader
	report func(n int64)
}

func (t *tally) Read(p []byte) (int, error) {
	n, err := t.from.Read(p)
	if t.report != nil && n > 0 {
		t.report(int64(n))
	}
	return n, err
}

// maxNumber bounds the numbers that are tried for a name.
const maxNumber = 10_000

// No common file system takes longer names, in bytes. What follows the last dot
// is no extension if it is longer than maxExtension.
const (
	maxLocalName = 255
	maxExtension = 32
)

// shorten cuts text to at most n bytes, between characters.
func shorten(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// numbered are the paths that a file of a name can get in a folder: that of its name,
// then with a number. A name that is too long loses the end of its stem and keeps its
// extension.
func numbered(folder, name string) iter.Seq[string] {
	ext := path.Ext(name)
	if len(ext) > maxExtension {
		ext = ""
	}
	stem := strings.TrimSuffix(name, ext)
	return func(yield func(string) bool) {
		number := ""
		for n := 1; n < maxNumber; n++ {
			if n > 1 {
				number = " (" + strconv.Itoa(n) + ")"
			}
			if !yield(filepath.Join(folder, shorten(stem, maxLocalName-len(number)-len(ext))+number+ext)) {
				return
			}
		}
	}
}

// publish gives a finished file its name, or the next free one with a number.
func publish(from, folder, name string) (string, error) {
	for to := range numbered(folder, name) {
		claim, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		if err := errors.Join(claim.Close(), os.Rename(from, to)); err != nil {
			os.Remove(to)
			return "", err
		}
		return to, nil
	}
	return "", fmt.Errorf("%q holds too many files of the name %q", folder, name)
}

// localName is the name for a stored file on this computer: one element of a path
// that is not hidden and that every system accepts.
func localName(f api.File) string {
	name := f.Name
	if name == "" {
		name = path.Base(f.FilePath)
	}
	name = strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, name)
	name = strings.TrimLeft(strings.TrimRight(name, " ."), ".")
	if name == "" {
		return "file"
	}
	return name
}
