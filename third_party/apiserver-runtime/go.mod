module sigs.k8s.io/apiserver-runtime

go 1.26

require k8s.io/apiserver v0.33.3
