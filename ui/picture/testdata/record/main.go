// Command record sends the detector's queries to its terminal and writes the raw replies to
// a file: the size in cells on the first line, then the replies as one quoted string.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/charmbracelet/x/term"

	"mediadesk/ui/picture"
)

func main() {
	if err := record(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func record(name string) error {
	cols, rows, err := term.GetSize(os.Stdin.Fd())
	if err != nil {
		return err
	}
	before, err := term.MakeRaw(os.Stdin.Fd())
	if err != nil {
		return err
	}
	defer term.Restore(os.Stdin.Fd(), before) //nolint:errcheck // there is nothing more to try
	if _, err := os.Stdout.WriteString(picture.NewDetector(picture.SettingAuto, os.Getenv, true).Query()); err != nil {
		return err
	}
	// Replies of a terminal around tmux arrive late.
	answers := make(chan []byte)
	go func() {
		for {
			b := make([]byte, 4096)
			n, err := os.Stdin.Read(b)
			if err != nil {
				return
			}
			answers <- b[:n]
		}
	}()
	all := ""
	for end := time.After(3 * time.Second); ; {
		select {
		case b := <-answers:
			all += string(b)
			continue
		case <-end:
		}
		break
	}
	return os.WriteFile(name, []byte(fmt.Sprintf("%d %d\n%s\n", cols, rows, strconv.QuoteToASCII(all))), 0o600)
}
