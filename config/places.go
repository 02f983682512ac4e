package config

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2/unstable"
)

// place is a key or a table header in the text of a settings file.
type place struct {
	key  []string // including the table
	line int      // 1-based
}

func findPlaces(text []byte) []place {
	var (
		places  []place
		table   []string
		p       unstable.Parser
		line    = 1
		counted uint32
	)
	add := func(prefix []string, key unstable.Iterator) []string {
		full := slices.Clone(prefix)
		for first := true; key.Next(); first = false {
			node := key.Node()
			if first && node.Raw.Offset > counted {
				line += bytes.Count(text[counted:node.Raw.Offset], []byte("\n"))
				counted = node.Raw.Offset
			}
			full = append(full, string(node.Data))
		}
		full[0] = strings.ToLower(full[0]) // the TOML library accepts "Theme", too
		places = append(places, place{full, line})
		return full
	}
	var addValue func(prefix []string, pair *unstable.Node)
	addValue = func(prefix []string, pair *unstable.Node) {
		key := add(prefix, pair.Key())
		if value := pair.Value(); value.Kind == unstable.InlineTable {
			for inner := value.Children(); inner.Next(); {
				addValue(key, inner.Node())
			}
		}
	}
	p.Reset(text)
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = add(nil, e.Key())
		case unstable.KeyValue:
			addValue(table, e)
		}
	}
	return places
}

// lineOf returns the 1-based line of key, or of the first entry in that table, or of its parent
// table. It returns 0 if none of them exists.
func lineOf(places []place, key []string) int {
	for ; len(key) > 0; key = key[:len(key)-1] {
		if i := slices.IndexFunc(places, func(p place) bool { return hasPrefix(p.key, key) }); i >= 0 {
			return places[i].line
		}
	}
	return 0
}

// lineIn returns the line of config.toml that sets key, or the first entry in that table; 0 if
// none does.
func (c Config) lineIn(key ...string) int {
	if slices.ContainsFunc(c.places, func(p place) bool { return hasPrefix(p.key, key) }) {
		return lineOf(c.places, key)
	}
	return 0
}

func hasPrefix(key, prefix []string) bool {
	return len(key) >= len(prefix) && slices.Equal(key[:len(prefix)], prefix)
}

// examples returns the places of the examples in default.toml, and its lines: every setting that
// exists is there. Names that a user chooses are "NAME" in them.
var examples = sync.OnceValues(func() ([]place, []string) {
	lines := strings.Split(defaultText, "\n")
	for i, line := range lines {
		example, isComment := strings.CutPrefix(line, "# ")
		if lines[i] = ""; isComment && (strings.Contains(example, " = ") || strings.HasPrefix(example, "[")) {
			lines[i] = example
		}
	}
	places := findPlaces([]byte(strings.Join(lines, "\n")))
	for _, p := range places {
		generic(p.key)
	}
	return places, lines
})

func generic(key []string) []string {
	if len(key) > 1 && (key[0] == "profiles") {
		key[1] = "NAME"
	}
	return key
}

// exampleOf returns the example of a key, or of another one in its table; "" if there is none.
func exampleOf(key []string) string {
	places, lines := examples()
	key = generic(slices.Clone(key))
	for n := len(key); n > 0; n-- {
		for _, p := range places {
			if hasPrefix(p.key, key[:n]) && (n == len(key) || len(p.key) > n) {
				example, _, _ := strings.Cut(lines[p.line-1], "  #")
				return strings.TrimSpace(example)
			}
		}
	}
	return ""
}

func unknownKey(key []string) string {
	last := len(key) - 1
	table, name := generic(slices.Clone(key[:last])), key[last]
	where := "at the top"
	if last > 0 {
		where = "in [" + joinKey(key[:last]) + "]"
	}
	text := fmt.Sprintf("there is no setting %q %s", name, where)
	var names, homes []string
	places, _ := examples()
	for _, p := range places {
		if len(p.key) > last && hasPrefix(p.key, table) {
			names = append(names, p.key[last])
		}
		if at := len(p.key) - 1; p.key[at] == name && at > 0 {
			homes = append(homes, "in ["+strings.Join(p.key[:at], ".")+"]")
		} else if p.key[at] == name {
			homes = append(homes, "at the top, before the first [table]")
		}
	}
	if guess := didYouMean(name, names); guess != "" {
		return text + guess
	}
	if len(homes) > 0 {
		return text + ": it belongs " + strings.Join(homes, " or ")
	}
	return text + ": remove the line"
}

func joinKey(key []string) string {
	parts := make([]string, len(key))
	for i, part := range key {
		parts[i] = part
		if part == "" || strings.ContainsFunc(part, func(r rune) bool { return !isKeyRune(r) }) {
			parts[i] = strconv.Quote(part)
		}
	}
	return strings.Join(parts, ".")
}

func isKeyRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
}
