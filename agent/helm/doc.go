// Package helm is the workflow actions that install, upgrade and uninstall Helm releases, by Helm's SDK.
//
// A release belongs to the Component whose step made it: its records carry the Component's UID, and the identity of the step.
// So a step that runs again, after the agent was killed in its middle, finds what it did: a revision that it deployed is its
// result, and one that it left unfinished is taken back and made again under the same number. A step never makes two
// revisions.
//
// All of it goes through the rights that the workflow has, templates that look things up included. Charts come from where the
// step says, within bounds that the agent's operator sets.
package helm
