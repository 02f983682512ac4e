package api

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"strings"

	"github.com/zeebo/xxh3"
)

// HashKind is a hash algorithm. A hash begins with its kind: "xxh128:" and 32 hexadecimal digits, as
// xxh128sum prints them.
type HashKind string

// The kinds of hashes.
//
// XXH128 is used for new uploads, to recognize the user's own files. It is not cryptographic, but
// costs a small part of what sending does, while SHA-256 alone takes longer than sending to a nearby
// service.
const (
	XXH128 HashKind = "xxh128"
	SHA256 HashKind = "sha256" // used by older versions
)

// HashKindOf returns the kind of a hash, or "".
func HashKindOf(sum string) HashKind {
	kind, _, _ := strings.Cut(sum, ":")
	return HashKind(kind)
}

// HashContent reads r until EOF and returns its hash and the number of bytes.
func HashContent(r io.Reader, kind HashKind) (sum string, size int64, err error) {
	h := newHasher(kind)
	size, err = io.CopyBuffer(h, struct{ io.Reader }{r}, make([]byte, 256<<10))
	return h.sum(), size, err
}

// HashSource returns the hash of a file, and its identity at that time. The error is a
// *SourceError.
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

// hasher hashes everything written to it.
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

// xxh128 is an xxh3.Hasher whose Sum has 128 bits instead of 64.
type xxh128 struct{ xxh3.Hasher }

func (h *xxh128) Size() int { return 16 }

func (h *xxh128) Sum(b []byte) []byte {
	sum := h.Sum128().Bytes()
	return append(b, sum[:]...)
}
