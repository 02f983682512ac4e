package kit

import (
	"image"
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Field is a one-line text field with a label: the text input of bubbles, which draws any text
// safely, in our theme, and with completions. The zero value is an empty field without a label.
type Field struct {
	// Label precedes the text; an empty label takes no room.
	Label string
	// Placeholder is shown, muted, while the field is empty.
	Placeholder string
	// Complete returns the completions of the typed text, best first; nil offers none.
	// Tab accepts the selected one, up and down select, esc closes the list.
	Complete func(typed string) []string

	in *textinput.Model
	offers
	focus
}

type focus struct{ focused bool }

// Focus makes the component take keys.
func (f *focus) Focus() { f.focused = true }

// Blur makes the component ignore keys.
func (f *focus) Blur() { f.focused = false }

// Focused reports whether the component takes keys.
func (f *focus) Focused() bool { return f.focused }

func newInput() *textinput.Model {
	in := textinput.New()
	in.Prompt = ""
	in.KeyMap.Paste.SetEnabled(false) // the terminal pastes
	in.Focus()
	return &in
}

func (f *Field) input() *textinput.Model {
	if f.in == nil {
		f.in = newInput()
	}
	return f.in
}

// Value returns the text.
func (f *Field) Value() string { return f.input().Value() }

// SetValue replaces the text and moves the cursor to its end.
func (f *Field) SetValue(s string) {
	f.input().SetValue(s)
	f.in.CursorEnd()
	f.offers.set(nil)
}

// Blur makes the field ignore keys and closes the completions.
func (f *Field) Blur() {
	f.focused = false
	f.offers.set(nil)
}

// Update edits the text and reports whether it used the message. It does not use enter,
// and uses esc, tab, up and down only while it offers completions.
func (f *Field) Update(msg tea.Msg) bool {
	if !f.focused {
		return false
	}
	if press, ok := msg.(tea.KeyPressMsg); ok {
		if took, used := f.offers.press(press.String()); used {
			if took != "" {
				f.SetValue(took)
				f.Refresh()
			}
			return true
		}
	}
	before := f.Value()
	used := f.edit(msg)
	if used && f.Complete != nil && f.Value() != before {
		f.Refresh()
	}
	return used
}

// Refresh updates the completions.
func (f *Field) Refresh() {
	f.offers.set(nil)
	if f.Complete != nil {
		f.offers.set(f.Complete(f.Value()))
	}
}

// ViewOffers draws the completions in one line.
func (f *Field) ViewOffers(width int, th *theme.Theme) string {
	return f.offers.view(width, offerLabel, th)
}

// offerLabel returns a path or JSON in full, otherwise only the part after the last space or comma.
func offerLabel(offer string) string {
	offer = strings.TrimRight(offer, " ")
	if strings.HasPrefix(offer, "/") || strings.HasPrefix(offer, "~/") || strings.HasPrefix(offer, "{") {
		return offer // a path, which may contain spaces, or JSON
	}
	from, quoted := 0, false // a blank in quotation marks does not separate
	for i := range len(offer) {
		switch {
		case offer[i] == '"':
			quoted = !quoted
		case !quoted && (offer[i] == ' ' || offer[i] == ','):
			from = i + 1
		}
	}
	return offer[from:]
}

func (f *Field) edit(msg tea.Msg) bool {
	in := f.input()
	if paste, ok := msg.(tea.PasteMsg); ok {
		msg = tea.PasteMsg{Content: oneLine(paste.Content)}
	}
	if !edits(msg, in.KeyMap) {
		return false
	}
	for range max(1, f.letter(msg)) {
		*in, _ = in.Update(msg)
	}
	return true
}

// edits reports whether a message pastes, types, edits or moves in a line of text.
func edits(msg tea.Msg, k textinput.KeyMap) bool {
	if press, ok := msg.(tea.KeyPressMsg); ok {
		return typed(press) != "" || key.Matches(press, k.CharacterForward, k.CharacterBackward,
			k.WordForward, k.WordBackward, k.LineStart, k.LineEnd,
			k.DeleteCharacterBackward, k.DeleteCharacterForward, k.DeleteWordBackward, k.DeleteWordForward,
			k.DeleteAfterCursor, k.DeleteBeforeCursor)
	}
	_, paste := msg.(tea.PasteMsg)
	return paste
}

// letter returns the number of code points of the letter that a key moves over or deletes, which
// may have combining marks: the text input counts each of them.
func (f *Field) letter(msg tea.Msg) int {
	press, _ := msg.(tea.KeyPressMsg)
	k, in := &f.in.KeyMap, []rune(f.in.Value())
	at, letters := f.in.Position(), []string(nil)
	switch {
	case key.Matches(press, k.CharacterBackward, k.DeleteCharacterBackward):
		letters = text.Graphemes(string(in[:at]))
		slices.Reverse(letters)
	case key.Matches(press, k.CharacterForward, k.DeleteCharacterForward):
		letters = text.Graphemes(string(in[at:min(len(in), at+50)]))
	}
	if len(letters) == 0 {
		return 0
	}
	return utf8.RuneCountInString(letters[0])
}

// oneLine makes pasted text fit in one line: the text input replaces each newline with a blank.
func oneLine(s string) string {
	return strings.ReplaceAll(strings.TrimRight(s, "\r\n"), "\r\n", "\n")
}

// View draws the label and the text in one line of exactly width columns. The text always gets
// more room than its label.
func (f *Field) View(width int, th *theme.Theme) string {
	w := min(text.Width(text.Safe(f.Label)), width/2-1)
	if w < 1 {
		return f.text(width, th)
	}
	style := text.Either(f.focused, th.Accent, th.Label)
	return style.Render(text.PadRight(text.Safe(f.Label), w)) + "  " + f.text(width-w-2, th)
}

func (f *Field) text(width int, th *theme.Theme) string {
	if width < 1 {
		return ""
	}
	in := f.input()
	safe := text.Safe(in.Value())
	if !f.focused {
		if safe == "" {
			return th.Placeholder.Inherit(th.Field).Render(text.PadRight(text.Safe(f.Placeholder), width))
		}
		return th.Field.Render(text.Fit(safe, width, 1))
	}
	if safe != in.Value() {
		// The text input would draw characters that upset the terminal.
		escaped := *newInput()
		escaped.SetWidth(width - 1)
		escaped.SetValue(safe)
		escaped.SetCursor(utf8.RuneCountInString(text.Safe(string([]rune(in.Value())[:in.Position()]))))
		in = &escaped
	}
	state := textinput.StyleState{Text: th.Field, Placeholder: th.Placeholder.Inherit(th.Field)}
	in.SetStyles(textinput.Styles{
		Focused: state,
		Cursor:  textinput.CursorStyle{Color: th.Cursor.GetForeground()},
	})
	in.Placeholder = text.Truncate(text.Safe(f.Placeholder), width)
	in.SetWidth(width - 1) // the cursor has a cell of its own
	in.SetCursor(in.Position())
	return text.Fit(in.View(), width, 1)
}

func typed(msg tea.KeyPressMsg) string {
	if msg.Mod&^(tea.ModShift|tea.ModCapsLock|tea.ModNumLock|tea.ModScrollLock) != 0 {
		return ""
	}
	return msg.Text
}

// TextArea is a text field of many lines, for JSON and descriptions: the text area of bubbles
// in our theme, without marks that turn the direction of the text around. Use [NewTextArea].
type TextArea struct {
	in textarea.Model
	focus
}

// NewTextArea returns an empty text area.
func NewTextArea() *TextArea {
	a := &TextArea{in: textarea.New()}
	a.in.Prompt, a.in.ShowLineNumbers = "", false
	a.in.CharLimit, a.in.MaxHeight, a.in.MaxWidth = 0, 0, 0
	a.in.Focus()
	return a
}

// Value returns the lines of the text, separated by \n.
func (a *TextArea) Value() string { return a.in.Value() }

// SetValue replaces the text and moves the cursor to its end.
func (a *TextArea) SetValue(s string) { a.in.SetValue(plainLines.Replace(s)) }

// plainLines normalizes line ends to \n and replaces tabs with blanks.
var plainLines = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", "  ")

// Update edits the text and reports whether it used the message. It does not use tab
// and esc.
func (a *TextArea) Update(msg tea.Msg) bool {
	if !a.focused {
		return false
	}
	switch m := msg.(type) {
	case tea.PasteMsg:
		msg = tea.PasteMsg{Content: plainLines.Replace(m.Content)}
	case tea.KeyPressMsg:
		if slices.Contains([]string{"tab", "shift+tab", "esc", "ctrl+s", "f1"}, m.String()) {
			return false
		}
	default:
		return false
	}
	a.in, _ = a.in.Update(msg)
	return true
}

// View draws the text, exactly filling size. Long lines are wrapped.
func (a *TextArea) View(size image.Point, th *theme.Theme) string {
	if size.X < 1 || size.Y < 1 {
		return ""
	}
	state := textarea.StyleState{
		Base: th.Field, Text: th.Field, CursorLine: th.Field, EndOfBuffer: th.Field, Placeholder: th.Field,
	}
	a.in.SetStyles(textarea.Styles{
		Focused: state, Blurred: state,
		Cursor: textarea.CursorStyle{Color: th.Cursor.GetForeground()},
	})
	a.in.SetVirtualCursor(a.focused)
	a.in.SetWidth(size.X)
	a.in.SetHeight(size.Y)
	return text.Fit(undirected.Replace(a.in.View()), size.X, size.Y)
}

// undirected removes the marks that change the direction of what follows in the terminal.
var undirected = strings.NewReplacer("\u200e", "", "\u200f", "", "\u202a", "", "\u202b", "", "\u202c", "", "\u202d", "", "\u202e", "",
	"\u2066", "", "\u2067", "", "\u2068", "", "\u2069", "")

const maxOffers = 5

// offers is a list of completions. Tab accepts the selected one, up and down select, esc
// closes the list.
type offers struct {
	list []string
	at   int
}

// Offers returns the completions offered now.
func (o *offers) Offers() []string { return o.list }

func (o *offers) set(list []string) { o.list, o.at = list, 0 }

func (o *offers) press(key string) (took string, used bool) {
	n := len(o.list)
	switch {
	case n == 0:
		return "", false
	case key == "tab":
		return o.list[o.at], true
	case key == "esc":
		o.list = nil
	case key == "down" && n > 1:
		o.at = (o.at + 1) % n
	case key == "up" && n > 1:
		o.at = (o.at + n - 1) % n
	default:
		return "", false
	}
	return "", true
}

// page returns at most that many of the completions, with the selected one, and the number of the
// first.
func (o *offers) page(most int) (list []string, from int) {
	if most < 1 || len(o.list) == 0 {
		return nil, 0
	}
	from = o.at / most * most
	return o.list[from:min(len(o.list), from+most)], from
}

func (o *offers) view(width int, label func(string) string, th *theme.Theme) string {
	list, from := o.page(maxOffers)
	if len(list) == 0 {
		return ""
	}
	out := th.Key.Render("tab") + th.Muted.Render(text.If(width >= 60, " completes"))
	for i, offer := range list {
		style := text.Either(from+i == o.at, th.Chip, th.Muted)
		out += " " + style.Render(text.Safe(label(offer)))
	}
	return text.Truncate(out, width)
}

// Completer is a text field that offers completions.
type Completer interface {
	Update(msg tea.Msg) bool
	Offers() []string
}

// OfferActions returns the actions for the completions of a field, or nil if it offers
// none. done runs after each.
func OfferActions(f Completer, group string, done func()) []Action {
	press := func(id, words, key string, footer bool) Action {
		return Action{ID: id, Keys: Bind(words, map[string]string{"down": "↓", "up": "↑"}[key], key), Group: group, Footer: footer, Do: func() tea.Cmd {
			f.Update(KeyMsg(key))
			done()
			return nil
		}}
	}
	var actions []Action
	switch n := len(f.Offers()); {
	case n == 0:
		return nil
	case n > 1:
		actions = []Action{press("offer.next", "next suggestion", "down", true), press("offer.previous", "previous suggestion", "up", false)}
	}
	return append(append([]Action{press("offer.take", "take the suggestion", "tab", true)}, actions...), press("offer.dismiss", "close the suggestions", "esc", true))
}
