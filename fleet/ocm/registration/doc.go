// Package registration stands in for the parts of Open Cluster Management's registration that
// matter to what runs on a hub: clusters that join, stay available while somebody renews their
// lease, and turn unknown when nobody does.
//
// Hub is the half on the hub, for all clusters; Agent is the half of one cluster. Certificates
// and their approval are left out: whoever starts an agent gives it its rights.
package registration
