# Everything a fresh machine needs is Python >= 3.11 with venv; each target makes its own environment.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TOOLS := .venv-tools
DEMO := demo-output
# What an installation is made from: the C kernel is built again when its source changes.
BUILD := pyproject.toml setup.py $(wildcard src/seedtopic/learning/topics/kernels/_estep*.[ch])

.PHONY: demo test test-slow test-browser test-corpora test-package test-tools test-versions coverage mutants lint benchmark clean

demo: $(VENV)/core
	@mkdir -p $(DEMO)
	$(BIN)/seedtopic demo -o $(DEMO)/labels.csv

test: $(VENV)/dev
	$(BIN)/pytest -n auto -m "not corpora and not slow and not browser and not tools"

test-slow: $(VENV)/dev
	$(BIN)/pytest -m "slow and not corpora" tests

# The studio in a real Chromium, its main stories in a real Firefox, too; on docstrings where SEEDTOPIC_DATA does not name the folder of the corpora.
test-browser: $(VENV)/dev
	.ci/browser
	SEEDTOPIC_DATA="$(SEEDTOPIC_DATA)" $(BIN)/pytest -m browser -s tests/e2e

# SEEDTOPIC_DATA names the folder that holds the corpora.
test-corpora: $(VENV)/dev
	@test -n "$(SEEDTOPIC_DATA)" || { echo "set SEEDTOPIC_DATA to the folder of the corpora"; exit 2; }
	SEEDTOPIC_DATA="$(SEEDTOPIC_DATA)" $(BIN)/pytest -m corpora -s tests

# Builds sdist and wheel, looks into them, and runs the demo from the wheel in an empty environment.
test-package: $(VENV)/dev
	$(BIN)/python .ci/package.py

# The files of annotation tools, with the packages of these tools, which need other versions than we test with.
test-tools: $(TOOLS)/tools
	$(TOOLS)/bin/python -m pytest -q -m tools tests/tools

# The fast tests on the oldest dependencies, and on every later Python at hand; makes environments of its own.
test-versions:
	.ci/versions

# Lines of src that the fast tests reach; once more without numba's compiler, whose functions are opaque.
coverage: $(VENV)/dev
	rm -f .coverage .coverage.*
	$(BIN)/coverage run -m pytest -q -m "not corpora and not slow and not browser and not tools"
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest -q -W ignore::RuntimeWarning src tests/test_kernels.py
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

# Small changes to the code that is easiest to get wrong, each of which a test should notice; half an hour.
mutants: $(VENV)/dev
	$(BIN)/python .ci/mutants.py

lint: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# A warning is an error. The first page is docs/_build/html/index.html; nothing in it comes from elsewhere.
.PHONY: docs
docs: $(VENV)/docs
	$(BIN)/sphinx-build --quiet -b html -E -W --keep-going -n docs docs/_build/html
	@echo "docs/_build/html/index.html"

# The E-step beside plain C; on drawn counts where SEEDTOPIC_DATA does not name the folder of the corpora.
benchmark: $(VENV)/core
	$(BIN)/python benchmarks/estep.py $(if $(SEEDTOPIC_DATA),,--synthetic)

$(BIN)/python:
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'seedtopic needs Python 3.11 or newer')"
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/core: $(BUILD) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/dev: $(BUILD) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	@touch $@ $(VENV)/core

$(TOOLS)/tools: $(BUILD)
	$(PYTHON) -m venv $(TOOLS) || { rm -rf $(TOOLS); exit 1; }
	$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check -e ".[test-tools]"
	@touch $@

$(VENV)/docs: $(BUILD) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[docs]"
	@touch $@ $(VENV)/core

clean:
	rm -rf $(VENV) $(TOOLS) $(DEMO) build docs/_build docs/reference/generated src/seedtopic.egg-info src/seedtopic/learning/topics/kernels/_estep*.so
