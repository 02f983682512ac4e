// Package picture draws images in terminal cells. Package media decodes files to a reduced size;
// [Render] draws a picture, [RegionView] a picture with a marked rectangle, and [Loader] a file,
// with caches in memory and on disk. A terminal shows pixels by one of four protocols, see
// [Method]. Screens draw the same placeholder cells for all: each names an [Image] and its part.
// Terminals with Unicode placeholders draw them; for others a [Painter] sits between renderer and
// terminal.
package picture
