"""Small cases of MATScore: manually written documents and pairings, and tables computed by spanrs."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from statistics import fmean, pvariance
from typing import Any

import mat_cases
import spanrs
from golden import mat_arguments
from spanrs import mat
from spanrs.mat import formulas
from spanrs.mat.tables import MEASURES

TEXT = "Ada Lovelace met Charles Babbage in London in June"
NEWS = "Turing wrote to Church from Princeton last May"
NOTE = "Hopper and Hamilton saw Boston"
#: What is annotated: (label, the annotated words). The documents of a case: (text, gold, pred, pairing).
#: A pairing: (number of the gold annotation or None, number of the pred annotation or None, kind).
Annotated = list[tuple[str, str]]
Pairing = list[tuple[int | None, int | None, str]]
Document = tuple[str, Annotated, Annotated, Pairing]

PEOPLE = [("PER", "Ada Lovelace"), ("PER", "Charles Babbage"), ("LOC", "London")]
ONE = (
    TEXT,
    PEOPLE,
    [("PER", "Ada Lovelace"), ("LOC", "London"), ("DATE", "June")],
    [(0, 0, "match"), (1, None, "missing"), (2, 1, "match"), (None, 2, "spurious")],
)
TWO = (
    NEWS,
    [("PER", "Turing"), ("PER", "Church"), ("DATE", "last May")],
    [("PER", "Turing"), ("LOC", "Church"), ("DATE", "May")],
    [(0, 0, "match"), (1, 1, "tagclash"), (2, 2, "undermark")],
)
THREE = (
    NOTE,
    [("PER", "Hopper")],
    [("PER", "Hopper"), ("PER", "Hamilton")],
    [(0, 0, "match"), (None, 1, "spurious")],
)
#: Name -> what it shows, documents, further arguments.
CASES: dict[str, tuple[str, list[Document], list[str]]] = {
    "one_to_one": ("a match, a missing and a spurious annotation", [ONE], []),
    "boundaries": (
        "equal labels with other boundaries",
        [
            (
                TEXT,
                [("PER", "Ada Lovelace"), ("PER", "Charles"), ("LOC", "in London")],
                [("PER", "Ada"), ("PER", "Charles Babbage"), ("LOC", "London in")],
                [(0, 0, "undermark"), (1, 1, "overmark"), (2, 2, "overlap")],
            )
        ],
        [],
    ),
    "labels_and_boundaries": (
        "other labels, with equal and with other boundaries",
        [
            (
                TEXT,
                [("PER", "Ada Lovelace"), ("PER", "Charles"), ("LOC", "London in")],
                [("LOC", "Ada Lovelace"), ("LOC", "Charles Babbage"), ("DATE", "in June")],
                [(0, 0, "tagclash"), (1, 1, "tagplusovermark"), (2, 2, "tagplusoverlap")],
            )
        ],
        [],
    ),
    "several_candidates": (
        "the more similar annotation is the partner; of equal ones only one",
        [
            (
                TEXT,
                [
                    ("PER", "Ada Lovelace met Charles"),
                    ("LOC", "in London"),
                    ("DATE", "June"),
                    ("DATE", "June"),
                ],
                [("PER", "Ada"), ("PER", "Lovelace met"), ("PER", "London"), ("DATE", "June")],
                [
                    (None, 0, "spurious"),
                    (0, 1, "undermark"),
                    (1, 2, "tagplusundermark"),
                    (2, 3, "match"),
                    (3, None, "missing"),
                ],
            )
        ],
        [],
    ),
    "without_annotations": (
        "one side has nothing",
        [(NOTE, [("PER", "Hopper"), ("LOC", "Boston")], [], [(0, None, "missing"), (1, None, "missing")])],
        [],
    ),
    "classes": (
        "labels that are counted as one, and a label that is ignored",
        [
            (
                NEWS,
                [("MAN", "Turing"), ("MAN", "Church"), ("DATE", "last May")],
                [("WHO", "Turing"), ("LOC", "Church"), ("DATE", "May")],
                [(0, 0, "match"), (1, 1, "tagclash")],
            )
        ],
        ["--equivalence_class", "PER", "MAN,WHO", "--ignore", "DATE"],
    ),
    "three_documents": (
        "documents of a folder, with tokens",
        [ONE, TWO, THREE],
        ["--token_annotations", "lex", "--by_token"],
    ),
    "aliases": (
        "the labels are the aliases that a task gives to a value of an attribute",
        [
            (
                NEWS,
                [("PERSON", "Turing"), ("PERSON", "Church"), ("PLACE", "Princeton")],
                [("PERSON", "Turing"), ("PLACE", "Church"), ("PERSON", "wrote")],
                [(0, 0, "match"), (1, 1, "tagclash"), (2, None, "missing"), (None, 2, "spurious")],
            )
        ],
        ["--task", "Names"],
    ),
    "byte_order_mark": ("a file that begins with a byte order mark", [ONE, TWO], []),
}
#: The task of the case `aliases`.
TASK = """\
<tasks>
  <task name="Names"><tags inherit_structure="yes">
    <tag name="NAME" category="content">
      <attr_set name="PERSON"><attr name="type" value="PER"/></attr_set>
      <attr_set name="PLACE"><attr name="type" value="LOC"/></attr_set>
    </tag>
  </tags></task>
