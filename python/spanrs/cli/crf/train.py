"""``spanrs crf train``."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from spanrs import __version__, _spanrs
from spanrs.cli import console, options
from spanrs.cli.crf.features import (
    Data,
    Template,
    all_labels,
    check_columns,
    counted,
    feature_columns,
    find_template,
    load_model,
    read_tagged,
    threads,
)
from spanrs.cli.run import print_message
from spanrs.crf import CRF
from spanrs.crf.training import dev_scorer, scheme_of
from spanrs.errors import FormatError, with_code
from spanrs.io.file_advice import odd_sentences
from spanrs.tags.types import Dialect

#: Number of labels from which on the column of the tags is probably another one.
MANY_LABELS = 300
#: Why training ended.
STOPPED = {
    "delta": "converged (the loss hardly fell)",
    "max_iterations": "limit of iterations",
    "line_search": "line search failed",
    "stopped": "patience",
}
#: Options that are passed to the estimator.
_OWN = (
    "algorithm",
    "c1",
    "c2",
    "max_iter",
    "min_freq",
    "patience",
    "threads",
    "seed",
    "keep_on_interrupt",
)


@click.command()
@click.argument("gold")
@click.option("--dev", metavar="FILE", help="Development data, scored after each iteration.")
@click.option(
    "-o", "--output", type=click.Path(), required=True, help="The model file; - is standard output."
)
@click.option(
    "--template",
    "template_name",
    metavar="NAME|FILE",
    help="Feature template: a built-in one (spanrs crf template lists them) or a file. By default that of --start; "
    "else chunking with one --feature-column, ner for tags of spans, pos for other labels.",
)
@feature_columns
@click.option(
    "--algorithm",
    type=click.Choice(["lbfgs", "l2sgd", "ap", "pa", "arow"]),
    default="lbfgs",
    help="Training algorithm.",
)
@click.option(
    "--c1", type=float, default=0.0, help="Coefficient of the L1 norm (lbfgs); above 0 for small models."
)
@click.option("--c2", type=float, default=1.0, help="Coefficient of the squared weights (lbfgs, l2sgd).")
@click.option(
    "--max-iterations",
    type=click.IntRange(1),
    help="No limit by default for lbfgs, 1000 for l2sgd, else 100.",
)
@click.option("--min-freq", type=float, default=0.0, help="Leave out features that occur less often.")
@click.option(
    "--patience",
    type=click.IntRange(1),
    metavar="N",
    help="Stop after N iterations without a better score on --dev, and keep the best weights.",
)
@threads
@click.option(
    "--seed", type=click.IntRange(0, 2**63 - 1), default=0, help="Order of sentences (all but lbfgs)."
)
@options.scheme()
@click.option("--start", metavar="MODEL", help="Begin with the weights of this model (warm start).")
@click.option("--keep-on-interrupt", is_flag=True, help="Ctrl-C ends training and writes the model so far.")
@options.reading_options
@click.option("-q", "--quiet", is_flag=True, help="Do not show the iterations.")
@click.option("--json", "as_json", is_flag=True, help="The summary as one JSON object.")
def command(
    gold: str,
    dev: str | None,
    output: str,
    template_name: str | None,
    features: tuple[int | str, ...],
    scheme: str,
    start: str | None,
    read: dict[str, Any],
    quiet: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Train a conditional random field on GOLD: tokens with tags, or text with spans, in any format that is read.

    The loss and the score on --dev are shown on standard error. A score is F1 of spans if the tags have prefixes of
    a scheme, else accuracy of tokens. With --scheme none, tagging may give tags that are not legal in sequence; any
    other way it does not.
    """
    if (gold, dev).count("-") > 1:
        raise click.UsageError("only one file can be standard input")
    if given["patience"] is not None and dev is None:
        raise click.UsageError("--patience needs --dev")
    scheme_name = _scheme(scheme)
    _check_output(output, [path for path in (gold, dev, start) if path is not None])
    template = None if template_name is None else find_template(template_name)
    base = None
    if start is not None:
        # A model without a template was made by another program, or from feature dicts.
        base = load_model(start, _template_for(start, template_name), features, given["threads"])
        template, features = template or base.template, base.features
    given["max_iter"] = given.pop("max_iterations")
    own = {name: given[name] for name in _OWN}
    crf = CRF(scheme=scheme_name, progress=not quiet, **own)
    # Checked before files are read.
    crf._check_params()
    if template is not None:
        check_columns(template, features)
    train = read_tagged(gold, read, features)
    features = _absolute(train, features)
    _check_tags(train)
    _check_train(train, scheme_name)
    if template is None:
        template = _default_template(train, features)
    crf.set_params(template=template.text)
    held_out = None if dev is None else read_tagged(dev, read, features)
    if held_out is not None:
        _check_tags(held_out)
    began = time.perf_counter()
    crf.fit(
        train.X,
        train.y,
        *(() if held_out is None else (held_out.X, held_out.y)),
        start=None if base is None else base.crf,
    )
    seconds = time.perf_counter() - began
    facts: dict[str, Any] = {
        "template": template.name,
        "options": {
            name: value for name, value in own.items() if name not in ("threads", "keep_on_interrupt")
        },
        "columns": {
            "token": read.get("tokens", 0),
            "tag": read.get("tags", -1),
            "features": list(features),
            "conllu": train.conllu,
        },
        "start": start,
        "train": train.facts() | _score(crf, train),
        "dev": None if held_out is None else held_out.facts() | _score(crf, held_out),
        "iterations": len(crf.history_),
        "stopped": crf.stopped_,
        "spanrs": __version__,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    crf.describe(facts)
    crf.save(console.standard_output() if console.is_standard_output(output) else output)
    if crf.stopped_ == "interrupted":
        kept = "best weights" if given["patience"] is not None else "weights"
        print_message("note", f"training was interrupted; {output} has the {kept} so far")
    _summarize(crf, facts, output, seconds, as_json=as_json)


def _scheme(name: str) -> str | None:
    if name.strip().lower() == "none":
        return None
    return "auto" if name.strip().lower() == "auto" else _spanrs.scheme_name(name)


def _template_for(start: str, name: str | None) -> str | None:
    """Give the template to load a model with, which may have one."""
    return None if CRF.load(start).template is not None else name


def _check_output(output: str, inputs: list[str]) -> None:
    """Find out before training whether the model can be written."""
    if console.is_standard_output(output):
        if console.standard_output().isatty():
            raise click.UsageError("a model is not text; name a file with -o")
        return
    path = Path(output)
    if path.is_dir():
        raise click.UsageError(f"-o {output} is a directory; name a file")
    if not path.resolve().parent.is_dir():
        raise click.UsageError(f"-o {output}: no such directory")
    if path.exists() and not path.is_file():
        return  # A device or a pipe.
    if not os.access(path.resolve().parent, os.W_OK):
        raise click.UsageError(f"-o {output}: no permission to write there")
    # A model may be replaced by one that began with it.
    data = [Path(name) for name in inputs[:2] if name != "-"]
    if console.overwritten([path], data) is not None:
        raise click.UsageError(f"-o {output} would overwrite the data")


def _absolute(data: Data, features: Sequence[int | str]) -> tuple[int | str, ...]:
    """Count columns from the first: a file without tags has fewer of them."""
    return tuple(
        column + data.width if isinstance(column, int) and column < 0 and not data.conllu else column
        for column in features
    )


def _check_tags(data: Data) -> None:
    """Refuse a file whose tags are its tokens."""
    if data.tags_are_tokens:
        message = f"{data.name}: all tags equal their tokens; name the column of the tags with --column"
        raise with_code(FormatError(message), "no_column", data.name)


def _check_train(data: Data, scheme: str | None) -> None:
    """Say what looks wrong in the training data."""
    name, labels = data.name, list(all_labels(data.y))
    warnings = odd_sentences(name, len(data.y), data.tokens)
    if len(labels) >= MANY_LABELS:
        warnings.append(
            f"{name}: {len(labels)} different tags; are they in another column (--column)? Time and memory grow with "
            "the square of their number"
        )
    if scheme is not None and (own := scheme_of(labels, data.y) if scheme == "auto" else scheme):
        violations = _spanrs.validate(data.y, (own, "conlleval", Dialect()))
        if count := sum(map(len, violations)):
            warnings.append(
                f"{name}: {count} tags violate {own}; spanrs validate --scheme {own} lists them"
            )
    for message in warnings:
        print_message("warning", message)


def _default_template(data: Data, features: Sequence[int | str]) -> Template:
    if len(features) == 1:
        name, reason = "chunking", "there is one --feature-column"
    elif len(features) > 1:
        message = f"name a template for {len(features) + 1} columns with --template; built-in ones read one or two"
        raise click.UsageError(message)
    elif scheme_of(list(all_labels(data.y)), data.y) is not None:
        name, reason = "ner", "the tags have prefixes"
    else:
        name, reason = "pos", "the tags have no prefixes"
    print_message("note", f"template {name}, because {reason}; --template names another")
    return find_template(name)


def _score(crf: CRF, data: Data) -> dict[str, float]:
    name, score = dev_scorer(data.y)
    return {name: score(crf.predict(data.X))}


def _summarize(crf: CRF, facts: dict[str, Any], output: str, seconds: float, *, as_json: bool) -> None:
    _, attributes, features = crf._trained().sizes()
    labels, scheme = crf.classes_, crf.metadata_.get("scheme")
    # The model itself may be on standard output.
    to_stderr = console.is_standard_output(output)
    if as_json:
        summary = facts | {
            "model": output,
            "scheme": scheme,
            "labels": labels,
            "attributes": attributes,
            "features": features,
            "seconds": round(seconds, 3),
        }
        console.echo(json.dumps(summary, ensure_ascii=False, allow_nan=False), err=to_stderr)
        return
    rows = []
    for name in ("train", "dev"):
        own = facts[name]
        if own is not None:
            score = next(f"{key} {100 * own[key]:.2f}" for key in ("F1", "accuracy") if key in own)
            sizes = f"{counted(own['sentences'], 'sentence')}, {counted(own['tokens'], 'token')}"
            rows.append((name, f"{sizes}, {score}"))
    sizes = f"{counted(attributes, 'attribute')} and {counted(len(labels), 'label')}"
    rows.append(("features", f"{features} of {sizes}"))
    reason = STOPPED.get(facts["stopped"], facts["stopped"])
    rows.append(
        ("stopped", f"{reason}, after {counted(facts['iterations'], 'iteration')} and {seconds:.1f} s")
    )
    legal = f"legal tags of {scheme}" if scheme else "any tags"
    rows.append(("model", f"{output}: template {facts['template']}, {legal}"))
    for name, text in rows:
        console.echo(f"{name:<10}{text}", err=to_stderr)
