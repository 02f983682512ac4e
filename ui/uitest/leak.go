package uitest

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mediadesk/api/media/mediatest"
)

// Parallel lets n tests of a package run at a time, unless -parallel says otherwise.
func Parallel(n int) {
	flag.Parse()
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue {
		_ = parallel.Value.Set(strconv.Itoa(n))
	}
}

// VerifyTestMain runs a package's tests and fails if they leak goroutines. Call it from
// TestMain in every package that starts programs. The tests run in one time zone, because the kept
// looks of screens have times.
//
// It ignores goroutines that Bubble Tea leaks at the end of a program: the input reader
// blocks forever if an event arrives while the program ends, and a tick sleeps to its end,
// as does its batch.
func VerifyTestMain(m *testing.M) {
	time.Local = time.UTC
	mediatest.TempInMemory()
	if checks := flag.Lookup("rapid.checks"); mediatest.Racing && checks != nil {
		_ = checks.Value.Set("10") // one goroutine handles the drawn keys
	}
	ignored := []goleak.Option{
		goleak.IgnoreAnyFunction("github.com/charmbracelet/ultraviolet.(*TerminalReader).sendEvents"),
		goleak.IgnoreAnyFunction("charm.land/bubbletea/v2.Tick.func1"),
		goleak.IgnoreAnyFunction("charm.land/bubbletea/v2.Every.func1"),
		goleak.IgnoreAnyFunction("charm.land/bubbletea/v2.(*Program).execBatchMsg"),
	}
	code, limit := m.Run(), time.Now().Add(Deadline)
	leaks := goleak.Find(ignored...) // it waits for about a second
	for leaks != nil && time.Now().Before(limit) {
		leaks = goleak.Find(ignored...) // a picture is still being drawn on a busy machine
	}
	if leaks != nil && code == 0 {
		fmt.Fprintln(os.Stderr, "goroutines are left:", leaks)
		code = 1
	}
	os.Exit(code)
}
