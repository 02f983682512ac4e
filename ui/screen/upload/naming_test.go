package upload

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
	"mediadesk/ui/page"
)

// at returns a stub's answer: one file is in the library.
func at(path string, f api.File) func(context.Context, string) (rule.Place, error) {
	return func(_ context.Context, asked string) (rule.Place, error) {
		if asked != path {
			return rule.Place{Known: true}, nil
		}
		f.FilePath = path
		return rule.Place{Known: true, File: &f}, nil
	}
}

// TestTakenNames: a name that is taken asks for a new version, a suffix or to skip, for this file or for
// all. Names that are free stay as they are and overwrite nothing.
func TestTakenNames(t *testing.T) {
	begin := func(size int64) (*form, *outbox) {
		var box outbox
		names := []string{"a.jpg", "x", "b.jpg", "y", "c.jpg", "z"}
		return opened(t, Options{Sources: files(t, names...), Profile: localProfile(), Session: &stub{
			send: box.send,
			known: func(_ context.Context, path string) (rule.Place, error) {
				return rule.Place{Known: true, File: map[string]*api.File{
					"/a.jpg": {FileID: "1", FilePath: "/a.jpg", Tags: api.Set([]string{"x", "y"}), Size: api.Set[int64](7)},
					"/b.jpg": {FileID: "2", FilePath: "/b.jpg", Size: api.Set(size)},
				}[path]}, nil
			},
		}}), &box
	}
	for choices, want := range map[string][]string{
		"New version / Skip":      {"a.jpg over", "c.jpg"},
		"Keep both / New version": {"a_", "b.jpg over", "c.jpg"},
		"Ask once / Skip":         {"c.jpg"},
		"Ask once / Keep both":    {"a_", "b_", "c.jpg"},
		"Ask once / New versions": {"a.jpg over", "b.jpg over", "c.jpg"},

		"Ask once / New versions, keep AI tags and more": {"a.jpg over kept", "b.jpg over kept", "c.jpg"},
	} {
		m, box := begin(9)
		msgs := press(t, m, "ctrl+s")
		all := asked(t, msgs)
		if all.Title != "2 of 3 names exist already" || !strings.Contains(all.Text, "lose: AI tags, custom metadata, region, tags (x, y).") {
			t.Errorf("asked %+v", all)
		}
		msgs = pick(t, m, all.Choices[len(all.Choices)-1])
		for n, choice := range strings.Split(choices, " / ") {
			ask := asked(t, msgs)
			if n == 0 && (!strings.HasPrefix(ask.Title, "/a.jpg exists already") ||
				!strings.Contains(ask.Text, "loses: AI tags, custom metadata, region, 2 tags (x, y).") || !ask.Choices[3].Default) {
				t.Errorf("asked %+v", ask)
			}
			if n == 1 && !strings.HasPrefix(choices, "Ask") && (ask.Title != "/b.jpg exists already" || !ask.Choices[3].Default) {
				t.Errorf("asked %+v", ask)
			}
			i := slices.IndexFunc(ask.Choices, func(c page.Choice) bool { return c.Label == choice })
			if i < 0 {
				t.Fatalf("%q is not among %+v", choice, ask.Choices)
			}
			msgs = pick(t, m, ask.Choices[i])
		}
		var got []string
		for _, j := range box.jobs {
			name := j.Upload.FileName
			if j.Naming == job.NameHere {
				name = name[:2]
			}
			if j.Upload.OverwriteFile.Or(true) {
				name += " over"
			}
			if !j.Upload.OverwriteTags.Or(true) {
				name += " kept"
			}
			got = append(got, name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s sends %q, want %q", choices, got, want)
		}
		left := 3 - len(want)
		told := strings.Contains(fmt.Sprint(msgs), fmt.Sprintf("Skipped %d file", left))
		if len(m.Items) != left || told != (left > 0) {
			t.Errorf("%s leaves %d files, and tells %+v", choices, len(m.Items), msgs)
		}
	}
	// What is probably the same is asked about last, and is not sent again without a choice.
	m, box := begin(1)
	first := asked(t, press(t, m, "ctrl+s"))
	second := asked(t, pick(t, m, first.Choices[3]))
	if first.Title != "/a.jpg exists already · 1 more" || !strings.Contains(first.Text, "asked about 1 file of the same size as yours next") ||
		second.Title != "/b.jpg exists already" || !strings.Contains(second.Text, "as large as yours") || !second.Choices[4].Default {
		t.Errorf("asked %+v, then %+v", first, second)
	}
	pick(t, m, second.Choices[4])
	mediatest.Equal(t, len(box.jobs), 2, "files are sent")
}
