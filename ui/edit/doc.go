// Package edit holds what several screens show of files and change in them: the form of their
// fields, the region editor, contact sheets, previews and the viewer, and operations with undo. Its
// parts read and write through functions that the screen passes.
package edit
