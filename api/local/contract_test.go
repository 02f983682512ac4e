package local_test

import (
	"net"
	"testing"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
)

func TestContract(t *testing.T) {
	sources, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	const most = 200_000
	s := serve(t, local.Options{MaxSize: most, AllowAddresses: []string{sources.Addr().String()}})
	apitest.Run(t, apitest.Target{
		UploadURL: s.Address, BaseURL: s.Address, DeliveryURL: s.Address, Key: testKey,
		MaxSize: most, Sources: sources, Strict: true,
	})
}
