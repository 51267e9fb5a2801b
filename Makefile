# Everything a fresh machine needs is Python >= 3.11 with venv; each target makes its own environment.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TOOLS := .venv-tools
CLUSTERS := .venv-clusters
FUZZ := .venv-fuzz
INSTALLED := .venv-user
MINUTES ?= 5
DEMO := demo-output
# What an installation is made from: the C code is built again when its source changes.
BUILD := pyproject.toml lab/pyproject.toml setup.py $(shell find src -name '*.[ch]')

.PHONY: test-faults test-proxy soak demo test test-slow test-browser test-corpora test-package test-tools test-clusters test-versions coverage mutants sanitize fuzz lint lint-release dist sbom audit benchmark clean

demo: $(VENV)/core
	@mkdir -p $(DEMO)
	$(BIN)/seedtopic demo -o $(DEMO)/labels.csv

test: $(VENV)/dev
	$(BIN)/pytest -n auto -m "not corpora and not slow and not browser and not tools and not clusters and not nginx"

test-slow: $(VENV)/dev
	$(BIN)/pytest -m "slow and not corpora and not nginx" --ignore tests/test_faults.py tests lab/tests

# A fault at every call that reads or writes, one after the other: three minutes on an idle machine.
test-faults: $(VENV)/dev
	$(BIN)/pytest -m slow tests/test_faults.py

# The studio in a real Chromium, its main stories in a real Firefox, too; on docstrings where SEEDTOPIC_DATA does not name the folder of the corpora.
test-browser: $(VENV)/dev
	.ci/browser
	SEEDTOPIC_DATA="$(SEEDTOPIC_DATA)" $(BIN)/pytest -m browser -s tests/e2e

# SEEDTOPIC_DATA names the folder that holds the corpora.
test-corpora: $(VENV)/dev
	@test -n "$(SEEDTOPIC_DATA)" || { echo "set SEEDTOPIC_DATA to the folder of the corpora"; exit 2; }
	SEEDTOPIC_DATA="$(SEEDTOPIC_DATA)" $(BIN)/pytest -m corpora -s tests lab/tests

# Builds sdist and wheels, looks into them, and labels documents with the wheels in an empty environment.
test-package: $(VENV)/release
	$(BIN)/python .ci/package.py

# The files of annotation tools, with the packages of these tools, which need other versions than we test with.
test-tools: $(TOOLS)/tools
	$(TOOLS)/bin/python -m pytest -q -m tools tests/tools

# Labelling on Ray and Spark, each on this machine alone; Spark needs Java (Debian: default-jre-headless).
test-clusters: $(CLUSTERS)/clusters
	@java -version > /dev/null 2>&1 || { echo "install Java, 17 or newer: Spark needs it"; exit 2; }
	$(CLUSTERS)/bin/python -m pytest -q -m clusters tests/ray_and_spark

# The server behind the real nginx (Debian: nginx), which is installed where that is possible.
test-proxy: $(VENV)/dev
	@command -v nginx > /dev/null || timeout 180 apt-get install -q -y nginx || echo "nginx is not installed: its test is left out"
	@! command -v nginx > /dev/null || $(BIN)/pytest -q -m nginx tests

# The server with new models, drifting texts and bad clients: memory over time.
soak: $(VENV)/dev
	$(BIN)/python benchmarks/soak.py --minutes $(or $(MINUTES),60)

# The fast tests on the oldest dependencies, and on the latest Python at hand; makes environments of its own.
test-versions:
	.ci/versions

# Lines of src and lab that the fast tests reach.
coverage: $(VENV)/dev
	rm -f .coverage .coverage.*
	$(BIN)/coverage run -m pytest -q -m "not corpora and not slow and not browser and not tools and not clusters and not nginx"
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

# Small changes to the code that is easiest to get wrong, each of which a test should notice; half an hour.
mutants: $(VENV)/dev
	$(BIN)/python .ci/mutants.py

# The C code under gcc's sanitizers: addresses, undefined behaviour, races of threads; a few minutes.
sanitize: $(VENV)/dev
	.ci/sanitize $(BIN)/python

# Searches MINUTES for inputs that break a reader, led by the lines that they reach; see tools/fuzz.py.
fuzz: $(FUZZ)/fuzz
	$(FUZZ)/bin/python tools/fuzz.py --minutes $(MINUTES)

lint: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/count.py --most-lines 40000 --most-files 215 --most-names 17

