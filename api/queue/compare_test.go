//go:build unix

package queue_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/journal"
	"mediadesk/api/local"
	"mediadesk/api/queue"
)

// These tests compare sending with curl and rclone in one run (bench.sh). Every program is a process
// of its own and uses the same server.

func init() {
	mode := os.Getenv("QUEUE_COMPARE")
	if mode == "" {
		return
	}
	if err := compareChild(mode); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(0)
}

func compareChild(mode string) error {
	dir, address := os.Getenv("COMPARE_DIR"), os.Getenv("COMPARE_ADDRESS")
	switch mode {
	case "server":
		return sink(dir)
	case "library":
		return libraryServer(dir)
	}
	if mode == "calls" {
		return bareCalls(dir, address)
	}
	client, err := api.NewClient(api.Options{UploadURL: address, BaseURL: address, Key: testKey})
	if err != nil {
		return err
	}
	ctx := context.Background()
	switch mode {
	case "idle":
		return nil
	case "hash":
		_, _, err := api.HashSource(filepath.Join(dir, "large.bin"), api.XXH128)
		return err
	case "one":
		_, err = client.Upload(ctx, &api.Upload{Source: api.Source{Path: filepath.Join(dir, "large.bin")}, FileName: "large.bin"}, nil)
		return err
	}
	names, err := filepath.Glob(filepath.Join(dir, "small", "*"))
	if mode == "one, journal" {
		names, err = []string{filepath.Join(dir, "large.bin")}, nil
	}
	if err != nil {
		return err
	}
	jobs := make([]api.Job, len(names))
	for i, name := range names {
		jobs[i] = api.Job{Naming: api.NameHere, Upload: api.Upload{Source: api.Source{Path: name}, FileName: filepath.Base(name)}}
		api.ApplyNaming(&jobs[i].Upload, api.NameHere)
	}
	if mode == "client" {
		var next atomic.Int64
		var work sync.WaitGroup
		for range 8 {
			work.Go(func() {
				for i := next.Add(1) - 1; int(i) < len(jobs); i = next.Add(1) - 1 {
					if _, err := client.Upload(ctx, &jobs[i].Upload, nil); err != nil {
						panic(err)
					}
				}
			})
		}
		work.Wait()
		return nil
	}
	for i := range jobs {
		if jobs[i].Identity, err = api.Identify(jobs[i].Upload.Source.Path); err != nil {
			return err
		}
	}
	state, err := os.MkdirTemp(dir, "state")
	if err != nil {
		return err
	}
	j, err := journal.Open(ctx, filepath.Join(state, "journal.db"))
	if err != nil {
		return err
	}
	q := queue.New(queue.Options{Journal: j, Sender: client, Profile: "home", Concurrency: 8, Fresh: true})
	if err := q.Start(ctx); err != nil {
		return err
	}
	if _, err := q.Add(ctx, jobs); err != nil {
		return err
	}
	finished, err := q.Wait(ctx, nil)
	if err != nil {
		return err
	}
	for _, job := range finished {
		if job.State != api.Stored {
			return fmt.Errorf("%s is %s: %v", job.Upload.FileName, job.State, job.Failure)
		}
	}
	if err := q.Close(ctx); err != nil {
		return err
	}
	return j.Close()
}

