# wiregauge: `make` lists the targets.
SHELL := /bin/bash
GO    ?= go
# Programs we did not write are built once and kept outside the checkout.
PEERS ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/wiregauge/peers
export PEERS

.DEFAULT_GOAL := help
.PHONY: help build test test-all race lint bench bench-peers accuracy examples fuzz gen peers

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

build: ## build ./wiregauge
	$(GO) build -o wiregauge ./cmd/wiregauge

test: ## all tests that need nothing but Go
	$(GO) test ./...

race: ## the same under the race detector
	$(GO) test -race ./...

test-all: peers ## interop and conformance against programs we did not write (installs them)
	lab/interop/run

lint: ## gofmt, go vet (for macOS too) and staticcheck, pinned in tools/go.mod
	@bad=$$(gofmt -l .); if [ -n "$$bad" ]; then echo "not gofmt-ed:"; echo "$$bad"; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -tags external ./...
	GOOS=darwin $(GO) vet ./...
	$(GO) tool -modfile=tools/go.mod staticcheck -tags external ./...

bench: ## Go benchmarks of the hot paths, with allocations
	$(GO) test -run '^$$' -bench . -benchmem ./...

bench-peers: peers ## client CPU per call beside h2load, wrk, ghz and hey, as ratios
	lab/bench/run

accuracy: peers ## how far wiregauge and its peers are from known truths; writes docs/accuracy.md (half an hour; again to go on)
	lab/accuracy/run $(ACCURACY)

examples: peers ## compare nginx, haproxy, net/http, FastAPI, grpc-go, grpcio; writes docs/examples (EXAMPLES='-budget 3m' for each)
	lab/examples/run $(EXAMPLES)

fuzz: ## every fuzz target for FUZZTIME (default 10s) each
	@set -e; for pkg in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$pkg | grep ^Fuzz || true); do \
	    echo "$$pkg $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $${FUZZTIME:-10s} $$pkg; done; done

gen: ## regenerate the code that is made from lab/proto
	$(GO) generate ./lab/...

peers: ## install what test-all, bench-peers, accuracy and examples compare with
	lab/peers/install
