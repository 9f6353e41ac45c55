"""Section arrow: list columns of pyarrow and Polars beside the same ids in numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars
import pyarrow

import spanrs
from benches.versus.corpus import VOCABULARY
from benches.versus.inputs import Ids, flat_ids, lengths
from benches.versus.measure import Call, Work, in_turn, times

PACKAGES = ("numpy", "pyarrow", "polars")

IDS = "numpy int64 ids and lengths"
Columns = tuple[Any, Any]


def run(work: Work) -> None:
    """One corpus, and ten times as much."""
    for factor in (1, 10):
        compare(work, factor)


def compare(work: Work, factor: int) -> None:
    """Score every kind of column; all results must have the same bytes."""
    flat = np.tile(flat_ids(work.gold), factor), np.tile(flat_ids(work.pred), factor)
    sizes = np.tile(lengths(work.gold), factor)
    calls: dict[str, Call] = {
        IDS: lambda: spanrs.score(*flat, scheme="BIO", vocabulary=VOCABULARY, lengths=sizes)
    }
    for name, columns in kinds(flat, sizes).items():
        calls[name] = scored(columns, VOCABULARY if "integers" in name else None)
    results = {name: call().to_json() for name, call in calls.items()}  # type: ignore[attr-defined]
    assert all(text == results[IDS] for text in results.values()), results
    actual = in_turn(calls)
    work.record.heading(
        f"Arrow list columns, {factor * work.tokens} tokens", "One list a sentence, scheme BIO."
    )
    work.record.timings(actual, factor * work.tokens, "this / ids", times(actual[IDS]))


def scored(columns: Columns, vocabulary: list[str] | None) -> Call:
    """A call that scores them."""
    return lambda: spanrs.score(*columns, scheme="BIO", vocabulary=vocabulary)


def kinds(flat: tuple[Ids, Ids], sizes: Ids) -> dict[str, Columns]:
    """Gold and pred as columns of every kind."""
    ends = np.concatenate([[0], np.cumsum(sizes)])
    offsets = {kind: pyarrow.array(ends, kind) for kind in (pyarrow.int32(), pyarrow.int64())}

    def both(make: Callable[[Any], Any], sides: Columns = flat) -> Columns:
        return make(sides[0]), make(sides[1])

    def lists(values: Columns) -> Columns:
        return both(lambda side: pyarrow.ListArray.from_arrays(offsets[pyarrow.int32()], side), values)

    def large(values: Columns) -> Columns:
        return both(lambda side: pyarrow.LargeListArray.from_arrays(offsets[pyarrow.int64()], side), values)

    def dictionary(kind: Any) -> Columns:
        return both(lambda side: pyarrow.DictionaryArray.from_arrays(pyarrow.array(side, kind), VOCABULARY))

    def cast(kind: Any) -> Columns:
        return both(lambda side: side.cast(polars.List(kind)), series)

    coded, numbers = dictionary(pyarrow.int32()), lists(both(pyarrow.array))
    texts = both(lambda side: side.dictionary_decode(), coded)
    series = both(polars.Series, lists(texts))
    categories = cast(polars.Categorical)
    return {
        "pyarrow list<dictionary<int8, string>>": lists(dictionary(pyarrow.int8())),
        "pyarrow list<dictionary<int32, string>>": lists(coded),
        "pyarrow list<string>": lists(texts),
        "pyarrow large_list<string>": large(texts),
        "pyarrow list<int64>, integers with a vocabulary": numbers,
        "Polars List(Enum)": cast(polars.Enum(VOCABULARY)),
        "Polars List(Categorical), which Polars copies at each export": categories,
        "Polars List(Categorical), exported once before": both(pyarrow.chunked_array, categories),
        "Polars List(String)": series,
        "Polars List(Int64), integers with a vocabulary": both(polars.Series, numbers),
    }
