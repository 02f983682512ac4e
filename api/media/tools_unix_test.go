//go:build unix

package media

import (
	"context"
	"errors"
	"image"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mediadesk/api/media/mediatest"
)

// standIn replaces a program by a script, which the test's shell runs.
func standIn(t *testing.T, program, script string) {
	t.Helper()
	standInBy(t, tool(t, "sh"), program, script)
}

// standInBy is standIn with a given shell, for a test in which none is found.
func standInBy(t *testing.T, sh, program, script string) {
	t.Helper()
	bin := t.TempDir()
	must(t, os.WriteFile(filepath.Join(bin, program), []byte("#!"+sh+"\n"+script), 0o700)) //nolint:gosec // to be run
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// TestToolIsKilled: a program that hangs ends with the context, together with its children. The
// script reports how it was run.
func TestToolIsKilled(t *testing.T) {
	tool(t, "ps")
	dir := t.TempDir()
	ready := filepath.Join(dir, "ready")
	must(t, syscall.Mkfifo(ready, 0o600))
	standIn(t, "rsvg-convert", `while [ $(ps -o ni= -p $$) -lt 10 ]; do :; done; sleep 1000 & echo $$ $! "$@" >`+ready+`; wait`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := decodePath(ctx, write(t, "-o x;y.svg", []byte(svgPicture)), Limits{Side: 77})
		done <- err
	}()
	said, err := os.ReadFile(ready)
	must(t, err)
	words := strings.Fields(string(said))
	if len(words) < 3 || !strings.HasSuffix(string(said), "-o x;y.svg\n") || strings.Contains(string(said), " -o ") || !strings.Contains(string(said), "--width 77 ") {
		t.Fatalf("the program ran with %q", said)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	for _, pid := range words[:2] {
		gone(t, pid)
	}
}

// TestHowProgramsAreAsked: a script in the place of each program reports its arguments, its input,
// where its output is expected, and what it must not see. The tests beside this one run the real
// programs if they are installed.
func TestHowProgramsAreAsked(t *testing.T) {
	sh, cat, env := tool(t, "sh"), tool(t, "cat"), tool(t, "env")
	heic := string(box("ftyp", []byte("heic\x00\x00\x00\x00mif1heic")))
	asked := map[string]struct{ data, args string }{
		"rsvg-convert":  {svgPicture, "--keep-aspect-ratio --width 320 --height 320 --format png PATH"},
		"pdftoppm":      {"%PDF-1.7\n", "-png -f 1 -l 1 -singlefile -scale-to 320 PATH"},
		"vipsthumbnail": {heic, "stdin --size 320x320> -o .png"},
		"heif-convert":  {heic, "-q 90 PATH OUT"},
		"ffmpeg": {
			string(film(64, 48, false)), "-nostdin -v error -threads 1 -protocol_whitelist file,pipe -i file:PATH -frames:v 1 " +
				"-vf scale='min(320,iw)':'min(320,ih)':force_original_aspect_ratio=decrease -f image2pipe -c:v png pipe:1",
		},
	}
	for _, c := range converters {
		t.Run(c.program, func(t *testing.T) {
			want, ok := asked[c.program]
			if !ok {
				t.Fatal("the test has no expected arguments")
			}
			seen, made := t.TempDir(), write(t, "made.png", mediatest.PNG(t, mediatest.Quarters(32, 16)))
			t.Setenv("PATH", "")
			t.Setenv("MEDIADESK_PRIVATE_KEY", "private_nobody_sees_this")
			script := `printf '%s\n' "$@" >` + seen + `/args; ` + env + ` >` + seen + `/env; `
			if c.stdin {
				script += cat + ` >` + seen + `/stdin; `
			}
			script += `for last; do :; done; `
			if c.out != "" {
				script += cat + ` ` + made + ` >"$last"`
			} else {
				script += cat + ` ` + made
			}
			standInBy(t, sh, c.program, script)
			path := write(t, "-a b%d [1].x", []byte(want.data))
			p, err := decodePath(t.Context(), path, Limits{Side: 320})
			must(t, err)
			if p.Size != image.Pt(32, 16) || !mediatest.Near(p.Pixels.RGBAAt(2, 2), mediatest.Quarters(2, 2).At(0, 0)) {
				t.Errorf("the picture is %v, %v in the corner", p.Size, p.Pixels.RGBAAt(2, 2))
			}
			read := func(name string) string {
				b, err := os.ReadFile(filepath.Join(seen, name)) //nolint:gosec // a test's own
				must(t, err)
				return string(b)
			}
			args := strings.Split(strings.TrimSuffix(read("args"), "\n"), "\n")
			if out := args[len(args)-1]; c.out != "" {
				args[len(args)-1] = "OUT"
				if _, err := os.Stat(filepath.Dir(out)); filepath.Base(out) != c.out || !errors.Is(err, os.ErrNotExist) {
					t.Errorf("%s remains: %v", out, err)
				}
			}
			if got := strings.ReplaceAll(strings.Join(args, " "), path, "PATH"); got != want.args {
				t.Errorf("got the arguments %q, want %q", got, want.args)
			}
			if c.stdin && read("stdin") != want.data {
				t.Errorf("it reads %q", read("stdin"))
			}
			if got := read("env"); strings.Contains(got, "nobody_sees") || !strings.Contains(got, "LC_ALL=C\n") {
				t.Errorf("its environment is %q", got)
			}
		})
	}
}

// untilLimited waits until the script has its limits, which are set after its start.
const untilLimited = `while [ "$(ulimit -d)" = unlimited ] || [ "$(ulimit -v)" = unlimited ]; do :; done; `

// TestToolWithoutMemory: a program that needs too much memory fails, and the error says so.
func TestToolWithoutMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only on Linux one process can limit another")
	}
	tool(t, "dd")
	made := write(t, "made.png", mediatest.PNG(t, mediatest.Quarters(8, 8)))
	standIn(t, "rsvg-convert", untilLimited+`dd if=/dev/zero of=/dev/null bs=900M count=1 2>/dev/null && cat `+made)
	_, err := decodePath(t.Context(), write(t, "a.svg", []byte(svgPicture)), Limits{})
	if !errors.Is(err, ErrTruncated) || !strings.Contains(err.Error(), "more than 512 MB of memory") {
		t.Errorf("%v", err)
	}
	standIn(t, "rsvg-convert", untilLimited+`dd if=/dev/zero of=/dev/null bs=100M count=1 2>/dev/null && cat `+made)
	_, err = decodePath(t.Context(), write(t, "a.svg", []byte(svgPicture)), Limits{})
	must(t, err)
	if _, err = decodePath(t.Context(), write(t, "a.svg", []byte(svgPicture)), Limits{Budget: NewBudget(100 << 20)}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("beyond the budget: %v", err)
	}
}

