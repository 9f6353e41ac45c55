"""The command line and the file functions beside seqscore 0.9.0 from PyPI, on made files."""

from __future__ import annotations

import io
import json
import tempfile
from pathlib import Path

import pytest
import seqscore.conll
import seqscore.encoding
import seqscore.model
import seqscore.processing
import seqscore.util
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from seqscore.scripts.seqscore import cli as theirs

from spanrs.compat import seqscore as compat
from spanrs.compat.seqscore import conll, encoding, model, processing, util
from spanrs.compat.seqscore.scripts.seqscore import cli as ours
from weird import LETTERS, answer, tags

WORDS = ["Rome", "fell", "2010", "#", "#1", "ü", "-DOCSTART-", "a,b", ""]


@st.composite
def lines(draw, name, *, weird):
    """A file of columns: mostly well-formed, sometimes with comments, boundaries, other columns and strange labels."""
    delim = draw(st.sampled_from(["\t", " "]))
    words = st.sampled_from(WORDS if weird else WORDS[:3])
    label = tags(LETTERS[name], weird=weird)
    plain = st.sampled_from(["O", f"{LETTERS[name][0]}-PER", f"{LETTERS[name][-1]}-LOC"])
    row = st.tuples(words, st.just("NN"), st.one_of(plain, label) if weird else plain)
    special = ["", "", f"-DOCSTART-{delim}-X-{delim}O"] + (["# comment", "#", "one"] if weird else [])
    sequence = st.lists(row.map(delim.join), min_size=1, max_size=5)
    blocks = draw(
        st.lists(st.one_of(sequence, st.sampled_from(special).map(lambda line: [line])), max_size=6)
    )
    end = draw(st.sampled_from(["\n", "\n", " \n"]))
    return "".join("".join(line + end for line in block) + "\n" for block in blocks)


READING = st.lists(
    st.sampled_from(
        [
            ["--allow-comment-lines"],
            ["--ignore-document-boundaries"],
            ["--token-index", "1"],
            ["--label-index", "1"],
            ["--label-index", "2"],
        ]
    ),
    max_size=2,
).map(lambda chosen: [part for parts in chosen for part in parts])
REPAIR = st.sampled_from([[], ["--repair-method", "conlleval"], ["--repair-method", "discard"]])
QUIET = st.sampled_from([[], ["-q"]])
WRITING = st.lists(
    st.sampled_from([["--output-delim", "tab"], ["--output-delim", ","], ["--discard-extra-fields"]]),
    max_size=2,
).map(lambda chosen: [part for parts in chosen for part in parts])


@st.composite
def calls(draw):
    """The arguments of a call, and its files."""
    name = draw(st.sampled_from(sorted(LETTERS)))
    weird = draw(st.booleans())
    text = draw(lines(name, weird=weird))
    other = draw(st.one_of(st.just(text), lines(name, weird=weird)))
    shuffled = text.replace("-LOC", "-ORG", draw(st.integers(0, 3)))
    files = {"gold": text, "pred": draw(st.sampled_from([text, shuffled, other])), "pred2": shuffled}
    files["map"] = draw(
        st.sampled_from(
            [
                json.dumps({"MISC": ["PER", "LOC"]}),
                json.dumps({"X": ["PER"], "Y": ["PER"]}),
                *(
                    '{"O": ["PER"]}',
                    '{"X": "PER"}',
                    '{"X": ["O"]}',
                    '{"": []}',
                    '["PER"]',
                    "{",
                    '{"X": [""]}',
                    '{"X": [1]}',
                ),
            ]
        )
    )
    labels, preds = (
        ["--labels", name],
        draw(st.sampled_from([["pred"], ["pred", "pred2"], ["gold", "pred", "pred2"]])),
    )
    types = st.sampled_from(
        [
            *([], ["--keep-types", "PER"], ["--remove-types", " LOC,PER"], ["--type-map", "map"]),
            *(
                ["--keep-types", "O"],
                ["--keep-types", "PER", "--remove-types", "LOC"],
                ["--type-map", "absent"],
            ),
            ["--type-map", "map", "--keep-types", "MISC"],
        ]
    )
    command = draw(
        st.sampled_from(["validate", "repair", "convert", "process", "count", "summarize", "score", "text"])
    )
    reading, quiet, writing = draw(READING), draw(QUIET), draw(WRITING)
    if command == "validate":
        args = [*preds, *labels, *quiet]
    elif command == "repair":
        args = ["pred", "out", *draw(REPAIR), *labels, *writing, *quiet]
    elif command == "convert":
        args = [
            "gold",
            "out",
            "--input-labels",
            name,
            "--output-labels",
            draw(st.sampled_from(sorted(LETTERS))),
            *writing,
        ]
    elif command == "process":
        args = ["gold", "out", *labels, *draw(types), *writing]
    elif command == "count":
        args = [
            *preds,
            *draw(st.sampled_from([[], ["--output-file", "out"]])),
            *draw(REPAIR),
            *labels,
            *writing[:2],
            *quiet,
        ]
        args = [arg for arg in args if arg != "--discard-extra-fields"]
    elif command == "summarize":
        args = [*preds, *draw(REPAIR), *labels, *quiet]
    elif command == "score":
        form = draw(st.sampled_from(["pretty", "conlleval", "delim"]))
        flags = draw(st.sampled_from([[], ["--error-counts"], ["--full-precision"], ["--delim", ";"]]))
        args = [
            *preds,
            "--reference",
            "gold",
            "--score-format",
            form,
            *flags,
            *draw(REPAIR),
            *labels,
            *quiet,
        ]
    else:
        command, args = "extract-text", [*preds, "out", *labels]
    return [command, *args, *reading], files


