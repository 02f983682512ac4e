package media

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"mediadesk/api/media/mediatest"
)

// box returns a box of an MP4 file.
func box(kind string, body ...[]byte) []byte {
	all := slices.Concat(body...)
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(len(all)+8)), kind...), all...)
}

// film returns the headers of an MP4 of 2.5 s, turned by a quarter if turned is set.
func film(w, h int, turned bool) []byte {
	be := binary.BigEndian
	mvhd := be.AppendUint32(be.AppendUint32(make([]byte, 12), 1000), 2500)
	tkhd := make([]byte, 84)
	one, other := 40, 44
	if turned {
		one, other = 44, 40
	}
	be.PutUint32(tkhd[one:], 1<<16)
	be.PutUint32(tkhd[other:], 0)
	be.PutUint32(tkhd[76:], uint32(w)<<16)
	be.PutUint32(tkhd[80:], uint32(h)<<16)
	return slices.Concat(
		box("ftyp", []byte("mp42\x00\x00\x00\x00mp42isom")),
		box("mdat", make([]byte, 5000)),
		box("moov", box("mvhd", mvhd, make([]byte, 80)), box("trak", box("tkhd", make([]byte, 84))), box("trak", box("tkhd", tkhd))),
	)
}

// element returns an element of a Matroska file.
func element(id uint32, body ...[]byte) []byte {
	all := slices.Concat(body...)
	name := bytes.TrimLeft(binary.BigEndian.AppendUint32(nil, id), "\x00")
	return slices.Concat(name, binary.BigEndian.AppendUint32(nil, uint32(len(all))|1<<28), all)
}

// matroska returns the beginning of a WebM of 12.5 s.
func matroska() []byte {
	info := element(mkvInfo, element(mkvScale, []byte{0x0f, 0x42, 0x40}), element(mkvDuration, binary.BigEndian.AppendUint64(nil, math.Float64bits(12500))))
	video := element(mkvTracks, element(mkvEntry, element(mkvVideo, element(mkvWidth, []byte{2, 0x80}), element(mkvHeight, []byte{1, 0x68}))))
	return slices.Concat(element(0x1A45DFA3, element(0x4282, []byte("webm"))), element(mkvSegment, element(0xEC, make([]byte, 90)), info, video, element(mkvCluster, make([]byte, 10))))
}

func wavFile() []byte {
	le := binary.LittleEndian
	format := le.AppendUint32(le.AppendUint32([]byte{1, 0, 2, 0}, 8000), 32000)
	b := append([]byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00"), append(format, 4, 0, 16, 0)...)
	return le.AppendUint32(append(b, "data"...), 48000)
}

func flacFile() []byte {
	head := append([]byte("fLaC\x00\x00\x00\x22"), make([]byte, 10)...)
	return append(binary.BigEndian.AppendUint64(head, 44100<<44|1<<41|15<<36|88200), make([]byte, 16)...)
}

// mp3File returns an MP3 with a tag and n frames at 128 kbit/s. put replaces the bytes at a position of
// the first frame.
func mp3File(n int, at int, put []byte) []byte {
	b := append([]byte("ID3\x04\x00\x00\x00\x00\x01\x00"), make([]byte, 128)...)
	for i := range n {
		frame := make([]byte, 417) // 144 * 128000 / 44100
		copy(frame, "\xff\xfb\x90\x64")
		if i == 0 {
			copy(frame[at:], put)
		}
		b = append(b, frame...)
	}
	return append(append(b, "TAG"...), make([]byte, 125)...)
}

// changingMP3 returns an MP3 whose frames differ and do not give their number.
func changingMP3() []byte {
	b := mp3File(40, 0, nil)
	b[10+128+3*417+2] = 0xa0
	return b
}

// oggPage returns a page of a stream with the number of its last sample.
func oggPage(serial string, number uint64, body string) []byte {
	b := binary.LittleEndian.AppendUint64([]byte("OggS\x00\x00"), number)
	b = append(append(b, serial...), make([]byte, 8)...)
	return append(append(b, 1, byte(len(body))), body...)
}

// oggFile returns a recording with this first page and last sample number, followed by a page without a
// number and one of another stream.
func oggFile(head string, last uint64) []byte {
	return slices.Concat(
		oggPage("abcd", 0, head), oggPage("abcd", 7, "sound"), oggPage("abcd", last, "sound"),
		oggPage("abcd", math.MaxUint64, "half"), oggPage("efgh", 1, "other"),
	)
}

const (
	vorbisHead = "\x01vorbis\x00\x00\x00\x00\x02\x44\xac\x00\x00............"
	opusHead   = "OpusHead\x01\x02\x38\x01\x80\xbb\x00\x00\x00\x00\x00"
	oggFLAC    = "\x7fFLAC\x01\x00\x00\x01fLaC\x00\x00\x00\x22..........\x0a\xc4\x42\xf0........"
)

func gifFilm(t testing.TB) []byte {
	var b bytes.Buffer
	frame := image.NewPaletted(image.Rect(0, 0, 8, 6), color.Palette{color.Black, color.White})
	must(t, gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{frame, frame, frame}, Delay: []int{10, 20, 3}}))
	return b.Bytes()
}

