package ui_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi/kitty"

	"mediadesk/assets"
	"mediadesk/ui/uitest"
)

// screensFile has the words of each picture in the README.
const screensFile = "../assets/screens.txt"

// tour does the main job with the sample pictures. It calls stop at each screen, and glance in
// between, for the animation.
func tour(term *uitest.Term, stop, glance func()) {
	term.WaitFor("Try it here")
	stop()
	term.Press("enter")
	term.WaitFor("900 x 900 px") // the mug
	glance()
	term.Press("space")
	term.WaitFor("Tray: 1 file")
	glance()
	term.Press("g", "space", "g")
	term.WaitFor("Tray: 2 files")
	term.WaitFor("shown turned right")
	term.WaitGone("Loading…")
	stop()
	term.Press("u")
	term.WaitFor("Stored as")
	term.Type("sea,boat,")
	term.WaitFor("Tags 8/500")
	glance()
	term.Press("tab", "tab", "space")
	term.WaitFor("add_shadow")
	stop()
	term.Press("ctrl+s")
	term.WaitFor("s Send 2 files")
	glance()
	term.Press("s")
	term.WaitFor("2 of 2 stored")
	stop()
	term.Press("3")
	term.WaitFor("0 pending")
	if screen := term.Screen(); strings.Index(screen, "/harbour") < strings.Index(screen, "/mug") {
		term.Press("down")
	}
	term.WaitFor(string(kitty.Placeholder)) // the mug without its background
	stop()
	term.Press("c")
	term.WaitFor("divider left")
	glance()
	term.Press("esc", "4")
	term.WaitFor("Kind")
	term.WaitFor("harbour_")
	stop()
	term.Press("enter")
	term.WaitFor("As seen")
	glance()
	term.Press("c")
	term.Type("330,300,420,300")
	term.WaitFor("Crop: ")
	stop()
	term.Press("esc", "esc")
	term.WaitFor("l Leave") // in the line of hints: the dialog takes keys now
	term.Press("l")
	term.WaitFor("State")
}

// scenes visits screens that are full of photographs, and stops at each one that the README shows.
func scenes(term *uitest.Term, stop func(name string)) {
	// batch uploads more files: pick selects them, and choose selects their options.
	batch := func(files int, pick, choose []string, done string) {
		term.Press("1")
		term.WaitFor("Tray: nothing")
		term.Press("g")
		term.Press(pick...)
		term.Press("u")
		term.WaitFor("Stored as")
		term.Press(choose...)
		term.Press("ctrl+s")
		term.WaitFor(fmt.Sprintf("s Send %d files", files))
		term.Press("s")
		term.WaitFor(done)
	}
	down := func(n int) []string { return slices.Repeat([]string{"down"}, n) }
	term.WaitFor("Tray: nothing picked yet")
	term.Press("esc", "down", "space", "down", "down", "space", "down", "space", "down", "down", "down", "space", "down", "down", "space")
	term.WaitFor("Tray: 5 files")
	stop("picker")
	term.Press("a")
	term.WaitFor("URL")
	term.Type("http://127.0.0.1:9/lion.jpg")
	term.Press("enter")
	term.WaitFor("1 URL")
	term.Press("ctrl+a")
	term.WaitFor("Tray: 27 files")
	term.Press("u")
	term.WaitFor("Stored as")
	term.Press("shift+tab", "down", "down")
	term.Type("/zoo/")
	term.Press("tab")
	term.Type("animal,summer,")
	term.WaitFor("Tags 13/500")
	term.Press("tab", "tab", "down", "space")
	term.WaitFor("maxTags")
	stop("upload")
	term.Press("ctrl+s")
	term.WaitFor("s Send 28 files")
	term.Press("s")
	term.WaitFor("27 of 28 stored")
	// The background is removed from a duck, the harbor, the mug, a pig and a polar bear.
	batch(5, slices.Concat(down(6), []string{"space", "space"}, down(7), []string{"space"}, down(4), []string{"space", "space"}), []string{"tab", "tab", "space"}, "32 of 33 stored")
	// Two files have an extension that does not end, and two are too large.
	batch(2, []string{"space", "space"}, []string{"tab", "tab", "down", "down", "space"}, "34 of 35 stored")
	batch(2, []string{"space", "space"}, append([]string{"shift+tab"}, slices.Concat(down(5), strings.Split(`"file.size" < "5kb"`, ""))...), "3 refused")
	stop("uploads")
	term.Press("3")
	term.WaitFor("30 success") // the other four are pending or failed
	stop("extensions")
	term.Press("4")
	term.WaitFor("1 of 8")
	term.Press("enter")
	term.WaitFor("1 of 27")
	term.Press(down(11)...)
	term.WaitFor("12 of 27")
	term.Press("t")
	stop("sheet")
	term.Press("enter")
	term.WaitFor("As seen")
	term.Press("c")
	term.Type("35,15,120,120")
	term.WaitFor("Crop: 120 x 120")
	term.WaitUntil(func(screen string) bool { // picture and crop beside each other
		rows := 0
		for line := range strings.Lines(screen) {
			if strings.Count(line, string(kitty.Placeholder)) > 40 {
				rows++
			}
		}
		return rows > 5
	})
	stop("details")
	term.Press("esc", "esc")
	term.WaitFor("l Leave")
	term.Press("l")
	term.WaitFor("12 of 27")
	term.Press("5")
	term.WaitFor("local library")
	stop("settings")
}

