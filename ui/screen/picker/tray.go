package picker

import (
	"path"
	"path/filepath"
	"strings"

	"mediadesk/api"
)

// item is one source in the tray with what its file was when it was picked.
type item struct {
	source   api.Source
	identity api.Identity
	checked  bool  // the file was checked; a URL needs no check
	problem  error // why it cannot be sent; nil: it can, as far as is known
}

// isURL reports whether the service downloads the source.
func (i item) isURL() bool { return i.source.URL != "" }

// label is what the list calls the item.
func (i item) label() string {
	if i.source.Label != "" {
		return i.source.Label
	}
	return i.source.Name()
}

// keyOf identifies a source, whatever its Base64 and Label: the same file is in the tray
// once.
func keyOf(s api.Source) string {
	if s.URL != "" {
		return "u" + s.URL
	}
	return "p" + s.Path
}

// among reports whether an item is of one of these sources.
func among(sources ...api.Source) func(item) bool {
	keys := map[string]bool{}
	for _, s := range sources {
		keys[keyOf(s)] = true
	}
	return func(i item) bool { return keys[keyOf(i.source)] }
}

// tray is what was picked, in the order of picking, each source once.
type tray struct {
	items []item
	at    map[string]int // key → place in items
	size  int64          // bytes of all files that were checked
	// under counts the items in each folder of this computer, at any depth.
	under map[string]int
	// subs has the folder that the files of a folder of this computer keep when they are
	// sent, for folders that were picked whole. It outlives the items, so that a file that
	// is picked again returns to its place.
	subs map[string]string
}

func (t *tray) has(s api.Source) bool {
	_, ok := t.at[keyOf(s)]
	return ok
}

func (t *tray) hasPath(path string) bool {
	_, ok := t.at["p"+path]
	return ok
}

// add puts an item at the end and tells whether it was not there before.
func (t *tray) add(i item) bool {
	if t.has(i.source) {
		return false
	}
	if t.at == nil {
		t.at, t.under = map[string]int{}, map[string]int{}
	}
	if folder := filepath.Dir(i.source.Path); !i.isURL() {
		if i.source.Sub == "" {
			i.source.Sub = t.subOf(folder)
		} else if i.source.Sub != t.subOf(folder) {
			t.keep(folder, i.source.Sub)
		}
	}
	t.at[keyOf(i.source)] = len(t.items)
	t.items = append(t.items, i)
	t.count(i, 1)
	return true
}

// count adds an item to the sums, or with -1 takes it out.
func (t *tray) count(i item, by int) {
	t.size += int64(by) * i.identity.Size
	if i.isURL() {
		return
	}
	for dir := filepath.Dir(i.source.Path); ; dir = filepath.Dir(dir) {
		if t.under[dir] += by; t.under[dir] == 0 {
			delete(t.under, dir)
		}
		if dir == filepath.Dir(dir) {
			return
		}
	}
}

// set replaces what is known of a source that is in the tray. It keeps its place in the
// folder that was picked, unless i has another.
func (t *tray) set(i item) {
	at, ok := t.at[keyOf(i.source)]
	if !ok {
		return
	}
	if i.source.Sub == "" {
		i.source.Sub = t.items[at].source.Sub
	}
	t.size += i.identity.Size - t.items[at].identity.Size
	t.items[at] = i
}

// remove takes out the items for which gone is true and returns them.
func (t *tray) remove(gone func(item) bool) (out []item) {
	var kept []item
	for _, i := range t.items {
		if gone(i) {
			out = append(out, i)
			delete(t.at, keyOf(i.source))
			t.count(i, -1)
			continue
		}
		t.at[keyOf(i.source)] = len(kept)
		kept = append(kept, i)
	}
	t.items = kept
	return out
}

// subOf is the folder that the files of a folder of this computer keep when they are sent;
// "" outside of the folders that were picked whole.
func (t *tray) subOf(folder string) string {
	for dir, below := folder, ""; ; dir = filepath.Dir(dir) {
		if sub, ok := t.subs[dir]; ok {
			return path.Join(sub, api.SubFolder(below))
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
		below = path.Join(filepath.Base(dir), below)
	}
}

// pickedWhole notes that a folder was picked with all that is in it; the folders in it
// keep their places below it. It returns what subOf gives for it from now on.
func (t *tray) pickedWhole(folder string) string {
	t.forget(folder)
	sub := path.Join(t.subOf(filepath.Dir(folder)), api.SubFolder(filepath.Base(folder)))
	t.keep(folder, sub)
	return sub
}

func (t *tray) keep(folder, sub string) {
	if t.subs == nil {
		t.subs = map[string]string{}
	}
	t.subs[folder] = sub
}

// forget forgets that a folder, or one in it, was picked whole.
func (t *tray) forget(folder string) {
	for dir := range t.subs {
		if dir == folder || strings.HasPrefix(dir, folder+string(filepath.Separator)) {
			delete(t.subs, dir)
		}
	}
}
