// Command preview draws one picture in a terminal, for the benchmark. With a folder
// as its last argument it makes a thumbnail of 400 pixels there, and draws that.
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
	l := picture.NewLoader()
	r, err := l.Load(context.Background(), picture.Request{Path: os.Args[1], Cols: cols, Rows: rows})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(strings.Join(r.Lines(), "\n"))
}
