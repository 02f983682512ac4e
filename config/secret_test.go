package config

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"

	"github.com/pelletier/go-toml/v2"
)

const testKey = "private_s3cr3t+/key=="

func secretOf(t *testing.T, text string) Secret {
	t.Helper()
	s, err := NewSecret(text)
	must(t, err)
	return s
}

// TestSecretNeverPrints covers every way in which a value may be printed by accident.
func TestSecretNeverPrints(t *testing.T) {
	s := secretOf(t, testKey)
	type exported struct {
		Name string
		Key  Secret
		Ptr  *Secret
	}
	type hidden struct {
		name string
		key  Secret
		ptr  *Secret
		list []Secret
		dict map[string]Secret
		any  any
	}
	values := map[string]any{
		"value": s, "pointer": &s, "slice": []Secret{s}, "array": [1]Secret{s},
		"map": map[string]Secret{"k": s}, "any": []any{s},
		"exported": exported{"n", s, &s}, "exported pointer": &exported{"n", s, &s},
		"hidden":         hidden{"n", s, &s, []Secret{s}, map[string]Secret{"k": s}, s},
		"hidden pointer": &hidden{"n", s, &s, []Secret{s}, map[string]Secret{"k": s}, s},
		"error":          fmt.Errorf("with %v", s),
	}
	for name, value := range values {
		for _, verb := range strings.Split("v +v #v s q x X d o b t c U e g p T 10s -10v x", " ") {
			mustNotLeak(t, name+" %"+verb, fmt.Sprintf("%"+verb, value))
		}
		mustNotLeak(t, name+" Sprint", fmt.Sprint(value)+fmt.Sprintln(value))
		var b bytes.Buffer
		slog.New(slog.NewTextHandler(&b, nil)).Info("m", "k", value, "group",
			slog.GroupValue(slog.Any("in", value)))
		slog.New(slog.NewJSONHandler(&b, nil)).Info("m", "k", value)
		log.New(&b, "", 0).Print(value)
		if data, err := json.Marshal(value); err == nil {
			b.Write(data)
		}
		if data, err := xml.Marshal(value); err == nil {
			b.Write(data)
		}
		if data, err := toml.Marshal(value); err == nil {
			b.Write(data)
		}
		_ = gob.NewEncoder(&b).Encode(value)
		mustNotLeak(t, name+" encoded", b.String())
	}
	mediatest.Equal(t, fmt.Sprintf("%d", s), redacted, "printed")
	mediatest.Equal(t, s.Reveal(), testKey, "Reveal does not give the key")
}

func mustNotLeak(t *testing.T, how, text string) {
	t.Helper()
	for _, form := range append(api.KeyForms(testKey), fmt.Sprintf("%x", testKey), fmt.Sprintf("%X", testKey),
		fmt.Sprint([]byte(testKey))) {
		if strings.Contains(text, form) {
			t.Errorf("%s leaks the key: %s", how, text)
			return
		}
	}
}

func TestNewSecret(t *testing.T) {
	for _, good := range []string{"k", "private_abc=", "schlüssel-键", strings.Repeat("x", maxSecret)} {
		for _, end := range []string{"", "\n", "\r\n", "\n\n"} {
			s, err := NewSecret(good + end)
			if err != nil || s.Reveal() != good || s.IsZero() {
				t.Errorf("%.20q: %v, %v", good+end, s.Reveal() == good, err)
			}
		}
	}
	for _, bad := range []string{
		"", "\n", " ", " key", "key ", "a b", "a\tb", "two\nlines", "esc\x1b[0m", "nul\x00", "del\x7f", "c1\u009b",
		"\xff\xfe", "zero\u200bwidth", "rtl\u202e", "nbsp\u00a0x", strings.Repeat("x", maxSecret+1),
	} {
		s, err := NewSecret(bad)
		if !errors.Is(err, ErrBadSecret) || !s.IsZero() {
			t.Errorf("%.20q was accepted: %v", bad, err)
		} else if len(bad) > 4 && strings.Contains(err.Error(), bad) {
			t.Errorf("the error repeats the key: %v", err)
		}
	}
}

func TestSecretEqual(t *testing.T) {
	a, b, other := secretOf(t, "abc"), secretOf(t, "abc"), secretOf(t, "abd")
	if !a.Equal(b) || a.Equal(other) || a.Equal(Secret{}) || !(Secret{}).Equal(Secret{}) {
		t.Error("Equal is wrong")
	}
	if (Secret{}).Reveal() != "" || !(Secret{}).IsZero() {
		t.Error("the zero value is not empty")
	}
}
