"""``python -m spanrs.compat.hipe --ref GOLD --pred PRED --task nerc_coarse``: figures as TSV and JSON."""

from __future__ import annotations

import argparse
import csv
import datetime
import io
import itertools
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from spanrs.compat.hipe.evaluator import MEASURES, Evaluator
from spanrs.compat.hipe.files import text_of
from spanrs.errors import SpanrsError
from spanrs.io.output import atomic_output

COLUMNS = {
    "nerc_coarse": ("NE-COARSE-LIT", "NE-COARSE-METO"),
    "nerc_fine": ("NE-FINE-LIT", "NE-FINE-METO", "NE-FINE-COMP", "NE-NESTED"),
}
#: Regime -> schema.
REGIMES = {"fuzzy": "ent_type", "strict": "strict"}
FIELDS = ("System", "Evaluation", "Label", "P", "R", "F1", "F1_std", "P_std", "R_std", "TP", "FP", "FN")

Period = tuple[datetime.date, datetime.date]


def _date(text: str) -> datetime.date:
    year, month, day = (int(part) for part in (f"{text}/1/1" if "/" not in text else text).split("/"))
    return datetime.date(year, month, day)


def _intervals(text: str, parse: Callable[[str], Any], example: str) -> list[tuple[Any, Any]]:
    """Return the intervals of an option; none is reversed."""
    try:
        pairs = [tuple(parse(bound) for bound in pair.split("-")) for pair in text.split(",")]
        for lower, upper in pairs:
            if lower > upper:
                raise argparse.ArgumentTypeError(f"in {text!r}, {upper} is before {lower}")
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form {example}") from None
    return [(lower, upper) for lower, upper in pairs]


def _periods(text: str) -> list[Period]:
    return _intervals(text, _date, "1900-1950,1950-2000 or 1900/01/01-1950/01/01")


def _levels(text: str) -> list[tuple[float, float]]:
    return _intervals(text, float, "0.0-0.1,0.1-1.0")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m spanrs.compat.hipe", description="Scores named entities as the HIPE scorer does."
    )
    add = parser.add_argument
    add("-r", "--ref", required=True, metavar="FILE", help="gold")
    add("-p", "--pred", required=True, metavar="FILE", help="pred; its name ends with .tsv")
    add("-t", "--task", required=True, choices=sorted(COLUMNS))
    add("-o", "--outdir", default=".", metavar="DIR", help="directory of the results; default: .")
    add(
        "--noise-level",
        type=_levels,
        default=[],
        metavar="LEVELS",
        help="Levenshtein distances: 0.0-0.1,0.1-1.0",
    )
    add("--time-period", type=_periods, default=[], metavar="PERIODS", help="years: 1900-1950,1950-2000")
    add("--by", metavar="KEY", help="also score the documents of each value of this key of the metadata")
    add("--tagset", metavar="FILE", help="types that are counted even if gold has none, one per line")
    add("--suffix", default="", help="suffix of the names of files and evaluations")
    add(
        "--skip-check",
        action="store_true",
        help="name the system by its path; names of files are never checked",
    )
    return parser


def _time_label(period: Period | None) -> str:
    if period is None:
        return "TIME-ALL"
    are_years = all((date.month, date.day) == (1, 1) for date in period)
    return "TIME-" + "-".join(f"{date.year}" if are_years else date.isoformat() for date in period)


