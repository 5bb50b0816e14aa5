// Package conformance holds the table of what a work agent of Open Cluster Management does, as
// tests against real API servers, and runs it against any agent.
//
// The rows are named A (apply), F (status and feedback), D (deletion and eviction) and W (the
// hub's admission). By default they run against the stand-in of this project, in this process:
//
//	go test -race ./fleet/ocm/conformance
//
// and against OCM's own agent, whose v1.3.1 is the reference, with
//
//	WORK_AGENT=/path/to/ocm/work go test ./fleet/ocm/conformance
//
// where the path is that of the binary built from ./cmd/work of OCM's repository. Rows that need
// an agent to apply again sooner than OCM's four minutes are cut short for it. All agents run
// under the rights of package rbac.
//
// Beyond the table, agents are crashed in the middle of things, and what they write into statuses
// is compared word for word with what OCM's agent wrote: testdata/status, rewritten by running
// the test TestWording with WORK_AGENT and -update.
//
// Rows that the stand-in leaves out, because Wheelwright never asks for what they are about:
//
//	A31, A32       ignoreFields of server-side apply
//	A34, A35       executors on the spoke
//	A36, D21       Complete, and the time to live that follows it
//	F7             raw JSON feedback, off by default in OCM
//	F26, F27, F28  condition rules
//
// That manifests without apiVersion are refused (W6) is the API server's doing.
package conformance
