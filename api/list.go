package api

import (
	"context"
	"errors"
	"hash/maphash"
	"iter"
	"regexp"
	"slices"
	"strings"
)

// Query selects what List returns.
type Query struct {
	Folder string // one level; empty means all folders
	Type   string // "file", "folder", "all"; empty means files, or the matches of Search
	Name   string // exact name, or empty
	Search string // search query in the service's language, instead of Name; may be empty
	Kind   string // KindImage or KindNonImage, or empty
	Sort   string // one of rule.Sorts after ASC_ or DESC_; empty means the service's default
	Skip   int
	Limit  int // 0 means the service's default
}

// SearchValue quotes a text for a search query.
func SearchValue(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// List reads records of files and folders. Like Details, it is not part of the specification.
func (c *Client) List(ctx context.Context, q Query) ([]File, error) {
	var files []File
	err := c.Do(ctx, ListFiles(q), &files)
	if slices.ContainsFunc(files, func(f File) bool { return f.FileID == "" && !f.IsFolder() }) {
		return nil, unreadable("list", files, "a record has no usable fileId")
	}
	return files, err
}

var typeWord = regexp.MustCompile(`(?i)\btype\b\s*(=|NOT|IN)`)

// ErrSamePage reports that a listing is incomplete: the service repeats the same records.
var ErrSamePage = errors.New("the service sends the same files again instead of the next ones, so the list is not complete")

// maxPage is the maximum number of records per page, and maxListed that of a listing: a service
// could have another page for ever.
const (
	maxPage   = 1000
	maxListed = 1_000_000
)

// All lists page by page, starting at q.Skip; q.Limit is the page size, 0 means 1,000. It yields a
// record only once even if it moves to a later page. It ends with the first error, and with
// ErrSamePage after a full page without new records, or after 1,000,000 records.
func (c *Client) All(ctx context.Context, q Query) iter.Seq2[*File, error] {
	return func(yield func(*File, error) bool) {
		if q.Limit <= 0 {
			q.Limit = maxPage
		}
		// the IDs of a million records would take too much memory
		seed, seen := maphash.MakeSeed(), map[uint64]struct{}{}
		for {
			files, err := c.List(ctx, q)
			if err != nil {
				yield(nil, err)
				return
			}
			before := len(seen)
			for i := range files {
				f := &files[i]
				key := maphash.String(seed, f.Type+"\x00"+f.FileID)
				if f.FileID == "" {
					key = maphash.Bytes(seed, f.Raw) // folders have other IDs
				}
				if _, twice := seen[key]; twice {
					continue
				}
				seen[key] = struct{}{}
				if !yield(f, nil) {
					return
				}
			}
			switch {
			case len(files) < q.Limit:
				return
			case len(seen) == before && len(files) == q.Limit:
				yield(nil, ErrSamePage)
				return
			case len(seen) == before: // the service ignores the limit and sends everything
				return
			case len(seen) >= maxListed:
				yield(nil, WithHint(errors.New("the listing has more than 1,000,000 files and folders, and stops there"), "List a folder, or search."))
				return
			}
			q.Skip += len(files)
		}
	}
}
