"""Tokens, columns and models for the commands of ``spanrs crf``."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import click

from spanrs._spanrs import CrfSentences, crf_template_lexicons
from spanrs.cli import console
from spanrs.cli.options import given
from spanrs.cli.run import explained, print_message
from spanrs.crf import CRF, templates
from spanrs.crf.templates import template_text
from spanrs.errors import FormatError, ModelError, SpanrsError, with_code
from spanrs.io import read as read_corpus
from spanrs.io.training import tagged
from spanrs.threads import thread_count

#: Matches the column number in a macro: %x[-1,0], %prefix[0,1,3], %t[@1,0,"re"].
_MACRO_COLUMN = re.compile(r"%\w+\s*\[\s*[^,\[\]]+,\s*(\d+)")


class Template(NamedTuple):
    """A feature template."""

    name: str
    """Name of a built-in template, or of a template file."""
    text: str

    @property
    def columns(self) -> int:
        """Return the number of columns that the template reads."""
        return columns_read(self.text)


def columns_read(text: str) -> int:
    """Return the number of columns that a template reads."""
    lines = (line for line in text.splitlines() if line[:1] in ("U", "u"))
    return max((int(column) + 1 for line in lines for column in _MACRO_COLUMN.findall(line)), default=1)


def find_template(name: str) -> Template:
    """Find a template by name or file, and validate it."""
    if name not in templates() and ("%" in name or "\n" in name) and not Path(name).exists():
        raise click.UsageError(f"--template: expected a file or one of {', '.join(sorted(templates()))}")
    try:
        text = template_text(name if name in templates() else Path(name))
        crf_template_lexicons(text)
    except FileNotFoundError as error:
        raise click.UsageError(str(error)) from None
    except UnicodeDecodeError:
        raise with_code(
            FormatError(f"{name}: the file is not UTF-8; is it a template?"), "encoding"
        ) from None
    except SpanrsError as error:
        error.args = (f"{name}: {error}",)
        error.path = name
        raise
    return Template(name, text)


class Data(NamedTuple):
    """Sentences of a file."""

    name: str
    X: Sequence[Any]
    """Tokens: strings, or tuples of strings for templates with more columns."""
    y: list[list[str]]
    """Labels."""
    conllu: bool
    width: int
    """Number of columns of the file."""
    tags_are_tokens: bool

    @property
    def tokens(self) -> int:
        """Number of tokens."""
        return sum(map(len, self.y))

    def facts(self) -> dict[str, Any]:
        """Return the entries about this file for a model card."""
        return {"file": self.name, "sentences": len(self.y), "tokens": self.tokens}


def read_tagged(path: str, read: dict[str, Any], features: Sequence[int | str]) -> Data:
    """Read tokens and tags from any source, and print warnings.

    Parameters
    ----------
    path : str
        The source; ``-`` is standard input.
    read : dict
        Options of :func:`spanrs.read`.
    features : sequence of int or str
        Further columns of a column file, for templates.
    """
    with explained():
        corpus = read_corpus(console.source(path), **read)
    part = corpus.parts[0]
    if len(corpus.parts) > 1 or part.kind != "rows":
        if features:
            raise click.UsageError(f"--feature-column needs a single column file; {path} is not one")
        with console.quiet_but_printed():
            tokens, tags = tagged(corpus)
        return Data(part.shown if len(corpus.parts) == 1 else path, tokens, tags, False, 2, False)
    columns = corpus.options.columns(corpus.options.layers()[0])
    with console.files_bar(path) as bar:
        sentences = CrfSentences(part.opened(keep=True), columns, list(features), bar)
    conllu, width, _, tags_are_tokens, warnings = sentences.facts()
    for message in warnings:
        print_message("warning", message)
    # The class has the methods of a sequence, but is not declared as a sequence.
    rows = cast("Sequence[Any]", sentences)
    return Data(part.shown, rows, sentences.tags(), conllu, width, tags_are_tokens)


def check_columns(template: Template, features: Sequence[int | str]) -> None:
    """Raise an error if a template reads more columns than there are; warn if the template reads fewer columns."""
    needed, given = template.columns, 1 + len(features)
    if needed > given:
        missing = needed - given
        more = "the column" if missing == 1 else f"{missing} more columns"
        message = (
            f"template {template.name} reads {needed} columns, the tokens and {needed - 1} more; specify {more} "
            f"with --feature-column COLUMN{'' if missing == 1 else ', repeated'}"
        )
        raise click.UsageError(message)
    if needed < given:
        unused = ", ".join(map(str, features[needed - 1 :]))
        columns = "one column" if needed == 1 else f"{needed} columns"
        print_message(
            "warning", f"template {template.name} reads {columns}; not used: --feature-column {unused}"
        )


class TrainedModel(NamedTuple):
    """A model with the template and columns for tagging column files."""

    crf: CRF
    path: str
    template: Template
    features: tuple[int | str, ...]
    """The columns that the template reads besides the tokens."""
    card: dict[str, Any]

    def warn_if_unrelated(self, sequences: Sequence[Any]) -> None:
        """Warn if the template generates no attribute known to the model."""
        known_features = self.crf._trained().known_features
        if not any(any(known_features(sequences[at])) for at in range(min(100, len(sequences)))):
            self.warn_of_unknown()

    def warn_of_unknown(self) -> None:
        """Warn that the template generates no attribute known to the model."""
        print_message(
            "warning",
            f"{self.path} knows none of the attributes that template {self.template.name} generates; check that the "
            "model was trained with this template and these columns",
        )


def read_model(path: str) -> CRF:
    """Read a model; ``-`` is standard input."""
    return CRF.load(sys.stdin.buffer if path == "-" else path)


def model_card(crf: CRF, path: str) -> dict[str, Any]:
    """Return the model card, or an empty dict if the model has none."""
    card: dict[str, Any] = crf.metadata_.get("card") or {}
    if not isinstance(card, dict) or not isinstance(card.get("columns", {}), dict):
        raise with_code(ModelError(f"{path}: the model card was not written by spanrs"), "damaged", path)
    return card


def load_model(
    path: str,
    template: str | None,
    features: Sequence[int | str],
    threads: int,
    scheme: str | None = None,
) -> TrainedModel:
    """Load a model; ``template`` and ``scheme`` are for models that do not contain a template or a scheme."""
    crf = read_model(path)
    card = model_card(crf, path)
    if crf.template is not None and template is not None:
        raise click.UsageError(
            f"{path} contains a template; --template is only for models without a template"
        )
    if crf.template is not None:
        used = Template(str(card.get("template", "of the model")), crf.metadata_["template"])
    elif template is None:
        raise click.UsageError(
            f"{path} contains no template (CRFsuite files and models trained on feature dicts never do); specify the "
            "template that the model was trained with by --template"
        )
    else:
        used = find_template(template)
        crf = crf._with_template_and_scheme(template=used.text)
    if scheme is not None:
        trained = crf.metadata_.get("scheme")
        if trained is not None and scheme.strip().lower() not in ("none", trained.lower()):
            raise click.UsageError(
                f"{path} was trained for {trained}; --model-scheme {scheme} would make most of its tags illegal"
            )
        crf = crf._with_template_and_scheme(scheme=scheme)
    crf.set_params(threads=thread_count(threads))
    features = tuple(features or card.get("columns", {}).get("features", ()))
    check_columns(used, features)
    return TrainedModel(crf, path, used, features, card)


def tokens_of_model(card: dict[str, Any], read: dict[str, Any]) -> dict[str, Any]:
    """Set the token column to the column used in training, unless another column is specified."""
    token = card.get("columns", {}).get("token", 0)
    return read if given("token") or token == 0 else read | {"tokens": token}


def predictions(model: TrainedModel, sequences: Sequence[Any], posterior: bool) -> list[list[str]]:
    """Return the predicted labels of sequences."""
    return model.crf.predict_posterior(sequences) if posterior else model.crf.predict(sequences)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def all_labels(y: Sequence[Sequence[str]]) -> Iterator[str]:
    """Iterate over the distinct labels, in order of first occurrence."""
    return iter(dict.fromkeys(label for labels in y for label in labels))
