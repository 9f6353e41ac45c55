"""The same small corpus in every format and object that `read` accepts."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa

import spanrs
from spanrs.io import Annotation, Document

#: Tokens with the tags of gold and pred. The types and boundaries of some spans differ.
SENTENCES = [
    (["Grace", "Hopper", "wrote", "compilers", "."], "B-PER I-PER O O O", "B-PER I-PER O O O"),
    (["She", "lived", "in", "New", "York", "."], "O O O B-LOC I-LOC O", "O O O O B-LOC O"),
    (["IBM", "asked", "Ada", "."], "B-ORG O B-PER O", "B-ORG O B-ORG O"),
    (["Nothing", "here", "."], "O O O", "O O O"),
] * 3


def tags(side: str) -> list[list[str]]:
    """Return the tags of gold or pred."""
    at = 1 if side == "gold" else 2
    return [row[at].split() for row in SENTENCES]  # type: ignore[attr-defined]  # strings


def tokens() -> list[list[str]]:
    """Return the tokens."""
    return [row[0] for row in SENTENCES]


def columns(side: str) -> str:
    """Return a column file of a side."""
    rows = zip(tokens(), tags(side), strict=True)
    sentences = ("".join(f"{word}\t{tag}\n" for word, tag in zip(*row, strict=True)) for row in rows)
    return "\n".join(sentences)


def corpus(side: str) -> spanrs.Corpus:
    """Return the column file of a side as a corpus."""
    return spanrs.read(io.BytesIO(columns(side).encode()))


def documents(side: str) -> list[Document]:
    """Return the sentences as documents, each with its tokens."""
    collected = []
    for at, (words, values) in enumerate(zip(tokens(), tags(side), strict=True)):
        text = " ".join(words)
        starts = [len(" ".join(words[:token])) + bool(token) for token in range(len(words))]
        lex = [
            Annotation("lex", start, start + len(word)) for word, start in zip(words, starts, strict=True)
        ]
        spans = [
            Annotation(span.type, starts[span.start], starts[span.end - 1] + len(words[span.end - 1]))
            for span in spanrs.tags.tags_to_spans(values)
        ]
        collected.append(Document(text, [*lex, *spans], f"d{at}"))
    return collected


def _written(to: str, of: Callable[[str], Any], ending: str = "") -> Callable[[Path, str], Any]:
    def make(folder: Path, side: str) -> Any:
        path = folder / f"{side}-{to}{ending}"
        spanrs.write(of(side), path, to=to)
        return path

    return make


def _label_studio(folder: Path, side: str) -> Path:
    return _written("label-studio", documents)(folder, side)  # type: ignore[no-any-return]


def _directory(folder: Path, side: str) -> Path:
    root = folder / f"{side}-folder"
    (root / "sub").mkdir(parents=True)
    parts = columns(side).split("\n\n")
    (root / f"a.{side}.conll").write_text("\n\n".join(parts[:5]) + "\n\n", encoding="utf-8")
    (root / "sub" / f"b.{side}.conll").write_text("\n\n".join(parts[5:]), encoding="utf-8")
    return root


def _pattern(folder: Path, side: str) -> str:
    return f"{_directory(folder, side)}/**/*.conll"


def _stream(folder: Path, side: str) -> io.BytesIO:
    del folder
    return io.BytesIO(columns(side).encode())


def _table(folder: Path, side: str) -> pa.Table:
    del folder
    return pa.table({"tokens": tokens(), "tags": tags(side)})


def _long(folder: Path, side: str) -> Path:
    path = folder / f"{side}-long.csv"
    rows = ["document,position,token,tag"]
    for at, (words, values) in enumerate(zip(tokens(), tags(side), strict=True)):
        cells = [
            f"{at},{token},{word},{tag}"
            for token, (word, tag) in enumerate(zip(words, values, strict=True))
        ]
        # The order is given by positions.
        rows += reversed(cells)
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


def _dataset(folder: Path, side: str) -> Any:
    import datasets

    del folder
    names = sorted({tag for sentence in [*tags("gold"), *tags("pred")] for tag in sentence})
    features = datasets.Features(
        {
            "tokens": datasets.Sequence(datasets.Value("string")),
            "ner_tags": datasets.Sequence(datasets.ClassLabel(names=names)),
        }
    )
    ids = [[names.index(tag) for tag in sentence] for sentence in tags(side)]
    return datasets.Dataset.from_dict({"tokens": tokens(), "ner_tags": ids}, features=features)


def _duckdb(folder: Path, side: str) -> Any:
    import duckdb

    table = _table(folder, side)
    return duckdb.connect().from_arrow(table)


#: Sources by name, each a function that creates a source in a directory for a side.
SOURCES: dict[str, Callable[[Path, str], Any]] = {
    "columns": _written("columns", corpus),
    "CoNLL-U": _written("conllu", corpus),
    "stacked": _written("stacked", corpus),
    "span file": _written("spans", corpus),
    "CSV": _written("csv", corpus),
    "CSV in long form": _long,
    "Parquet": _written("parquet", corpus),
    "Arrow": _written("arrow", corpus),
    "MAT-JSON": _written("mat-json", documents),
    "XML": _written("xml-inline", documents),
    "brat": _written("brat", documents),
    "doccano": _written("doccano", documents),
    "Prodigy": _written("prodigy", documents),
    "Label Studio": _label_studio,
    "DocBin": _written("spacy", documents),
    "directory": _directory,
    "pattern": _pattern,
    "open file": _stream,
    "documents": lambda folder, side: documents(side),
    "pyarrow": _table,
    "Polars": lambda folder, side: pl.from_arrow(_table(folder, side)),
    "Polars, lazy": lambda folder, side: pl.from_arrow(_table(folder, side)).lazy(),  # type: ignore[union-attr]
    "pandas": lambda folder, side: pd.DataFrame({"tokens": tokens(), "tags": tags(side)}),
    "DuckDB": _duckdb,
    "Hugging Face": _dataset,
}
#: Options required to read a source as the corpus.
OPTIONS: dict[str, dict[str, Any]] = {
    "CoNLL-U": {"tags": "NER"},
    "stacked": {"format": "stacked"},
    "XML": {"elements": ["LOC", "ORG", "PER"]},
}
#: Sources of text, with spans of characters.
OF_TEXT = ("MAT-JSON", "XML", "brat", "doccano", "Prodigy", "Label Studio", "DocBin", "documents")
#: Sources without tokens.
WITHOUT_TOKENS = ("span file",)