// bareCalls sends the small files with the fewest system calls: each file is opened, read and closed,
// sent in one write, and its answer is read. This is the lower limit on this machine.
func bareCalls(dir, address string) error {
	host, path, _ := strings.Cut(strings.TrimPrefix(address, "http://"), "/")
	names, err := filepath.Glob(filepath.Join(dir, "small", "*"))
	if err != nil {
		return err
	}
	send := func(conn net.Conn, name string, buffer []byte) error {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		head := fmt.Appendf(buffer[:0], "POST /%s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n", path, host, info.Size())
		whole := buffer[:len(head)+int(info.Size())]
		if _, err := io.ReadFull(f, whole[len(head):]); err != nil {
			return err
		}
		if _, err := conn.Write(whole); err != nil {
			return err
		}
		n, err := conn.Read(buffer) // a short answer arrives in one piece
		if err == nil && !strings.HasPrefix(string(buffer[:n]), "HTTP/1.1 200 ") {
			err = fmt.Errorf("the answer is %q", buffer[:n])
		}
		return err
	}
	var next atomic.Int64
	var work sync.WaitGroup
	failed := make(chan error, 8)
	for range 8 {
		work.Go(func() {
			conn, err := net.Dial("tcp", host)
			if err != nil {
				failed <- err
				return
			}
			defer conn.Close()
			buffer := make([]byte, 64<<10)
			for i := next.Add(1) - 1; int(i) < len(names); i = next.Add(1) - 1 {
				if err := send(conn, names[i], buffer); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	work.Wait()
	close(failed)
	return <-failed
}

// sink is a service that accepts uploads: below /discard in windows of 256 KiB, below /parts with a
// MultipartReader, and below /disk in the same way into files. It does little, so that the cost of
// the clients is visible.
func sink(dir string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + listener.Addr().String())
	var n atomic.Int64
	buffers := sync.Pool{New: func() any { return make([]byte, 256<<10) }}
	take := func(to io.Writer, from io.Reader) error {
		buffer := buffers.Get().([]byte)
		defer buffers.Put(buffer) //nolint:staticcheck // one allocation of its header does not matter
		_, err := io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{from}, buffer)
		return err
	}
	takeParts := func(r *http.Request, to io.Writer) error {
		parts, err := r.MultipartReader()
		if err != nil {
			return err
		}
		for part, err := parts.NextPart(); !errors.Is(err, io.EOF); part, err = parts.NextPart() {
			if err == nil {
				err = take(to, part)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, err := n.Add(1), error(nil)
		switch {
		case strings.HasPrefix(r.URL.Path, "/discard/"):
			err = take(io.Discard, r.Body)
		case strings.HasPrefix(r.URL.Path, "/parts/"):
			err = takeParts(r, io.Discard)
		default:
			var f *os.File
			// Use new names: creating a file again is slower for minutes after many files were removed.
			if f, err = os.Create(filepath.Join(dir, fmt.Sprintf("stored%d", id))); err == nil {
				err = errors.Join(takeParts(r, f), f.Close())
			}
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprintf(w, `{"fileId":"id%d","name":"f","filePath":"/f","fileType":"non-image"}`, id)
	}))
}

// libraryServer is a local library in the folder dir.
func libraryServer(dir string) error {
	s, err := local.Serve(context.Background(), "127.0.0.1:0", local.Options{Dir: filepath.Join(dir, "library"), Key: testKey, MaxSize: 1 << 30})
	if err != nil {
		return err
	}
	fmt.Println(s.Address)
	select {}
}

// cost is the time and memory of a run.
type cost struct {
	elapsed, cpu time.Duration
	memory       int64 // kB at the peak
}

func measure(t *testing.T, cmd *exec.Cmd) cost {
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args[:min(4, len(cmd.Args))], err, out[:min(len(out), 2000)])
	}
	c := cost{elapsed: time.Since(began), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.memory = int64(usage.Maxrss) //nolint:unconvert // the type differs between systems
	}
	return c
}

func TestCompare(t *testing.T) {
	if os.Getenv("MEDIADESK_BENCH") == "" {
		t.Skip("a measurement: bench.sh runs it")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "large.bin"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	block := make([]byte, 1<<20)
	large, err := os.OpenFile(filepath.Join(dir, "large.bin"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		block[0] = byte(i)
		large.Write(block)
	}
	large.Close()
	small := filepath.Join(dir, "small")
	os.Mkdir(small, 0o700)
	var config strings.Builder
	self := func(mode, address string) *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "QUEUE_COMPARE="+mode, "COMPARE_DIR="+dir, "COMPARE_ADDRESS="+address)
		return cmd
	}
	serve := func(mode string) string {
		server := self(mode, "")
		out, err := server.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			server.Process.Kill()
			server.Wait()
		})
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(line)
	}
	address, library := serve("server"), serve("library")
	program := filepath.Join(dir, "mediadesk")
	if out, err := exec.Command("go", "build", "-o", program, "../..").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// whole is the program as a user starts it.
	whole := func(address, source string) func() *exec.Cmd {
		return func() *exec.Cmd {
			cmd := exec.Command(program, "upload", "--quiet", "--upload-url", address, "--base-url", address, source)
			cmd.Env = append(os.Environ(), "MEDIADESK_HOME="+filepath.Join(dir, "home"), "MEDIADESK_PRIVATE_KEY="+testKey.Reveal())
			return cmd
		}
	}
	const path = "/api/v1/files/upload"
	for i := range 2000 {
		name := filepath.Join(small, fmt.Sprintf("f%04d.bin", i))
		if err := os.WriteFile(name, block[:20_000], 0o600); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&config, "next\nurl=%s\nform=\"fileName=f%04d.bin\"\nform=\"file=@%s\"\noutput=/dev/null\nsilent\n", address+"/discard"+path, i, name)
	}
	list := filepath.Join(dir, "curl.txt")
	if err := os.WriteFile(list, []byte(strings.TrimPrefix(config.String(), "next\n")), 0o600); err != nil {
		t.Fatal(err)
	}

	curl := func(to string) func() *exec.Cmd {
		return func() *exec.Cmd {
			return exec.Command("curl", "-sS", "-o", os.DevNull, "-u", testKey.Reveal()+":", "-F", "fileName=large.bin", "-F", "file=@"+filepath.Join(dir, "large.bin"), to+path)
		}
	}
	ours := func(mode, address string) func() *exec.Cmd { return func() *exec.Cmd { return self(mode, address) } }
	runs := map[string]func() *exec.Cmd{
		"idle":                               ours("idle", address),
		"one, windows: program":              whole(address+"/discard", filepath.Join(dir, "large.bin")),
		"one, MultipartReader: program":      whole(address+"/parts", filepath.Join(dir, "large.bin")),
		"one, local library: program":        whole(library, filepath.Join(dir, "large.bin")),
		"many: program":                      whole(address+"/discard", small),
		"one, hash alone":                    ours("hash", address),
		"one, windows: mediadesk":            ours("one", address+"/discard"),
		"one, windows: with journal":         ours("one, journal", address+"/discard"),
		"one, windows: curl -F":              curl(address + "/discard"),
		"one, MultipartReader: mediadesk":    ours("one", address+"/parts"),
		"one, MultipartReader: with journal": ours("one, journal", address+"/parts"),
		"one, MultipartReader: curl -F":      curl(address + "/parts"),
		"one, to disk: curl -F":              curl(address + "/disk"),
		"one, local library: mediadesk":      ours("one", library),
		"one, local library: with journal":   ours("one, journal", library),
		"one, local library: curl -F":        curl(library),
		"many: system calls alone":           ours("calls", address+"/discard"+path),
		"many: client":                       ours("client", address+"/discard"),
		"many: with journal":                 ours("journal", address+"/discard"),
		"many: curl --parallel":              func() *exec.Cmd { return exec.Command("curl", "-sS", "--parallel", "--parallel-max", "8", "-K", list) },
	}
	if rclone, err := exec.LookPath("rclone"); err == nil && os.Getenv("MEDIADESK_BENCH") == "all" {
		stop := rcloneServer(t, rclone, dir)
		defer stop()
		round := 0
		runs["many: rclone"] = func() *exec.Cmd {
			round++
			return exec.Command(rclone, "copy", "--transfers", "8", "--checkers", "8", "--config", os.DevNull, "--webdav-url", os.Getenv("RCLONE_AT"), small, fmt.Sprintf(":webdav:r%d", round))
		}
	} else {
		t.Log("no comparison with rclone: it is not installed, or MEDIADESK_BENCH is not all")
	}
	// MEDIADESK_BENCH_RUN selects the measurements by a pattern.
	wanted := regexp.MustCompile(os.Getenv("MEDIADESK_BENCH_RUN"))
	var names []string
	for name := range runs {
		if wanted.MatchString(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	const rounds = 5
	costs := map[string][]cost{}
	for round := range rounds { // in turns, so that disturbances affect all programs
		for _, name := range names {
			if round > 0 && name == "many: rclone" {
				continue // this takes long, and the ratio is far from its goal
			}
			costs[name] = append(costs[name], measure(t, runs[name]()))
		}
	}
	median := map[string]cost{}
	for name, list := range costs {
		slices.SortFunc(list, func(a, b cost) int { return int(a.elapsed - b.elapsed) })
		median[name] = list[len(list)/2]
		c := median[name]
		fmt.Printf("%-36s %8.0f ms  %8.0f ms processor  %6.1f MB\n", name, c.elapsed.Seconds()*1e3, c.cpu.Seconds()*1e3, float64(c.memory)/1e3)
	}
	ratio := func(words, ours, theirs string, goal float64) {
		if median[ours].elapsed > 0 && median[theirs].elapsed > 0 {
			fmt.Printf("%-66s %.2f (goal %.2f)\n", words, float64(median[ours].elapsed)/float64(median[theirs].elapsed), goal)
		}
	}
	for _, server := range []string{"windows", "MultipartReader", "local library"} {
		one := "one, " + server + ": "
		ratio("300 MB, "+server+", against curl -F", one+"mediadesk", one+"curl -F", 1.05)
		ratio("300 MB, "+server+", hashed and with journal, against curl -F", one+"with journal", one+"curl -F", 1.15)
		ratio("300 MB, "+server+", the whole program, against curl -F", one+"program", one+"curl -F", 1.15)
	}
	ratio("300 MB, client and library against curl to files", "one, local library: mediadesk", "one, to disk: curl -F", 0.45)
	ratio("300 MB, the hash of the file alone, against curl -F", "one, hash alone", "one, windows: curl -F", 1.05)
	ratio("2,000 x 20 kB, the necessary system calls alone, against curl --parallel", "many: system calls alone", "many: curl --parallel", 0.60)
	ratio("2,000 x 20 kB without the journal, against curl --parallel", "many: client", "many: curl --parallel", 0.60)
	ratio("2,000 x 20 kB with the journal, against curl --parallel", "many: with journal", "many: curl --parallel", 2.00)
	ratio("2,000 x 20 kB, the whole program, against curl --parallel", "many: program", "many: curl --parallel", 2.00)
	ratio("2,000 x 20 kB with the journal, against rclone to WebDAV", "many: with journal", "many: rclone", 0.12)
	// A peak that is lower than that of the starting process cannot be measured.
	fmt.Printf("peak memory of a 300 MB upload: %.1f MB, of a program that does nothing: %.1f MB (goal: 20 above)\n",
		float64(median["one, windows: with journal"].memory)/1e3, float64(median["idle"].memory)/1e3)
}

// rcloneServer starts rclone's WebDAV server and sets RCLONE_AT.
func rcloneServer(t *testing.T, rclone, dir string) (stop func()) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := listener.Addr().String()
	listener.Close()
	root := filepath.Join(dir, "webdav")
	os.Mkdir(root, 0o700)
	cmd := exec.Command(rclone, "serve", "webdav", root, "--addr", at, "--config", os.DevNull)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		conn, err := net.Dial("tcp", at)
		if err == nil {
			conn.Close()
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Setenv("RCLONE_AT", "http://"+at)
	return func() {
		cmd.Process.Kill()
		cmd.Wait()
	}
}
