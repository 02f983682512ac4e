package ui_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi/kitty"
	"github.com/charmbracelet/x/vt"
	xdraw "golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"mediadesk/api/media/mediatest"
	"mediadesk/assets"
	"mediadesk/ui/uitest"
)

const screensFile = "../assets/screens.txt"

// tour does the main job with the sample pictures. It calls stop at each screen, and glance in
// between, for the animation.
func tour(term *uitest.Term, stop, glance func()) {
	term.WaitFor("Try it here")
	stop()
	term.Press("enter")
	term.WaitFor("900 × 900 ·") // the mug
	glance()
	term.Press("space")
	term.WaitFor("To upload: 1 file")
	glance()
	term.Press("g", "space", "g")
	term.WaitFor("To upload: 2 files")
	term.WaitFor("shown turned right")
	term.WaitGone("Loading…")
	stop()
	term.Press("u")
	term.WaitFor("Will be stored as")
	term.Type("sea,boat,")
	term.WaitFor("boat")
	glance()
	term.Press("ctrl+l", "r")
	term.WaitFor("Extensions    remove background")
	term.WaitGone("Checking for files")
	stop()
	term.Press("ctrl+s")
	term.WaitFor("enter send ")
	glance()
	term.Press("s")
	term.WaitFor("2 of 2 stored")
	stop()
	term.Press("3")
	waitForRuns(term)
	if screen := term.Screen(); strings.Index(screen, "harbour") < strings.Index(screen, "mug") {
		term.Press("down")
	}
	term.WaitFor(string(kitty.Placeholder)) // the mug without its background
	stop()
	term.Press("enter")
	term.WaitFor("move the divider")
	glance()
	term.Press("esc", "4")
	term.WaitFor("m manage")
	term.WaitFor("harbour.jpg")
	stop()
	term.Press("enter")
	term.WaitFor("c edit region")
	glance()
	term.Press("down", "enter")
	term.Type("330,300,420,300")
	term.WaitFor("330,300,420,300")
	stop()
	term.Press("esc", "esc")
	term.WaitFor("enter save and leave") // in the line of hints: the dialog takes keys now
	term.Press("l")
	term.WaitFor("m manage")
}

// uploadMore uploads more files: pick selects them, and choose selects their options.
func uploadMore(term *uitest.Term, pick, choose []string, done string) {
	term.Press("1")
	term.WaitFor("Nothing picked yet")
	term.Press("g")
	term.Press(pick...)
	term.Press("u")
	term.WaitFor("Will be stored as")
	term.Press(choose...)
	term.Press("ctrl+s")
	send, taken := "enter send ", "enter skip"
	term.WaitUntil(func(screen string) bool {
		return strings.Contains(screen, send) || strings.Contains(screen, taken)
	})
	if strings.Contains(term.Screen(), taken) { // the library has pictures of these names
		term.Press("u")
		term.WaitUntil(func(screen string) bool {
			return strings.Contains(screen, send) || strings.Contains(screen, done)
		})
	}
	if strings.Contains(term.Screen(), send) {
		term.Press("s")
	}
	term.WaitFor(done)
}

// scenes visits screens that are full of photographs, and stops at each one that the README shows.
func scenes(term *uitest.Term, stop func(name string)) {
	down := func(n int) []string { return slices.Repeat([]string{"down"}, n) }
	term.WaitFor("Nothing picked yet")
	term.Press("esc", "down", "space", "down", "down", "space", "down", "space", "down", "down", "down", "space", "down", "down", "space")
	term.WaitFor("To upload: 5 files")
	stop("picker")
	term.Press("a")
	term.WaitFor("URL")
	term.Type("http://127.0.0.1:9/lion.jpg")
	term.Press("enter")
	term.WaitFor("1 URL")
	term.Press("ctrl+a")
	term.WaitFor("To upload: 27 files")
	term.Press("u")
	term.WaitFor("Will be stored as")
	term.Type("animal,summer,")
	term.Press("tab")
	term.Type("/zoo/")
	term.Press("ctrl+l", "g")
	term.WaitFor("find tags (Google) ")
	term.WaitGone("Checking ")
	stop("upload")
	term.Press("ctrl+s")
	term.WaitFor("enter send ")
	term.Press("s")
	term.WaitFor("27 of 28 stored")
	// The background is removed from a duck, the harbor, the mug, a pig and a polar bear.
	uploadMore(term, slices.Concat(down(6), []string{"space", "space"}, down(7), []string{"space"}, down(4),
		[]string{"space", "space"}), []string{"ctrl+l", "r"}, "32 of 33 stored")
	// Two files have an extension that does not end, and two are too large.
	uploadMore(term, []string{"space", "space"}, []string{"ctrl+l", "w"}, "34 of 35 stored")
	uploadMore(term, []string{"space", "space"}, slices.Concat(down(5), []string{"enter"}, down(4), strings.Split(`"file.size" < "5kb"`, "")), "3 refused")
	stop("uploads")
	term.Press("3")
	term.WaitFor("32 done") // the other two are pending
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
	term.WaitFor("c edit region")
	term.Press("down", "down", "enter")
	term.Type("35,15,120,120")
	term.WaitFor("35,15,120,120")
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
	term.WaitFor("enter save and leave")
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
	t.Parallel()
	if !makeShots {
		mediatest.OnlyWithEverything(t)
	}
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
			must(t, errors.Join(os.MkdirAll(d.home, 0o700),
				os.WriteFile(filepath.Join(d.home, "config.toml"), []byte(settings), 0o600)))
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
					shot := []image.Image{shotNow(t, term, colors)}
					writeAsset(t, scene+"-"+name+".png", shotSize, shot, []int{0})
				}
			})
		})
	}
	t.Run("tour", func(t *testing.T) {
		term := newShotWorkplace(t).start(120, 36)
		term.Type(answers())
		var frames []image.Image
		var delays []int
		add := func(shown int) {
			if makeShots {
				frames, delays = append(frames, shotNow(t, term, dark)), append(delays, shown)
			}
		}
		names = append(names, "tour")
		tour(term, func() {
			t.Helper()
			settled(term, dark)
			words["tour"] = append(words["tour"], wordsOf(term.Screen())...)
			add(300)
		}, func() {
			term.WaitUntil(whole)
			add(90)
		})
		slices.Sort(words["tour"])
		words["tour"] = slices.Compact(words["tour"])
		if makeShots {
			writeAsset(t, "tour.gif", movieSize, frames, delays)
		}
	})
	switch {
	case t.Failed():
	case makeShots:
		var kept strings.Builder
		for _, name := range names {
			fmt.Fprintf(&kept, "%s: %s\n", name, strings.Join(words[name], " "))
		}
		must(t, os.WriteFile(screensFile, []byte(kept.String()), 0o644))
	default:
		checkShots(t, names, words)
	}
}

func shotNow(t *testing.T, term *uitest.Term, colors terminalColors) image.Image {
	t.Helper()
	im, err := shot(term, 120, 36, colors)
	must(t, err)
	return im
}

// writeAsset writes frames as a picture or an animation to assets, with 256 colors. A frame is shown for the
// given hundredths of a second. It needs ImageMagick.
func writeAsset(t *testing.T, name string, limit int64, frames []image.Image, delays []int) {
	t.Helper()
	dir, args := t.TempDir(), []string{"-loop", "0"}
	for i, frame := range frames {
		file := filepath.Join(dir, strconv.Itoa(i)+".png")
		out, err := os.Create(file)
		must(t, errors.Join(err, png.Encode(out, frame), out.Close()))
		args = append(args, "-delay", strconv.Itoa(delays[i]), file)
	}
	to := filepath.Join("../assets", name)
	if len(frames) > 1 {
		args = append(args, "+dither", "-colors", "256", "+map", "-layers", "OptimizeFrame", to)
	} else {
		args = append(args, "-dither", "FloydSteinberg", "-colors", "256", "-strip", "-define", "png:compression-level=9", "PNG8:"+to)
	}
	if out, err := exec.Command("convert", args...).CombinedOutput(); err != nil {
		t.Fatalf("convert: %v: %s", err, out)
	}
	if info, err := os.Stat(to); err != nil || info.Size() > limit {
		t.Errorf("%s is larger than %d bytes (%v)", name, limit, err)
	}
}

func writePhotographs(t *testing.T, dir string) {
	const from = "../api/media/testdata/subjects/"
	for i, name := range strings.Fields(animals) {
		data, err := os.ReadFile(from + name + ".jpg")
		must(t, err)
		_, name, _ = strings.Cut(name, "-")
		file, taken := filepath.Join(dir, name+".jpg"), time.Now().Add(-time.Duration(i+2)*25*time.Hour)
		must(t, errors.Join(os.WriteFile(file, data, 0o600), os.Chtimes(file, taken, taken)))
	}
}

