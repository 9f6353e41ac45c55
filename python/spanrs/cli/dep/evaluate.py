"""``spanrs dep eval``."""

from __future__ import annotations

from contextlib import ExitStack
from tempfile import TemporaryFile

import click

from spanrs.cli import _generated, console
from spanrs.cli.dep.inputs import is_model_input, load_model
from spanrs.cli.output import Output, table_output
from spanrs.cli.run import print_message
from spanrs.dep import Dep, evaluate
from spanrs.dep.matcher import COPIED
from spanrs.dep.page import tree_page
from spanrs.dep.pipeline import predicted
from spanrs.dep.scores import MEASURES, score_tables
from spanrs.eval import Result
from spanrs.io.sources import open_source
from spanrs.threads import thread_count


@_generated.dep_eval
@table_output
def command(
    gold: str,
    pred: str,
    subtypes: bool,
    any_roots: bool,
    raw: bool,
    threads: int,
    per_label: bool,
    output: Output,
) -> None:
    """Compare the trees of PRED, or trees that MODEL predicts for the words of GOLD, with the trees of GOLD (CoNLL-U).

    MODEL is a file or the name of an installed model. With --raw it parses the text of GOLD instead of its words. GOLD
    needs no trees: the other columns are compared.

    The measures are defined by the CoNLL 2018 shared task: the tokens of both sides are aligned by their characters,
    and precision, recall and F1 are computed over aligned words; if the tokens are the same, all three equal the
    accuracy. UAS and LAS without punctuation exclude words whose gold label is punct or P. Measures are printed in per
    cent; in JSON and CSV they are fractions. Measures are undefined for columns that are empty on one side, or that
    PRED copied from its input; they are printed as "-", are null in JSON, and are omitted from CSV.
    """
    if gold == pred == "-":
        raise click.UsageError("standard input can be read once")
    output.check([gold, pred])
    matcher = Dep(subtypes=subtypes)
    is_page, is_model = output.to == "html", is_model_input(pred)
    with ExitStack() as stack:
        # Trees are read again for the errors of a report.
        golds = open_source(console.source(gold), keep=is_page or is_model)
        if is_model:
            model = load_model(pred, parser=False)
            any_roots = any_roots or (model.has_parser and not model.single_root)
            parsed = stack.enter_context(TemporaryFile())
            for part in predicted(model, golds, raw=raw, threads=thread_count(threads)):
                parsed.write(part)
            parsed.seek(0)
            preds = open_source(parsed, keep=True)
        else:
            if raw:
                raise click.UsageError(f"--raw needs a model; {pred} is a file of trees")
            preds = open_source(console.source(pred), keep=is_page)
        result = evaluate(golds, preds, matcher, any_roots=any_roots, by="sentence" if is_page else None)
        title = f"{pred} against {gold}"
        page = tree_page(result, golds, preds, title=title) if is_page else ""
    _print_unscored(result, is_model=is_model)
    tables = score_tables(result, per_label=per_label)
    # The first criterion determines the rows; for LAS, there is a row for each label.
    shown = sorted(
        (name for name in MEASURES if result[name].unscored is None), key=lambda name: name != "las"
    )
    output.write(
        {
            "text": lambda: [part for table in tables for part in (table, "\n")] + [result.signature],
            "csv": lambda: result.to_csv(criteria=shown),
            "json": lambda: result.to_json(state=False),
            "html": lambda: page,
        },
        title=title,
    )


def _print_unscored(result: Result, *, is_model: bool) -> None:
    """Print which measures are undefined and why; for copied columns, the evaluation itself issues a warning."""
    not_predicted = []
    for name, title in MEASURES.items():
        if is_model and (result[name].unscored or "").startswith("pred"):
            not_predicted.append(title)
    if not_predicted:
        print_message("note", f"the model does not predict {', '.join(not_predicted)}")
    for reason in dict.fromkeys(result[name].unscored for name in result.matcher.criteria):
        if reason is not None and not (is_model and reason.startswith("pred")) and reason != COPIED:
            print_message("note", reason)
