package mediatest

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"testing"

	"pgregory.net/rapid"
)

// Must ends a test at an error.
func Must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Equal reports a value that is not what the test wants. The format names the value.
func Equal[V comparable](t rapid.TB, got, want V, format string, args ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %#v, want %#v", fmt.Sprintf(format, args...), got, want)
	}
}

// Everything reports whether tests need all their tools, as in CI.
var Everything = os.Getenv("MEDIADESK_TEST_REQUIRE") == "all"

// AllRounds reports whether tests run all their rounds and cases. The race detector, which makes each
// many times slower, finds in a few what it can find.
var AllRounds = Everything && !Racing

// Rounds returns how many rounds, or how large a case, a test has: all with [AllRounds], else few.
func Rounds[N any](few, all N) N {
	if AllRounds {
		return all
	}
	return few
}

func init() {
	if !AllRounds {
		_ = flag.Set("rapid.checks", "25") // the flag exists, because this package imports rapid
		debug.SetGCPercent(400)            // drawing takes a tenth less time
	}
}

// OnlyWithEverything skips a test that takes long, or starts what other tests do not need, unless
// everything is required.
func OnlyWithEverything(t testing.TB) {
	t.Helper()
	if !Everything {
		t.Skip("takes long: runs with MEDIADESK_TEST_REQUIRE=all")
	}
}

// Missing skips a test because something from outside is missing, or fails it if everything is required.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if Everything {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// Tool returns the path of a program, or calls [Missing].
func Tool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, "%s is not installed", name)
	}
	return path
}

// WaitTogether runs up to eight tests of a package at once, because they mostly wait. Call it in TestMain.
// Where everything is required, the short timeouts of so many tests at once would depend on the load.
func WaitTogether() {
	if flag.Parse(); !Everything && !Racing {
		_ = flag.Set("test.parallel", "8") // it is there
	}
}
