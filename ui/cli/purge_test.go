package cli

import (
	"strconv"
	"testing"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
)

// TestPurgeCommand: one command purges many overwritten files of a folder, also where the service
// takes no wildcard.
func TestPurgeCommand(t *testing.T) {
	files := func(folder string, n int) (list []*api.File) {
		for i := range n {
			name := folder + "/" + strconv.Itoa(i) + ".jpg"
			list = append(list, &api.File{FilePath: name, URL: "https://ik.example" + name + "?updatedAt=1"})
		}
		return list
	}
	for _, c := range []struct {
		files []*api.File
		want  string
	}{
		{files("/big", 2), "mediadesk purge '/big/0.jpg' '/big/1.jpg'"},
		{files("/summer/2026/july", 399), "mediadesk purge 'https://ik.example/summer/2026/july/*'"},
		{files("/big", 399), "mediadesk list '/big' --json | mediadesk purge -"},
	} {
		mediatest.Equal(t, purgeCommand(c.files), c.want, "the command")
	}
}
