"""The drop-in for the HIPE scorer, beside its published definition: every pair of spans, scenario by scenario."""

from __future__ import annotations

import csv
import datetime
import json
import random
import re
import statistics
import subprocess
import sys

import pytest

from spanrs.compat.hipe import Evaluator
from spanrs.compat.hipe.__main__ import main
from spanrs.errors import AlignmentError, FormatError

HEADER = "TOKEN\tNE-COARSE-LIT\tNE-COARSE-METO\tMISC"
TAGS = ["O", "O", "B-loc", "I-loc", "B-pers", "I-pers", "_"]


def corpus(rng):
    """Documents of (metadata, segments of (word, gold, pred, distance))."""
    made = []
    for number in range(rng.randint(1, 4)):
        segments = []
        for _ in range(rng.randint(1, 3)):
            size = rng.randint(1, 8)
            gold = [rng.choice(TAGS) for _ in range(size)]
            pred = [tag if rng.random() < 0.6 else rng.choice([*TAGS, "B-time"]) for tag in gold]
            segments.append(
                [
                    (rng.choice("abc"), g, p, rng.choice([None, 0.0, 0.3]))
                    for g, p in zip(gold, pred, strict=True)
                ]
            )
        made.append(
            ({"date": f"19{rng.randint(0, 9)}0-01-01", "language": rng.choice(["de", "fr"])}, segments)
        )
        made[-1][0]["document_id"] = f"d{number}"
    return made


def written(made, side, *, layout="2022"):
    """The text of a file; in the layout of 2020 metadata are before the document's id, and comments are padded."""
    lines = [HEADER]
    padding = "\t" * HEADER.count("\t") if layout == "2020" else ""
    for metadata, segments in made:
        prefix = "hipe2022:" if layout == "2022" else ""
        comments = [f"# {prefix}{key} = {metadata[key]}" for key in ("document_id", "date", "language")]
        for comment in comments if layout == "2022" else [*comments[1:], comments[0]]:
            lines.append(comment + padding)
        for segment in segments:
            lines.append("# segment_iiif_link = _" + padding)
            for word, gold, pred, distance in segment:
                misc = "_" if distance is None else f"NoSpaceAfter|LED{distance}"
                lines.append(f"{word}\t{pred if side else gold}\tO\t{misc}")
        lines.append("")
    return "\n".join(lines)


@pytest.fixture
def files(tmp_path):
    def write(made, layout="2022"):
        paths = tmp_path / "gold.tsv", tmp_path / "pred.tsv"
        for side, path in enumerate(paths):
            path.write_text(written(made, side, layout=layout), encoding="utf-8")
        return paths

    return write


def spans(tags):
    """(type, first, last) of conlleval's reading."""
    found = []
    for at, tag in enumerate(tags):
        if tag in ("O", "_"):
            continue
        name = tag[2:].upper()
        if tag[0] == "I" and found and found[-1][0] == name and found[-1][2] == at - 1:
            found[-1][2] = at
        else:
            found.append([name, at, at])
    return [tuple(span) for span in found]


def scenarios(gold, pred):
    """Yield (type, kind) by the scenarios of the overview paper; all pairs are compared."""
    hit = set()
    for name, first, last in pred:
        if (name, first, last) in gold:
            hit.add((name, first, last))
            yield name, "I"
            continue
        for other in gold:
            overlap = set(range(first, last + 1)) & set(range(other[1], other[2] + 1))
            if other[1:] == (first, last):
                hit.add(other)
                yield other[0], "IV"
                break
            if overlap and other not in hit:
                hit.add(other)
                yield other[0], "V" if other[0] == name else "VI"
                break
        else:
            yield name, "II"
    for other in gold:
        if other not in hit:
            yield other[0], "III"


CORRECT = {"strict": ["I"], "ent_type": ["I", "V"], "partial": ["I", "IV"], "exact": ["I", "IV"]}


