// Command xtermjs runs a program in xterm.js with its image addon, on a web page. VS Code
// and many web consoles use this terminal.
//
//	xtermjs FOLDER PROGRAM [ARGUMENT…]
//
// FOLDER contains the packages of xterm.js. It prints the address of the page; the first
// request starts the program.
package main

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"

	"github.com/charmbracelet/x/xpty"
)

//go:embed page.html
var page []byte

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("http://" + listener.Addr().String())
	pty, err := xpty.NewUnixPty(80, 24)
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { w.Write(page) })
	http.Handle("GET /package/", http.StripPrefix("/package/", http.FileServer(http.Dir(os.Args[1]))))
	http.HandleFunc("POST /input", func(_ http.ResponseWriter, r *http.Request) { io.Copy(pty, r.Body) })
	http.HandleFunc("GET /output", func(w http.ResponseWriter, r *http.Request) {
		var size struct{ Cols, Rows int }
		if err := json.Unmarshal([]byte(r.FormValue("size")), &size); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if err := pty.Resize(size.Cols, size.Rows); err != nil {
			log.Print(err)
		}
		cmd := exec.Command(os.Args[2], os.Args[3:]...)
		cmd.Env = append(os.Environ(), "TERM=xterm-256color", "COLORTERM=truecolor", "TERM_PROGRAM=")
		if err := pty.Start(cmd); err != nil {
			log.Fatal(err)
		}
		go cmd.Wait()
		w.Header().Set("Content-Type", "text/event-stream")
		buffer := make([]byte, 32<<10)
		for {
			n, err := pty.Read(buffer)
			if n > 0 {
				fmt.Fprintf(w, "data: %s\n\n", base64.StdEncoding.EncodeToString(buffer[:n]))
				http.NewResponseController(w).Flush()
			}
			if err != nil {
				return
			}
		}
	})
	log.Fatal(http.Serve(listener, nil))
}