def outcome(command, args, files):
    runner = CliRunner()
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, text in files.items():
            Path(name).write_text(text, encoding="utf-8")
        result = runner.invoke(command, args, prog_name="seqscore")
        out = Path("out").read_text(encoding="utf-8") if Path("out").exists() else None
        error = result.exception
        raised = error and (type(error).__name__, str(error))
        if isinstance(error, IndexError):
            # The original has no place.
            raised = "IndexError"
        # The order of types in the means of several files is that of a set in the original.
        lines = result.output.split("\n")
        lines[:] = [line for line in lines if not line.startswith(("SE", "Mean"))] + sorted(
            line for line in lines if line.startswith(("SE", "Mean"))
        )
        # After an error there is no file instead of an incomplete one.
        return result.exit_code, lines, raised, out if result.exit_code == 0 else None


@settings(max_examples=300, deadline=None)
@given(calls())
def test_outputs_and_errors_are_those_there(call):
    args, files = call
    assert outcome(ours, args, files) == outcome(theirs, args, files)


GOLD_LINES = "Ada\tB-PER\nLovelace\tI-PER\nmet\tO\nBob\tB-PER\n\nin\tO\nRome\tB-LOC\nAcme\tB-ORG\n"
SCORED = {
    "gold": GOLD_LINES,
    "pred": GOLD_LINES.replace("I-PER", "O"),
    "pred2": GOLD_LINES.replace("B-LOC", "B-ORG"),
}


@pytest.mark.parametrize("flags", [[], ["--error-counts"], ["--full-precision"], ["--delim", ";"]])
@pytest.mark.parametrize("form", ["pretty", "conlleval", "delim"])
@pytest.mark.parametrize("preds", [["pred"], ["pred", "pred2"]])
def test_scores_have_every_form(preds, form, flags):
    args = ["score", *preds, "--reference", "gold", "--labels", "BIO", "--score-format", form, *flags]
    done = outcome(ours, args, SCORED)
    assert done == outcome(theirs, args, SCORED)
    # Random calls rarely get this far.
    refused = flags == ["--error-counts"] and (form == "conlleval" or len(preds) > 1)
    refused |= flags == ["--full-precision"] and form != "delim"
    assert (done[0] != 0) == refused


@pytest.mark.parametrize("name", ["", *sorted(theirs.commands)])
def test_commands_have_the_same_help(name):
    assert sorted(ours.commands) == sorted(theirs.commands)
    args = [*([name] if name else []), "--help"]
    assert outcome(ours, args, {}) == outcome(theirs, args, {})


def read(package, text, name, options):
    ingester = package.conll.CoNLLIngester(
        package.encoding.get_encoding(name), package.conll.LineSpec(0, -1), **options
    )
    results = [
        [(one.errors and [vars(error) for error in one.errors], one.n_tokens) for one in document]
        for document in ingester.validate(io.StringIO(text), "file")
    ]
    documents = ingester.ingest(io.StringIO(text), "file", None)
    for sequence in (sequence for document in documents for sequence in document):
        assert isinstance(sequence, package.model.TokenSequence)
    rows = [
        [
            (one.tokens_with_fields(), str(one), one.comment, repr(one.provenance), repr(one.mentions))
            for one in document
        ]
        for document in documents
    ]
    return results, rows


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_ingesters_read_and_validate_the_same(data):
    name = data.draw(st.sampled_from(sorted(LETTERS)))
    text = data.draw(lines(name, weird=data.draw(st.booleans())))
    options = {
        option: data.draw(st.booleans()) for option in ("allow_comment_lines", "ignore_document_boundaries")
    }
    assert answer(read, compat, text, name, options) == answer(read, seqscore, text, name, options)


@pytest.mark.parametrize(
    "dialect", ["BIOESDialect", "BILOUDialect", "BMESDialect", "BMEOWDialect", "changed"]
)
@pytest.mark.parametrize("name", ["IO", "IOB", "BIO", "BIOES"])
def test_encodings_take_dialects(name, dialect):
    results = []
    for package in (compat, seqscore):
        if dialect == "changed":
            letters = package.encoding.BIOESDialect()
            letters.inside, letters.outside, letters.label_delim = "C", "_", "/"
        else:
            letters = getattr(package.encoding, dialect)()
        created = getattr(package.encoding, name)(letters)
        mention, span = package.model.Mention, package.model.Span
        mentions = [mention(span(0, 2), "X"), mention(span(2, 3), "X"), mention(span(4, 7), "Y")]
        labels = list(created.encode_mentions(mentions, 8))
        decoded = [(one.type, one.span.start, one.span.end) for one in created.decode_labels(labels)]
        results.append((labels, decoded, vars(letters)))
    assert results[0] == results[1]


def test_constants_are_those_there():
    for module, original in (
        (conll, seqscore.conll),
        (encoding, seqscore.encoding),
        (model, seqscore.model),
    ):
        public = {
            name
            for name in vars(original)
            if name[0] != "_" and name.isupper() and isinstance(vars(original)[name], str | tuple)
        }
        assert {name: getattr(module, name) for name in public} == {
            name: getattr(original, name) for name in public
        }
    for module, original in ((util, seqscore.util), (processing, seqscore.processing)):
        defined = {
            name
            for name, value in vars(original).items()
            if getattr(value, "__module__", "") == original.__name__
        }
        assert defined <= set(vars(module))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text("ab \t\r\n", max_size=8), min_size=2, max_size=2))
def test_files_are_compared_alike(texts):
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in "ab"]
        for path, text in zip(paths, texts, strict=True):
            path.write_bytes(text.encode())
        for name in ("file_fields_match", "file_lines_match"):
            assert getattr(util, name)(*paths) == getattr(seqscore.util, name)(*paths)
