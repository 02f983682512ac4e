package upload

import (
	"fmt"
	"slices"
	"strings"

	"mediadesk/api"
	"mediadesk/ui/text"
)

// rollup counts the results of sending all files.
type rollup struct {
	files, fresh, versions, refused, maybe, destroy int
	twice                                           int                // share a place with another file of the form
	loses                                           map[api.Aspect]int // files that lose it, or may
	keep                                            map[api.Aspect]field
}

// aspects are the parts that can be lost, in display order.
var aspects = []api.Aspect{api.AspectTags, api.AspectAITags, api.AspectRegion, api.AspectMetadata}

// count adds one file.
func (r *rollup) count(p prediction, stopped, twice bool) {
	r.files++
	if p.destroys {
		r.destroy++
	}
	switch {
	case stopped || p.result == api.Refusal:
		r.refused++
		return
	case twice:
		r.twice++
	case p.result == api.NewFile:
		r.fresh++
	case p.result == api.NewVersion:
		r.versions++
	default:
		r.maybe++
	}
	for _, l := range p.lines {
		if !l.loss {
			continue
		}
		r.loses[l.aspect]++
		if l.keep != noField {
			r.keep[l.aspect] = l.keep
		}
	}
}

// describe summarizes the counts: "12 new; 3 become new versions: 2 lose their tags".
func (r *rollup) describe() string {
	var parts []string
	if r.fresh > 0 {
		parts = append(parts, text.Count(r.fresh)+" new")
	}
	if r.versions > 0 {
		verb := " become new versions"
		if r.versions == 1 {
			verb = " becomes a new version"
		}
		parts = append(parts, text.Count(r.versions)+verb)
	}
	if r.maybe > 0 {
		parts = append(parts, text.Count(r.maybe)+" new, or new versions if a file is there")
	}
	if r.twice > 0 {
		parts = append(parts, text.Count(r.twice)+" in the place of another of them")
	}
	if len(parts) == 0 && r.refused == 0 {
		return ""
	}
	s := strings.Join(parts, "; ")
	if lost := r.lost(); lost != "" {
		s += ": " + lost
	}
	if r.refused > 0 {
		if s != "" {
			s += "; "
		}
		s += text.Count(r.refused) + " refused"
	}
	return s + "."
}

// lost describes how many files lose what.
func (r *rollup) lost() string {
	verb := "lose"
	if r.versions == 0 {
		verb = "may lose"
	}
	var parts []string
	for i, a := range aspects {
		n := r.loses[a]
		// The first aspect with this count has already named the others.
		if n == 0 || slices.ContainsFunc(aspects[:i], func(before api.Aspect) bool { return r.loses[before] == n }) {
			continue
		}
		var what []string
		for _, other := range aspects[i:] {
			if r.loses[other] == n {
				what = append(what, string(other))
			}
		}
		v, their := verb, "their"
		if n == 1 {
			their = "its"
			if verb == "lose" {
				v = "loses"
			}
		}
		parts = append(parts, fmt.Sprintf("%s %s %s %s", text.Count(n), v, their, joinList(what)))
	}
	return strings.Join(parts, ", ")
}

// joinList joins words as in a sentence.
func joinList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// keepable returns the switch that prevents the first loss of any file.
func (r *rollup) keepable() field {
	for _, a := range aspects {
		if f, ok := r.keep[a]; ok {
			return f
		}
	}
	return noField
}
