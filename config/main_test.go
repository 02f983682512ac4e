package config

import (
	"os"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"mediadesk/api/media/mediatest"
)

func TestMain(m *testing.M) {
	if os.Getenv(stateVariable) != "" {
		// This child uses a real bus, and its library keeps the connection open.
		os.Exit(m.Run())
	}
	mediatest.TempInMemory()
	goleak.VerifyTestMain(m)
}

// must ends a test at an error.
func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
