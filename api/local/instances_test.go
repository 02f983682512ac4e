package local_test

import (
	"net"
	"testing"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
	"mediadesk/api/local/store/pgtest"
	"mediadesk/api/local/store/storetest"
)

// TestContractOfTwoInstances uploads to one instance and asks the other.
func TestContractOfTwoInstances(t *testing.T) {
	sources, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	const most = 200_000
	o := local.Options{
		Database: pgtest.Database(t), Storage: storetest.Serve(t).URL,
		MaxSize: most, AllowAddresses: []string{sources.Addr().String()},
	}
	other := serve(t, o)
	o.Address = other.Address // records have the same addresses everywhere
	one := serve(t, o)
	apitest.Run(t, apitest.Target{
		UploadURL: one.Address, BaseURL: other.Address, DeliveryURL: other.Address, Key: testKey,
		MaxSize: most, Sources: sources, Strict: true,
	})
}
