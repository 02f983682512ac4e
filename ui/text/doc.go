// Package text prepares text for a terminal: it makes text safe, fits it to columns, and
// formats numbers with units.
package text
