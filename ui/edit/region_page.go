package edit

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"strings"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sync/errgroup"

	"mediadesk/api/rule"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// RegionPage edits the region on the picture over the whole screen. Enter keeps the change, esc
// takes it back.
type RegionPage struct {
	kit.Popup
	r       *Region
	o       RegionPageOptions
	room    image.Point
	restore map[any]func()
}

// RegionPageOptions describe the files of a region page.
type RegionPageOptions struct {
	Title  func() string                    // the name of the picture
	Files  func() int                       // how many files a change goes to
	Turn   func(by int) tea.Cmd             // shows the next picture and edits its region alone
	NoTurn func() string                    // why there is no other picture, or ""
	Check  func(region string) (err string) // why a typed region is refused, or ""
	Save   func() tea.Cmd                   // saves it; nil if it is only kept
	Drop   func()                           // restores the saved region; nil if there is none
	NoDrop func() string                    // why it cannot, or ""
}

var _ kit.Overlay = (*RegionPage)(nil)

// Page opens the region over the whole screen.
func (r *Region) Page(o RegionPageOptions) *RegionPage {
	p := &RegionPage{r: r, o: o, restore: r.o.Keep(true)}
	r.page = p
	r.o.Overlays.Open(p)
	return p
}

// Actions returns those of the region, and those that keep or drop the change.
func (p *RegionPage) Actions() []kit.Action {
	action := func(id, words string, footer bool, disabled func() string, do func() tea.Cmd,
		keys ...string,
	) kit.Action {
		return kit.Action{
			ID: "region." + id, Keys: kit.Bind(words, "", keys...), Group: "Region", Footer: footer, Disabled: disabled, Do: do,
		}
	}
	turn := func(by int) func() tea.Cmd { return func() tea.Cmd { return p.o.Turn(by) } }
	keep := func() tea.Cmd {
		if p.r.Suggesting() { // what is seen counts
			p.r.change(p.r.Rect())
		}
		return p.Close()
	}
	save := action("save", "save", true, nil, func() tea.Cmd {
		closed := keep()
		if p.o.Save == nil {
			return closed
		}
		return tea.Batch(closed, p.o.Save())
	}, "ctrl+s")
	save.Footer = p.o.Save != nil
	done := action("done", "done", true, nil, keep, "enter")
	done.Footer = !p.r.Suggesting()
	done.Main = done.Footer && !p.r.Rect().Empty()
	actions := []kit.Action{
		action("next-file", "next file", p.o.NoTurn() == "", p.o.NoTurn, turn(1), "n"),
		action("previous-file", "previous file", false, p.o.NoTurn, turn(-1), "N"),
		action("numbers", "type the numbers", true, nil, p.askNumbers, "i"),
		action("none", "no region", false, p.r.NoRect, func() tea.Cmd {
			p.r.step(false)
			p.r.o.Set("")
			return nil
		}, "x", "ctrl+x"),
		done, save,
		action("revert", "cancel", true, nil, func() tea.Cmd {
			now := p.r.o.Text()
			for _, restore := range p.restore {
				restore()
			}
			if p.r.o.Text() == now {
				return p.Close()
			}
			return tea.Batch(p.Close(), page.Tell(page.Info, "The region is as it was before the editor."))
		}, "esc"),
	}
	if p.o.Drop != nil {
		drop := func() tea.Cmd { p.r.step(false); p.o.Drop(); return nil }
		actions = append(actions, action("drop", "as it is saved", false, p.o.NoDrop, drop, "d"))
	}
	if actions = p.r.Actions(actions...); p.r.Rect().Empty() || p.r.Suggesting() {
		return actions // enter has another meaning
	}
	return kit.Shadow(append([]kit.Action{done}, actions...))
}

func (p *RegionPage) askNumbers() tea.Cmd {
	if p.r.Suggesting() { // what is seen counts
		p.r.change(p.r.Rect())
	}
	q := kit.NewPrompt("Region of "+text.Safe(p.o.Title()), "x,y,width,height in pixels of the stored picture", "Region", p.r.o.Text(), "10,20,300,200")
	q.Check = p.o.Check
	q.Do = func(region string) tea.Cmd {
		p.r.step(false)
		p.r.o.Set(region)
		return nil
	}
	return p.r.o.Overlays.Open(q)
}

