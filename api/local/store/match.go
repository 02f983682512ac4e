package store

import (
	"database/sql/driver"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"modernc.org/sqlite"
)

// earlier selects the versions that are not current, with the columns of a file.
const earlier = `SELECT v.id AS id, f.folder AS folder, f.name_key AS name_key, f.private AS private, f.tags AS tags, f.ai_tags AS ai_tags,
	f.region AS region, f.metadata AS metadata, f.description AS description, v.id AS version_id,
	v.size AS size, v.mime AS mime, v.kind AS kind, v.width AS width, v.height AS height, v.has_alpha AS has_alpha, v.unpublished AS unpublished,
	v.created AS created, v.created AS updated
	FROM versions v JOIN files f ON f.id = v.file_id WHERE v.id != f.version_id`

// earlier returns a file with the given version in place of the current one.
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

// special returns the condition of a match that is more than a column comparison, else an empty
// one.
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

// row compares the kind of a row, which is known from the query.
func (m *Match) row(kind string) condition {
	if slices.Contains(m.Text, kind) {
		return condition{sql: "TRUE"}
	}
	return condition{sql: "FALSE"}
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

// tags matches elements of a JSON list.
func (m *Match) tags(list, value string) condition {
	switch m.Op {
	case "exists":
		return condition{sql: list + " IS NOT NULL"}
	case "has":
		return element(list, m.has(value))
	}
	return element(list, in(value, m.Text))
}

// endings maps MIME types to format names where these differ from the subtype.
var endings = map[string]string{
	"jpg": "image/jpeg", "jpeg": "image/jpeg", "svg": "image/svg+xml", "ico": "image/x-icon", "txt": "text/plain", "js": "text/javascript",
	"md": "text/plain", "mov": "video/quicktime", "mp3": "audio/mpeg", "ts": "video/mp2t", "m3u8": "application/vnd.apple.mpegurl",
	"swf": "application/x-shockwave-flash", "eot": "application/vnd.ms-fontobject",
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
		parts := make([]condition, len(m.Values))
		for i, value := range m.Values {
			parts[i] = compared("=", value)
		}
		found = joined(parts, " OR ")
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
	sqlite.MustRegisterDeterministicScalarFunction("has_words", 2, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		text, _ := args[0].(string)
		query, _ := args[1].(string)
		return wordsMatch(text, query), nil
	})
}

// wordsMatch reports whether text contains every word of query, in any case; the last one as a
// prefix. Spaces and punctuation separate words.
func wordsMatch(text, query string) bool {
	have, want := splitAtPunctuation(text), splitAtPunctuation(query)
	for i, word := range want {
		last := i == len(want)-1
		if !slices.ContainsFunc(have, func(w string) bool { return w == word || last && strings.HasPrefix(w, word) }) {
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
