//go:build clouds

package store

// These double the size of the program, so that the container has them only.
import (
	_ "gocloud.dev/blob/azureblob" // azblob://
	_ "gocloud.dev/blob/gcsblob"   // gs://
)
