"""Computes MATScore's tables from a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanrs.eval.settings import with_setting
from spanrs.mat.confidence import SAMPLES, spreads
from spanrs.mat.label_counts import LabelCounts
from spanrs.mat.layout import MatTables

if TYPE_CHECKING:
    from spanrs.eval import Result

#: MATScore's message if there are no tokens.
NO_TOKENS = "Skipping token scoring because no tokens were found in the input documents."


def tables(
    result: Result,
    *,
    kinds: bool = True,
    percent: bool = False,
    by_document: bool = False,
    confidence: bool | int = False,
    seed: int = 0,
    threads: int = 1,
) -> MatTables:
    """Compute MATScore's tables from a result of the matcher :class:`spanrs.mat.Mat`.

    Parameters
    ----------
    result : Result
        Result of :func:`spanrs.score`.
    kinds : bool
        Whether the table of tags has a column for each kind of clash.
    percent : bool
        Whether measures are in per cent, as in MAT 1.3, instead of fractions.
    by_document : bool
        Whether tables have rows for each document.
    confidence : bool or int
        Whether to add the mean, variance and standard deviation of measures over bootstrap resamples; an int is the
        number of samples (True: 1000).
    seed : int
        Random seed for resampling. The numbers do not depend on the number of threads.
    threads : int
        Number of threads for the resampling.

    Returns
    -------
    MatTables

    Raises
    ------
    TypeError
        If the result belongs to another matcher.
    ValueError
        If the number of samples or threads, or the seed, is out of range.

    Examples
    --------
    >>> import spanrs
    >>> from spanrs.io import Annotation, Document
    >>> text = "the future President of the United States"
    >>> gold = Document(text, [Annotation("NP", 11, 40)])
    >>> pred = Document(text, [Annotation("NP", 3, 32)])
    >>> row = spanrs.mat.tables(spanrs.score(gold, pred, matcher=spanrs.mat.Mat())).pseudo_token["NP"]
    >>> row["test pseudo-toks"], row["match"], row["missing"], row["spurious"]
    (9, 4, 2, 1)
    """
    if result.matcher.name != "mat":
        raise TypeError(
            f"MATScore's tables require a result of the matcher mat, not of the matcher {result.matcher.name}"
        )
    if result.document_weights is not None:
        raise ValueError(
            "MATScore's tables do not support document weights; pass the result without weights"
        )
    samples = SAMPLES if confidence is True else int(confidence)
    if not (0 <= samples < 1 << 31 and 0 <= seed < 1 << 63):
        raise ValueError("confidence must be at most 2**31 - 1 samples, and seed from 0 to 2**63 - 1")
    if threads < 1:
        raise ValueError(f"threads must be 1 or more, not {threads}")
    counts = LabelCounts.of_cells(result.counts.cells())
    settings = dict(result.settings)
    if samples:
        settings = with_setting(settings, "samples", str(samples))
        settings = with_setting(settings, "seed", str(seed))
    files = None
    if by_document:
        names = map(str, result.counts.documents())
        files = [(name, LabelCounts.of_cells(result.counts.cells(at))) for at, name in enumerate(names)]
    # Another shard of the corpus may have tokens.
    notes = [note for note in result.notes if note != NO_TOKENS or not counts.elements["token"]]
    if samples and counts.documents == 1:
        notes.append(
            "There is only one document, so all samples are equal; deviations of 0 are meaningless."
        )
    details: Any = None if result.details is None else result.details["tag"]
    skipped = list(result.evidence.skipped)
    spread = spreads(result, counts, samples, seed, threads) if samples else None
    return MatTables(counts, settings, details, skipped, notes, spread, files, kinds, percent)