// Mouse moves or draws the region.
func (p *RegionPage) Mouse(msg tea.MouseMsg) tea.Cmd {
	cmd, _ := p.r.Update(msg)
	return cmd
}

func (p *RegionPage) Resize(room image.Point) { p.room = room }

// Position tells the region where its picture is. Call it at the end of each Update.
func (p *RegionPage) Position() {
	at, _ := p.layout(p.room, &theme.Theme{})
	p.r.Resize(at)
}

// layout returns the text and the place of the picture below it, with a margin in the frame.
func (p *RegionPage) layout(room image.Point, th *theme.Theme) (r image.Rectangle, lines []string) {
	r = image.Rectangle{Max: kit.BoxInner(room)}.Add(kit.BoxOrigin(room))
	if r.Min.X, r.Max.X = r.Min.X+1, r.Max.X-1; room.Y >= leastAiry {
		r.Min.Y, r.Max.Y = r.Min.Y+1, r.Max.Y-1
	}
	lines = p.lines(r.Size(), th)
	r.Min.Y += len(lines)
	return r, lines
}

// View draws the picture with the region and its numbers.
func (p *RegionPage) View(room image.Point, th *theme.Theme) string {
	at, lines := p.layout(room, th)
	body := text.Fit(p.r.draw(at.Size(), "", th), max(0, at.Dx()), max(0, at.Dy()))
	body = kit.JoinV(append(lines, body)...)
	body = text.If(room.Y >= leastAiry, "\n") + " " + strings.ReplaceAll(body, "\n", "\n ")
	all := text.If(p.o.Files() > 1, "all "+text.Plural(p.o.Files(), "file")+", drawn on ")
	return kit.Box("Region of "+all+text.Safe(p.o.Title()), body, room, true, th)
}

func (p *RegionPage) lines(inner image.Point, th *theme.Theme) []string {
	plane, known := p.r.Plane()
	words, style := "No region yet: press enter, or drag with the mouse.", th.Text
	switch note, wrong := p.r.Note(), p.o.Check(p.r.o.Text()); {
	case !known:
		words = text.Sentence(p.r.NoPlane())
	case p.r.Suggesting():
		words = text.Capital(p.r.Handle())
	case wrong != "" && p.r.o.Text() != "":
		words, style = wrong, th.Bad
	case !p.r.Rect().Empty():
		words = fmt.Sprintf("%s of %d × %d. %s. %s", DescribeRegion(p.r.o.Text()), plane.Size.X, plane.Size.Y,
			text.Capital(p.r.Handle()), note)
	}
	facts := kit.NewFacts(inner.X, th)
	if facts.Say(style, words); inner.Y >= LeastStacked {
		facts.Draw(" ")
	}
	return facts.Lines()[:min(len(facts.Lines()), max(0, inner.Y-3))]
}

// DescribeRegion formats a region for reading: "300 × 200 at 10, 20". A text that is no region stays.
func DescribeRegion(region string) string {
	r, err := rule.ParseRegion(region)
	if err != nil {
		return region
	}
	return fmt.Sprintf("%d × %d at %d, %d", r.Width, r.Height, r.X, r.Y)
}

// CheckRegion says why a typed region does not fit a picture of a size, or returns "". An unknown
// size is zero.
func CheckRegion(region string, isPicture bool, size image.Point) string {
	_, err := rule.CheckRegion(CleanRegion(region), isPicture, size.X, size.Y)
	return page.Explain(err)
}

// NoPlane returns why no region can be drawn, or "".
func (r *Region) NoPlane() string {
	_, ok := r.Plane()
	return text.If(!ok, "the size of the picture is not known yet")
}

// NoRect returns why the region cannot be changed, or "".
func (r *Region) NoRect() string {
	return text.If(r.Rect().Empty(), "no region yet; enter begins one in the middle")
}

