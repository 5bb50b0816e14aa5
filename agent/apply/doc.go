// Package apply brings the objects of a Component to its cluster by server-side apply, and takes away those that it does
// not render any more. It calls the API server only where memory and the live objects do not agree already.
package apply
