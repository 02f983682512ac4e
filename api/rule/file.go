package rule

import (
	"time"

	"mediadesk/api"
)

// Replaces reports whether the current version replaced an earlier one (hosted-service.md §2).
func Replaces(f *api.File) bool { return f.VersionInfo != nil && f.VersionInfo.Name != "Version 1" }

// PixelSize returns the width and height; ok is false if one is unknown.
func PixelSize(f *api.File) (width, height int, ok bool) {
	width, height = f.Width.Or(0), f.Height.Or(0)
	return width, height, width > 0 && height > 0
}

// Created returns the time of the first upload, or zero.
func Created(f *api.File) time.Time { return recordTime(f.CreatedAt) }

// Updated returns the time of the last update, or zero.
func Updated(f *api.File) time.Time { return recordTime(f.UpdatedAt) }

func recordTime(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return t
}
