# `make demo` and `make test` work from a fresh clone with only Python >= 3.11, pip and make.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
RUN    := $(BIN)/python run.py

.PHONY: demo train-demo test test-all lint install clean

# A real model's real pass@1 over real integrals: SymPy's `integrate`, ten seconds a problem.
demo: $(VENV)/.installed
	$(RUN) sweep --model solver/sympy --benchmark bee --limit 40 --out runs/demo
	$(RUN) report runs/demo --format html

# A tiny model made from scratch learns to integrate k x^n by GRPO: minutes on two cores. On a machine
# without a GPU, installing a CPU build of torch first saves gigabytes (docs/training.md).
train-demo: $(VENV)/.installed
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --editable '.[train]'
	OMP_NUM_THREADS=1 $(RUN) train grpo --config examples/grpo_cpu.yaml --out runs/train-demo

# The core tests, in minutes. Tests whose extra is not installed are skipped with the reason.
test: $(VENV)/.installed
	$(BIN)/python -m pytest -m "not slow and not perf"

test-all: $(VENV)/.installed lint
	$(BIN)/python -m pytest -m ""

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

install: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python >= 3.11 is needed: make PYTHON=python3.x")'
	$(PYTHON) -m venv $(VENV)
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache
