package config

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// change is one key of the settings file and what becomes of it.
type change struct {
	key   []string
	value any // string, int64 or []string; nil takes the key out, and a table with all that is in it
}

// errUneditable says that a text is written in a way that an edit would damage. No such text is known;
// the check behind it guards against the unknown one.
var errUneditable = errors.New("the settings file is written in a way that cannot be changed without disturbing it: change it in an editor")

// apply makes the changes in the text of a settings file and leaves every other character as it is.
// The text must be valid.
func apply(text string, changes []change) (string, error) {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += lineEnd(text)
	}
	for _, c := range changes {
		want, err := decodeMap(text)
		if err != nil {
			return "", err
		}
		var edited string
		if c.value == nil {
			edited = remove(text, c.key, want)
		} else {
			edited = set(text, c.key, c.value, want)
		}
		put(want, c.key, c.value)
		got, err := decodeMap(edited)
		if err != nil || !reflect.DeepEqual(prune(want), prune(got)) {
			return "", errUneditable
		}
		text = edited
	}
	return text, nil
}

func decodeMap(text string) (map[string]any, error) {
	raw := map[string]any{}
	err := toml.Unmarshal([]byte(text), &raw)
	return raw, err
}

// set gives text with key = value in it.
func set(text string, key []string, value any, raw map[string]any) string {
	places := scan(text)
	for _, e := range places {
		if e.header || !hasPrefix(key, e.key) {
			continue
		}
		if len(key) == len(e.key) {
			return text[:e.valueStart] + encode(value) + text[e.valueEnd:]
		}
		return rewriteInline(text, e, key, value, raw)
	}
	table, name := key[:len(key)-1], key[len(key)-1:]
	if at := belowItsComment(text, places, key); at >= 0 {
		return insert(text, at, joinKey(name)+" = "+encode(value))
	}
	at, spelled := insertionPoint(text, places, table)
	if at >= 0 {
		return insert(text, at, joinKey(append(spelled, name...))+" = "+encode(value))
	}
	header := "[" + joinKey(table) + "]" + lineEnd(text) + joinKey(name) + " = " + encode(value)
	if strings.TrimSpace(text) != "" {
		header = lineEnd(text) + header
	}
	return insert(text, len(text), header)
}

// insertionPoint is where a new key of a table goes, and what of the table's name is to be written
// before it: after the last key of the table, else below its header. -1 if the table is not there.
func insertionPoint(text string, places []entry, table []string) (at int, spelled []string) {
	at = -1
	dotted := false
	for _, e := range places {
		switch {
		case len(e.table) == len(table) && hasPrefix(e.table, table):
			if e.header || !dotted {
				at, spelled, dotted = e.end, nil, false
			}
		case !e.header && len(e.table) < len(table) && len(e.key) > len(table) && hasPrefix(e.key, table) && (at < 0 || dotted):
			// The table is made by dotted keys, "profiles.work.kind = …": it may have no header.
			at, spelled, dotted = e.end, slices.Clone(table[len(e.table):]), true
		}
	}
	if at < 0 && len(table) == 0 {
		return topOf(text), nil
	}
	return at, spelled
}

// belowItsComment is the place below a commented-out line of the same key at the top of a file, such as
// "# theme = …" in a new one. -1 if there is none.
func belowItsComment(text string, places []entry, key []string) int {
	if len(key) != 1 {
		return -1
	}
	end := len(text)
	for _, e := range places {
		if e.header {
			end = e.start
			break
		}
	}
	at := 0
	for line := range strings.Lines(text[:end]) {
		at += len(line)
		comment, ok := strings.CutPrefix(strings.TrimLeft(line, " \t"), "#")
		name, _, pair := strings.Cut(comment, "=")
		if ok && pair && strings.TrimSpace(name) == key[0] && !insideValue(places, at) {
			return at
		}
	}
	return -1
}

// insideValue says that a place is in the middle of a value that has several lines.
func insideValue(places []entry, at int) bool {
	return slices.ContainsFunc(places, func(e entry) bool { return e.start < at && at < e.end })
}

// topOf is where the first key of a file goes: below the comment that heads the file, if an empty
// line ends it, else at the very beginning.
func topOf(text string) int {
	at := 0
	for line := range strings.Lines(text) {
		inked := strings.Trim(line, " \t\r\n\ufeff")
		if inked == "" && at > 0 {
			break
		}
		if !strings.HasPrefix(inked, "#") {
			return byteOrderMark(text)
		}
		at += len(line)
	}
	return at
}

