"""Layout of column files."""

from __future__ import annotations

from typing import NamedTuple


class Columns(NamedTuple):
    r"""Layout of a column file: one token per line, blank lines between sentences.

    Columns are numbered from 0; negative numbers count from the end. In CoNLL-U, columns may also be named, in upper or
    lower case (``UPOS``). Any other name is a key in the column MISC: the tag is the value of this key (``NER`` for
    ``NER=B-PER``), or ``O`` if the key is missing. Multiword tokens (``3-4``) and empty nodes (``3.1``) of CoNLL-U are
    skipped.

    Examples
    --------
    >>> from spanrs.io.columns import Columns
    >>> Columns(tag="UPOS").tag
    'UPOS'
    """

    separator: str = "auto"
    """``auto`` (tabs if the first token line contains one, else white space), ``whitespace``, ``tab``, ``space``, or
    one ASCII character."""
    comments: str = "auto"
    """``auto`` (lines before the first token of a sentence that begin with ``#`` and differ from token lines in the
    number of columns; also ``# newdoc`` and ``# key = value``), a prefix, or ``none``."""
    token: int | str = 0
    """Column of the tokens; in CoNLL-U 0 means FORM."""
    tag: int | str | tuple[int | str, ...] = -1
    """Column of the tags; several columns are layers of nested annotations."""
    second: int | str | None = None
    """Column of the pred tags if one file contains both gold (in ``tag``) and pred."""
    line_bytes: int | None = None
    """Maximum length of a line, in bytes; None for 16 MiB."""
    format: str = "auto"
    """``auto`` (columns or CoNLL-U; JSON, XML and others are refused), ``columns`` or ``conllu``."""
