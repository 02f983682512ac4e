package media

import (
	"bytes"
	"encoding/binary"
	"io"
)

// Limits for reading a recording, in bytes and frames.
const (
	maxSilence   = 64 << 10 // between the tag and the first frame of an MP3
	maxPage      = 64<<10 + 512
	steadyFrames = 16
)

// mp3 sets the duration of an MP3 from the frame count that most encoders store in the
// first frame. Otherwise it divides the size by the bit rate, if that is constant.
func (t *track) mp3(rs io.ReadSeeker, end int64) {
	pos := int64(0)
	var h [10]byte
	if _, err := io.ReadFull(rs, h[:]); err != nil {
		return
	}
	if string(h[:3]) == "ID3" {
		pos = 10 + int64(h[6]&0x7f)<<21 + int64(h[7]&0x7f)<<14 + int64(h[8]&0x7f)<<7 + int64(h[9]&0x7f)
		if h[5]&0x10 != 0 {
			pos += 10 // footer
		}
	}
	front := readAt(rs, pos, maxSilence)
	for at := 0; at+4 <= len(front); at++ {
		first, ok := mp3Header(front[at:])
		if !ok {
			continue
		}
		pos += int64(at)
		front = front[at:]
		if n := first.counted(front); n > 0 {
			t.length = seconds(float64(n)*float64(first.samples), float64(first.rate))
		} else if steady(front, first) {
			t.length = seconds(float64(end-pos-tagBehind(rs, end))*8, float64(first.bits))
		}
		return
	}
}

// tagBehind returns the length of the ID3v1 tag at the end of the file, or 0.
func tagBehind(rs io.ReadSeeker, end int64) int64 {
	const length = 128
	if end > length && bytes.HasPrefix(readAt(rs, end-length, 3), []byte("TAG")) {
		return length
	}
	return 0
}

// mp3Frame holds the header of an MPEG audio frame of layer 3.
type mp3Frame struct {
	bits, rate int // per second
	samples    int
	length     int // in bytes
	side       int // bytes of side information after the header
}

// The rates of layer 3, in kilobits and samples per second (ISO/IEC 11172-3 and 13818-3).
var (
	mp3Bits = [2][16]int{
		{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
		{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
	}
	mp3Rates = [4]int{44100, 48000, 32000}
)

func mp3Header(b []byte) (f mp3Frame, ok bool) {
	if len(b) < 4 || b[0] != 0xff || b[1]&0xe0 != 0xe0 {
		return f, false
	}
	version, layer := b[1]>>3&3, b[1]>>1&3 // 3 is version 1, 2 is 2, 0 is 2.5; 1 is layer 3
	f.rate = mp3Rates[b[2]>>2&3]
	if version == 1 || layer != 1 || f.rate == 0 {
		return f, false
	}
	mono := b[3]>>6 == 3
	switch version {
	case 3:
		f.samples, f.side = 1152, 32
		f.bits = mp3Bits[1][b[2]>>4] * 1000
	default:
		f.samples, f.side = 576, 17
		f.bits = mp3Bits[0][b[2]>>4] * 1000
		f.rate /= 2
		if version == 0 {
			f.rate /= 2
		}
	}
	if mono {
		f.side = (f.side + 2) / 2
	}
	if f.bits == 0 {
		return f, false
	}
	f.length = f.samples/8*f.bits/f.rate + int(b[2]>>1&1)
	return f, true
}

// counted returns the number of frames from a Xing, Info or VBRI header, or 0.
func (f mp3Frame) counted(b []byte) uint32 {
	be := binary.BigEndian
	if at := 4 + f.side; len(b) >= at+12 && (string(b[at:at+4]) == "Xing" || string(b[at:at+4]) == "Info") && b[at+7]&1 != 0 {
		return be.Uint32(b[at+8:])
	}
	const at = 4 + 32
	if len(b) >= at+18 && string(b[at:at+4]) == "VBRI" {
		return be.Uint32(b[at+14:])
	}
	return 0
}

// steady reports whether the first frames have the same bit rate and sample rate.
func steady(b []byte, first mp3Frame) bool {
	for range steadyFrames {
		f, ok := mp3Header(b)
		if !ok || f.bits != first.bits || f.rate != first.rate {
			return false
		}
		if f.length >= len(b) {
			return len(b) < maxSilence // the end of a short file
		}
		b = b[f.length:]
	}
	return true
}

// ogg sets the duration of an Ogg recording (RFC 3533): the last page has the position of
// its last sample.
func (t *track) ogg(rs io.ReadSeeker, end int64) {
	le := binary.LittleEndian
	front := readAt(rs, 0, 512)
	if len(front) < 28 || string(front[:4]) != "OggS" {
		return
	}
	serial, at := front[14:18], 27+int(front[26])
	if at > len(front) {
		return
	}
	head := front[at:]
	var rate, skipped float64
	switch {
	case bytes.HasPrefix(head, []byte("\x01vorbis")) && len(head) >= 16:
		rate = float64(le.Uint32(head[12:]))
	case bytes.HasPrefix(head, []byte("OpusHead")) && len(head) >= 12: // RFC 7845
		rate, skipped = 48000, float64(le.Uint16(head[10:]))
	case bytes.HasPrefix(head, []byte("\x7fFLAC")) && len(head) >= 35:
		rate = float64(binary.BigEndian.Uint32(head[27:]) >> 12)
	case bytes.HasPrefix(head, []byte("Speex   ")) && len(head) >= 40:
		rate = float64(le.Uint32(head[36:]))
	default:
		return
	}
	from := max(0, end-maxPage)
	for b := readAt(rs, from, maxPage); ; {
		i := bytes.LastIndex(b, []byte("OggS"))
		if i < 0 {
			return
		}
		if p := b[i:]; len(p) >= 18 && bytes.Equal(p[14:18], serial) {
			// A page on which no packet ends has no position.
			if n := le.Uint64(p[6:]); n < 1<<63 {
				t.length = seconds(float64(n)-skipped, rate)
				return
			}
		}
		b = b[:i]
	}
}
