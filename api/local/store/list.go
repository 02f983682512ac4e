package store

import (
	"database/sql"
	"fmt"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"mediadesk/api"
)

// condition is a piece of SQL with its arguments.
type condition struct {
	sql  string
	args []any
}

func joined(parts []condition, with string) condition {
	if len(parts) == 0 {
		return condition{sql: "1"}
	}
	var texts []string
	var c condition
	for _, p := range parts {
		texts = append(texts, "("+p.sql+")")
		c.args = append(c.args, p.args...)
	}
	c.sql = strings.Join(texts, with)
	return c
}

// limits ends a query of which a part is wanted. A bare parameter would have
// the database prepare the statement anew for each number.
const limits = "LIMIT ?+0 OFFSET ?+0"

// sql is the query for the ids of what is listed, with its arguments; empty
// where nothing is to be listed.
func (q *Query) sql() (string, []any) {
	var parts []string
	var args []any
	if q.Files {
		c := joined(q.fileConditions(api.TypeFile), " AND ")
		parts = append(parts, "SELECT 0 AS folder_row, id, folder AS place, name_key AS name, created, updated, height, width, size FROM files WHERE "+c.sql)
		args = append(args, c.args...)
	}
	if q.Earlier {
		c := joined(q.fileConditions(api.TypeVersion), " AND ")
		parts = append(parts, "SELECT 2 AS folder_row, id, folder AS place, name_key AS name, created, updated, height, width, size FROM ("+earlier+") AS files WHERE "+c.sql)
		args = append(args, c.args...)
	}
	if q.Folders {
		c := joined(q.folderConditions(), " AND ")
		parts = append(parts, "SELECT 1 AS folder_row, id, parent AS place, name, created, updated, 0 AS height, 0 AS width, 0 AS size FROM folders WHERE "+c.sql)
		args = append(args, c.args...)
	}
	if len(parts) == 0 {
		return "", nil
	}
	order, direction := q.order()
	// Rows of the same instant keep one order, so that pages fit together. It
	// is that of the tables, so that an index gives it without sorting.
	terms := []string{string(order), "place", "name"}
	if order == ByName {
		terms = terms[:2]
	}
	query := fmt.Sprintf("%s ORDER BY %s %s %s", strings.Join(parts, " UNION ALL "), strings.Join(terms, " "+direction+", "), direction, limits)
	return query, append(args, q.Limit, q.Skip)
}

func (q *Query) order() (column Order, direction string) {
	direction = "ASC"
	if q.Descending {
		direction = "DESC"
	}
	switch q.Order {
	case ByName, ByUpdated, ByHeight, ByWidth, BySize:
		return q.Order, direction
	}
	return ByCreated, direction
}

// entries reads the files that a query gives.
func (t *sqlTx) entries(query string, args ...any) ([]Entry, error) {
	var list []Entry
	row := newFileRow()
	err := t.each(func(rows *sql.Rows) error {
		f, err := row.scan(rows)
		list = append(list, Entry{File: f})
		return err
	}, query, args...)
	return list, err
}

