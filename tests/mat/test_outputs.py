"""CSV, formulas, workbooks, text, JSON, frames."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from pathlib import Path

import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from spanrs import mat
from spanrs.errors import SchemeError
from spanrs.io import Annotation, Document
from spanrs.mat.tables import ACCURACIES, MEASURES
from spanrs.report import mat_formulas

TEXT = "=SUM(1) saw Rome and\nParis"
GOLD = Document(TEXT, [Annotation("=PER", 0, 7), Annotation("LOC", 12, 16), Annotation("LOC", 21, 26)])
PRED = Document(TEXT, [Annotation("=PER", 0, 11), Annotation("ORG", 12, 16), Annotation("+X", 17, 20)])


@pytest.fixture
def result() -> mat.MatResult:
    return mat.score([GOLD, GOLD], [PRED, GOLD], details=True, by_document=True)


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
    formulas = openpyxl.load_workbook(path)
    assert formulas.sheetnames == ["bytag", "bypseudotoken", "bychar", "details", "confusability"]
    sheet = formulas["bytag"]
    header = [cell.value for cell in sheet[1]]
    assert header == list(result.tag.columns)
    last = sheet.max_row
    assert str(sheet.cell(last, header.index("precision") + 1).value).startswith("=IF(")
    # Text is text in a workbook, whatever it begins with.
    assert (sheet.cell(2, 2).value, sheet.cell(2, 2).data_type) == ("+X", "s")
    values = openpyxl.load_workbook(path, data_only=True)["bytag"]
    for row, want in zip(values.iter_rows(min_row=2, values_only=True), result.tag.rows, strict=True):
        for got, value in zip(row, want, strict=True):
            assert got == value
    assert formulas["details"].max_row == 1 + len(result.details)


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
    plain = json.loads(result.to_json())
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
    one, hundred = mat.score(GOLD, PRED), mat.score(GOLD, PRED, percent=True)
    for table in one.tables:
        for row, other in zip(one.table(table).dicts(), hundred.table(table).dicts(), strict=True):
            for name in MEASURES + (ACCURACIES if table != "tag" else ()):
                assert other[name] == pytest.approx(100 * row[name])
    hundred.to_csv(tmp_path)
    assert "100 * " in (tmp_path / "bytag.csv").read_text("utf-8")
    with pytest.raises(SchemeError, match="percent"):
        one + hundred


def test_a_label_may_be_called_like_the_row_of_all():
    gold = Document("a b", [Annotation("<all>", 0, 1), Annotation("Z", 2, 3)])
    result = mat.score(gold, gold, by_document=True)
    assert result.tag["<all>"]["match"] == 2
    formulas = mat_formulas.cells(result.tag, ",")
    at = result.tag.columns.index("match")
    assert [row[at] for row in formulas] == [1, 1, "=SUM(E2:E3)", "=SUM(E2)", "=SUM(E3)", "=SUM(E4)"]


def test_documents_of_one_name_are_summed_apart():
    gold = Document("a b", [Annotation("A", 0, 1)])
    one = mat.score(gold, gold, by_document=True)
    both = one + one
    at = both.tag.columns.index("match")
    formulas = [row[at] for row in mat_formulas.cells(both.tag, ",")]
    assert formulas == [1, "=SUM(E2)", 1, "=SUM(E4)", "=SUM(E2,E4)", "=SUM(E3,E5)"]
    assert [row["match"] for row in both.tag] == [1, 1, 1, 1, 2, 2]


def test_results_of_other_tasks_do_not_add_up():
    gold = Document("a b", [Annotation("A", 0, 1, {"k": "v"})])
    tasks = [mat.Task("T", [mat.Tag("A", "content", [(name, [("k", "v")])])]) for name in ("X", "Y")]
    one, other = (mat.score(gold, gold, task=task) for task in tasks)
    assert one.tag["X"]["match"] == other.tag["Y"]["match"] == 1
    with pytest.raises(SchemeError, match="made differently"):
        one + other
    assert (one + one).tag["X"]["match"] == 2
    drawn = [mat.score(gold, gold, confidence=10, seed=seed) for seed in (1, 2)]
    assert (drawn[0] + drawn[1]).spreads is None


def test_sums_of_many_cells_are_nested(tmp_path):
    """A call of a function takes thirty arguments at least, in all programs."""
    gold = [Document("a b", [Annotation("AB"[n % 2], 0, 1)]) for n in range(50)]
    result = mat.score(gold, gold, by_document=True)
    formulas = mat_formulas.cells(result.tag, ";")
    at = result.tag.columns.index("match")
    assert formulas[-3][at] == (
        "=SUM(SUM("
        + ";".join(f"E{2 + 4 * n}" for n in range(20))
        + ");SUM("
        + ";".join(f"E{2 + 4 * n}" for n in range(20, 25))
        + "))"
    )


def test_tables_that_are_not_there():
    result = mat.score(GOLD, PRED, tables=["token"])
    assert result.tables == ["tag"]
    with pytest.raises(LookupError, match="no tokens were found"):
        _ = result.token
    with pytest.raises(LookupError, match="not asked for"):
        _ = result.character
    with pytest.raises(ValueError, match="one of tag, token"):
        result.table("word")


def test_options_that_cannot_be():
    with pytest.raises(ValueError, match="two equivalence classes"):
        mat.score(GOLD, PRED, classes={"A": ["X"], "B": ["X"]})
    for wrong in ({"content": "PER"}, {"ignore": "PER"}, {"classes": {"X": "PER"}}, {"tables": "token"}):
        with pytest.raises(TypeError, match="as a list"):
            mat.score(GOLD, PRED, **wrong)
    for wrong in ({"confidence": 2**70}, {"seed": 2**64}, {"seed": -1}):
        with pytest.raises(ValueError, match="confidence takes"):
            mat.score(GOLD, PRED, **{"confidence": 1, **wrong})
    with pytest.raises(ValueError, match="unpaired_overlap"):
        mat.score(GOLD, PRED, unpaired_overlap="both")
    with pytest.raises(ValueError, match="threads must be 1"):
        mat.score(GOLD, PRED, threads=0)
    with pytest.raises(ValueError, match="no format"):
        mat.score("a.txt", "b.txt", format="word")


@pytest.mark.slow
@pytest.mark.parametrize("formulas", ["excel", "openoffice"])
def test_libreoffice_calculates_the_plain_values(shared, tmp_path, formulas):
    """Wants soffice on the path (Debian: libreoffice-calc); `make test-slow` runs it."""
    office = shutil.which("soffice") or pytest.fail("soffice is not on the path")
    from mat_cases import task

    folder = shared / "golden" / "mat" / "bulk" / "voa10"
    compared = 0
    for by_document in (False, True):
        for percent in (False, True):
            result = mat.score(
                folder / "ref",
                folder / "hyp",
                task=task(shared / "golden" / "mat", "G NE"),
                by_document=by_document,
                percent=percent,
                confidence=20,
            )
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
            for name in result.tables:
                table = result.table(name)
                [made] = (place / "out").glob(
                    f"by{name.replace('_', '').replace('character', 'char')}*.csv"
                )
                rows = read(made)
                assert rows[0] == list(table.columns)
                for got, want in zip(rows[1:], table.rows, strict=True):
                    for cell, value in zip(got, want, strict=True):
                        if isinstance(value, (int, float)):
                            assert float(cell) == pytest.approx(value, abs=1e-12), (name, cell, value)
                            compared += 1
    assert compared > 3000
