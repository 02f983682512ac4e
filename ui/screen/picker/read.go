package picker

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/page"
)

// snapshot is what is known about a folder. Its entries are immutable; later snapshots of a generation only append.
type snapshot struct {
	gen     int
	folder  string
	entries []entry
	done    bool      // all entries are read
	changed time.Time // modification time of the folder before reading
	kinds   int       // changes when link targets become known after reading
}

// snapshotMsg carries a part of a folder.
type snapshotMsg struct {
	snapshot
	first bool
	gone  string // the requested folder, if it does not exist
	land  string // the name to land on
	err   error
	links []int32 // links with unknown targets
	rest  *reader // reads the rest; nil if done
}

// A folder is read in parts. The first is small, so that rows appear within milliseconds. Later parts have growing time
// limits, so that a slow disk shows progress and sorting costs less than reading.
const (
	firstPart  = 2000
	firstTime  = 15 * time.Millisecond
	partTime   = 150 * time.Millisecond
	readAtOnce = 1000
)

// reader reads a folder in parts. Only one command uses it at a time.
type reader struct {
	disk    *disk
	dir     *os.File
	gen     int
	folder  string
	entries []entry
	handed  int           // number of entries in earlier snapshots
	links   []int32       // links with unknown targets
	time    time.Duration // time limit of the next part
	changed time.Time
}

// open opens another folder. The old one stays until the first part arrives. The cursor moves to the name land if it exists.
func (m *Model) open(folder, land string) tea.Cmd {
	m.readGen++
	gen := m.readGen
	m.opening = folder
	if e, ok := m.current(); ok {
		m.cursors[m.shown.folder] = e.name
	}
	d := m.disk
	return func() tea.Msg { return openFolder(d, gen, folder, land) }
}

// reload reads the folder again unless a read is running. The cursor stays.
func (m *Model) reload() tea.Cmd {
	if m.shown.folder == "" || m.opening != "" || !m.reading.done {
		return nil
	}
	return m.open(m.shown.folder, "")
}

// openFolder opens a folder or its nearest existing parent and reads the first part.
func openFolder(d *disk, gen int, asked, land string) tea.Msg {
	msg := snapshotMsg{snapshot: snapshot{gen: gen}, first: true, land: land}
	folder, err := filepath.Abs(asked) // "" is the working directory
	if err != nil {
		msg.err = fmt.Errorf("the working directory cannot be found: %w", rootCause(err))
		return msg
	}
	for msg.folder = folder; ; msg.folder = filepath.Dir(msg.folder) {
		// Opening a pipe would block.
		info, err := os.Stat(msg.folder)
		switch {
		case err == nil && info.IsDir():
		case err == nil:
			msg.land = filepath.Base(msg.folder)
			continue
		case missing(err) && filepath.Dir(msg.folder) != msg.folder:
			msg.gone, msg.land = folder, ""
			continue
		default:
			msg.err = folderProblem(msg.folder, err)
			return msg
		}
		break
	}
	dir, err := os.Open(msg.folder)
	if err != nil {
		msg.err = folderProblem(msg.folder, err)
		return msg
	}
	r := &reader{disk: d, dir: dir, gen: gen, folder: msg.folder}
	if info, err := dir.Stat(); err == nil {
		r.changed = info.ModTime()
	}
	return r.next(msg)
}

// missing reports whether err means that a part of the path does not exist.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// next reads the next part into msg.
func (r *reader) next(msg snapshotMsg) snapshotMsg {
	begin, first := time.Now(), r.time == 0
	if first {
		r.time = firstTime
	}
	var err error
	for err == nil && time.Since(begin) < r.time && (!first || len(r.entries) < firstPart) {
		var found []fs.DirEntry
		found, err = r.dir.ReadDir(readAtOnce)
		r.keep(found)
	}
	r.time = max(partTime, 2*r.time)
	r.follow()
	msg.gen, msg.folder, msg.changed = r.gen, r.folder, r.changed
	msg.entries = r.entries[:len(r.entries):len(r.entries)]
	r.handed = len(r.entries)
	if err == nil {
		msg.rest = r
		return msg
	}
	_ = r.dir.Close() // read only
	msg.done, msg.rest, msg.links = true, nil, r.links
	if !errors.Is(err, io.EOF) {
		msg.err = folderProblem(r.folder, err)
	}
	return msg
}

