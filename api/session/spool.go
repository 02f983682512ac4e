package session

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"mediadesk/api"
	"mediadesk/api/job"
)

// Spool writes data without a file, such as standard input, to a file of that name in the folder
// dir, since an upload needs its length and may be repeated. size is the result of write. The file
// stays while this process runs or an upload or a draft needs it. After an error there is no file.
func Spool(dir, name string, write func(io.Writer) (int64, error)) (path string, size int64, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", 0, err
	}
	// In a folder of its own the file can have a plain name. The lock ends with the process.
	folder := filepath.Join(dir, rand.Text())
	lock := flock.New(folder + spoolLock)
	if _, err := lock.TryLock(); err != nil {
		return "", 0, err
	}
	spooled.Store(folder, lock)
	defer func() {
		if err != nil {
			spooled.Delete(folder)
			_ = errors.Join(os.RemoveAll(folder), os.Remove(lock.Path()), lock.Unlock())
		}
	}()
	if err := os.Mkdir(folder, 0o700); err != nil {
		return "", 0, err
	}
	f, err := os.Create(filepath.Join(folder, name))
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	if size, err = write(f); err != nil {
		return "", 0, err
	}
	return f.Name(), size, f.Sync()
}

// spooled keeps the locks of Spool by folder: an unreachable one would be closed.
var spooled sync.Map

const spoolLock = ".lock"

// removeUnused removes copies that no running program, unfinished upload or draft needs.
func (s *Session) removeUnused(ctx context.Context) {
	dir := s.options.Paths.Spool()
	entries, _ := os.ReadDir(dir) // usually there is none
	for _, e := range entries {
		folder := filepath.Join(dir, strings.TrimSuffix(e.Name(), spoolLock))
		needed, err := s.Journal.Mentions(ctx, filepath.Base(folder))
		if id, ok := strings.CutPrefix(e.Name(), originPrefix); ok {
			n, _ := strconv.ParseInt(id, 10, 64)
			var j job.Job
			j, _, err = s.Journal.Job(ctx, n)
			needed = j.ID != 0 && !j.State.Final()
		}
		if err == nil && !needed {
			err = removeSpool(folder)
		}
		if err != nil {
			slog.Warn("could not remove the copy of a source", "err", err)
		}
	}
}

func removeSpool(folder string) error {
	lock := flock.New(folder + spoolLock)
	if free, err := lock.TryLock(); err != nil || !free {
		return err
	}
	return errors.Join(os.RemoveAll(folder), os.Remove(lock.Path()), lock.Unlock())
}

// removeSpooled removes the copy that a job was sent from: if it is stored, or if the user of a
// command will not repeat it. A file of another profile can be fetched again.
func (s *Session) removeSpooled(j *job.Job) error {
	spool := s.options.Paths.Spool()
	if j.Upload.Source.Origin != (api.Origin{}) {
		return os.RemoveAll(originSpool(spool, j.ID))
	}
	dir := filepath.Dir(j.Upload.Source.Path)
	if filepath.Dir(dir) != spool || j.State != job.Stored &&
		(s.options.Adopt || j.State != job.Refused && j.State != job.Canceled) {
		return nil
	}
	if lock, ok := spooled.LoadAndDelete(dir); ok {
		_ = lock.(*flock.Flock).Unlock()
	}
	return removeSpool(dir)
}

const originPrefix = "job-"

func originSpool(spool string, j int64) string {
	return filepath.Join(spool, originPrefix+strconv.FormatInt(j, 10))
}

type clipboardTool struct {
	program string
	args    []string                     // arguments before the type
	types   []string                     // types to request, best first
	decode  func([]byte) ([]byte, error) // decodes its output; may be nil
}

