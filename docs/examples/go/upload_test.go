package upload

import (
	"context"
	"strings"
	"testing"

	"github.com/imagekit-developer/imagekit-go/v2"
)

// The client reads IMAGE_KIT_BASE_URL and IMAGEKIT_PRIVATE_KEY, which mediadesk serve --exec sets.
func TestUpload(t *testing.T) {
	client := imagekit.NewClient()
	file, err := client.Files.Upload(context.Background(), imagekit.FileUploadParams{
		File: strings.NewReader("hello"), FileName: "hello.txt", Tags: []string{"greeting"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if stored, err := client.Files.Get(context.Background(), file.FileID); err != nil ||
		stored.Tags[0] != "greeting" {
		t.Errorf("got %v, %v", stored, err)
	}
}
