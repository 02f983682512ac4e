// Package edit holds editors that several screens share: region, tags, extensions and metadata. An
// editor reads and writes its value through functions that the screen passes.
package edit
