# Allclose: what people run. A bare `make` lists it.
# PROCESSES share the tests: many of them wait, so there are two for each of two cores. Where one dies, the run ends soon.
# PYTHON picks the interpreter; PIP_ARGS is handed to pip (say, an index that serves PyTorch's CPU build).
PYTHON ?= $(firstword $(foreach python,python3.11 python3.12 python3.13 python3,$(if $(shell $(python) -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo yes),$(python))))
PIP_ARGS ?=
FLAVOURS ?= cpu
PROCESSES ?= 4
BIN := .venv/bin
PYTEST = $(BIN)/pytest --numprocesses $(PROCESSES) --max-worker-restart 0 --no-loadscope-reorder
SOURCES := allclose.py app container sandbox migrations tests benchmarks reference
EXTRACT_MESSAGES := $(BIN)/pybabel --quiet extract --mapping-file app/web/locale/extract.ini --keyword later --add-location file --sort-output --omit-header --width 120
# Debian packs ensurepip by itself, and without it `-m venv` leaves a folder that looks as if it had been made.
define make_environment
@test -n "$(PYTHON)" || { echo "$(NEEDS_PYTHON)"; exit 1; }
@test ! -e $(@D:/bin=) || { echo "$(@D:/bin=) is there, and no Python in it that this user can run: remove it, or run make as its owner"; exit 1; }
@$(PYTHON) -m venv $(@D:/bin=) || { rm -rf $(@D:/bin=); echo "$(NEEDS_PYTHON)"; exit 1; }
endef
NEEDS_PYTHON = Allclose needs Python 3.11 or newer with venv and ensurepip (Debian, Ubuntu: sudo apt-get install python3-venv); or set PYTHON=/path/to/python3.11

.DEFAULT_GOAL := help
.PHONY: help serve images test test-all test-compose verify check format bundle messages api bench screenshots doctor clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

serve: .venv/.serves .runtime/.installed ## set up what is missing and run Allclose on this machine
	@exec $(BIN)/allclose serve $(ARGS)

images: .venv/.serves ## build what Docker boxes run in (FLAVOURS="cpu cuda", BASE=an image with Python 3.11)
	@PIP="$(BIN)/pip $(PIP_ARGS)" BASE="$(BASE)" sandbox/images/build.sh $(FLAVOURS)

test: .venv/.develops .runtime/.installed ## set up what is missing and run the tests, but for those that take long
	$(PYTEST) -m "not whole" $(ARGS)

test-all: .venv/.develops .runtime/.installed ## run every test, also those that take long
	$(PYTEST) --hypothesis-profile whole $(ARGS)

test-compose: .venv/.develops ## bring docker-compose.yml up from nothing, judge through it, take it down (needs an engine with Compose)
	@PIP="$(BIN)/pip $(PIP_ARGS)" container/wheels.sh
	@TEST_COMPOSE=yes BASE="$${BASE:-$$(docker image inspect --format allclose-base allclose-base 2>/dev/null || echo python:3.11-slim-bookworm)}" \
		$(BIN)/pytest tests/compose $(ARGS)

verify: .venv/.serves .runtime/.installed ## prove that every problem is right (ARGS=--quick for less of it; minutes for each)
	$(BIN)/allclose problem verify --all $(ARGS)

check: .venv/.develops check-bundle check-api ## format, lint, types and import rules
	$(BIN)/ruff format --check $(SOURCES) problems
	$(BIN)/ruff check $(SOURCES) problems
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/.develops ## rewrite the code in the house format
	$(BIN)/ruff format $(SOURCES) problems
	$(BIN)/ruff check --fix $(SOURCES) problems

bundle: node_modules/.installed ## bundle the scripts of the pages into app/web/static/bundle (needs Node and npm)
	@rm -rf app/web/static/bundle
	app/web/assets/bundle.sh app/web/static/bundle

