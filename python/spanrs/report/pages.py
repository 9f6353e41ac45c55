"""Templates of HTML pages."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from spanrs.report.numbers import amount

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup


@cache
def template(package: str, name: str) -> Template:
    """Give a template of a package; what is put into it is escaped.

    Parameters
    ----------
    package : str
        The package that has it, in its folder ``templates``.
    name : str
        Its file name.

    Raises
    ------
    ImportError
        Where jinja2 is not installed (``pip install spanrs[html]``).
    """
    try:
        import jinja2
    except ImportError as error:
        raise ImportError("an HTML page needs jinja2; pip install 'spanrs[html]'") from error
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(package),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"amount": amount, "kept": kept}
    return environment.get_template(name)


def kept(text: str) -> Markup:
    """Give text as HTML of which a browser makes the same text.

    Examples
    --------
    >>> from spanrs.report.pages import kept
    >>> print(kept("a<b"))
    a&lt;b
    """
    from markupsafe import Markup, escape

    # Browsers read a bare CR as a line feed, and there is no way to write a NUL.
    return Markup(str(escape(text)).replace("\r", "&#13;").replace("\0", "\N{SYMBOL FOR NULL}"))


def largest(numbers: Sequence[float], most: int) -> list[int]:
    """Give the places of the largest numbers, in order, for what has room for so many; of equal ones the first.

    Examples
    --------
    >>> from spanrs.report.pages import largest
    >>> largest([3, 1, 3, 4, 3], 3)
    [0, 2, 3]
    """
    return sorted(sorted(range(len(numbers)), key=lambda place: -numbers[place])[:most])
