"""Storing, copying, merging and displaying results and scorers."""

from __future__ import annotations

import copy
import csv
import io
import json
import pickle
from dataclasses import replace
from html import escape
from itertools import product

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spanrs
from spanrs.errors import FormatError
from spanrs.eval.tables import tables

GOLD = [["B-A", "I-A", "O", "I-B"], ["B-C"], ["O", "B-A"]]
PRED = [["B-A", "O", "O", "B-C"], ["B-C"], ["I-C", "B-A"]]
MATCHERS = {
    "exact": "exact",
    "greedy": "partial",
    "optimal": spanrs.Partial(matching="optimal", min_overlap=0.25),
    "fair": "fair",
    "fair with options": spanrs.Fair(
        weights="LE = 1 FP, BE = 0.3 FN", focus="pred", types=["A", "C"], exclude=["X"]
    ),
}
DOCUMENTS = {
    "no documents": {},
    "sizes": {"by": [2, 1]},
    "names": {"by": ["z", "z", "é"]},
    "weights": {"document_weights": [1, 0.1, 3]},
    "weights of names": {"by": ["z", "a", "m"], "document_weights": [1, 0.1, 3]},
}
COPIES = {
    "bytes": lambda result: spanrs.Result.from_bytes(result.to_bytes()),
    "json": lambda result: spanrs.Result.from_json(result.to_json()),
    "indented json": lambda result: spanrs.Result.from_json(result.to_json(2).encode()),
    "pickle": lambda result: pickle.loads(pickle.dumps(result)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


def made(matcher="exact", documents="no documents", **options):
    return spanrs.score(
        GOLD, PRED, scheme="BIO", matcher=MATCHERS[matcher], **DOCUMENTS[documents], **options
    )


def same(got, expected):
    """All content of a result except details is equal."""
    assert type(got) is spanrs.Result
    assert got == expected
    assert got.to_dict() == expected.to_dict()
    assert got.counts == expected.counts
    assert got.counts.documents() == expected.counts.documents()
    assert got.counts.by_document == expected.counts.by_document
    assert sorted(got.counts.cells(), key=str) == sorted(expected.counts.cells(), key=str)
    names = ("matcher", "settings", "evidence", "document_weights", "signature", "violations")
    for name in names:
        assert getattr(got, name) == getattr(expected, name), name
    assert (str(got), repr(got)) == (str(expected), repr(expected))
    assert got.to_bytes() == expected.to_bytes()


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize(("matcher", "documents"), list(product(MATCHERS, DOCUMENTS)))
def test_results_are_the_same_after_storing(matcher, documents, how):
    result = made(matcher, documents)
    got = COPIES[how](result)
    same(got, result)
    # The copies can be used like the original.
    same(got.merge(result), result.merge(result))
    if result.document_weights is not None:
        same(got.with_document_weights([5, 0, 1]), result.with_document_weights([5, 0, 1]))


@pytest.mark.parametrize("matcher", MATCHERS)
def test_details_go_through_pickles_and_copies_and_not_through_bytes(matcher):
    result = made(matcher, "weights of names", details=True)
    assert any(result.details.values())
    for how in ("pickle", "copy", "deepcopy"):
        got = COPIES[how](result)
        assert got.details == result.details
        same(got, result)
    for how in ("bytes", "json"):
        got = COPIES[how](result)
        assert got.details is None
        assert got.to_dict() == {key: value for key, value in result.to_dict().items() if key != "details"}


def test_results_are_equal_by_content():
    result = made("exact", "weights of names")
    assert result == made("exact", "weights of names", errors=True)
    assert result != result.to_dict()
    unequal = {
        "counts": spanrs.score(GOLD, GOLD, scheme="BIO", **DOCUMENTS["weights of names"]),
        "settings": made("exact", "weights of names", max_violations=3).with_types(["A", "B", "C", "D"]),
        "matcher": made("fair", "weights of names"),
        "violations": made("exact", "weights of names", max_violations=0),
        "weights": result.with_document_weights([1, 0.1, 4]),
        "order": spanrs.score(
            GOLD[::-1], PRED[::-1], scheme="BIO", by=["m", "a", "z"], document_weights=[1, 0.1, 3]
        ),
        "rows": replace(made("exact", "sizes"), by_sentence=True),
    }
    assert made("exact", "sizes") != unequal.pop("rows")
    assert [name for name, changed in unequal.items() if changed == result] == []
    with pytest.raises(TypeError, match="unhashable"):
        hash(result)


def test_stored_documents_keep_their_order():
    result = spanrs.score(
        [["B-A"], ["B-A"]], [["B-A"], ["O"]], scheme="BIO", by=["z", "a"], document_weights=[1, 5]
    )
    for how in COPIES.values():
        got = how(result)
        assert [(row.name, row.totals) for row in got.documents] == [("z", (1, 0, 0)), ("a", (0, 0, 1))]
        assert got.totals == result.totals == (1, 0, 5)
        assert [row["name"] for row in got.to_dict()["documents"]] == ["z", "a"]


def test_json_has_a_state_unless_told_otherwise():
    result = made("fair", "names")
    assert json.loads(result.to_json(state=False)) == json.loads(json.dumps(result.to_dict()))
    parsed = json.loads(result.to_json())
    assert isinstance(parsed.pop("state"), str)
    assert parsed == json.loads(result.to_json(state=False))
    without = [
        result.to_json(state=False),
        "[]",
        "{",
        "3",
        "",
        '{"state": 3}',
        '{"state": "?"}',
        '{"state": ""}',
    ]
    for text in without:
        for kind in (str, str.encode):
            with pytest.raises(FormatError):
                spanrs.Result.from_json(kind(text))
    damaged = json.loads(result.to_json())
    damaged["state"] = damaged["state"][:-8]
    with pytest.raises(FormatError) as caught:
        spanrs.Result.from_json(json.dumps(damaged))
    assert caught.value.code == "damaged"


@pytest.mark.parametrize("documents", ["no documents", "weights of names"])
@pytest.mark.parametrize("matcher", ["exact", "optimal", "fair with options"])
def test_damaged_bytes_are_refused_or_a_result(matcher, documents):
    stored = made(matcher, documents).to_bytes()
    for end in range(len(stored)):
        with pytest.raises(FormatError):
            spanrs.Result.from_bytes(stored[:end])
    with pytest.raises(FormatError):
        spanrs.Result.from_bytes(stored + b"\0")
    refused = 0
    for at in range(len(stored)):
        for flip in (1, 2, 4, 8, 16, 32, 64, 128, 255):
            damaged = stored[:at] + bytes([stored[at] ^ flip]) + stored[at + 1 :]
            try:
                result = spanrs.Result.from_bytes(damaged)
            except FormatError:
                refused += 1
            else:
                assert type(result) is spanrs.Result
                assert result.to_dict()["signature"] == result.signature
                assert str(result)
                assert type(result.merge(result)) is spanrs.Result
                assert result.to_csv()
                assert result.to_html()
    assert refused > len(stored)


SCORERS = {
    "pickle": lambda scorer: pickle.loads(pickle.dumps(scorer)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


def counted(matcher, *, by, scheme="BIO"):
    scorer = spanrs.Scorer(scheme=scheme, matcher=MATCHERS[matcher], by=by, max_violations=3)
    if by == "document":
        scorer.update(GOLD[:2], PRED[:2], by=["z", "a"])
    else:
        scorer.update(GOLD[:2], PRED[:2])
    return scorer


@pytest.mark.parametrize("how", SCORERS)
@pytest.mark.parametrize("by", [None, "document"])
@pytest.mark.parametrize("matcher", MATCHERS)
def test_scorers_go_on_after_a_copy(matcher, by, how):
    scorer = counted(matcher, by=by)
    second = SCORERS[how](scorer)
    same(second.result(), scorer.result())
    assert second.matcher == scorer.matcher
    before = scorer.result()
    for item in (second, scorer):
        item.update(GOLD[2:], PRED[2:])
        if by == "document":
            item.end_document("m")
            assert item.result().counts.documents() == ["z", "a", "m"]
        if item is second:
            # The two have nothing in common.
            same(scorer.result(), before)
    same(second.result(), scorer.result())
    assert second.result().sentences == 3


@pytest.mark.parametrize("how", SCORERS)
def test_an_open_document_stays_open_after_a_copy(how):
    scorer = spanrs.Scorer(scheme="BIO", by="document")
    scorer.update(GOLD[:1], PRED[:1])
    second = SCORERS[how](scorer)
    for item in (scorer, second):
        item.update(GOLD[1:], PRED[1:])
        item.end_document("whole")
    assert [row.sentences for row in second.result().documents] == [3]
    same(second.result(), scorer.result())


@pytest.mark.parametrize("how", SCORERS)
def test_copies_of_scorers_keep_all_settings(how):
    scorer = spanrs.Scorer(
        reading="strict",
        matcher="fair",
        pred_scheme="IOBES",
        vocabulary=["O", "B-A", "S-A"],
        align="report",
        dialect=spanrs.tags.Dialect(unknown_is_outside=True),
        max_violations=1,
        threads=2,
    )
    for _ in range(2):
        scorer = SCORERS[how](scorer)
        scorer.update([[0, 1]], [[0, 2]])
    result = scorer.result()
    assert result.totals == (2, 0, 0)
    names = {"scheme": "BIO", "pred_scheme": "IOBES", "reading": "strict"}
    assert names.items() <= result.settings.items()
    assert "|align:report|" in result.signature
    assert "|unknown_is_outside:true|" in result.signature


def test_a_scorer_that_is_reset_has_seen_nothing():
    for name, matcher in MATCHERS.items():
        scorer = counted(name, by="document", scheme="auto")
        scorer.merge(scorer)
        scorer.reset()
        fresh = spanrs.Scorer(matcher=matcher, by="document", max_violations=3)
        same(scorer.result(), fresh.result())
        # The scheme is detected again.
        for item in (scorer, fresh):
            item.update([["S-A"]], [["S-A"]])
            item.end_document("new")
        same(scorer.result(), fresh.result())
        assert scorer.result().settings["scheme"] == "IOBES"


def test_a_scorer_may_have_the_vocabulary_of_all_batches():
    names = ["O", "B-A", "I-A"]
    expected = spanrs.score([["B-A", "I-A"]], [["B-A", "O"]], scheme="BIO")
    for vocabulary in (
        names,
        iter(names),
        dict(enumerate(names)),
        {name: at for at, name in enumerate(names)},
    ):
        scorer = spanrs.Scorer(scheme="BIO", vocabulary=vocabulary)
        for _ in range(2):
            scorer.update([[1, 2, -100]], [[1, 0, 7]])
        same(scorer.result(), expected.merge(expected))
        scorer.reset()
        # A batch may have another one.
        scorer.update([[0, 1]], [[0, 2]], vocabulary=["B-A", "I-A", "O"])
        same(scorer.result(), expected)
    with pytest.raises(ValueError, match="without gaps"):
        spanrs.Scorer(vocabulary={"O": 0, "B-A": 2})


TAGS = ["O", "O", "B-A", "I-A", "B-B", "I-B"]
SENTENCE = st.lists(st.tuples(st.sampled_from(TAGS), st.sampled_from(TAGS)), max_size=6)
CORPUS = st.lists(st.lists(SENTENCE, min_size=1, max_size=3), min_size=1, max_size=6)


@settings(max_examples=80, deadline=None)
@given(CORPUS, st.sampled_from(sorted(MATCHERS)), st.data())
def test_shards_merge_in_any_order_to_the_bytes_of_the_whole(other_process, corpus, matcher, data):
    named = [(f"document {at}", sentences) for at, sentences in enumerate(corpus)]

    def scored(part):
        sides = [
            [[pair[side] for pair in s] for _, sentences in part for s in sentences] for side in (0, 1)
        ]
        names = [name for name, sentences in part for _ in sentences]
        return spanrs.score(*sides, scheme="BIO", matcher=MATCHERS[matcher], by=names)

    whole = scored(named)
    places = data.draw(st.lists(st.integers(0, 3), min_size=len(named), max_size=len(named)))
    order = data.draw(st.permutations(named))
    shards = [[entry for entry, at in zip(order, places, strict=True) if at == shard] for shard in range(4)]
    stored = [scored(shard).to_bytes() for shard in shards if shard]
    shuffled = data.draw(st.permutations(stored))
    cut = data.draw(st.integers(1, len(shuffled)))
    first, *rest = map(spanrs.Result.from_bytes, shuffled)
    # Results are serialized to be merged in another process.
    merged = other_process(spanrs.Result.merge, first, *rest[: cut - 1])
    for second in rest[cut - 1 :]:
        merged = merged.merge(second)
    assert merged.counts.to_bytes() == whole.counts.to_bytes()
    assert merged.counts == whole.counts
    rows = [
        sorted((row.name, row.totals, row.outcomes) for row in entry.documents) for entry in (merged, whole)
    ]
    assert [row[:2] for row in rows[0]] == [row[:2] for row in rows[1]]
    for name in whole.matcher.criteria:
        assert merged[name].to_dict() == whole[name].to_dict()
    assert (merged.confusion, merged.accuracy) == (whole.confusion, whole.accuracy)
    for side, item in whole.violations.items():
        assert merged.violations[side].count == item.count


ROWS = {
    "gold": [["B-A", "O"], ["B-B"], ["B-A"]],
    "pred": [["B-A", "B-C"], ["O"], ["B-A"]],
    "name": ["x", "x", "y"],
    "number": [7, 7, 8],
}
TABLES = {
    "pyarrow": pa.table,
    "pyarrow in chunks": lambda rows: pa.concat_tables(
        [pa.table(rows).slice(0, 1), pa.table(rows).slice(1)]
    ),
    "record batch": lambda rows: pa.table(rows).to_batches()[0],
    "stream": lambda rows: pa.table(rows).to_reader(max_chunksize=1),
    "polars": pl.DataFrame,
}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("matcher", MATCHERS)
def test_tables_are_scored_as_their_columns(matcher, table):
    make, how = TABLES[table], {"matcher": MATCHERS[matcher]}
    for scheme in ("auto", "BIO"):
        expected = spanrs.score(ROWS["gold"], ROWS["pred"], scheme=scheme, **how)
        same(spanrs.score(make(ROWS), scheme=scheme, **how), expected)
        swapped = spanrs.score(ROWS["pred"], ROWS["gold"], scheme=scheme, **how)
        same(spanrs.score(make(ROWS), gold="pred", pred="gold", scheme=scheme, **how), swapped)
        for column, names in (("name", ["x", "x", "y"]), ("number", ["7", "7", "8"])):
            result = spanrs.score(make(ROWS), documents=column, by="document", scheme=scheme, **how)
            same(result, spanrs.score(ROWS["gold"], ROWS["pred"], scheme=scheme, by=names, **how))
            assert [row.name for row in result.documents] == names[1:]
    scorer = spanrs.Scorer(scheme="BIO", by="document", **how)
    scorer.update(make(ROWS), documents="name")
    named = spanrs.score(ROWS["gold"], ROWS["pred"], scheme="BIO", by=ROWS["name"], **how)
    same(scorer.result(), named)


def test_columns_of_tables_that_are_not_there_are_named():
    for make in (pa.table, pl.DataFrame):
        for names in ({"gold": "golt"}, {"pred": "golt"}, {"documents": "golt", "by": "document"}):
            with pytest.raises(
                FormatError, match="no column 'golt'; the columns are gold, pred, name, number"
            ):
                spanrs.score(make(ROWS), **names)
        with pytest.raises(spanrs.errors.AlignmentError, match="document 'x' is not contiguous"):
            spanrs.score(make(ROWS | {"name": ["x", "y", "x"]}), documents="name", by="document")
    with pytest.raises(TypeError):
        spanrs.score([ROWS])


def test_a_table_without_a_document_for_a_sentence_is_refused():
    for make in (pa.table, pl.DataFrame):
        for column in (["x", None, "y"], [7, None, 8]):
            with pytest.raises(FormatError, match="row 1 has no document: 'name' is null"):
                spanrs.score(make(ROWS | {"name": column}), documents="name", by="document")


@pytest.mark.parametrize("matcher", MATCHERS)
def test_a_gold_file_is_scored_against_several(matcher, tmp_path):
    texts = {
        "gold": "a B-A\nb I-A\n\n-DOCSTART- O\n\nc B-B\n",
        "one": "a B-A\nb O\n\nc B-B\n",
        "two": "a O\nb B-A\n\nc B-A\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    paths = [tmp_path / "one", tmp_path / "two"]
    options = {"matcher": MATCHERS[matcher], "by": "document"}
    expected = {str(path): spanrs.score(tmp_path / "gold", path, **options) for path in paths}
    # A corpus is read again for each of them.
    for gold in (str(tmp_path / "gold"), spanrs.read(tmp_path / "gold")):
        results = {str(path): spanrs.score(gold, path, **options) for path in paths}
        for name, result in results.items():
            assert result.to_dict() == expected[name].to_dict()
            assert result.counts == expected[name].counts
            assert [row.sentences for row in result.documents] == [1, 1]
    with pytest.raises(FileNotFoundError, match="none"):
        spanrs.score(tmp_path / "gold", tmp_path / "none")


@pytest.mark.parametrize("documents", DOCUMENTS)
@pytest.mark.parametrize("matcher", MATCHERS)
def test_long_tables_hold_every_cell(matcher, documents):
    result = made(matcher, documents)
    table = result.to_table()
    assert table.columns == ("document", "criterion", "outcome", "gold", "pred", "n")
    assert len(table) == len(table.rows) == len(set(table.rows)) > 0
    data = table.to_arrow().to_pylist()
    assert [tuple(row.values()) for row in data] == table.rows
    assert table.to_polars().rows() == table.rows
    frame = table.to_pandas()
    assert list(frame.columns) == list(table.columns)
    assert frame.astype(object).where(frame.notna(), None).to_numpy().tolist() == [
        list(row) for row in table.rows
    ]
    assert pa.table(table).equals(table.to_arrow())
    for name in result.matcher.criteria:
        criterion = result[name].criterion
        if criterion.cells == criterion.index:
            counts = {
                outcome: sum(row[5] for row in table.rows if row[1:3] == (name, outcome))
                for outcome in criterion.outcomes
            }
            unweighted = spanrs.score(GOLD, PRED, scheme="BIO", matcher=MATCHERS[matcher])[name].outcomes
            assert counts == {outcome: unweighted[outcome] for outcome in criterion.outcomes}
    expected = {None} if documents == "no documents" else {str(key) for key in result.counts.documents()}
    assert {row[0] for row in table.rows} == expected


def test_long_tables_have_the_same_columns_for_every_result():
    wanted = pa.schema(
        [(name, pa.string()) for name in ("document", "criterion", "outcome", "gold", "pred")]
    )
    wanted = wanted.append(pa.field("n", pa.int64()))
    frames = []
    for result in (
        made("exact", "names"),
        made("fair"),
        spanrs.score([["O"]], [["O"]], scheme="BIO"),
        spanrs.score([], [], scheme="BIO"),
    ):
        table = result.to_table()
        assert table.to_arrow().schema.equals(wanted)
        assert table.to_polars().schema == {
            **dict.fromkeys(wanted.names[:5], pl.String),
            "n": pl.Int64,
        }
        assert str(table.to_pandas().dtypes["n"]) == "int64"
        frames.append(table.to_polars())
    assert len(pl.concat(frames)) == sum(map(len, frames))


#: Types that are markup somewhere.
ODD = [
    "<b>",
    "a|b",
    "a_b",
    "=1+1",
    "&amp;",
    "$x^2~",
    "%c",
    "[red]",
    "*s*",
    "a\\b",
    "{x}",
    "#",
    '"q"',
    "a,b",
]
#: LaTeX replacements of characters.
LATEX = {character: f"\\{character}" for character in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",
    "*": "{*}",
}


def shown(matcher, **options):
    """A result with every unusual type, and the first names in tables of types and documents."""
    gold = [[(name, 3 * at, 3 * at + 2)] for at, name in enumerate(ODD)]
    pred = [[(name, 3 * at, 3 * at + 1 + at % 2)] for at, name in enumerate(ODD)]
    result = spanrs.score(gold, pred, matcher=MATCHERS[matcher], **options)
    assert list(result.per_type) == sorted(ODD)
    return result


@pytest.fixture(params=["exact", "optimal", "fair"])
def odd(request):
    return shown(request.param, by=ODD)


def test_csv_holds_every_type_and_no_formula(odd):
    head, *rows = csv.reader(io.StringIO(odd.to_csv()))
    first, *measures = odd.per_type.columns
    assert head[:10] == ["document", first, "criterion", *measures]
    # Outcomes have separate columns, even if they are named like the totals.
    outcomes = {name for criterion in odd.matcher.criteria for name in odd[criterion].columns}
    totals = {"tp", "fp", "fn"}
    assert set(head[10:]) == outcomes - totals | {f"outcome_{name}" for name in outcomes & totals}
    criteria = list(odd.matcher.criteria)
    named = ["'" + name if name == "=1+1" else name for name in (*sorted(ODD), *ODD)]
    types = [(row[1], row[2]) for row in rows if row[1]]
    assert types == [(name, criterion) for name in named[: len(ODD)] for criterion in criteria]
    documents = [(row[0], row[2]) for row in rows if row[0]]
    assert documents == [(name, criterion) for name in named[len(ODD) :] for criterion in criteria]
    for row in rows:
        assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row)
        if row[1] and row[1] in odd.per_type:
            columns = odd[row[2]].per_type.to_dict()[row[1]]
            assert [float(cell) for cell in row[3:10]] == list(columns.values())


@pytest.mark.parametrize("matcher", MATCHERS)
def test_per_type_is_a_mapping_and_a_frame(matcher):
    types = made(matcher, "weights").per_type
    assert dict(types) == {name: types[name] for name in ("A", "B", "C") if name in types}
    rows = [
        (name, score.precision, score.recall, score.f1, score.support, *types.totals[name])
        for name, score in types.items()
    ]
    assert types.rows == rows
    frame = types.to_pandas()
    assert list(frame.columns) == types.to_polars().columns == types.to_arrow().column_names
    assert list(frame.columns) == ["type", "precision", "recall", "f1", "support", "tp", "fp", "fn"]
    assert types.to_polars().rows() == rows == [tuple(row) for row in frame.itertuples(index=False)]
    assert pickle.loads(pickle.dumps(types)).to_dict() == types.to_dict()
    nothing = spanrs.score([["O"]], [["O"]], scheme="BIO", matcher=MATCHERS[matcher]).per_type
    assert nothing.to_arrow().column_names == types.to_arrow().column_names
    if all(isinstance(count, int) for row in rows for count in row[4:]):
        assert set(frame.dtypes[4:].astype(str)) == {"int64"}


def test_html_holds_every_type_escaped(odd):
    for text in (odd.to_html(title="<i>title</i>"), odd._repr_html_()):
        plain = text.replace("&#34;", "&quot;").replace("&#39;", "&#x27;")
        for name in ODD:
            assert f">{escape(name)}<" in plain, name
    fragment = odd._repr_html_()
    # The only bold names are those of the last rows.
    bold = [part.split("</b>")[0] for part in fragment.split("<b>")[1:]]
    assert not set(bold) & {escape(name) for name in ODD if name.startswith("<")}
    page = odd.to_html(title="<i>title</i>")
    assert "<i>" not in page
    assert "<b>" not in page
    assert "&lt;i&gt;title&lt;/i&gt;" in page


def test_markdown_holds_every_type_escaped(odd):
    text = odd.to_markdown(documents=True)
    assert "<b>" not in text
    widths = set()
    rows = []
    for block in text.split("\n\n"):
        lines = block.split("\n")
        if lines[0].startswith("|"):
            # Bars with a backslash before them are no borders.
            cells = [line.replace("\\\\", "\0").replace("\\|", "\1").split("|")[1:-1] for line in lines]
            assert len({len(row) for row in cells}) == 1
            widths.add(len(cells[0]))
            rows += [
                [cell.replace("\1", "|").replace("\0", "\\\\").strip() for cell in row] for row in cells
            ]
    assert widths
    names = {row[0] for row in rows}
    for name in ODD:
        marked = name.replace("\\", "\\\\")
        for character in "*_[]~`":
            marked = marked.replace(character, f"\\{character}")
        assert escape(marked, quote=False) in names, name
    assert text.rstrip().endswith(f"`{odd.signature}`")


def test_latex_holds_every_type_escaped(odd):
    text = odd.to_latex(documents=True)
    lines = text.splitlines()
    assert (
        text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == len(tables(odd, documents=True))
    )
    names = [line.split(" & ")[0] for line in lines if " & " in line]
    for name in ODD:
        marked = "".join(LATEX.get(character, character) for character in name).replace("]", "{]}")
        alike = [item.replace("]", "{]}").replace("{{]}}", "{]}") for item in names]
        assert marked in alike, name
    # After \\ a bracket or a star would be parsed as an argument.
    assert not any(line.startswith(("[", "*")) for line in lines)
    assert lines[-1] == f"% {odd.signature}"


def test_documents_are_shown_where_they_are_asked_for(odd):
    for show in (odd.to_markdown, odd.to_latex):
        assert "Documents" in show(documents=True)
        assert "Documents" not in show()
    assert "document" not in str(odd)
    assert [table.title for table in tables(odd, documents=True)][:-1] == [t.title for t in tables(odd)]


def test_latex_has_the_rules_of_booktabs_and_the_best_system_in_bold():
    table = tables(made())[0].latex().splitlines()
    assert [line for line in table if line.startswith("\\") and "&" not in line] == [
        r"\begin{tabular}{lrrrrrrr}",
        r"\toprule",
        r"\midrule",
        r"\midrule",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    systems = {"a_1": PRED, "b": GOLD, "c": GOLD, "none": [["O"] * len(row) for row in GOLD]}
    compared = spanrs.compare(GOLD, systems, samples=9)
    text = compared.to_latex()
    rows = [line for line in text.splitlines() if " to " in line][:4]
    assert [row.split(" & ")[1] for row in rows] == [
        "44.44",
        r"\textbf{100.00}",
        r"\textbf{100.00}",
        "0.00",
    ]
    assert rows[0].startswith(r"a\_1 & ")
    assert text.startswith("% \\usepackage{booktabs}\n\n% Systems\n\\begin{tabular}")
    assert text.splitlines()[-1] == f"% {compared.signature}"
    assert "Differences by type" in compared.to_latex(by_type=True)
    markdown = compared.to_markdown(by_type=True)
    assert "**Differences by type" in markdown
    assert markdown.endswith(f"`{compared.signature}`\n")


def test_text_holds_every_type_as_it_is(odd):
    rows = str(odd).splitlines()
    for name in ODD:
        assert any(row.startswith(f"{name} ") for row in rows), name