func (t *sqlTx) List(q Query) ([]Entry, error) {
	if q.Files {
		var err error
		if q.narrowed, err = t.narrow(&q); err != nil {
			return nil, err
		}
		if !q.Folders && !q.Earlier && q.Skip <= fewSkipped {
			return t.listFiles(&q)
		}
	}
	query, args := q.sql()
	if query == "" {
		return nil, nil
	}
	type key struct {
		kind int
		id   string
	}
	var keys []key
	err := t.each(func(rows *sql.Rows) error {
		var k key
		var rest [7]any
		if err := rows.Scan(&k.kind, &k.id, &rest[0], &rest[1], &rest[2], &rest[3], &rest[4], &rest[5], &rest[6]); err != nil {
			return err
		}
		keys = append(keys, k)
		return nil
	}, query, args...)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, 0, len(keys))
	for _, k := range keys {
		var e Entry
		var err error
		switch k.kind {
		case 1:
			e.Folder, err = t.folder(k.id)
		case 2:
			e.Earlier, err = t.earlier(k.id)
		default:
			e.File, err = t.File(k.id)
		}
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func (t *sqlTx) folder(id string) (*Folder, error) {
	f := &Folder{ID: id}
	var created, updated int64
	err := t.row("SELECT path, name, created, updated FROM folders WHERE id = ?", id).Scan(&f.Path, &f.Name, &created, &updated)
	f.Created, f.Updated = time.UnixMilli(created), time.UnixMilli(updated)
	return f, notFound(err)
}

// fileConditions are those for files, or for earlier versions of them.
func (q *Query) fileConditions(row string) []condition {
	var c []condition
	if q.Folder != "" {
		c = append(c, condition{"folder = ?", []any{norm.NFC.String(q.Folder)}})
	}
	if q.Kind != "" {
		c = append(c, condition{"kind = ?", []any{q.Kind}})
	}
	if len(q.Tags) > 0 {
		c = append(c, tagCondition(q.Tags))
	}
	if q.Match != nil {
		c = append(c, q.Match.condition(row))
	}
	if row == api.TypeFile {
		c = append(c, q.narrowed...)
	}
	return c
}

func (q *Query) folderConditions() []condition {
	var c []condition
	if q.Folder != "" {
		c = append(c, condition{"parent = ?", []any{norm.NFC.String(q.Folder)}})
	}
	// Folders have a name and times, nothing else that can be asked for.
	if q.Kind != "" || len(q.Tags) > 0 {
		c = append(c, condition{sql: "0"})
	}
	if q.Match != nil {
		c = append(c, q.Match.folderCondition())
	}
	return c
}

func tagCondition(tags []string) condition {
	c := condition{sql: "EXISTS (SELECT 1 FROM json_each(files.tags) WHERE value IN (" + strings.TrimSuffix(strings.Repeat("?,", len(tags)), ",") + "))"}
	for _, tag := range tags {
		c.args = append(c.args, tag)
	}
	return c
}

var matchColumns = map[string]string{
	MatchName: "name_key", MatchKind: "kind", MatchMime: "mime", MatchSize: "size", MatchWidth: "width", MatchHeight: "height",
	MatchCreated: "created", MatchUpdated: "updated", MatchPrivate: "private", MatchRegion: "region != ''",
	MatchAlpha: "has_alpha", MatchID: "id", MatchText: "description",
}

var operators = map[string]string{"=": "=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}

func (m *Match) condition(row string) condition {
	return m.build(func(m *Match) condition {
		if m.Subject == MatchRow {
			return m.row(row)
		}
		return m.single()
	})
}

// folderCondition is the condition for folders; what they do not have makes
// a condition false.
func (m *Match) folderCondition() condition {
	return m.build(func(m *Match) condition {
		switch m.Subject {
		case MatchRow:
			return m.row(api.TypeFolder)
		case MatchID:
			return m.single()
		case MatchFolder:
			c := m.folders()
			c.sql = strings.ReplaceAll(c.sql, "folder", "parent")
			return c
		case MatchName:
			c := m.single()
			c.sql = strings.ReplaceAll(c.sql, "name_key", "name")
			return c
		case MatchCreated, MatchUpdated:
			return m.single()
		}
		return condition{sql: "0"}
	})
}

func (m *Match) build(single func(*Match) condition) condition {
	var c condition
	switch {
	case m.All != nil:
		c = joinMatches(m.All, " AND ", single)
	case m.Any != nil:
		c = joinMatches(m.Any, " OR ", single)
	default:
		c = single(m)
	}
	if m.Not {
		c.sql = "NOT (" + c.sql + ")"
	}
	return c
}

func joinMatches(list []Match, with string, single func(*Match) condition) condition {
	parts := make([]condition, len(list))
	for i := range list {
		parts[i] = list[i].build(single)
	}
	return joined(parts, with)
}

func (m *Match) single() condition {
	if special := m.special(); special.sql != "" {
		return special
	}
	column := matchColumns[m.Subject]
	if column == "" {
		return condition{sql: "0"}
	}
	switch {
	case m.Op == ":":
		prefix := norm.NFC.String(m.first())
		// substr counts characters, so it fits any script; LIKE would take
		// the wildcards of a name.
		return condition{"substr(" + column + ", 1, length(?)) = ?", []any{prefix, prefix}}
	case m.Op == "in":
		c := condition{sql: column + " IN (" + strings.TrimSuffix(strings.Repeat("?,", len(m.Text)), ",") + ")"}
		for _, text := range m.Text {
			c.args = append(c.args, norm.NFC.String(text))
		}
		return c
	case operators[m.Op] == "":
		return condition{sql: "0"}
	case m.Text != nil:
		return condition{column + " " + operators[m.Op] + " ?", []any{norm.NFC.String(m.first())}}
	}
	c := condition{"(" + column + ") " + operators[m.Op] + " ?", []any{m.Number}}
	if m.Subject == MatchWidth || m.Subject == MatchHeight {
		c.sql = "(" + c.sql + " AND " + column + " > 0)" // a text is not 0 pixels wide
	}
	return c
}

func (m *Match) first() string {
	if len(m.Text) == 0 {
		return ""
	}
	return m.Text[0]
}