const animals = `world-bison world-chameleon world-hedgehog world-koala world-moose world-panda
	world-polar_bear world-scarlet_macaw farm-cat farm-cow farm-dog farm-duck farm-owl farm-pig farm-sheep
	erase-kingfisher erase-butterfly erase-penguin erase-red_panda erase-toucan erase-squirrel lomiri-kleiber
	mate-ladybird`

// newShotWorkplace is a workplace with only the sample pictures. For screenshots its folders have short
// names.
func newShotWorkplace(t *testing.T) *workplace {
	at := t.TempDir()
	d := &workplace{t: t, home: filepath.Join(at, "desk"), pictures: filepath.Join(at, "pictures")}
	if makeShots {
		d.home, d.pictures = "/tmp/desk", "/tmp/pictures"
		for _, dir := range []string{d.home, d.pictures} {
			must(t, os.RemoveAll(dir))
			t.Cleanup(func() { os.RemoveAll(dir) })
		}
	}
	must(t, assets.WriteSamples(d.pictures))
	return d
}

// settled waits until a screen is complete, then until it is drawn again, because the last picture may have
// come in part: the line of hints is drawn last. It also waits for the background that the emulator reported.
func settled(term *uitest.Term, colors terminalColors) {
	term.Type(colors.answer())
	term.WaitUntil(whole)
	term.Press("f1")
	term.WaitFor("type to search")
	term.Press("esc")
	term.WaitGone("type to search")
	term.WaitUntil(func(screen string) bool {
		// F1 in a text field
		hints := strings.Contains(screen, "? help") || strings.Contains(screen, "F1 help")
		return hints && whole(screen)
	})
}

func whole(screen string) bool {
	screen = strings.NewReplacer("█▀▄▀█ █▀▀ █▀▄ █ ▄▀█ █▀▄ █▀▀ █▀ █▄▀", "", "█ ▀ █ ██▄ █▄▀ █ █▀█ █▄▀ ██▄ ▄█ █▀▄", "").Replace(screen)
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
	must(t, err)
	readme, err := os.ReadFile("../README.md")
	accounts, err2 := os.ReadFile("../docs/accounts.md")
	must(t, errors.Join(err, err2))
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
			if info, err := os.Stat("../assets/" + file); err != nil || info.Size() > movieSize ||
				!strings.Contains(string(pages), "assets/"+file) {
				t.Errorf("neither README.md nor docs/accounts.md has the picture %s (%v)", file, err)
			}
		}
	}
}

// Size of a cell of a screenshot in pixels.
const (
	cellWidth, cellHeight = 10, 21
	baseline              = 16
	fontSize              = 16.6
)

// fontFiles are the usual paths of the font for screenshots, which has every character that the
// program uses.
var fontFiles = [2][]string{
	{"/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf", "/usr/share/fonts/dejavu-sans-mono-fonts/DejaVuSansMono.ttf"},
	{"/usr/share/fonts/truetype/dejavu/DejaVuSansMono-Bold.ttf", "/usr/share/fonts/dejavu-sans-mono-fonts/DejaVuSansMono-Bold.ttf"},
}

func shot(term *uitest.Term, w, h int, colors terminalColors) (image.Image, error) {
	s := &screen{Emulator: vt.NewEmulator(w, h), plain: colors}
	defer s.InputPipe().(io.Closer).Close()
	for i, files := range fontFiles {
		face, err := loadFace(files)
		if err != nil {
			return nil, err
		}
		defer face.Close()
		s.faces[i] = face
	}
	var err error
	// Write everything at once: the emulator separates the marks of a placeholder at the end of a read.
	raw := term.Raw()
	if s.images, err = sentImages(raw); err != nil {
		return nil, err
	}
	go func() { _, _ = io.Copy(io.Discard, s) }() // its answers to the program's questions
	_, _ = s.WriteString(raw)
	return s.draw(), nil
}

func loadFace(files []string) (font.Face, error) {
	for _, name := range files {
		data, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		parsed, err := opentype.Parse(data)
		if err != nil {
			return nil, fmt.Errorf("font %s: %w", name, err)
		}
		return opentype.NewFace(parsed,
			&opentype.FaceOptions{Size: fontSize, DPI: 72, Hinting: font.HintingNone})
	}
	return nil, fmt.Errorf("the font DejaVu Sans Mono is missing (package fonts-dejavu-core): tried %v", files)
}

type terminalColors struct{ text, ground color.RGBA }

var (
	dark  = terminalColors{color.RGBA{0xd7, 0xda, 0xe0, 0xff}, color.RGBA{0x16, 0x19, 0x21, 0xff}}
	light = terminalColors{color.RGBA{0x24, 0x29, 0x2f, 0xff}, color.RGBA{0xff, 0xff, 0xff, 0xff}}
)

