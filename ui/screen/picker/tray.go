package picker

import "mediadesk/api"

// item is one source in the tray with what its file was when it was picked.
type item struct {
	source   api.Source
	identity api.Identity
	checked  bool  // the file was checked; a URL needs no check
	problem  error // why it cannot be sent; nil: it can, as far as is known
}

// isURL reports whether the service downloads the source.
func (i item) isURL() bool { return i.source.URL != "" }

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
		t.at = map[string]int{}
	}
	t.at[keyOf(i.source)] = len(t.items)
	t.items = append(t.items, i)
	t.size += i.identity.Size
	return true
}

// set replaces what is known of a source that is in the tray.
func (t *tray) set(i item) {
	at, ok := t.at[keyOf(i.source)]
	if !ok {
		return
	}
	t.size += i.identity.Size - t.items[at].identity.Size
	t.items[at] = i
}

// remove takes out the items for which gone is true and returns them.
func (t *tray) remove(gone func(item) bool) (out []item) {
	before := t.items
	*t = tray{}
	for _, i := range before {
		if gone(i) {
			out = append(out, i)
		} else {
			t.add(i)
		}
	}
	return out
}
