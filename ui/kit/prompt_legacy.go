package kit

import tea "charm.land/bubbletea/v2"

// What a prompt may come to.
const (
	// PromptOpen means that it has not been answered.
	PromptOpen = iota
	// PromptTaken means that its text is to be used.
	PromptTaken
	// PromptClosed means that it was left by esc.
	PromptClosed
)

// Update edits the text and tells what the prompt came to. Every key is the
// prompt's own while it is open.
func (p *Prompt) Update(msg tea.Msg) int {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch name := key.String(); {
		case name == "esc":
			return PromptClosed
		case name == "ctrl+s", name == "enter" && p.area == nil:
			if p.problem() != "" {
				p.tried = true
				return PromptOpen
			}
			return PromptTaken
		}
	}
	if p.area != nil {
		p.area.Update(msg)
	} else {
		p.field.Update(msg)
	}
	return PromptOpen
}

// Acts are what can be done in the prompt.
func (p *Prompt) Acts() []Act {
	verb, key := p.Verb, "enter"
	if verb == "" {
		verb = "take"
	}
	if p.area != nil {
		key = "ctrl+s"
	}
	return []Act{
		{Binding: Bind(verb, "", key), Hint: true, Group: p.Title},
		{Binding: Bind("cancel", "", "esc"), Hint: true, Group: p.Title},
	}
}
