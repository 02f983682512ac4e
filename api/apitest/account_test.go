package apitest_test

import (
	"os"
	"testing"

	"mediadesk/api/apitest"
)

// TestAccount runs the contract against the service that the environment names:
// MEDIADESK_APITEST_URL, or one address each for upload, the other calls and delivery, and
// MEDIADESK_APITEST_KEY. The test stores its files in a new folder /apitest-….
// MEDIADESK_APITEST_STRICT=1 requires every rule of the specification, although hosted services
// break some of them.
func TestAccount(t *testing.T) {
	key := os.Getenv("MEDIADESK_APITEST_KEY")
	if key == "" {
		t.Skip("the environment names no account: set MEDIADESK_APITEST_URL and MEDIADESK_APITEST_KEY")
	}
	address := func(name string) string {
		if own := os.Getenv("MEDIADESK_APITEST_" + name + "_URL"); own != "" {
			return own
		}
		return os.Getenv("MEDIADESK_APITEST_URL")
	}
	apitest.Run(t, apitest.Target{
		UploadURL: address("UPLOAD"), BaseURL: address("BASE"), DeliveryURL: address("DELIVERY"), Key: key,
		Strict: os.Getenv("MEDIADESK_APITEST_STRICT") != "",
	})
}
