# Everything a newcomer runs. `make help` lists it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find rust python -name '*.rs' -o -name '*.py' -o -name '*.pyi') Cargo.toml Cargo.lock pyproject.toml
export CARGO_TERM_COLOR ?= auto

.PHONY: help demo setup develop fmt lint test test-rust test-python test-slow golden versus differential clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

$(VENV)/made:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "spanrs needs Python 3.11 or newer; say make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	touch $@

# The demo needs the package and nothing else; tests and benches need the tools as well.
$(VENV)/demo: $(VENV)/made $(SOURCES)
	$(BIN)/python -m pip install --quiet --config-settings build-args=--profile=quick .
	touch $@

$(VENV)/tools: $(VENV)/made pyproject.toml
	$(BIN)/python -m pip install --quiet --group dev
	touch $@

$(VENV)/built: $(VENV)/tools $(SOURCES)
	VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --profile quick --quiet
	rm -f $(VENV)/released
	touch $@

# Speed is measured with the profile of the wheels.
$(VENV)/released: $(VENV)/tools $(SOURCES)
	VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --release --quiet
	touch $@ $(VENV)/built

demo: $(VENV)/demo  ## set up, and score the example files
	$(BIN)/spanrs score examples/gold.conll examples/pred.conll

setup: $(VENV)/built  ## make the virtual environment and build into it

fmt: $(VENV)/tools  ## format everything
	cargo fmt --all
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: $(VENV)/built  ## formats, lints and types
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	MYPYPATH=python $(BIN)/python -m mypy.stubtest spanrs._spanrs

test-rust:  ## Rust tests, doc examples included
	cargo test --workspace --locked --quiet

test-python: $(VENV)/built  ## Python tests, examples of the docs included
	$(BIN)/python -m pytest

test-slow: $(VENV)/built  ## what needs other programs (conlleval.pl by SPANRS_CONLLEVAL_PL, with perl; LibreOffice)
	$(BIN)/python -m pytest -m slow

golden: $(VENV)/built  ## record tests/golden again from the peers (perl, seqeval from PyPI)
	cd tests && ../$(BIN)/python -m golden.record

test: lint test-rust test-python  ## everything the gate runs

differential: $(VENV)/released  ## a million random sequences and 10^5 corpora against the peers, once
	$(BIN)/python -m benches.versus.iobes_million
	$(BIN)/python -m benches.versus.differential

versus: $(VENV)/released  ## speed and memory beside the peers, written to benches/record
	$(BIN)/python -m benches.versus.run
	$(BIN)/python -m benches.versus.iobes_calls

clean:  ## remove what was built
	rm -rf $(VENV) target
