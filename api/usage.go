package api

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// Usage is the usage of an account (hosted-service.md §15). Services omit what they do not count.
type Usage struct {
	StorageBytes         Field[int64] `json:"mediaLibraryStorageBytes,omitzero"`
	BandwidthBytes       Field[int64] `json:"bandwidthBytes,omitzero"`
	ExtensionUnits       Field[int64] `json:"extensionUnitsCount,omitzero"`
	VideoUnits           Field[int64] `json:"videoProcessingUnitsCount,omitzero"`
	OriginalStorageBytes Field[int64] `json:"originalCacheStorageBytes,omitzero"`
}

// MaxUsageDays is the maximum number of days in a Usage request.
const MaxUsageDays = 89

// Usage returns the usage of the account from the day of start until the day before end, in UTC.
func (c *Client) Usage(ctx context.Context, start, end time.Time) (Usage, error) {
	var u Usage
	err := c.call(ctx, c.DescribeUsage(start, end), "usage", &u)
	return u, err
}

// DescribeUsage returns the request that Usage would send.
func (c *Client) DescribeUsage(start, end time.Time) Request {
	v := url.Values{"startDate": {start.Format(time.DateOnly)}, "endDate": {end.Format(time.DateOnly)}}
	return Request{Method: http.MethodGet, Address: c.base + "/v1/accounts/usage?" + v.Encode()}
}
