# Two commands do everything: `make run` and `make test`. Both make .venv first.
PYTHON ?= python3
BIN := .venv/bin
export DAGSTER_DG_TELEMETRY_ENABLED = 0
export GX_ANALYTICS_ENABLED = false

.PHONY: setup run ui test test-all test-ui bench check lint fix evaluate pictures lock clean

# The stamp names what was installed: a changed lock or pyproject installs again.
.venv/.installed: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("tierlake needs Python 3.11, 3.12 or 3.13: make PYTHON=python3.12 ...") if not (3, 11) <= sys.version_info < (3, 14) else None'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@# `dg` reads .env: its runs stand in the same home as those of `make run`.
	@mkdir -p data/dagster
	@printf 'DAGSTER_HOME=%s/data/dagster\n' "$(CURDIR)" > .env
	@touch $@

setup: .venv/.installed

run: setup
	$(BIN)/tierlake run
	$(BIN)/tierlake read "deploy process" --max-results 6 --weight tier_wisdom=2 --weight tier_working=0.25 --floor tier_wisdom=1

ui: setup
	$(BIN)/tierlake ui

test: setup
	$(BIN)/python -m pytest -q

test-all: setup
	$(BIN)/python -m pytest -q -m "not benchmark and not ui"

test-ui: setup
	$(BIN)/python -m pytest -q -m ui -rs

bench: setup
	$(BIN)/python -m pytest -q -s -m benchmark

evaluate: setup
	$(BIN)/tierlake evaluate ranking

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint test test-ui

fix: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

pictures: setup
	TIERLAKE_PICTURES=docs/pictures $(BIN)/python -m pytest -q -m ui -rs

# Needs uv; the lock holds hashes and no addresses.
lock:
	uv pip compile pyproject.toml --group dev --universal --generate-hashes --no-header --no-annotate -o requirements.lock

clean:
	rm -rf data/lake data/dagster .mypy_cache .ruff_cache .pytest_cache .hypothesis
