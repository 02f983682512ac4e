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

// pageSize is the number of records per request, maxPage the maximum when rereading.
const (
	pageSize = 200
	maxPage  = 1000
)

// maxAgain is the length up to which a listing is refreshed automatically.
const maxAgain = 2000

// ahead is the distance from the end at which the next page is loaded.
const ahead = 60

// maxUnmatched limits the files read without a match before the user must ask for more.
const maxUnmatched = 10_000

// maxHeld limits the files in memory. Of longer listings only a window around the cursor is kept.
const maxHeld = 6000

// maxFiltered limits the files kept for changing a filter without rereading. Of longer listings
// only matches are kept.
const maxFiltered = 30_000

// maxScanned limits the files that one command reads to find matches.
const maxScanned = 5_000

// patience limits the time for a listing.
const patience = time.Minute

// by is the sort key of files.
type by int

const (
	byName by = iota
	byCreated
	byUpdated
	bySize
	byRelevance // for a search by name; otherwise by name
)

// order is the sort order of files. Folders come first, by name.
type order struct {
	by      by
	reverse bool
}

// query returns the order in the service's spelling.
func (o order) query() string {
	direction := "ASC_"
	if o.reverse {
		direction = "DESC_"
	}
	return direction + [...]string{"NAME", "CREATED", "UPDATED", "SIZE", api.SortRelevance}[o.by]
}

// sort sorts files that arrived unsorted.
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

// listing holds what was read of a folder: all folders, then files.
type listing struct {
	folder         string
	search         search     // empty to list the folder
	first          int        // number of files before the kept ones
	whole          bool       // all are kept, for a filter
	only           *rowFilter // only its matches are kept; may be nil
	scanned        int        // records read, kept or not
	order          order
	folders, files []api.File
	page           map[string]bool // keys of the last page
	skip           int             // records received of folders, then files
	foldersDone    bool            // all folders were read
	done           bool            // all files were read
	seen           bool            // from the journal, since the service does not list files
	refusal        error           // why the service does not list files
	at             time.Time
	err            error // why it is outdated or incomplete
}

func (l *listing) len() int { return len(l.folders) + len(l.files) }

// readMsg has a listing that was read.
type readMsg struct {
	listing listing
	more    bool // continues the shown listing
}

// key identifies the listing, for its cursor.
func (l *listing) key() string { return l.folder + "\n" + l.search.text }

// askRuns reads the run states of files.
func (m *Model) askRuns() tea.Cmd {
	ctx, s := m.o.Context, m.o.Session
	return m.runs.Ask(func() tea.Msg {
		runs, err := s.Runs(ctx)
		if err != nil {
			return page.Failed(err)
		}
		now := standingOf(runs)
		return page.Do(func() { m.gotRuns(now) })
	})
}

func (m *Model) gotRuns(now standing) {
	m.standing = now
	if m.shown.search.state != "" || strings.Contains(m.filter.Value(), isPrefix) {
		m.refilter()
	}
}

// folder returns the folder being opened, or the shown one.
func (m *Model) folder() string {
	return cmp.Or(m.opening, m.shown.folder)
}

// open opens a folder; the cursor goes to the row with key land.
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

// reload rereads the folder as far as it was read.
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

// wantMore reads the next page when the cursor is near the end.
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

// readBack reads the files before the kept ones.
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

// read extends a listing to want records or to its end.
func (m *Model) read(l listing, want int, more bool) tea.Cmd {
	l.whole = l.whole || l.search.filtersHere()
	if !more {
		m.opening, m.stale = l.folder, false
	}
	s := m.o.Session
	// The local library lists files, so its refusal is an error.
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

// start runs a read and cancels the previous one.
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
		return page.Then(func() tea.Cmd { return m.got(readMsg{l, more}) })
	})
}

// fill reads pages, folders first, until the listing has want records.
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
			l.page = nil // a service that ignores the type repeats the page for files
		}
		if n := len(l.files); n > maxHeld && !l.whole {
			l.first += n - maxHeld/2
			l.files = slices.Clone(l.files[n-maxHeld/2:])
			return nil
		}
	}
	return nil
}

// repeats reports whether a page equals the previous one, because the service ignores skip. It
// keeps the page for the next call.
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

// ask returns the query for the next page.
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

// add appends a page without known files: concurrent changes move rows between pages.
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

// fromSeen fills the listing from the journal.
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

// got shows a listing. After an error the old one stays.
func (m *Model) got(msg readMsg) tea.Cmd {
	m.busy, m.opening = false, ""
	l := msg.listing
	if errors.Is(l.err, context.Canceled) {
		return nil
	}
	if l.err != nil && !l.search.isNone() && l.search.text != m.shown.search.text && m.Overlays().Top() == nil {
		// Not a word of the search is lost.
		cmd := m.editQuery(l.search.text)
		m.query.wrong = l.err
		return cmd
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

// rememberRow remembers the current row.
func (m *Model) rememberRow() {
	if f, ok := m.current(); ok {
		m.cursors[m.shown.key()] = keyOf(f)
	}
}

// returnTo moves the cursor to the row with the key, if it exists.
func (m *Model) returnTo(key string) {
	i := slices.IndexFunc(m.rows, func(f api.File) bool { return keyOf(f) == key })
	switch {
	case i >= 0:
		m.list.SetCursor(i)
	case key == "":
		m.list.SetCursor(0)
	}
}

// arrange builds the rows: folders, then files that match the filter. The cursor stays on its row
// or goes to the next one.
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

// enter opens the current folder, or the details of the marked files or the current one.
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

// folderPath returns the path of a folder in a listing, in the form "/a/b/".
func folderPath(parent string, f api.File) string {
	full := cmp.Or(f.FolderPath, path.Join(parent, f.Name))
	if full = "/" + strings.Trim(full, "/"); full == "/" {
		return full
	}
	return full + "/"
}

// parent opens the parent folder; the cursor goes to the folder just left.
func (m *Model) parent() tea.Cmd {
	above, name := parentOf(m.folder())
	return m.open(above, "folder "+name)
}

func parentOf(folder string) (above, name string) {
	above, name = path.Split(strings.TrimRight(folder, "/"))
	above = cmp.Or(above, "/")
	return above, name
}