func TestOneToolAtATime(t *testing.T) {
	tool(t, "mkdir")
	dir := t.TempDir()
	made := write(t, "made.png", mediatest.PNG(t, mediatest.Quarters(8, 8)))
	standIn(t, "rsvg-convert", `cd `+dir+` && mkdir running && cat `+made+` && rmdir running`)
	var all sync.WaitGroup
	for range 5 {
		path := write(t, "a.svg", []byte(svgPicture))
		all.Go(func() {
			if _, err := decodePath(t.Context(), path, Limits{}); err != nil {
				t.Errorf("two at a time: %v", err)
			}
		})
	}
	all.Wait()
}

// TestToolThatWritesTooMuch: a program that writes without end is stopped.
func TestToolThatWritesTooMuch(t *testing.T) {
	standIn(t, "rsvg-convert", "exec cat /dev/zero")
	_, err := decodePath(t.Context(), write(t, "a.svg", []byte(svgPicture)), Limits{})
	if !errors.Is(err, ErrTruncated) {
		t.Errorf("%v", err)
	}
}

// gone waits until a process has ended.
func gone(t *testing.T, pid string) {
	t.Helper()
	n, err := strconv.Atoi(pid)
	must(t, err)
	limit := time.Now().Add(time.Minute)
	for time.Now().Before(limit) {
		stat, _ := os.ReadFile("/proc/" + pid + "/stat")
		// An ended process may still wait for its parent.
		if errors.Is(syscall.Kill(n, 0), syscall.ESRCH) || strings.Contains(string(stat), ") Z ") {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("process %s still runs", pid)
}