def expected_figures(documents, schema):
    def measures(kinds):
        credit = sum(kind in CORRECT[schema] for kind in kinds)
        if schema == "partial":
            credit += 0.5 * sum(kind in ("V", "VI") for kind in kinds)
        actual, possible = (sum(kind != absent for kind in kinds) for absent in ("III", "II"))
        p, r = (credit / n if n else 0 for n in (actual, possible))
        return (p, r, 2 * p * r / (p + r) if p + r else 0), actual, possible

    rows = [measures(kinds) for kinds in documents]
    scores, actual, possible = measures([kind for kinds in documents for kind in kinds])
    every = [kind for kinds in documents for kind in kinds]
    correct = sum(kind in CORRECT[schema] for kind in every)
    partial = sum(kind in ("V", "VI") for kind in every) if schema == "partial" else 0
    missed, spurious = (every.count(kind) for kind in ("III", "II"))
    figures = {
        "actual": actual,
        "possible": possible,
        "correct": correct,
        "partial": partial,
        "missed": missed,
        "spurious": spurious,
        "incorrect": len(every) - correct - partial - missed - spurious,
        "TP": correct,
        "FP": actual - correct,
        "FN": possible - correct,
    }
    for at, name in enumerate(("P", "R", "F1")):
        kept = [row[0][at] for row in rows if (row[1] or at == 1) and (row[2] or at == 0)]
        figures[f"{name}_micro"] = scores[at]
        figures[f"{name}_macro_doc"] = statistics.fmean(kept) if kept else None
        figures[f"{name}_macro_doc_std"] = statistics.pstdev(kept) if kept else None
    return figures


def expected(made, *, merged, noise=None, tags=()):
    types = {g[2:].upper() for _, segments in made for segment in segments for _, g, _, _ in segment} - {""}
    types |= set(tags)
    documents = []
    for _, segments in made:
        parts = [[row for segment in segments for row in segment]] if merged else segments
        kinds = []
        for part in parts:
            rows = [row for row in part if noise is None or row[3] is None or noise[0] <= row[3] < noise[1]]
            sides = (
                [span for span in spans([row[at] for row in rows]) if span[0] in types] for at in (1, 2)
            )
            kinds += scenarios(*sides)
        documents.append(kinds)
    names = {name for kinds in documents for name, _ in kinds}
    tables = {}
    for schema in CORRECT:
        rows = {
            name: expected_figures([[k for n, k in kinds if n == name] for kinds in documents], schema)
            for name in names
        }
        total = expected_figures([[k for _, k in kinds] for kinds in documents], schema)
        for measure in ("P", "R", "F1"):
            scores = [row[f"{measure}_micro"] for row in rows.values()]
            total[f"{measure}_macro"] = statistics.fmean(scores) if scores else 0
        p, r = total["P_macro"], total["R_macro"]
        total["F1_macro (recomputed from P & R)"] = 2 * p * r / (p + r) if p + r else 0
        tables[schema] = (total, rows)
    return tables


def is_annotated(made):
    return any(g[2:] for _, segments in made for segment in segments for _, g, _, _ in segment)


def check(got, tables):
    figures, per_type = got
    for schema, (total, rows) in tables.items():
        assert set(per_type) == set(rows)
        for values, wanted in [(figures, total), *((per_type[name], rows[name]) for name in rows)]:
            found = {key: values[schema][key] for key in wanted}
            assert found == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("seed", range(300))
def test_figures_are_those_of_the_definition(seed, files):
    rng = random.Random(seed)
    made = corpus(rng)
    evaluator = Evaluator(*files(made, rng.choice(["2020", "2022"])))
    if not is_annotated(made):
        with pytest.raises(ValueError, match="has no annotations"):
            evaluator.evaluate("NE-COARSE-LIT")
        return
    for merged in (False, True):
        check(evaluator.evaluate("NE-COARSE-LIT", merge_lines=merged), expected(made, merged=merged))
    noise = (0.1, 0.5)
    check(
        evaluator.evaluate("NE-COARSE-LIT", tags=["time"], merge_lines=True, noise_level=noise),
        expected(
            made, merged=True, noise=noise, tags={t for t in ["TIME"] if "B-time" in written(made, 1)}
        ),
    )
    # Types are those of all documents, so the whole corpus must have a span in the documents that are left.
    german = [document for document in made if document[0]["language"] == "de"]
    if {t for t, _, _ in all_spans(german)} == {t for t, _, _ in all_spans(made)}:
        got = evaluator.evaluate("NE-COARSE-LIT", metadata=("language", "de"))
        check(got, expected(german, merged=False))


