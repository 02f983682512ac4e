package text

import (
	"testing"

	"mediadesk/api/media/mediatest"
)

func TestSentence(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "",
		" it is in use ":            "It is in use.",
		"what now?":                 "What now?",
		"über":                      "Über.",
		"/tmp/x is gone":            "/tmp/x is gone.",
		"maxTags is 31":             "maxTags is 31.",
		"d never deletes":           "d never deletes.",
		"ctrl+s sends":              "ctrl+s sends.",
		"esc closes":                "esc closes.",
		"a tag is missing":          "A tag is missing.",
		"upload: no answer":         "Upload: no answer.",
		"config.toml: it is wrong…": "config.toml: it is wrong…",
	} {
		mediatest.Equal(t, Sentence(text), want, "%q", text)
	}
}

func TestStop(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "tags hold %": "tags hold %.", "what?": "what?", "wait…": "wait…", "done.": "done.",
	} {
		mediatest.Equal(t, Stop(text), want, "%q", text)
	}
}
