package config

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv(stateVariable) != "" {
		// A child that talks to a real bus: its library keeps the connection for ever.
		os.Exit(m.Run())
	}
	goleak.VerifyTestMain(m)
}
