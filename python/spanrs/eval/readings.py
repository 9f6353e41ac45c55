"""Files scored under every reading of malformed tags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from spanrs import _spanrs
from spanrs.errors import SchemeError, warn
from spanrs.eval.files import last_two_columns, score_files
from spanrs.eval.result import Result
from spanrs.eval.scorer import Scorer
from spanrs.io import Columns, Source
from spanrs.io.sources import open_source

#: The reading that refuses malformed tags; where there are none it is the same as the others.
REFUSE = "refuse"


def score_readings(
    gold: Source,
    pred: Source | None = None,
    scheme: str = "auto",
    *,
    readings: Sequence[str] | None = None,
    columns: Columns = Columns(),
    pred_columns: Columns | None = None,
    by_sentence: bool = False,
    **options: Any,
) -> dict[str, Result]:
    r"""Score a column file against another one under several readings.

    The files are read twice: once for the first reading, which finds the scheme and checks the tokens, and once for
    all others.

    Parameters
    ----------
    gold, pred, scheme, columns, pred_columns, by_sentence, **options
        As for :func:`spanrs.score_files`, with one column of tags, without lists of errors and threads.
    readings : sequence of str, optional
        Those that are defined for the scheme, without ``refuse``, if not given.

    Returns
    -------
    dict of str to Result
        A result for each reading; the violations, which are the same for all of them, are in each.

    Raises
    ------
    OSError, spanrs.errors.SpanrsError
        As :func:`spanrs.score_files`.

    Examples
    --------
    >>> import io
    >>> from spanrs.eval import score_readings
    >>> both = b"Rio B-LOC I-LOC\nis O O\n"
    >>> results = score_readings(io.BytesIO(both), scheme="BIO")
    >>> results["conlleval"].micro.f1, results["strict"].micro.f1
    (1.0, 0.0)
    """
    if isinstance(columns.tag, tuple) or (pred_columns is not None and isinstance(pred_columns.tag, tuple)):
        raise ValueError("several readings are of one column of tags, not of layers")
    names = [name for name in _spanrs.readings() if name != REFUSE] if readings is None else list(readings)
    for name in ("errors", "threads"):
        if options.pop(name, False) not in (False, 1):
            raise ValueError(f"{name} is an option of one reading; use score_files")
    if options.get("on_misaligned") == "report":
        raise ValueError("differing tokens are reported under one reading; use score_files")
    if not names or REFUSE in names:
        raise ValueError(f"name readings other than {REFUSE}; there are {', '.join(_spanrs.readings())}")
    gold = open_source(gold, keep=True)
    pred = None if pred is None else open_source(pred, keep=True)
    layout: dict[str, Any] = {"columns": columns, "pred_columns": pred_columns}
    first = score_files(gold, pred, scheme, names[0], by_sentence=by_sentence, **layout, **options)
    progress = options.pop("progress", None)
    # All readings are of the schemes that the first one found.
    own_options = {
        name: value for name, value in options.items() if name not in ("by_document", "pred_scheme")
    }
    own_options["pred_scheme"] = first.settings.get("pred_scheme")
    own_options["by_document"] = options.get("by_document", False) or by_sentence
    found = first.settings["scheme"]
    scorers = {}
    for name in names[1:]:
        try:
            scorers[name] = Scorer(found, name, **own_options)
        except SchemeError as error:
            # Not every reading is defined for every scheme; only readings that were asked for are refused.
            if readings is not None or error.code != "reading_not_for_scheme":
                raise
    own = last_two_columns(columns) if pred is None else columns
    both = own.as_options(), (pred_columns or own).as_options()
    compiled = [scorer._scorer for scorer in scorers.values()]
    _spanrs.score_readings(compiled, gold, pred, both, by_sentence, progress)
    results = {names[0]: first}
    results |= {name: replace(scorer.result(), by_sentence=by_sentence) for name, scorer in scorers.items()}
    for result in results.values():
        warn(result.warnings)
    return results
