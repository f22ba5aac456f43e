# Everything a person runs. Needs git, make and Python 3.11 or newer; `make` alone lists the targets.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.DEFAULT_GOAL := help
.PHONY: help demo test test-unit test-slow lint format bench bench-crash bench-match docs lock agents clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 22

# A virtual environment from the hash-locked list, compiled to bytecode so that commands start fast.
$(VENV)/ready: requirements/dev.txt pyproject.toml scripts/setup
	@PYTHON=$(PYTHON) sh scripts/setup $(VENV)
	@touch $@

demo: $(VENV)/ready ## a complete review of a bundled example; no account, no agent needed
	@$(BIN)/moot demo

test: $(VENV)/ready agents ## the whole default test suite, doing all its own set-up
	$(BIN)/python -m pytest -n 2 -m "not slow"

test-unit: $(VENV)/ready ## the fast tests only
	$(BIN)/python -m pytest -n 2 -m "not slow and not agents and not postgres"

test-slow: $(VENV)/ready agents ## the marked slow suites
	$(BIN)/python -m pytest -m slow

lint: $(VENV)/ready ## format check, linter, types, layers
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/ready ## rewrite the code in the house format
	$(BIN)/ruff format src tests benchmarks
	$(BIN)/ruff check --fix src tests benchmarks

agents: $(VENV)/ready ## the pinned agent CLIs the contract tests drive (skipped without npm)
	@sh scripts/setup-agents

bench: $(VENV)/ready ## the figures of docs/benchmarks.md
	$(BIN)/python -m benchmarks

bench-match: $(VENV)/ready ## how well findings are matched: make bench-match DATA=FILE.jsonl
	@$(BIN)/python -m benchmarks.match $(DATA)

bench-crash: $(VENV)/ready ## 200 kills over a review; prints the table
	$(BIN)/python -m benchmarks.crash

docs: $(VENV)/ready ## regenerate the generated parts of docs/
	$(BIN)/python scripts/docs.py

lock: ## rewrite requirements/ from pyproject.toml (needs uv)
	sh scripts/lock

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) .cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
