package library

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/page"
)

// pageSize is how many records are asked for at once; maxPage how many at most
// where many are read again.
const (
	pageSize = 200
	maxPage  = 1000
)

// maxAgain is the length up to which a listing is refreshed automatically. A
// longer one waits for the user.
const maxAgain = 2000

// ahead is how many rows before the end of what was read the next page is
// asked for.
const ahead = 60

// maxUnmatched is how many files are read for a filter without a match before the
// user must ask for more.
const maxUnmatched = 10_000

// maxHeld is how many files are kept in memory. Of a longer listing only a window
// around the cursor is kept; the rest is read again when the cursor comes near.
const maxHeld = 6000

// maxFiltered is how many files are kept for a filter, so that it can be changed
// without reading them again. Of a longer listing only the matches are kept, up to
// as many.
const maxFiltered = 30_000

// maxScanned is how many files one command reads to find matches.
const maxScanned = 5_000

// patience is how long a listing may take.
const patience = time.Minute

// by is what the files are sorted by.
type by int

const (
	byName by = iota
	byCreated
	byUpdated
	bySize
	byRelevance // of a search for words of the name; else by name
)

// order is the way the files are sorted. Folders come first, by name.
type order struct {
	by      by
	reverse bool
}

// query is the order as the service spells it.
func (o order) query() string {
	direction := "ASC_"
	if o.reverse {
		direction = "DESC_"
	}
	return direction + [...]string{"NAME", "CREATED", "UPDATED", "SIZE", api.SortRelevance}[o.by]
}

// sort sorts files that did not come sorted.
func (o order) sort(files []api.File) {
	slices.SortStableFunc(files, func(a, b api.File) int {
		n := 0
		switch o.by {
		case byCreated:
			n = a.Created().Compare(b.Created())
		case byUpdated:
			n = a.Updated().Compare(b.Updated())
		case bySize:
			n = cmp.Compare(a.Size.Or(-1), b.Size.Or(-1))
		case byName, byRelevance:
		}
		if n == 0 {
			n = cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.Name, b.Name))
		}
		if o.reverse {
			return -n
		}
		return n
	})
}

// listing is what was read of one folder: all its folders, then its files.
type listing struct {
	folder         string
	search         search     // none: the folder is listed
	first          int        // files before those that are kept
	whole          bool       // all are kept, for a filter
	only           *rowFilter // only its matches are kept; nil: all are
	scanned        int        // records that were read, kept or not
	order          order
	folders, files []api.File
	page           map[string]bool // keys of the page that was read last
	skip           int             // records that the service gave of what is being read: folders, then files
	foldersDone    bool            // every folder was read
	done           bool            // every file, too
	seen           bool            // it is what this computer has seen: the service lists nothing
	refusal        error           // what the service said to the wish to list
	at             time.Time
	err            error // why it is not newer or longer
}

func (l *listing) len() int { return len(l.folders) + len(l.files) }

type (
	// readMsg has a listing that was read.
	readMsg struct {
		listing listing
		more    bool // it goes on from what was shown
	}
	// runsMsg has how files stand by their runs.
	runsMsg standing
	// knownMsg has what is offered while the user types.
	knownMsg struct{ tags, folders []string }
)

// key names what is listed, for its cursor.
func (l *listing) key() string { return l.folder + "\n" + l.search.text }

// askKnown asks for the tags and folders that are known.
func (m *Model) askKnown() tea.Cmd {
	ctx, s := m.o.Context, m.o.Session
	return func() tea.Msg {
		tags, err := s.Tags(ctx)
		if err != nil {
			return page.Failed(err)
		}
		folders, err := s.Folders(ctx)
		if err != nil {
			return page.Failed(err)
		}
		return knownMsg{tags, folders}
	}
}

