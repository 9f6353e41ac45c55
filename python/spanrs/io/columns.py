"""Column layout of column files."""

from __future__ import annotations

from typing import NamedTuple


class Columns(NamedTuple):
    """Column layout of a column file, which has one token per line and blank lines between sentences.

    Columns count from 0, negative ones from the last. Those of CoNLL-U have names in any case (``UPOS``); any
    other name is a key of the column MISC, whose value is the tag (``NER`` for ``NER=B-PER``), and ``O`` if it is
    missing. Ranges (``3-4``) and empty nodes (``3.1``) of CoNLL-U are not tokens.

    Examples
    --------
    >>> from spanrs.io.columns import Columns
    >>> Columns(tag="UPOS").tag
    'UPOS'
    """

    separator: str = "auto"
    """``auto`` (tabs if the first token line has one, else white space), ``whitespace``, ``tab``,
    ``space``, or one ASCII character."""
    comments: str = "auto"
    """``auto`` (lines that begin with ``#`` before the first token of a sentence and have another number
    of columns than token lines; also ``# newdoc`` and ``# key = value``), a prefix, or ``none``."""
    token: int | str = 0
    """Column of the tokens; in CoNLL-U 0 means FORM."""
    tag: int | str | tuple[int | str, ...] = -1
    """Column of the tags. Several are layers of nested annotations."""
    second: int | str | None = None
    """Column of the pred tags, where one file holds gold (in ``tag``) and pred."""
    line_bytes: int | None = None
    """Longest line that is accepted, in bytes; None for 16 MiB."""
    format: str = "auto"
    """``auto`` (columns or CoNLL-U; JSON, XML and others are refused), ``columns`` or ``conllu``."""
