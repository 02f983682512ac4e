// Package edit holds the editors that several screens show: the region on a
// picture, tags, extensions and metadata fields. An editor knows no screen: it
// reads and writes its value through the functions that it was made with.
package edit
