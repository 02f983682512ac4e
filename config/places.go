package config

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// place is a key or a table header in the text of a settings file.
type place struct {
	key  []string // including the table
	line int      // 1-based
}

// findPlaces lists the keys and headers of valid TOML, including those in inline tables.
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

// lineOf returns the 1-based line of key, or of the first entry in that table, or of its parent table. It
// returns 0 if none of them exists.
func lineOf(places []place, key []string) int {
	for ; len(key) > 0; key = key[:len(key)-1] {
		inside := 0
		for _, p := range places {
			switch {
			case slices.Equal(p.key, key):
				return p.line
			case inside == 0 && len(p.key) > len(key) && slices.Equal(p.key[:len(key)], key):
				inside = p.line
			}
		}
		if inside > 0 {
			return inside
		}
	}
	return 0
}

// joinKey formats a dotted key.
func joinKey(key []string) string {
	parts := make([]string, len(key))
	for i, part := range key {
		parts[i] = part
		if part == "" || strings.ContainsFunc(part, func(r rune) bool { return !isBareKeyRune(r) }) {
			parts[i] = strconv.Quote(part)
		}
	}
	return strings.Join(parts, ".")
}

func isBareKeyRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
}
