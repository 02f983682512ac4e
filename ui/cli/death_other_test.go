//go:build !unix

package cli_test

func runDyingScreen(string) {}
