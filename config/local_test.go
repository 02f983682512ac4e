package config

import (
	"reflect"
	"strings"
	"testing"
)

func TestLocalSettings(t *testing.T) {
	c, err := Load(Paths{Config: write(t, `[local]
allow_address = ["127.0.0.1:8000"]

[local.transformations]
card = "fo-custom,w-400:h-300"
`)})
	want := Local{
		Addr: DefaultLocalAddr, MaxSize: DefaultMaxSize, AllowAddresses: []string{"127.0.0.1:8000"},
		Transformations: map[string]string{"card": "fo-custom,w-400:h-300"},
	}
	if err != nil || !reflect.DeepEqual(c.Local, want) {
		t.Errorf("read %+v, %v", c.Local, err)
	}
	for text, word := range map[string]string{
		`allow_address = ["localhost"]`: "HOST:PORT", `max_size = "x"`: "write it like max_size = 25000000", `transformations = ["a"]`: "transformations",
	} {
		if _, err := Load(Paths{Config: write(t, "[local]\n"+text+"\n")}); err == nil ||
			!strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