# What a release needs besides code, each file by its own linter: nothing here is run before it is pushed.
lint-release: $(VENV)/release
	$(BIN)/codespell
	$(BIN)/validate-pyproject pyproject.toml lab/pyproject.toml
	$(BIN)/repo-review . --show err
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/[!c]*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.readthedocs .readthedocs.yaml
	$(BIN)/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff
	$(BIN)/zizmor --offline --quiet --pedantic .github
	$(BIN)/hadolint --failure-threshold style Containerfile
	$(BIN)/python .ci/recipe.py

# The source and the wheel without C, which runs anywhere; wheels with C are built by cibuildwheel for each system.
dist: $(VENV)/release
	rm -rf dist
	SEEDTOPIC_KERNEL=numpy $(BIN)/python -m build
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist

# What a user gets with all extras, as a CycloneDX bill of materials; not in dist, for the index takes packages alone.
sbom: $(VENV)/release $(INSTALLED)/all
	@mkdir -p build
	$(BIN)/cyclonedx-py environment --pyproject pyproject.toml --mc-type library --output-reproducible \
		-o build/seedtopic.cdx.json $(INSTALLED)/bin/python
	$(BIN)/python .ci/sbom.py build/seedtopic.cdx.json

# Asks the package index for known weaknesses of these packages: needs the network.
audit: $(VENV)/release $(INSTALLED)/all
	@mkdir -p build
	$(INSTALLED)/bin/python -m pip freeze --exclude seedtopic > build/installed.txt
	$(BIN)/pip-audit --strict --no-deps --disable-pip -r build/installed.txt

# A warning is an error. The first page is docs/_build/html/index.html; nothing in it comes from elsewhere.
.PHONY: docs
docs: $(VENV)/docs
	$(BIN)/sphinx-build --quiet -b html -E -W --keep-going -n docs docs/_build/html
	@echo "docs/_build/html/index.html"

# Runs the notebooks of the gallery and stores what they show; SEEDTOPIC_DATA names the folder that holds the corpora.
.PHONY: notebooks
notebooks: $(VENV)/dev
	SEEDTOPIC_DATA="$(SEEDTOPIC_DATA)" $(BIN)/python tools/notebooks.py

# The E-step beside plain C; on drawn counts where SEEDTOPIC_DATA does not name the folder of the corpora.
benchmark: $(VENV)/dev
	$(BIN)/python benchmarks/estep.py $(if $(SEEDTOPIC_DATA),,--synthetic)

$(BIN)/python:
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'seedtopic needs Python 3.11 or newer')"
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/core: $(BUILD) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/dev: $(BUILD) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]" -e "./lab[figures,westclass]"
	@touch $@ $(VENV)/core

$(TOOLS)/tools: $(BUILD)
	$(PYTHON) -m venv $(TOOLS) || { rm -rf $(TOOLS); exit 1; }
	$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check -e ".[test-tools]"
	@touch $@

$(CLUSTERS)/clusters: $(BUILD)
	$(PYTHON) -m venv $(CLUSTERS) || { rm -rf $(CLUSTERS); exit 1; }
	$(CLUSTERS)/bin/python -m pip install --quiet --disable-pip-version-check -e ".[test-clusters]"
	@touch $@

$(FUZZ)/fuzz: $(BUILD)
	$(PYTHON) -m venv $(FUZZ) || { rm -rf $(FUZZ); exit 1; }
	$(FUZZ)/bin/python -m pip install --quiet --disable-pip-version-check -e ".[fuzz]" -e ./lab
	@touch $@

$(INSTALLED)/all: $(BUILD)
	$(PYTHON) -m venv $(INSTALLED) || { rm -rf $(INSTALLED); exit 1; }
	$(INSTALLED)/bin/python -m pip install --quiet --disable-pip-version-check ".[all]"
	@touch $@

$(VENV)/release: $(BUILD) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[release]"
	@touch $@ $(VENV)/core

$(VENV)/docs: $(BUILD) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[docs]" -e "./lab[figures]"
	@touch $@ $(VENV)/core

clean:
	rm -rf $(VENV) $(TOOLS) $(CLUSTERS) $(FUZZ) $(INSTALLED) $(DEMO) build dist docs/_build dist docs/reference/generated src/seedtopic.egg-info lab/seedtopic_lab.egg-info lab/build
	find src -name "*.so" -delete
