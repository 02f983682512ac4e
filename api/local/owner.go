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
	return &api.HintedError{
		Err:  fmt.Errorf("%w %s", ErrOtherStore, o.ShownStorage()),
		Help: "All instances of a library need the same --storage. To move the contents, copy them with --copy-to, end all instances, wait 20 seconds if one was killed, and start them with the new storage.",
	}
}

// ShownStorage returns the location of the contents without secrets.
func (o *Options) ShownStorage() string {
	if o.Storage == "" {
		return contentsPath(o.Dir)
	}
	return store.MaskURL(o.Storage)
}

// ownership describes who owns a content store.
type ownership struct {
	o        Options
	records  store.Records
	contents store.Contents
	owner    string // identity of the owning library; empty if none yet
}

// ownerOf returns the ownership of the contents of o, or ErrNotOwner if they belong to another library.
func ownerOf(ctx context.Context, o Options, records store.Records, contents store.Contents) (*ownership, error) {
	own := &ownership{o: o, records: records, contents: contents}
	if own.alone() {
		return own, nil
	}
	var err error
	if own.owner, err = contents.Mark(store.LibraryMark, ""); err != nil {
		return nil, fmt.Errorf("read the owner of the storage: %w", err)
	}
	if own.owner == "" {
		return own, nil
	}
	library, err := store.View(ctx, records, func(tx store.Tx) (string, error) { return tx.Identity("") })
	if err != nil {
		return nil, fmt.Errorf("read the identity of the library: %w", err)
	}
	return own, own.check(library)
}

// alone reports whether records and contents are in one folder.
func (o *ownership) alone() bool { return o.o.Database == "" && o.o.Storage == "" }

func (o *ownership) check(library string) error {
	if o.owner != library {
		return &api.HintedError{
			Err:  fmt.Errorf("the storage %s %w", o.o.ShownStorage(), ErrNotOwner),
			Help: "Use another bucket, folder or prefix. If you restored old records of this very library, delete the object \"library\" in the storage.",
		}
	}
	return nil
}

// mark records this library as the owner of the contents. It returns ErrOtherStore if shared records
// belong to other contents.
func (o *ownership) mark(ctx context.Context) error {
	if o.o.Database != "" {
		id, err := o.contents.Mark(store.StoreMark, store.NewID())
		if err != nil {
			return fmt.Errorf("mark the storage: %w", err)
		}
		ok, err := store.Update(ctx, o.records, func(tx store.Tx) (bool, error) { return tx.UseStore(id) })
		if err != nil {
			return fmt.Errorf("record the storage of the library: %w", err)
		}
		if !ok {
			return o.o.otherStore()
		}
	}
	if o.alone() || o.owner != "" {
		return nil
	}
	library, err := store.Update(ctx, o.records, func(tx store.Tx) (string, error) { return tx.Identity(store.NewID()) })
	if err != nil {
		return fmt.Errorf("record the identity of the library: %w", err)
	}
	if o.owner, err = o.contents.Mark(store.LibraryMark, library); err != nil {
		return fmt.Errorf("write the owner of the storage: %w", err)
	}
	return o.check(library)
}

// allowMove lets the library of o use the contents in target, a copy of source, from its next start.
// It returns ErrOtherStore if the contents of the library are not in source.
func allowMove(ctx context.Context, o Options, records store.Records, source, target store.Contents) error {
	from, err := source.Mark(store.StoreMark, "")
	if err != nil {
		return fmt.Errorf("read the mark of the storage: %w", err)
	}
	to, err := target.Mark(store.StoreMark, store.NewID())
	if err != nil {
		return fmt.Errorf("mark the storage: %w", err)
	}
	ok, err := store.Update(ctx, records, func(tx store.Tx) (bool, error) { return tx.MoveStore(from, to) })
	if err == nil && !ok {
		return o.otherStore()
	}
	return err
}
