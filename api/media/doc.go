// Package media inspects, decodes and scales pictures. It detects the type of any file, and
// reads the size, orientation and metadata of pictures. All work on pictures shares one
// limit of memory, whatever size a file claims.
//
// [FactsOf] and [Inspect] never decode a pixel. [Decode] returns a picture reduced to the
// size of a screen, [DecodeFull] a picture in full size.
package media