// askRuns asks how the extensions of files stand.
func (m *Model) askRuns() tea.Cmd {
	ctx, s := m.o.Context, m.o.Session
	return m.runs.Ask(func() tea.Msg {
		runs, err := s.Runs(ctx)
		if err != nil {
			return page.Failed(err)
		}
		return runsMsg(standingOf(runs))
	})
}

func (m *Model) gotRuns(now standing) {
	m.standing = now
	if m.shown.search.state != "" || strings.Contains(m.filter.Value(), isPrefix) {
		m.refilter()
	}
}

// folder is the folder being opened, else the one that is shown.
func (m *Model) folder() string {
	if m.opening != "" {
		return m.opening
	}
	return m.shown.folder
}

// open reads another folder; the cursor lands on the row of that key.
func (m *Model) open(folder, land string) tea.Cmd {
	m.rememberRow()
	next := listing{folder: folder, order: m.order}
	if land != "" {
		m.cursors[next.key()] = land
	}
	m.clearFilter()
	m.marks.ranged = false
	return m.read(next, pageSize, false)
}

// reload reads the folder again, as far as it was read.
func (m *Model) reload() tea.Cmd {
	m.rememberRow()
	if m.landing != "" {
		m.cursors[m.shown.key()], m.landing = m.landing, ""
	}
	l := listing{folder: m.folder(), order: m.order}
	if m.opening == "" {
		l.search = m.shown.search
	}
	if m.shown.first > 0 && l.folder == m.shown.folder {
		l.first, l.skip, l.scanned, l.folders, l.foldersDone = m.shown.first, m.shown.first, m.shown.first, m.shown.folders, true
		return m.read(l, len(l.folders)+max(pageSize, len(m.shown.files)), false)
	}
	return m.read(l, max(pageSize, m.shown.len()), false)
}

// wantMore reads the next page when the cursor comes near the end of what was read.
func (m *Model) wantMore() tea.Cmd {
	if m.busy || m.shown.at.IsZero() || m.shown.err != nil {
		return nil
	}
	filtered := m.filtered()
	if m.tooNarrow() {
		return m.read(listing{folder: m.shown.folder, order: m.order, search: m.shown.search, whole: filtered}, pageSize, false)
	}
	if m.shown.only != nil && m.shown.len() >= maxFiltered {
		return nil
	}
	if !filtered && m.shown.first > 0 && m.list.Cursor() < len(m.shown.folders)+ahead {
		return m.readBack()
	}
	if m.shown.done || len(m.rows)-m.list.Cursor() > ahead {
		return nil
	}
	if m.unmatched >= maxUnmatched {
		return nil
	}
	next := m.shown
	next.folders, next.files = slices.Clone(next.folders), slices.Clone(next.files)
	next.whole = filtered
	if filtered && next.only == nil && next.len() >= maxFiltered {
		next.narrow(m.rowFilter(next.search))
	}
	return m.read(next, next.len()+pageSize, true)
}

// readBack reads the files before those that are kept.
func (m *Model) readBack() tea.Cmd {
	n := min(maxPage, m.shown.first)
	next := m.shown
	next.files = slices.Clone(next.files)
	s := m.o.Session
	return m.start(next, true, func(ctx context.Context, l *listing) {
		q := l.ask(n)
		q.Skip = l.first - n
		got, err := s.List(ctx, q)
		if l.err = err; err != nil {
			return
		}
		kept := l.files
		l.files, l.first = nil, l.first-n
		l.add(got, false)
		l.add(kept, false)
		if len(l.files) > maxHeld {
			l.files = slices.Clone(l.files[:maxHeld])
			l.done, l.skip = false, l.first+maxHeld
		}
	})
}

// read extends a listing until it has want records, or all there are.
func (m *Model) read(l listing, want int, more bool) tea.Cmd {
	l.whole = l.whole || l.search.filtersHere()
	if !more {
		m.opening, m.stale = l.folder, false
	}
	s := m.o.Session
	// The local library always lists: what it refuses is an error.
	mayFall := !m.o.Profile.Local && l.len() == 0
	return m.start(l, more, func(ctx context.Context, l *listing) {
		l.err = l.fill(ctx, s.List, want)
		if l.err == nil || !mayFall || !api.Unavailable(l.err) {
			return
		}
		if l.refusal = l.err; l.search.isNone() {
			l.fromSeen(ctx, s.SeenIn)
		} else {
			l.fromFound(ctx, s.Seen)
		}
	})
}

