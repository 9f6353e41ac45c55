"""Scoring of column files under several readings of malformed tags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from spanrs import _spanrs
from spanrs.errors import SchemeError, warn
from spanrs.eval.corpora import ScoreOptions, score_corpora
from spanrs.eval.result import Result
from spanrs.eval.sides import Corpora
from spanrs.io import Corpus
from spanrs.io.sentences import columns_of

#: The reading that refuses malformed tags; without malformed tags, its results equal those of other readings.
REFUSE = "refuse"


def score_readings(
    corpora: Corpora, readings: Sequence[str] | None, options: ScoreOptions
) -> dict[str, Result]:
    """Score column files under several readings: one pass for the first reading and the scheme, one for all others.

    Parameters
    ----------
    corpora : Corpora
        One file for each side, with one layer of tags.
    readings : sequence of str, optional
        The readings; by default all readings defined for the scheme except ``refuse``.
    options : ScoreOptions
        Scoring options; lists of errors and threads are not supported.

    Raises
    ------
    ValueError
        For options that are not supported with several readings, and unknown readings.
    OSError, spanrs.errors.SpanrsError
        Same as :func:`spanrs.score`.
    """
    gold, pred = corpora
    part = gold.require_one("several readings")
    pred_part = None if pred is None else pred.require_one("several readings")
    if {side.kind for side in (part, pred_part) if side is not None} != {"rows"}:
        raise ValueError("several readings are only supported for column files")
    if pred is not None and (len(gold.options.layers()) > 1 or len(pred.options.layers()) > 1):
        raise ValueError("several readings are only supported for a single column of tags, not for layers")
    names = [name for name in _spanrs.readings() if name != REFUSE] if readings is None else list(readings)
    if options.errors or options.threads != 1 or options.align in ("report", "characters"):
        raise ValueError("errors, threads and align='report' are not supported with several readings")
    if not names or REFUSE in names:
        raise ValueError(f"choose readings other than {REFUSE}, from {', '.join(_spanrs.readings())}")
    first = score_corpora(corpora, replace(options, reading=names[0]))
    decided = replace(
        options.of_corpora(corpora),
        scheme=first.settings["scheme"],
        pred_scheme=first.settings.get("pred_scheme"),
    )
    scorers = {}
    for name in names[1:]:
        try:
            scorers[name] = decided.scorer(reading=name)
        except SchemeError as error:
            # Not every reading is defined for every scheme; only requested readings are refused.
            if readings is not None or error.code != "reading_not_for_scheme":
                raise
    compiled = [scorer.compiled for scorer in scorers.values()]
    columns = _columns_of_readings(gold, pred)
    sources = part.opened(keep=True), None if pred_part is None else pred_part.opened(keep=True)
    _spanrs.score_readings(compiled, *sources, columns, options.by == "sentence", options.progress)
    results = {names[0]: first}
    results |= {
        name: replace(scorer.result(), by_sentence=options.by == "sentence")
        for name, scorer in scorers.items()
    }
    for result in results.values():
        warn(result.warnings)
    return results


def _columns_of_readings(gold: Corpus, pred: Corpus | None) -> tuple[Any, Any]:
    if pred is None:
        layout = columns_of(gold.parts[0], gold.options).tags
        columns = gold.options.columns(layout["gold"], layout["pred"])
        return columns, columns
    gold_columns, pred_columns = (
        corpus.options.columns(corpus.options.layers()[0]) for corpus in (gold, pred)
    )
    return gold_columns, pred_columns