// apng returns a PNG with two frames, shown for a half and a quarter of a second.
func apng(t testing.TB) []byte {
	plain := mediatest.PNG(t, mediatest.Quarters(8, 6))
	frame := func(num, den uint16) []byte {
		b := make([]byte, 26)
		binary.BigEndian.PutUint16(b[20:], num)
		binary.BigEndian.PutUint16(b[22:], den)
		return mediatest.PNGChunk("fcTL", b)
	}
	const ihdr = 8 + 25
	return slices.Concat(plain[:ihdr], mediatest.PNGChunk("acTL", make([]byte, 8)), frame(1, 2), plain[ihdr:len(plain)-12], frame(25, 0), plain[len(plain)-12:])
}

func TestHowLongItPlays(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		want time.Duration
		size image.Point
	}{
		"GIF":          {gifFilm(t), 330 * time.Millisecond, image.Pt(8, 6)},
		"a still GIF":  {mediatest.GIF(t, mediatest.Quarters(8, 6)), 0, image.Pt(8, 6)},
		"half a GIF":   {gifFilm(t)[:60], 0, image.Pt(8, 6)},
		"APNG":         {apng(t), 750 * time.Millisecond, image.Pt(8, 6)},
		"PNG":          {mediatest.PNG(t, mediatest.Quarters(8, 6)), 0, image.Pt(8, 6)},
		"WebP":         {animatedWebP(image.Pt(4, 2), image.Point{}), 100 * time.Millisecond, image.Pt(4, 2)},
		"a still WebP": {mediatest.WebP(), 0, image.Pt(4, 2)},
		"MP4":          {film(640, 360, false), 2500 * time.Millisecond, image.Pt(640, 360)},
		"MP4 turned":   {film(640, 360, true), 2500 * time.Millisecond, image.Pt(360, 640)},
		"half an MP4":  {film(640, 360, false)[:5100], 0, image.Point{}},
		"WebM":         {matroska(), 12500 * time.Millisecond, image.Pt(640, 360)},
		"half a WebM":  {matroska()[:40], 0, image.Point{}},
		"WAV":          {wavFile(), 1500 * time.Millisecond, image.Point{}},
		"FLAC":         {flacFile(), 2 * time.Second, image.Point{}},
		"MP3, counted": {mp3File(3, 4+32, []byte("Xing\x00\x00\x00\x01\x00\x00\x0e\xf5")), time.Duration(3829 * 1152 * int64(time.Second) / 44100), image.Point{}},
		"MP3, VBRI":    {mp3File(3, 4+32, []byte("VBRI\x00\x01\x00\x00\x00\x64\x00\x00\x00\x00\x00\x00\x0e\xf5")), time.Duration(3829 * 1152 * int64(time.Second) / 44100), image.Point{}},
		"MP3, steady":  {mp3File(40, 0, nil), time.Duration(40 * 417 * 8 * int64(time.Second) / 128000), image.Point{}},
		"MP3, unknown": {changingMP3(), 0, image.Point{}},
		"half an MP3":  {mp3File(40, 0, nil)[:100], 0, image.Point{}},
		"Ogg Vorbis":   {oggFile(vorbisHead, 44100*3), 3 * time.Second, image.Point{}},
		"Ogg Opus":     {oggFile(opusHead, 312+48000*2), 2 * time.Second, image.Point{}},
		"Ogg FLAC":     {oggFile(oggFLAC, 44100*4), 4 * time.Second, image.Point{}},
		"half an Ogg":  {oggFile(vorbisHead, 44100*3)[:50], 0, image.Point{}},
		"Ogg, no end":  {oggPage("abcd", math.MaxUint64, vorbisHead), 0, image.Point{}},
		"half a FLAC":  {flacFile()[:20], 0, image.Point{}},
	} {
		t.Run(name, func(t *testing.T) {
			facts, err := FactsOf(t.Context(), write(t, "a", c.data))
			must(t, err)
			if facts.Duration != c.want || facts.Upright != c.size {
				t.Errorf("%s: plays %v, not %v; size %v, not %v", facts.Name, facts.Duration, c.want, facts.Upright, c.size)
			}
		})
	}
}

