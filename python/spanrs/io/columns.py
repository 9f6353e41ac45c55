"""Where things stand in a column file."""

from __future__ import annotations

from typing import NamedTuple

from spanrs.errors import as_integer, check_name, check_text

#: What the compiled half takes: format, separator, comments, token, tag, second column, line limit.
Options = tuple[str, str, str | None, int | str, int | str, int | str | None, int | None]


class Columns(NamedTuple):
    r"""Where things stand in a column file: one token a line, blank lines between sentences.

    Columns count from 0, negative ones from the last. Those of CoNLL-U have names in any case (``UPOS``); any
    other name is a key of its column MISC, whose value is the tag (``NER`` for ``NER=B-PER``), and ``O`` where
    it is missing. Ranges (``3-4``) and empty nodes (``3.1``) of CoNLL-U are no tokens.

    Examples
    --------
    >>> from spanrs.io.columns import Columns
    >>> Columns(tag="UPOS").as_options()[4]
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

    def as_options(self) -> Options:
        """Give the plain tuple the compiled half takes."""
        if isinstance(self.tag, tuple):
            message = (
                f"one column of tags is expected, not {len(self.tag)}; several are layers of nested annotations, "
                "which spanrs.score (spanrs score) reads"
            )
            raise ValueError(message)
        for name in ("format", "separator", "comments"):
            if name != "comments" or self.comments is not None:
                check_name(getattr(self, name), f"Columns: {name}", "auto")
        for name in ("token", "tag", "second"):
            _check_column(getattr(self, name), name)
        if self.line_bytes is not None:
            as_integer(self.line_bytes, "Columns: line_bytes")
        comments = None if self.comments == "none" else self.comments
        return (
            self.format,
            self.separator,
            comments,
            self.token,
            self.tag,
            self.second,
            self.line_bytes,
        )


def _check_column(column: object, name: str) -> None:
    """Refuse what is neither the number nor the name of a column; only ``second`` may be None."""
    if isinstance(column, str):
        check_text(column, f"Columns: {name}")
    elif not hasattr(column, "__index__"):
        if name == "second" and column is None:
            return
        kind = type(column).__name__
        message = f"Columns: {name} is the number of a column, from 0, or a name in CoNLL-U, not {kind}"
        raise TypeError(message)
    else:
        as_integer(column, f"Columns: {name}", -(2**63))
