# make play: play in the terminal (make play ARGS="--resume FILE").   make test: everything CI checks.   Both set up all they need.

PYTHON ?= python3
BIN := .venv/bin

play: .venv/ready
	@$(BIN)/backroom play $(ARGS)

test: .venv/ready-to-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/backroom warm
	$(BIN)/pytest --numprocesses auto --dist worksteal --durations 5

bench: .venv/ready
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[bench]"
	$(BIN)/python bench/playouts.py --beside openspiel
	$(BIN)/python bench/playouts.py --beside catanatron

.venv/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Backroom needs Python 3.11 or newer; say which with: make $(MAKECMDGOALS) PYTHON=/path/to/python3"; exit 1; }
	$(PYTHON) -m venv .venv
	@touch $@

.venv/ready: .venv/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

.venv/ready-to-test: .venv/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[test]"
	@touch .venv/ready $@

.PHONY: play test bench