// Actions returns the actions for the rectangle, then those of the screen without keys that the
// editor needs.
func (r *Region) Actions(of ...kit.Action) []kit.Action {
	action := func(id, words string, disabled func() string, do func() tea.Cmd, keys ...string) kit.Action {
		return kit.Action{
			ID: "region." + id, Keys: kit.Bind(words, "", keys...), Group: "Region", Disabled: disabled, Do: do,
		}
	}
	change := func(id, words string, to func(rect image.Rectangle, size image.Point) image.Rectangle,
		keys ...string,
	) kit.Action {
		return action(id, words, r.NoRect, func() tea.Cmd {
			p, _ := r.Plane()
			r.change(to(r.Rect(), p.Upright()))
			return nil
		}, keys...)
	}
	turn := func(by int) func() tea.Cmd {
		return func() tea.Cmd { r.handle = r.handle.Next(by); return nil }
	}
	grow := func(by int) func(image.Rectangle, image.Point) image.Rectangle {
		return func(rect image.Rectangle, size image.Point) image.Rectangle {
			return picture.Grown(rect, share(size, 2).Mul(by), size, r.ratio)
		}
	}
	center := change("center", "center", picture.Centered, "c")
	if r.Rect().Empty() {
		center = change("center", "begin a region", picture.Centered, "enter", "c")
	}
	center.Disabled, center.Main = r.NoPlane, r.Rect().Empty()
	actions := []kit.Action{
		center,
		action("next-handle", "resize", nil, turn(1), "tab"),
		action("suggest", text.Either(r.found.shown, "next suggestion", "suggest a region"), r.noSuggestion, r.Suggest, "s"),
		action("ratio", "ratio", r.NoPlane, r.ratioMenu, "r"),
		action("copy-crop", "copy a crop as URL, Markdown or HTML", func() string {
			return cmp.Or(r.NoRect(), r.noCrops(), text.If(r.subject.File.URL == "", "the file has no URL before it is sent"))
		}, r.copyCrop, "y"),
	}
	for i := range actions {
		actions[i].Footer = actions[i].ID != "region.next-handle" || r.NoRect() == ""
		actions[i].Footer = actions[i].Footer && (i > 1 || !r.found.shown) // a suggestion is not changed
	}
	for _, by := range []struct {
		suffix, mod, words string
		step               func(size image.Point) image.Point
	}{
		{"", "", "2 %", func(size image.Point) image.Point { return share(size, 2) }},
		{"-1", "shift+", "1 pixel", func(image.Point) image.Point { return image.Pt(1, 1) }},
		{"-far", "ctrl+", "10 %", func(size image.Point) image.Point { return share(size, 10) }},
	} {
		for i, name := range []string{"left", "right", "up", "down"} {
			to := []image.Point{{X: -1}, {X: 1}, {Y: -1}, {Y: 1}}[i]
			keys := []string{by.mod + name, "hlkj"[i : i+1]}
			switch by.mod {
			case "shift+":
				keys[1] = strings.ToUpper(keys[1])
			case "ctrl+":
				keys = keys[:1]
			}
			move := change(name+by.suffix, by.words+" "+name, func(rect image.Rectangle, size image.Point) image.Rectangle {
				step := by.step(size)
				return r.handle.Moved(rect, image.Pt(to.X*step.X, to.Y*step.Y), size, r.ratio)
			}, keys...)
			if move.Aside = i > 0; i == 0 { // for all directions
				move.Keys = kit.Bind("move by "+by.words, by.mod+"arrows", keys...)
			}
			actions = append(actions, move)
		}
	}
	actions = append(actions,
		action("previous-handle", "previous corner or edge", nil, turn(-1), "shift+tab"),
		change("grow", "grow by 2 %", grow(1), "+", "="), change("shrink", "shrink by 2 %", grow(-1), "-"),
		action("undo", "undo the last step here", func() string {
			return text.If(r.last(r.o.File()) < 0 && !r.found.shown, "nothing to undo here")
		}, r.undo, "z"),
		action("crops", "picture or crops", func() string {
			return cmp.Or(r.noCrops(), text.If(r.cropsBeside(r.room.Size()), "both are shown"))
		}, func() tea.Cmd { r.only = !r.only; return nil }, "v"),
		action("copy-to-all", "copy this region to all", r.noCopy, r.CopyToAll, "A"),
		action("suggest-all", "suggest a region for all", r.noOthers, func() tea.Cmd { return r.SuggestAll(r.ratio) }, "S"),
	)
	if r.found.shown {
		actions = append(r.SuggestionActions(), actions...)
	}
	return kit.Shadow(append(actions, of...))
}

