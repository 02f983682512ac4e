package kit

import (
	"strings"

	"charm.land/lipgloss/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// factColumns is the width of the column of labels.
const factColumns = 12

// unixLines makes line ends \n, and tabs blanks.
var unixLines = strings.NewReplacer("\r\n", "\n", "\t", "  ")

// Facts collects the lines of a [Pane]: sentences, and labels with their values.
// It makes everything safe and breaks it into lines. Use [NewFacts].
type Facts struct {
	width int
	th    *theme.Theme
	lines []string
}

// NewFacts begins with no line. No line becomes wider than width columns.
func NewFacts(width int, th *theme.Theme) *Facts { return &Facts{width: width, th: th} }

// Theme is the one that its lines are drawn in.
func (f *Facts) Theme() *theme.Theme { return f.th }

// Width is the number of columns of its lines.
func (f *Facts) Width() int { return f.width }

// Draw adds lines that are drawn already, no wider than Width.
func (f *Facts) Draw(lines ...string) { f.lines = append(f.lines, lines...) }

// Lines are those collected so far.
func (f *Facts) Lines() []string { return f.lines }

// Say adds words, broken between words where they can be. Lines of the words
// stay lines.
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

// Paragraph is a text broken into lines of at most width columns, in a style.
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

// Fact adds a label with its value, beside each other where there is room. An
// empty value adds nothing.
func (f *Facts) Fact(label, value string) {
	if value == "" {
		return
	}
	if f.width < factColumns+14 {
		f.Say(f.th.Label, label)
		f.Say(f.th.Text, value)
		return
	}
	for _, line := range text.Wrap(text.Safe(value), f.width-factColumns) {
		f.lines = append(f.lines, f.th.Label.Render(text.PadRight(label, factColumns))+f.th.Text.Render(line))
		label = ""
	}
}
