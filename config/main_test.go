package config

import (
	"os"
	"testing"

	"go.uber.org/goleak"

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

var must = mediatest.Must

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
