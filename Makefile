# Everything a newcomer runs. `make help` lists it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find rust python -path rust/fuzz -prune -o -name '*.rs' -print -o -name '*.py' -print -o -name '*.pyi' -print) Cargo.toml Cargo.lock pyproject.toml
export CARGO_TERM_COLOR ?= auto

# The fuzzers are a workspace of their own; third-party crates of its tests are built once for both.
FUZZ := --manifest-path rust/fuzz/Cargo.toml --locked --target-dir target
FUZZ_HOST := $(shell rustc -vV 2>/dev/null | sed -n 's/^host: //p')
FUZZ_BIN := target/$(FUZZ_HOST)/fuzz/fuzz
# Seconds of each target, or of the only one that is named.
SECONDS = 60
TARGET = $(notdir $(wildcard rust/fuzz/seeds/*))
# What cargo-fuzz sets for `-s none`: LLVM counts edges and traces comparisons, on the stable toolchain too.
# An explicit --target keeps the flags from build scripts and procedural macros.
FUZZ_FLAGS := -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
	-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
	-Cllvm-args=-sanitizer-coverage-trace-compares -Cllvm-args=-simplifycfg-branch-fold-threshold=0 \
	--cfg fuzzing

# What `make test-oldest` uses and leaves out.
OLDEST := .venv-oldest
WITHOUT_SPACY = --ignore tests/integrations/test_spacy.py --ignore tests/integrations/test_spacy_trees.py \
	--ignore tests/io/test_docbin.py --ignore tests/test_docs.py -k "not spacy and not docbin"

# The crates whose code Miri can run: without foreign functions, files or long property tests.
MIRI_CRATES = spanrs-base spanrs-tags

.PHONY: help demo setup develop fmt lint test test-rust test-types test-python test-oldest test-slow golden generate docs docs-update \
	pictures docs-share coverage miri audit wheels release-check model fuzz versus differential peers clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

OLD_PYTHON = import sys; sys.exit(sys.version_info < (3, 11) and "spanrs needs Python 3.11 or newer; say make PYTHON=...")

$(VENV)/made:
	$(PYTHON) -c '$(OLD_PYTHON)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	touch $@

# The demo needs the package and nothing else; tests and benches need the tools as well.
$(VENV)/demo: $(VENV)/made $(SOURCES)
	$(BIN)/python -m pip install --quiet --config-settings build-args=--profile=quick .
	touch $@

# Each group of pyproject.toml that a target needs by itself has a mark in the virtual environment.
$(VENV)/group-%: $(VENV)/made pyproject.toml
	$(BIN)/python -m pip install --quiet --group $*
	touch $@

$(VENV)/tools: $(VENV)/made pyproject.toml
	$(BIN)/python -m pip install --quiet --group dev
	touch $@ $(VENV)/group-lint $(VENV)/group-build

# Three profiles are installed to the same place, so the mark of one removes those of the others. Without --group
# maturin installs the group dev.
MATURIN_DEVELOP = VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --quiet

$(VENV)/built: $(VENV)/tools $(SOURCES)
	$(MATURIN_DEVELOP) --profile quick --features example-matcher
	rm -f $(VENV)/developed $(VENV)/released
	touch $@

$(VENV)/developed: $(VENV)/group-build $(SOURCES)
	$(MATURIN_DEVELOP) --profile develop --features example-matcher --group build
	rm -f $(VENV)/built $(VENV)/released
	touch $@

# Speed is measured with the profile of the wheels.
$(VENV)/released: $(VENV)/tools $(SOURCES)
	$(MATURIN_DEVELOP) --release
	rm -f $(VENV)/developed
	touch $@ $(VENV)/built

demo: $(VENV)/demo  ## set up, and score the example files
	$(BIN)/spanrs score examples/gold.conll examples/pred.conll

setup: $(VENV)/built  ## make the virtual environment and build into it

develop: $(VENV)/developed  ## build fast, for work on the code; then .venv/bin/pytest tests/...

fmt: $(VENV)/group-lint  ## format everything
	cargo fmt --all
	cargo fmt --manifest-path rust/fuzz/Cargo.toml
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The binding is compiled for one interpreter, which must not depend on what else is installed.
lint miri: export PYO3_PYTHON := $(CURDIR)/$(BIN)/python

# Sets of features with which the facade must build by itself.
FEATURES = eval crf dep compat,documents

lint: $(VENV)/group-lint  ## formats, lints and types, without a build
	cargo fmt --all --check
	cargo fmt --manifest-path rust/fuzz/Cargo.toml --check
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/python tools/generate.py --check
	$(BIN)/mypy
	cargo clippy --workspace --all-targets --locked -- -D warnings
	@for features in $(FEATURES); do \
		set -x; cargo clippy -p spanrs --no-default-features --features $$features --locked -- -D warnings || exit 1; \
	done
	cargo clippy $(FUZZ) --all-targets -- -D warnings

# The binding has no Rust tests, and would want an interpreter.
test-rust:  ## Rust tests, doc examples and kept inputs of the fuzzers included
	cargo test --workspace --exclude spanrs-py --locked --quiet
	cargo test $(FUZZ) --quiet

test-types: $(VENV)/built  ## the stub beside the module, and types with all optional packages
	$(BIN)/mypy
	MYPYPATH=python $(BIN)/python -m mypy.stubtest spanrs._spanrs

# Tests that pass lists of tags; they run a second time with every item asked for, as other interpreters do.
LIST_TESTS = tests/tags/test_tags.py tests/eval/test_score.py tests/eval/test_inputs.py tests/eval/test_input_errors.py \
	tests/eval/test_item_access.py tests/compat/test_seqeval.py tests/compat/test_nervaluate.py \
	tests/compat/test_ncrfpp.py tests/compat/test_differential_seqeval.py

test-python: $(VENV)/built  ## Python tests, examples of the docs included
	$(BIN)/python -m pytest --numprocesses auto --durations=10
	SPANRS_ITEM_ACCESS=each $(BIN)/python -m pytest --quiet $(LIST_TESTS)

# The module is in the source tree: of another interpreter than .venv's it lies beside that one's, of the same it is equal.
test-oldest:  ## Python tests with the oldest numpy, click and rich; spaCy wants newer ones
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --upgrade pip
	$(OLDEST)/bin/python -m pip install --quiet --group oldest
	VIRTUAL_ENV=$(CURDIR)/$(OLDEST) $(OLDEST)/bin/maturin develop --quiet --profile quick --features example-matcher \
		--group oldest
	$(OLDEST)/bin/python -m pytest --numprocesses auto $(WITHOUT_SPACY)

test-slow: $(VENV)/built  ## what needs other programs (conlleval.pl by SPANRS_CONLLEVAL_PL, with perl; LibreOffice)
	$(BIN)/python -m pytest -m slow

golden: $(VENV)/built  ## record tests/golden again from the peers (perl, seqeval from PyPI)
	cd tests && ../$(BIN)/python -m golden.record

generate: $(VENV)/made  ## write the options of the commands and docs/options.md from tools/*.toml
	$(BIN)/python tools/generate.py

docs: $(VENV)/built  ## build the site in target/site, and follow its links
	$(BIN)/python docs/build.py

docs-update: $(VENV)/built  ## write what is made from the code into docs/: output of the guides, tables, plots
	$(BIN)/python docs/make_readings.py
	$(BIN)/python docs/make_formats.py
	$(BIN)/python docs/plot_records.py
	$(BIN)/python docs/run_guides.py
	$(BIN)/python docs/run_notebooks.py

pictures: $(VENV)/built  ## take the pictures of reports in docs/images (needs Chromium)
	$(BIN)/python docs/take_pictures.py

fuzz:  ## fuzz every target for SECONDS=60 seconds, or TARGET=name alone; findings go to rust/fuzz/regressions
	RUSTFLAGS="$(FUZZ_FLAGS)" cargo build $(FUZZ) --target $(FUZZ_HOST) --profile fuzz --features libfuzzer --bins
	@failed=; for target in $(TARGET); do \
		mkdir -p rust/fuzz/corpus/$$target rust/fuzz/regressions/$$target; \
		dictionary=rust/fuzz/dictionaries/$$target.dict; \
		echo "== $$target"; \
		FUZZ_TARGET=$$target $(FUZZ_BIN) $$(test -f $$dictionary && echo -dict=$$dictionary) \
			-max_total_time=$(SECONDS) -timeout=10 -rss_limit_mb=2048 -max_len=4096 -print_final_stats=1 \
			-artifact_prefix=rust/fuzz/regressions/$$target/ \
			rust/fuzz/corpus/$$target rust/fuzz/seeds/$$target rust/fuzz/regressions/$$target || failed="$$failed $$target"; \
	done; test -z "$$failed" || { echo "findings:$$failed"; exit 1; }

# `setup` builds the module that the parts after it use. A part that fails ends the run.
TEST_PARTS = lint test-rust setup test-types test-python docs

test:  ## everything the gate runs, with the time of each part
	@$(PYTHON) .ci/timed.py "$(MAKE)" $(TEST_PARTS)

coverage: $(VENV)/tools $(VENV)/group-coverage  ## lines of Rust and Python that the tests run, to benches/record
	$(BIN)/python .ci/coverage.py $(COVERAGE)

docs-share:  ## the share of doc comments in the lines of each crate; an error below 25 %
	$(PYTHON) .ci/docs_share.py --least 25

miri: $(VENV)/made  ## tests of crates without foreign functions under Miri (rustup +nightly component add miri)
	MIRIFLAGS=-Zmiri-disable-isolation PROPTEST_CASES=4 cargo +nightly miri test $(MIRI_CRATES:%=--package %) --lib

audit: $(VENV)/group-audit  ## advisories, licences and sources of dependencies (cargo install cargo-deny)
	cargo deny --all-features check
	cargo deny --manifest-path rust/fuzz/Cargo.toml --config $(CURDIR)/deny.toml check advisories bans sources
	$(BIN)/pip-audit --strict --progress-spinner off .

# The build of the source distribution finds the dependencies that the wheel was built with.
wheels: $(VENV)/group-release  ## wheel and source distribution in dist/, checked, installed and tried
	rm -rf dist
	$(BIN)/maturin build --release --interpreter $(BIN)/python --out dist
	$(BIN)/maturin sdist --out dist
	$(BIN)/twine check --strict dist/*
	$(BIN)/python .ci/check_wheel.py dist/*
	$(BIN)/python .ci/try_install.py dist/*.whl
	CARGO_TARGET_DIR=$(CURDIR)/target $(BIN)/python .ci/try_install.py dist/*.tar.gz

# NAME=en_ewt is the model of spanrs-model-en-ewt. Licence, authors and release are read from the files beside TREEBANK
# (README.md and LICENSE.txt, as in Universal Dependencies), or given: LICENSE=CC-BY-SA-4.0 LICENSE_FILE= ATTRIBUTION=
# URL= TITLE= TREEBANK_RELEASE=2.17. TRAIN_OPTIONS holds options of `spanrs dep train`.
MODEL_VARIABLES = TREEBANK NAME DEV OUT TRAIN_OPTIONS TITLE LICENSE LICENSE_FILE ATTRIBUTION URL TREEBANK_RELEASE MODEL_VERSION
# As they are given: neither make nor a shell interprets spaces, quotes and dollars.
$(foreach name,$(MODEL_VARIABLES),$(eval model: export MODEL_$(name) := $$(value $(name))))

# The variables are checked before anything is set up, by any Python.
model:  ## a wheel that installs a model: TREEBANK=train.conllu NAME=en_ewt [DEV=dev.conllu OUT=dist]; needs Rust
	@$(or $(wildcard $(BIN)/python),$(PYTHON)) -c '$(OLD_PYTHON)'
	@$(or $(wildcard $(BIN)/python),$(PYTHON)) tools/build_model.py --from-make --check
	@command -v cargo > /dev/null || { echo "spanrs is compiled with Rust: install cargo, https://rustup.rs" >&2; exit 2; }
	@$(MAKE) --no-print-directory $(VENV)/released $(VENV)/group-model
	@$(BIN)/python tools/build_model.py --from-make

release-check: $(VENV)/group-release  ## what a release needs: versions, changelog, citation, metadata; RELEASE=1 asks for dates
	$(BIN)/python .ci/release_check.py $(if $(RELEASE),--release)

# PEER is one of them; RECORD=NAME records its outputs for tests/golden/peers.
peers: $(VENV)/built  ## run the tests and client programs of replaced packages with spanrs, each in its own environment
	cd tests && ../$(BIN)/python -m peers $(PEER) $(RECORD:%=--record %)

differential: $(VENV)/released  ## a million random sequences and 10^5 corpora against the peers, sources of files, once
	$(BIN)/python -m benches.versus.iobes_million
	$(BIN)/python -m benches.versus.differential
	$(BIN)/python -m benches.versus.differential_sources

versus: $(VENV)/released  ## speed and memory beside the peers, written to benches/record
	$(BIN)/python -m benches.versus.run
	$(BIN)/python -m benches.versus.iobes_calls

clean:  ## remove what was built
	rm -rf $(VENV) $(OLDEST) target dist
