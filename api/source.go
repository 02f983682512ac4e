package api

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
)

// Source is a file or address to send. Exactly one of Path, URL and Origin is set.
type Source struct {
	Path   string `json:"path,omitempty"`   // a regular file of this computer
	URL    string `json:"url,omitempty"`    // an address from which the service downloads
	Origin Origin `json:"origin,omitzero"`  // a stored file of another profile
	Label  string `json:"label,omitempty"`  // name to show instead of the path or address
	Sub    string `json:"sub,omitempty"`    // its subfolder in the selected folder, such as "a/b"
	Beyond string `json:"beyond,omitempty"` // target of its link in the selected folder, if that is outside
}

// Origin identifies a version of a stored file in another profile. The file must be fetched first;
// then Path replaces Origin.
type Origin struct {
	Profile string `json:"profile"`
	FileID  string `json:"fileId"`
	Version string `json:"version,omitempty"` // its versionInfo.id; empty if unknown
	Path    string `json:"path"`              // its filePath when it was selected
}

// sourceText is the JSON form of a Source. JSON is UTF-8, but a path need not be.
type sourceText struct {
	plainSource
	PathBytes []byte `json:"pathBytes,omitempty"`
}

type plainSource Source

// MarshalJSON preserves every byte of the path.
func (s Source) MarshalJSON() ([]byte, error) {
	text := sourceText{plainSource: plainSource(s)}
	if !utf8.ValidString(s.Path) {
		text.PathBytes = []byte(s.Path)
	}
	return json.Marshal(text)
}

// UnmarshalJSON reads the form of MarshalJSON.
func (s *Source) UnmarshalJSON(data []byte) error {
	var text sourceText
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	*s = Source(text.plainSource)
	if len(text.PathBytes) > 0 {
		s.Path = string(text.PathBytes)
	}
	return nil
}

// String returns the name to show. It is untrusted text.
func (s Source) String() string {
	switch {
	case s.Label != "":
		return s.Label
	case s.URL != "":
		return s.URL
	case s.Origin != (Origin{}):
		return s.Origin.Profile + ":" + s.Origin.Path
	}
	return s.Path
}

// Name returns the file name that the source suggests; empty if an address has none. It is safe, as
// of SafeName.
func (s Source) Name() string {
	switch u, err := url.Parse(s.URL); {
	case s.Origin != (Origin{}):
		return SafeName(path.Base(s.Origin.Path))
	case s.URL == "":
		return SafeName(filepath.Base(s.Path))
	case err != nil:
		return ""
	case path.Base(u.Path) == "/" || path.Base(u.Path) == ".":
		return u.Hostname()
	default:
		return SafeName(path.Base(u.Path))
	}
}

// SafeName replaces what can make a name look like another one by "_": control characters (C0, C1,
// DEL), line separators, direction marks, and invalid UTF-8 bytes. A service replaces them as well.
func SafeName(name string) string {
	return strings.Map(func(r rune) rune {
		hidden := unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
		if r == utf8.RuneError || hidden {
			return '_'
		}
		return r
	}, name)
}

// Identity identifies a version of a file. It is zero for URLs. Device and Inode are zero on
// systems without them.
type Identity struct {
	Device   uint64    `json:"device,omitempty"`
	Inode    uint64    `json:"inode,omitempty"`
	Size     int64     `json:"size"` // bytes
	Modified time.Time `json:"modified,omitzero"`
}

// Same reports whether both identify the same unchanged file.
func (i Identity) Same(other Identity) bool {
	return i.Device == other.Device && i.Inode == other.Inode && i.Size == other.Size &&
		i.Modified.Equal(other.Modified)
}

// SourceError reports why a file cannot be sent.
type SourceError struct {
	Path   string
	Reason string // "is a folder", "cannot be read: permission denied" …
	Help   string
}

func (e *SourceError) Error() string { return Quote(e.Path) + " " + e.Reason }

func (e *SourceError) Hint() string { return e.Help }

// Identify opens and closes a file and returns its identity. The error is a *SourceError, as for
// openSource.
func Identify(name string) (Identity, error) {
	f, id, err := openSource(name)
	if err != nil {
		return Identity{}, err
	}
	return id, f.Close()
}

// IdentifyFile returns the identity of a file without opening it, so that the file may still be
// unreadable. The error is a *SourceError, as for openSource.
func IdentifyFile(name string) (Identity, error) {
	info, err := os.Stat(name)
	if err != nil {
		return Identity{}, NewSourceError(name, err)
	}
	return IdentityOf(info), checkMode(name, info)
}

