# Only Node, npm and Go have to be on the machine. Each target prints what it runs.
.DEFAULT_GOAL := help
NODE := node_modules/.bin/node
# Stamped by what it was made from, so that an unchanged tree installs nothing again.
INSTALLED := node_modules/.installed

.PHONY: help install demo test lint types unit cluster binary control-planes build bench screen soak playground \
	format clean

help:
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

install: $(INSTALLED) ## install the pinned tools and libraries

$(INSTALLED): package.json package-lock.json .npmrc
	npm ci --no-audit --no-fund --loglevel=error
	@touch $@

demo: $(INSTALLED) ## the main job on recorded input
	@sh test/demo.sh

test: lint types unit cluster binary ## everything: lint, types, unit tests, tests on real control planes, of a release

lint: $(INSTALLED)
	npm run --silent lint

types: $(INSTALLED)
	npm run --silent types

unit: $(INSTALLED)
	npm run --silent test:unit

control-planes: $(INSTALLED) ## build etcd, kube-apiserver, kube-controller-manager and kubectl (once)
	$(NODE) test/control-plane/build.ts

cluster: control-planes
	npm run --silent test:cluster

binary: control-planes ## build a release and try it: through krew and kubectl, in odd environments
	npm run --silent test:binary

bench: control-planes ## seconds and memory beside kubectl: check of 10,000 pairs, sync of 300 claims, watch, start; client-go at 100,000
	$(NODE) test/bench/check.ts
	$(NODE) test/bench/sync.ts
	$(NODE) test/bench/watch.ts
	$(NODE) test/bench/start.ts
	$(NODE) test/bench/race.ts

screen: $(INSTALLED) ## draw docs/screen.svg again, from what check prints
	$(NODE) test/screen.ts

soak: control-planes ## what takes longer than a test may: kills by the dozen, an hour of changes
	npm run --silent test:soak

playground: control-planes ## a super cluster and two tenants with healthy and broken claims, until Ctrl-C
	$(NODE) test/control-plane/playground.ts

build: $(INSTALLED) ## a release in dist/: this machine's binary, an archive for every platform, krew's manifest
	$(NODE) plugin/build/build.ts

format: $(INSTALLED) ## lay the sources out
	npm run --silent format

clean: ## remove what was installed and built in this checkout
	rm -rf node_modules .cache dist
