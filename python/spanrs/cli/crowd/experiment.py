"""``spanrs crowd experiment``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from statistics import mean
from typing import Any

import click

from spanrs.cli import _generated, options
from spanrs.cli.crowd import inputs
from spanrs.cli.crowd.simulate import simulation
from spanrs.cli.options import given
from spanrs.cli.output import Output, records_csv, table_output
from spanrs.cli.run import print_message
from spanrs.crowd.corpus import CrowdCorpus
from spanrs.crowd.experiments import (
    METHODS,
    Data,
    Settings,
    check_methods,
    one_annotator_each,
    repeat,
)
from spanrs.crowd.results import Experiment
from spanrs.io.columns import Columns
from spanrs.report.page import Bar, Bars, Section, Sorted, render
from spanrs.report.table import Table


@_generated.crowd_experiment
@inputs.crf_options
@options.columns
@table_output
def command(
    gold: str,
    crowd: str | None,
    test: str | None,
    test_column: int | str | None,
    aggregators: str | None,
    reference: str,
    features: tuple[int | str, ...],
    settings: Settings,
    columns: Columns,
    plot: str | None,
    output: Output,
    **how: Any,
) -> None:
    """Compare methods on data whose true labels are known.

    Each method estimates the labels of the sentences of --gold from annotations, and a CRF trained on the annotations
    labels --test. The annotations are read from --crowd, or simulated as in Rodrigues, Pereira and Ribeiro (2013,
    section 4) with --noise or --flip. In tables, F1 is followed by its standard deviation and the p-value of a paired
    t-test. Measures are in per cent; in JSON they are fractions.
    """
    names = METHODS if aggregators is None else [name.strip() for name in aggregators.split(",")]
    wanted = check_methods(names)
    [reference] = check_methods([reference])
    if reference not in wanted:
        if given("reference"):
            raise click.UsageError(f"--reference {reference} is not one of --aggregators")
        reference = wanted[0]
    output.check([gold, crowd, test], ("--plot", plot))
    truth = inputs.read_gold(gold, columns, features)
    if test_column is not None:
        columns = columns._replace(tag=test_column)
    tested = None if test is None else inputs.read_gold(test, columns, features)
    facts: dict[str, Any] = {"gold": gold, "crowd": crowd, "test": test, "settings": settings._asdict()}
    facts |= {name: how[name] for name in ("noise", "flip")} | {"repeats": not how["alone"]}
    if crowd is not None:
        run = partial(repeat, test=tested, methods=wanted, settings=settings, facts=facts)
        run = partial(run, leave_out=aggregators is None)
        experiment = _on_crowd(crowd, truth, gold, run, how)
    else:
        make = simulation(truth, how["noise"], how["flip"], how["alone"], settings)
        experiment = repeat(
            make,
            truth.labels,
            tested,
            repetitions=how["repetitions"] or 30,
            methods=wanted,
            leave_out=aggregators is None,
            settings=settings,
            facts=facts,
        )
    experiment.reference = reference
    output.write(
        {
            "text": lambda: [_table(experiment)],
            "json": experiment.to_json,
            "csv": lambda: records_csv(_records(experiment)),
            "html": lambda: _page(experiment),
        }
    )
    if plot is not None:
        experiment.plot(plot, "truth" if test is None else "test")


def _on_crowd(
    crowd: str, truth: Data, gold: str, run: Callable[..., Experiment], how: dict[str, Any]
) -> Experiment:
    """Run methods on a file of annotations."""
    if how["noise"] is not None or how["flip"] is not None:
        raise click.UsageError(
            "--crowd cannot be combined with --noise or --flip, which simulate annotators"
        )
    if how["repetitions"] is not None and not how["alone"]:
        raise click.UsageError(
            "--repetitions needs --no-repeats or a simulation: the annotations of --crowd are always the same"
        )
    corpus = inputs.read_corpus([crowd], ())
    if truth.sentences and isinstance(next((t for s in truth.sentences for t in s), ""), tuple):
        raise click.UsageError(
            "--feature-column cannot be used with --crowd: annotations have no further columns"
        )
    labels = inputs.aligned_labels(corpus, truth, gold)

    def make(seed: int) -> CrowdCorpus:
        return one_annotator_each(corpus, seed) if how["alone"] else corpus

    return run(make, labels, repetitions=(how["repetitions"] or 30) if how["alone"] else 1)


def _page(experiment: Experiment) -> str:
    """Return an HTML report: bars of F1, and the table of methods."""
    sections: list[Section] = []
    for part, says in (("truth", "F1 of estimated labels"), ("test", "F1 on test data")):
        values = {method: experiment.values(method, part) for method in experiment.methods}
        bars = [Bar(method, mean(scores)) for method, scores in values.items() if scores]
        if bars:
            note = f"Means of {experiment.repetitions} repetitions." if experiment.repetitions > 1 else ""
            sections.append(Bars(says, bars, note=note))
    return render("Comparison of methods", [*sections, Sorted("Methods", _table(experiment))])


def _records(experiment: Experiment) -> list[dict[str, Any]]:
    """Return the means of each method as fractions, by column."""
    rows = []
    for row in experiment.to_dict()["methods"]:
        measures = {
            f"{part}_{name}": value
            for part in ("truth", "test")
            for name, value in (row.pop(part) or {}).items()
        }
        rows.append({"method": row.pop("method")} | measures | row)
    return rows


def _table(experiment: Experiment) -> Table:
    """Return the table of methods; without p-values if scipy is not installed."""
    p_values = True
    try:
        import scipy  # noqa: F401
    except ImportError:
        p_values = False
        if experiment.repetitions > 1:
            print_message("note", "p-values need scipy; pip install 'spanrs[stats]'")
    return experiment.table(p_values=p_values)
