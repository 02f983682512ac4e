package picker

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/page"
)

type kind uint8

const (
	kindFile kind = iota
	kindFolder
	kindSpecial // pipe, socket or device
	kindBroken  // link without a target, or to itself
	kindLink    // link with an unknown target
)

// entry is a name in a folder. It is immutable.
type entry struct {
	name string // the raw bytes of the name
	kind kind
	link bool
}

func (e entry) hidden() bool { return strings.HasPrefix(e.name, ".") }

func kindOf(mode fs.FileMode) kind {
	switch {
	case mode.IsDir():
		return kindFolder
	case mode.IsRegular():
		return kindFile
	}
	return kindSpecial
}

func kindOfLink(info fs.FileInfo, err error) kind {
	switch {
	case errors.Is(err, errNoAnswer):
		return kindLink
	case err != nil:
		return kindBroken
	}
	return kindOf(info.Mode())
}

var kindNames = [...]string{kindFolder: "folder", kindSpecial: "special", kindBroken: "dead link", kindLink: "link"}

// label returns the kind for the list. For a file, it depends on the name, not on the content.
func (e entry) label() string {
	if e.kind != kindFile {
		return kindNames[e.kind]
	}
	switch ext := extension(e.name); {
	case ext == "jpg", ext == "jpeg", ext == "jpe":
		return "JPEG"
	case ext == "tif", ext == "tiff":
		return "TIFF"
	case ext == "webp":
		return "WebP"
	case ext != "" && len(ext) <= 5:
		return strings.ToUpper(ext)
	}
	return "file"
}

// extension returns the lower-case extension of a name without the dot, or "".
func extension(name string) string {
	ext := filepath.Ext(strings.TrimLeft(name, "."))
	return strings.ToLower(strings.TrimPrefix(ext, "."))
}

// info is what is known about an entry. The zero value means nothing yet.
type info struct {
	known    bool
	kind     kind
	size     int64
	items    int // number of names in a folder, up to maxItems
	modified time.Time
	target   string // raw target of a link
	problem  error  // why it cannot be used, or nil
	silent   bool   // its disk did not respond
}

func (m *Model) wantInfos() tea.Cmd {
	if m.inspecting {
		return nil
	}
	var want []entry
	for from, to := m.seenRows(); from < to; from++ {
		if e, ok := m.entryAt(from); ok && !m.folder[e.name] {
			m.folder[e.name] = true
			want = append(want, e)
		}
	}
	if len(want) == 0 {
		return nil
	}
	m.inspecting = true
	folder := m.shown.folder
	return func() tea.Msg {
		found := make([]info, len(want))
		var all sync.WaitGroup
		for i, e := range want { // one that does not respond does not delay the others
			all.Go(func() { found[i] = inspect(filepath.Join(folder, e.name), e) })
		}
		all.Wait()
		return page.Then(func() tea.Cmd {
			m.inspecting = false
			if folder != m.shown.folder {
				return nil
			}
			late := false
			for i, e := range want {
				m.infos[e.name] = found[i]
				late = late || e.link && !found[i].silent && found[i].kind != e.kind
			}
			if !late {
				return nil
			}
			// Links whose kind is known by now move to their places.
			m.shown.entries = slices.Clone(m.shown.entries) // shared with commands
			for i, e := range m.shown.entries {
				if is := m.infos[e.name]; e.link && is.known && !is.silent {
					m.shown.entries[i].kind = is.kind
				}
			}
			return m.arrange(true)
		})
	}
}

// stat is os.Stat for an entry, which may be on another disk than its folder.
func (e entry) stat(path string) (fs.FileInfo, error) {
	if e.link || e.kind == kindFolder {
		return statWithin(path, statTimeout)
	}
	return os.Stat(path)
}

// maxItems limits the names that are counted in a folder of the list.
const maxItems = 1000

// inspect returns the size and age of an entry and whether it can be used. It reads no content and
// opens nothing that could block.
func inspect(path string, e entry) info {
	i := info{known: true, size: -1, kind: e.kind}
	if e.link {
		i.target, _ = os.Readlink(path) // it may be gone
	}
	stat, err := e.stat(path)
	if e.link {
		i.kind = kindOfLink(stat, err)
	}
	switch {
	case errors.Is(err, errNoAnswer):
		i.silent, i.problem = true, noAnswer(path)
		return i
	case err != nil:
		_, i.problem = api.Identify(path) // says why
		return i
	}
	if i.modified = stat.ModTime(); stat.Mode().IsRegular() {
		i.size = stat.Size()
	}
	if !stat.IsDir() {
		_, i.problem = api.Identify(path)
	} else if dir, err := os.Open(path); err != nil {
		i.problem = folderProblem(path, err)
	} else {
		names, _ := dir.Readdirnames(maxItems) // as far as they can be read
		i.items = len(names)
		_ = dir.Close()
	}
	return i
}

// note says in a word or two why an entry cannot be used.
func (i info) note(e entry) string {
	switch {
	case i.silent:
		return "no answer"
	case i.problem == nil, e.kind != kindFile && e.kind != kindFolder:
		return ""
	case i.modified.IsZero():
		return "gone"
	case i.size == 0:
		return "empty"
	}
	return "unreadable"
}