// openSource opens a file for sending. For anything but a readable, regular, nonempty file it
// returns a *SourceError. It never blocks, not even on a pipe.
func openSource(name string) (*os.File, Identity, error) {
	// Check before opening, because opening some devices has side effects.
	if _, err := IdentifyFile(name); err != nil {
		return nil, Identity{}, err
	}
	f, err := openNonblock(name)
	if err != nil {
		return nil, Identity{}, NewSourceError(name, err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, Identity{}, NewSourceError(name, err)
	}
	if err := checkMode(name, info); err != nil {
		f.Close()
		return nil, Identity{}, err
	}
	return f, IdentityOf(info), nil
}

func checkMode(name string, info fs.FileInfo) error {
	fail := func(reason, help string) error { return &SourceError{Path: name, Reason: reason, Help: help} }
	switch mode := info.Mode(); {
	case mode.IsDir():
		return fail("is a folder", "Pick the files in it.")
	case mode&fs.ModeNamedPipe != 0:
		return fail("is a pipe, not a file", "Copy what comes out of it into a file, or send standard input with -.")
	case mode&fs.ModeSocket != 0:
		return fail("is a socket, not a file", "")
	case mode&(fs.ModeDevice|fs.ModeCharDevice) != 0:
		return fail("is a device, not a file", "")
	case !mode.IsRegular():
		return fail("is not a regular file", "")
	case info.Size() == 0:
		return fail("is empty (0 bytes): there is nothing to store", "Pick a file with content.")
	}
	return nil
}

// NewSourceError explains why a file or folder cannot be read; err is the error of the operating
// system. The error is a *SourceError.
func NewSourceError(name string, err error) error {
	to, noLink := os.Readlink(name)
	switch missing := errors.Is(err, fs.ErrNotExist); {
	case missing && noLink == nil:
		return &SourceError{Path: name, Reason: "is a link to " + Quote(to) + ", which does not exist", Help: "Restore its target, or pick another file."}
	case missing:
		return &SourceError{Path: name, Reason: "does not exist", Help: "Check the path."}
	case errors.Is(err, fs.ErrPermission):
		return &SourceError{Path: name, Reason: "cannot be read: permission denied", Help: "Get read permission, or copy the file."}
	case errors.Is(err, syscall.ELOOP) && noLink == nil:
		return &SourceError{Path: name, Reason: "is a link to " + Quote(to) + ", which leads back to itself", Help: "Pick the file itself."}
	}
	return &SourceError{Path: name, Reason: "cannot be read: " + rootCause(err)}
}

func errChanged(name string) error {
	return &SourceError{Path: name, Reason: "changed while it was being sent", Help: "Send it again once it is complete."}
}

// content is a file that is being sent. Before it returns its last bytes, it checks that the file has
// not changed, so that the upload of a changed file never completes.
type content struct {
	file     *os.File
	identity Identity // when it was opened
	left     int64    // bytes; a growing file is cut at its first size
	hash     *xxh128  // of the bytes read; nil for none
}

func (c *content) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, io.EOF
	}
	n, err := c.file.Read(p[:min(int64(len(p)), c.left)])
	if c.hash != nil { // hashed here, because another goroutine would cost more
		_, _ = c.hash.Write(p[:n]) // it returns no error
	}
	c.left -= int64(n)
	switch {
	case errors.Is(err, io.EOF):
		return n, errChanged(c.file.Name())
	case err != nil:
		return n, NewSourceError(c.file.Name(), err)
	case c.left == 0:
		// By path, because the handle of a replaced or removed file would look unchanged.
		if after, err := IdentifyFile(c.file.Name()); err != nil || !after.Same(c.identity) {
			return 0, errChanged(c.file.Name())
		}
	}
	return n, nil
}

// hashKind is the beginning of a hash: XXH128, and 32 hexadecimal digits, as xxh128sum prints
// them. It recognizes the user's own files. It is not cryptographic, but costs a small part of
// what sending does, while SHA-256 alone takes longer than sending to a nearby service.
const hashKind = "xxh128:"

// HashContent reads r until EOF and returns its hash and the number of bytes.
func HashContent(r io.Reader) (sum string, size int64, err error) {
	h := new(xxh128)
	size, err = io.CopyBuffer(h, struct{ io.Reader }{r}, make([]byte, 256<<10))
	return h.sum(), size, err
}

// HashSource returns the hash of a file, and its identity at that time. The error is a
// *SourceError.
func HashSource(name string) (string, Identity, error) {
	f, before, err := openSource(name)
	if err != nil {
		return "", Identity{}, err
	}
	defer f.Close()
	sum, _, err := HashContent(f)
	if err != nil {
		return "", before, NewSourceError(name, err)
	}
	after, err := Identify(name)
	if err != nil {
		return "", before, err
	}
	if !after.Same(before) {
		return "", before, &SourceError{Path: name, Reason: "changed while it was being read", Help: "Try again once it is complete."}
	}
	return sum, before, nil
}

type xxh128 struct{ xxh3.Hasher }

func (h *xxh128) sum() string {
	sum := h.Sum128().Bytes()
	return hashKind + hex.EncodeToString(sum[:])
}