// start runs what reads a listing; what was being read is not wanted any more.
func (m *Model) start(l listing, more bool, read func(ctx context.Context, l *listing)) tea.Cmd {
	if m.stop != nil {
		m.stop()
	}
	m.busy = true
	ctx, cancel := context.WithTimeout(m.o.Context, patience)
	m.stop = cancel
	now := m.now
	return m.reading.Ask(func() tea.Msg {
		defer cancel()
		read(ctx, &l)
		l.at = now()
		return readMsg{l, more}
	})
}

// fill reads pages, folders first, until the listing holds want records.
func (l *listing) fill(ctx context.Context, list func(context.Context, api.Query) ([]api.File, error), want int) error {
	if !l.search.isNone() {
		l.foldersDone = true
	}
	began := l.scanned
	for l.len() < want && !l.done && l.scanned-began < maxScanned+want {
		limit := max(pageSize, min(maxPage, want-l.len()))
		if l.only != nil {
			limit = maxPage
		}
		got, err := list(ctx, l.ask(limit))
		if err != nil {
			return err
		}
		n := len(got)
		if n > 0 && l.repeats(got) {
			if n == limit {
				return api.ErrSamePage
			}
			got, n = nil, 0 // it sends all at once
		}
		l.scanned += n
		if l.only != nil {
			got = slices.DeleteFunc(got, func(f api.File) bool { return !l.only.shows(&f) })
		}
		l.add(got, !l.foldersDone)
		l.skip += n
		if n < limit {
			l.skip, l.foldersDone, l.done = 0, true, l.foldersDone
			l.page = nil // a service that ignores the type sends the same for files
		}
		if n := len(l.files); n > maxHeld && !l.whole {
			l.first += n - maxHeld/2
			l.files = slices.Clone(l.files[n-maxHeld/2:])
			return nil
		}
	}
	return nil
}

// repeats reports whether a page is the same as the one before, because the service
// ignores skip. It keeps the page for the next call.
func (l *listing) repeats(page []api.File) bool {
	keys := make(map[string]bool, len(page))
	news := false
	for _, f := range page {
		key := keyOf(f)
		keys[key] = true
		news = news || !l.page[key]
	}
	l.page = keys
	return !news
}

// ask is the query for the next page.
func (l *listing) ask(limit int) api.Query {
	q := api.Query{Folder: l.folder, Type: api.TypeFolder, Sort: order{}.query(), Skip: l.skip, Limit: limit}
	if l.foldersDone {
		q.Type, q.Sort = api.TypeFile, l.order.query()
	}
	if !l.search.isNone() {
		q.Folder, q.Search, q.Kind = "", l.search.query(), l.search.kind
	}
	if l.order.by == byRelevance && !api.Ranks(q.Search) {
		q.Sort = order{}.query()
	}
	return q
}

// add appends a page without the files that came before: rows move from page to
// page while others write to the folder.
func (l *listing) add(got []api.File, folders bool) {
	into := &l.files
	if folders {
		into = &l.folders
	}
	have := make(map[string]bool, len(*into))
	for _, f := range *into {
		have[keyOf(f)] = true
	}
	for _, f := range got {
		if key := keyOf(f); !have[key] && f.IsFolder() == folders {
			have[key] = true
			*into = append(*into, f)
		}
	}
}