def all_spans(made):
    return [
        span for _, segments in made for segment in segments for span in spans([row[1] for row in segment])
    ]


def test_comments_of_pred_are_not_needed(files):
    made = corpus(random.Random(5))
    gold, pred = files(made)
    plain = pred.with_name("plain.tsv")
    plain.write_text(re.sub(r"(?m)^(#.*)?\n", "", pred.read_text()))
    assert Evaluator(gold, plain).evaluate("NE-COARSE-LIT") == Evaluator(gold, pred).evaluate(
        "NE-COARSE-LIT"
    )


def test_the_command_writes_a_table_and_json(files, tmp_path, capsys):
    made = corpus(random.Random(11))
    gold, pred = files(made)
    years = "1900-1950,1950-2000"
    tagset = tmp_path / "tags"
    tagset.write_text("time\n")
    args = ["--ref", gold, "--pred", pred, "--task", "nerc_coarse", "--outdir", tmp_path]
    more = ["--time-period", years, "--by", "language", "--suffix", "x", "--noise-level", "0.0-0.0,0.2-1.0"]
    main([str(arg) for arg in [*args, *more, "--tagset", tagset]])
    assert "no annotations in column NE-COARSE-METO" in capsys.readouterr().err
    table = (tmp_path / "pred_nerc_coarse_x.tsv").read_text()
    rows = list(csv.DictReader(table.splitlines(), delimiter="\t"))
    stored = json.loads((tmp_path / "pred_nerc_coarse_x.json").read_text())["NE-COARSE-LIT"]
    assert set(stored) == {"TIME-ALL", "TIME-1900-1950", "TIME-1950-2000"}
    languages = {metadata["language"] for metadata, _ in made}
    levels = ("LED-ALL", "LED-0.0-0.0", "LED-0.2-1.0")
    slices = ("", *(f"-language={name}" for name in languages))
    assert set(stored["TIME-ALL"]) == {level + name for level in levels for name in slices}
    by_level = [stored["TIME-ALL"][level]["ALL"]["strict"]["possible"] for level in levels]
    assert by_level[0] > by_level[1] > 0
    assert by_level[0] > by_level[2] > 0
    wanted = "NE-COARSE-LIT-macro_doc-fuzzy-x-TIME-ALL-LED-ALL"
    (row,) = [row for row in rows if row["Evaluation"] == wanted and row["Label"] == "ALL"]
    figures = Evaluator(gold, pred).evaluate("NE-COARSE-LIT", tags=["TIME"], merge_lines=True)[0][
        "ent_type"
    ]
    assert float(row["F1"]) == round(figures["F1_macro_doc"], 3)
    assert float(row["F1_std"]) == round(figures["F1_macro_doc_std"], 3)
    periods = [stored[name]["LED-ALL"]["ALL"]["strict"]["possible"] for name in stored]
    assert periods[0] == sum(periods[1:])


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", FormatError, "the file is empty"),
        ("a\tO\tO\t_\n", FormatError, "pred.tsv:1: there is no header before the first token"),
        (f"{HEADER}\na\tO\tO\n", FormatError, "pred.tsv:2: the header has 4 columns, but this line has 3"),
        (f"{HEADER}\nb\tO\tO\t_\n", AlignmentError, "pred.tsv:2: the token is 'b', but 'a' in "),
        (f"{HEADER}\n", AlignmentError, "has 1; the first that is missing is 'a' in "),
        (f"{HEADER}\na\tO\tO\t_\n{HEADER}\n", FormatError, "pred.tsv:3: the header is repeated"),
        (f"{HEADER}\n\tO\tO\t_\n", FormatError, "pred.tsv:2: the token is empty"),
        (
            f"{HEADER}\na\tloc\tO\t_\n",
            FormatError,
            "pred.tsv:2: 'loc' in column NE-COARSE-LIT is not a tag",
        ),
        (
            f"{HEADER}\na\tB-a|B-b\tO\t_\n",
            FormatError,
            "pred.tsv:2: 'B-a|B-b' in column NE-COARSE-LIT is not a",
        ),
        (
            "TOKEN\tNE\na\tO\n",
            FormatError,
            "pred.tsv: there is no column 'NE-COARSE-LIT'; it has TOKEN, NE",
        ),
        (f"{HEADER}\na\tO\tO\t\udcff\n", FormatError, "pred.tsv:2: the file is not utf-8"),
    ],
)
def test_malformed_files_are_refused(text, error, message, tmp_path):
    gold, pred = tmp_path / "gold.tsv", tmp_path / "pred.tsv"
    gold.write_text(f"{HEADER}\n# document_id = x\na\tB-loc\tO\t_\n")
    pred.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(error, match=re.escape(message)):
        Evaluator(gold, pred).evaluate("NE-COARSE-LIT")


