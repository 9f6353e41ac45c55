"""``spanrs dep eval``."""

from __future__ import annotations

from contextlib import ExitStack
from tempfile import TemporaryFile
from typing import IO

import click

from spanrs import _spanrs
from spanrs.cli import console
from spanrs.cli.dep.inputs import load_model, thread_count, threads
from spanrs.cli.output import Output, output_options
from spanrs.cli.run import print_message
from spanrs.dep import Dep, Parser, evaluate
from spanrs.dep.page import tree_page
from spanrs.dep.scores import MEASURES, missing, score_tables
from spanrs.io import Source, rereadable

#: First bytes of a model file: the length of the header, which begins with a brace.
HEADER = 9


@click.command()
@click.argument("gold")
@click.argument("pred", metavar="PRED|MODEL")
@click.option(
    "--subtypes",
    is_flag=True,
    help="Compare labels with their subtypes (nmod:poss); the CoNLL 2018 evaluation leaves them out.",
)
@click.option(
    "--any-roots", is_flag=True, help="Accept sentences with several roots, as parser.py gives them."
)
@threads
@click.option("--per-label", is_flag=True, help="Also a table of LAS by label.")
@output_options()
def command(
    gold: str,
    pred: str,
    subtypes: bool,
    any_roots: bool,
    threads: int,
    per_label: bool,
    output: Output,
) -> None:
    """Compare the trees of PRED, or those that MODEL gives the words of GOLD, with the trees of GOLD (CoNLL-U).

    The measures are those of the CoNLL 2018 shared task: tokens of both sides are aligned by their characters, and
    precision, recall and F1 are of aligned words; with the same tokens all three are the accuracy. UAS and LAS without
    punctuation leave out words whose gold label is punct or P. Measures are printed in per cent, in JSON and CSV they
    are fractions.
    """
    if gold == pred == "-":
        raise click.UsageError("standard input can be read once")
    output.check([gold, pred])
    matcher = Dep(subtypes=subtypes)
    copied: set[str] = set()
    is_page, is_model = output.to == "html", _is_model(pred)
    with ExitStack() as stack:
        # Trees are read again for the errors of a report.
        golds = stack.enter_context(rereadable(console.source(gold), needed=is_page or is_model))
        if is_model:
            model = load_model(pred, parser=True)
            copied = _not_predicted(model)
            any_roots = any_roots or not Parser.of(model).single_root
            parsed = stack.enter_context(TemporaryFile())
            _write_trees(model, golds(), parsed, thread_count(threads))
            preds = stack.enter_context(rereadable(parsed))
        else:
            preds = stack.enter_context(rereadable(console.source(pred), needed=is_page))
        result = evaluate(golds(), preds(), matcher, any_roots=any_roots, documents=is_page)
        empty = {*missing(result), *copied}
        title = f"{pred} against {gold}"
        page = tree_page(result, golds(), preds(), title=title, copied=copied) if is_page else ""
    for reason in dict.fromkeys(missing(result).values()):
        print_message("note", reason)
    if copied:
        print_message(
            "note", f"the model does not predict {', '.join(MEASURES[name] for name in sorted(copied))}"
        )
    tables = score_tables(result, per_label=per_label, copied=copied)
    # The first criterion says which types have rows: the labels.
    shown = sorted((name for name in MEASURES if name not in empty), key=lambda name: name != "las")
    output.write(
        {
            "text": lambda: [part for table in tables for part in (table, "\n")] + [result.signature],
            "csv": lambda: result.to_csv(criteria=shown),
            "json": lambda: result.to_json(state=False),
            "html": lambda: page,
        },
        inputs=[gold, pred],
        title=title,
    )


def _write_trees(model: _spanrs.DepModel, gold: Source, out: IO[bytes], threads: int) -> None:
    """Parse the words of gold, and go back to the beginning of the output."""
    file = _spanrs.SyntaxFile(gold, None)
    while (text := model.annotate_file(file, True, False, threads)) is not None:
        out.write(text)
    out.seek(0)


def _not_predicted(model: _spanrs.DepModel) -> set[str]:
    """Give the measures of what the model copies from gold."""
    tags = model.tags()
    copied = {"feats", "lemmas", "mlas"}
    copied |= {name for at, name in enumerate(("xpos", "upos")) if not any(pair[at] for pair in tags)}
    return copied


def _is_model(path: str) -> bool:
    """Say whether a file begins as a model file does."""
    if path == "-":
        return False
    with open(path, "rb") as file:  # named pipes have no stat
        head = file.read(HEADER)
    return len(head) == HEADER and head[8:9] == b"{" and head[4:8] == b"\0\0\0\0"
