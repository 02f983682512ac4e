package media

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
)

// stripPixels is about how many pixels a strip has: enough that handing it to
// another core costs nothing beside the work.
const stripPixels = 1 << 16

// maxCores bounds how many strips are in memory.
const maxCores = 8

// Strips does work on all rows of a picture w pixels wide, in strips of some
// rows each, on all cores. Where the strips end depends on w alone. It returns
// the first error, or ctx's; what breaks down in a strip is an error too,
// since nothing further up could catch it.
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

// stripRows is how many rows a strip of a picture w pixels wide has.
func stripRows(w int) int { return max(1, stripPixels/max(1, w)) }
