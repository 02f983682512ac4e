package uitest

import (
	"strings"
	"testing"

	"mediadesk/ui/kit"
)

// HostileNames are file names that could break a screen.
var HostileNames = []string{
	"plain.jpg",
	strings.Repeat("a very long name ", 20) + ".jpeg",
	"日本語のとても長いファイル名で幅が二倍あります.png",
	"👩‍👩‍👧‍👦🏳️‍🌈👍🏽.gif",
	"e\u0301\u0302\u0303\u0304\u0305\u0306 marks.jpg",
	"\x1b[31mred\x1b]8;;http://evil\x07link\x1b]8;;\x07.jpg",
	"right\u202eto\u2066left.txt",
	"line\r\nbreak\ttab.txt",
	"bad\xff\xfebytes.bin",
	"हिन्दी फ़ाइल.txt",
	"",
}

// EveryKey checks that every key of an enabled action does something and that every
// disabled action gives a reason. prepare brings a screen to the named state. It skips
// actions for which free returns true, such as moves in an empty list.
func EveryKey(t *testing.T, state string, prepare func() *Driver, free func(kit.Action) bool) {
	t.Helper()
	for _, a := range prepare().Screen.Actions() {
		if a.Label() == "" || a.Group == "" || a.ID == "" {
			t.Errorf("%s: %q has no words", state, a.KeyLabel())
		}
		if free(a) {
			continue
		}
		for _, k := range a.Keys.Keys() {
			d := prepare()
			if d.Screen.Capturing() && kit.KeyMsg(k).Text != "" {
				continue // the key types text
			}
			before := d.Host.View(d.Theme)
			cmd, reason, used := d.Host.Press(kit.KeyMsg(k))
			switch {
			case !used && reason == "":
				t.Errorf("%s: %s has no disabled reason", state, k)
			case used && cmd == nil && d.Host.View(d.Theme) == before:
				t.Errorf("%s: %s (%s) does nothing", state, k, a.Label())
			}
		}
	}
}
