package cli

import "runtime/debug"

// Unreleased is the version of a build without version information.
const Unreleased = "0.2.0-dev"

// Version returns the module version or commit of the build; info may be nil.
func Version(info *debug.BuildInfo) string {
	if info == nil || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return Unreleased
	}
	return info.Main.Version
}
