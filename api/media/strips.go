package media

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
)

// stripPixels is the approximate number of pixels in a strip. It is large enough to make
// the cost of scheduling negligible.
const stripPixels = 1 << 16

// maxCores limits how many strips are in memory.
const maxCores = 8

// Strips calls work for all rows of a picture w pixels wide, in strips, on up to 8 cores.
// The strips depend on w alone, not on the number of cores. It returns the first error or
// ctx's. It returns a panic of work as an error, since no caller could recover it.
func Strips(ctx context.Context, w, rows int, work func(from, to int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(cores())
	each := stripRows(w)
	for from := 0; from < rows; from += each {
		group.Go(func() (err error) {
			defer func() {
				if v := recover(); v != nil {
					err = fmt.Errorf("processing the picture failed: %v", v)
				}
			}()
			if err := ctx.Err(); err != nil {
				return err
			}
			return work(from, min(rows, from+each))
		})
	}
	return group.Wait()
}

// stripRows returns the number of rows in a strip of a picture w pixels wide.
func stripRows(w int) int { return max(1, stripPixels/max(1, w)) }
