// Package application turns an Application into works: it resolves and locks definitions, checks the spec, selects
// clusters, releases components in the order of their dependencies, withdraws what is no longer wanted and sums up what the
// clusters say.
package application
