package media

import (
	"encoding/binary"
	"io"
	"math"
	"time"
)

// maxPlaying limits how many bytes are read to find the duration.
const maxPlaying = 32 << 20

// seconds returns n/parts seconds, or 0 if that is not a plausible duration.
func seconds(n, parts float64) time.Duration {
	s := n / parts
	if parts <= 0 || math.IsNaN(s) || s <= 0 || s > 1e8 {
		return 0
	}
	return time.Duration(s * float64(time.Second))
}

// playing returns the duration of one loop of an animated picture. It returns 0 for still
// pictures and for incomplete GIF and PNG files.
func playing(rs io.ReadSeeker, mime string) time.Duration {
	if _, err := rs.Seek(0, io.SeekStart); err != nil {
		return 0
	}
	switch mime {
	case "image/gif":
		if g, err := scanGIF(io.LimitReader(rs, maxPlaying), math.MaxInt); err == nil && g.complete && g.count > 1 {
			return seconds(float64(g.delay), 100)
		}
	case "image/png":
		return playingPNG(rs)
	case "image/webp":
		sum, c := 0.0, riffChunks(rs)
		for c.scan() {
			switch c.name {
			case "VP8 ", "VP8L":
				return 0 // a still picture
			case "ANMF":
				sum += float64(uint24(c.data[12:]))
			}
		}
		if c.count <= maxChunks {
			return seconds(sum, 1000)
		}
	}
	return 0
}

// playingPNG adds up the delays of the frames of an APNG.
func playingPNG(rs io.ReadSeeker) time.Duration {
	sum, animated := 0.0, false
	for c := pngChunks(rs); c.scan(); {
		switch c.name {
		case "acTL":
			animated = true
		case "fcTL":
			num, den := binary.BigEndian.Uint16(c.data[20:]), binary.BigEndian.Uint16(c.data[22:])
			if den == 0 {
				den = 100
			}
			sum += float64(num) / float64(den)
		case "IDAT":
			if !animated {
				return 0
			}
		case "IEND":
			return seconds(sum, 1)
		}
	}
	return 0
}
