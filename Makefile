# Everything a newcomer needs: `make demo` and `make test`. Both set up a private virtual environment first.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
DEMO := demo

.PHONY: help demo picture accuracy bench benchmark-lists site image live version model test test-all test-nightly check format clean
.DEFAULT_GOAL := help

help:
	@echo "make demo    refresh the example lists from the bundled snapshot, without any network, and look at the result"
	@echo "make picture docs/dashboard*.png, the demo's dashboard at three widths, light and dark; needs Chromium"
	@echo "make accuracy  how well 37 labelled lists of this repository are read and resolved, as a table; no network"
	@echo "make test    run the fast tests (4 minutes on 2 cores)"
	@echo "make test-all  run also the slow ones: PostgreSQL and S3, the browser, killed processes"
	@echo "make test-nightly  run what is left: every fault everywhere, variants of pages and lists, PostgreSQL and S3"
	@echo "make bench   every performance figure beside its plain alternative (20 minutes; BENCH=--full for full sizes)"
	@echo "make benchmark-lists  score readers of reading lists on 379 labelled lists of others, fetched from GitHub (LISTS=--json)"
	@echo "make live    how the real services differ from the stand-ins: at most 30 requests; needs the network, never in CI"
	@echo "make site    the docs as a site, in site/; a broken link ends it"
	@echo "make image   the container image of Debian's packages, without a registry, and a refresh in it; root, buildah, mmdebstrap"
	@echo "make version VERSION=0.2.0  name a release's version in every file that does; publishes nothing"
	@echo "make model   learn the parser's weights from ../shared, and say how lists it was not fitted to are read"
	@echo "make check   lint, format and types"
	@echo "make format  put the code into its format"
	@echo "make clean   remove what the others made"

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "paperlake needs Python 3.11 or newer; say which: make PYTHON=/path/to/python3.11 ..."; exit 2; }
	@echo "setting up $(VENV) (once; a minute or two)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[test]' \
		> $(VENV)/install.log 2>&1 || { cat $(VENV)/install.log; exit 1; }
	@touch $(READY)

demo: $(READY)
	@BIN=$(BIN) DEMO=$(DEMO) sh examples/demo.sh

picture: demo
	$(BIN)/python -m benchmarks.page.pictures $(DEMO)/dashboard/index.html docs

accuracy: $(READY)
	@$(BIN)/python -m tests.lists

test: $(READY)
	$(BIN)/python -m pytest $(or $(TESTS),-m "not slow and not nightly")

# In one run, so that what waits for servers and time-outs waits beside what computes; hence the third process.
test-all:
	$(MAKE) test TESTS='-m "not nightly" --numprocesses=3'

test-nightly: $(READY)
	$(BIN)/python -m pytest -m nightly --numprocesses=3

bench: $(READY)
	$(BIN)/python -m benchmarks $(BENCH)

benchmark-lists: $(READY)
	@$(BIN)/python -m benchmarks.reading_lists $(LISTS)

site: $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[site]'
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

image:
	@bash .ci/image.sh

live: $(READY)
	@$(BIN)/python -m standins.live

version: $(READY)
	@$(BIN)/python .ci/version.py $(VERSION)

model: $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[model]'
	$(BIN)/python -m benchmarks.model $(MODEL)

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) $(DEMO) site build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
