//go:build !unix

package cli_test

import "testing"

// testScreens needs a pseudo-terminal.
func (h *oldHome) testScreens(*testing.T) {}