// keep appends what was read to the entries.
func (r *reader) keep(found []fs.DirEntry) {
	for _, d := range found {
		e := entry{name: d.Name(), kind: kindOf(d.Type())}
		if d.Type()&fs.ModeSymlink != 0 {
			e.kind, e.link = kindLink, true
			r.links = append(r.links, int32(len(r.entries)))
		}
		r.entries = append(r.entries, e)
	}
}

// follow resolves links for a moment. Earlier snapshots are immutable, so changing one of their entries copies all.
func (r *reader) follow() {
	if len(r.links) == 0 {
		return
	}
	entries := r.entries
	silent, left := follow(r.disk, r.folder, r.entries, r.links, linkTime, linkTime, func(row int32, k kind) {
		if int(row) < r.handed && &entries[0] == &r.entries[0] {
			entries = slices.Clone(entries)
		}
		entries[row].kind = k
	})
	r.entries, r.links = entries, append(silent, left...)
}

// snapshot shows a part of a folder.
func (m *Model) snapshot(msg snapshotMsg) tea.Cmd {
	if msg.gen != m.readGen {
		if msg.rest == nil {
			return nil
		}
		return func() tea.Msg { _ = msg.rest.dir.Close(); return nil }
	}
	m.opening = ""
	if msg.err != nil && len(msg.entries) == 0 {
		return m.cannotOpen(msg)
	}
	m.problem = nil
	m.reading = msg.snapshot
	var cmds []tea.Cmd
	if msg.first {
		cmds = append(cmds, m.arrive(msg))
	}
	if msg.err != nil {
		cmds = append(cmds, page.Send(problem(msg.err)))
	}
	if msg.rest != nil {
		rest := msg.rest
		cmds = append(cmds, func() tea.Msg { return rest.next(snapshotMsg{}) })
	}
	cmds = append(cmds, m.followLinks(msg.links, partTime))
	return tea.Batch(append(cmds, m.arrange(false))...)
}

// arrive prepares the screen for the first part of a folder.
func (m *Model) arrive(msg snapshotMsg) tea.Cmd {
	var gone tea.Cmd
	m.land = msg.land
	if msg.folder != m.shown.folder {
		m.moved, m.ranged = false, false
		m.recent = slices.Insert(without(m.recent, msg.folder), 0, msg.folder)
		m.recent = m.recent[:min(len(m.recent), recentKept)]
		gone = m.sheet.Delete()
		m.sheet.Forget()
		m.filter.SetValue("")
		m.land = cmp.Or(m.land, m.cursors[msg.folder])
	}
	if msg.gone == "" {
		return gone
	}
	return tea.Batch(gone, toast(page.Warn, fmt.Sprintf("%q does not exist. This is the nearest folder above it.", msg.gone)))
}

// cannotOpen keeps the current folder. If there is none, the list shows the error.
func (m *Model) cannotOpen(msg snapshotMsg) tea.Cmd {
	if m.shown.folder == "" {
		m.problem = msg.err
		m.shown.folder = msg.folder
		m.reading = snapshot{gen: msg.gen, folder: msg.folder, done: true}
	}
	return page.Send(problem(msg.err))
}

// folderError tells why a folder cannot be shown.
type folderError struct {
	folder, reason, help string
}

func (e *folderError) Error() string { return fmt.Sprintf("%q %s", e.folder, e.reason) }

func (e *folderError) Hint() string { return e.help }

func folderProblem(folder string, err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return &folderError{folder, "cannot be read: permission denied", "Ask for read permission, or pick from another folder."}
	case missing(err):
		return &folderError{folder, "does not exist", "Pick from another folder."}
	case errors.Is(err, errNoAnswer):
		return noAnswer(folder)
	}
	return &folderError{folder, "cannot be read: " + rootCause(err).Error(), ""}
}

// rootCause returns the innermost error, because the message already names the path.
func rootCause(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err
}

// problem returns a warning: an unusable entry is not a program failure.
func problem(err error) page.Toast {
	t := page.Problem(err)
	t.Level = page.Warn
	return t
}
