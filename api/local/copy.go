package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"mediadesk/api/local/store"
)

// Copied is the result of CopyContents.
type Copied struct {
	Contents int   `json:"contents"` // copied now
	Bytes    int64 `json:"bytes"`    // of the copied contents
	Present  int   `json:"present"`  // already in the target
	Problems int   `json:"problems"` // could not be copied
}

// copiers is the number of concurrent copies, which mostly wait for the store.
const copiers = 8

// CopyContents copies the contents of the library from o.Storage to the store at the address to; an
// empty address means the folder in o.Dir. It verifies each by its hash and leaves the originals in
// place. It skips what the target has, so a repeated call continues. The library may be running,
// but contents stored meanwhile need another call. CopyContents calls report, one call at a time,
// for contents that are missing or changed.
func CopyContents(ctx context.Context, o Options, to string, report func(Problem) error) (sum Copied, err error) {
	if o.Storage == to {
		return sum, errors.New("cannot copy the contents: the target is the storage in use")
	}
	records, err := openRecords(ctx, o, store.ReadRecords)
	if err != nil {
		return sum, o.recordsError(err)
	}
	defer func() { err = errors.Join(err, records.Close()) }()
	source := store.ReadContents(contentsPath(o.Dir))
	if o.Storage != "" {
		if source, err = store.OpenStorage(ctx, o.Storage); err != nil {
			return sum, err
		}
	}
	target, err := openContents(ctx, o.Dir, to)
	if err != nil {
		return sum, err
	}
	moved := o
	moved.Storage = to
	// The first start with the storage marks it.
	if _, err := checkOwner(ctx, moved, records, target); err != nil {
		return sum, err
	}
	c := &copier{source: source, target: target, report: report}
	for prefix := range prefixes {
		if err := c.copy(ctx, records, prefix); err != nil {
			return c.sum, err
		}
	}
	if o.Database == "" {
		return c.sum, nil
	}
	return c.sum, allowMove(ctx, o, records, source, target)
}

type copier struct {
	source, target store.Contents

	mu     sync.Mutex
	sum    Copied
	report func(Problem) error
}

// copy copies the contents whose hash begins with prefix.
func (c *copier) copy(ctx context.Context, records store.Records, prefix string) error {
	holdings, err := store.View(ctx, records, func(tx store.Tx) ([]store.Holding, error) { return tx.Versions.Holdings(prefix) })
	if err != nil || len(holdings) == 0 {
		return err
	}
	list, err := c.target.List(prefix)
	if err != nil {
		return err
	}
	present := map[string]bool{}
	for _, s := range list {
		present[s.Hash] = present[s.Hash] || !s.Aside
	}
	holdings = slices.CompactFunc(holdings, func(a, b store.Holding) bool { return a.Version.Hash == b.Version.Hash })
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(copiers)
	for _, h := range holdings {
		if present[h.Version.Hash] {
			c.mu.Lock()
			c.sum.Present++
			c.mu.Unlock()
			continue
		}
		group.Go(func() error { return c.one(ctx, h) })
	}
	return group.Wait()
}

// one copies one content if it matches its hash.
func (c *copier) one(ctx context.Context, h store.Holding) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	draft, err := c.target.Draft()
	if err != nil {
		return err
	}
	defer draft.Discard()
	problem, n, err := verifyContent(ctx, c.source, h.Version, draft)
	if err == nil && problem.Kind == "" {
		_, err = draft.Commit()
	}
	if err != nil {
		return fmt.Errorf("copy the content %s: %w", h.Version.Hash, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if problem.Kind != "" {
		c.sum.Problems++
		return c.report(problem.of(h))
	}
	c.sum.Contents++
	c.sum.Bytes += n
	return nil
}
