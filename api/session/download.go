package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"mediadesk/api"
)

// maxUnknown is how much is fetched of a file whose record does not tell its size,
// in bytes.
const maxUnknown = 16 << 30

// Download fetches a file into a local folder and returns its path. A file that
// is there already is never overwritten: the new one gets a number. report, if not
// nil, is called with the number of bytes as they arrive.
func (s *Session) Download(ctx context.Context, f api.File, folder string, report func(n int64)) (string, error) {
	body, err := s.Fetch(ctx, f, f.Size.Or(maxUnknown))
	if err != nil {
		return "", err
	}
	defer body.Close()
	part, err := os.CreateTemp(folder, ".mediadesk-*.part")
	if err != nil {
		return "", fmt.Errorf("the folder %q cannot be written to: %w", folder, err)
	}
	defer os.Remove(part.Name())
	n, err := io.Copy(part, &tally{body, report})
	if err = errors.Join(err, part.Sync(), part.Close()); err != nil {
		return "", fmt.Errorf("the file did not arrive completely: %w", err)
	}
	if want, ok := f.Size.Get(); ok && n != want {
		return "", fmt.Errorf("%d bytes came, the record says %d: the file was not kept", n, want)
	}
	if err := os.Chmod(part.Name(), 0o644); err != nil {
		return "", err
	}
	return publish(part.Name(), folder, localName(f))
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

// publish gives a finished file its name, or the next free one with a number. A
// name that is too long loses the end of its stem and keeps its extension.
func publish(from, folder, name string) (string, error) {
	ext := path.Ext(name)
	if len(ext) > maxExtension {
		ext = ""
	}
	stem := strings.TrimSuffix(name, ext)
	number := ""
	for n := 1; n < maxNumber; n++ {
		if n > 1 {
			number = " (" + strconv.Itoa(n) + ")"
		}
		to := filepath.Join(folder, shorten(stem, maxLocalName-len(number)-len(ext))+number+ext)
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
