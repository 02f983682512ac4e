package cli

import "runtime/debug"

// Unreleased is the version of a program that does not know what it was built
// from.
const Unreleased = "0.1.0-dev"

// Version is that of the module, or of the commit it was built from, as the
// build wrote it into the program; nil: it wrote nothing.
func Version(info *debug.BuildInfo) string {
	if info == nil || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return Unreleased
	}
	return info.Main.Version
}
