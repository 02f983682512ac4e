package edit

import (
	"fmt"
	"image"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/rule"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
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
	restore func()
}

// RegionPageOptions describe the files of a region page.
type RegionPageOptions struct {
	Title  func() string                    // the name of the picture
	Files  func() int                       // how many files a change goes to
	Turn   func(by int) tea.Cmd             // shows the next picture and edits its region alone
	NoTurn func() string                    // why there is no other picture, or ""
	Check  func(region string) (err string) // why a typed region is refused, or ""
	Drop   func()                           // restores the saved region; nil if there is none
	NoDrop func() string                    // why it cannot, or ""
}

var _ kit.Overlay = (*RegionPage)(nil)

// Page opens the region over the whole screen.
func (r *Region) Page(o RegionPageOptions) *RegionPage {
	p := &RegionPage{r: r, o: o, restore: r.o.Keep()}
	r.page = p
	r.o.Overlays.Open(p)
	return p
}

// Actions returns those of the region, and those that keep or drop the change.
func (p *RegionPage) Actions() []kit.Action {
	action := func(id, words string, footer bool, disabled func() string, do func() tea.Cmd,
		keys ...string,
	) kit.Action {
		return kit.Action{ID: "region." + id, Keys: kit.Bind(words, "", keys...), Group: "Region", Footer: footer, Disabled: disabled, Do: do}
	}
	turn := func(by int) func() tea.Cmd {
		return func() tea.Cmd { p.r.Begin(); return p.o.Turn(by) }
	}
	actions := []kit.Action{
		action("next-file", "next file", false, p.o.NoTurn, turn(1), "n"),
		action("previous-file", "previous file", false, p.o.NoTurn, turn(-1), "N"),
		action("numbers", "type the numbers", true, nil, p.askNumbers, "i"),
		action("none", "no region", false, p.r.NoRect, func() tea.Cmd { p.r.Unset(); p.r.o.Set(""); return nil }, "x", "ctrl+x"),
		action("revert", "leave it as it was", true, nil, func() tea.Cmd { p.restore(); return p.Close() }, "esc"),
	}
	if p.o.Drop != nil {
		actions = append(actions, action("drop", "as it is saved", false, p.o.NoDrop, func() tea.Cmd { p.r.Unset(); p.o.Drop(); return nil }, "d"))
	}
	done := action("done", "done", true, nil, p.Close, "enter", "ctrl+s")
	if actions = p.r.Actions(append(actions, done)...); p.r.Rect().Empty() || p.r.Suggesting() {
		return actions // enter has another meaning
	}
	return kit.Shadow(append([]kit.Action{done}, actions...))
}

func (p *RegionPage) askNumbers() tea.Cmd {
	q := kit.NewPrompt("Region of "+text.Safe(p.o.Title()), "x,y,width,height in pixels of the stored picture", p.r.o.Text(), "10,20,300,200")
	q.Check = p.o.Check
	q.Do = func(region string) tea.Cmd {
		p.r.Step()
		p.r.o.Set(region)
		return nil
	}
	p.r.o.Overlays.Open(q)
	return nil
}

// Mouse moves or draws the region.
func (p *RegionPage) Mouse(msg tea.MouseMsg) tea.Cmd {
	cmd, _ := p.r.Update(msg)
	return cmd
}

// Resize sets the size.
func (p *RegionPage) Resize(room image.Point) { p.room = room }

// Position tells the region where its picture is. Call it at the end of each Update.
func (p *RegionPage) Position() {
	origin := kit.BoxOrigin(p.room)
	p.r.Resize(image.Rectangle{Min: origin, Max: origin.Add(p.pictureSize(p.room))})
}

// pictureSize returns the room for the picture above the text.
func (p *RegionPage) pictureSize(room image.Point) image.Point {
	inner := kit.BoxInner(room)
	return image.Pt(inner.X, inner.Y-len(p.lines(inner, &theme.Theme{})))
}

// View draws the picture with the region and its numbers.
func (p *RegionPage) View(room image.Point, th *theme.Theme) string {
	inner, size := kit.BoxInner(room), p.pictureSize(room)
	body := text.Fit(p.r.draw(size, th), max(0, size.X), max(0, size.Y))
	body = kit.JoinV(append([]string{body}, p.lines(inner, th)...)...)
	return kit.BoxFooter("Region of "+text.Safe(p.o.Title()), text.Plural(p.o.Files(), "file"), body, room, true, th)
}

func (p *RegionPage) lines(inner image.Point, th *theme.Theme) []string {
	plane, known := p.r.Plane()
	words := "No region. enter begins one in the middle; the mouse draws one."
	switch note := p.r.Note(); {
	case !known:
		words = text.Sentence(p.r.NoPlane())
	case p.r.Suggesting():
		words = text.Capital(p.r.Handle())
	case p.r.o.Text() != "":
		words = fmt.Sprintf("%s of %d × %d. %s. %s", p.r.o.Text(), plane.Size.X, plane.Size.Y, text.Capital(p.r.Handle()), note)
	}
	facts := kit.NewFacts(inner.X, th)
	facts.Say(th.Text, words)
	return facts.Lines()[:min(len(facts.Lines()), max(0, inner.Y-3))]
}

// CheckRegion says why a typed region does not fit a picture of a size, or returns "". An unknown
// size is zero.
func CheckRegion(region string, isPicture bool, size image.Point) string {
	if _, err := rule.CheckRegion(CleanRegion(region), isPicture, size.X, size.Y); err != nil {
		return page.Explain(err)
	}
	return ""
}
