//go:build unix

package cli_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"mediadesk/ui/uitest"
)

// testScreens opens the screens with what 0.1 stored, and sends the unsent form. The keys and colors
// are those in the settings.
func (h *oldHome) testScreens(t *testing.T) {
	const uploadForm = "f8" // by the words that version 0.1 had for it
	term := uitest.StartBinary(t, h.binary, []string{filepath.Join(h.ada, "pictures")}, h.env(), 120, 40)
	shows := func(words ...string) {
		t.Helper()
		term.WaitUntil(func(screen string) bool {
			for _, word := range words {
				if !strings.Contains(screen, word) {
					return false
				}
			}
			if strings.Contains(screen, "Tip") {
				t.Errorf("a tip was shown again:\n%s", screen)
			}
			return true
		})
	}
	shows("pictures/harbour.jpg", "pictures/logo.png") // restored to the tray
	if !strings.Contains(term.Styled(), "38;2;95;215;255") {
		t.Error("the colors are not those of the user's theme")
	}
	term.Press("b")
	term.WaitUntil(func(screen string) bool {
		for line := range strings.Lines(screen) {
			line = strings.ReplaceAll(line, "│", " ") // a border follows a long path at once
			if strings.Contains(line, "ada/pictures ") && strings.Contains(line, "bookmark") {
				return true
			}
		}
		return false
	})
	term.Press("esc", "3")
	shows("success", "failed", "google", "remove-bg")
	term.Press("p", "down", "enter") // unmatched webhooks
	shows("65f1c0ffee65f1c0ffee65f1")
	term.Press("esc")
	shows("google")
	term.Press("1", uploadForm)
	shows("/draft/", "Not sent yet", "drafted", "5,6,70,80")
	term.Press("ctrl+p")
	shows("evening")
	term.Press("esc")
	shows("Not sent yet")
	term.Press("ctrl+s")
	shows("s Send 2 files") // in the line of hints: the dialog takes keys now
	term.Press("s")
	shows("2 of 2 stored") // otherwise leaving asks
	term.Press("q")
	term.Wait()

	sent := h.records(t, "local", "/draft")
	for _, name := range []string{"/draft/harbour.jpg", "/draft/emblem.png"} {
		is := sent[name]
		got := fmt.Sprintf("%v %v %v %v", is["tags"], is["customCoordinates"], is["description"], is["customMetadata"])
		if got != "[drafted later] 5,6,70,80 Not sent yet map[price:7]" {
			t.Errorf("%s: %s, want \"[drafted later] 5,6,70,80 Not sent yet map[price:7]\"", name, got)
		}
	}
}
