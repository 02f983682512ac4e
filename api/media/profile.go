package media

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"unicode/utf16"
)

// Limits for reading a color profile. The name comes first; large tables may follow.
const (
	maxProfile     = 1 << 20
	maxProfileTags = 100
)

// readProfile returns the name of the color profile of a picture, or an empty string.
func readProfile(rs io.ReadSeeker, mime string) string {
	if _, err := rs.Seek(0, io.SeekStart); err != nil {
		return ""
	}
	switch mime {
	case "image/jpeg":
		return profileName(profileOfJPEG(rs))
	case "image/png":
		return profileOfPNG(rs)
	case "image/webp":
		return profileName(profileOfWebP(rs))
	case "image/tiff":
		return profileName(profileOfTIFF(rs))
	}
	return ""
}

// profileOfJPEG reads the first part of the profile, which contains the name.
func profileOfJPEG(rs io.Reader) (profile []byte) {
	_ = eachSegment(rs, func(marker byte, data []byte) bool {
		if rest, ok := bytes.CutPrefix(data, []byte("ICC_PROFILE\x00\x01")); marker == 0xe2 && ok && len(rest) > 0 {
			profile = rest[1:]
		}
		return profile == nil && (marker < 0xc0 || marker > 0xc2)
	})
	return profile
}

// profileOfPNG returns the name of the profile, or "sRGB" for the chunk sRGB.
func profileOfPNG(rs io.ReadSeeker) string {
	for c := pngChunks(rs); c.scan(); {
		switch c.name {
		case "sRGB":
			return "sRGB"
		case "iCCP":
			label, packed, ok := bytes.Cut(readAt(rs, c.at, min(c.size, maxProfile)), []byte{0})
			if !ok || len(packed) < 1 || len(label) > 79 {
				return ""
			}
			if name := profileName(inflated(packed[1:])); name != "" {
				return name
			}
			return Clean(string(label))
		case "IDAT", "IEND":
			return ""
		}
	}
	return ""
}

// inflated decompresses a profile, which may be truncated.
func inflated(packed []byte) []byte {
	z, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil
	}
	data, _ := io.ReadAll(io.LimitReader(z, maxProfile)) // the beginning is enough
	return data
}

func profileOfWebP(rs io.ReadSeeker) []byte {
	for c := riffChunks(rs); c.scan(); {
		switch c.name {
		case "ICCP":
			return readAt(rs, c.at, min(c.size, maxProfile))
		case "VP8 ", "VP8L", "ALPH", "ANMF":
			return nil
		}
	}
	return nil
}

// profileOfTIFF reads the profile of the first picture (ICC.1:2022, B.4).
func profileOfTIFF(rs io.ReadSeeker) []byte {
	const undefined = 7
	entry, order := tiffEntry(rs, tiffProfile)
	if entry == nil || order.Uint16(entry[2:]) != undefined {
		return nil
	}
	return readAt(rs, int64(order.Uint32(entry[8:])), int64(min(order.Uint32(entry[4:]), maxProfile)))
}

// profileName returns the description of an ICC profile (ICC.1:2022, 9.2.41): the text of
// version 2, or the first language of version 4.
func profileName(p []byte) string {
	if len(p) < 132 || string(p[36:40]) != "acsp" {
		return ""
	}
	be := binary.BigEndian
	n := min(int(be.Uint32(p[128:])), maxProfileTags)
	for i := range n {
		at := 132 + 12*i
		if at+12 > len(p) {
			return ""
		}
		if string(p[at:at+4]) != "desc" {
			continue
		}
		from, size := int64(be.Uint32(p[at+4:])), int64(be.Uint32(p[at+8:]))
		if from+size > int64(len(p)) || size < 12 {
			return ""
		}
		return described(p[from : from+size])
	}
	return ""
}

// described returns the text of a desc or mluc element.
func described(tag []byte) string {
	be := binary.BigEndian
	switch string(tag[:4]) {
	case "desc":
		n := int64(be.Uint32(tag[8:]))
		text, _, _ := bytes.Cut(tag[12:min(int64(len(tag)), 12+n)], []byte{0})
		return Clean(string(text))
	case "mluc":
		if len(tag) < 28 {
			return ""
		}
		n, from := int64(be.Uint32(tag[20:])), int64(be.Uint32(tag[24:]))
		if from+n > int64(len(tag)) || n > 2*maxText*4 {
			return ""
		}
		text := make([]uint16, 0, n/2)
		for ; n >= 2; from, n = from+2, n-2 {
			text = append(text, be.Uint16(tag[from:]))
		}
		return Clean(string(utf16.Decode(text)))
	}
	return ""
}
