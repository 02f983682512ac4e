package local

import (
	"context"
	"errors"
	"fmt"

	"mediadesk/api"
	"mediadesk/api/local/store"
)

var (
	// ErrNotOwner reports that a content store belongs to another library.
	ErrNotOwner = errors.New("belongs to another library")
	// ErrOtherStore reports that the contents of a library are in another store than the given one.
	ErrOtherStore = errors.New("the contents of this library are in another storage than")
)

func (o *Options) otherStore() error {
	return api.WithHint(fmt.Errorf("%w %s", ErrOtherStore, o.ShownStorage()), "All instances of a library need the same --storage. To move the contents, copy them with --copy-to, end all instances, wait 20 seconds if one was killed, and start them with the new storage.")
}

// ShownStorage returns the location of the contents without secrets.
func (o *Options) ShownStorage() string {
	if o.Storage == "" {
		return contentsPath(o.Dir)
	}
	return store.MaskURL(o.Storage)
}

// checkOwner reports whether the contents of o have this library as their owner. It returns
// ErrNotOwner if they have another one. Records and contents in one folder need no owner.
func checkOwner(ctx context.Context, o Options, records store.Records, contents store.Contents) (owned bool, err error) {
	if o.Database == "" && o.Storage == "" {
		return true, nil
	}
	owner, err := contents.Mark(store.LibraryMark, "")
	if err != nil {
		return false, fmt.Errorf("read the owner of the storage: %w", err)
	}
	if owner == "" {
		return false, nil
	}
	library, err := store.View(ctx, records, func(tx store.Tx) (string, error) { return tx.Library.Identity("") })
	if err != nil {
		return false, fmt.Errorf("read the identity of the library: %w", err)
	}
	return true, o.owns(owner, library)
}

func (o *Options) owns(owner, library string) error {
	if owner == library {
		return nil
	}
	return api.WithHint(fmt.Errorf("the storage %s %w", o.ShownStorage(), ErrNotOwner), "Use another bucket, folder or prefix. If you restored old records of this very library, delete the object \"library\" in the storage.")
}

// markOwner records this library as the owner of the contents unless it is owned. It returns
// ErrOtherStore if shared records belong to other contents.
func (l *Library) markOwner(ctx context.Context, owned bool) error {
	if l.o.Database != "" {
		id, err := l.contents.Mark(store.StoreMark, store.NewID())
		if err != nil {
			return fmt.Errorf("mark the storage: %w", err)
		}
		ok, err := store.Update(ctx, l.records, func(tx store.Tx) (bool, error) { return tx.Library.UseStore(id) })
		if err != nil {
			return fmt.Errorf("record the storage of the library: %w", err)
		}
		if !ok {
			return l.o.otherStore()
		}
	}
	if owned {
		return nil
	}
	library, err := store.Update(ctx, l.records, func(tx store.Tx) (string, error) { return tx.Library.Identity(store.NewID()) })
	if err != nil {
		return fmt.Errorf("record the identity of the library: %w", err)
	}
	owner, err := l.contents.Mark(store.LibraryMark, library)
	if err != nil {
		return fmt.Errorf("write the owner of the storage: %w", err)
	}
	return l.o.owns(owner, library)
}

// allowMove lets the library of o use the contents in target, a copy of source, from its next
// start. It returns ErrOtherStore if the contents of the library are not in source.
func allowMove(ctx context.Context, o Options, records store.Records, source, target store.Contents) error {
	from, err := source.Mark(store.StoreMark, "")
	if err != nil {
		return fmt.Errorf("read the mark of the storage: %w", err)
	}
	to, err := target.Mark(store.StoreMark, store.NewID())
	if err != nil {
		return fmt.Errorf("mark the storage: %w", err)
	}
	ok, err := store.Update(ctx, records, func(tx store.Tx) (bool, error) { return tx.Library.MoveStore(from, to) })
	if err == nil && !ok {
		return o.otherStore()
	}
	return err
}
