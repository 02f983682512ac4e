package media

import (
	"bytes"
	"encoding/binary"
	"image"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

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
		box("moov", box("mvhd", mvhd, make([]byte, 80)), box("trak", box("tkhd", make([]byte, 84))),
			box("trak", box("tkhd", tkhd))),
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
	info := element(mkvInfo, element(mkvScale, []byte{0x0f, 0x42, 0x40}),
		element(mkvDuration, binary.BigEndian.AppendUint64(nil, math.Float64bits(12500))))
	video := element(mkvTracks, element(mkvEntry,
		element(mkvVideo, element(mkvWidth, []byte{2, 0x80}), element(mkvHeight, []byte{1, 0x68}))))
	return slices.Concat(element(0x1A45DFA3, element(0x4282, []byte("webm"))),
		element(mkvSegment, element(0xEC, make([]byte, 90)), info, video,
			element(mkvCluster, make([]byte, 10))))
}

func TestHowLongItPlays(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		want time.Duration
		size image.Point
	}{
		"MP4":         {film(640, 360, false), 2500 * time.Millisecond, image.Pt(640, 360)},
		"MP4 turned":  {film(640, 360, true), 2500 * time.Millisecond, image.Pt(360, 640)},
		"half an MP4": {film(640, 360, false)[:5100], 0, image.Point{}},
		"WebM":        {matroska(), 12500 * time.Millisecond, image.Pt(640, 360)},
		"half a WebM": {matroska()[:40], 0, image.Point{}},
	} {
		t.Run(name, func(t *testing.T) {
			facts, err := FactsOf(t.Context(), write(t, "a", c.data))
			must(t, err)
			if facts.Duration != c.want || facts.Upright != c.size {
				t.Errorf("%s: plays %v, not %v; size %v, not %v", facts.Name, facts.Duration, c.want,
					facts.Upright, c.size)
			}
		})
	}
}

// codecTrack is a track of an MP4 with a sample description.
func codecTrack(codec string) []byte {
	head := []byte("\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00")
	return box("trak", box("mdia", box("minf", box("stbl", box("stsd", head, []byte(codec))))))
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
	return slices.Concat(element(0x1A45DFA3, element(0x4282, []byte("webm"))),
		element(mkvSegment, element(mkvTracks, tracks), element(mkvCluster, make([]byte, 10))))
}

func TestCodecs(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"H.264 and AAC":         {codecMP4(codecTrack("avc1"), codecTrack("mp4a")), "h264 aac"},
		"sound first":           {codecMP4(codecTrack("mp4a"), codecTrack("hvc1")), "hevc aac"},
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
		mediatest.Equal(t, facts.VideoCodec+" "+facts.AudioCodec, c.want, "%s", name)
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
		mediatest.Equal(t, sizeOfSVG(strings.NewReader(text)), want, "%s", text)
	}
}
