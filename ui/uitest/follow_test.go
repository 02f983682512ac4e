package uitest

import "testing"

func TestShowsWordsOverLineEnds(t *testing.T) {
	Shows(t, "╭───╮\n│ a   │\n│ few │\n╰───╯", "a few", "│ few")
}
