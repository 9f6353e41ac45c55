"""CSV, formulas, workbooks, text, JSON, frames."""

from __future__ import annotations

import copy
import csv
import io
import json
import pickle
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import spanrs
from spanrs import mat
from spanrs.errors import FormatError, SchemeError
from spanrs.eval import Measure
from spanrs.io import Annotation, Document
from spanrs.mat import formulas
from spanrs.mat.tables import ACCURACIES, MEASURES

TEXT = "=SUM(1) saw Rome and\nParis"
GOLD = Document(TEXT, [Annotation("=PER", 0, 7), Annotation("LOC", 12, 16), Annotation("LOC", 21, 26)])
PRED = Document(TEXT, [Annotation("=PER", 0, 11), Annotation("ORG", 12, 16), Annotation("+X", 17, 20)])


@pytest.fixture
def result() -> mat.MatTables:
    return mat.tables(
        spanrs.score([GOLD, GOLD], [PRED, GOLD], matcher=mat.Mat(), on_error="skip", details=True),
        by_document=True,
    )


def read(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_csv_cells_of_text_are_no_formulas(result, tmp_path):
    assert result.to_csv(tmp_path) == [
        "bytag.csv",
        "bypseudotoken.csv",
        "bychar.csv",
        "details.csv",
        "confusability.csv",
    ]
    details = read(tmp_path / "details.csv")
    assert details[1][2:] == ["'=PER", "0", "7", "'=PER", "0", "11", "'=SUM(1)", "'=SUM(1) saw"]
    assert {row[1] for row in read(tmp_path / "bytag.csv")} == {
        "tag",
        "'=PER",
        "'+X",
        "LOC",
        "ORG",
        "<all>",
    }
    assert read(tmp_path / "confusability.csv")[0] == [
        "",
        "'+X (ref)",
        "'=PER (ref)",
        "LOC (ref)",
        "ORG (ref)",
    ]
    raw = (tmp_path / "details.csv").read_bytes()
    assert raw.startswith(b"file,type,reflabel,")
    assert b"\r\n" in raw
    assert "\nParis" not in raw.decode()


def test_csv_without_formulas_has_the_values(result, tmp_path):
    result.to_csv(tmp_path, formulas=None)
    values = read(tmp_path / "bytag.csv")
    assert values[1:] == [
        ["" if v is None else str(v).replace("=PER", "'=PER").replace("+X", "'+X") for v in row]
        for row in result.tag.rows
    ]
    with pytest.raises(ValueError, match="unknown formulas"):
        result.to_csv(tmp_path, formulas="lotus")


def test_a_missing_directory_is_an_error_and_nothing_is_left(result, tmp_path):
    with pytest.raises(FileNotFoundError):
        result.to_csv(tmp_path / "none")
    assert list(tmp_path.iterdir()) == []


def test_a_workbook_has_live_formulas_with_their_values(result, tmp_path):
    path = tmp_path / "out.xlsx"
    result.to_xlsx(path)
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == ["bytag", "bypseudotoken", "bychar", "details", "confusability"]
    sheet = book["bytag"]
    header = [cell.value for cell in sheet[1]]
    assert header == list(result.tag.columns)
    last = sheet.max_row
    assert str(sheet.cell(last, header.index("precision") + 1).value).startswith("=IF(")
    # Text in a workbook is never a formula.
    assert (sheet.cell(2, 2).value, sheet.cell(2, 2).data_type) == ("+X", "s")
    values = openpyxl.load_workbook(path, data_only=True)["bytag"]
    for row, want in zip(values.iter_rows(min_row=2, values_only=True), result.tag.rows, strict=True):
        for got, value in zip(row, want, strict=True):
            assert got == value
    assert book["details"].max_row == 1 + len(result.details)


def test_frames(result):
    for table in (result.confusability, result.detail_table):
        assert table.to_polars().columns == table.to_arrow().column_names == list(table.columns)
        assert len(table.to_pandas()) == len(table.rows)
    assert len(result.tag) == len(list(result.tag)) == len(result.tag.rows)
    arrow, pandas, polars = result.tag.to_arrow(), result.tag.to_pandas(), result.tag.to_polars()
    assert isinstance(arrow, pa.Table)
    assert isinstance(pandas, pd.DataFrame)
    assert isinstance(polars, pl.DataFrame)
    assert arrow.column_names == list(pandas.columns) == polars.columns == list(result.tag.columns)
    assert arrow["match"].to_pylist() == pandas["match"].tolist() == polars["match"].to_list()


def test_json_and_text(result):
    plain = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert plain["tables"]["tag"][-1]["tag"] == "<all>"
    assert plain["details"][0]["type"] == "overmark"
    assert plain["signature"] == result.signature
    text = str(result)
    assert text.startswith("By tag:\n\n")
    assert "\n\nConfusability matrix:\n\n" in text
    widths = {len(line) for line in text.split("\n\n")[1].splitlines()}
    assert len(widths) == 1
    assert '"=SUM(1) saw"' in text


def test_per_cent_is_a_hundred_times_as_much(tmp_path):
    scored = spanrs.score(GOLD, PRED, matcher=mat.Mat(), on_error="skip")
    first, hundred = mat.tables(scored), mat.tables(scored, percent=True)
    for table in first.names:
        for row, item in zip(first.table(table).dicts(), hundred.table(table).dicts(), strict=True):
            for name in MEASURES + (ACCURACIES if table != "tag" else ()):
                assert item[name] == pytest.approx(100 * row[name])
    hundred.to_csv(tmp_path)
    assert "100 * " in (tmp_path / "bytag.csv").read_text("utf-8")
    # Results do not depend on how they are displayed, so all of them can be merged.
    sides = mat.tables(scored.merge(scored), percent=True)
    assert sides.signature == hundred.signature == first.signature
    for row, item in zip(sides.tag.dicts(), hundred.tag.dicts(), strict=True):
        assert row["match"] == 2 * item["match"]
        assert row["fmeasure"] == item["fmeasure"]


def test_a_label_may_be_called_like_the_row_of_all():
    gold = Document("a b", [Annotation("<all>", 0, 1), Annotation("Z", 2, 3)])
    result = mat.tables(spanrs.score(gold, gold, matcher=mat.Mat(), on_error="skip"), by_document=True)
    assert result.tag["<all>"]["match"] == 2
    cells = formulas.cells(result.tag, ",")
    at = result.tag.columns.index("match")
    assert [row[at] for row in cells] == [1, 1, "=SUM(E2:E3)", "=SUM(E2)", "=SUM(E3)", "=SUM(E4)"]


def test_documents_of_one_name_are_summed_apart():
    gold = Document("a b", [Annotation("A", 0, 1)])
    single = spanrs.score(gold, gold, matcher=mat.Mat(), on_error="skip")
    sides = mat.tables(single.merge(single), by_document=True)
    at = sides.tag.columns.index("match")
    cells = [row[at] for row in formulas.cells(sides.tag, ",")]
    assert cells == [1, "=SUM(E2)", 1, "=SUM(E4)", "=SUM(E2,E4)", "=SUM(E3,E5)"]
    assert [row["match"] for row in sides.tag] == [1, 1, 1, 1, 2, 2]


def test_results_of_other_tasks_do_not_add_up():
    gold = Document("a b", [Annotation("A", 0, 1, {"k": "v"})])
    tasks = [mat.Task("T", [mat.Tag("A", "content", [(name, [("k", "v")])])]) for name in ("X", "Y")]
    first, second = (
        spanrs.score(gold, gold, matcher=mat.Mat(task=task), on_error="skip") for task in tasks
    )
    assert mat.tables(first).tag["X"]["match"] == mat.tables(second).tag["Y"]["match"] == 1
    with pytest.raises(SchemeError, match="different settings cannot be merged"):
        first.merge(second)
    assert mat.tables(first.merge(first)).tag["X"]["match"] == 2


def test_results_add_up_whatever_was_drawn_from_them():
    gold = Document("a b", [Annotation("A", 0, 1, {"k": "v"})])
    first, second = (
        spanrs.score(gold, gold, matcher=mat.Mat(), on_error="skip"),
        spanrs.score(gold, gold, matcher=mat.Mat(), on_error="skip"),
    )
    for seed, result in ((1, first), (2, second)):
        assert f"|samples:10|seed:{seed}|" in mat.tables(result, confidence=10, seed=seed).signature
    sides = first.merge(second)
    assert sides.signature == first.signature
    assert "seed" not in sides.signature
    assert mat.tables(sides).spreads is None


def test_parts_without_tokens_do_not_speak_for_those_with_tokens():
    bare = Document("a b", [Annotation("A", 0, 1)])
    lex = Document("a b", [Annotation("A", 0, 1), Annotation("lex", 0, 1), Annotation("lex", 2, 3)])
    without, with_tokens = (
        spanrs.score(bare, bare, matcher=mat.Mat(), on_error="skip"),
        spanrs.score(lex, lex, matcher=mat.Mat(), on_error="skip"),
    )
    message = "Skipping token scoring because no tokens were found in the input documents."
    assert mat.tables(without).notes == [message]
    for pair in (without.merge(with_tokens), with_tokens.merge(without)):
        assert mat.tables(pair).notes == []
        assert mat.tables(pair).token["<all>"]["test toks"] == 2
    assert mat.tables(without.merge(without)).notes == [message]


def test_sums_of_many_cells_are_nested(tmp_path):
    """All spreadsheet programs accept at least thirty arguments."""
    gold = [Document("a b", [Annotation("AB"[n % 2], 0, 1)]) for n in range(50)]
    result = mat.tables(spanrs.score(gold, gold, matcher=mat.Mat(), on_error="skip"), by_document=True)
    cells = formulas.cells(result.tag, ";")
    at = result.tag.columns.index("match")
    assert cells[-3][at] == (
        "=SUM(SUM("
        + ";".join(f"E{2 + 4 * n}" for n in range(20))
        + ");SUM("
        + ";".join(f"E{2 + 4 * n}" for n in range(20, 25))
        + "))"
    )


def test_tables_that_are_not_there():
    result = mat.tables(spanrs.score(GOLD, PRED, matcher=mat.Mat(tables=["token"]), on_error="skip"))
    assert result.names == ["tag"]
    with pytest.raises(LookupError, match="no tokens were found"):
        _ = result.token
    with pytest.raises(LookupError, match="not requested"):
        _ = result.character
    with pytest.raises(ValueError, match="expected one of tag, token"):
        result.table("word")


def test_options_that_cannot_be():
    with pytest.raises(ValueError, match="two equivalence classes"):
        mat.Mat(classes={"A": ["X"], "B": ["X"]})
    for wrong in ({"content": "PER"}, {"ignore": "PER"}, {"classes": {"X": "PER"}}, {"tables": "token"}):
        with pytest.raises(TypeError, match="must be a list"):
            mat.Mat(**wrong)
    with pytest.raises(ValueError, match="unknown tables 'word'; expected one of tag, token"):
        mat.Mat(tables=["word"])
    with pytest.raises(ValueError, match="unpaired_overlap"):
        mat.Mat(unpaired_overlap="both")
    with pytest.raises(ValueError, match="unknown pieces 'cut'; expected one of cover, split, refuse"):
        mat.Mat(pieces="cut")
    result = spanrs.score(GOLD, PRED, matcher=mat.Mat(), on_error="skip")
    for wrong in ({"confidence": 2**70}, {"confidence": -1}, {"seed": 2**64}, {"seed": -1}):
        with pytest.raises(ValueError, match="confidence must be"):
            mat.tables(result, **{"confidence": 1, **wrong})
    with pytest.raises(ValueError, match="threads must be 1"):
        mat.tables(result, confidence=1, threads=0)
    with pytest.raises(ValueError, match="threads must be 1 or more, or 0 for all processors"):
        spanrs.score(GOLD, PRED, matcher=mat.Mat(), on_error="skip", threads=-1)
    with pytest.raises(ValueError, match="unknown format"):
        spanrs.score("a.txt", "b.txt", matcher=mat.Mat(), on_error="skip", format="word")


@pytest.fixture
def scored() -> spanrs.Result:
    """Two documents, one of them with tokens, and one that was skipped."""
    lex = [Annotation("lex", 0, 1), Annotation("lex", 2, 3)]
    gold = [replace(GOLD, id="one"), Document("a b", [Annotation("LOC", 0, 1), *lex], "two")]
    pred = [replace(PRED, id="one"), Document("a b", [Annotation("LOC", 0, 1), *lex], "two")]
    gold.append(Document("text", [], "three"))
    pred.append(Document("other", [], "three"))
    with pytest.warns(UserWarning, match="not everything was scored"):
        return spanrs.score(gold, pred, matcher=mat.Mat(), on_error="skip", details=True)


def test_every_table_is_a_criterion_of_the_result(scored):
    tables = mat.tables(scored)
    assert list(scored.matcher.criteria) == tables.names == ["tag", "token", "pseudo_token", "character"]
    for name in tables.names:
        criterion, table = scored[name], tables.table(name)
        rows = {"<all>": criterion.micro, **criterion.per_type}
        assert {row["tag"] for row in table} == set(rows)
        for label, score in rows.items():
            row = table[label]
            values = tuple(row[column] for column in ("precision", "recall", "fmeasure", "reftotal"))
            assert values == pytest.approx((score.precision, score.recall, score.f1, score.support))
        total = table["<all>"]
        right, wrong_pred, wrong_gold = criterion.totals
        assert right == total["match"]
        assert wrong_pred == total["hyponly"]
        assert wrong_gold == total["refonly"]
        assert [criterion.outcomes[kind] for kind in ("missing", "spurious")] == [
            total["missing"],
            total["spurious"],
        ]
        assert criterion.outcomes["clash"] == total["refclash"] == total["hypclash"]
    assert scored.micro == scored["tag"].micro
    by_document = mat.tables(scored, by_document=True).tag
    for document in scored.documents:
        [row] = [row for row in by_document if (row["file"], row["tag"]) == (document.name, "<all>")]
        assert document.micro.f1 == pytest.approx(row["fmeasure"])
        assert document.totals.tp == row["match"]


def test_tables_that_were_not_asked_for_are_no_criteria():
    result = spanrs.score(GOLD, PRED, matcher=mat.Mat(tables=["character"]), on_error="skip")
    assert list(result.matcher.criteria) == ["tag", "character"]
    with pytest.raises(KeyError, match=r"no criterion .*token.*; expected one of tag, character"):
        _ = result["token"]
    # Measures of tables that were not counted would all be 1.
    for text in (str(result), result.to_csv(), result.to_markdown(), result.to_html()):
        assert "character" in text
        assert "pseudo_token F1" not in text
        assert ",pseudo_token," not in text


@pytest.mark.parametrize("lex", [[], [Annotation("lex", 0, 3)]])
def test_tokens_that_could_not_be_scored_are_not_shown(lex):
    document = Document("a b", [Annotation("LOC", 0, 1), *lex])
    result = spanrs.score(document, document, matcher=mat.Mat(), on_error="skip")
    assert "token" not in mat.tables(result).names
    page = re.sub(r"(?s)<(style|script).*?</\1>", "", result.to_html())
    # The warnings explain why there are no token scores.
    page = re.sub(r'(?s)<ul class="lines">.*?</ul>', "", page)
    for text in (str(result), result.to_csv(), result.to_markdown(), page):
        assert re.search(r"\bpseudo_token\b", text)
        assert not re.search(r"\btoken\b", text.replace(result.signature, ""))


def test_resampled_measures_of_a_result_are_those_of_its_confidence(scored):
    wanted = [
        Measure("f1", criterion="tag"),
        Measure("recall", criterion="character", type="LOC"),
        Measure("precision", criterion="tag", type="=PER"),
    ]
    drawn = scored.bootstrap(wanted, samples=200, seed=5)
    assert drawn.values.shape == (200, 3)
    assert scored.bootstrap(samples=3).measures[0] == Measure("f1")
    second = scored.bootstrap(wanted, samples=200, seed=5, threads=3)
    np.testing.assert_array_equal(drawn.values, second.values)
    tables = mat.tables(scored, confidence=200, seed=5)
    for at, (table, label, name) in enumerate(
        (("tag", "<all>", "fmeasure"), ("character", "LOC", "recall"), ("tag", "=PER", "precision"))
    ):
        row, values = tables.table(table)[label], drawn.values[:, at]
        assert row[f"{name}_mean"] == pytest.approx(np.nanmean(values))
        assert row[f"{name}_variance"] == pytest.approx(np.nanvar(values))
    low, high = drawn.interval(wanted[0])
    assert low <= scored.micro.f1 <= high
    # Samples without the document that has the label are excluded.
    missing = np.isnan(drawn.values[:, 2]).sum()
    assert 0 < missing < 200
    assert {spread.samples for spread in tables.spreads["tag"][1]["=PER"]} == {200 - missing}
    assert not np.isnan(drawn.values[:, 0]).any()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"content": ["=PER", "LOC", "ORG"], "tokens": ["lex"], "ignore": ["ORG"]},
        {"classes": {"PLACE": ["LOC", "ORG"]}, "tables": ["character"], "unpaired_overlap": "clash"},
        {"task": mat.Task("T", [mat.Tag("LOC", "content", [("CITY", [("size", "big")])])])},
    ],
)
def test_a_stored_result_is_the_same_with_its_options(options):
    result = spanrs.score([GOLD, GOLD], [PRED, GOLD], matcher=mat.Mat(**options), on_error="skip")
    for again in (
        spanrs.Result.from_json(result.to_json()),
        spanrs.Result.from_json(result.to_json(indent=1).encode()),
        spanrs.Result.from_bytes(result.to_bytes()),
        pickle.loads(pickle.dumps(result)),
        copy.deepcopy(result),
    ):
        assert again.counts == result.counts
        assert again.matcher == result.matcher
        assert hash(again.matcher) == hash(result.matcher)
        assert again.signature == result.signature
        assert again.to_dict() == result.to_dict()
        assert mat.tables(again).to_dict() == mat.tables(result).to_dict()
        assert again.merge(result).counts == result.merge(result).counts


