package apitest_test

import (
	"os"
	"testing"

	"mediadesk/api/apitest"
)

// TestAccount runs the contract against the service that the environment
// names: MEDIADESK_APITEST_URL, or one address each for upload, the other
// calls and delivery, and MEDIADESK_APITEST_KEY. What it stores lies in a
// folder /apitest-… of its own. MEDIADESK_APITEST_STRICT=1 wants every rule of
// the specification, which hosted services do not keep to the letter.
func TestAccount(t *testing.T) {
	key := os.Getenv("MEDIADESK_APITEST_KEY")
	if key == "" {
		t.Skip("no account is named: set MEDIADESK_APITEST_URL and MEDIADESK_APITEST_KEY")
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
