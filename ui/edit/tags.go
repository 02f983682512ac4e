package edit

import (
	"slices"
	"strings"
)

// Matches returns the tags that begin with the typed text, then those that contain it, without
// duplicates.
func Matches(typed string, lists ...[]string) []string {
	typed = strings.ToLower(strings.TrimSpace(typed))
	var begin, within []string
	seen := map[string]bool{}
	for _, list := range lists {
		for _, tag := range list {
			low := strings.ToLower(tag)
			switch {
			case seen[tag]:
			case strings.HasPrefix(low, typed):
				begin = append(begin, tag)
			case strings.Contains(low, typed):
				within = append(within, tag)
			}
			seen[tag] = true
		}
	}
	return append(begin, within...)
}

// Replayed are the tags of base with what changed between before and after: added tags
// are added, removed ones removed.
func Replayed(base, before, after []string) []string {
	var out []string
	for _, tag := range base {
		if !slices.Contains(before, tag) || slices.Contains(after, tag) {
			out = append(out, tag)
		}
	}
	for _, tag := range after {
		if !slices.Contains(before, tag) && !slices.Contains(out, tag) {
			out = append(out, tag)
		}
	}
	return out
}
