//go:build unix

package ui_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"mediadesk/assets"
	"mediadesk/ui/uitest"
)

// monkey presses random keys, uses the mouse and resizes the window, from a seed.
type monkey struct {
	*rand.Rand
	term *uitest.Term
	w, h int
	did  []string // for the message of a failure

	playing bool
	homes   int // how often it returned to the picker
}

// monkeyKeys are keys that do something somewhere. Suspending is left out, because nothing would
// resume the program.
var monkeyKeys = strings.Fields(`
	up down left right up down enter esc tab shift+tab space pgup pgdown home end backspace delete
	j k h l g G n N v * / . , : ? 1 2 3 4 5 [ ] u e E p y o z Z d a s S t T x r c m i b f w W D R A C M O P X
	ctrl+a ctrl+b ctrl+d ctrl+e ctrl+f ctrl+k ctrl+n ctrl+o ctrl+p ctrl+r ctrl+s ctrl+t ctrl+u ctrl+w ctrl+x ctrl+y ctrl+space
	f1 f2 f5 shift+up shift+down shift+left shift+right alt+enter ctrl+c + - = < > # % 0`)

// monkeyWays are sequences of keys to parts that random keys rarely reach.
var monkeyWays = []string{
	"1 space j space u", "ctrl+s s", "ctrl+s enter", "4 down enter", "4 enter", "4 down space down space e", "3 enter", "3 t", "3 s enter",
	"2 r", "2 x", "5 enter", "5 down enter", "u ctrl+r", "u tab tab tab", "e tab a ctrl+s", "r up up shift+right ctrl+s", "ctrl+a u", "4 D enter", "z", "Z",
}

// monkeyWords are typed or pasted. None is a path outside the folder.
var monkeyWords = []string{
	"sea", "写真, boat,", "12,10,40,30", "{\"a\":", "שלום", "e\u0301\u0323", "👩‍🚀", "a\x1b[31mb", strings.Repeat("long ", 12), "name : \"x\"", "100%", "\u202egpj", "-1", "summer", "https://127.0.0.1:1/x.jpg",
}

func (m *monkey) step() {
	switch p := m.IntN(100); {
	case p < 62:
		m.press(monkeyKeys[m.IntN(len(monkeyKeys))])
	case p < 74:
		m.press(strings.Fields(monkeyWays[m.IntN(len(monkeyWays))])...)
	case p < 80:
		text := monkeyWords[m.IntN(len(monkeyWords))]
		m.did = append(m.did, fmt.Sprintf("%.20q", text))
		if m.IntN(2) == 0 {
			m.term.Type(strings.ReplaceAll(text, "\x1b", ""))
		} else {
			m.term.Paste(text)
		}
	case p < 95:
		x, y := m.IntN(m.w), m.IntN(m.h)
		m.did = append(m.did, fmt.Sprintf("mouse:%d,%d", x, y))
		switch m.IntN(5) {
		case 0:
			m.term.Wheel(x, y, m.IntN(9)-4)
		case 1:
			m.term.Drag(x, y, m.IntN(m.w), m.IntN(m.h))
		case 2:
			m.term.Click(x, y)
			m.term.Click(x, y)
		default:
			m.term.Click(x, y)
		}
	default:
		sizes := [][2]int{{120, 36}, {80, 24}, {40, 12}, {200, 60}, {1 + m.IntN(150), 1 + m.IntN(50)}}
		size := sizes[m.IntN(len(sizes))]
		m.resize(size[0], size[1])
	}
}

func (m *monkey) press(keys ...string) {
	m.did = append(m.did, keys...)
	m.term.Press(keys...)
}

func (m *monkey) resize(w, h int) {
	m.did = append(m.did, fmt.Sprintf("size:%dx%d", w, h))
	m.w, m.h = w, h
	m.term.Resize(w, h)
}

// ended reports whether the program has ended.
func (m *monkey) ended() bool {
	select {
	case <-m.term.Done():
		return true
	default:
		return false
	}
}

// programEnded is the panic value that stops a monkey after its program has ended.
type programEnded struct{}

// lenientT is a test that does not fail if the program ends while the monkey types, because the
// monkey may have pressed the key that quits.
type lenientT struct {
	testing.TB
	m *monkey
}

func (p lenientT) Fatalf(format string, args ...any) {
	p.Helper()
	if p.m.playing && p.m.ended() {
		panic(programEnded{})
	}
	p.TB.Fatalf(format, args...)
}

// play calls what, which presses keys, until the program ends.
func (m *monkey) play(what func()) {
	m.playing = true
	defer func() {
		m.playing = false
		if p := recover(); p != nil && p != (programEnded{}) {
			panic(p)
		}
	}()
	what()
}