def test_a_stored_result_knows_what_was_skipped_and_noted(scored):
    for again in (spanrs.Result.from_json(scored.to_json()), spanrs.Result.from_bytes(scored.to_bytes())):
        assert again == scored
        assert again.details is None
        assert again.evidence == scored.evidence
        assert [item.message for item in again.evidence.skipped] == [
            item.message for item in scored.evidence.skipped
        ]
        assert [type(item) for item in again.evidence.skipped] == [mat.Skipped]
        assert mat.tables(again).skipped == mat.tables(scored).skipped
        assert mat.tables(again).notes == mat.tables(scored).notes
    # Pickles also contain details.
    again = pickle.loads(pickle.dumps(scored))
    assert again.details == scored.details
    assert again.to_json() == scored.to_json()


def test_json_has_criteria_documents_and_details(scored):
    plain = json.loads(scored.to_json(state=False))
    assert plain["criterion"] == "tag"
    assert plain["criteria"]["character"]["micro"]["f1"] == scored["character"].micro.f1
    assert [row["name"] for row in plain["documents"]] == ["one", "two"]
    assert plain["details"]["tag"][0]["type"] == "overmark"
    assert plain["confusion"] == [
        {"gold": gold, "pred": pred, "count": n} for gold, pred, n in scored.confusion.triples()
    ]
    assert "state" not in plain
    with pytest.raises(FormatError):
        spanrs.Result.from_json(json.dumps(plain))


