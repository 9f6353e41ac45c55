"""Layout of column files."""

from __future__ import annotations

from typing import NamedTuple

from spanrs.errors import as_integer, check_name, check_text

#: The same options as a plain tuple: format, separator, comments, token, tag, second column, line limit.
Options = tuple[str, str, str | None, int | str, int | str, int | str | None, int | None]


class Columns(NamedTuple):
    r"""Layout of a column file: one token per line, blank lines between sentences.

    Columns are numbered from 0; negative numbers count from the end. In CoNLL-U columns may also be named, in any case
    (``UPOS``). Any other name is a key in the column MISC: the tag is its value (``NER`` for ``NER=B-PER``), or ``O``
    if the key is missing. Multiword tokens (``3-4``) and empty nodes (``3.1``) of CoNLL-U are skipped.

    Examples
    --------
    >>> from spanrs.io.columns import Columns
    >>> Columns(tag="UPOS").as_options()[4]
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

    def as_options(self) -> Options:
        """Return the plain tuple that the compiled module accepts."""
        if isinstance(self.tag, tuple):
            message = (
                f"expected one column of tags, not {len(self.tag)}; several are layers of nested annotations, "
                "which spanrs.score (spanrs score) accepts"
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
    """Refuse anything but a column index or a column name; only ``second`` may be None."""
    if isinstance(column, str):
        check_text(column, f"Columns: {name}")
    elif not hasattr(column, "__index__"):
        if name == "second" and column is None:
            return
        kind = type(column).__name__
        message = (
            f"Columns: {name} must be a column index (from 0) or, in CoNLL-U, a column name, not {kind}"
        )
        raise TypeError(message)
    else:
        as_integer(column, f"Columns: {name}", -(2**63))
