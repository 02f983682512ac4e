//go:build unix

package picker_test

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/charmbracelet/x/xpty"
)

// Terminal size and number of repetitions.
const (
	columns = 200
	lines   = 60
	rounds  = 5
	keys    = 60
)

// Waiting times: after a program has read a folder, after a key, and for measuring an idle program.
const (
	settled = 700 * time.Millisecond
	silence = 40 * time.Millisecond
	idling  = 5 * time.Second
	patient = 30 * time.Second
)

// program is one file manager.
type program struct {
	name string
	args []string
	env  []string
	down string // bytes of the key that moves down
	slow bool   // takes seconds, so it starts once

	shown, sorted, answers []float64 // milliseconds
	memory, idle           float64   // MB, percent of a core
}

// TestBeside runs file managers on a pseudo-terminal and prints how long each takes to show a
// folder and to answer a key. bench.sh runs this measurement: MEDIADESK_BESIDE has the path of our
// program, the folder and the first names of its sorted list, one per line. It skips programs that
// are not installed.
func TestBeside(t *testing.T) {
	args := strings.Split(strings.TrimSpace(os.Getenv("MEDIADESK_BESIDE")), "\n")
	if len(args) < 3 {
		t.Skip("a measurement, run by bench.sh")
	}
	ours, folder, first := args[0], args[1], args[2:]
	home := t.TempDir()
	all := []*program{
		{name: "ours", args: []string{ours, "--profile", "local", folder}, env: []string{"MEDIADESK_HOME=" + home}, down: "j"},
		{name: "nnn", args: []string{"nnn", folder}, down: "j"},
		{name: "vifm", args: []string{"vifm", folder}, down: "j"},
		{name: "mc", args: []string{"mc", "-d", folder, folder}, down: "\x1bOB"},
		{name: "lf", args: []string{"lf", folder}, down: "j", slow: true},
		{name: "ranger", args: []string{"ranger", folder}, down: "j", slow: true},
	}
	all = slices.DeleteFunc(all, func(p *program) bool {
		if _, err := exec.LookPath(p.args[0]); err != nil {
			return true
		}
		p.env = append(p.env, "HOME="+home, "TERM=xterm-256color", "COLORTERM=truecolor", "PATH="+os.Getenv("PATH"), "LANG=C.UTF-8")
		return len(only()) > 0 && p.name != "ours" && !slices.Contains(only(), p.name)
	})
	for round := range rounds {
		for _, p := range all {
			if last := round == rounds-1; last || !p.slow {
				p.run(t, first, last)
			}
		}
	}
	report(all)
}

// only returns the programs to compare; empty means all.
func only() []string { return strings.Fields(os.Getenv("BESIDE")) }

// run starts the program once. The last run also measures keys, memory and idle load.
func (p *program) run(t *testing.T, first []string, last bool) {
	pty, err := xpty.NewUnixPty(columns, lines)
	check(t, err)
	cmd := exec.Command(p.args[0], p.args[1:]...)
	cmd.Env = p.env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = pty.Slave(), pty.Slave(), pty.Slave()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	tape := &tape{}
	go tape.record(pty)
	begin := time.Now()
	check(t, cmd.Start())
	_ = pty.Slave().Close() // lets reading end with the program
	defer func() {
		_ = pty.Master().Close()
		end(cmd)
	}()
	if !tape.waitSilence(begin, settled) {
		return
	}
	shown, sorted := tape.find(begin, first)
	p.shown, p.sorted = append(p.shown, shown), append(p.sorted, sorted)
	if !last {
		return
	}
	for i := range keys {
		// Vary the time of the key relative to the program's clock.
		time.Sleep(50*time.Millisecond + time.Duration(i*7919%16_667)*time.Microsecond)
		pressed := time.Now()
		_, err := pty.Write([]byte(p.down))
		check(t, err)
		if tape.waitSilence(pressed, silence) {
			p.answers = append(p.answers, tape.lastAt().Sub(pressed).Seconds()*1000)
		}
	}
	time.Sleep(settled)
	before := ticks(cmd.Process.Pid)
	time.Sleep(idling)
	p.idle = (ticks(cmd.Process.Pid) - before) / idling.Seconds()
	p.memory = memory(cmd.Process.Pid)
}

