//go:build !unix

package pgtest

import "os/exec"

// asOther does nothing where there is no root.
func asOther(*exec.Cmd, string) error { return nil }