@pytest.fixture
def one(tmp_path):
    gold = tmp_path / "gold.tsv"
    gold.write_text(f"{HEADER}\n# document_id = x\na\tB-loc\tO\t_\n")
    return gold


def run(gold, *options):
    args = ["--ref", gold, "--pred", gold, "--task", "nerc_coarse", *options]
    command = [sys.executable, "-m", "spanrs.compat.hipe", *args]
    return subprocess.run(command, cwd=gold.parent, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--time-period", "1900-1950"], "gold.tsv:3: document 'x' has no date"),
        (["--time-period", "1950-1900"], "1900-01-01 is before 1950-01-01"),
        (["--time-period", "99999999999999999999-1950"], "is not of the form 1900-1950"),
        (["--noise-level", "0.5-0.1"], "0.1 is before 0.5"),
        (["--by", "language"], "has the metadata 'language'"),
        (["--outdir", "absent"], "there is no directory 'absent'"),
        (["--task", "nerc_fine"], "has no annotations for nerc_fine"),
    ],
)
def test_what_cannot_be_scored_is_refused(options, message, one):
    done = run(one, *options)
    assert done.returncode
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in one.parent.iterdir()] == ["gold.tsv"]


def test_types_that_gold_does_not_have_are_named(one):
    pred = one.with_name("pred.tsv")
    pred.write_text(one.read_text().replace("B-loc", "B-prod"))
    done = run(one, "--pred", pred)
    assert "types of" in done.stderr
    assert "that gold does not have are ignored: PROD" in done.stderr


def test_periods_of_one_year_have_labels_of_their_own(one):
    one.write_text(one.read_text().replace("# document_id", "# date = 1900-05-01\n# document_id"))
    done = run(one, "--time-period", "1900/01/01-1900/06/01,1900/05/01-1900/06/01,1900/06/01-1900/12/31")
    assert "there are no spans in TIME-1900-06-01-1900-12-31-LED-ALL; it is not scored" in done.stderr
    stored = json.loads((one.parent / "gold_nerc_coarse.json").read_text())["NE-COARSE-LIT"]
    assert list(stored) == ["TIME-ALL", "TIME-1900-01-01-1900-06-01", "TIME-1900-05-01-1900-06-01"]
    assert all(values["LED-ALL"]["ALL"]["strict"]["TP"] == 1 for values in stored.values())


def test_arguments_of_the_original_are_accepted(one):
    one.write_text(one.read_text().replace("# document_id", "# date = 1900-05-01\n# document_id"))
    evaluator = Evaluator(one, one)
    period = (datetime.datetime(1900, 1, 1), datetime.datetime(1901, 1, 1))
    figures, _ = evaluator.evaluate(["NE-COARSE-LIT"], "nerc", None, True, 1, None, period)
    assert figures["strict"]["TP"] == 1
    with pytest.raises(ValueError, match="only 'nerc' is provided"):
        evaluator.evaluate("NE-COARSE-LIT", "nel")
    with pytest.raises(ValueError, match="in one column, not in 2"):
        evaluator.evaluate(["NE-COARSE-LIT", "NE-COARSE-METO"])
