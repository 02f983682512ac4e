//go:build !unix

package command_test

func runMortal(string) {}
