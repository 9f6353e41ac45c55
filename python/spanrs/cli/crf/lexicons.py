"""Lexicons of ``spanrs crf train``: ``--gazetteer`` and ``--clusters``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from spanrs._spanrs import crf_template_lexicons
from spanrs.cli import console
from spanrs.cli.crf.features import Template
from spanrs.crf import CRF, Clusters, Gazetteer, templates
from spanrs.crf.lexicons import check_lexicons, lexicon_lines, lexicons_of

#: Lexicons by name.
Lexicons = Mapping[str, Gazetteer | Clusters]


def read_lexicons(gazetteers: Sequence[str], clusters: Sequence[str]) -> dict[str, Gazetteer | Clusters]:
    """Read the files of the options.

    Raises
    ------
    click.UsageError
        If an option is not NAME=FILE, or a name is not valid or given twice.
    """
    lexicons: dict[str, Gazetteer | Clusters] = {}
    for option, read, values in (
        ("--gazetteer", Gazetteer.read, gazetteers),
        ("--clusters", Clusters.read, clusters),
    ):
        for value in values:
            name, separator, path = value.partition("=")
            if not (name and separator and path):
                raise click.UsageError(
                    f"{option}: expected NAME=FILE, such as names=names.txt, not {value!r}"
                )
            if name in lexicons:
                raise click.UsageError(f"{option}: the name {name} is given twice")
            lexicons[name] = read(console.source(path))
            try:
                check_lexicons(lexicons)
            except ValueError as error:
                raise click.UsageError(f"{option}: {error}") from None
    return lexicons


def check_template_lexicons(template: Template, lexicons: Lexicons) -> None:
    """Refuse a template that uses other lexicons than the given ones; a built-in template gets lines for them.

    Raises
    ------
    click.UsageError
        If a lexicon is missing or not used.
    """
    used = dict(crf_template_lexicons(template.text))
    for name, kind in used.items():
        if name not in lexicons:
            raise click.UsageError(
                f"template {template.name} uses the lexicon {name}; specify its file by --{kind} {name}=FILE"
            )
    for name, lexicon in lexicons.items():
        if name not in used and template.text not in templates().values():
            line = lexicon_lines(name, lexicon).splitlines()[0]
            raise click.UsageError(
                f"template {template.name} does not use the lexicon {name}; add lines such as {line}"
            )


def inherited_lexicons(start: CRF, template: Template) -> dict[str, Gazetteer | Clusters]:
    """Return the lexicons of a model that a template uses."""
    used = dict(crf_template_lexicons(template.text))
    lexicons = lexicons_of(start._trained())
    return {name: lexicon for name, lexicon in lexicons.items() if name in used}


def lexicon_rows(lexicons: Lexicons) -> list[tuple[str, str]]:
    """Return the name and a description of each lexicon."""
    return [(name, repr(lexicon).strip("<>")) for name, lexicon in lexicons.items()]
