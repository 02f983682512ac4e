package local_test

import (
	"net"
	"testing"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
)

func TestContract(t *testing.T) {
	t.Parallel()
	onEachEngine(t, testContract)
}

func testContract(t *testing.T, o local.Options) {
	sources, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	const most = 200_000
	o.MaxSize, o.AllowAddresses = most, []string{sources.Addr().String()}
	address, _ := serveAll(t, o)
	apitest.Run(t, apitest.Target{
		UploadURL: address, BaseURL: address, DeliveryURL: address, Key: testKey,
		MaxSize: most, Sources: sources, Strict: true,
	})
}
