package media

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"image"
	"io"
	"math"
	"slices"
	"strings"
	"time"
)

type track struct {
	size   image.Point // as shown; zero for sound
	length time.Duration

	video, audio string // codecs, as ffmpeg names them
}

// readTrack reads the facts of common video and audio formats. Unknown facts are zero.
func readTrack(rs io.ReadSeeker, mime string) (t track) {
	end, err := rs.Seek(0, io.SeekEnd)
	if err != nil {
		return t
	}
	if _, err := rs.Seek(0, io.SeekStart); err != nil {
		return t
	}
	switch {
	case mime == "video/mp4", mime == "video/quicktime", mime == "video/x-m4v", mime == "audio/mp4",
		mime == "audio/x-m4a", strings.HasPrefix(mime, "video/3gpp"):
		t.boxes(rs, 0, end, 0)
	case mime == "video/webm" || mime == "video/x-matroska":
		t.matroska(bufio.NewReader(rs))
	}
	return t
}

// boxes reads the boxes of an MP4 or QuickTime file (ISO/IEC 14496-12) between two
// positions. The duration (mvhd), the display size (tkhd) and the codecs (stsd) are in moov.
func (t *track) boxes(rs io.ReadSeeker, from, to int64, depth int) {
	be := binary.BigEndian
	for n := 0; from+8 <= to && n < maxParts; n++ {
		h := readAt(rs, from, 16)
		if len(h) < 8 {
			return
		}
		size, head := int64(be.Uint32(h)), int64(8)
		switch {
		case size == 0:
			size = to - from
		case size == 1 && len(h) == 16:
			size, head = int64(be.Uint64(h[8:])&math.MaxInt64), 16
		}
		if size < head || size > to-from {
			return
		}
		switch kind := string(h[4:8]); {
		case kind == "moov",
			depth > 0 && depth < 5 && slices.Contains([]string{"trak", "mdia", "minf", "stbl"}, kind):
			t.boxes(rs, from+head, from+size, depth+1)
		case kind == "mvhd":
			t.movie(readAt(rs, from+head, min(size-head, 128)))
		case kind == "tkhd":
			t.shown(readAt(rs, from+head, min(size-head, 128)))
		case kind == "stsd":
			if b := readAt(rs, from+head, 16); size >= head+16 && len(b) == 16 {
				t.codec(string(b[12:]))
			}
		}
		if depth == 0 && t.length > 0 {
			return
		}
		from += size
	}
}

func (t *track) movie(b []byte) {
	be := binary.BigEndian
	switch {
	case len(b) >= 32 && b[0] == 1:
		t.length = seconds(float64(be.Uint64(b[24:])), float64(be.Uint32(b[20:])))
	case len(b) >= 20 && b[0] == 0:
		t.length = seconds(float64(be.Uint32(b[16:])), float64(be.Uint32(b[12:])))
	}
}

// shown reads the display size from a track header box (tkhd). A quarter turn swaps the sides.
func (t *track) shown(b []byte) {
	at := 40 // offset of the matrix
	if len(b) > 0 && b[0] == 1 {
		at = 52
	}
	if len(b) < at+44 {
		return
	}
	be := binary.BigEndian
	size := image.Pt(int(be.Uint32(b[at+36:])>>16), int(be.Uint32(b[at+40:])>>16))
	if be.Uint32(b[at:]) == 0 && be.Uint32(b[at+4:]) != 0 {
		size = image.Pt(size.Y, size.X)
	}
	if size.X > 0 && size.Y > 0 && t.size == (image.Point{}) {
		t.size = size
	}
}

// The elements of a Matroska file (RFC 9559) that matroska reads or enters.
const (
	mkvSegment   = 0x18538067
	mkvInfo      = 0x1549A966
	mkvScale     = 0x2AD7B1
	mkvDuration  = 0x4489
	mkvTracks    = 0x1654AE6B
	mkvEntry     = 0xAE
	mkvCodec     = 0x86
	mkvVideo     = 0xE0
	mkvWidth     = 0xB0
	mkvHeight    = 0xBA
	mkvCluster   = 0x1F43B675
	mkvMaxSkip   = 16 << 20
	mkvTimescale = 1_000_000 // nanoseconds; the default
)

