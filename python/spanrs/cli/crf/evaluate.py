"""``spanrs crf eval``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from spanrs.cli import _generated, console, options
from spanrs.cli.crf.features import (
    TrainedModel,
    all_labels,
    load_model,
    predictions,
    read_tagged,
    tokens_of_model,
)
from spanrs.cli.options import given
from spanrs.cli.output import Output, table_output
from spanrs.cli.run import print_message
from spanrs.crf.training import scheme_of
from spanrs.eval import Result, score
from spanrs.eval import tables as report

#: Maximum number of errors of each kind in an HTML report.
OF_A_KIND = 10_000


@_generated.crf_eval
@options.read_arguments
@table_output
def command(
    model_path: str,
    gold: str,
    template: str | None,
    features: tuple[int | str, ...],
    threads: int,
    posterior: bool,
    scheme: str,
    reading: str | None,
    read: dict[str, Any],
    output: Output,
) -> None:
    """Tag the tokens of GOLD with MODEL, and score the tags against the tags of GOLD, as spanrs score does.

    Spans are scored if the tags have prefixes of a scheme, else the label of each token (scheme TOKEN). By default,
    columns are read as in the training data. Measures are printed in per cent; in JSON and CSV they are fractions.
    """
    if model_path == gold == "-":
        raise click.UsageError("standard input can be read once")
    output.check([model_path, gold])
    model = load_model(model_path, template, features, threads)
    read = _tag_column(tokens_of_model(model.card, read), model.card.get("columns", {}))
    data = read_tagged(gold, read, model.features)
    model.warn_if_unrelated(data.X)
    missing = sorted(set(all_labels(data.y)) - set(model.crf.classes_))
    if missing:
        more = f" and {len(missing) - 10} more" if len(missing) > 10 else ""
        print_message("warning", f"{gold}: the model does not know {', '.join(missing[:10])}{more}")
    pred = predictions(model, data.X, posterior)
    report_of = data.X if output.to == "html" else None
    result = _score(model, data.y, pred, (scheme, reading), report_of)
    console.print_warnings({model_path: result})
    output.write(
        {
            "text": lambda: report.shown_parts(result, names=(gold, model_path)),
            "csv": result.to_csv,
            "json": lambda: result.to_json(state=False),
            "html": lambda: result.to_html(title=f"{model_path} against {gold}"),
        }
    )


def _tag_column(read: dict[str, Any], trained: dict[str, object]) -> dict[str, Any]:
    """Set the tag column to the column used in training, unless another column is specified."""
    column = trained.get("tag", -1)
    # Only CoNLL-U has fixed columns; other column files may have a different number of columns.
    if given("tag") or not trained.get("conllu") or not isinstance(column, (int, str)):
        return read
    return read | {"tags": column}


def _score(
    model: TrainedModel,
    gold: list[list[str]],
    pred: list[list[str]],
    how: tuple[str, str | None],
    tokens: Sequence[Sequence[Any]] | None,
) -> Result:
    """Score labels as spans in the scheme of gold, with per-sentence rows, and with tokens for a report."""
    scheme, reading = how
    model_scheme = model.crf.metadata_.get("scheme")
    if scheme.strip().lower() == "auto":
        labels = list(all_labels(gold))
        # If all gold tags are O, the scheme of the model is used.
        detected = model_scheme if labels == ["O"] else scheme_of(labels, gold)
        # Many gold files conform to several schemes, including the model's.
        scheme = detected or "TOKEN"
    options: dict[str, Any] = {
        "pred_scheme": model_scheme if model_scheme != scheme else None,
        "reading": reading,
    }
    if tokens is not None:
        # Tokens with features are tuples.
        words = [
            [token if isinstance(token, str) else token[0] for token in sentence] for sentence in tokens
        ]
        options |= {"by": "sentence", "errors": OF_A_KIND, "tokens": words}
    with console.quiet():
        result: Result = score(gold, pred, scheme=scheme, **options)
    return result
