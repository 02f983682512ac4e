// Package picture turns an image into terminal cells.
//
// Package media decodes a file, reduced to what a terminal can show. [Render] draws
// the picture into a rectangle of cells, a [RegionView] draws it with a rectangle
// marked on it, and a [Loader] does all of it for a file, with caches in memory and
// on disk, from any goroutine.
//
// Sixel is found but not used. What it would gain is a still preview in real
// pixels; what it costs was looked at. The pixels belong to no cell: a popup over
// them, a line that the framework moves by scrolling, or any cell of the area that
// is written again takes them away, and they must be sent anew, 70 to 230 kB for
// 66 by 23 cells where the glyphs take 9. The framework writes only the cells that
// differ, on its own ticker, and tells nobody when a frame has been written or what
// it touched, so there is no moment at which the picture is known to be needed and
// known to stay. Inside tmux it is drawn only by a tmux that was built for it, and is
// lost when panes are switched. Block glyphs by best fit have none of these holes.
package picture