// answers returns what a terminal with kitty's graphics protocol answers to the probe and to the
// question for the size of a cell.
func answers() string {
	return fmt.Sprintf("\x1b_Gi=%d;OK\x1b\\\x1b[6;%d;%dt", uint32(250<<24), cellHeight, cellWidth)
}

// answer returns what a terminal answers to the question for its background.
func (p terminalColors) answer() string {
	return fmt.Sprintf("\x1b]11;rgb:%02x/%02x/%02x\x1b\\", p.ground.R, p.ground.G, p.ground.B)
}

type screen struct {
	*vt.Emulator
	faces  [2]font.Face
	plain  terminalColors
	images map[int]sentImage // by number, which is the highest byte of the id
}

// sentImage is a picture that the terminal received, with its size in cells.
type sentImage struct {
	image.Image
	cells image.Point
}

var graphics = regexp.MustCompile("\x1b_G([^;\x1b]*);([^\x1b]*)\x1b")

func sentImages(raw string) (map[int]sentImage, error) {
	images := map[int]sentImage{}
	var first kitty.Options
	var data strings.Builder
	for _, found := range graphics.FindAllStringSubmatch(raw, -1) {
		var o kitty.Options
		if err := o.UnmarshalText([]byte(found[1])); err != nil {
			return nil, err
		}
		if data.Len() == 0 {
			first = o
		}
		data.WriteString(found[2])
		if strings.Contains(","+found[1]+",", ",m=1,") {
			continue
		}
		packed, err := base64.StdEncoding.DecodeString(data.String())
		data.Reset()
		if err != nil {
			return nil, err
		}
		if first.Columns == 0 || first.ImageWidth < 2 || first.Action == 'f' {
			continue // a question, or what darkens a picture behind a popup
		}
		im, err := (&kitty.Decoder{
			Decompress: first.Compression != 0, Format: first.Format, Width: first.ImageWidth,
			Height: first.ImageHeight,
		}).Decode(bytes.NewReader(packed))
		if err != nil {
			return nil, err
		}
		images[first.ID>>24] = sentImage{im, image.Pt(first.Columns, first.Rows)}
	}
	return images, nil
}

var diacritics = func() map[rune]int {
	counts := map[rune]int{}
	for n := 296; n >= 0; n-- {
		counts[kitty.Diacritic(n)] = n
	}
	return counts
}()

// drawPixels draws the part of a picture that a placeholder shows.
func (s *screen) drawPixels(im draw.Image, at image.Rectangle, cell []rune) bool {
	if cell[0] != kitty.Placeholder || len(cell) < 4 {
		return false
	}
	from, ok := s.images[diacritics[cell[3]]]
	if !ok {
		return true // the picture was deleted, or is not transmitted yet
	}
	row, column, size := diacritics[cell[1]], diacritics[cell[2]], from.Bounds().Size()
	part := image.Rect(column*size.X/from.cells.X, row*size.Y/from.cells.Y, (column+1)*size.X/from.cells.X,
		(row+1)*size.Y/from.cells.Y)
	xdraw.ApproxBiLinear.Scale(im, at, from, part, draw.Over, nil)
	return true
}

func (s *screen) draw() image.Image {
	const margin = 8
	w, h := s.Width(), s.Height()
	im := image.NewRGBA(image.Rect(0, 0, w*cellWidth+2*margin, h*cellHeight+2*margin))
	draw.Draw(im, im.Bounds(), image.NewUniform(s.plain.ground), image.Point{}, draw.Src)
	for y := range h {
		for x := 0; x < w; x++ {
			cell := s.CellAt(x, y)
			if cell == nil {
				continue
			}
			at := image.Rect(0, 0, max(1, cell.Width)*cellWidth, cellHeight).Add(image.Pt(margin+x*cellWidth,
				margin+y*cellHeight))
			s.drawCell(im, at, cell)
		}
	}
	return im
}

