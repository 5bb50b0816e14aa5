// Package resourceversion compares resource versions of one resource in one cluster. The API server hands them out as
// growing numbers (KEP-5504); where one is not a number, nothing is said about order.
package resourceversion

import "strconv"

// Older tells whether resource version a was handed out before b. It is false when that cannot be known.
func Older(a, b string) bool {
	first, errFirst := strconv.ParseUint(a, 10, 64)
	second, errSecond := strconv.ParseUint(b, 10, 64)
	return errFirst == nil && errSecond == nil && first < second
}