// fromSeen fills the listing with what this computer has seen.
func (l *listing) fromSeen(ctx context.Context, seen func(context.Context, string) ([]api.File, error)) {
	l.seen = true
	got, err := seen(ctx, l.folder)
	l.err = err
	if err != nil {
		return
	}
	l.foldersDone, l.done = true, true
	for _, f := range got {
		if f.IsFolder() {
			l.folders = append(l.folders, f)
		} else {
			l.files = append(l.files, f)
		}
	}
	order{}.sort(l.folders)
	l.order.sort(l.files)
}

// got shows a listing. If reading failed, the old one stays.
func (m *Model) got(msg readMsg) tea.Cmd {
	m.busy, m.opening = false, ""
	l := msg.listing
	if errors.Is(l.err, context.Canceled) {
		return nil
	}
	if l.err != nil && l.folder == m.shown.folder && !m.shown.at.IsZero() {
		m.shown.err, m.shown.at = l.err, l.at
		return nil
	}
	if msg.more {
		m.unmatched += l.scanned - m.shown.scanned
	}
	before, under := len(m.rows), ""
	if f, ok := m.current(); ok && msg.more && l.first != m.shown.first {
		under = keyOf(f)
	}
	m.shown = l
	m.arrange()
	if under != "" {
		m.returnTo(under)
	}
	if !m.filtered() || len(m.rows) > before {
		m.unmatched = 0
	}
	if !msg.more {
		m.returnTo(m.cursors[l.key()])
	}
	m.marks.refresh(&m.shown)
	return m.catchUp()
}

// rememberRow remembers the row under the cursor.
func (m *Model) rememberRow() {
	if f, ok := m.current(); ok {
		m.cursors[m.shown.key()] = keyOf(f)
	}
}

// returnTo puts the cursor on the row of that key, where it still is.
func (m *Model) returnTo(key string) {
	i := slices.IndexFunc(m.rows, func(f api.File) bool { return keyOf(f) == key })
	switch {
	case i >= 0:
		m.list.SetCursor(i)
	case key == "":
		m.list.SetCursor(0)
	}
}

// arrange makes the rows: the folders and then the files that match the filter. The
// cursor stays on its row, or on the next one that is left.
func (m *Model) arrange() {
	old, cursor := m.rows, m.list.Cursor()
	defer func() {
		if cursor >= len(old) || cursor < len(m.rows) && keyOf(m.rows[cursor]) == keyOf(old[cursor]) {
			return
		}
		now := make(map[string]int, len(m.rows))
		for i := range m.rows {
			now[keyOf(m.rows[i])] = i
		}
		for _, f := range old[cursor:] {
			if i, ok := now[keyOf(f)]; ok {
				m.list.SetCursor(i)
				return
			}
		}
	}()
	m.rows = make([]api.File, 0, m.shown.len())
	shown := m.rowFilter(m.shown.search)
	for _, files := range [][]api.File{m.shown.folders, m.shown.files} {
		for i := range files {
			if shown.shows(&files[i]) {
				m.rows = append(m.rows, files[i])
			}
		}
	}
	m.list.SetLen(len(m.rows))
}

// enter opens the folder under the cursor, or the details of the marked files, or of the
// file under it.
func (m *Model) enter() tea.Cmd {
	f, ok := m.current()
	switch {
	case !ok:
		return nil
	case f.IsFolder():
		return m.open(folderPath(m.shown.folder, f), "")
	}
	return m.inspect()
}

// folderPath is the path of a folder in a listing, in the form "/a/b/".
func folderPath(parent string, f api.File) string {
	full := f.FolderPath
	if full == "" {
		full = path.Join(parent, f.Name)
	}
	if full = "/" + strings.Trim(full, "/"); full == "/" {
		return full
	}
	return full + "/"
}

// parent opens the folder above; the cursor lands on the one that was left.
func (m *Model) parent() tea.Cmd {
	above, name := parentOf(m.folder())
	return m.open(above, "folder "+name)
}

func parentOf(folder string) (above, name string) {
	above, name = path.Split(strings.TrimRight(folder, "/"))
	if above == "" {
		above = "/"
	}
	return above, name
}