messages: .venv/.develops ## extract the pages' texts and compile the translations (LANGUAGE=de adds one)
	@mkdir -p build
	$(EXTRACT_MESSAGES) --output-file build/allclose.pot app/web
	@if [ -n "$(LANGUAGE)" ] && [ ! -e "app/web/locale/$(LANGUAGE)" ]; then \
		$(BIN)/pybabel --quiet init --domain allclose --input-file build/allclose.pot --output-dir app/web/locale --locale "$(LANGUAGE)"; fi
	@for folder in app/web/locale/*/; do test -d "$$folder" || continue; \
		$(BIN)/pybabel --quiet update --domain allclose --no-fuzzy-matching --input-file build/allclose.pot --output-dir app/web/locale && \
		$(BIN)/pybabel --quiet compile --domain allclose --directory app/web/locale; break; done

api: .venv/.develops ## write what is made from the API: docs/api.md, docs/rights.md and the code of app/client
	$(BIN)/python -m reference

.PHONY: check-api
check-api: .venv/.develops
	@$(BIN)/python -m reference --check

.PHONY: check-bundle
ifneq ($(and $(shell command -v node),$(shell command -v npm)),)
check-bundle: node_modules/.installed
	node_modules/.bin/tsc
	@rm -rf build/bundle
	app/web/assets/bundle.sh build/bundle
	@diff -r build/bundle app/web/static/bundle >/dev/null || { echo "app/web/static/bundle is not what app/web/assets makes: run make bundle, and commit the result"; exit 1; }
else ifdef CI
check-bundle:
	@echo "The check of the pages' scripts needs Node and npm (Debian, Ubuntu: sudo apt-get install nodejs npm)"; exit 1
else
check-bundle:
	@echo "Skipped: whether app/web/static/bundle is what app/web/assets makes, since there is no Node and npm here (Debian, Ubuntu: sudo apt-get install nodejs npm)"
endif

bench: .venv/.benches .runtime/.installed ## measure what docs/performance.md claims (ARGS=--quick, --check or "--only load")
	@PIP_ARGS="$(PIP_ARGS)" $(BIN)/python -m benchmarks $(ARGS)

screenshots: .venv/.develops .runtime/.installed ## take the pictures of docs/screenshots (needs Chromium)
	$(BIN)/python -m benchmarks.screenshots

doctor: .venv/.serves .runtime/.installed ## say what this machine lacks, and the command that mends it
	@$(BIN)/allclose doctor

clean: ## remove the environments (the data folder stays)
	rm -rf .venv .runtime node_modules build *.egg-info

.venv/bin/python:
	$(make_environment)

.venv/.serves: pyproject.toml | .venv/bin/python
	@echo "Installing Allclose into .venv …"
	@$(BIN)/pip install --quiet --disable-pip-version-check $(PIP_ARGS) --editable .
	@touch $@

.venv/.develops: pyproject.toml | .venv/bin/python
	@echo "Installing Allclose and its development tools into .venv …"
	@$(BIN)/pip install --quiet --disable-pip-version-check $(PIP_ARGS) --editable '.[dev]'
	@touch $@ .venv/.serves

.venv/.benches: pyproject.toml .venv/.develops
	@echo "Installing what benchmarks draw with into .venv …"
	@$(BIN)/pip install --quiet --disable-pip-version-check $(PIP_ARGS) --editable '.[dev,bench]'
	@touch $@

node_modules/.installed: package.json package-lock.json
	@echo "Installing what the pages' scripts are bundled from …"
	@npm ci --no-audit --no-fund --loglevel=error
	@touch $@

.runtime/bin/python:
	$(make_environment)

.runtime/.installed: sandbox/images/cpu.txt | .runtime/bin/python
	@echo "Installing the frameworks that boxes see into .runtime (the largest download) …"
	@umask 022; .runtime/bin/pip install --quiet --disable-pip-version-check $(PIP_ARGS) --requirement $<
	@chmod -R go+rX .runtime sandbox/guest # started by root, a box is another user
	@touch $@
