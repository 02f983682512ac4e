//go:build unix && !linux

package terminal

import "os"

func dropInput(*os.File) {}