def _slices(options: argparse.Namespace, evaluator: Evaluator) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the label of the period, the label of the rest, and the arguments of a slice of the corpus."""
    items: list[tuple[str, str] | None] = [None]
    if options.by is not None:
        values = {document.metadata.get(options.by) for document in evaluator.true.documents} - {None}
        if not values:
            raise ValueError(f"no document of {options.ref} has the metadata {options.by!r}")
        items += sorted((options.by, value) for value in values if value is not None)
    periods, levels = [None, *options.time_period], [None, *options.noise_level]
    for period, level, item in itertools.product(periods, levels, items):
        noise = "LED-ALL" if level is None else f"LED-{level[0]}-{level[1]}"
        label = noise if item is None else f"{noise}-{item[0]}={item[1]}"
        yield _time_label(period), label, {"time_period": period, "noise_level": level, "metadata": item}


def _tagset(path: str | None) -> set[str]:
    if path is None:
        return set()
    tags = set(text_of(path).upper().split())
    if not tags:
        raise ValueError(f"{path} has no types; it has one per line")
    return tags


def _note(text: str) -> None:
    sys.stderr.write(f"hipe: {text}\n")


def _evaluations(options: argparse.Namespace, evaluator: Evaluator) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the figures by column, period, and noise level with metadata; all types are called ``ALL``."""
    tags = _tagset(options.tagset)
    evaluations: dict[str, dict[str, dict[str, Any]]] = {}
    for column in COLUMNS[options.task]:
        if column not in evaluator.true.header or not evaluator.types(column)[0]:
            _note(f"{options.ref} has no annotations in column {column}; it is not scored")
            continue
        gold_types, pred_types = evaluator.types(column)
        if ignored := sorted(pred_types - gold_types - tags):
            _note(
                f"{column}: types of {options.pred} that gold does not have are ignored: {', '.join(ignored)}; "
                "--tagset names types that count"
            )
        for time, label, arguments in _slices(options, evaluator):
            figures, per_type = evaluator.evaluate(column, tags=tags, merge_lines=True, **arguments)
            if not per_type:
                _note(f"{column}: there are no spans in {time}-{label}; it is not scored")
                continue
            results = {**per_type, "ALL": figures}
            evaluations.setdefault(column, {}).setdefault(time, {})[label] = results
    if not evaluations:
        raise ValueError(f"{options.ref} has no annotations for {options.task}")
    return evaluations


def _rows(
    evaluations: dict[str, dict[str, dict[str, Any]]], system: str, suffix: str
) -> Iterator[dict[str, Any]]:
    """Yield the rows of the table: for each evaluation, all types."""
    for column, by_time in sorted(evaluations.items()):
        cases = [(time, label) for time, by_label in by_time.items() for label in by_label]
        for (time, label), mean, regime in itertools.product(cases, ("micro", "macro_doc"), REGIMES):
            parts = [column, mean, regime, *([suffix] if suffix else []), time, label]
            for name, figures in sorted(by_time[time][label].items()):
                values = figures[REGIMES[regime]]
                row = {measure: values[f"{measure}_{mean}"] for measure in MEASURES}
                if mean == "micro":
                    row |= {count: values[count] for count in ("TP", "FP", "FN")}
                else:
                    row |= {f"{measure}_std": values[f"{measure}_{mean}_std"] for measure in MEASURES}
                rounded = {key: value if value is None else round(value, 3) for key, value in row.items()}
                yield {"System": system, "Evaluation": "-".join(parts), "Label": name, **rounded}


def main(arguments: list[str] | None = None) -> None:
    """Write ``PRED_TASK.tsv`` and ``PRED_TASK.json``."""
    options = _parser().parse_args(arguments)
    pred, folder = Path(options.pred), Path(options.outdir)
    if not folder.is_dir():
        raise ValueError(f"there is no directory {options.outdir!r} for the results; create it")
    evaluations = _evaluations(options, Evaluator(options.ref, options.pred))
    table = io.StringIO()
    writer = csv.DictWriter(table, FIELDS, delimiter="\t", lineterminator="\r\n")
    writer.writeheader()
    system = options.pred if options.skip_check else pred.stem.lower()
    writer.writerows(_rows(evaluations, system, options.suffix))
    name = f"{pred.name.removesuffix('.tsv')}_{options.task}{'_' * bool(options.suffix)}{options.suffix}"
    for ending, text in ((".tsv", table.getvalue()), (".json", json.dumps(evaluations, indent=4))):
        with atomic_output(folder / (name + ending)) as file:
            file.write(text.encode())


if __name__ == "__main__":
    try:
        main()
    except (SpanrsError, OSError, ValueError) as error:
        sys.exit(f"hipe: {error}")
