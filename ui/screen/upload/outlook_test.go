package upload

import (
	"strings"
	"testing"

	"mediadesk/api"
)

func TestPredict(t *testing.T) {
	full := &api.File{
		FileID: "1", Tags: api.Set([]string{"a", "b", "c"}), CustomCoordinates: api.Set("1,2,3,4"),
		AITags: api.Null[[]api.AITag](),
	}
	bare := &api.File{FileID: "1", Tags: api.Null[[]string](), AITags: api.Null[[]api.AITag](), CustomCoordinates: api.Null[string](), CustomMetadata: nil}
	for _, c := range []struct {
		name   string
		naming api.Naming
		set    map[field]string
		at     api.Place
		want   []string // in order
		not    string
		loses  bool
		keep   field
	}{
		{"made here", api.NameHere, nil, api.Place{}, []string{"A new file", "adds a unique suffix"}, "refuse", false, noField},
		{"made here, whatever is there", api.NameHere, map[field]string{fieldOverFile: off}, api.Place{Known: true, File: full}, []string{"A new file"}, "refuse", false, noField},
		{"by the service", api.NameService, nil, api.Place{Known: true, File: full}, []string{"A new file", "the service adds a unique suffix"}, "", false, noField},
		{"exact, free", api.NameExact, nil, api.Place{Known: true}, []string{"A new file", "nothing is at this place"}, "", false, noField},
		{"exact, taken", api.NameExact, nil, api.Place{Known: true, File: full}, []string{"A new version", "Its 3 tags are removed", "Its region is removed"}, "AI tags", true, fieldOverTags},
		{"tags kept", api.NameExact, map[field]string{fieldOverTags: off}, api.Place{Known: true, File: full}, []string{"A new version", "Its 3 tags are kept", "Its region is removed"}, "", true, fieldOverMetadata},
		{"tags replaced", api.NameExact, map[field]string{fieldTags: "x"}, api.Place{Known: true, File: full}, []string{"Its 3 tags are replaced"}, "", true, fieldOverMetadata},
		{"refused", api.NameExact, map[field]string{fieldOverFile: off}, api.Place{Known: true, File: full}, []string{"refuse"}, "removed", false, noField},
		{"nobody looked", api.NameExact, nil, api.Place{}, []string{"A new file", "If one is there already", "Its tags are removed", "Its AI tags are removed", "Its region is removed", "Its custom metadata is removed"}, "", true, fieldOverTags},
		{"nobody looked, all kept", api.NameExact, map[field]string{fieldOverTags: off, fieldOverAITags: off, fieldOverMetadata: off, fieldRegion: "1,2,3,4"}, api.Place{}, []string{"Its tags are kept"}, "removed", false, noField},
		{"nobody looked, not overwritten", api.NameExact, map[field]string{fieldOverFile: off}, api.Place{}, []string{"A new file", "the service refuses"}, "", false, noField},
		{"nothing there to lose", api.NameExact, map[field]string{fieldOverMetadata: off}, api.Place{Known: true, File: bare}, []string{"A new version"}, "removed", false, noField},
	} {
		o, _ := filled(api.Source{Path: "/p/a.jpg"}, localProfile(), c.set)
		found := foretell(o.upload(), c.naming, c.at)
		p := found.told()
		var b strings.Builder
		for _, l := range p.lines {
			b.WriteString(l.text + "\n")
		}
		rest := b.String()
		for _, want := range c.want {
			at := strings.Index(rest, want)
			if at < 0 {
				t.Errorf("%s: %q is missing in\n%s", c.name, want, b.String())
				continue
			}
			rest = rest[at:]
		}
		if c.not != "" && strings.Contains(b.String(), c.not) {
			t.Errorf("%s: %q does not belong in\n%s", c.name, c.not, b.String())
		}
		if p.destroys != c.loses || p.keep() != c.keep {
			t.Errorf("%s: loses %v, keeps by %q; want %v, %q:\n%s", c.name, p.destroys, p.keep(), c.loses, c.keep, b.String())
		}
	}
}
