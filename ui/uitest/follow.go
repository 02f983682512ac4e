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
