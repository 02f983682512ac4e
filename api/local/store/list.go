package store

import (
	"cmp"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"modernc.org/sqlite"

	"mediadesk/api"
	"mediadesk/api/rule"
)

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

func joinedAll[T any](values []T, with string, each func(T) condition) condition {
	return joined(rule.Mapped(values, each), with)
}

// limits ends a query. With bare parameters each number would get its own prepared statement.
const limits = "LIMIT ?+0 OFFSET ?+0"

// sql returns the query for the keys of a listing, each a type and an id; "" for nothing.
func (q *Query) sql() (string, []any) {
	var parts []string
	var args []any
	add := func(requested bool, row, folder, name, sizes, from string) {
		if requested {
			c := q.conditions(row)
			parts = append(parts, "SELECT '"+row+" ' || id AS key, "+folder+" AS place, "+name+" AS name, created, updated, "+sizes+
				", -length("+name+") AS relevance FROM "+from+" WHERE "+c.sql)
			args = append(args, c.args...)
		}
	}
	add(q.Files, api.TypeFile, "folder", "name_key", "height, width, size", "files")
	add(q.Earlier, api.TypeVersion, "folder", "name_key", "height, width, size", "("+earlier+") AS files")
	add(q.Folders, api.TypeFolder, "parent", "name", "0 AS height, 0 AS width, 0 AS size", "folders")
	if len(parts) == 0 {
		return "", nil
	}
	ordered := q.ordered("place", "name", "relevance")
	return strings.Join(parts, " UNION ALL ") + ordered, append(args, q.Limit, q.Skip)
}

// ordered returns the end of a query with these terms. Rows of the same instant need a fixed order
// for paging. This one is that of the tables, so an index provides it.
func (q *Query) ordered(place, name, relevance string) string {
	order, direction := cmp.Or(q.Order, ByCreated), "ASC"
	terms := []string{string(order), place, name}
	switch order {
	case ByName:
		terms = []string{name, place}
	case ByRelevance:
		terms[0] = relevance
	}
	if q.Descending {
		direction = "DESC"
	}
	return fmt.Sprintf(" ORDER BY %s %s %s", strings.Join(terms, " "+direction+", "), direction, limits)
}

