package cli_test

import (
	"runtime/debug"
	"testing"

	"mediadesk/ui/cli"
)

// TestVersion covers a release, a commit, a changed commit, and a build without any information.
func TestVersion(t *testing.T) {
	for _, c := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{nil, cli.Unreleased},
		{&debug.BuildInfo{}, cli.Unreleased},
		{&debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, cli.Unreleased},
		{&debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}, "v1.2.3"},
		{&debug.BuildInfo{Main: debug.Module{Version: "v0.0.0-20260102030405-0123456789ab+dirty"}}, "v0.0.0-20260102030405-0123456789ab+dirty"},
	} {
		if got := cli.Version(c.info); got != c.want {
			t.Errorf("%+v: %q, want %q", c.info, got, c.want)
		}
	}
}
