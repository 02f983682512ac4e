//go:build unix && !linux

package command

import "os"

func dropInput(*os.File) {}