// List returns a listing.
func (t Files) List(q Query) ([]Entry, error) {
	if q.Files && !q.Folders && !q.Earlier {
		c := q.conditions(api.TypeFile)
		query := "SELECT " + files.read + " FROM files WHERE " + c.sql +
			q.ordered("folder", "name_key", "-length(name_key)")
		list, err := records[File](t.session, query, append(c.args, q.Limit, q.Skip)...)
		return rule.Mapped(list, func(f File) Entry { return Entry{File: &f} }), err
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
		e := &entries[i]
		switch row, id, _ := strings.Cut(key, " "); row {
		case api.TypeFolder:
			e.Folder, err = get[Folder](t.session, "id = ?", id)
		case api.TypeVersion:
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
		after := []any{norm.NFC.String(q.AfterName), norm.NFC.String(q.AfterFolder)}
		c = append(c, condition{"(name_key, folder) > (?, ?)", after})
	}
	return joined(c, " AND ")
}

var inFolders = strings.NewReplacer("name_key", "name", "folder", "parent")

func in[T any](column string, values []T) condition {
	if len(values) == 0 {
		return condition{sql: "FALSE"}
	}
	args := rule.Mapped(values, func(v T) any { return v })
	return condition{column + " IN (" + places(len(values)) + ")", args}
}

func element(list string, c condition) condition {
	return condition{"EXISTS (SELECT 1 FROM json_each(" + list + ") WHERE " + c.sql + ")", c.args}
}

var matchColumns = map[string]string{
	MatchName: "name_key", MatchSize: "size", MatchWidth: "width", MatchHeight: "height", MatchCreated: "created",
	MatchUpdated: "updated", MatchPrivate: "private", MatchAlpha: "has_alpha", MatchPublished: "1 - unpublished", MatchID: "id",
}

var ofFolders = []string{MatchID, MatchFolder, MatchName, MatchCreated, MatchUpdated}

var operators = []string{"=", "<", "<=", ">", ">="}

// condition returns the condition for rows of a kind: false for what folders do not have.
func (m *Match) condition(row string) condition {
	return m.build(func(m *Match) condition {
		switch {
		case m.Subject == MatchRow && slices.Contains(m.texts(), row): // known from the query
			return condition{sql: "TRUE"}
		case m.Subject == MatchRow:
			return condition{sql: "FALSE"}
		case row == api.TypeFolder && !slices.Contains(ofFolders, m.Subject):
			return condition{sql: "FALSE"}
		}
		return m.single()
	})
}

func (m *Match) build(single func(*Match) condition) condition {
	each := func(part Match) condition { return part.build(single) }
	var c condition
	switch {
	case m.All != nil:
		c = joinedAll(m.All, " AND ", each)
	case m.Any != nil:
		c = joinedAll(m.Any, " OR ", each)
	default:
		c = single(m)
	}
	if m.Not {
		c.sql = "NOT (" + c.sql + ")"
	}
	return c
}

func (m *Match) single() condition {
	if special := m.special(); special.sql != "" {
		return special
	}
	column := matchColumns[m.Subject]
	switch {
	case column == "" || len(m.Values) == 0:
		return condition{sql: "FALSE"}
	case m.Op == ":":
		prefix := norm.NFC.String(m.first())
		// substr counts characters in any script; LIKE would interpret wildcards in names.
		return condition{"substr(" + column + ", 1, length(?)) = ?", []any{prefix, prefix}}
	case m.Op == "in":
		// PostgreSQL has an index for "=" only; see postgres.sql.
		return joinedAll(m.Values, " OR ", func(v any) condition { return columnValue(column, "=", v) })
	case !slices.Contains(operators, m.Op):
		return condition{sql: "FALSE"}
	}
	c := columnValue(column, m.Op, m.Values[0])
	if m.Subject == MatchWidth || m.Subject == MatchHeight {
		c.sql = "(" + c.sql + " AND " + column + " > 0)" // exclude files without pixels
	}
	return c
}

func columnValue(column, operator string, value any) condition {
	if text, ok := value.(string); ok {
		return condition{column + " " + operator + " ?", []any{norm.NFC.String(text)}}
	}
	return condition{"(" + column + ") " + operator + " ?", []any{value}}
}

func (m *Match) texts() (texts []string) {
	for _, value := range m.Values {
		if text, ok := value.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

func (m *Match) first() string { return append(m.texts(), "")[0] }

const earlier = `SELECT v.id AS id, f.folder AS folder, f.name_key AS name_key,
	f.private AS private, f.tags AS tags, f.ai_tags AS ai_tags, f.region AS region, f.metadata AS metadata,
	f.description AS description, v.id AS version_id, v.size AS size, v.mime AS mime, v.kind AS kind,
	v.width AS width, v.height AS height, v.has_alpha AS has_alpha, v.unpublished AS unpublished,
	v.created AS created, v.created AS updated
	FROM versions v JOIN files f ON f.id = v.file_id WHERE v.id != f.version_id`

func (t Files) earlier(versionID string) (*File, error) {
	f, err := get[File](t.session, "id = (SELECT file_id FROM versions WHERE id = ?)", versionID)
	if err != nil {
		return nil, err
	}
	v, err := get[Version](t.session, "id = ?", versionID)
	if err != nil {
		return nil, err
	}
	f.Version, f.Updated = *v, v.Created
	return f, nil
}

// special returns a condition that is more than a column comparison, else an empty one.
func (m *Match) special() condition {
	switch m.Subject {
	case MatchFolder:
		return m.folders()
	case MatchTags:
		return joined([]condition{m.tags("files.tags", "value"), m.tags("files.ai_tags", "json_extract(value, '$.name')")}, " OR ")
	case MatchFormat:
		return m.format()
	case MatchCustom:
		return m.metadata("json_each(files.metadata) AS m", "TRUE")
	case MatchCamera:
		return m.metadata("versions AS owner, json_each(owner.embedded) AS m", "owner.id = files.version_id")
	case MatchGiven:
		return m.metadata("given, json_each(given.members) AS m", "TRUE")
	}
	if m.Op == "has" {
		return m.has(matchColumns[m.Subject])
	}
	return condition{}
}

// Meets reports whether members, compared as custom metadata are, meet a match about MatchGiven.
func (t Files) Meets(members map[string]any, m *Match) (met bool, err error) {
	text, err := json.Marshal(members)
	if err != nil {
		return false, err
	}
	c := m.build((*Match).single)
	count, err := value[int](t.session, "WITH given AS (SELECT CAST(? AS TEXT) AS members) SELECT count(*) FROM given WHERE "+c.sql, append([]any{string(text)}, c.args...)...)
	return count > 0, err
}

func (m *Match) folders() condition {
	return joinedAll(m.texts(), " OR ", func(folder string) condition {
		if m.Op == ":" {
			first, last := below(norm.NFC.String(folder))
			return condition{"folder >= ? AND folder < ?", []any{first, last}}
		}
		return columnValue("folder", "=", folder)
	})
}

func (m *Match) tags(list, value string) condition {
	switch m.Op {
	case "exists":
		return condition{sql: list + " IS NOT NULL"}
	case "has":
		return element(list, m.has(value))
	}
	return element(list, in(value, m.texts()))
}

// endings maps MIME types to format names where these differ from the subtype.
var endings = map[string]string{
	"jpg": "image/jpeg", "jpeg": "image/jpeg", "svg": "image/svg+xml", "ico": "image/x-icon", "txt": "text/plain", "js": "text/javascript",
	"md": "text/plain", "mov": "video/quicktime", "mp3": "audio/mpeg", "ts": "video/mp2t", "m3u8": "application/vnd.apple.mpegurl",
	"swf": "application/x-shockwave-flash", "eot": "application/vnd.ms-fontobject",
}

func (m *Match) format() condition {
	return joinedAll(m.texts(), " OR ", func(text string) condition {
		name := strings.ToLower(strings.TrimPrefix(path.Clean(text), "."))
		if mime := endings[name]; mime != "" {
			return condition{"mime = ?", []any{mime}}
		}
		return condition{"substr(mime, instr(mime, '/') + 1) = ?", []any{name}}
	})
}

// has matches every word of the text; see wordsMatch.
func (m *Match) has(value string) condition {
	return condition{"has_words(" + value + ", ?)", []any{m.first()}}
}

// elements selects the elements of m.value, or m.value itself if it is not a list.
const elements = "json_each(CASE m.type WHEN 'array' THEN m.value ELSE json_array(m.value) END)"

// metadata matches a value in a JSON object, or any element of a list.
func (m *Match) metadata(from, where string) condition {
	c := condition{sql: "EXISTS (SELECT 1 FROM " + from + ", " + elements + " AS e WHERE " + where + " AND m.key = ? AND ", args: []any{m.Key}}
	var found condition
	switch {
	case m.Op == "exists":
		found.sql = "m.type != 'null'"
	case m.Op == "has":
		found = m.has("e.value")
	case m.Op == ":" && len(m.Values) == 1:
		prefix, ok := m.Values[0].(string)
		if !ok {
			return condition{sql: "FALSE"}
		}
		found = condition{"substr(e.value, 1, length(?)) = ?", []any{prefix, prefix}}
	case m.Op == "in" && len(m.Values) > 0:
		found = joinedAll(m.Values, " OR ", func(v any) condition { return compared("=", v) })
	case slices.Contains(operators, m.Op) && len(m.Values) == 1:
		found = compared(m.Op, m.Values[0])
	default:
		return condition{sql: "FALSE"}
	}
	c.sql, c.args = c.sql+"("+found.sql+"))", append(c.args, found.args...)
	return c
}

// compared compares an element with a string or a number. Numbers and texts are never ordered.
func compared(operator string, value any) condition {
	if text, ok := value.(string); ok {
		return condition{"e.type = 'text' AND e.value " + operator + " ?", []any{text}}
	}
	return condition{"CASE WHEN e.type IN ('integer', 'real', 'true', 'false') THEN CAST(e.value AS DOUBLE PRECISION) " + operator + " ? ELSE FALSE END", []any{value}}
}

func init() {
	hasWords := func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		text, _ := args[0].(string)
		query, _ := args[1].(string)
		return wordsMatch(text, query), nil
	}
	sqlite.MustRegisterDeterministicScalarFunction("has_words", 2, hasWords)
}

// wordsMatch reports whether text has every word of query, in any case; the last as a prefix.
func wordsMatch(text, query string) bool {
	have, want := splitAtPunctuation(text), splitAtPunctuation(query)
	for i, word := range want {
		matches := func(w string) bool { return w == word || i == len(want)-1 && strings.HasPrefix(w, word) }
		if !slices.ContainsFunc(have, matches) {
			return false
		}
	}
	return len(want) > 0
}

func splitAtPunctuation(text string) []string {
	return strings.FieldsFunc(strings.ToLower(norm.NFC.String(text)), func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M, unicode.N)
	})
}