def test_pages_and_texts_of_a_result_show_its_measures(scored):
    f1 = {name: f"{100 * scored[name].micro.f1:.2f}" for name in scored.matcher.criteria}
    page, markdown, text, latex = (
        scored.to_html(title="<T>"),
        scored.to_markdown(),
        str(scored),
        scored.to_latex(),
    )
    assert "&lt;T&gt;" in page
    assert "<T>" not in page
    assert "https:" not in page
    for shown in (page, markdown, text, latex, scored._repr_html_()):
        assert all(value in shown for value in f1.values())
    for name, value in f1.items():
        marked = re.escape(name.replace("_", r"\_"))
        assert re.search(rf"^\| {marked} \|.*\| {value} \|$", markdown, re.MULTILINE)
    for shown in (page, markdown, text, scored._repr_html_()):
        assert scored.signature in shown
    assert f"tag {scored.micro.f1:.4f}" in repr(scored)


def test_csv_and_table_of_a_result_have_every_type_and_document(scored):
    rows = list(csv.DictReader(io.StringIO(scored.to_csv())))
    by_place = {(row["document"], row["type"], row["criterion"]): row for row in rows}
    assert len(by_place) == len(rows)
    for name in scored.matcher.criteria:
        criterion = scored[name]
        for label, score in criterion.per_type.items():
            # A spreadsheet would interpret these as formulas.
            row = by_place["", f"'{label}" if label[0] in "=+" else label, name]
            assert float(row["f1"]) == score.f1
            assert int(row["match"]) == criterion.per_type.outcomes[label]["match"]
        assert float(by_place["", "", name]["precision"]) == criterion.micro.precision
        for document in criterion.documents:
            assert float(by_place[document.name, "", name]["recall"]) == document.micro.recall
    table = scored.to_table()
    assert table.columns == ("document", "criterion", "outcome", "gold", "pred", "n")
    assert ("one", "tag", "overmark", "=PER", "=PER", 1) in table.rows
    assert table.to_polars()["n"].sum() == sum(n for *_, n in scored.counts.cells())


