package cli

import "runtime/debug"

// Unreleased is the version of a program without that record.
const Unreleased = "0.1.0-dev"

// Version is the version of the module or commit that the program was built from;
// nil: the build did not record it.
func Version(info *debug.BuildInfo) string {
	if info == nil || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return Unreleased
	}
	return info.Main.Version
}