// codecTrack is a track of an MP4 with a sample description.
func codecTrack(codec string, entry ...byte) []byte {
	head := []byte("\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00")
	return box("trak", box("mdia", box("minf", box("stbl", box("stsd", head, []byte(codec), entry)))))
}

// codecMP4 is an MP4 with tracks.
func codecMP4(tracks ...[]byte) []byte {
	return slices.Concat(box("ftyp", []byte("mp42\x00\x00\x00\x00mp42isom")), box("moov", slices.Concat(tracks...)))
}

// codecWebM is a WebM with tracks.
func codecWebM(codecs ...string) []byte {
	var tracks []byte
	for _, codec := range codecs {
		tracks = append(tracks, element(mkvEntry, element(mkvCodec, []byte(codec)))...)
	}
	return slices.Concat(element(0x1A45DFA3, element(0x4282, []byte("webm"))), element(mkvSegment, element(mkvTracks, tracks), element(mkvCluster, make([]byte, 10))))
}

func TestCodecs(t *testing.T) {
	descriptor := func(kind byte) []byte {
		return append(make([]byte, 28), "\x00\x00\x00\x33esds\x00\x00\x00\x00\x03\x80\x80\x80\x22\x00\x04\x00\x04\x80\x80\x80\x14"+string(kind)...)
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"H.264 and AAC":         {codecMP4(codecTrack("avc1"), codecTrack("mp4a", descriptor(0x40)...)), "h264 aac"},
		"sound first":           {codecMP4(codecTrack("mp4a"), codecTrack("hvc1")), "hevc aac"},
		"MP3 in an MP4":         {codecMP4(codecTrack("mp4a", descriptor(0x6b)...)), " mp3"},
		"half a descriptor":     {codecMP4(codecTrack("mp4a", descriptor(0x6b)[:50]...)), " aac"},
		"text before the video": {codecMP4(codecTrack("tx3g"), codecTrack("av01")), "av1 "},
		"two videos":            {codecMP4(codecTrack("avc1"), codecTrack("av01")), "h264 "},
		"unknown":               {codecMP4(codecTrack("wxyz")), " "},
		"half an entry":         {codecMP4(codecTrack("avc")), " "},
		"no tracks":             {film(640, 360, false), " "},
		"VP9 and Opus":          {codecWebM("V_VP9", "A_OPUS"), "vp9 opus"},
		"padded":                {codecWebM("V_VP8\x00\x00", "A_VORBIS"), "vp8 vorbis"},
		"a very long name":      {codecWebM("V_VP9", strings.Repeat("A", 40), "A_OPUS"), "vp9 "},
	} {
		facts, err := FactsOf(t.Context(), write(t, "a", c.data))
		must(t, err)
		if got := facts.VideoCodec + " " + facts.AudioCodec; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// profileOf returns an ICC profile with a name, in version 2 or 4.
func profileOf(name string, version int) []byte {
	be := binary.BigEndian
	var tag []byte
	if version == 2 {
		tag = append(be.AppendUint32([]byte("desc\x00\x00\x00\x00"), uint32(len(name)+1)), append([]byte(name), 0)...)
	} else {
		text := utf16.Encode([]rune(name))
		tag = be.AppendUint32(be.AppendUint32([]byte("mluc\x00\x00\x00\x00"), 1), 12)
		tag = be.AppendUint32(be.AppendUint32(append(tag, "enUS"...), uint32(2*len(text))), 28)
		for _, u := range text {
			tag = be.AppendUint16(tag, u)
		}
	}
	p := make([]byte, 128)
	copy(p[36:], "acsp")
	p = be.AppendUint32(p, 2)
	p = append(p, "cprt\x00\x00\x00\x00\x00\x00\x00\x00desc"...)
	p = be.AppendUint32(be.AppendUint32(p, uint32(len(p)+8)), uint32(len(tag)))
	return append(p, tag...)
}

func jpegWithProfile(t testing.TB, profile []byte) []byte {
	jpg := mediatest.JPEG(t, mediatest.Quarters(8, 6))
	seg := append([]byte("ICC_PROFILE\x00\x01\x01"), profile...)
	head := append(append([]byte{}, jpg[:2]...), 0xff, 0xe2)
	return slices.Concat(binary.BigEndian.AppendUint16(head, uint16(len(seg)+2)), seg, jpg[2:])
}

func pngWithChunk(t testing.TB, kind string, data []byte) []byte {
	plain := mediatest.PNG(t, mediatest.Quarters(8, 6))
	return slices.Concat(plain[:33], mediatest.PNGChunk(kind, data), plain[33:])
}

// tiffWithProfile returns a gray TIFF with a color profile.
func tiffWithProfile(t testing.TB, order binary.AppendByteOrder, profile []byte) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 8, 6))
	b := []byte("II*\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		b = []byte("MM\x00*")
	}
	pixels, icc := uint32(8), uint32(8+len(img.Pix))
	b = order.AppendUint32(b, icc+uint32(len(profile)))
	b = append(append(b, img.Pix...), profile...)
	entries := []struct {
		tag, kind    uint16
		count, value uint32
	}{
		{256, 4, 1, 8},
		{257, 4, 1, 6},
		{258, 4, 1, 8},
		{259, 4, 1, 1},
		{262, 4, 1, 1},
		{273, 4, 1, pixels},
		{277, 4, 1, 1},
		{278, 4, 1, 6},
		{279, 4, 1, uint32(len(img.Pix))},
		{34675, 7, uint32(len(profile)), icc},
	}
	b = order.AppendUint16(b, uint16(len(entries)))
	for _, e := range entries {
		b = order.AppendUint16(order.AppendUint16(b, e.tag), e.kind)
		b = order.AppendUint32(order.AppendUint32(b, e.count), e.value)
	}
	return append(b, 0, 0, 0, 0)
}

