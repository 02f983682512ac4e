package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"mediadesk/api"
	"mediadesk/api/local"
	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/text"
)

// folders checks the permissions of our folders, or of the nearest existing parent.
func (d *doctor) folders(context.Context) {
	for _, f := range []struct{ name, path string }{
		{"settings", filepath.Dir(d.p.Paths.Config)},
		{"data", d.p.Paths.Data},
		{"log", d.p.Paths.State},
		{"cache", d.p.Paths.Cache},
	} {
		d.folder(f.name, f.path)
	}
}

func (d *doctor) folder(name, path string) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		parent := path
		for errors.Is(err, fs.ErrNotExist) && filepath.Dir(parent) != parent {
			parent = filepath.Dir(parent)
			_, err = os.Stat(parent)
		}
		if err != nil || !writable(parent) {
			d.say(verdictBad, name, "Set MEDIADESK_HOME to a folder that you can write.", "%s does not exist and cannot be created", path)
			return
		}
		d.say(verdictNote, name, "", "%s is created when it is needed", path)
	case err != nil:
		d.say(verdictBad, name, "Check the permissions of the folders above it, or set MEDIADESK_HOME.", "%s cannot be read: %v", path, errors.Unwrap(err))
	case !info.IsDir():
		d.say(verdictBad, name, "Move it away, or set MEDIADESK_HOME to a folder.", "%s is not a folder", path)
	case !writable(path):
		d.say(verdictBad, name, "Check its permissions and the free space, or set MEDIADESK_HOME to another folder.", "%s cannot be written", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		d.say(verdictNote, name, "Run chmod 700 to prevent that.", "others can read %s (mode %04o)", path, info.Mode().Perm())
	default:
		d.say(verdictOK, name, "", "%s", path)
	}
}

// writable reports whether a file can be created in a folder.
func writable(dir string) bool {
	f, err := os.CreateTemp(dir, ".mediadesk-doctor-*")
	if err != nil {
		return false
	}
	closed := f.Close()
	return errors.Join(closed, os.Remove(f.Name())) == nil
}

func (d *doctor) journal(ctx context.Context) {
	state, err := session.CheckJournal(ctx, d.p.Paths)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.say(verdictNote, "journal", "", "none yet: the first start creates it")
	case err != nil:
		d.say(verdictBad, "journal", session.JournalDamaged, "%v", err)
	default:
		d.say(verdictOK, "journal", "", "no damage: %s, %s, schema %d of %d", text.Bytes(state.Bytes), text.Plural(state.Jobs, "upload"), state.Version, state.Newest)
	}
	d.library(ctx)
	d.private()
	if d.profile.Kind != config.KindLocal {
		return
	}
	if address, ok := local.Find(d.p.Paths.Library()); ok {
		d.say(verdictOK, "local library", "", "runs at %s, in another process", address)
		return
	}
	d.canListen("local library", d.settings.Local.Addr, "The next start uses another port; or set addr in [local].")
}

// library checks the records of the local library. Its contents are checked by serve --check only.
func (d *doctor) library(ctx context.Context) {
	sum, err := local.Check(ctx, d.p.Paths.Library(), local.CheckOptions{Quick: true}, func(p local.Problem) error {
		d.say(verdictBad, "library.db", p.Help, "%s", p.Message)
		return nil
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.say(verdictNote, "library.db", "", "none yet: the first start creates it")
	case err != nil:
		d.say(verdictBad, "library.db", api.Hint(err), "%v", err)
	case sum.Problems == 0:
		d.say(verdictOK, "library.db", "", "no damage; mediadesk serve --check verifies the contents, too")
	}
	if sum.Aside > 0 {
		d.say(verdictNote, "set aside", "", "%s without a record in set-aside: removed after 30 days", text.Plural(sum.Aside, "content"))
	}
}

// private finds record files that others can read.
func (d *doctor) private() {
	if runtime.GOOS == "windows" {
		return
	}
	for _, path := range []string{d.p.Paths.Journal(), filepath.Join(d.p.Paths.Library(), "library.db"), d.p.Paths.Log()} {
		entries, _ := os.ReadDir(filepath.Dir(path))
		for _, entry := range entries {
			if info, err := entry.Info(); err == nil && strings.HasPrefix(entry.Name(), filepath.Base(path)) && info.Mode().Perm()&0o077 != 0 {
				d.say(verdictWarn, "permissions", "The next start corrects that; or run: chmod 600 "+entry.Name(), "others can read %s (mode %04o)", entry.Name(), info.Mode().Perm())
			}
		}
	}
}
