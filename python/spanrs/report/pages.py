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
    """Give a template of a package; what is put into it is escaped.

    It can extend and include the templates of this package, such as ``base.html`` and ``page.css``.

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
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(own) for own in (package, "spanrs.report")]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"amount": amount, "kept": kept, "escaped": escaped, "visible": visible}
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


def visible(text: str) -> Markup:
    r"""Give text as HTML, with escapes for invisible characters that differ from the same text.

    Examples
    --------
    >>> from spanrs.report.pages import visible
    >>> print(visible("<\u202e"))
    &lt;<i class="control">\u202e</i>
    """
    from markupsafe import Markup, escape

    html = str(escape(text))
    return Markup(INVISIBLE.sub(lambda found: f'<i class="control">{escaped(found[0])}</i>', html))


def largest(numbers: Sequence[float], most: int) -> list[int]:
    """Give the places of the largest numbers, in order, for what has room for so many; of equal ones the first.

    Examples
    --------
    >>> from spanrs.report.pages import largest
    >>> largest([3, 1, 3, 4, 3], 3)
    [0, 2, 3]
    """
    return sorted(sorted(range(len(numbers)), key=lambda place: -numbers[place])[:most])


def cut_by_kind(items: Sequence[T], kind: Callable[[T], Hashable], most: int) -> list[T]:
    """Return at most ``most`` items in their order: all of rare kinds, equally many first ones of each frequent kind.

    Examples
    --------
    >>> from spanrs.report.pages import cut_by_kind
    >>> cut_by_kind(["a", "a", "a", "b", "a", "c", "c", "c"], str, 5)
    ['a', 'a', 'b', 'c', 'c']
    """
    if len(items) <= most:
        return list(items)
    left = Counter(map(kind, items))
    numbers = sorted(left.items(), key=lambda one: one[1])
    for rank, (name, number) in enumerate(numbers):
        left[name] = min(number, most // (len(numbers) - rank))
        most -= left[name]
    kept = []
    for item in items:
        name = kind(item)
        if left[name]:
            left[name] -= 1
            kept.append(item)
    return kept
