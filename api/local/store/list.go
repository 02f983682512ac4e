package store

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"mediadesk/api"
)

// condition is an SQL fragment with its arguments.
type condition struct {
	sql  string
	args []any
}

func joined(parts []condition, with string) condition {
	if len(parts) == 0 {
		return condition{sql: "TRUE"}
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

// limits ends a query for part of the rows. With bare parameters the database would prepare the
// statement for every number.
const limits = "LIMIT ?+0 OFFSET ?+0"

// Kinds of rows returned by sql.
const (
	rowFile    = "0"
	rowFolder  = "1"
	rowEarlier = "2"
)

// sql returns the query for the keys of a listing, each a kind and an id, or "" if it lists
// nothing.
func (q *Query) sql() (string, []any) {
	var parts []string
	var args []any
	add := func(requested bool, kind, folder, name, sizes, from, row string) {
		if requested {
			c := q.conditions(row)
			parts = append(parts, "SELECT '"+kind+"' || id AS key, "+folder+" AS place, "+name+" AS name, created, updated, "+sizes+
				", -length("+name+") AS relevance FROM "+from+" WHERE "+c.sql)
			args = append(args, c.args...)
		}
	}
	add(q.Files, rowFile, "folder", "name_key", "height, width, size", "files", api.TypeFile)
	add(q.Earlier, rowEarlier, "folder", "name_key", "height, width, size", "("+earlier+") AS files", api.TypeVersion)
	add(q.Folders, rowFolder, "parent", "name", "0 AS height, 0 AS width, 0 AS size", "folders", api.TypeFolder)
	if len(parts) == 0 {
		return "", nil
	}
	order, direction := q.order()
	// Rows of the same instant need a fixed order for paging. This one is that of the tables, so an
	// index provides it.
	terms := []string{string(order), "place", "name"}
	if order == ByName {
		terms = terms[:2]
	}
	query := fmt.Sprintf("%s ORDER BY %s %s %s",
		strings.Join(parts, " UNION ALL "), strings.Join(terms, " "+direction+", "), direction, limits)
	return query, append(args, q.Limit, q.Skip)
}

func (q *Query) order() (column Order, direction string) {
	direction = "ASC"
	if q.Descending {
		direction = "DESC"
	}
	switch q.Order {
	case ByName, ByUpdated, ByHeight, ByWidth, BySize, ByRelevance:
		return q.Order, direction
	}
	return ByCreated, direction
}

// List returns a listing.
func (t Files) List(q Query) ([]Entry, error) {
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
	keys, err := firstColumn[string](t.session, query, args...)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, len(keys))
	for i, key := range keys {
		switch e, id := &entries[i], key[1:]; key[:1] {
		case rowFolder:
			e.Folder, err = get[Folder](t.session, "id = ?", id)
		case rowEarlier:
			e.Earlier, err = t.earlier(id)
		default:
			e.File, err = get[File](t.session, "id = ?", id)
		}
		if err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// conditions returns the conditions for rows of a kind.
func (q *Query) conditions(row string) condition {
	var c []condition
	if q.Folder != "" {
		c = append(c, condition{"folder = ?", []any{norm.NFC.String(q.Folder)}})
	}
	if q.Match != nil {
		c = append(c, q.Match.condition(row))
	}
	if row == api.TypeFolder {
		if q.Kind != "" || len(q.Tags) > 0 {
			c = append(c, condition{sql: "FALSE"}) // folders have only a name and times
		}
		all := joined(c, " AND ")
		all.sql = inFolders.Replace(all.sql)
		return all
	}
	if q.Kind != "" {
		c = append(c, condition{"kind = ?", []any{q.Kind}})
	}
	if len(q.Tags) > 0 {
		c = append(c, element("files.tags", in("value", q.Tags)))
	}
	if q.AfterName != "" {
		c = append(c, condition{"(name_key, folder) > (?, ?)", []any{norm.NFC.String(q.AfterName), norm.NFC.String(q.AfterFolder)}})
	}
	if row == api.TypeFile {
		c = append(c, q.narrowed...)
	}
	return joined(c, " AND ")
}

// inFolders converts the columns of files to those of folders.
var inFolders = strings.NewReplacer("name_key", "name", "folder", "parent")

// in returns the condition that column has one of values.
func in[T any](column string, values []T) condition {
	if len(values) == 0 {
		return condition{sql: "FALSE"}
	}
	c := condition{sql: column + " IN (" + places(len(values)) + ")"}
	for _, v := range values {
		c.args = append(c.args, v)
	}
	return c
}

// element returns the condition that an element of a JSON list meets c.
func element(list string, c condition) condition {
	return condition{"EXISTS (SELECT 1 FROM json_each(" + list + ") WHERE " + c.sql + ")", c.args}
}

var matchColumns = map[string]string{
	MatchName: "name_key", MatchSize: "size", MatchWidth: "width", MatchHeight: "height", MatchCreated: "created",
	MatchUpdated: "updated", MatchPrivate: "private", MatchAlpha: "has_alpha", MatchPublished: "1 - unpublished", MatchID: "id",
}

var operators = []string{"=", "<", "<=", ">", ">="}

// condition returns the condition for rows of a kind. Conditions on properties that folders do not
// have are false for them.
func (m *Match) condition(row string) condition {
	return m.build(func(m *Match) condition {
		switch {
		case m.Subject == MatchRow:
			return m.row(row)
		case row == api.TypeFolder && !slices.Contains([]string{MatchID, MatchFolder, MatchName, MatchCreated, MatchUpdated}, m.Subject):
			return condition{sql: "FALSE"}
		}
		return m.single()
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
		return condition{sql: "FALSE"}
	}
	switch {
	case m.Op == ":":
		prefix := norm.NFC.String(m.first())
		// substr counts characters in any script; LIKE would interpret wildcards in names.
		return condition{"substr(" + column + ", 1, length(?)) = ?", []any{prefix, prefix}}
	case m.Op == "in":
		// PostgreSQL has an index for "=" only; see postgres.sql.
		parts := []condition{{sql: "FALSE"}}
		for _, text := range m.Text {
			parts = append(parts, condition{column + " = ?", []any{norm.NFC.String(text)}})
		}
		return joined(parts, " OR ")
	case !slices.Contains(operators, m.Op):
		return condition{sql: "FALSE"}
	case m.Text != nil:
		return condition{column + " " + m.Op + " ?", []any{norm.NFC.String(m.first())}}
	}
	c := condition{"(" + column + ") " + m.Op + " ?", []any{m.Number}}
	if m.Subject == MatchWidth || m.Subject == MatchHeight {
		c.sql = "(" + c.sql + " AND " + column + " > 0)" // exclude files without pixels
	}
	return c
}

func (m *Match) first() string {
	if len(m.Text) == 0 {
		return ""
	}
	return m.Text[0]
}
