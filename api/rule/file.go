package rule

import (
	"fmt"
	"strings"
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
	t, _ := time.Parse(time.RFC3339Nano, text) // zero after an error
	return t
}

// FolderUnder returns the folder of a source below a destination folder. It keeps the tree of a
// selected folder (see WalkFolder).
func FolderUnder(s api.Source, folder string) string {
	if s.Sub == "" {
		return folder
	}
	return strings.TrimRight(folder, "/") + "/" + s.Sub + "/"
}

// CheckSize returns a *api.RuleError if size, in bytes, exceeds the limit of an account
// (service.md §8). A limit of 0 means none.
func CheckSize(size, limit int64) error {
	if limit <= 0 || size <= limit {
		return nil
	}
	has, most := api.DescribeSize(size), api.DescribeSize(limit)
	if has == most { // avoid "25.0 MB is more than 25.0 MB"
		has, most = fmt.Sprintf("%d bytes", size), fmt.Sprintf("%d bytes", limit)
	}
	return broken("file", fmt.Sprintf("file has %s; the limit of this account is %s", has, most),
		"Make it smaller, or raise the limit in the profile if the account allows more.")
}