</tasks>
"""
ALIASES = {"PERSON": "PER", "PLACE": "LOC"}
#: The cases whose tables are also recorded with a column for each kind of clash.
DETAILED = {"labels_and_boundaries", "three_documents"}
TABLES = {"tag": "bytag", "token": "bytoken", "pseudo_token": "bypseudotoken", "character": "bychar"}


def content(name: str) -> list[str]:
    if name == "aliases":
        return []
    return ["--content_annotations", "MAN,WHO,LOC,DATE" if name == "classes" else "PER,LOC,DATE"]


def place(text: str, words: str) -> list[int]:
    start = text.index(words)
    return [start, start + len(words)]


def mat_json(text: str, annotated: Annotated, *, tokens: bool) -> str:
    sets: dict[str, list[list[int]]] = {}
    if tokens:
        sets["lex"] = [list(token.span()) for token in re.finditer(r"\S+", text)]
    names = []
    for label, words in annotated:
        if label in ALIASES:
            names.append([*place(text, words), ALIASES[label]])
        else:
            sets.setdefault(label, []).append(place(text, words))
    collected = [{"type": label, "attrs": [], "annots": places} for label, places in sets.items()]
    if names:
        collected.append({"type": "NAME", "attrs": ["type"], "annots": names})
    return json.dumps({"signal": text, "metadata": {}, "asets": collected}) + "\n"


def write_documents(folder: Path, name: str) -> None:
    _, documents, _ = CASES[name]
    for number, (text, gold, pred, _) in enumerate(documents, 1):
        for side, annotated in (("ref", gold), ("hyp", pred)):
            path = folder / "cases" / name / side / f"d{number}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            mark = "\ufeff" if name == "byte_order_mark" and number == 2 else ""
            path.write_text(mark + mat_json(text, annotated, tokens=name == "three_documents"), "utf-8")


def arguments(name: str) -> list[str]:
    _, documents, more = CASES[name]
    several = len(documents) > 1
    sides = ["--file", "hyp/d1.json", "--ref_file", "ref/d1.json"]
    if several:
        sides = ["--dir", "hyp", "--ref_dir", "ref"]
    tables = ["--by_pseudo_token", "--by_character", "--details", "--confusability"]
    return [*sides, *content(name), *more, *tables]


def pairing(name: str) -> list[dict[str, Any]]:
    """Return the pairs written by hand, in the form of the running original."""

    def annotation(text: str, annotated: Annotated, number: int | None) -> tuple[Any, Any]:
        if number is None:
            return None, None
        label, words = annotated[number]
        label = "PER" if label in ("MAN", "WHO") else label
        return label, [label, *place(text, words)]

    collected = []
    for number, (text, gold, pred, pairs) in enumerate(CASES[name][1], 1):
        rows = [
            [*annotation(text, gold, g), kind, *annotation(text, pred, p), None if p is None else kind]
            for g, p, kind in pairs
        ]
        collected.append({"ref": f"d{number}.json", "hyp": f"d{number}.json", "pairs": rows})
    return collected


def plain(rows: Any) -> list[list[Any]]:
    return [["" if cell is None else cell for cell in row] for row in rows]


def tables(folder: Path, name: str) -> dict[str, Any]:
    """Return all tables of a case with their formulas."""
    case = mat_arguments.read(folder, name)
    collected: dict[str, Any] = {}
    result = case.score()
    detailed = mat.tables(result)
    for table, key in TABLES.items():
        for kinds, part in ((False, key), (True, f"{key}_tag_span_details")):
            if table not in detailed.names or (kinds and name not in DETAILED):
                continue
            created = mat.tables(result, kinds=kinds).table(table)
            written = {
                how: [list(row) for row in formulas.cells(created, separator)]
                for how, separator in (("excel", ","), ("oo", ";"))
            }
            collected[part] = {
                "header": list(created.columns),
                "rows": plain(created.rows),
                "formulas": written,
            }
    confusion = detailed.confusability
    collected["confusability_annotation_level"] = {
        "header": list(confusion.columns),
        "rows": plain(confusion.rows),
    }
    collected["details"] = {"header": list(mat.AnnotationPair._fields), "rows": plain(detailed.details)}
    clash = mat.tables(case.score(unpaired_overlap="clash")).tag
    names = ("match", "refclash", "missing", "hypclash", "spurious")
    collected["bytag_counts_if_any_overlap_counts_as_clash"] = {
        row["tag"]: {key: row[key] for key in names} for row in clash.dicts()
    }
    return collected


def exact_confidence(folder: Path) -> dict[str, Any]:
    """Calculate mean and variance of every measure over all 27 resamples of the three documents."""
    case = mat_arguments.read(folder, "three_documents")
    sides = [
        [
            document
            for path in sorted(side.iterdir())
            for document in spanrs.read(path, format="mat-json").documents
        ]
        for side in (case.gold, case.pred)
    ]
    collected: dict[str, dict[str, Any]] = {}
    for table, key in TABLES.items():
        values: dict[str, list[float]] = {}
        for draw in itertools.product(range(3), repeat=3):
            drawn = [[documents[number] for number in draw] for documents in sides]
            for row in mat.tables(mat_cases.lenient(*drawn, case.matcher)).table(table).dicts():
                for measure in MEASURES:
                    values.setdefault(f"{row['tag']}|{measure}", []).append(row[measure])
        collected[key] = {
            name: {"mean": fmean(v), "variance": pvariance(v), "n_of_27": len(v)}
            for name, v in sorted(values.items())
        }
    return collected


def write(folder: Path) -> None:
    """Write documents and the expected results."""
    (folder / "tasks" / "names").mkdir(parents=True, exist_ok=True)
    (folder / "tasks" / "names" / "task.xml").write_text(TASK, encoding="utf-8")
    for name, (description, _, _) in CASES.items():
        write_documents(folder, name)
        path = folder / "cases" / name / "expected.json"
        expected = {"id": name, "description": description, "args": arguments(name), "pairs": pairing(name)}
        path.write_text(json.dumps(expected), encoding="utf-8")
        expected["derived_1_3"] = tables(folder, name)
        path.write_text(json.dumps(expected, separators=(",", ":")) + "\n", encoding="utf-8")
    exact = exact_confidence(folder)
    (folder / "bootstrap_exact_limit.json").write_text(json.dumps(exact, indent=1) + "\n", encoding="utf-8")
