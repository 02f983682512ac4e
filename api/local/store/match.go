package store

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// earlier are the versions that are not the current ones, with the columns of
// a file.
const earlier = `SELECT v.id AS id, f.folder AS folder, f.name_key AS name_key, f.private AS private, f.tags AS tags, f.ai_tags AS ai_tags,
	f.region AS region, f.metadata AS metadata, f.description AS description, v.id AS version_id,
	v.size AS size, v.mime AS mime, v.kind AS kind, v.width AS width, v.height AS height, v.has_alpha AS has_alpha,
	v.created AS created, v.created AS updated
	FROM versions v JOIN files f ON f.id = v.file_id WHERE v.id != f.version_id`

// earlier reads a file with the version of the given id in place of its own.
func (t *sqlTx) earlier(versionID string) (*File, error) {
	var id string
	if err := t.row("SELECT file_id FROM versions WHERE id = ?", versionID).Scan(&id); err != nil {
		return nil, notFound(err)
	}
	f, err := t.File(id)
	if err != nil {
		return nil, err
	}
	v, err := t.Version(versionID)
	if err != nil {
		return nil, err
	}
	f.Version, f.Updated = *v, v.Created
	return f, nil
}

// special is the condition of a match that is more than a comparison of a column;
// empty for the rest.
func (m *Match) special() condition {
	switch m.Subject {
	case MatchFolder:
		return m.folders()
	case MatchTags:
		return m.tags("files.tags", "value")
	case MatchAITags:
		return m.tags("files.ai_tags", "json_extract(value, '$.name')")
	case MatchFormat:
		return m.format()
	case MatchCustom:
		return m.metadata("json_each(files.metadata) AS m", "1")
	case MatchCamera:
		return m.metadata("versions AS owner, json_each(owner.embedded) AS m", "owner.id = files.version_id")
	}
	switch m.Op {
	case "has":
		return m.hasAll(matchColumns[m.Subject])
	case "exists":
		return condition{sql: matchColumns[m.Subject] + " != ''"}
	}
	return condition{}
}

// row compares the kind of a row, which the query knows.
func (m *Match) row(kind string) condition {
	if slices.Contains(m.Text, kind) {
		return condition{sql: "1"}
	}
	return condition{sql: "0"}
}

func (m *Match) folders() condition {
	var parts []condition
	for _, folder := range m.Text {
		folder = norm.NFC.String(folder)
		if m.Op == ":" {
			first, last := below(folder)
			parts = append(parts, condition{"folder >= ? AND folder < ?", []any{first, last}})
			continue
		}
		parts = append(parts, condition{"folder = ?", []any{folder}})
	}
	return joined(parts, " OR ")
}

// tags looks into a JSON list of a file.
func (m *Match) tags(list, value string) condition {
	switch m.Op {
	case "exists":
		return condition{sql: list + " IS NOT NULL"}
	case "has":
		return element(list, m.hasAll(value))
	case ":":
		return element(list, condition{"substr(" + value + ", 1, length(?)) = ?", []any{m.first(), m.first()}})
	}
	return element(list, in(value, m.Text))
}

// endings are those that a type of content goes by, where it is not the
// type's second part.
var endings = map[string]string{
	"jpg": "image/jpeg", "jpeg": "image/jpeg", "svg": "image/svg+xml", "ico": "image/x-icon", "txt": "text/plain", "js": "text/javascript",
	"md": "text/plain", "mov": "video/quicktime", "mp3": "audio/mpeg",
}

func (m *Match) format() condition {
	var parts []condition
	for _, text := range m.Text {
		name := strings.ToLower(strings.TrimPrefix(path.Clean(text), "."))
		if mime := endings[name]; mime != "" {
			parts = append(parts, condition{"mime = ?", []any{mime}})
			continue
		}
		parts = append(parts, condition{"substr(mime, instr(mime, '/') + 1) = ?", []any{name}})
	}
	return joined(parts, " OR ")
}

// hasAll wants every word of the text, whatever its case.
func (m *Match) hasAll(value string) condition {
	parts := []condition{{sql: value + " IS NOT NULL"}}
	for _, text := range m.Text {
		for _, word := range strings.Fields(norm.NFC.String(text)) {
			// lower knows ASCII only, so a word is looked for as it is, too.
			parts = append(parts, condition{"instr(lower(" + value + "), ?) > 0 OR instr(" + value + ", ?) > 0", []any{strings.ToLower(word), word}})
		}
	}
	return joined(parts, " AND ")
}

// metadata looks into a JSON object; a list there counts as each of its
// elements.
func (m *Match) metadata(from, where string) condition {
	c := condition{sql: "EXISTS (SELECT 1 FROM " + from + ", json_each(CASE m.type WHEN 'array' THEN m.value ELSE json_array(m.value) END) AS e WHERE " + where + " AND m.key = ?", args: []any{m.Key}}
	value := "e.value"
	switch {
	case m.Op == "exists":
		c.sql += " AND m.type != 'null'"
	case m.Op == "has":
		words := m.hasAll(value)
		c.sql, c.args = c.sql+" AND "+words.sql, append(c.args, words.args...)
	case m.Op == ":" && len(m.Values) == 1:
		c.sql, c.args = c.sql+" AND substr("+value+", 1, length(?)) = ?", append(c.args, m.Values[0], m.Values[0])
	case m.Op == "in":
		values := in(value, m.Values)
		c.sql, c.args = c.sql+" AND "+values.sql, append(c.args, values.args...)
	case operators[m.Op] != "" && len(m.Values) == 1:
		// A number is never more or less than a text.
		c.sql += " AND (typeof(" + value + ") = 'text') = (typeof(?) = 'text') AND " + value + " " + operators[m.Op] + " ?"
		c.args = append(c.args, m.Values[0], m.Values[0])
	default:
		return condition{sql: "0"}
	}
	c.sql += ")"
	return c
}
