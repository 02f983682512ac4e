// Command preview draws one picture in a terminal, for the benchmark.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"mediadesk/ui/picture"
)

func main() {
	cols, _ := strconv.Atoi(os.Args[2])
	rows, _ := strconv.Atoi(os.Args[3])
	r, err := picture.NewLoader(picture.Limits{}).Load(context.Background(), picture.Request{Path: os.Args[1], Cols: cols, Rows: rows})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(strings.Join(r.Lines, "\n"))
}
