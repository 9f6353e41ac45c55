"""Signatures can be parsed and contain all settings needed to repeat the scoring."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import spanrs
from json_output import only_system
from spanrs import _spanrs
from spanrs.cli.group import group
from spanrs.cli.run import run
from spanrs.errors import SchemeError
from spanrs.eval.settings import parse_signature, short_signature, signature
from spanrs.tags import Dialect


def shortened(result):
    return short_signature(parse_signature(result.signature))


#: Names of types that need quoting, or appear to.
NAMES = [
    "A",
    "B",
    "a,b",
    'q"t',
    "p|q",
    "x=y",
    "s;t",
    "c:d",
    "\\",
    "é",
    "[]",
    "true",
    "a b",
    "-",
    '"',
    "matcher:exact",
]
SCHEMES = ["IOB", "BIO", "IOE1", "IOE2", "IOBES", "BILOU", "BMEWO", "BMES", "IO", "TOKEN"]
READINGS = [name for name in _spanrs.readings() if name != "refuse"]


def fits(scheme, reading):
    try:
        spanrs.Scorer(scheme=scheme, reading=reading)
    except SchemeError:
        return False
    return True


@st.composite
def options(draw):
    """Options of score, and the resulting types."""
    names = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True)
    kind = draw(st.sampled_from(["exact", "partial", "fair"]))
    matcher = kind
    if kind == "partial":
        matcher = spanrs.Partial(
            matching=draw(st.sampled_from(["greedy", "optimal"])),
            min_overlap=draw(st.sampled_from([0, 0.25, 1 / 3, 1])),
        )
    if kind == "fair":
        matcher = spanrs.Fair(
            weights=draw(
                st.sampled_from(["paper", "default", "LE = 1 FP, BE = 0.3 FN", "BES = 0.9 TP + 0.1 FN"])
            ),
            focus=draw(st.sampled_from(["gold", "pred"])),
            types=draw(st.none() | names),
            exclude=draw(st.just([]) | names),
        )
    separator = draw(st.sampled_from(["-", "_", "|", '"', ":", ","]))
    actual = {
        "matcher": matcher,
        "scheme": draw(st.sampled_from(SCHEMES)),
        "pred_scheme": draw(st.none() | st.sampled_from(SCHEMES)),
        "align": draw(st.sampled_from(["refuse", "report", "ignore"])),
        "dialect": Dialect(separator=separator, suffix=draw(st.booleans())),
    }
    # Not every reading is defined for every scheme.
    schemes = {actual["scheme"], actual["pred_scheme"] or actual["scheme"]}
    actual["reading"] = draw(
        st.sampled_from([name for name in READINGS if all(fits(item, name) for item in schemes)])
    )
    steps = []
    if kind == "exact":
        renames = st.dictionaries(
            st.sampled_from(NAMES), st.none() | st.sampled_from(NAMES), min_size=1, max_size=3
        )
        steps = draw(st.lists(names | renames, max_size=2))
    return actual, steps


#: Spans of (type, prefix) of gold and pred; TAB separates columns, as types have spaces.
SPANS = st.lists(
    st.tuples(
        st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from("BIO"), st.sampled_from("BIO")
    ),
    min_size=1,
    max_size=15,
)


def write(path, spans, dialect):
    """Write a file with both columns."""
    lines = []
    for at, (gold, pred, *prefixes) in enumerate(spans):
        tags = []
        for name, prefix in zip((gold, pred), prefixes, strict=True):
            parts = [name, prefix] if dialect.suffix else [prefix, name]
            tags.append("O" if prefix == "O" else dialect.separator.join(parts))
        lines.append("\t".join(["w", *tags]) + "\n" + "\n" * (at % 4 == 3))
    path.write_text("".join(lines), encoding="utf-8")


def scored(path, given, steps):
    result = spanrs.score(path, separator="\t", **given)
    for step in steps:
        result = result.with_types(step)
    return result


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("signatures")


def like(path, text, *more):
    """Score with --like; return the exit status and the parsed JSON."""
    out = path.with_name("out.json")
    out.unlink(missing_ok=True)
    arguments = [
        "score",
        str(path),
        "--separator",
        "tab",
        "--like",
        text,
        "--to",
        "json",
        "-o",
        str(out),
        *more,
    ]
    status = run(group, arguments)
    return status, only_system(out.read_text(encoding="utf-8")) if out.exists() else None


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(given=options(), spans=SPANS)
def test_the_signature_of_a_result_gives_the_same_counts(folder, capsys, given, spans):
    path = folder / "both"
    actual, steps = given
    write(path, spans, actual["dialect"])
    expected = scored(path, actual, steps)
    for text in (expected.signature, shortened(expected), f"signature {expected.signature}\n"):
        status, got = like(path, text)
        err = capsys.readouterr().err
        # None of the types of the signature need be in the file.
        if status and "no span has type" in err:
            assert not any(expected.totals)
            continue
        assert status == 0, err
        assert "differs from --like" not in err
        assert got["signature"] == expected.signature
        plain = expected.to_dict()
        for name in ("counts", "per_type_counts", "confusion", "sentences", "tokens", "criteria"):
            assert got.get(name) == json.loads(json.dumps(plain.get(name))), name


@settings(max_examples=100, deadline=None)
@given(options())
def test_long_and_short_signatures_are_read_as_they_were_written(given):
    actual, steps = given
    names = {name: value for name, value in actual.items() if name != "dialect"}
    result = spanrs.score(
        [["O"]],
        [["O"]],
        dialect=actual["dialect"],
        **{k: v for k, v in names.items() if k != "align"},
    )
    for step in steps:
        result = result.with_types(step)
    assert parse_signature(result.signature) == dict(result.settings)
    assert parse_signature(shortened(result)) == dict(result.settings)
    assert len(shortened(result)) < len(result.signature)
    assert signature(parse_signature(shortened(result))) == result.signature


@pytest.mark.parametrize(
    "text",
    ["", "signature", "m", "matcher:exact", "v:1", "matcher:exact|matcher:exact|version:1", "m:exact|matcher:fair|v:1",
     "matcher:exact|Scheme:BIO|version:1", 'matcher:exact|types:"A|version:1', "F1 93.2", "::::", "m:exact||v:1x|:"],
)  # fmt: skip
def test_other_text_is_refused(folder, text, capsys):
    with pytest.raises(SchemeError, match="is not a signature; one looks like"):
        parse_signature(text)
    path = folder / "refused"
    path.write_text("w\tB-A\tB-A\n")
    assert like(path, text)[0] == 2
    assert "is not a signature" in capsys.readouterr().err


CONTRADICTIONS = {
    "scheme": ["--scheme", "IOB"],
    "reading": ["--reading", "strict"],
    "matcher": ["--matcher", "fair"],
    "align": ["--align", "ignore"],
    "pred-scheme": ["--pred-scheme", "IOB"],
}


@pytest.mark.parametrize("option", CONTRADICTIONS)
def test_contradictions_are_refused(folder, option, capsys):
    path = folder / "contradiction"
    path.write_text("w\tB-A\tB-A\n")
    result = spanrs.score(path, scheme="BIO", pred_scheme="BILOU", align="report")
    assert like(path, result.signature, *CONTRADICTIONS[option])[0] == 2
    err = capsys.readouterr().err
    assert f"--{option} is" in err


def test_agreeing_options_are_accepted(folder):
    path = folder / "agreeing"
    path.write_text("w\tB-A\tB-A\n")
    result = spanrs.score(path, scheme="BIO", reading="strict")
    status, got = like(
        path, result.signature, "--scheme", "BIO", "--reading", "strict", "--matcher", "exact"
    )
    assert status == 0
    assert got["signature"] == result.signature


@pytest.mark.parametrize("option", [["--tag-separator", "_"], ["--suffix"]], ids=str)
def test_another_spelling_is_refused(folder, option, capsys):
    path = folder / "spelling"
    path.write_text("w\tB|A\tB|A\n")
    result = spanrs.score(path, scheme="BIO", dialect=Dialect(separator="|"), separator="\t")
    assert like(path, result.signature)[1]["counts"]["tp"] == 1
    assert like(path, result.signature, *option)[0] == 2
    assert "--like contradicts --tag-separator or --suffix" in capsys.readouterr().err


def test_signatures_of_other_commands_are_refused(folder, capsys):
    path = folder / "other"
    path.write_text("w\tB-A\tB-A\n")
    dep = spanrs.dep.evaluate(
        [spanrs.dep.Parse(["a"], [0], ["root"])], [spanrs.dep.Parse(["a"], [0], ["root"])]
    )
    compared = "matcher:exact|scheme:BIO|reading:conlleval|test:randomisation|samples:5|version:0.1.0"
    for text in (dep.signature, compared):
        assert like(path, text)[0] == 2
        assert "--like" in capsys.readouterr().err


def test_layers_are_repeated(folder):
    gold, pred = folder / "layers.gold", folder / "layers.pred"
    gold.write_text("a\tB-A\tO\nb\tO\tB-B\n")
    pred.write_text("a\tB-A\tO\nb\tO\tB-C\n")
    result = spanrs.score(gold, pred, scheme="BIO", tags=(1, 2))
    out = folder / "layers.json"
    assert run(group, ["score", str(gold), str(pred), "--like", shortened(result), "-o", str(out)]) == 0
    got = only_system(out.read_text())
    assert (got["signature"], got["counts"]) == (result.signature, result.to_dict()["counts"])


def test_another_version_is_noted(folder, capsys):
    path = folder / "version"
    path.write_text("w\tB-A\tB-A\n")
    result = spanrs.score(path, scheme="BIO")
    text = result.signature.replace(f"version:{spanrs.__version__}", "version:0.0.1")
    assert like(path, text)[0] == 0
    assert "the signature was written by version 0.0.1" in capsys.readouterr().err
