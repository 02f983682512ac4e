//go:build !unix

package cli_test

import "github.com/rogpeppe/go-internal/testscript"

func makeFIFO(ts *testscript.TestScript, _ bool, _ []string) { ts.Fatalf("this system has no pipes") }
