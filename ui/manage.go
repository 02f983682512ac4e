package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/journal"
	"mediadesk/ui/screen/details"
	"mediadesk/ui/screen/library"
)

// libraryOptions are what the library screen reaches the desk through.
func (m *Model) libraryOptions() library.Options {
	d := m.desk
	return library.Options{
		Context: m.ctx, List: d.Client.List, Seen: d.Seen, Found: d.allSeen, Runs: d.Watch.Runs,
		Thumb: d.Thumb, Loader: m.loader, Download: d.Download, Downloads: m.downloads(), Signed: d.Signed, Sent: d.sent,
		Profile: d.Profile, Now: m.o.Now,
	}
}

// downloads is the folder that is offered for what is fetched: the person's own,
// where it is, else the working directory.
func (m *Model) downloads() string {
	for _, dir := range []string{m.o.Getenv("XDG_DOWNLOAD_DIR"), filepath.Join(m.o.Getenv("HOME"), "Downloads")} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() && filepath.IsAbs(dir) {
			return dir
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}

// allSeen is every file that the journal has.
func (d *Desk) allSeen(ctx context.Context) ([]api.File, error) {
	seen, err := d.Journal.Files(ctx, d.Profile.Name, journal.FileFilter{})
	files := make([]api.File, len(seen))
	for i := range seen {
		files[i] = seen[i].File
	}
	return files, err
}

// sent is the upload that stored a file.
func (d *Desk) sent(ctx context.Context, fileID string) (api.Job, bool, error) {
	return d.Journal.SentAs(ctx, d.Profile.Name, fileID)
}

// maxThumb is how much is fetched to show a picture in small, in bytes.
const maxThumb = 8 << 20

// Thumb returns the path of a file of this computer that holds the stored
// picture in small, fetched once for each version; the picture itself where the
// service makes no small one.
func (d *Desk) Thumb(ctx context.Context, f api.File) (string, error) {
	small := f.ThumbURL()
	if small == "" {
		return d.Picture(ctx, f)
	}
	return d.cached(f, "thumb\x00"+small, func() (io.ReadCloser, error) { return d.Client.Fetch(ctx, small, maxThumb) })
}

// manage are the acts on whole files for the details screen.
func (d *Desk) manage() *details.Manage {
	return &details.Manage{
		Versions: d.Client.Versions, Restore: d.Restore, DeleteVersion: d.Client.DeleteVersion,
		Rename: d.Rename, Move: d.Move, Copy: d.Copy, Delete: d.Delete, Signed: d.Signed,
	}
}

// Rename gives a file another name and returns its record after that. Undo takes
// it back.
func (d *Desk) Rename(ctx context.Context, f api.File, name string) (*api.File, error) {
	if err := d.Client.RenameFile(ctx, f.FilePath, name); err != nil {
		return nil, err
	}
	after, err := d.Read(ctx, f.FileID)
	if err != nil {
		return after, err
	}
	return after, d.keepMove(ctx, f.FilePath, after)
}

// Move moves a file into a folder and returns its record after that; nil where
// it became a version of the file of its name there, which no undo takes back.
func (d *Desk) Move(ctx context.Context, f api.File, folder string) (*api.File, error) {
	if err := d.Client.MoveFile(ctx, f.FilePath, folder); err != nil {
		return nil, err
	}
	after, err := d.Read(ctx, f.FileID)
	if api.Unavailable(err) {
		return nil, d.Journal.ForgetFile(ctx, d.Profile.Name, f.FileID)
	}
	if err != nil {
		return after, err
	}
	return after, d.keepMove(ctx, f.FilePath, after)
}

// Copy copies a file into a folder.
func (d *Desk) Copy(ctx context.Context, f api.File, folder string) error {
	return d.Client.CopyFile(ctx, f.FilePath, folder)
}

// Delete removes a file with all its versions, for good. One that is not there
// any more is no error.
func (d *Desk) Delete(ctx context.Context, f api.File) error {
	err := d.Client.DeleteFile(ctx, f.FileID)
	var answer *api.ServiceError
	gone := d.Profile.Local && errors.As(err, &answer) && answer.Status == http.StatusNotFound
	if err != nil && !gone {
		return err
	}
	return d.Journal.ForgetFile(ctx, d.Profile.Name, f.FileID)
}

// Restore makes a version of a file the current one. Undo makes the one current
// again that was.
func (d *Desk) Restore(ctx context.Context, fileID, versionID string) (*api.File, error) {
	before, err := d.Read(ctx, fileID)
	if err != nil {
		return nil, err
	}
	after, err := d.restore(ctx, fileID, versionID)
	if err != nil {
		return after, err
	}
	was, became := versionOf(before), versionOf(after)
	if was == "" || became == "" || was == became {
		return after, nil
	}
	return after, d.keepAct(ctx, journal.Edit{FileID: fileID, Act: journal.ActRestore, Was: was, Became: became})
}

func (d *Desk) restore(ctx context.Context, fileID, versionID string) (*api.File, error) {
	file, err := d.Client.RestoreVersion(ctx, fileID, versionID)
	if err != nil {
		return nil, err
	}
	return file, d.Journal.SaveFile(ctx, d.Profile.Name, *file)
}

// signedFor is how long an address holds that is signed to be fetched at once.
const signedFor = 10 * time.Minute

// Signed is an address at which anybody can fetch a private file for a while.
func (d *Desk) Signed(f api.File, holds time.Duration) (string, error) {
	return d.Client.SignedURL(f.URL, time.Now().Add(holds))
}

// Fetch opens the content of a file; a private one by a signed address. At most
// limit bytes can be read.
func (d *Desk) Fetch(ctx context.Context, f api.File, limit int64) (io.ReadCloser, error) {
	if f.URL == "" {
		return nil, errors.New("the record has no address to fetch the file from")
	}
	if f.IsPrivateFile.Or(false) {
		return d.fetchSigned(ctx, f, limit)
	}
	body, err := d.Client.Fetch(ctx, f.URL, limit)
	var answer *api.ServiceError
	if _, told := f.IsPrivateFile.Get(); !told && errors.As(err, &answer) && (answer.Status == http.StatusUnauthorized || answer.Status == http.StatusForbidden) {
		return d.fetchSigned(ctx, f, limit) // the record does not say that it is private
	}
	return body, err
}

func (d *Desk) fetchSigned(ctx context.Context, f api.File, limit int64) (io.ReadCloser, error) {
	address, err := d.Signed(f, signedFor)
	if err != nil {
		return nil, err
	}
	return d.Client.Fetch(ctx, address, limit)
}

// sameSource is the path of the file on this computer that was sent and is
// unchanged since, where the stored file is still what was sent; empty where it
// is not.
func (d *Desk) sameSource(ctx context.Context, f api.File) string {
	if f.VersionInfo == nil || f.VersionInfo.ID != f.FileID {
		return "" // another version, or nobody knows
	}
	job, ok, err := d.Journal.SentAs(ctx, d.Profile.Name, f.FileID)
	if err != nil || !ok || job.Upload.Source.Path == "" {
		return ""
	}
	now, err := api.Identify(job.Upload.Source.Path)
	if err != nil || !now.Same(job.Identity) || now.Size != f.Size.Or(now.Size) {
		return ""
	}
	// What the answer to this upload spoke of has to be the version in question.
	if v := job.File.VersionInfo; v == nil || v.ID != f.VersionInfo.ID {
		return ""
	}
	return job.Upload.Source.Path
}

// Download fetches a file into a folder of this computer and returns the path it
// got there. A file that is there already is never written over: the new one
// gets a number. Bytes are told as they come.
func (d *Desk) Download(ctx context.Context, f api.File, folder string, told func(n int64)) (string, error) {
	body, err := d.Fetch(ctx, f, 1<<60)
	if err != nil {
		return "", err
	}
	defer body.Close()
	part, err := os.CreateTemp(folder, ".mediadesk-*.part")
	if err != nil {
		return "", fmt.Errorf("nothing can be written to %q: %w", folder, err)
	}
	defer os.Remove(part.Name())
	n, err := io.Copy(part, &tally{body, told})
	if err = errors.Join(err, part.Sync(), part.Close()); err != nil {
		return "", fmt.Errorf("the file did not arrive whole: %w", err)
	}
	if want, ok := f.Size.Get(); ok && n != want {
		return "", fmt.Errorf("%d bytes came, the record says %d: the file was not kept", n, want)
	}
	if err := os.Chmod(part.Name(), 0o644); err != nil {
		return "", err
	}
	return place(part.Name(), folder, localName(f))
}

// tally counts what is read.
type tally struct {
	from io.Reader
	told func(n int64)
}

func (t *tally) Read(p []byte) (int, error) {
	n, err := t.from.Read(p)
	if t.told != nil && n > 0 {
		t.told(int64(n))
	}
	return n, err
}

// maxNumber bounds the numbers that a name is tried with.
const maxNumber = 10_000

// place gives a finished file its name, or the next free one with a number.
func place(from, folder, name string) (string, error) {
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for n := 1; n < maxNumber; n++ {
		if n > 1 {
			name = stem + " (" + strconv.Itoa(n) + ")" + ext
		}
		to := filepath.Join(folder, name)
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

// localName is the name of a file of the service as a name on this computer: one
// step of a path that is no hidden file and that every system takes.
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
