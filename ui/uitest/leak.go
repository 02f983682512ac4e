package uitest

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// VerifyTestMain runs a package's tests and fails where goroutines are left
// behind. Call it from TestMain in every package that starts programs.
//
// What Bubble Tea itself leaves when a program ends is not counted. Its input
// reader offers an event for ever, so a key or an answer of the terminal that
// crosses the end of the program leaves it waiting. And a tick sleeps to its
// end, with the batch that it belongs to.
func VerifyTestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.Cleanup(func(code int) {
			removeBuild()
			os.Exit(code)
		}),
		goleak.IgnoreAnyFunction("github.com/charmbracelet/ultraviolet.(*TerminalReader).sendEvents"),
		goleak.IgnoreAnyFunction("charm.land/bubbletea/v2.Tick.func1"),
		goleak.IgnoreAnyFunction("charm.land/bubbletea/v2.Every.func1"),
		goleak.IgnoreAnyFunction("charm.land/bubbletea/v2.(*Program).execBatchMsg"))
}
