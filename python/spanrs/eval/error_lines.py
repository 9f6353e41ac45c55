"""Formats errors as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from spanrs.errors import escaped
from spanrs.eval.details import ErrorList
from spanrs.eval.evidence import Detail, kind_of

#: Number of kinds in the summary above an incomplete list of errors.
KINDS = 10


def error_lines(errors: ErrorList, name: str = "gold", most: int | None = None) -> Iterator[str]:
    r"""Yield a line for each error, beginning with the most frequent kinds.

    The tokens of the gold span are in square brackets, and the tokens of the pred span are in braces. Errors in texts
    with annotations are shown with the character offsets of the spans and the text of the gold span, or of the pred
    span if there is no gold span.

    Parameters
    ----------
    errors : ErrorList
        The errors.
    name : str
        Name of gold, shown in locations.
    most : int, optional
        Maximum number of errors to show; all by default.

    Examples
    --------
    >>> import spanrs
    >>> from spanrs.eval.error_lines import error_lines
    >>> result = spanrs.score([["B-A"]], [["B-B"]], errors=True, tokens=[["Rio"]])
    >>> print(*error_lines(result.errors), sep="\n")
    errors 1; [gold] {pred}, the most frequent kinds first
    mistyped A, B (1)
      gold sentence 0: [{Rio}]
    """
    total = sum(errors.numbers.values())
    shown = errors.by_frequency(most)
    part = f", {len(shown)} shown" if len(shown) < total else ""
    legend = "" if shown and _is_of_text(shown[0]) else "[gold] {pred}, "
    order = "leaks first" if errors.criterion == "characters" else "the most frequent kinds first"
    yield f"errors {total}{part}; {legend}{order}"
    if len(shown) < total:
        yield from _kinds(errors)
    before = None
    for error in shown:
        kind = kind_of(error)
        if kind != before:
            types = ", ".join(ty for ty in kind[1:] if ty is not None)
            yield f"{error.outcome} {types} ({errors.numbers[kind]})"
            before = kind
        file = name if error.path is None else error.path
        place = f"{file}:{error.line}" if error.line else f"{file} sentence {error.sentence}"
        if _is_of_text(error):
            place = f"document {file}"
        yield f"  {place}: {_text(error)}"


def _kinds(errors: ErrorList) -> Iterator[str]:
    """Yield the number of errors for each of the most frequent kinds."""
    kinds = sorted(errors.numbers.items(), key=lambda item: (-item[1], str(item[0])))
    for (outcome, *types), number in kinds[:KINDS]:
        yield f"  {number}  {outcome} {', '.join(ty for ty in types if ty is not None)}"
    if len(kinds) > KINDS:
        yield f"  and {len(kinds) - KINDS} more kinds"


def _is_of_text(error: Detail) -> bool:
    """Return whether the spans of an error are character offsets in a text; the text is then the only token."""
    return error.length is None and bool(error.tokens)


def _marked(error: Detail) -> str:
    """Return the text of an error, with brackets around its first span if there is more text."""
    text = error.tokens[0]
    span = error.gold if error.gold is not None else error.pred
    if span is None or len(text) <= span.end - span.start:
        return escaped(text)
    start, end = span.start - error.first, span.end - error.first
    return f"{escaped(text[:start])}[{escaped(text[start:end])}]{escaped(text[end:])}"


def _text(error: Detail) -> str:
    """Return the tokens with marks around the spans; without tokens, the bounds of the spans and their text."""
    if error.length is None or not error.tokens:
        sides = (("gold", error.gold), ("pred", error.pred))
        unit = "characters" if _is_of_text(error) else "tokens"
        bounds = ", ".join(
            f"{side} {unit} {span.start} to {span.end}" for side, span in sides if span is not None
        )
        return f'{bounds}: "{_marked(error)}"' if error.tokens else bounds
    words = []
    for at, token in enumerate(error.tokens, error.first):
        before = after = ""
        for span, opening, closing in ((error.gold, "[", "]"), (error.pred, "{", "}")):
            if span is not None:
                before += opening if at == span.start else ""
                after = (closing if at == span.end - 1 else "") + after
        # Control and bidirectional characters would distort the line.
        words.append(f"{before}{escaped(token)}{after}")
    dots = ["…"] if error.first else []
    more = ["…"] if error.first + len(error.tokens) < error.length else []
    return " ".join([*dots, *words, *more])
