package onboarding

import (
	"errors"
	"strings"

	"mediadesk/config"
	"mediadesk/ui/kit"
)

const group = "Start"

// Acts are what can be done now.
func (m *Model) Acts() []kit.Act {
	switch {
	case m.flow != nil:
		return m.flow.Acts()
	case m.busy != "":
		return nil
	}
	return m.cards.Acts(group)
}

// Capturing reports whether letters are text.
func (m *Model) Capturing() bool { return m.flow != nil && m.flow.Capturing() }

// offer makes the choices.
func (m *Model) offer() {
	var cards []kit.Card
	m.offered = nil
	add := func(c choice, card kit.Card) {
		m.offered = append(m.offered, c)
		cards = append(cards, card)
	}
	if m.o.Problem == nil {
		m.offerFirst(add)
	} else {
		m.offerHelp(add)
	}
	at := 0
	if m.cards != nil {
		at = m.cards.Cursor()
	}
	m.cards = kit.NewCards(cards...)
	m.cards.SetCursor(at)
}

// offerFirst offers what a first start does.
func (m *Model) offerFirst(add func(choice, kit.Card)) {
	add(choiceTry, kit.Card{
		Key: "t", Title: "Try it here",
		Text: "With the local library: no account is needed and nothing leaves this computer. It is kept in " + m.o.Paths.Library() + ".",
	})
	add(choiceConnect, kit.Card{
		Key: "c", Title: "Connect an account",
		Text: "At the hosted service, or at any server with the same API. Its private key is typed hidden and goes into the keyring of this computer, which is tried first.",
	})
	if m.inEnvironment() {
		add(choiceEnvironment, kit.Card{
			Key: "e", Title: "Use the key from the environment",
			Text: config.KeyVariable + " is set. Only the account is asked for, and the key is written nowhere.",
		})
	}
}

// offerHelp offers what helps against the problem.
func (m *Model) offerHelp(add func(choice, kit.Card)) {
	local := m.profile.Name == config.LocalProfile
	_, unreadable := errors.AsType[*config.FileError](m.o.Problem)
	if needsKey(m.o.Problem) && !local {
		text := "It goes into the keyring of this computer where that works, or is used for this run only. It is typed hidden."
		if m.unnamed {
			text = "It is typed hidden, used for this run only and written nowhere."
		}
		add(choiceKey, kit.Card{Key: "p", Title: "Give the private key", Text: text})
	}
	again := "Once what is in the way is gone."
	if unreadable {
		again = "Mend the file in an editor first; it is left as it is until then."
	}
	add(choiceAgain, kit.Card{Key: "r", Title: "Try again", Text: again})
	if unreadable {
		return
	}
	if !local {
		add(choiceLocal, kit.Card{
			Key: "u", Title: "Use the local library for now",
			Text: "No account is needed and nothing leaves this computer. The settings stay as they are.",
		})
	}
	add(choiceConnect, kit.Card{
		Key: "c", Title: "Connect another account",
		Text: "At the hosted service, or at any server with the same API.",
	})
}

// needsKey tells whether a key that is typed helps against a problem.
func needsKey(err error) bool {
	_, source := errors.AsType[*config.SourceError](err)
	return source || errors.Is(err, config.ErrNoKey)
}

// inEnvironment tells whether the environment has a key.
func (m *Model) inEnvironment() bool {
	return m.o.Getenv != nil && strings.TrimSpace(m.o.Getenv(config.KeyVariable)) != ""
}