// byteOrderMark is the length of a byte order mark at the beginning.
func byteOrderMark(text string) int { return len(text) - len(strings.TrimPrefix(text, "\ufeff")) }

// insert puts whole lines at a place that is the beginning of a line.
func insert(text string, at int, lines string) string {
	return text[:at] + lines + lineEnd(text) + text[at:]
}

// lineEnd is the line end that a text uses.
func lineEnd(text string) string {
	if strings.Contains(text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// rewriteInline writes an inline table anew in which a key below it changed.
func rewriteInline(text string, e entry, key []string, value any, raw map[string]any) string {
	put(raw, key, value)
	var inner any = raw
	for _, part := range e.key {
		table, _ := inner.(map[string]any)
		inner = table[part]
	}
	return text[:e.valueStart] + encode(inner) + text[e.valueEnd:]
}

// remove gives text without a key or a table. What is above a header without an empty line between
// goes with it; so do the comments inside a table, but not those that head the next one.
func remove(text string, key []string, raw map[string]any) string {
	places := scan(text)
	var out strings.Builder
	kept := 0
	for i, e := range places {
		if !e.header && len(e.key) < len(key) && hasPrefix(key, e.key) && has(raw, key) {
			return rewriteInline(text, e, key, nil, raw)
		}
		if !hasPrefix(e.key, key) {
			continue
		}
		start, end := e.start, e.end
		if e.header {
			start = commentAbove(text, kept, start)
		}
		if hasPrefix(e.table, key) {
			end = sectionEnd(text, places, i)
		}
		start = max(start, kept)
		out.WriteString(text[kept:start])
		kept = max(end, kept)
	}
	if kept == len(text) && len(places) > 0 && hasPrefix(places[len(places)-1].table, key) {
		// The last table went: so do the empty lines that set it apart.
		if rest := strings.TrimRight(out.String(), " \t\r\n"); rest != "" {
			return rest + lineEnd(text)
		}
		return ""
	}
	out.WriteString(text[kept:])
	return out.String()
}

// sectionEnd is where what follows entry i in its table ends: at the next key, at the comment that heads
// the next table, or at the end of the text.
func sectionEnd(text string, places []entry, i int) int {
	if i+1 == len(places) {
		return len(text)
	}
	if next := places[i+1]; !next.header {
		return next.start
	}
	return commentAbove(text, places[i].end, places[i+1].start)
}

// commentAbove is the beginning of the block of comment lines right above the line at start, not before
// floor.
func commentAbove(text string, floor, start int) int {
	for start > floor {
		above := strings.LastIndexByte(text[:start-1], '\n') + 1
		if above < floor || !strings.HasPrefix(strings.TrimLeft(text[above:start], " \t"), "#") {
			return start
		}
		start = above
	}
	return start
}

// has says that a key is in a tree of tables.
func has(tree map[string]any, key []string) bool {
	for _, part := range key[:len(key)-1] {
		tree, _ = tree[part].(map[string]any)
	}
	_, ok := tree[key[len(key)-1]]
	return ok
}

// put sets a key in a tree of tables, or takes it out if value is nil.
func put(tree map[string]any, key []string, value any) {
	for _, part := range key[:len(key)-1] {
		next, ok := tree[part].(map[string]any)
		if !ok {
			if value == nil {
				return
			}
			next = map[string]any{}
			tree[part] = next
		}
		tree = next
	}
	last := key[len(key)-1]
	switch v := value.(type) {
	case nil:
		delete(tree, last)
	case []string:
		list := make([]any, len(v))
		for i, s := range v {
			list[i] = s
		}
		tree[last] = list
	default:
		tree[last] = value
	}
}

// prune drops the empty tables of a tree: they mean nothing in our file.
func prune(tree map[string]any) map[string]any {
	for key, value := range tree {
		if inner, ok := value.(map[string]any); ok && len(prune(inner)) == 0 {
			delete(tree, key)
		}
	}
	return tree
}

// encode writes a value as TOML.
func encode(value any) string {
	switch v := value.(type) {
	case string:
		return encodeString(v)
	case []string:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = encodeString(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = encode(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case map[string]any:
		var items []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			items = append(items, joinKey([]string{name})+" = "+encode(v[name]))
		}
		if len(items) == 0 {
			return "{}"
		}
		return "{ " + strings.Join(items, ", ") + " }"
	case int64:
		return strconv.FormatInt(v, 10)
	default:
		return fmt.Sprint(v)
	}
}

// encodeString writes a basic string on one line.
func encodeString(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < 0x20 || r >= 0x7f && r < 0xa0:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
