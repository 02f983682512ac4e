// Package media knows what is in the bytes of a file: its type, and of a picture its
// size, orientation and metadata. It decodes and scales pictures, whatever the file
// claims, within one [Budget] of memory that the whole program shares.
//
// [FactsOf] and [Inspect] never decode a pixel. [Decode] makes a picture that is
// reduced to what a screen shows, [DecodeFull] one in full size to work on.
package media