// SuggestionActions returns the actions for a shown suggestion.
func (r *Region) SuggestionActions() []kit.Action {
	take := func() tea.Cmd { r.change(r.Rect()); return nil }
	return []kit.Action{
		{ID: "region.take-suggestion", Keys: kit.Bind("take it", "", "enter"), Group: "Region", Footer: true, Main: true, Do: take},
		{ID: "region.drop-suggestion", Keys: kit.Bind("drop it", "", "esc"), Group: "Region", Footer: true, Do: r.dropSuggestion},
	}
}

func share(size image.Point, percent int) image.Point {
	return image.Pt(max(1, size.X*percent/100), max(1, size.Y*percent/100))
}

// ratioMenu offers ratios. The chosen one is applied at once, to a new region if there is none.
func (r *Region) ratioMenu() tea.Cmd {
	p, _ := r.Plane()
	rect, size := r.Rect(), p.Upright()
	use := func(ratio picture.Ratio) func() tea.Cmd {
		return func() tea.Cmd {
			was := r.ratio
			r.step(false)
			r.past[len(r.past)-1][nil] = func() { r.ratio = was }
			r.ratio = ratio
			if !rect.Empty() {
				r.SetRect(ratio.Apply(rect, size))
			} else if ratio.Locked() {
				r.SetRect(ratio.Largest(size))
			}
			return nil
		}
	}
	rows := RatioRows(r.ratio, func(ratio picture.Ratio) tea.Cmd {
		if !ratio.Locked() {
			ratio = picture.Ratio{W: size.X, H: size.Y}
		}
		return use(ratio)()
	})
	free := kit.MenuRow{Key: "f", Label: "free", Current: !r.ratio.Locked(), Do: use(picture.Ratio{})}
	return r.o.Overlays.Open(kit.NewMenu("Ratio", append(rows, free)...))
}

// RatioRows returns the menu rows for ratios. do receives the chosen one; zero means that of the
// picture.
func RatioRows(current picture.Ratio, do func(picture.Ratio) tea.Cmd) []kit.MenuRow {
	var rows []kit.MenuRow
	for i, r := range picture.Ratios {
		rows = append(rows, kit.MenuRow{
			Key: []string{"1", "4", "3", "5", "6"}[i], Label: r.String(), Current: current == r || current == r.Turned(),
			Do: func() tea.Cmd { return do(r) },
		})
	}
	natural := func() tea.Cmd { return do(picture.Ratio{}) }
	return append(rows, kit.MenuRow{Key: "o", Label: "as the picture", Do: natural})
}

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
	_, ok := r.Plane()
	return text.If(!ok || r.decoded == nil, "the picture is still loading")
}

func (r *Region) noOthers() string {
	return text.If(r.o.Files == nil || len(r.o.Files()) < 2, "only one picture")
}

func (r *Region) noCopy() string { return cmp.Or(r.NoRect(), r.noOthers()) }

// Suggest shows the first or next suggestion, or explains why there is none.
func (r *Region) Suggest() tea.Cmd {
	if r.eager = r.decoded == nil && r.err == nil; r.eager {
		return nil // once it is loaded
	}
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
	r.step(true)
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
	words := fmt.Sprintf("Looking for regions in %s…", text.Plural(len(files), "picture"))
	return tea.Batch(page.Tell(page.Info, words), r.all.Ask(func() tea.Msg {
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
	r.step(true)
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
	toast.Text = "Suggested regions for " + text.Plural(len(files)-none-failed, "picture") + ": n shows the next one, s another; ctrl+s keeps them."
	if none > 0 {
		toast.Text += fmt.Sprintf(" Nothing stands out in %d.", none)
	}
	if failed > 0 {
		toast.Text += fmt.Sprintf(" %d could not be read.", failed)
	}
	return page.Send(toast)
}
