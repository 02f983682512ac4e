package ui_test

import (
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mediadesk/ui/uitest"
)

// screensFile has the words of each picture of the README.
const screensFile = "../assets/screens.txt"

// tour goes through all screens and stops at each that the README shows. glance
// is called in between, for what moves.
func tour(term *uitest.Term, stop func(name string), glance func()) {
	term.WaitFor("Try it here")
	stop("onboarding")
	term.Press("enter")
	term.WaitFor("shown turned right")
	glance()
	term.Press("space")
	term.WaitFor("Tray: 1 file")
	glance()
	term.Press("down", "space", "g")
	term.WaitFor("Tray: 2 files")
	term.WaitFor("shown turned right")
	term.WaitGone("Loading…")
	stop("picker")
	term.Press("u")
	term.WaitFor("Stored as")
	term.Type("sea,boat,")
	term.WaitFor("Tags 8/500")
	glance()
	term.Type("dusk,")
	term.Press("tab", "tab", "down", "space")
	term.WaitFor("Tags 13/500")
	stop("upload")
	term.Press("ctrl+s")
	term.WaitFor("s Send 2 files")
	glance()
	term.Press("s")
	term.WaitFor("2 of 2 stored")
	stop("uploads")
	term.Press("3")
	term.WaitFor("0 pending")
	stop("extensions")
	term.Press("4")
	term.WaitFor("Kind")
	term.WaitFor("harbour_")
	stop("library")
	term.Press("enter")
	term.WaitFor("As seen just now")
	glance()
	term.Press("c")
	term.Type("330,670,260,300")
	term.WaitFor("Crop: ")
	stop("details")
	term.Press("esc", "esc")
	term.WaitFor("l Leave") // in the line of hints: the dialog takes keys now
	term.Press("l")
	term.WaitFor("State")
	term.Press("5")
	term.WaitFor("local library")
	stop("settings")
}

// TestShots makes the pictures of the README from the running program, with an
// animation of the way through it, where MEDIADESK_SHOTS is set. Else it checks
// that they show what the program shows: by their words, so that it does not
// depend on a font.
func TestShots(t *testing.T) {
	make := os.Getenv("MEDIADESK_SHOTS") != ""
	d := newWorkplace(t)
	if make {
		d.pictures = filepath.Join("/tmp", "pictures") // its name is in the pictures
		if err := os.CopyFS(d.pictures, os.DirFS("../assets/sample")); err != nil && !os.IsExist(err) {
			t.Fatal(err)
		}
		defer os.RemoveAll(d.pictures)
		d.home = filepath.Join("/tmp", "desk") // and this one
		os.RemoveAll(d.home)
		defer os.RemoveAll(d.home)
	}
	term := d.start(120, 36, d.pictures)
	var moving animation
	add := func(shown time.Duration) {
		if im, err := shot(term, 120, 36); make && err == nil {
			moving.Add(im, shown)
		}
	}
	words := map[string][]string{}
	var names []string
	stop := func(name string) {
		t.Helper()
		// The line of hints is drawn last: once it is back, the screen is whole.
		term.Press("f1")
		term.WaitFor("type to search")
		term.Press("esc")
		term.WaitGone("type to search")
		term.WaitUntil(func(screen string) bool {
			hints := strings.Contains(screen, "? help") || strings.Contains(screen, "F1 help") // where a field takes letters
			return hints && !strings.Contains(screen, "     …     ")                           // a picture that is loaded
		})
		names, words[name] = append(names, name), wordsOf(term.Screen())
		if !make {
			return
		}
		add(2800 * time.Millisecond)
		im, err := shot(term, 120, 36)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(filepath.Join("../assets", name+".png"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := png.Encode(f, im); err != nil {
			t.Fatal(err)
		}
	}
	tour(term, stop, func() { add(900 * time.Millisecond) })
	if !make {
		checkShots(t, names, words)
		return
	}
	text, err := moving.GIF()
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > 1<<20 {
		t.Errorf("the animation has %d bytes, at most %d are wanted", len(text), 1<<20)
	}
	var kept strings.Builder
	for _, name := range names {
		fmt.Fprintf(&kept, "%s: %s\n", name, strings.Join(words[name], " "))
	}
	for name, text := range map[string][]byte{"../assets/tour.gif": text, screensFile: []byte(kept.String())} {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

var aWord = regexp.MustCompile(`^[A-Za-z]{3,}$`)

// wordsOf are the words on a screen, each once. What differs from run to run
// (suffixes of names, ids, hashes, paths) is no word: it has digits, slashes or
// a _ in it.
func wordsOf(screen string) []string {
	var found []string
	for _, field := range strings.Fields(screen) {
		if word := strings.Trim(field, "│┃,.:;()?!"); aWord.MatchString(word) {
			found = append(found, word)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// currentShare is how many of the words of a picture and of the screen must be
// on both: less, and the picture shows another program.
const currentShare = 0.8

func checkShots(t *testing.T, names []string, words map[string][]string) {
	t.Helper()
	text, err := os.ReadFile(screensFile)
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		name, list, _ := strings.Cut(line, ": ")
		kept[name] = strings.Fields(list)
	}
	for _, name := range names {
		both := 0
		for _, w := range words[name] {
			if slices.Contains(kept[name], w) {
				both++
			}
		}
		all := len(kept[name]) + len(words[name]) - both
		if float64(both) < currentShare*float64(all) {
			t.Errorf("assets/%s.png shows %d words of the %d that are on it or on the screen: make the pictures again with MEDIADESK_SHOTS=1 go test ./ui -run TestShots", name, both, all)
		}
		if _, err := os.Stat("../assets/" + name + ".png"); err != nil || !strings.Contains(string(readme), "assets/"+name+".png") {
			t.Errorf("the README has no picture of the screen %s (%v)", name, err)
		}
	}
	if info, err := os.Stat("../assets/tour.gif"); err != nil || info.Size() > 1<<20 || !strings.Contains(string(readme), "assets/tour.gif") {
		t.Errorf("the README has no animation of at most 1 MB (%v)", err)
	}
}
