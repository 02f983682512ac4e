// Package text makes text fit for a terminal: safe to draw, cut and padded to
// columns, and with units a person reads.
package text
