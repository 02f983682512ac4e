package config

import (
	"strings"
	"testing"
)

func TestDatabaseAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"postgres://me@db.example/media":                     "",
		"postgresql://me@/media?host=/run&passfile=/etc/pg":  "",
		"mysql://me@db/media":                                "PostgreSQL",
		"host=db user=me password=s3cret":                    "PostgreSQL",
		"postgres://me:s3cret@db/media":                      "MEDIADESK_DATABASE",
		"postgres://me@db/media?password=s3cret":             "MEDIADESK_DATABASE",
		"postgres://me@db/media?sslpassword=s3cret":          "MEDIADESK_DATABASE",
		"postgres://me:s3cret@db:port with a space/media":    "PostgreSQL",
		"postgres://me:s3cret@db/media?sslpassword=%zzbad":   "MEDIADESK_DATABASE",
		"postgres://me:@db/media":                            "MEDIADESK_DATABASE",
		"postgres://me:s3%2Fcret@db/media?application_name=": "MEDIADESK_DATABASE",
	} {
		err := CheckDatabase(address, false)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", address, err)
		}
		if err != nil && strings.Contains(err.Error(), "cret") ||
			strings.Contains(ShownDatabase(address), "cret") {
			t.Errorf("%s: the password is shown", address)
		}
	}
}
