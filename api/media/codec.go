package media

import (
	"bytes"
	"strings"
)

// codecs maps the names of codecs in MP4 and QuickTime files (mp4ra.org) and in
// Matroska files (RFC 9559) to the names that ffmpeg uses.
var codecs = map[string]struct{ video, audio string }{
	"avc1": {video: "h264"}, "avc3": {video: "h264"}, "hvc1": {video: "hevc"}, "hev1": {video: "hevc"}, "av01": {video: "av1"},
	"vp08": {video: "vp8"}, "vp09": {video: "vp9"}, "mp4v": {video: "mpeg4"}, "apcn": {video: "prores"}, "apch": {video: "prores"},
	"mp4a": {audio: "aac"}, "Opus": {audio: "opus"}, "fLaC": {audio: "flac"}, "ac-3": {audio: "ac3"}, "ec-3": {audio: "eac3"},
	"alac": {audio: "alac"}, ".mp3": {audio: "mp3"},

	"V_MPEG4/ISO/AVC": {video: "h264"}, "V_MPEGH/ISO/HEVC": {video: "hevc"}, "V_AV1": {video: "av1"}, "V_VP8": {video: "vp8"}, "V_VP9": {video: "vp9"},
	"V_MPEG4/ISO/ASP": {video: "mpeg4"}, "A_AAC": {audio: "aac"}, "A_OPUS": {audio: "opus"}, "A_VORBIS": {audio: "vorbis"},
	"A_FLAC": {audio: "flac"}, "A_AC3": {audio: "ac3"}, "A_EAC3": {audio: "eac3"}, "A_MPEG/L3": {audio: "mp3"}, "A_ALAC": {audio: "alac"},
}

// codec sets the codecs of the first video and the first sound to a codec that is known.
func (t *track) codec(name string) {
	c := codecs[strings.TrimRight(name, "\x00")]
	if t.video == "" {
		t.video = c.video
	}
	if t.audio == "" {
		t.audio = c.audio
	}
}

// described reads the codec from a sample description box (stsd).
func (t *track) described(b []byte) {
	if len(b) < 16 {
		return
	}
	name := string(b[12:16])
	if name == "mp4a" && isMP3(b[16:]) {
		name = ".mp3"
	}
	t.codec(name)
}

// isMP3 reports whether an entry of an stsd box has a stream descriptor (ISO/IEC 14496-14) for MP3.
func isMP3(entry []byte) bool {
	_, b, _ := bytes.Cut(entry, []byte("esds"))
	b = b[min(len(b), 4):]
	for _, d := range []struct {
		tag  byte
		skip int // bytes between the length and the next descriptor, or the type
	}{{3, 3}, {4, 0}} {
		if len(b) == 0 || b[0] != d.tag {
			return false
		}
		n := 1
		for n < len(b) && b[n]&0x80 != 0 {
			n++ // a length of several bytes
		}
		b = b[min(len(b), n+1+d.skip):]
	}
	return len(b) > 0 && (b[0] == 0x69 || b[0] == 0x6b)
}
