package picker

import (
	"mediadesk/api"
)

// item is one source in the tray with what its file was when it was picked.
type item struct {
	source   api.Source
	identity api.Identity
	checked  bool  // the file was looked at; an address needs no look
	problem  error // why it cannot be sent; nil: nothing is known against it
}

// isURL tells whether the service fetches the source itself.
func (i item) isURL() bool { return i.source.URL != "" }

// keyOf tells one source from another. Base64 and Label do not: the same file
// is in the tray once.
func keyOf(s api.Source) string {
	if s.URL != "" {
		return "u" + s.URL
	}
	return "p" + s.Path
}

// tray is what was picked, in the order of picking, each source once.
type tray struct {
	items []item
	at    map[string]int // key → place in items
	size  int64          // bytes of all files that were looked at
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
func (t *tray) remove(gone func(item) bool) []item {
	var kept, out []item
	for _, i := range t.items {
		if gone(i) {
			out = append(out, i)
		} else {
			kept = append(kept, i)
		}
	}
	if len(out) == 0 {
		return nil
	}
	*t = tray{}
	for _, i := range kept {
		t.add(i)
	}
	return out
}