func TestColorProfile(t *testing.T) {
	packed := func(label string, profile []byte) []byte {
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		_, _ = z.Write(profile)
		must(t, z.Close())
		return slices.Concat([]byte(label), []byte{0, 0}, b.Bytes())
	}
	extended := append([]byte{0x20, 0, 0, 0}, 3, 0, 0, 1, 0, 0)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"JPEG":                 {jpegWithProfile(t, profileOf("Display P3", 4)), "Display P3"},
		"JPEG, version 2":      {jpegWithProfile(t, profileOf("Adobe RGB (1998)", 2)), "Adobe RGB (1998)"},
		"JPEG without":         {mediatest.JPEG(t, mediatest.Quarters(8, 6)), ""},
		"JPEG, hostile":        {jpegWithProfile(t, profileOf("a\x1b[2J\nb", 4)), "a[2Jb"},
		"JPEG, cut":            {jpegWithProfile(t, profileOf("Display P3", 4)[:150]), ""},
		"JPEG, none":           {jpegWithProfile(t, []byte("x")), ""},
		"PNG":                  {pngWithChunk(t, "iCCP", packed("ICC Profile", profileOf("Display P3", 4))), "Display P3"},
		"PNG, only the label":  {pngWithChunk(t, "iCCP", packed("My profile", nil)), "My profile"},
		"PNG, the usual color": {pngWithChunk(t, "sRGB", []byte{0}), "sRGB"},
		"PNG without":          {mediatest.PNG(t, mediatest.Quarters(8, 6)), ""},
		"WebP":                 {mediatest.RIFF("VP8X", extended, "ICCP", profileOf("Rec. 2020", 4), "VP8L", mediatest.WebP()[20:]), "Rec. 2020"},
		"WebP without":         {mediatest.WebP(), ""},
		"TIFF":                 {tiffWithProfile(t, binary.LittleEndian, profileOf("ProPhoto RGB", 2)), "ProPhoto RGB"},
		"TIFF, big end first":  {tiffWithProfile(t, binary.BigEndian, profileOf("Display P3", 4)), "Display P3"},
		"TIFF, cut":            {tiffWithProfile(t, binary.LittleEndian, profileOf("Display P3", 4)[:150]), ""},
		"TIFF without":         {mediatest.TIFF(t, mediatest.Quarters(8, 6)), ""},
	} {
		t.Run(name, func(t *testing.T) {
			facts, err := FactsOf(t.Context(), write(t, "a", c.data))
			must(t, err)
			if facts.Profile != c.want || facts.Problem != nil {
				t.Errorf("%q, not %q; %v", facts.Profile, c.want, facts.Problem)
			}
		})
	}
}

func TestSizeOfDrawing(t *testing.T) {
	for text, want := range map[string]image.Point{
		`<svg width="40" height="20">`:                                             image.Pt(40, 20),
		`<?xml version="1.0"?><svg width="1in" height="2.54cm" viewBox="0 0 5 5">`: image.Pt(96, 96),
		`<svg width="100%" height="100%" viewBox="0 0 300 150.5">`:                 image.Pt(300, 151),
		`<svg viewBox="0,0,30,10">`:                                                image.Pt(30, 10),
		`<svg width="-4" height="1e300">`:                                          {},
		`<svg width="4em" height="3em">`:                                           {},
		`<svg`:                                                                     {},
	} {
		if got := sizeOfSVG(strings.NewReader(text)); got != want {
			t.Errorf("%s: %v, not %v", text, got, want)
		}
	}
}
