"""Output of ``spanrs score --all-settings``."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import TYPE_CHECKING, Any, NamedTuple

from spanrs.compat._published import published_scores
from spanrs.eval import score
from spanrs.eval.answer_settings import score_settings
from spanrs.eval.answer_tables import answers_table
from spanrs.eval.generated import mentioned_texts
from spanrs.report.numbers import percent
from spanrs.report.table import Table

if TYPE_CHECKING:
    from spanrs.cli.output import Output
    from spanrs.io import Corpus


class SettingRow(NamedTuple):
    """The scores under a setting."""

    name: str
    precision: float | None
    recall: float | None
    f1: float
    signature: str | None


class SettingRows(NamedTuple):
    """The scores under all settings."""

    rows: list[SettingRow]
    answers: Mapping[str, int]


def score_all_settings(gold: Corpus, pred: Corpus, **options: Any) -> SettingRows:
    """Score answers under all settings of spanrs, and by the rules of published scorers.

    ``options`` are passed to :func:`spanrs.score`.
    """
    results = score_settings(score, gold, pred, **options)
    rows = []
    for name, (setting, result) in results.items():
        of_setting = result if setting.criterion is None else result[setting.criterion]
        micro = of_setting.micro
        rows.append(SettingRow(name, micro.precision, micro.recall, micro.f1, result.signature))
    for published in published_scores(mentioned_texts(gold, pred)):
        rows.append(SettingRow(f"as {published.name} counts", *published[1:], None))
    first = next(iter(results.values()))[1]
    return SettingRows(rows, first.evidence.answers)


def show_settings(scored: SettingRows, output: Output) -> None:
    """Write a row for each setting."""

    def table() -> Table:
        shown = Table(["setting", "precision", "recall", "F1"], title="Settings")
        for row in scored.rows:
            shown.add_row(row.name, *(("-" if value is None else percent(value)) for value in row[1:4]))
        return shown

    def parts() -> Iterator[Table | str]:
        yield table()
        yield "\n"
        yield answers_table(scored.answers)
        yield from (f"{row.name}: {row.signature}" for row in scored.rows if row.signature is not None)

    def as_json() -> str:
        plain: dict[str, Any] = {
            "settings": [row._asdict() for row in scored.rows],
            "answers": dict(scored.answers),
        }
        return json.dumps(plain, ensure_ascii=False, allow_nan=False)

    def as_csv() -> str:
        text = StringIO()
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(SettingRow._fields)
        rows.writerows(scored.rows)
        return text.getvalue()

    output.write({"text": parts, "json": as_json, "csv": as_csv})
