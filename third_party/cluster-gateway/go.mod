module github.com/oam-dev/cluster-gateway

go 1.26

require k8s.io/apimachinery v0.33.3
