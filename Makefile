# Two commands to know: `make demo` shows Wheelwright at work, `make test` proves it. Both need only Go, git and make.

GO ?= go
TOOL = $(GO) tool -modfile=hack/tools/go.mod
FLEET ?= embedded
FUZZTIME ?= 30s

.PHONY: demo test unit soak e2e fault conformance fuzz bench lint generate verify build clean

demo: build ## a hub and two clusters, an application delivered, changed and deleted
	@bin/wheel demo

build: ## bin/hub, bin/agent, bin/wheel and the control-plane binary
	@$(GO) run ./hack/build

test: build unit e2e ## everything that shows it works

unit: ## unit tests, tests against real API servers, and a short soak
	$(GO) test -race $$($(GO) list ./... | grep -v /test/)
	$(GO) run ./test/soak -renders 20000

soak: ## a million renders: memory must stay flat
	$(GO) run ./test/soak

e2e: build ## a whole fleet, with work agents that watch and with such that poll; and the command line
	FLEET=$(FLEET) FEEDBACK=watch $(GO) test -count=1 -timeout 20m ./test/e2e/...
	FLEET=$(FLEET) FEEDBACK=poll $(GO) test -count=1 -timeout 20m ./test/e2e/...
	$(GO) test -count=1 -timeout 20m ./test/cli/...

fault: build ## the agent killed anywhere, stopped, cut off, refused and misled; RUN=<regexp> for a part of it
	$(GO) test -count=1 -v -parallel 4 -timeout 40m $(if $(RUN),-run '$(RUN)') ./test/fault/...

conformance: ## the table of OCM's work agent; WORK_AGENT=/path/to/work runs it against OCM's own binary
	$(GO) test -count=1 -timeout 30m -v ./fleet/ocm/conformance/...

fuzz: ## hostile definitions, properties, patches and files; FUZZTIME=10m for each target
	@$(GO) run ./hack/fuzz -time $(FUZZTIME)

bench: build ## results in bench/results/latest.json
	$(GO) run ./test/bench

lint: verify ## go vet, staticcheck, generated files up to date
	$(GO) vet ./...
	$(TOOL) staticcheck ./...

generate: ## deep copies and CRDs from the API types, YAML from the CUE of examples and steps
	$(TOOL) controller-gen object:headerFile=hack/boilerplate.go.txt paths=./shared/api/...
	$(TOOL) controller-gen crd paths=./shared/api/... output:crd:dir=manifests/crds
	$(GO) run ./hack/definition examples/quickstart/definitions/component/webservice > examples/quickstart/definition.yaml
	$(GO) run ./hack/definition examples/helm-chart/definitions/component/helm-chart > examples/helm-chart/definition.yaml
	$(GO) run ./hack/definition -kind WorkflowStepDefinition manifests/steps/* > manifests/agent/steps.yaml

verify: ## fails when generated files are out of date; writes nothing into the checkout
	@hack/verify-generated.sh

clean: ## what this checkout built; the control-plane binary stays in the user's cache
	rm -rf bin bench/results
