"""Reads answers in Python notation without executing them."""

from __future__ import annotations

import ast
import builtins
import warnings
from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple

#: The classes of the CoNLL 2003 prompts. ``Entity``, their base class, can be read, too.
CONLL03 = ("Location", "Organization", "Person", "Miscellaneous")
#: The classes that are scored without miscellaneous names.
CONLL03_NO_MISC = ("Location", "Organization", "Person")
BASE = "Entity"
#: Replaces classes that do not exist.
HALLUCINATED = "HallucinatedType"

#: What parsing may raise for any text: among others null characters, lone surrogates and deep nesting.
_PARSE_ERRORS = (SyntaxError, ValueError, TypeError, RecursionError, MemoryError, OverflowError)


class Annotation(NamedTuple):
    """One element of an answer.

    Parameters
    ----------
    name : str
        The class. ``HallucinatedType`` if the class does not exist, the Python type if the element is no annotation,
        with a preceding ``!`` if the element is a string or number.
    span : object
        The argument ``span``, or the string or number; None for other elements.
    """

    name: str
    span: Any


class Reading(NamedTuple):
    """A parsed answer.

    Parameters
    ----------
    annotations : list of Annotation
        The elements in the order of the answer; empty after an error.
    parse_error : bool
        Whether the answer is no valid expression, or a class is called with other arguments than ``span``.
    """

    annotations: list[Annotation]
    parse_error: bool


class _UnsuitableError(ValueError):
    """The expression would fail in the original, or is not supported."""


class _Values:
    """Evaluates displays, constants, names and calls of classes; all other expressions are refused."""

    def __init__(self, classes: Collection[str]) -> None:
        self._classes = {*classes, BASE}
        self._readers: dict[type[ast.expr], Callable[[Any], Any]] = {
            ast.Constant: lambda node: node.value,
            ast.List: lambda node: [self.read(element) for element in node.elts],
            ast.Tuple: lambda node: tuple(self.read(element) for element in node.elts),
            ast.Set: lambda node: dict.fromkeys(_hashable(self.read(element)) for element in node.elts),
            ast.Dict: self._dict,
            ast.Name: self._name,
            ast.Call: self._call,
        }

    def read(self, node: ast.expr) -> Any:
        reader = self._readers.get(type(node))
        if reader is None:
            raise _UnsuitableError
        return reader(node)

    def _dict(self, node: ast.Dict) -> dict[Any, Any]:
        if None in node.keys:
            raise _UnsuitableError
        return {
            _hashable(self.read(key)): self.read(value)
            for key, value in zip(node.keys, node.values, strict=True)
            if key is not None
        }

    def _name(self, node: ast.Name) -> type | Annotation:
        if node.id in self._classes or not hasattr(builtins, node.id):
            return type
        return Annotation(type(getattr(builtins, node.id)).__name__, None)

    def _call(self, node: ast.Call) -> Annotation:
        if not isinstance(node.func, ast.Name):
            raise _UnsuitableError
        name = node.func.id
        keywords = [keyword.arg for keyword in node.keywords]
        values = [self.read(value) for value in (*node.args, *(keyword.value for keyword in node.keywords))]
        if name not in self._classes:
            # Calling a built-in function would execute the answer.
            if hasattr(builtins, name) or None in keywords:
                raise _UnsuitableError
            return Annotation(HALLUCINATED, None)
        if len(values) != 1 or keywords not in ([], ["span"]):
            raise _UnsuitableError
        return Annotation(name, values[0])


def _hashable(value: Any) -> Any:
    """Return a value that can be a key; annotations cannot be keys in the original."""
    if isinstance(value, Annotation):
        raise _UnsuitableError
    hash(value)
    return value


def _element(value: Any) -> Annotation:
    if isinstance(value, Annotation):
        return value
    name = type(value).__name__
    return Annotation(f"!{name}", value) if isinstance(value, str | int | float) else Annotation(name, None)


def _parse(text: str) -> ast.expr:
    # `eval` ignores blanks before the expression.
    source = text.lstrip(" \t")
    if "\\" not in source and not any(letter.isdigit() for letter in source):
        return ast.parse(source, mode="eval").body
    # Unknown escapes, and numbers next to keywords, cause warnings.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source, mode="eval").body


def read(answer: str, classes: Iterable[str] = CONLL03) -> Reading:
    """Read an answer such as ``[Person(span="Anna")]``.

    Parameters
    ----------
    answer : str
        The answer. Text before the last ``result = `` is ignored.
    classes : iterable of str
        The classes that exist besides ``Entity``.

    Returns
    -------
    Reading
        The annotations, and whether the answer could not be parsed.

    Raises
    ------
    TypeError
        If the answer is a single value that is not iterable, such as ``Person(span="Anna")`` without brackets or
        ``None``. In the original, too, such an answer aborts the evaluation.

    Notes
    -----
    Lists, tuples, sets, dictionaries, constants, names, and calls of names with plain arguments are read. Other
    expressions, such as comprehensions, are parse errors, although the original executes them. Source: GoLLIE at
    commit 164c611 (Apache-2.0 licence).

    Examples
    --------
    >>> read('[Person(span="Anna"), Country(span="Chad")]').annotations
    [Annotation(name='Person', span='Anna'), Annotation(name='HallucinatedType', span=None)]
    >>> read('[Person(span="Anna"')
    Reading(annotations=[], parse_error=True)
    """
    text = answer.rpartition("result = ")[2]
    try:
        value = _Values(set(classes)).read(_parse(text))
    except _PARSE_ERRORS:
        return Reading([], True)
    if isinstance(value, Annotation) or not isinstance(value, list | tuple | dict | str | bytes):
        kind = value.name if isinstance(value, Annotation) else type(value).__name__
        raise TypeError(
            f"the answer is a single {kind}, not a list: {text[:80]!r}; write [...] around the answer"
        )
    return Reading([_element(element) for element in value], False)


def items(answer: str, classes: Iterable[str] = CONLL03) -> list[tuple[str, str]]:
    """Return the items of a gold answer that are compared.

    Parameters
    ----------
    answer : str
        A gold answer. Predicted answers are also filtered: see :func:`filter_hallucinations`.
    classes : iterable of str
        The classes that are scored.

    Returns
    -------
    list of (str, str)
        Classes and spans; spans in lower case, without surrounding white space.

    Raises
    ------
    TypeError
        If the answer is not iterable, or a span is not a str.

    Examples
    --------
    >>> items('[Person(span="Anna "), Animal(span="dog")]')
    [('Person', 'anna')]
    """
    scored = set(classes)
    return comparable(read(answer, scored.union(CONLL03)).annotations, scored)


def comparable(annotations: Iterable[Annotation], scored: Collection[str]) -> list[tuple[str, str]]:
    """Return the annotations of scored classes in the form that is compared."""
    compared = []
    for name, span in annotations:
        if name in scored:
            if not isinstance(span, str):
                raise TypeError(f"the span of {name}(span={span!r}) is not a str; write it in quotes")
            compared.append((name, span.lower().strip()))
    return compared
