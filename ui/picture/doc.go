// Package picture turns an image into terminal cells.
//
// A file becomes facts ([FactsOf], which never decodes a pixel) or a [Picture]
// ([DecodeFile]): upright, reduced to what a terminal can show, and bounded in
// time and memory whatever the file claims. [Render] draws a picture into a
// rectangle of cells, a [RegionView] draws it with a rectangle marked on it, and
// a [Loader] does all of it for a file, with caches in memory and on disk, from any
// goroutine.
package picture
