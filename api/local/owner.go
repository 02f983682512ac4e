package local

import (
	"context"
	"fmt"

	"mediadesk/api/local/store"
)

// NotOwnerError is why a library cannot use a store of contents.
type NotOwnerError struct{ Storage string } // its address without secrets

func (e *NotOwnerError) Error() string {
	return "the storage " + e.Storage + " belongs to another library"
}

// Hint says what helps.
func (e *NotOwnerError) Hint() string {
	return "Use another bucket, folder or prefix. If these are the contents of this library, because you restored old records, delete the object \"library\" in the storage."
}

// ownership is what is known of who owns a store of contents.
type ownership struct {
	storage string
	records store.Records
	owned   store.Owned // nil: only this library reaches the contents
	owner   string      // identity of the library that owns the contents; empty: none yet
}

// ownerOf looks who owns the contents at the address storage. The error is a
// *NotOwnerError if another library does.
func ownerOf(ctx context.Context, storage string, records store.Records, contents store.Contents) (*ownership, error) {
	o := &ownership{storage: storage, records: records}
	o.owned, _ = contents.(store.Owned)
	if o.owned == nil {
		return o, nil
	}
	var err error
	if o.owner, err = o.owned.Owner(""); err != nil {
		return nil, fmt.Errorf("ask which library owns the storage: %w", err)
	}
	if o.owner == "" {
		return o, nil
	}
	library, err := store.View(ctx, records, func(tx store.Tx) (string, error) { return tx.Identity("") })
	if err != nil {
		return nil, fmt.Errorf("read the identity of the library: %w", err)
	}
	return o, o.check(library)
}

func (o *ownership) check(library string) error {
	if o.owner != library {
		return &NotOwnerError{store.MaskURL(o.storage)}
	}
	return nil
}

// mark makes the contents those of this library.
func (o *ownership) mark(ctx context.Context) error {
	if o.owned == nil || o.owner != "" {
		return nil
	}
	library, err := store.Update(ctx, o.records, func(tx store.Tx) (string, error) { return tx.Identity(store.NewID()) })
	if err != nil {
		return fmt.Errorf("give the library an identity: %w", err)
	}
	if o.owner, err = o.owned.Owner(library); err != nil {
		return fmt.Errorf("write which library owns the storage: %w", err)
	}
	return o.check(library)
}