// makeShots selects making the pictures. Otherwise they are compared with the screens.
var makeShots = os.Getenv("MEDIADESK_SHOTS") != ""

const (
	shotSize  = 300 << 10 // largest size of a picture, in bytes
	movieSize = 2 << 20
)

// TestShots makes the pictures and the animation of the README from the running program if
// MEDIADESK_SHOTS is set. Otherwise it checks that the pictures are current. It compares only
// words, so that it needs no font.
func TestShots(t *testing.T) {
	words, names := map[string][]string{}, []string{}
	for name, colors := range map[string]terminalColors{"dark": dark, "light": light} {
		if name == "light" && !makeShots {
			continue
		}
		t.Run(name, func(t *testing.T) {
			d := newShotWorkplace(t)
			writePhotographs(t, d.pictures)
			// The second tagging does not end.
			settings := "[local.commands]\n\"aws-auto-tagging\" = [\"sleep\", \"300\"]\n"
			if err := errors.Join(os.MkdirAll(d.home, 0o700), os.WriteFile(filepath.Join(d.home, "config.toml"), []byte(settings), 0o600)); err != nil {
				t.Fatal(err)
			}
			for _, account := range [][]string{{"shop", "--hosted", "shop_of_mine"}, {"lab", "--upload-url", "https://media.example.net", "--base-url", "https://media.example.net", "--delivery-url", "https://media.example.net"}} {
				add := exec.Command(uitest.Build(t), append([]string{"profile", "add"}, account...)...)
				add.Env = d.env()
				if out, err := add.CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
			term := d.start(120, 36, d.pictures)
			term.Type(answers())
			scenes(term, func(scene string) {
				t.Helper()
				settled(term, colors)
				if name == "dark" {
					names, words[scene] = append(names, scene), wordsOf(term.Screen())
				}
				if makeShots {
					writeAsset(t, scene+"-"+name+".png", shotSize, dithered(shotNow(t, term, colors)))
				}
			})
		})
	}
	t.Run("tour", func(t *testing.T) {
		term := newShotWorkplace(t).start(120, 36)
		term.Type(answers())
		var moving animation
		add := func(shown time.Duration) {
			if makeShots {
				moving.Add(shotNow(t, term, dark), shown)
			}
		}
		names = append(names, "tour")
		tour(term, func() {
			t.Helper()
			settled(term, dark)
			words["tour"] = append(words["tour"], wordsOf(term.Screen())...)
			add(3000 * time.Millisecond)
		}, func() {
			term.WaitUntil(whole)
			add(900 * time.Millisecond)
		})
		slices.Sort(words["tour"])
		words["tour"] = slices.Compact(words["tour"])
		if makeShots {
			writeAsset(t, "tour.gif", movieSize, &moving)
		}
	})
	switch {
	case t.Failed():
	case makeShots:
		var kept strings.Builder
		for _, name := range names {
			fmt.Fprintf(&kept, "%s: %s\n", name, strings.Join(words[name], " "))
		}
		if err := os.WriteFile(screensFile, []byte(kept.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		checkShots(t, names, words)
	}
}

func shotNow(t *testing.T, term *uitest.Term, colors terminalColors) image.Image {
	t.Helper()
	im, err := shot(term, 120, 36, colors)
	if err != nil {
		t.Fatal(err)
	}
	return im
}

// writeAsset writes a picture or an animation to assets.
func writeAsset(t *testing.T, name string, limit int, what any) {
	t.Helper()
	var data []byte
	var err error
	switch what := what.(type) {
	case image.Image:
		var b bytes.Buffer
		err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, what)
		data = b.Bytes()
	case *animation:
		data, err = what.GIF()
	}
	if err == nil {
		err = os.WriteFile(filepath.Join("../assets", name), data, 0o644)
	}
	if err != nil || len(data) > limit {
		t.Errorf("%s has %d bytes, want at most %d (%v)", name, len(data), limit, err)
	}
}

// writePhotographs puts photographs into a folder.
func writePhotographs(t *testing.T, dir string) {
	const from = "../api/media/testdata/subjects/"
	for i, name := range strings.Fields(animals) {
		data, err := os.ReadFile(from + name + ".jpg")
		if err != nil {
			t.Fatal(err)
		}
		_, name, _ = strings.Cut(name, "-")
		file, taken := filepath.Join(dir, name+".jpg"), time.Now().Add(-time.Duration(i+2)*25*time.Hour)
		if err := errors.Join(os.WriteFile(file, data, 0o600), os.Chtimes(file, taken, taken)); err != nil {
			t.Fatal(err)
		}
	}
}

const animals = `world-bison world-chameleon world-hedgehog world-koala world-moose world-panda world-polar_bear
	world-scarlet_macaw farm-cat farm-cow farm-dog farm-duck farm-owl farm-pig farm-sheep erase-kingfisher
	erase-butterfly erase-penguin erase-red_panda erase-toucan erase-squirrel lomiri-kleiber mate-ladybird`

// newShotWorkplace is a workplace with only the sample pictures. For screenshots its folders have short
// names.
func newShotWorkplace(t *testing.T) *workplace {
	at := t.TempDir()
	d := &workplace{t: t, home: filepath.Join(at, "desk"), pictures: filepath.Join(at, "pictures")}
	if makeShots {
		d.home, d.pictures = "/tmp/desk", "/tmp/pictures"
		for _, dir := range []string{d.home, d.pictures} {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(dir) })
		}
	}
	if err := assets.WriteSamples(d.pictures); err != nil {
		t.Fatal(err)
	}
	return d
}

