package edit

import (
	"cmp"
	"context"
	"fmt"
	"image"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sync/errgroup"

	"mediadesk/api/rule"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
)

const (
	mostSuggestions = 6   // for one picture
	suggestAtOnce   = 4   // pictures read concurrently
	suggestSide     = 256 // size of pictures read only for suggestions
)

// RegionFile is a file whose region can be set together with others.
type RegionFile struct {
	Subject
	// Set sets the region of this file, as in [RegionOptions].
	Set func(region string)
}

// suggestions are parts of the upright picture. The shown one hides the region, which changes only
// when it is accepted.
type suggestions struct {
	of    *picture.Picture
	ratio picture.Ratio
	list  []image.Rectangle
	at    int
	shown bool
}

// Suggesting reports whether a suggestion is shown.
func (r *Region) Suggesting() bool { return r.found.shown }

func (r *Region) noSuggestion() string {
	if _, ok := r.Plane(); !ok || r.decoded == nil {
		return "the picture is still loading"
	}
	return ""
}

func (r *Region) noOthers() string {
	return text.If(r.o.Files == nil || len(r.o.Files()) < 2, "only one picture")
}

func (r *Region) noCopy() string {
	return cmp.Or(r.NoRect(), r.noOthers())
}

// Suggest shows the first or next suggestion, or explains why there is none.
func (r *Region) Suggest() tea.Cmd {
	if reason := r.noSuggestion(); reason != "" {
		return page.Tell(page.Info, text.Sentence(reason))
	}
	if f := &r.found; f.of == r.decoded && f.ratio == r.ratio && len(f.list) > 0 {
		if f.shown {
			f.at = (f.at + 1) % len(f.list)
		}
		f.shown = true
		return nil
	}
	of, ratio := r.decoded, r.ratio
	p, _ := r.Plane()
	return r.questions.Ask(func() tea.Msg {
		found := suggestions{of: of, ratio: ratio, list: suggestIn(of, p, ratio, mostSuggestions)}
		return page.Then(func() tea.Cmd { return r.suggested(found) })
	})
}

func suggestIn(of *picture.Picture, p Plane, ratio picture.Ratio, most int) []image.Rectangle {
	list := of.Suggest(ratio, most)
	for i, rect := range list {
		list[i] = ratio.Apply(picture.Scaled(rect, of.Size(), p.Upright()), p.Upright())
	}
	return list
}

func (r *Region) suggested(found suggestions) tea.Cmd {
	if found.of != r.decoded || found.ratio != r.ratio {
		return nil
	}
	r.found = found
	if r.found.shown = len(found.list) > 0; !r.found.shown {
		return page.Tell(page.Info, "Nothing stands out in this picture. c begins a region in the middle.")
	}
	return nil
}

func (r *Region) dropSuggestion() tea.Cmd {
	r.found.shown = false
	return nil
}

// CopyToAll copies the region, scaled, to all files.
func (r *Region) CopyToAll() tea.Cmd {
	if reason := r.noCopy(); reason != "" {
		return page.Tell(page.Info, text.Sentence(reason))
	}
	p, _ := r.Plane()
	stored := p.Region(r.Rect()).Rectangle()
	r.Step()
	n := 0
	for _, f := range r.o.Files() {
		if f.Size != (image.Point{}) {
			f.Set(rule.RegionOf(picture.Scaled(stored, p.Size, f.Size)).String())
			n++
		}
	}
	return page.Tell(page.Info, fmt.Sprintf("Copied the region to %s, scaled to each picture.", text.Plural(n, "file")))
}

// SuggestAll sets a suggestion as the region of each file, in a ratio that is turned for upright
// pictures; the zero ratio leaves it free.
func (r *Region) SuggestAll(ratio picture.Ratio) tea.Cmd {
	files, ctx := r.o.Files(), r.o.Context
	return tea.Batch(page.Tell(page.Info, fmt.Sprintf("Looking for regions in %s…", text.Plural(len(files), "picture"))), r.all.Ask(func() tea.Msg {
		regions, failed := make([]string, len(files)), make([]error, len(files))
		var group errgroup.Group
		group.SetLimit(suggestAtOnce)
		for i, f := range files {
			group.Go(func() error {
				regions[i], failed[i] = suggestFor(ctx, f.Subject, ratio)
				return nil
			})
		}
		_ = group.Wait() // errors are per file
		return page.Then(func() tea.Cmd { return r.allSuggested(files, regions, failed) })
	}))
}

// suggestFor returns the first suggestion for a picture, which it reads.
func suggestFor(ctx context.Context, s Subject, ratio picture.Ratio) (region string, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	of, err := s.decode(ctx, suggestSide)
	if err != nil {
		return "", err
	}
	p, ok := PlaneOf(s, of)
	if size := of.Size(); size.Y > size.X && ratio.W > ratio.H {
		ratio = ratio.Turned()
	}
	list := suggestIn(of, p, ratio, 1)
	if !ok || len(list) == 0 {
		return "", nil
	}
	return p.Region(list[0]).String(), nil
}

// allSuggested sets the regions found for files, empty for none.
func (r *Region) allSuggested(files []RegionFile, regions []string, errs []error) tea.Cmd {
	r.Step()
	var none, failed int
	toast := page.Toast{Level: page.Good}
	for i, f := range files {
		switch {
		case errs[i] != nil:
			failed++
			toast.Level, toast.Detail = page.Warn, errs[i].Error()
		case regions[i] == "":
			none++
		default:
			f.Set(regions[i])
		}
	}
	toast.Text = "Suggested regions for " + text.Plural(len(files)-none-failed, "picture") + ": n shows the next one, s another region."
	if none > 0 {
		toast.Text += fmt.Sprintf(" Nothing stands out in %d.", none)
	}
	if failed > 0 {
		toast.Text += fmt.Sprintf(" %d could not be read.", failed)
	}
	return page.Send(toast)
}