func (s *screen) drawCell(im *image.RGBA, at image.Rectangle, cell *uv.Cell) {
	fg, bg := color.Color(s.plain.text), color.Color(s.plain.ground)
	if cell.Style.Fg != nil {
		fg = cell.Style.Fg
	}
	if cell.Style.Bg != nil {
		bg = cell.Style.Bg
	}
	if cell.Style.Attrs&uv.AttrReverse != 0 {
		fg, bg = bg, fg
	}
	if cell.Style.Attrs&uv.AttrFaint != 0 {
		fg = blend(fg, bg)
	}
	draw.Draw(im, at, image.NewUniform(bg), image.Point{}, draw.Src)
	runes := []rune(cell.Content)
	if len(runes) == 0 || runes[0] == ' ' {
		return
	}
	if s.drawPixels(im, at, runes) || drawBlock(im, at, runes[0], fg) {
		return
	}
	face := s.faces[0]
	if cell.Style.Attrs&uv.AttrBold != 0 {
		face = s.faces[1]
	}
	d := font.Drawer{
		Dst: im, Src: image.NewUniform(fg), Face: face, Dot: fixed.P(at.Min.X, at.Min.Y+baseline),
	}
	d.DrawString(cell.Content)
}

func blend(a, b color.Color) color.Color {
	ar, ag, ab, _ := a.RGBA()
	br, bg, bb, _ := b.RGBA()
	mid := func(x, y uint32) uint8 { return uint8((x*6 + y*4) / 10 >> 8) }
	return color.RGBA{mid(ar, br), mid(ag, bg), mid(ab, bb), 0xff}
}

// quadrants are the quarters that each of U+2596 to U+259F fills: bit 0 is upper left, 1 upper
// right, 2 lower left, 3 lower right.
var quadrants = [...]int{4, 8, 1, 13, 9, 7, 11, 2, 6, 14}

var corners = map[rune]string{
	'╭': "rd", '╮': "ld", '╰': "ru", '╯': "lu", '┌': "rd", '┐': "ld", '└': "ru", '┘': "lu",
	'├': "urd", '┤': "uld", '┬': "lrd", '┴': "lru", '┼': "lrud",
}

// drawBlock draws a block element or a straight line of a box, because fonts leave gaps between
// neighboring cells.
func drawBlock(im *image.RGBA, at image.Rectangle, r rune, fg color.Color) bool {
	fill := func(part image.Rectangle) {
		draw.Draw(im, part.Intersect(at), image.NewUniform(fg), image.Point{}, draw.Src)
	}
	middle := image.Pt((at.Min.X+at.Max.X)/2, (at.Min.Y+at.Max.Y)/2)
	switch {
	case r == '▀':
		fill(image.Rect(at.Min.X, at.Min.Y, at.Max.X, middle.Y))
	case r >= '▁' && r <= '█': // lower eighths
		fill(image.Rect(at.Min.X, at.Max.Y-at.Dy()*int(r-'▁'+1)/8, at.Max.X, at.Max.Y))
	case r >= '▉' && r <= '▏': // left eighths
		fill(image.Rect(at.Min.X, at.Min.Y, at.Min.X+at.Dx()*(8-int(r-'▉'+1))/8, at.Max.Y))
	case r == '▐':
		fill(image.Rect(middle.X, at.Min.Y, at.Max.X, at.Max.Y))
	case r == '▔':
		fill(image.Rect(at.Min.X, at.Min.Y, at.Max.X, at.Min.Y+at.Dy()/8))
	case r == '▕':
		fill(image.Rect(at.Max.X-at.Dx()/8, at.Min.Y, at.Max.X, at.Max.Y))
	case r >= '▖' && r <= '▟':
		mask := quadrants[r-'▖']
		for i, part := range []image.Rectangle{
			{at.Min, middle},
			image.Rect(middle.X, at.Min.Y, at.Max.X, middle.Y),
			image.Rect(at.Min.X, middle.Y, middle.X, at.Max.Y),
			{middle, at.Max},
		} {
			if mask>>i&1 == 1 {
				fill(part)
			}
		}
	case corners[r] != "":
		for _, way := range corners[r] {
			switch way {
			case 'r':
				fill(image.Rect(middle.X, middle.Y, at.Max.X, middle.Y+1))
			case 'l':
				fill(image.Rect(at.Min.X, middle.Y, middle.X+1, middle.Y+1))
			case 'u':
				fill(image.Rect(middle.X, at.Min.Y, middle.X+1, middle.Y+1))
			case 'd':
				fill(image.Rect(middle.X, middle.Y, middle.X+1, at.Max.Y))
			}
		}
	case r == '─':
		fill(image.Rect(at.Min.X, middle.Y, at.Max.X, middle.Y+1))
	case r == '━':
		fill(image.Rect(at.Min.X, middle.Y-1, at.Max.X, middle.Y+2))
	case r == '│':
		fill(image.Rect(middle.X, at.Min.Y, middle.X+1, at.Max.Y))
	default:
		return false
	}
	return true
}
