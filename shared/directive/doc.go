// Package directive resolves what a component's properties take from elsewhere (KEP-2.21): fromParameter, fromSource and
// fromDependency. It is pure: a Lookup brings the values.
//
// A directive is a map whose only key is one of the three; a map with more keys is a plain map. It stands for a value, at
// any depth, and never for a key:
//
//	fromParameter: size                                      a parameter of the Application
//	fromParameter: {name: size, default: 1}
//	fromSource: settings.host                                a key of a ConfigMap in the component's own namespace
//	fromSource: secret/database.password                     a key of a Secret there
//	fromSource: {kind: Secret, name: database, path: password, default: ""}
//	fromDependency: database.host                            what another component exports
//	fromDependency: {component: database, path: host, default: localhost}
//
// A default takes the place of a value that is absent. It does not take the place of a ConfigMap, Secret or component that
// is absent: what was to be read is then not known. What a directive brings is a value and is not looked into for further
// directives.
package directive
