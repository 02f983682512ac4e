package uitest

import (
	"reflect"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/page"
)

// restful is how many commands may follow from one before the screen counts as
// one that never comes to rest.
const restful = 10_000

// Follow runs a command and all that follows from it without a program, in the
// order of asking. As with the root, messages of the screen's own package go
// back to the screen; those that are meant for others are returned in order.
// shared tells which of the others the root gives to the screen too; nil: none.
func Follow(t testing.TB, screen interface{ Update(tea.Msg) tea.Cmd }, cmd tea.Cmd, shared func(tea.Msg) bool) []tea.Msg {
	t.Helper()
	own := reflect.TypeOf(screen).Elem().PkgPath()
	var others []tea.Msg
	steps := 0
	for todo := []tea.Cmd{cmd}; len(todo) > 0; todo = todo[1:] {
		if steps++; steps > restful {
			t.Fatal("the screen never comes to rest")
		}
		if todo[0] == nil {
			continue
		}
		switch msg := todo[0]().(type) {
		case nil:
		case tea.BatchMsg:
			todo = append(todo, msg...)
		default:
			ours := reflect.TypeOf(msg).PkgPath() == own
			if !ours {
				others = append(others, msg)
			}
			if ours || shared != nil && shared(msg) {
				todo = append(todo, screen.Update(msg))
			}
		}
	}
	return others
}

// isFramework tells whether a message is one of Bubble Tea's own.
func isFramework(msg tea.Msg) bool {
	return reflect.TypeOf(msg).PkgPath() == reflect.TypeFor[tea.KeyPressMsg]().PkgPath()
}

// Taken takes the messages of one type out of a list, in order.
func Taken[T any](list *[]tea.Msg) []T {
	var got []T
	var rest []tea.Msg
	for _, msg := range *list {
		if m, ok := msg.(T); ok {
			got = append(got, m)
		} else {
			rest = append(rest, msg)
		}
	}
	*list = rest
	return got
}

// One takes the only message of its type out of a list.
func One[T any](t testing.TB, list *[]tea.Msg) T {
	t.Helper()
	got := Taken[T](list)
	if len(got) != 1 {
		t.Fatalf("%d messages %T, want one; others: %+v", len(got), *new(T), *list)
	}
	return got[0]
}

// Toasted takes the toasts out of a list and checks that one says the words.
func Toasted(t testing.TB, list *[]tea.Msg, words string) {
	t.Helper()
	got := Taken[page.Toast](list)
	for _, toast := range got {
		if strings.Contains(toast.Text, words) {
			return
		}
	}
	t.Errorf("no toast says %q; toasts: %+v", words, got)
}

// Shows checks that a screen shows all these words. Frames and line ends count
// as blanks, so that words are found also where they are wrapped.
func Shows(t testing.TB, screen string, words ...string) {
	t.Helper()
	flat := Flat(screen)
	for _, w := range words {
		if !strings.Contains(screen, w) && !strings.Contains(flat, w) {
			t.Errorf("the screen does not show %q:\n%s", w, screen)
		}
	}
}

// frames are drawn around words and are none of them.
var frames = strings.NewReplacer("│", " ", "╭", " ", "╮", " ")

// Flat is a screen as one line of words, without the frames beside them.
func Flat(screen string) string { return strings.Join(strings.Fields(frames.Replace(screen)), " ") }