// matroska reads the elements before the first cluster.
func (t *track) matroska(r *bufio.Reader) {
	scale, length := uint64(mkvTimescale), 0.0
	for n := 0; n < maxParts; n++ {
		id, ok := vint(r, true)
		if !ok {
			break
		}
		size, ok := vint(r, false)
		if !ok || id == mkvCluster {
			break
		}
		switch id {
		case mkvSegment, mkvInfo, mkvTracks, mkvEntry, mkvVideo:
			continue // its children follow
		case mkvScale, mkvDuration, mkvWidth, mkvHeight, mkvCodec:
		default:
			if size > mkvMaxSkip {
				return
			}
			if _, err := r.Discard(int(size)); err != nil {
				return
			}
			continue
		}
		if size > 32 || id != mkvCodec && (size < 1 || size > 8) {
			return
		}
		var b [32]byte
		if _, err := io.ReadFull(r, b[32-size:]); err != nil {
			return
		}
		v := binary.BigEndian.Uint64(b[24:])
		switch {
		case id == mkvCodec:
			t.codec(string(b[32-size:]))
		case id == mkvScale:
			scale = v
		case id == mkvDuration && size == 4:
			length = float64(math.Float32frombits(uint32(v)))
		case id == mkvDuration:
			length = math.Float64frombits(v)
		case id == mkvWidth && t.size.X == 0 && v < 1<<20:
			t.size.X = int(v)
		case id == mkvHeight && t.size.Y == 0 && v < 1<<20:
			t.size.Y = int(v)
		}
	}
	t.length = seconds(length*float64(scale), 1e9)
}

// vint reads a number of one to eight bytes. The length marker of an ID stays in it.
func vint(r *bufio.Reader, id bool) (uint64, bool) {
	first, err := r.ReadByte()
	if err != nil || first == 0 {
		return 0, false
	}
	n, mark := 1, byte(0x80)
	for first&mark == 0 {
		mark >>= 1
		n++
	}
	v := uint64(first)
	if !id {
		v &^= uint64(mark)
	}
	for range n - 1 {
		b, err := r.ReadByte()
		if err != nil {
			return 0, false
		}
		v = v<<8 | uint64(b)
	}
	return v, true
}

// seconds returns n/parts seconds, or 0 if that is not a plausible duration.
func seconds(n, parts float64) time.Duration {
	s := n / parts
	if parts <= 0 || math.IsNaN(s) || s <= 0 || s > 1e8 {
		return 0
	}
	return time.Duration(s * float64(time.Second))
}

// codecs maps the names of codecs in MP4 and QuickTime files (mp4ra.org) and in
// Matroska files (RFC 9559) to the names that ffmpeg uses.
var codecs = map[string]struct{ video, audio string }{
	"avc1": {video: "h264"}, "avc3": {video: "h264"}, "hvc1": {video: "hevc"}, "hev1": {video: "hevc"}, "av01": {video: "av1"},
	"vp08": {video: "vp8"}, "vp09": {video: "vp9"}, "mp4v": {video: "mpeg4"}, "apcn": {video: "prores"}, "apch": {video: "prores"},
	"mp4a": {audio: "aac"}, "Opus": {audio: "opus"}, "fLaC": {audio: "flac"}, "ac-3": {audio: "ac3"}, "ec-3": {audio: "eac3"},
	"alac": {audio: "alac"},

	"V_MPEG4/ISO/AVC": {video: "h264"}, "V_MPEGH/ISO/HEVC": {video: "hevc"}, "V_AV1": {video: "av1"}, "V_VP8": {video: "vp8"}, "V_VP9": {video: "vp9"},
	"V_MPEG4/ISO/ASP": {video: "mpeg4"}, "A_AAC": {audio: "aac"}, "A_OPUS": {audio: "opus"}, "A_VORBIS": {audio: "vorbis"},
	"A_FLAC": {audio: "flac"}, "A_AC3": {audio: "ac3"}, "A_EAC3": {audio: "eac3"}, "A_MPEG/L3": {audio: "mp3"}, "A_ALAC": {audio: "alac"},
}

// codec sets the codecs of the first video and the first sound to a codec that is known.
func (t *track) codec(name string) {
	c := codecs[strings.TrimRight(name, "\x00")]
	t.video, t.audio = cmp.Or(t.video, c.video), cmp.Or(t.audio, c.audio)
}