// end ends the program and its children.
func end(cmd *exec.Cmd) {
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(3 * time.Second):
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-done
	}
}

// tape records a program's output with times.
type tape struct {
	mu     sync.Mutex
	pieces []piece
	ended  bool
}

type piece struct {
	at   time.Time
	text []byte
}

func (t *tape) record(pty *xpty.UnixPty) {
	buf := make([]byte, 256<<10)
	for {
		n, err := pty.Read(buf)
		t.mu.Lock()
		if n > 0 {
			t.pieces = append(t.pieces, piece{time.Now(), slices.Clone(buf[:n])})
		}
		t.ended = err != nil
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (t *tape) lastAt() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pieces[len(t.pieces)-1].at
}

// waitSilence waits until the program has written something after a time and has then been quiet.
func (t *tape) waitSilence(after time.Time, quiet time.Duration) bool {
	for time.Since(after) < patient {
		t.mu.Lock()
		n, ended := len(t.pieces), t.ended
		var last time.Time
		if n > 0 {
			last = t.pieces[n-1].at
		}
		t.mu.Unlock()
		if ended {
			return false
		}
		if last.After(after) && time.Since(last) >= quiet {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

// find replays the tape and returns the time to the first names and to the sorted list.
func (t *tape) find(begin time.Time, first []string) (shown, sorted float64) {
	em := vt.NewEmulator(columns, lines)
	defer func() { _ = em.InputPipe().(io.Closer).Close() }()
	go func() { // drop the terminal's replies
		buf := make([]byte, 1024)
		for {
			if _, err := em.Read(buf); err != nil {
				return
			}
		}
	}()
	common := first[0][:4]
	shown, sorted = math.NaN(), math.NaN()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.pieces {
		_, _ = em.Write(p.text)
		screen := ansi.Strip(em.Render())
		at := p.at.Sub(begin).Seconds() * 1000
		if math.IsNaN(shown) && strings.Contains(screen, common) {
			shown = at
		}
		has := true
		for _, name := range first {
			has = has && strings.Contains(screen, name)
		}
		if has {
			return shown, at
		}
	}
	return shown, sorted
}

// family returns a process and its descendants.
func family(pid int) []int {
	out := []int{pid}
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, f := range threads {
		text, _ := os.ReadFile(f)
		for _, word := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(word); err == nil {
				out = append(out, family(child)...)
			}
		}
	}
	return out
}

// ticks returns the CPU time of a process and its children in hundredths of a second.
func ticks(pid int) float64 {
	sum := 0.0
	for _, p := range family(pid) {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p))
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		if len(fields) < 13 {
			continue
		}
		for _, f := range fields[11:13] {
			n, _ := strconv.ParseFloat(f, 64)
			sum += n
		}
	}
	return sum
}

// memory returns the memory of a process and its children in MB. Shared memory counts once.
func memory(pid int) float64 {
	sum := 0.0
	for _, p := range family(pid) {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", p))
		for line := range strings.Lines(string(text)) {
			if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
				n, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
				sum += n / 1024
			}
		}
	}
	return sum
}

func report(all []*program) {
	fmt.Println("              first names   sorted   key p50   key p95    memory     idle")
	for _, p := range all {
		fmt.Printf("  %-10s %8.0f ms %6.0f ms %6.1f ms %6.1f ms %6.0f MB %6.2f %%\n", p.name,
			part(p.shown, .5), part(p.sorted, .5), part(p.answers, .5), part(p.answers, .95), p.memory, p.idle)
	}
	ours := all[0]
	for _, p := range all[1:] {
		fmt.Printf("  ours against %-8s sorted %.2f, key p50 %.2f, memory %.2f\n", p.name,
			part(ours.sorted, .5)/part(p.sorted, .5), part(ours.answers, .5)/part(p.answers, .5), ours.memory/p.memory)
	}
}

// part returns the quantile of the values at share.
func part(values []float64, share float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.SortedFunc(slices.Values(values), cmp.Compare)
	return sorted[int(share*float64(len(sorted)-1)+0.5)]
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
