//go:build unix

package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/session"
)

// These scripts stand for the programs that read a picture from the clipboard.
const (
	pngOnly  = "#!/bin/sh\ntest \"$3\" = image/png || { echo 'no suitable type' >&2; exit 1; }\nprintf '\\211PNG\\r\\n\\032\\n and more'\n"
	jpegOnly = "#!/bin/sh\ncase \"$*\" in *image/jpeg) printf '\\377\\330\\377 and more' ;; *) exit 1 ;; esac\n"
	nothing  = "#!/bin/sh\necho 'Nothing is copied' >&2\nexit 1\n"
	apple    = "#!/bin/sh\necho '«data PNGf89504E470D0A1A0A»'\n"
	windows  = "#!/bin/sh\necho iVBORw0KGgo=\n"
)

func TestClipboardPicture(t *testing.T) {
	now := time.Date(2026, 11, 22, 8, 15, 0, 0, time.UTC)
	for _, c := range []struct {
		name     string
		programs map[string]string
		want     string // file name
		content  string
		problem  string
		help     string
	}{
		{"Wayland", map[string]string{"wl-paste": pngOnly}, "clipboard-2026-11-22-081500.png", "\x89PNG\r\n\x1a\n and more", "", ""},
		{"X11", map[string]string{"xclip": jpegOnly}, "clipboard-2026-11-22-081500.jpg", "\xff\xd8\xff and more", "", ""},
		{"Wayland is not running", map[string]string{"wl-paste": nothing, "xclip": jpegOnly}, "clipboard-2026-11-22-081500.jpg", "\xff\xd8\xff and more", "", ""},
		{"macOS", map[string]string{"osascript": apple}, "clipboard-2026-11-22-081500.png", "\x89PNG\r\n\x1a\n", "", ""},
		{"Windows", map[string]string{"powershell.exe": windows}, "clipboard-2026-11-22-081500.png", "\x89PNG\r\n\x1a\n", "", ""},
		{"no picture", map[string]string{"wl-paste": nothing}, "", "", "has no picture (wl-paste: Nothing is copied)", "Copy a picture first"},
		{"no program", nil, "", "", "no program for it is installed", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			bin, spool := t.TempDir(), filepath.Join(t.TempDir(), "spool")
			for name, script := range c.programs {
				must(t, os.WriteFile(filepath.Join(bin, name), []byte(script), 0o755))
			}
			t.Setenv("PATH", bin)
			source, err := session.ClipboardPicture(t.Context(), spool, now)
			if c.problem != "" {
				if err == nil || !strings.Contains(err.Error(), c.problem) ||
					!strings.Contains(api.Hint(err), c.help) || api.Hint(err) == "" {
					t.Errorf("the error is %v (%s)", err, api.Hint(err))
				}
				if left, _ := filepath.Glob(filepath.Join(spool, "*")); len(left) > 0 {
					t.Errorf("files remain: %q", left)
				}
				return
			}
			must(t, err)
			content, err := os.ReadFile(source.Path)
			if source.Name() != c.want || string(content) != c.content || err != nil {
				t.Errorf("%q has %q, %v", source.Name(), content, err)
			}
		})
	}
}