def test_documents_with_weights_have_measures_but_no_tables(scored):
    weighted = scored.with_document_weights([1, 3])
    assert weighted.outcomes["match"] == 3
    assert weighted.totals.tp == 3
    with pytest.raises(ValueError, match="pass the result without weights"):
        mat.tables(weighted)


def test_tables_are_of_results_of_this_matcher_only():
    with pytest.raises(TypeError, match="not of the matcher exact"):
        mat.tables(spanrs.score([["B-A"]], [["B-A"]]))


@pytest.mark.slow
@pytest.mark.parametrize("formulas", ["excel", "openoffice"])
def test_libreoffice_calculates_the_plain_values(shared, tmp_path, formulas):
    """Requires soffice in PATH (Debian: libreoffice-calc); `make test-slow` runs it."""
    office = shutil.which("soffice") or pytest.fail("soffice is not on the path")
    from mat_cases import task

    folder = shared / "golden" / "mat" / "bulk" / "voa10"
    matcher = mat.Mat(task=task(shared / "golden" / "mat", "G NE"))
    scored = spanrs.score(
        folder / "ref", folder / "hyp", matcher=matcher, on_error="skip", format="mat-json"
    )
    compared = 0
    for by_document in (False, True):
        for percent in (False, True):
            result = mat.tables(scored, by_document=by_document, percent=percent, confidence=20)
            place = tmp_path / f"{by_document}-{percent}"
            place.mkdir()
            result.to_csv(place, formulas=formulas, confusability=False)
            # Comma between cells, quotes, UTF-8, from line 1, no types, en-US, no quoted text, detect
            # numbers, no formatted values, and: formulas are formulas.
            into = "44,34,76,1,,1033,false,true,false,false,false,-1,true"
            separator = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,false,false,-1"
            command = [office, "--headless", f"-env:UserInstallation=file://{tmp_path}/profile"]
            command += [f"--infilter=Text - txt - csv (StarCalc):{into}", "--convert-to", separator]
            files = [str(file) for file in sorted(place.glob("*.csv"))]
            subprocess.run([*command, "--outdir", str(place / "out"), *files], check=True, timeout=110)
            for name in result.names:
                table = result.table(name)
                [created] = (place / "out").glob(
                    f"by{name.replace('_', '').replace('character', 'char')}*.csv"
                )
                rows = read(created)
                assert rows[0] == list(table.columns)
                for got, want in zip(rows[1:], table.rows, strict=True):
                    for cell, value in zip(got, want, strict=True):
                        if isinstance(value, (int, float)):
                            assert float(cell) == pytest.approx(value, abs=1e-12), (name, cell, value)
                            compared += 1
    assert compared > 3000
