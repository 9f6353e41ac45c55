"""Templates of HTML pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from spanrs.errors import INVISIBLE, escaped
from spanrs.report.numbers import amount

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

T = TypeVar("T")


@cache
def template(package: str, name: str) -> Template:
    """Load a template of a package; values are escaped.

    The template can extend and include the templates of this package, such as ``base.html`` and ``page.css``.

    Parameters
    ----------
    package : str
        Package whose directory ``templates`` contains the template.
    name : str
        File name of the template.

    Raises
    ------
    ImportError
        If jinja2 is not installed (``pip install spanrs[html]``).
    """
    try:
        import jinja2
    except ImportError as error:
        raise ImportError("an HTML page needs jinja2; run pip install 'spanrs[html]'") from error
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [jinja2.PackageLoader(package_name) for package_name in (package, "spanrs.report")]
        ),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"amount": amount, "kept": kept, "escaped": escaped, "visible": visible}
    return environment.get_template(name)


def kept(text: str) -> Markup:
    """Escape text as HTML that a browser parses to the same text.

    Examples
    --------
    >>> from spanrs.report.pages import kept
    >>> print(kept("a<b"))
    a&lt;b
    """
    from markupsafe import Markup, escape

    # Browsers parse a bare CR as a line feed, and HTML cannot represent NUL.
    return Markup(str(escape(text)).replace("\r", "&#13;").replace("\0", "\N{SYMBOL FOR NULL}"))


def visible(text: str) -> Markup:
    r"""Escape text as HTML, with invisible characters as marked escapes that cannot be confused with literal text.

    Examples
    --------
    >>> from spanrs.report.pages import visible
    >>> print(visible("<\u202e"))
    &lt;<i class="control">\u202e</i>
    """
    from markupsafe import Markup, escape

    html = str(escape(text))
    return Markup(INVISIBLE.sub(lambda match: f'<i class="control">{escaped(match[0])}</i>', html))


def largest(numbers: Sequence[float], most: int) -> list[int]:
    """Return the indices of the ``most`` largest numbers, sorted by index; among equal numbers, the first are kept.

    Examples
    --------
    >>> from spanrs.report.pages import largest
    >>> largest([3, 1, 3, 4, 3], 3)
    [0, 2, 3]
    """
    return sorted(sorted(range(len(numbers)), key=lambda place: -numbers[place])[:most])


def cut_by_kind(items: Sequence[T], kind: Callable[[T], Hashable], most: int) -> list[T]:
    """Return at most ``most`` items in order: all items of rare kinds, and equally many of each frequent kind.

    Examples
    --------
    >>> from spanrs.report.pages import cut_by_kind
    >>> cut_by_kind(["a", "a", "a", "b", "a", "c", "c", "c"], str, 5)
    ['a', 'a', 'b', 'c', 'c']
    """
    if len(items) <= most:
        return list(items)
    quotas = Counter(map(kind, items))
    numbers = sorted(quotas.items(), key=lambda pair: pair[1])
    for rank, (name, number) in enumerate(numbers):
        quotas[name] = min(number, most // (len(numbers) - rank))
        most -= quotas[name]
    kept = []
    for item in items:
        name = kind(item)
        if quotas[name]:
            quotas[name] -= 1
            kept.append(item)
    return kept
