package media

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
	"time"
)

// How much of a file is read over to find out how long it plays. What takes more
// stays unknown.
const (
	maxFrames  = 20_000
	maxPlaying = 32 << 20
)

// seconds is a duration of n parts of a second; zero where that makes no sense.
func seconds(n, parts float64) time.Duration {
	s := n / parts
	if parts <= 0 || math.IsNaN(s) || s <= 0 || s > 1e8 {
		return 0
	}
	return time.Duration(s * float64(time.Second))
}

// playing is how long an animated picture plays once; zero for still pictures and
// where it is not known.
func playing(rs io.ReadSeeker, mime string) time.Duration {
	if _, err := rs.Seek(0, io.SeekStart); err != nil {
		return 0
	}
	switch mime {
	case "image/gif":
		return playingGIF(rs)
	case "image/png":
		return playingPNG(rs)
	case "image/webp":
		return playingWebP(rs)
	}
	return 0
}

// playingGIF adds up the delays of the frames, in hundredths of a second.
func playingGIF(rs io.Reader) time.Duration {
	r := bufio.NewReader(io.LimitReader(rs, maxPlaying))
	var head [13]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0
	}
	skipTable := func(flags byte) error {
		if flags&0x80 == 0 {
			return nil
		}
		_, err := r.Discard(3 << (flags&7 + 1))
		return err
	}
	if skipTable(head[10]) != nil {
		return 0
	}
	sum, frames := 0, 0
	for range maxFrames {
		kind, err := r.ReadByte()
		if err != nil {
			return 0 // it may go on behind what was read
		}
		switch kind {
		case 0x21:
			b, err := r.Peek(6)
			if err == nil && b[0] == 0xf9 && b[1] >= 4 {
				sum += int(binary.LittleEndian.Uint16(b[3:]))
			}
			if _, err := r.ReadByte(); err != nil {
				return 0
			}
		case 0x2c:
			var d [9]byte
			if _, err := io.ReadFull(r, d[:]); err != nil || skipTable(d[8]) != nil {
				return 0
			}
			if _, err := r.ReadByte(); err != nil {
				return 0
			}
			frames++
		default: // 0x3b, or garbage behind the last frame
			if frames < 2 {
				return 0
			}
			return seconds(float64(sum), 100)
		}
		if _, err := skipBlocks(r); err != nil {
			return 0
		}
	}
	return 0
}

// playingPNG adds up the delays of the frames of an APNG.
func playingPNG(rs io.ReadSeeker) time.Duration {
	sum, pos := 0.0, int64(8)
	animated := false
	for range maxFrames {
		var c [32]byte
		if _, err := rs.Seek(pos, io.SeekStart); err != nil {
			return 0
		}
		n, err := io.ReadFull(rs, c[:])
		if err != nil && n < 12 {
			return 0
		}
		switch string(c[4:8]) {
		case "acTL":
			animated = true
		case "fcTL":
			if n == len(c) {
				num, den := binary.BigEndian.Uint16(c[28:]), binary.BigEndian.Uint16(c[30:])
				if den == 0 {
					den = 100
				}
				sum += float64(num) / float64(den)
			}
		case "IDAT":
			if !animated {
				return 0
			}
		case "IEND":
			return seconds(sum, 1)
		}
		pos += 12 + int64(binary.BigEndian.Uint32(c[:]))
	}
	return 0
}

// playingWebP adds up the delays of the frames, in milliseconds.
func playingWebP(rs io.ReadSeeker) time.Duration {
	sum, pos := 0.0, int64(12)
	for range maxFrames {
		var c [24]byte
		if _, err := rs.Seek(pos, io.SeekStart); err != nil {
			return 0
		}
		n, err := io.ReadFull(rs, c[:])
		if n < 8 {
			return seconds(sum, 1000) // the end
		}
		switch string(c[:4]) {
		case "VP8 ", "VP8L":
			return 0 // a still one
		case "ANMF":
			if err != nil {
				return 0
			}
			sum += float64(uint24(c[20:]))
		}
		size := int64(binary.LittleEndian.Uint32(c[4:]))
		pos += 8 + size + size&1
	}
	return 0
}
