package api

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"strings"

	"github.com/zeebo/xxh3"
)

// HashKind is a way of making the hash of a content. A hash is written with its
// kind: "xxh128:" and 32 hexadecimal digits, those that xxh128sum prints.
type HashKind string

// The kinds of hashes.
//
// XXH128 is that of what is sent now. It is there to recognise one's own files,
// and for that it is enough: two contents of the same hash do not come about by
// chance. It proves nothing against somebody who makes such contents on
// purpose, but costs a small part of what sending does, where SHA-256 alone
// takes longer than sending to a service near by.
const (
	XXH128 HashKind = "xxh128"
	SHA256 HashKind = "sha256" // of what older programs sent
)

// HashKindOf is the kind of a hash; empty of none.
func HashKindOf(sum string) HashKind {
	kind, _, _ := strings.Cut(sum, ":")
	return HashKind(kind)
}

// HashContent reads r to its end and is the hash of that, with how many bytes
// there were.
func HashContent(r io.Reader, kind HashKind) (sum string, size int64, err error) {
	h := newHasher(kind)
	size, err = io.CopyBuffer(h, struct{ io.Reader }{r}, make([]byte, 256<<10))
	return h.sum(), size, err
}

// HashSource reads a file and is its hash, with what the file was while it was
// read. The error is a *SourceError.
func HashSource(name string, kind HashKind) (string, Identity, error) {
	f, before, err := openSource(name)
	if err != nil {
		return "", Identity{}, err
	}
	defer f.Close()
	sum, _, err := HashContent(f, kind)
	if err != nil {
		return "", before, NewSourceError(name, err)
	}
	after, err := Identify(name)
	if err != nil {
		return "", before, err
	}
	if !after.Same(before) {
		return "", before, &SourceError{Path: name, Reason: "changed while it was being read", Help: "Try again once it is complete."}
	}
	return sum, before, nil
}

// hasher makes a hash of what is written to it.
type hasher struct {
	hash.Hash
	kind HashKind
}

func newHasher(kind HashKind) *hasher {
	if kind == SHA256 {
		return &hasher{sha256.New(), SHA256}
	}
	return &hasher{new(xxh128), XXH128}
}

func (h *hasher) sum() string { return string(h.kind) + ":" + hex.EncodeToString(h.Sum(nil)) }

// xxh128 is the hash of 128 bits of a package whose own Sum has 64.
type xxh128 struct{ xxh3.Hasher }

func (h *xxh128) Size() int { return 16 }

func (h *xxh128) Sum(b []byte) []byte {
	sum := h.Sum128().Bytes()
	return append(b, sum[:]...)
}
