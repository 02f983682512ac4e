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
	"mediadesk/api/rule"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
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

// maxFiltered is the length up to which a filter reads on: f searches the whole library.
const maxFiltered = 10_000

const listTimeout = time.Minute

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

func (o order) query() string {
	direction := text.Either(o.reverse, "DESC_", "ASC_")
	return direction + [...]string{"NAME", "CREATED", "UPDATED", "SIZE", rule.SortRelevance}[o.by]
}

func (o order) sort(files []api.File) {
	keys := make(map[string]string, len(files))
	for _, f := range files {
		keys[f.Name] = text.SortKey(f.Name)
	}
	slices.SortStableFunc(files, func(a, b api.File) int {
		n := 0
		switch o.by {
		case byCreated:
			n = rule.Created(&a).Compare(rule.Created(&b))
		case byUpdated:
			n = rule.Updated(&a).Compare(rule.Updated(&b))
		case bySize:
			n = cmp.Compare(a.Size.Or(-1), b.Size.Or(-1))
		case byName, byRelevance:
		}
		if n == 0 {
			n = cmp.Or(strings.Compare(keys[a.Name], keys[b.Name]), strings.Compare(a.Name, b.Name))
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
	search         search // empty to list the folder
	order          order
	folders, files []api.File
	skip           int   // records received of folders, then files
	foldersDone    bool  // all folders were read
	done           bool  // all files were read
	seen           bool  // from the journal, since the service does not list files
	refusal        error // why the service does not list files
	at             time.Time
	err            error // why it is outdated or incomplete
}

func (l *listing) len() int { return len(l.folders) + len(l.files) }

// key identifies the listing, for its cursor.
func (l *listing) key() string { return l.folder + "\n" + l.search.text }

// folder returns the folder being opened, or the shown one.
func (m *Model) folder() string { return cmp.Or(m.opening.folder, m.shown.folder) }

// open opens a folder; the cursor goes to the row with key land.
func (m *Model) open(folder, land string) tea.Cmd {
	m.rememberRow()
	m.landing = land
	m.list.ClearFilter()
	m.list.EndRange()
	return m.read(listing{folder: folder, order: m.order}, pageSize, false)
}

// reload rereads the folder or search as far as it was read, or the one that is being opened, and what is
// in its folders.
func (m *Model) reload() tea.Cmd {
	m.sheet.Forget()
	m.preview.Forget()
	of := text.Either(m.opening.folder != "", &m.opening, &m.shown)
	return m.read(listing{folder: of.folder, search: of.search, order: m.order}, max(pageSize, m.shown.len()), false)
}

func (m *Model) wantMore() tea.Cmd {
	if m.busy || m.shown.at.IsZero() || m.shown.err != nil {
		return nil
	}
	if m.shown.done || m.list.Len()-m.list.Cursor() > ahead || m.filtered() && m.shown.len() >= maxFiltered {
		return nil
	}
	next, more := m.shown, pageSize
	next.folders, next.files = slices.Clone(next.folders), slices.Clone(next.files)
	if m.filtered() {
		more = maxPage
	}
	return m.read(next, next.len()+more, true)
}

// read extends a listing to want records or to its end, and cancels the previous read. more
// continues the shown listing.
func (m *Model) read(l listing, want int, more bool) tea.Cmd {
	m.stopReading()
	if m.busy = true; !more {
		m.stale = false
	}
	if l.key() != m.shown.key() {
		m.opening = l
	}
	ctx, cancel := context.WithTimeout(m.o.Context, listTimeout)
	m.stop = cancel
	s, now := m.o.Session, m.now
	// The local library lists files, so its refusal is an error.
	mayFall := !m.o.Profile.Local && l.len() == 0
	return m.reading.Ask(func() tea.Msg {
		defer cancel()
		switch l.err = l.fill(ctx, s.List, want); {
		case l.err == nil || !mayFall || !api.Unavailable(l.err):
		case !l.search.isNone():
			l.err = errors.New("this service has no search: press esc, then / to filter the folder that is shown")
		default:
			l.refusal = l.err
			l.fromSeen(ctx, s.SeenIn)
		}
		l.at = now()
		return page.Then(func() tea.Cmd { return m.got(l, more) })
	})
}

func (m *Model) stopReading() {
	if m.stop != nil {
		m.stop()
	}
	m.reading.Drop()
	m.busy, m.opening = false, listing{}
}

// fill reads pages, folders first, until the listing has want records.
func (l *listing) fill(ctx context.Context, list func(context.Context, api.Query) ([]api.File, error),
	want int,
) error {
	if !l.search.isNone() {
		l.foldersDone = true
	}
	for l.len() < want && !l.done {
		limit := max(pageSize, min(maxPage, want-l.len()))
		got, err := list(ctx, l.ask(limit))
		if err != nil {
			return err
		}
		n, before := len(got), l.len()
		l.add(got, !l.foldersDone)
		l.skip += n
		repeated := l.len() == before // the service ignores skip
		if repeated && l.foldersDone && n == limit {
			return api.ErrSamePage
		}
		if n < limit || repeated {
			l.skip, l.foldersDone, l.done = 0, true, l.foldersDone
		}
	}
	return nil
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
	if l.order.by == byRelevance && !rule.Ranks(q.Search) {
		q.Sort = order{}.query()
	}
	return q
}

// add appends a page without known files: concurrent changes move rows between pages.
func (l *listing) add(got []api.File, folders bool) {
	into := text.Either(folders, &l.folders, &l.files)
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

func (l *listing) fromSeen(ctx context.Context, seen func(context.Context, string) ([]api.File, error)) {
	l.seen = true
	var got []api.File
	if got, l.err = seen(ctx, l.folder); l.err != nil {
		return
	}
	l.foldersDone, l.done = true, true
	l.add(got, true)
	l.add(got, false)
	order{}.sort(l.folders)
	l.order.sort(l.files)
}

// got shows a listing. After an error the old one stays.
func (m *Model) got(l listing, more bool) tea.Cmd {
	m.busy, m.opening = false, listing{}
	if errors.Is(l.err, context.Canceled) {
		return nil
	}
	if m.query.open && l.err != nil {
		m.query.wrong = wrongQuery(l.err)
		m.list.Arrange()
		return nil
	}
	typed := !l.search.isNone() && l.search.text != m.shown.search.text
	if l.err != nil && typed && m.Overlays().Top() == nil {
		// Not a word of the search is lost.
		cmd := m.editQuery(l.search.text)
		m.query.wrong = wrongQuery(l.err)
		m.list.Arrange()
		return cmd
	}
	if l.err != nil && l.folder == m.shown.folder && !m.shown.at.IsZero() {
		m.shown.err, m.shown.at = l.err, l.at
		return nil
	}
	// Services order names by bytes. If all are here, they are in the order of the picker.
	if l.foldersDone {
		order{}.sort(l.folders)
	}
	if l.done && l.order.by == byName {
		l.order.sort(l.files)
	}
	same := m.shown.key() == l.key() && m.shown.order == l.order
	if m.shown = l; same {
		m.list.Hold() // the cursor stays on its file, which may have another name and place
	}
	m.list.Arrange()
	to := cmp.Or(m.landing, text.If(!same, m.cursors[l.key()]))
	if !more && !m.list.Go(to) && !same {
		m.list.GoTo(0)
	}
	m.landing = text.If(more, m.landing)
	return m.catchUp()
}

func (m *Model) rememberRow() {
	if f, ok := m.current(); ok {
		m.cursors[m.shown.key()] = keyOf(f)
	}
}

// wrongQuery is what the service says of a search, without the advice for its own language.
func wrongQuery(err error) error {
	if refused, ok := errors.AsType[*api.ServiceError](err); ok {
		if _, words, is := strings.Cut(refused.Message, "searchQuery parameter: "); is {
			return errors.New(words)
		}
	}
	return err
}

func (m *Model) rows() []kit.Group[api.File] {
	if m.common = nil; m.shown.search.isNone() { // the title of a search has no room for them
		m.common = commonTags(m.shown.files)
	}
	// What was listed before is no result.
	none := m.query.open && m.query.field.Value() != "" && (m.shown.search.isNone() || m.query.wrong != nil)
	if m.shown.len() == 0 || none {
		return nil
	}
	return []kit.Group[api.File]{{Rows: slices.Concat(m.shown.folders, m.shown.files)}}
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
	return m.inspect(false)
}

// folderPath returns the path of a folder in a listing, in the form "/a/b/".
func folderPath(parent string, f api.File) string {
	full := strings.Trim(cmp.Or(f.FolderPath, path.Join(parent, f.Name)), "/")
	return "/" + full + text.If(full != "", "/")
}

func (m *Model) parent() tea.Cmd {
	above, name := parentOf(m.folder())
	return m.open(above, "folder "+name)
}

func parentOf(folder string) (above, name string) {
	above, name = path.Split(strings.TrimRight(folder, "/"))
	return cmp.Or(above, "/"), name
}
