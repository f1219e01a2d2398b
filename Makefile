# make play: the table in the browser (make play ARGS="--host 0.0.0.0").   make test: everything CI checks.   Both set up all they need.
# make check: the quick tests.   make docs, make pictures: the documentation.   make bench: speed compared with OpenSpiel.

PYTHON ?= python3
BIN := .venv/bin
WORKERS = $(shell $(PYTHON) -c 'import os; print(2 * os.cpu_count())')
# Test processes: twice as many as there are cores, since tests of browsers and servers often wait.
unexport PYTHONDONTWRITEBYTECODE
# Bytecode is kept whatever the environment says: hundreds of processes import the same modules.

play: .venv/ready
	@$(BIN)/backroom serve --open $(ARGS)

test:
	@$(MAKE) --no-print-directory --jobs 3 kernels types style chromium
	$(BIN)/pytest --numprocesses $(WORKERS) --dist worksteal --durations 5

# The minute between edits: style, types and the quick tests. Not a substitute for make test.
check:
	@$(MAKE) --no-print-directory --jobs 2 style types kernels
	$(BIN)/pytest --numprocesses auto --dist worksteal -q -m "not slow"

style: .venv/ready-to-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: .venv/ready-to-test
	$(BIN)/mypy

kernels: .venv/ready
	$(BIN)/backroom warm --gym

docs: .venv/ready-to-test
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "The documentation is in site/index.html"

pictures: .venv/ready-to-test chromium
	$(BIN)/python docs/pictures.py

bench: .venv/ready
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[bench]"
	$(BIN)/python bench/playouts.py --beside openspiel
	$(BIN)/python bench/playouts.py --beside catanatron
	$(BIN)/python bench/bots.py --beside openspiel
	$(BIN)/python bench/gym.py --bars

# The second opinions of all games, each over a thousand games and more: most of an hour, and not part of make test.
opinions: .venv/ready-to-test
	$(BIN)/pytest --numprocesses auto --dist worksteal --games 1000 -k "second_opinion and (whole or roads or paved or events or objectives)"

# Tests that need PyTorch or NVIDIA's compiler: slow to install, and not part of make test.
test-learners: .venv/ready-to-test
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[learners]"
	$(BIN)/pytest tests/gym/learners.py

# The browser tests need a Chromium: the system's, or one that is installed if possible.
chromium:
	@for name in $$BACKROOM_CHROMIUM chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable chrome; do \
		command -v $$name > /dev/null && exit 0; \
	done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		echo "Installing Chromium for the browser's tests…"; \
		apt-get update -qq; \
		for names in "chromium chromium-headless-shell" chromium; do \
			DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $$names > /dev/null && exit 0; \
		done; \
	fi; \
	echo "*** There is no Chromium here, and none could be installed: the table in the browser will NOT be tested."; \
	[ -z "$$CI" ] || { echo "*** In CI this is a failure."; exit 1; }

.venv/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Backroom needs Python 3.11 or newer; say which with: make $(MAKECMDGOALS) PYTHON=/path/to/python3"; exit 1; }
	$(PYTHON) -m venv .venv
	@touch $@

# Bytecode is compiled on all cores afterwards, since pip would do it file by file.
.venv/ready: .venv/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable .
	-@$(BIN)/python -W ignore -m compileall -qq -j 0 .venv/lib
	@touch $@

# In two steps, so that kernels are compiled while the rest is installed. Without bytecode, tests would show warnings.
.venv/ready-to-test: .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable ".[test]"
	-@$(BIN)/python -W ignore -m compileall -qq -j 0 .venv/lib
	@touch $@

.PHONY: play test check style types kernels opinions docs pictures bench chromium test-learners
