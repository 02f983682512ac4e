package kit

import (
	"strings"

	"charm.land/lipgloss/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

const factColumns = 12

// unixLines normalizes line ends to \n and replaces tabs with spaces.
var unixLines = strings.NewReplacer("\r\n", "\n", "\t", "  ")

// Facts collects the lines of a [Pane]: sentences, and labels with values. It makes
// all text safe and wraps it. Use [NewFacts].
type Facts struct {
	width int
	th    *theme.Theme
	lines []string
}

// NewFacts returns an empty Facts whose lines are at most width columns.
func NewFacts(width int, th *theme.Theme) *Facts { return &Facts{width: width, th: th} }

// Theme returns the theme of the lines.
func (f *Facts) Theme() *theme.Theme { return f.th }

// Width returns the maximum width of the lines, in columns.
func (f *Facts) Width() int { return f.width }

// Draw adds ready-made lines, no wider than Width.
func (f *Facts) Draw(lines ...string) { f.lines = append(f.lines, lines...) }

// Lines returns the lines collected so far.
func (f *Facts) Lines() []string { return f.lines }

// Say adds text, wrapped between words if possible. Line breaks in the text stay.
func (f *Facts) Say(style lipgloss.Style, words string) {
	if words == "" {
		return
	}
	for part := range strings.SplitSeq(unixLines.Replace(words), "\n") {
		for _, line := range text.Wrap(text.Safe(part), f.width) {
			f.lines = append(f.lines, style.Render(line))
		}
	}
}

// Paragraph wraps a text to at most width columns and styles it.
func Paragraph(words string, width int, style lipgloss.Style) string {
	f := Facts{width: width}
	f.Say(style, words)
	return strings.Join(f.lines, "\n")
}

// Gap adds an empty line between two parts.
func (f *Facts) Gap() {
	if n := len(f.lines); n > 0 && f.lines[n-1] != "" {
		f.lines = append(f.lines, "")
	}
}

// Fact adds a label and its value, side by side if there is room. It ignores an empty
// value.
func (f *Facts) Fact(label, value string) { f.Styled(label, value, f.th.Text) }

// Styled is Fact with a style for the value.
func (f *Facts) Styled(label, value string, style lipgloss.Style) {
	if value == "" {
		return
	}
	if f.width < factColumns+14 {
		f.Say(f.th.Label, label)
		f.Say(style, value)
		return
	}
	for _, line := range text.Wrap(text.Safe(value), f.width-factColumns) {
		f.lines = append(f.lines, f.th.Label.Render(text.PadRight(label, factColumns))+style.Render(line))
		label = ""
	}
}
