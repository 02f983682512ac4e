//go:build clouds

package store

// These double the size of the program, so only the container image includes them.
import (
	_ "gocloud.dev/blob/azureblob" // azblob://
	_ "gocloud.dev/blob/gcsblob"   // gs://
)