// home returns to the picker: it closes everything and presses the picker's key. It fails the test
// if that does not open the picker.
func (m *monkey) home(t *testing.T) {
	t.Helper()
	m.resize(120, 36)
	limit := time.NewTimer(uitest.Deadline)
	defer limit.Stop()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	// The screen may be older than the last key. Searching for a new word each time shows whether it
	// is current.
	m.homes++
	word, found, patience := fmt.Sprintf("way%dhome", m.homes), false, 0
	for !m.ended() {
		screen := m.term.Screen()
		picker := strings.Contains(screen, "─ Tray") && strings.Contains(screen, "? help")
		switch {
		case picker && found:
			return
		case strings.Contains(screen, word) && strings.Contains(screen, "Nothing is called that"):
			if !found || patience == 0 {
				m.press("esc", "esc")
				found, patience = true, 20
			}
		case patience > 0:
		case strings.Contains(screen, "(l)"):
			m.press("l") // leave in spite of the question
			patience = 4
		case picker:
			m.press("?")
			m.term.Type(word)
			patience = 40
		default:
			found = false
			m.press("esc", "esc", "esc", "1") // the search closes first
			patience = 2
		}
		patience = max(patience-1, 0)
		select {
		case <-limit.C:
			t.Fatal("the picker does not come back")
		case <-again.C:
		}
	}
}

// leave quits the program with keys, whatever is under way.
func (m *monkey) leave(t *testing.T) {
	t.Helper()
	m.home(t)
	m.press("q")
	again := time.NewTicker(250 * time.Millisecond)
	defer again.Stop()
	limit := time.NewTimer(uitest.Deadline)
	defer limit.Stop()
	for {
		select {
		case <-m.term.Done():
			return
		case <-limit.C:
			t.Fatal("the program does not quit")
		case <-again.C:
			if strings.Contains(m.term.Screen(), "(l)") {
				m.press("l")
			}
		}
	}
}

// TestMonkey runs a monkey against a faulty service. The program must not crash, the picker must
// always be reachable, and the library must be intact afterwards. MEDIADESK_MONKEY sets the
// duration, such as 15m, and MEDIADESK_SEED=N the first round.
func TestMonkey(t *testing.T) {
	const steps = 300 // in each round
	text := os.Getenv("MEDIADESK_MONKEY")
	if text == "" {
		t.Skip("set MEDIADESK_MONKEY to a duration: random input is no check of a change")
	}
	whole, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	binary := uitest.Build(t)
	seed := uint64(1)
	if text := os.Getenv("MEDIADESK_SEED"); text != "" {
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	d, library, work := newWorkplace(t), t.TempDir(), t.TempDir()
	// The monkey may open the parent folder often, and must stay in the test folder.
	pictures := filepath.Join(work, strings.Repeat("in/", 25))
	tools := filepath.Join(work, "tools")
	for _, dir := range []string{pictures, tools} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := assets.WriteSamples(pictures); err != nil {
		t.Fatal(err)
	}
	// Nothing of this computer may be opened.
	for _, name := range []string{"xdg-open", "open", "vi"} {
		if err := os.WriteFile(filepath.Join(tools, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	faults := []string{"delay=20ms", "refuse=503:0.1", "answers=lost:0.1", "drop-after=20000:0.1", "extensions=fail:0.2", "webhooks=out-of-order:0.5"}
	var flags []string
	for _, f := range faults {
		flags = append(flags, "--fault", f)
	}
	s := startService(t, binary, library, flags...)
	env := []string{
		"MEDIADESK_HOME=" + d.home, "HOME=" + d.home, "PATH=" + tools, "EDITOR=vi", "MEDIADESK_PRIVATE_KEY=" + testKey,
		"PROGRAM=" + binary, "WORK=" + pictures, "ADDRESS=" + s.address,
	}
	for end := time.Now().Add(whole); time.Now().Before(end); seed++ {
		m := &monkey{Rand: rand.New(rand.NewPCG(seed, 0)), w: 120, h: 36}
		m.term = uitest.StartBinary(lenientT{t, m}, "/bin/sh", []string{
			"-c",
			`cd "$WORK" && exec "$PROGRAM" --upload-url "$ADDRESS" --base-url "$ADDRESS" --delivery-url "$ADDRESS"`,
		}, env, m.w, m.h)
		m.term.WaitFor("? help")
		m.round(t, seed, steps)
	}
	s.end()
	check := exec.Command(binary, "serve", "--check", "--data", library)
	check.Env = []string{"MEDIADESK_PRIVATE_KEY=" + testKey, "HOME=" + t.TempDir(), "MEDIADESK_HOME=" + t.TempDir()}
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("the library afterwards: %v\n%s", err, out)
	}
}

// round presses random keys in a new program and quits it.
func (m *monkey) round(t *testing.T, seed uint64, steps int) {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Logf("seed %d: %s; screen:\n%s", seed, strings.Join(m.did, " "), m.term.Screen())
		}
	}()
	typing := time.NewTicker(15 * time.Millisecond)
	defer typing.Stop()
	m.play(func() {
		for i := 1; i <= steps && !m.ended(); i++ {
			<-typing.C
			m.step()
			if i%50 == 0 {
				m.home(t)
			}
		}
	})
	m.play(func() { m.leave(t) })
	m.term.Wait()
	if code := m.term.ExitCode(); code != 0 || m.term.AltScreen() {
		t.Fatalf("exit code %d, alternate screen: %v", code, m.term.AltScreen())
	}
	if raw := m.term.Raw(); strings.Contains(raw, testKey) {
		t.Fatal("the private key was on the screen")
	}
}
