// Package picture turns an image into terminal cells.
//
// Package media decodes a file, reduced to what a terminal can show. [Render] draws
// the picture into a rectangle of cells, a [RegionView] draws it with a rectangle
// marked on it, and a [Loader] does all of it for a file, with caches in memory and
// on disk, from any goroutine.
//
// A terminal shows pixels by one of four protocols, see [Method]. Screens draw the
// same cells for all of them: placeholders, each with the number of an [Image] and
// the part of it that it shows. Terminals with Unicode placeholders draw them by
// themselves; for the others a [Painter] stands between renderer and terminal.
package picture
