// Package apitest is the contract test suite that any server of this API must pass.
//
// It builds its own HTTP requests to cover requests that our client never sends. Each test
// stores its files in its own folder and needs no existing data.
package apitest

import (
	"cmp"
	"net"
	"testing"
	"time"
)

// Target is the server under test.
type Target struct {
	UploadURL   string // {upload_url} of the specification
	BaseURL     string // {base_url}
	DeliveryURL string // {delivery_url}; empty skips the delivery tests
	Key         string // the private key

	// MaxSize is the size limit of uploads in bytes; 0 skips its test. Keep it small: the
	// tests send as much.
	MaxSize int64
	// Sources is a listener that the server can reach for downloads and webhooks; nil skips
	// their tests. Run closes it.
	Sources net.Listener
	// Strict means that the server must return all members that the specification calls
	// always present, and reject all requests that it does not allow. Hosted services are
	// known to differ.
	Strict bool
	// AnswerTimeout is how long an extension may take; 0 means 20 s.
	AnswerTimeout time.Duration
}

// Run tests the target: every rule of service.md §2 to service.md §8.
func Run(t *testing.T, target Target) {
	t.Helper()
	target.AnswerTimeout = cmp.Or(target.AnswerTimeout, 20*time.Second)
	s := &suite{Target: target, folder: "/apitest-" + random() + "/"}
	if target.Sources != nil {
		s.sources = newSources(t, target.Sources)
	}
	slow, again := s.startSlow(), s.startAgain(t)
	for _, part := range []struct {
		name string
		test func(*testing.T, *suite)
	}{
		{"Key", testKey},
		{"Record", testRecord},
		{"Name", testName},
		{"Folder", testFolder},
		{"LongNames", testLongNames},
		{"Tags", testTags},
		{"Region", testRegion},
		{"Switches", testSwitches},
		{"ResponseFields", testResponseFields},
		{"Checks", testChecks},
		{"Form", testForm},
		{"FileAsText", testFileAsText},
		{"FileAsAddress", testFileAsAddress},
		{"Limits", testLimits},
		{"Overwrite", testOverwrite},
		{"Versions", testVersions},
		{"Metadata", testMetadata},
		{"Kinds", testKinds},
		{"Details", testDetails},
		{"Stored", testStored},
		{"Extensions", testExtensions},
		{"Webhooks", testWebhooks},
		{"List", testList},
		{"Search", testSearch},
		{"Delete", testDelete},
		{"BulkTags", testBulkTags},
		{"FileVersions", testFileVersions},
		{"Transfer", testTransfer},
		{"Folders", testFolders},
		{"Jobs", testJobs},
		{"Reasons", testReasons},
		{"Usage", testUsage},
		{"Second", testSecond},
		{"Fields", testFields},
		{"Required", testRequired},
		{"Schemas", testSchemas},
		{"Presets", testPresets},
		{"Transformation", testTransformation},
		{"Delivery", testDelivery},
		{"Steps", testSteps},
		{"Crop", testCrop},
		{"Private", testPrivate},
		{"Published", testPublished},
		{"SlowAddress", slow},
		{"WebhookAgain", again},
	} {
		t.Run(part.name, func(t *testing.T) { part.test(t, s) })
	}
}

// suite is a target with the state that its tests share.
type suite struct {
	Target
	folder  string // root folder of all files
	sources *sources
}

func (s *suite) strict(t *testing.T) {
	t.Helper()
	if !s.Strict {
		t.Skip("hosted services differ here")
	}
}

// runStrict runs a subtest for rules that hosted services are known to break.
func (s *suite) runStrict(t *testing.T, name string, test func(*testing.T)) {
	t.Run(name, func(t *testing.T) {
		s.strict(t)
		test(t)
	})
}

// delivers skips a test if the target has no delivery address.
func (s *suite) delivers(t *testing.T) {
	t.Helper()
	if s.DeliveryURL == "" {
		t.Skip("the target has no delivery address")
	}
}
