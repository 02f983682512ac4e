package uitest

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/page"
)

// restful is how many commands may follow from one before the test fails.
const restful = 10_000

// Taken removes the messages of one type from a list and returns them in order.
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

// One removes the only message of its type from a list and returns it.
func One[T any](t testing.TB, list *[]tea.Msg) T {
	t.Helper()
	got := Taken[T](list)
	if len(got) != 1 {
		t.Fatalf("%d messages %T, want one; others: %+v", len(got), *new(T), *list)
	}
	return got[0]
}

// Toasted removes the toasts from a list and checks that one contains the words.
func Toasted(t testing.TB, list *[]tea.Msg, words string) {
	t.Helper()
	got := Taken[page.Toast](list)
	for _, toast := range got {
		if strings.Contains(toast.Text, words) {
			return
		}
	}
	t.Errorf("no toast has %q; toasts: %+v", words, got)
}

// Shows checks that a screen shows all words. Frames and line ends count as blanks, so that
// it finds wrapped words.
func Shows(t testing.TB, screen string, words ...string) {
	t.Helper()
	flat := Flat(screen)
	for _, w := range words {
		if !strings.Contains(screen, w) && !strings.Contains(flat, w) {
			t.Errorf("there is no %q in\n%s", w, screen)
		}
	}
}

// Lacks checks that a screen shows none of the words, wrapped or not.
func Lacks(t testing.TB, screen string, words ...string) {
	t.Helper()
	flat := Flat(screen)
	for _, w := range words {
		if strings.Contains(screen, w) || strings.Contains(flat, w) {
			t.Errorf("there is %q in\n%s", w, screen)
		}
	}
}

var frames = strings.NewReplacer("│", " ", "╭", " ", "╮", " ")

// Flat returns a screen as one line, without frames.
func Flat(screen string) string { return strings.Join(strings.Fields(frames.Replace(screen)), " ") }
