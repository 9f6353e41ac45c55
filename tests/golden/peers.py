"""Records the results of the peers from PyPI."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import answers.conlleval
import answers.iobes
import answers.nervaluate
import answers.seqeval
import answers.seqscore
import answers.spacy
from golden import inputs

Row = dict[str, Any]
PAIRS = list(inputs.pairs())


def of_fields(fields: dict[str, Any], row: Row, names: list[str] | None = None) -> Row:
    return {name: fields[name](row) for name in names or fields}


def seqeval_default() -> Iterator[Row]:
    fields = answers.seqeval.Answers("seqeval").default()
    for row in PAIRS:
        names = [name for name in fields if name != "txt" or row["id"] % 7 == 0]
        yield {"id": row["id"], "o": of_fields(fields, row, names)}


def seqeval_strict() -> Iterator[Row]:
    fields = answers.seqeval.Answers("seqeval").strict()
    for row in PAIRS:
        if row["s"] in answers.seqeval.CLASSES:
            yield {"id": row["id"], "o": of_fields(fields, row)}


def flip(tag: str) -> str:
    """Move the prefix after the type."""
    prefix, dash, kind = tag.partition("-")
    return f"{kind}-{prefix}" if dash else tag


def seqeval_suffix() -> Iterator[Row]:
    fields = answers.seqeval.Answers("seqeval").suffix()
    for row in PAIRS[::4]:
        flipped = {side: [flip(tag) for tag in row[side]] for side in "gp"}
        names = list(fields) if row["s"] in answers.seqeval.CLASSES else ["eg", "ep", "rep0"]
        yield {"id": row["id"], **flipped, "o": of_fields(fields, row | flipped, names)}


def iobes_readings() -> Iterator[Row]:
    import iobes

    mapping = {"IOB1": "IOB", "BMES": None} | {name: name for name in answers.iobes.ENCODINGS}
    for row in PAIRS:
        collected = {}
        for name in answers.iobes.ENCODINGS:
            sides = row["c"] == "weird" or mapping.get(row["s"]) == name
            collected[name] = {
                side: answers.iobes.read(iobes, row[side], name) for side in ("pg" if sides else "p")
            }
        yield {"id": row["id"], "o": collected}


def convert_functions() -> list[str]:
    import iobes

    return sorted(name for name in dir(iobes.convert) if "_to_" in name and not name.startswith("_"))


def iobes_convert() -> Iterator[Row]:
    import iobes

    for row in inputs.conversions():
        if "spans" in row:
            names = {"IOB1": "iob"} | {name: name.lower() for name in answers.iobes.ENCODINGS[1:]}
            enc = {
                name: answers.iobes.write(iobes, row["spans"], row["n"], written)
                for name, written in names.items()
            }
            by_name = {written: enc[name] for name, written in names.items()} | {"bmewo": enc["BMEOW"]}
            diff = {}
            for name in convert_functions():
                source, target = name.split("_to_")
                actual = answers.iobes.convert(iobes, by_name[source], name)
                if actual != by_name[target]:
                    diff[name] = actual
            yield row | {"enc": enc, "all_equal": not diff, "diff": diff}
        else:
            names = [name for name in convert_functions() if "bmewo" not in name]
            actual = {name: answers.iobes.convert(iobes, row["tags"], name) for name in names}
            yield row | {"o": actual}


def iobes_write() -> Iterator[Row]:
    import iobes

    # `write_tags` of the release from PyPI ends with a NameError for IOB and TOKEN: the function of IOB is
    # asked instead, and TOKEN is in the larger set only.
    for row in inputs.writes():
        names = [name.lower() for name in answers.iobes.ENCODINGS]
        actual = {name: answers.iobes.write(iobes, row["spans"], row["length"], name) for name in names}
        yield row | {"o": actual}


def iobes_api() -> Row:
    import iobes

    ask = answers.iobes
    collected = {}
    for name, letters in {
        "IOB": "BI",
        "BIO": "BI",
        "IOBES": "BIES",
        "BILOU": "BILU",
        "BMEOW": "BMEW",
    }.items():
        tags = ["O", *(f"{letter}-{kind}" for kind in "AB" for letter in letters)]
        odd = (["O", *tags[1:4], "X-B", "B", "I", "I--", "S-B"], name, "[S]", "E-ND")
        usual = (tags, name, "<GO>", "<EOS>")
        collected[name] = {
            "tags": tags,
            "start": "<GO>",
            "end": "<EOS>",
            "order_preserving": ask.transitions(iobes, *usual),
            "mask": ask.mask(iobes, *usual),
            "odd": ask.transitions(iobes, *odd),
        }
    usual = (["DT", "NN", "O"], "TOKEN", "<GO>", "<EOS>")
    collected["TOKEN"] = {
        "tags": usual[0],
        "start": "<GO>",
        "end": "<EOS>",
        "order_preserving": ask.transitions(iobes, *usual),
        "mask": ask.mask(iobes, *usual),
    }
    texts = ["iob", "IOB", "iob1", "iob2", " BIO ", "bioes", "iobes", "bioul", "BMEWO", "bmes", "token", ""]
    return {
        "transitions": collected,
        "from_string": {text: ask.encoding(iobes, text) for text in texts},
        "members": ask.members(iobes),
        "extract": [
            ask.parts(iobes, tag, separator)
            for tag in [*inputs.STRANGE, "", "O", "A-B-C", "A_B_C", "--"]
            for separator in "-_"
        ],
        "top_level_public": sorted(name for name in dir(iobes) if not name.startswith("_")),
        "convert_functions": convert_functions(),
    }


def nervaluate_tags() -> Iterator[Row]:
    from nervaluate import Evaluator

    for row in PAIRS:
        yield {"id": row["id"], "o": answers.nervaluate.of_tags(Evaluator, row["g"], row["p"])}


def nervaluate_spansets() -> Iterator[Row]:
    from nervaluate import Evaluator

    for row in inputs.span_sets():
        yield {"id": row["id"]} | answers.nervaluate.of_spans(Evaluator, row["t"], row["y"])


def seqscore() -> Iterator[Row]:
    from seqscore.scoring import score_label_sequences as score

    for row in PAIRS:
        if settings := answers.seqscore.SETTINGS.get(row["s"]):
            match = {s: answers.seqscore.score(score, row["g"], row["p"], s) for s in settings}
            yield {"id": row["id"], "o": match}


def spacy() -> Iterator[Row]:
    from spacy.training import iob_utils

    for row in PAIRS:
        if row["s"] in ("IOB1", "BIO", "BILOU"):
            yield {"id": row["id"], "o": answers.spacy.convert(iob_utils, row)}


def conlleval_pypi() -> Iterator[Row]:
    import conlleval

    for row in PAIRS:
        yield {"id": row["id"], "o": answers.conlleval.package(conlleval, row)}


def conlleval_pl() -> Iterator[Row]:
    """Run the Perl script, which is among the tests of seqeval's source archive on PyPI."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--no-binary",
            "seqeval",
        ]
        subprocess.run([*command, "seqeval==1.2.2", "--dest", folder], check=True)
        [archive] = Path(folder).glob("seqeval-*.tar.gz")
        with tarfile.open(archive) as files:
            script = files.extractfile("seqeval-1.2.2/tests/conlleval.pl").read()
        path = Path(folder) / "conlleval.pl"
        path.write_bytes(script)
        for row in PAIRS:
            given = answers.conlleval.column_text(row)
            done = subprocess.run(["perl", path], input=given, capture_output=True, check=True)
            yield {"id": row["id"], "o": done.stdout.decode()}


#: Name of the file -> function that returns its rows.
ROWS = {
    "pairs": inputs.pairs,
    "seqeval_default": seqeval_default,
    "seqeval_strict": seqeval_strict,
    "seqeval_suffix": seqeval_suffix,
    "iobes": iobes_readings,
    "iobes_convert": iobes_convert,
    "iobes_write": iobes_write,
    "nervaluate": nervaluate_tags,
    "nervaluate_spansets": nervaluate_spansets,
    "seqscore": seqscore,
    "spacy": spacy,
    "conlleval_pypi": conlleval_pypi,
    "conlleval_pl": conlleval_pl,
}