// settled waits until a screen is complete: the line of hints is drawn last. It also waits for the
// background that the emulator reported.
func settled(term *uitest.Term, colors terminalColors) {
	term.Type(colors.answer())
	term.Press("f1")
	term.WaitFor("type to search")
	term.Press("esc")
	term.WaitGone("type to search")
	term.WaitUntil(func(screen string) bool {
		hints := strings.Contains(screen, "? help") || strings.Contains(screen, "F1 help") // F1 in a text field
		return hints && whole(screen)
	})
}

// whole reports whether all pictures of a screen are shown in pixels.
func whole(screen string) bool {
	blocks := strings.ContainsFunc(screen, func(r rune) bool { return r >= '▀' && r <= '▟' })
	return !blocks && !strings.Contains(screen, "     …     ") && !strings.Contains(screen, "Loading")
}

var aWord = regexp.MustCompile(`^[A-Za-z]{3,}$`)

// wordsOf returns the words on a screen, each once, without the line of messages. It skips texts
// with digits, slashes or underscores, because suffixes, ids, hashes and paths differ from run to run.
func wordsOf(screen string) []string {
	var found []string
	lines := strings.Split(screen, "\n")
	if n := len(lines); n > 2 {
		lines = slices.Delete(lines, n-2, n-1)
	}
	for _, field := range strings.Fields(strings.Join(lines, "\n")) {
		if word := strings.Trim(field, "│┃,.:;()?!"); aWord.MatchString(word) {
			found = append(found, word)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// currentShare is the share of words that a picture and the screen must have in common. With fewer
// the picture is out of date.
const currentShare = 0.75

func checkShots(t *testing.T, names []string, words map[string][]string) {
	t.Helper()
	text, err := os.ReadFile(screensFile)
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../README.md")
	accounts, err2 := os.ReadFile("../docs/accounts.md")
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	pages := append(readme, accounts...)
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
			t.Errorf("the picture %s has %d words in common with the screen, of %d: make the pictures again with MEDIADESK_SHOTS=1 go test ./ui -run TestShots", name, both, all)
		}
		files := []string{name + "-dark.png", name + "-light.png"}
		if name == "tour" {
			files = []string{"tour.gif"}
		}
		for _, file := range files {
			if info, err := os.Stat("../assets/" + file); err != nil || info.Size() > movieSize || !strings.Contains(string(pages), "assets/"+file) {
				t.Errorf("neither README.md nor docs/accounts.md has the picture %s (%v)", file, err)
			}
		}
	}
}