var (
	pictureTypes = []string{"image/png", "image/jpeg", "image/webp", "image/gif", "image/tiff", "image/bmp"}
	powerShell   = []string{"-NoProfile", "-STA", "-Command", "Add-Type -AssemblyName System.Windows.Forms, System.Drawing; " +
		"$i = [Windows.Forms.Clipboard]::GetImage(); if ($i) { $m = New-Object IO.MemoryStream; " +
		"$i.Save($m, [Drawing.Imaging.ImageFormat]::Png); [Convert]::ToBase64String($m.ToArray()) }"}

	clipboardTools = []clipboardTool{
		{program: "wl-paste", args: []string{"--no-newline", "--type"}, types: pictureTypes},
		{program: "xclip", args: []string{"-selection", "clipboard", "-out", "-target"}, types: pictureTypes},
		{program: "osascript", args: []string{"-e", "get the clipboard as «class PNGf»"}, types: pictureTypes[:1], decode: appleData},
		{program: "powershell.exe", args: powerShell, types: pictureTypes[:1], decode: base64Line},
		{program: "pwsh.exe", args: powerShell, types: pictureTypes[:1], decode: base64Line},
	}
)

// appleData extracts the data from AppleScript output such as «data PNGf89504E47».
func appleData(out []byte) ([]byte, error) {
	_, digits, _ := bytes.Cut(out, []byte("PNGf"))
	digits, _, _ = bytes.Cut(digits, []byte("»"))
	return hex.AppendDecode(nil, digits)
}

func base64Line(out []byte) ([]byte, error) {
	return base64.StdEncoding.AppendDecode(nil, bytes.TrimSpace(out))
}

// ClipboardPicture copies the picture on the clipboard to a file in the folder spool (see [Spool]).
// It uses the first program that returns one: wl-paste, xclip, osascript or PowerShell. The error
// says what to copy or to install.
func ClipboardPicture(ctx context.Context, spool string, now time.Time) (api.Source, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	var said error
	for _, tool := range clipboardTools {
		program, err := exec.LookPath(tool.program)
		if err != nil {
			continue
		}
		picture, kind, err := tool.picture(ctx, program)
		if err != nil {
			said = errors.Join(said, fmt.Errorf("%s: %w", tool.program, err))
			continue
		}
		ext := strings.Replace(strings.TrimPrefix(kind, "image/"), "jpeg", "jpg", 1)
		name := "clipboard-" + now.Format("2006-01-02-150405") + "." + ext
		path, _, err := Spool(spool, name, bytes.NewReader(picture).WriteTo)
		if err != nil {
			return api.Source{}, fmt.Errorf("cannot save the picture on the clipboard: %w", err)
		}
		return api.Source{Path: path, Label: filepath.Base(path)}, nil
	}
	if said == nil {
		return api.Source{}, &api.SourceError{Path: "clipboard", Reason: "cannot be read: no program for it is installed", Help: "Install wl-clipboard (Wayland) or xclip (X11). On macOS and Windows, put osascript or powershell.exe into PATH."}
	}
	return api.Source{}, &api.SourceError{
		Path: "clipboard", Reason: "has no picture (" + strings.Join(strings.Fields(said.Error()), " ") + ")",
		Help: "Copy a picture first, for example by taking a screenshot to the clipboard.",
	}
}

func (t clipboardTool) picture(ctx context.Context, program string) (picture []byte, kind string, err error) {
	var first error // the most useful, since the copied type is rarely the last one
	for _, kind := range t.types {
		args := slices.Clone(t.args)
		if t.decode == nil {
			args = append(args, kind)
		}
		out, err := exec.CommandContext(ctx, program, args...).Output()
		if err == nil && t.decode != nil {
			out, err = t.decode(out)
		}
		if err == nil && len(out) > 0 {
			// Trust the data rather than the requested type.
			found, _, _ := mime.ParseMediaType(http.DetectContentType(out))
			if slices.Contains(pictureTypes, found) {
				kind = found
			}
			return out, kind, nil
		}
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && len(bytes.TrimSpace(exit.Stderr)) > 0 {
			err = errors.New(string(bytes.TrimSpace(exit.Stderr)))
		}
		first = cmp.Or(first, err, errors.New("it returned nothing"))
	}
	return nil, "", first
}
