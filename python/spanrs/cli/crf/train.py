"""``spanrs crf train``."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import click

from spanrs import __version__, _spanrs
from spanrs.cli import _generated, console, options
from spanrs.cli.crf.features import (
    Data,
    Template,
    all_labels,
    check_columns,
    counted,
    find_template,
    load_model,
    read_tagged,
)
from spanrs.cli.crf.lexicons import check_template_lexicons, inherited_lexicons, read_lexicons
from spanrs.cli.output import Output, table_output
from spanrs.cli.output_files import check_model_output
from spanrs.cli.run import print_message
from spanrs.crf import CRF
from spanrs.crf.supervision import held_out
from spanrs.crf.training import dev_scorer, scheme_of
from spanrs.errors import FormatError, ModelError, with_code
from spanrs.io.file_advice import odd_sentences
from spanrs.tags.types import Reader
from spanrs.threads import thread_count

#: Number of labels above which the wrong column was probably read as tags.
MANY_LABELS = 300
#: Reasons why training ended.
STOPPED = {
    "delta": "converged (the loss hardly decreased)",
    "max_iterations": "iteration limit",
    "line_search": "line search failed",
    "stopped": "patience",
}
#: Options that are passed to the estimator.
_ESTIMATOR = (
    "algorithm",
    "c1",
    "c2",
    "tol",
    "max_iter",
    "min_freq",
    "validation_fraction",
    "patience",
    "max_memory",
    "spill_dir",
    "threads",
    "seed",
    "keep_on_interrupt",
)


@_generated.crf_train
@options.read_arguments
@table_output
def command(
    gold: str,
    dev: str | None,
    output_path: str,
    template: str | None,
    features: tuple[int | str, ...],
    gazetteer: tuple[str, ...],
    clusters: tuple[str, ...],
    scheme: str,
    start: str | None,
    calibrate: bool,
    read: dict[str, Any],
    quiet: bool,
    output: Output,
    **given: Any,
) -> None:
    """Train a conditional random field on GOLD: tokens with tags, or text with spans, in any supported format.

    The loss and the score on --dev are shown on standard error. The score is F1 of spans if the tags have prefixes of
    a scheme, else accuracy of tokens. The model predicts only legal sequences of tags, unless --scheme is none.
    """
    if (gold, dev).count("-") > 1:
        raise click.UsageError("only one file can be standard input")
    _check_development(dev, given["validation_fraction"], given["patience"], calibrate=calibrate)
    scheme_name = _scheme(scheme)
    output.check([gold, dev], ("-o", output_path))
    # The model may overwrite the model given as --start, but the report may not.
    output.check([start])
    check_model_output(output_path)
    chosen = None if template is None else find_template(template)
    lexicons = read_lexicons(gazetteer, clusters)
    base = None
    if start is not None:
        # A model without a template was made by another program, or from feature dicts.
        base = load_model(start, _template_for(start, template), features, given["threads"])
        chosen, features = chosen or base.template, base.features
        lexicons = inherited_lexicons(base.crf, chosen) | lexicons
    parameters = {name: given[name] for name in _ESTIMATOR} | {"threads": thread_count(given["threads"])}
    parameters["class_weight"] = _class_weight(given["class_weight"])
    crf = CRF(scheme=scheme_name, progress=not quiet, **parameters)
    # Checked before files are read.
    crf._check_params()
    # The sentences that are held out are also scored here.
    fraction = parameters["validation_fraction"]
    crf.set_params(validation_fraction=None)
    if chosen is not None:
        check_columns(chosen, features)
        check_template_lexicons(chosen, lexicons)
    train = _read_train(gold, read, features, scheme_name)
    features = _absolute(train, features)
    if chosen is None:
        chosen = _default_template(train, features)
    crf.set_params(template=chosen.text, lexicons=lexicons or None)
    held = None if dev is None else read_tagged(dev, read, features)
    if fraction is not None:
        train, held = _divided(train, fraction, given["seed"])
    if held is not None:
        _check_tags(held)
        if calibrate:
            _check_calibration(train, held)
    began = time.perf_counter()
    crf.fit(
        train.X,
        train.y,
        *(() if held is None else (held.X, held.y)),
        start=None if base is None else base.crf,
    )
    if held is not None and calibrate:
        crf.calibrate(held.X, held.y)
    seconds = time.perf_counter() - began
    facts: dict[str, Any] = {
        "template": chosen.name,
        "options": {
            name: value
            for name, value in parameters.items()
            if name not in ("threads", "keep_on_interrupt", "max_memory", "spill_dir")
        },
        "columns": {
            "token": read.get("tokens", 0),
            "tag": read.get("tags", -1),
            "features": list(features),
            "conllu": train.conllu,
        },
        "lexicons": [*gazetteer, *clusters] or None,
        "start": start,
        "train": train.facts() | _score(crf, train),
        "dev": None if held is None else held.facts() | _score(crf, held),
        "iterations": len(crf.history_),
        "stopped": crf.stopped_,
        "spanrs": __version__,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    crf.describe(facts)
    crf.save(console.target(output_path))
    if crf.stopped_ == "interrupted":
        kept = "best weights" if given["patience"] is not None else "weights"
        print_message("note", f"training was interrupted; {output_path} contains the {kept} so far")
    _write_summary(crf, facts, output_path, seconds, output)


def _check_development(
    dev: str | None, fraction: float | None, patience: int | None, *, calibrate: bool
) -> None:
    """Refuse options that need development data, and two sources of them."""
    if dev is not None and fraction is not None:
        raise click.UsageError("--validation-fraction cannot be combined with --dev")
    if dev is None and fraction is None:
        for name, is_given in (("--patience", patience is not None), ("--calibrate", calibrate)):
            if is_given:
                raise click.UsageError(f"{name} requires --dev or --validation-fraction")


def _read_train(gold: str, read: dict[str, Any], features: Sequence[int | str], scheme: str | None) -> Data:
    """Read and check training data."""
    train = read_tagged(gold, read, features)
    _check_tags(train)
    _check_train(train, scheme)
    return train


def _divided(data: Data, fraction: float, seed: int) -> tuple[Data, Data]:
    """Return sentences for training, and those that are held out."""
    parts = held_out(data.X, data.y, None, fraction, seed)
    kept = data._replace(X=parts.X, y=parts.y)
    return kept, data._replace(
        name=f"{data.name}, held out", X=parts.X_dev, y=[list(labels) for labels in parts.y_dev or ()]
    )


def _class_weight(weights: tuple[str, ...]) -> dict[str, float] | str | None:
    """Return the class weights of ``TAG=W`` arguments."""
    if weights == ("balanced",):
        return "balanced"
    parsed: dict[str, float] = {}
    for argument in weights:
        # Tags may contain "=".
        label, _, weight = argument.rpartition("=")
        try:
            value = float(weight)
        except ValueError:
            label = ""
        if not label:
            raise click.UsageError(
                f"--class-weight must be a tag and its weight, such as O=0.5, or balanced alone, not {argument!r}"
            )
        if label in parsed:
            raise click.UsageError(f"--class-weight of {label} is given twice")
        parsed[label] = value
    return parsed or None


def _scheme(name: str) -> str | None:
    if name.strip().lower() == "none":
        return None
    return "auto" if name.strip().lower() == "auto" else _spanrs.scheme_name(name)


def _template_for(start: str, name: str | None) -> str | None:
    """Return the template for loading a model; None if the model contains a template."""
    return None if CRF.load(start).template is not None else name


def _absolute(data: Data, features: Sequence[int | str]) -> tuple[int | str, ...]:
    """Return the columns numbered from the first column, because a file without tags has fewer columns."""
    return tuple(
        column + data.width if isinstance(column, int) and column < 0 and not data.conllu else column
        for column in features
    )


def _check_tags(data: Data) -> None:
    """Refuse a file whose tags are its tokens."""
    if data.tags_are_tokens:
        message = f"{data.name}: all tags equal their tokens; specify the tag column with --column"
        raise with_code(FormatError(message), "no_column", data.name)


def _check_calibration(train: Data, dev: Data) -> None:
    """Refuse development data with labels that do not occur in training, before training."""
    known = set(all_labels(train.y))
    unknown = [label for label in all_labels(dev.y) if label not in known]
    if unknown:
        message = (
            f"{dev.name}: --calibrate needs tags that occur in {train.name}, but {', '.join(unknown[:5])} "
            "do not; remove these sentences from the development data"
        )
        raise with_code(ModelError(message), "bad_value", dev.name)


def _check_train(data: Data, scheme: str | None) -> None:
    """Warn about suspicious training data."""
    name, labels = data.name, list(all_labels(data.y))
    warnings = odd_sentences(name, len(data.y), data.tokens)
    if len(labels) >= MANY_LABELS:
        warnings.append(
            f"{name}: {len(labels)} different tags; are they in another column (--column)? Time and memory grow with "
            "the square of their number"
        )
    if scheme is not None and (expected := scheme_of(labels, data.y) if scheme == "auto" else scheme):
        violations = _spanrs.validate(data.y, Reader(expected))
        if count := sum(map(len, violations)):
            warnings.append(
                f"{name}: {count} tags violate {expected}; spanrs validate --scheme {expected} lists them"
            )
    for message in warnings:
        print_message("warning", message)


def _default_template(data: Data, features: Sequence[int | str]) -> Template:
    if len(features) == 1:
        name, reason = "chunking", "there is one --feature-column"
    elif len(features) > 1:
        message = (
            f"no built-in template reads {len(features) + 1} columns; specify a template with --template"
        )
        raise click.UsageError(message)
    elif scheme_of(list(all_labels(data.y)), data.y) is not None:
        name, reason = "ner", "the tags have prefixes"
    else:
        name, reason = "pos", "the tags have no prefixes"
    print_message("note", f"using template {name}, because {reason}; use --template for another one")
    return find_template(name)


def _score(crf: CRF, data: Data) -> dict[str, float]:
    name, score = dev_scorer(data.y)
    return {name: score(crf.predict(data.X))}


def _write_summary(crf: CRF, facts: dict[str, Any], path: str, seconds: float, output: Output) -> None:
    """Write a summary of the training, to standard error if the model is on standard output."""
    _, attributes, features = crf._trained().sizes()
    labels, scheme = crf.classes_, crf.metadata_.get("scheme")
    summary = facts | {
        "model": path,
        "scheme": scheme,
        "temperature": crf.temperature_,
        "labels": labels,
        "attributes": attributes,
        "features": features,
        "seconds": round(seconds, 3),
    }
    output.write(
        {
            "text": lambda: "\n".join(f"{name:<10}{text}" for name, text in _summary_rows(summary)),
            "json": lambda: json.dumps(summary, ensure_ascii=False, allow_nan=False),
        },
        err=console.is_standard_output(path),
    )


def _summary_rows(summary: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name in ("train", "dev"):
        data = summary[name]
        if data is not None:
            score = next(f"{key} {100 * data[key]:.2f}" for key in ("F1", "accuracy") if key in data)
            sizes = f"{counted(data['sentences'], 'sentence')}, {counted(data['tokens'], 'token')}"
            yield name, f"{sizes}, {score}"
    sizes = f"{counted(summary['attributes'], 'attribute')} and {counted(len(summary['labels']), 'label')}"
    yield "features", f"{summary['features']} of {sizes}"
    reason = STOPPED.get(summary["stopped"], summary["stopped"])
    yield (
        "stopped",
        f"{reason}, after {counted(summary['iterations'], 'iteration')} and {summary['seconds']:.1f} s",
    )
    legal = f"legal tags of {summary['scheme']}" if summary["scheme"] else "any tags"
    heat = "" if summary["temperature"] == 1 else f", temperature {summary['temperature']:.2f}"
    yield "model", f"{summary['model']}: template {summary['template']}, {legal}{heat}"
