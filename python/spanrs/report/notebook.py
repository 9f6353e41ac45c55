"""Output of notebook cells: tables, and pages in a frame."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from spanrs.errors import escaped_lines
from spanrs.report.table import Table


def as_fragment(parts: Iterable[Table | str], most: int | None = None) -> str:
    """Return tables and lines as an HTML fragment.

    Parameters
    ----------
    parts : iterable of Table or str
        The parts of a result, in order; empty lines are left out.
    most : int, optional
        Maximum number of rows of a table, before its last section; all by default.

    Examples
    --------
    >>> from spanrs.report.notebook import as_fragment
    >>> as_fragment(["accuracy < 50.00", ""])
    '<p>accuracy &lt; 50.00</p>'
    """
    fragments = []
    for part in parts:
        if isinstance(part, Table):
            fragments.append(part.html(most))
        elif part.strip():
            fragments.append(f"<p>{escape(escaped_lines(part.strip()))}</p>")
    return "".join(fragments)


def in_frame(page: str, height: int = 600) -> str:
    """Return a self-contained page as an HTML fragment, in a frame that keeps its styles and scripts to itself.

    Links within the page are relative to the frame, not to the page that contains the frame.

    Parameters
    ----------
    page : str
        The page.
    height : int
        Height of the frame, in pixels.

    Examples
    --------
    >>> from spanrs.report.notebook import in_frame
    >>> in_frame("<p>a</p>", 50)
    '<iframe srcdoc="&lt;p&gt;a&lt;/p&gt;" style="width: 100%; height: 50px; border: 0"></iframe>'
    """
    framed = page.replace("<head>", '<head><base href="about:srcdoc">', 1)
    return f'<iframe srcdoc="{escape(framed)}" style="width: 100%; height: {height}px; border: 0"></iframe>'
