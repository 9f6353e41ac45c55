"""Outcomes of single spans: details of all outcomes and lists of errors."""

from __future__ import annotations

import json
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from spanrs import _spanrs
from spanrs.errors import AlignmentError, as_integer, with_code
from spanrs.eval import inputs
from spanrs.eval.criterion import Criterion
from spanrs.eval.evidence import Detail, ErrorKind, kind_of, plain_detail
from spanrs.eval.matcher import Matcher
from spanrs.eval.settings import UNDECIDED
from spanrs.tags.types import Dialect, Reader, Span

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

#: Number of tokens shown before and after the spans of an error.
CONTEXT = 8
#: Errors of masks in the order of their risk.
BY_RISK = ("leaked", "mistyped", "missed_type", "over_masked", "extra_type")
#: Outcome of a pair of spans with equal bounds and unequal types; such spans are also counted as missed and spurious.
MISTYPED = "mistyped"


class IdOptions(NamedTuple):
    """Options for splitting arrays of ids into sentences."""

    vocabulary: list[str] | None
    ignore_index: int
    lengths: Any
    mask: Any


class FileDetails(Sequence[Detail]):
    """Errors in files, converted to objects on access, because objects would take ten times as much memory.

    Parameters
    ----------
    rows : FileErrors
        The errors in the compiled module.
    """

    def __init__(self, rows: _spanrs.FileErrors) -> None:
        self._rows = rows

    @overload
    def __getitem__(self, at: int) -> Detail: ...
    @overload
    def __getitem__(self, at: slice) -> list[Detail]: ...
    def __getitem__(self, at: int | slice) -> Detail | list[Detail]:
        places = range(len(self))[at]
        if isinstance(places, range):
            return [self._rows.row(place) for place in places]
        return self._rows.row(places)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Detail]:
        return map(self._rows.row, range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(map(operator.eq, self, other))

    __hash__ = None  # type: ignore[assignment]  # as for lists

    def __repr__(self) -> str:
        return repr(list(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)

    def gold_places(self) -> npt.NDArray[np.uint64]:
        """Return the sentence and index of each gold span among the errors, like :meth:`ErrorList.gold_places`."""
        return self._rows.gold_places()


def file_error_finder(matcher: Matcher, most: int | None) -> _spanrs.ErrorFinder:
    """Return an object that finds errors in files, ``most`` of each kind, under the matcher's default criterion."""
    criterion = matcher.criteria[matcher.criterion]
    options = _error_options(criterion, most) | {"context": CONTEXT}
    return _spanrs.ErrorFinder(matcher.options(), options)


def _error_options(criterion: Criterion, most: int | None) -> dict[str, Any]:
    """Return the options of error lists for the compiled module."""
    outcomes = criterion.outcomes
    return {
        "criterion": criterion.cells,
        "wrong": [outcomes.index(name) for name in error_outcomes(criterion)],
        "paired": outcomes.index(MISTYPED) if criterion.renames else None,
        "most": most,
    }


def file_error_list(rows: _spanrs.FileErrors, matcher: Matcher, most: int | None) -> ErrorList:
    """Return the errors found with :func:`file_error_finder`."""
    criterion = matcher.criteria[matcher.criterion]
    return ErrorList(criterion.name, FileDetails(rows), dict(rows.numbers()), most)


@dataclass(frozen=True, repr=False)
class ErrorList(Sequence[Detail]):
    """Outcomes that are not true positives, under one criterion.

    Attributes
    ----------
    criterion : str
        The criterion.
    errors : sequence of Detail
        The errors that were kept, in the order of the data.
    most : int, optional
        Maximum number of errors of each kind that are kept; None for all.
    numbers : dict
        Number of errors of each kind, including errors that were not kept, by (outcome, gold type or None, pred type or
        None).

    Examples
    --------
    >>> import spanrs
    >>> gold, pred = [["B-PER", "O", "B-LOC"]], [["B-ORG", "O", "O"]]
    >>> result = spanrs.score(gold, pred, errors=True, tokens=[["Rio", "loves", "Rio"]])
    >>> for error in result.errors:
    ...     print(error.outcome, error.gold, error.tokens)
    mistyped Span(type='PER', start=0, end=1, tokens=None) ('Rio', 'loves', 'Rio')
    missed Span(type='LOC', start=2, end=3, tokens=None) ('Rio', 'loves', 'Rio')
    """

    criterion: str
    errors: Sequence[Detail] = field(default_factory=list)
    numbers: Mapping[ErrorKind, int] = field(default_factory=dict)
    most: int | None = None

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name} {n}" for name, n in self.outcomes.items() if n)
        return f"<ErrorList of {len(self)} errors under {self.criterion}: {numbers or 'none'}>"

    def _repr_html_(self) -> str | None:
        # Lazy: only used in notebooks.
        from spanrs.eval.error_section import errors_page
        from spanrs.report.notebook import in_frame

        try:
            return in_frame(errors_page(self.by_frequency(), self.numbers))
        except ImportError:  # Without jinja2, a notebook shows the text.
            return None

    @overload
    def __getitem__(self, at: int) -> Detail: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Detail]: ...
    def __getitem__(self, at: int | slice) -> Detail | Sequence[Detail]:
        return self.errors[at]

    def __len__(self) -> int:
        return len(self.errors)

    @property
    def is_complete(self) -> bool:
        """Whether every error was kept."""
        return len(self.errors) == sum(self.numbers.values())

    def gold_places(self) -> npt.NDArray[np.uint64]:
        """Return the gold spans with an error, each as 2^32 times the sentence number plus the index of the span."""
        import numpy as np

        if isinstance(self.errors, FileDetails):
            return self.errors.gold_places()
        places = (
            (error.sentence << 32) + error.gold_index for error in self if error.gold_index is not None
        )
        return np.fromiter(places, np.uint64)

    def by_frequency(self, most: int | None = None) -> list[Detail]:
        """Return at most ``most`` errors, the most frequent kinds first; errors of the same kind keep their order.

        Errors of masks are in the order of :data:`BY_RISK`, then by kind, and the longest of each kind come first.
        """
        by_risk = self.criterion == "characters"

        def key(error: Detail) -> tuple[Any, ...]:
            kind = kind_of(error)
            frequency = -self.numbers[kind], *_sortable(kind)
            return (BY_RISK.index(error.outcome), *frequency, -size_of(error)) if by_risk else frequency

        return sorted(self.errors, key=key)[:most]

    @property
    def outcomes(self) -> dict[str, int]:
        """Number of errors by outcome, including errors that were not kept."""
        totals: Counter[str] = Counter()
        for (outcome, *_), number in self.numbers.items():
            totals[outcome] += number
        return dict(totals)

    def renamed(self, rename: Callable[[str], str | None]) -> ErrorList:
        """Return the errors with renamed types; spans whose type becomes None are removed."""
        numbers: Counter[ErrorKind] = Counter()
        for (outcome, gold, pred), number in self.numbers.items():
            types = [None if ty is None else rename(ty) for ty in (gold, pred)]
            kind = _renamed_outcome(outcome, *types)
            if kind is not None:
                numbers[kind, *types] += number  # type: ignore[index]  # outcome, gold, pred
        errors = []
        for error in self.errors:
            spans = [_renamed_span(span, rename) for span in (error.gold, error.pred)]
            kind = _renamed_outcome(error.outcome, *(None if span is None else span.type for span in spans))
            if kind is not None:
                errors.append(error._replace(outcome=kind, gold=spans[0], pred=spans[1]))
        # The errors of each layer are in order, but each layer has errors in all sentences.
        errors.sort(key=lambda error: error.sentence)
        kept = first_of_each_kind(errors, self.most)
        return replace(self, errors=kept, numbers=dict(numbers))

    def to_jsonl(self, most: int | None = None) -> str:
        """Return JSON Lines, one error per line, in the order of :meth:`by_frequency`.

        Each line has ``kind``, ``frequency`` (number of errors with the same kind and types), ``path`` (or null),
        ``sentence`` (from 0), ``line`` (from 1, or null), ``gold`` and ``pred`` (``type``, ``start``, ``end``,
        ``tokens``; or null), ``first`` (index of the first token in ``tokens``), ``length`` (number of tokens in the
        sentence, or null) and ``tokens``.
        """
        return "".join(f"{line}\n" for line in self._json_lines(most))

    def _json_lines(self, most: int | None) -> Iterator[str]:
        for error in self.by_frequency(most):
            plain = plain_detail(error)
            line = {"kind": error.outcome, "frequency": self.numbers[kind_of(error)]} | {
                name: plain.get(name)
                for name in ("path", "sentence", "line", "gold", "pred", "first", "length")
            }
            yield json.dumps(line | {"tokens": list(error.tokens)}, ensure_ascii=False)

    def merge(self, others: Iterable[ErrorList], offsets: Sequence[int]) -> ErrorList:
        """Append other lists; ``offsets`` is the number of sentences before each list, beginning with this list."""
        lists = [self, *others]
        numbers: Counter[ErrorKind] = Counter()
        for error_list in lists:
            numbers.update(error_list.numbers)
        errors = [
            error._replace(sentence=error.sentence + offset)
            for error_list, offset in zip(lists, offsets, strict=True)
            for error in error_list.errors
        ]
        return replace(self, errors=errors, numbers=dict(numbers))


def _renamed_span(span: Span | None, rename: Callable[[str], str | None]) -> Span | None:
    name = None if span is None else rename(span.type)
    return None if span is None or name is None else span._replace(type=name)


def _renamed_outcome(outcome: str, gold: str | None, pred: str | None) -> str | None:
    """Return the outcome of a pair under exact matching after types were renamed; None if the pair is not an error."""
    if gold is None or pred is None:
        return "missed" if gold is not None else "spurious" if pred is not None else None
    return None if gold == pred else outcome


def size_of(error: Detail) -> int:
    """Return the length of the gold span of an error, or of the pred span if there is no gold span."""
    span = error.gold if error.gold is not None else error.pred
    return 0 if span is None else span.end - span.start


def _sortable(kind: ErrorKind) -> tuple[str, str, str]:
    outcome, gold, pred = kind
    return outcome, gold or "", pred or ""


def first_of_each_kind(errors: Iterable[Detail], most: int | None) -> list[Detail]:
    """Keep at most the first ``most`` errors of each kind."""
    seen: Counter[ErrorKind] = Counter()
    kept = []
    for error in errors:
        kind = kind_of(error)
        seen[kind] += 1
        if most is None or seen[kind] <= most:
            kept.append(error)
    return kept


def errors_to_keep(errors: bool | int) -> int | None:
    """Return the number of errors of each kind to keep, None for all, from the argument ``errors``."""
    if errors is None or isinstance(errors, bool):
        return None
    try:
        return as_integer(errors, "errors")
    except (TypeError, ValueError) as error:
        message = f"errors must be True, False or a number of at least 0, not {errors!r}"
        raise type(error)(message) from None


def error_outcomes(criterion: Criterion) -> list[str]:
    """Return the outcomes that are errors: outcomes counted as FP or FN, and pairs of spans with unequal types."""
    outcomes = zip(criterion.outcomes, criterion.weights, strict=True)
    return [name for name, (_, fp, fn) in outcomes if fp or fn or name == MISTYPED]


def find_errors(
    gold: _spanrs.SpanLists,
    pred: _spanrs.SpanLists,
    matcher: Matcher,
    most: int | None,
) -> ErrorList:
    """List all errors, or the first ``most`` of each kind, under the default criterion of a matcher.

    A pair of spans with equal bounds and unequal types is listed once, as a pair, instead of as missed and spurious.
    """
    criterion = matcher.criteria[matcher.criterion]
    errors, numbers = _spanrs.span_errors(
        gold, pred, matcher.options(), matcher.filter(), _error_options(criterion, most)
    )
    return ErrorList(criterion.name, errors, dict(numbers), most)


def with_tokens(error: Detail, tokens: Sequence[str], context: int = CONTEXT) -> Detail:
    """Add the tokens of the spans of an error and their context."""
    spans = [span for span in (error.gold, error.pred) if span is not None]
    first = max(min(span.start for span in spans) - context, 0)
    end = max(span.end for span in spans)
    if end > len(tokens):
        message = f"sentence {error.sentence} has a span that ends at token {end}, but tokens= has only {len(tokens)}"
        failure = AlignmentError(message)
        failure.sentence = error.sentence
        raise with_code(failure, "shape")
    last = min(end + context, len(tokens))
    return error._replace(first=first, length=len(tokens), tokens=tuple(map(str, tokens[first:last])))


def reader_of(settings: Mapping[str, str], reading: str, dialect: Dialect) -> Reader:
    """Return the settings for reading the tags of a result; if all tags are ``O``, any scheme is suitable."""
    scheme, pred_scheme = (settings.get(name, UNDECIDED) for name in ("scheme", "pred_scheme"))
    return Reader(
        "BIO" if scheme == UNDECIDED else scheme,
        reading,
        dialect,
        None if pred_scheme == UNDECIDED else pred_scheme,
    )


def span_lists(
    gold: Any, pred: Any, reader: Reader, ids: IdOptions
) -> tuple[_spanrs.SpanLists, _spanrs.SpanLists]:
    """Read the spans of both sides."""
    vocabulary, ignore_index, lengths, mask = ids
    if vocabulary is not None:
        golds, preds, sizes = inputs.as_batch(gold, pred, ignore_index, lengths, mask)
        return _spanrs.span_lists_of_ids(golds, preds, vocabulary, ignore_index, sizes, reader)
    if inputs.are_spans(gold, pred):
        return _spanrs.span_lists_of_tuples(
            inputs.spans_as_tuples(gold), inputs.spans_as_tuples(pred), True
        )
    return _spanrs.span_lists_of_tags(gold, pred, reader)


def list_details(
    gold: _spanrs.SpanLists, pred: _spanrs.SpanLists, matcher: Matcher
) -> dict[str, list[Detail]]:
    """Return the outcome of each span, by criterion."""
    by_cells: dict[int, list[Detail]] = {}
    # Criteria with the same cells have the same outcomes, but different weights.
    for cells in {criterion.cells for criterion in matcher.criteria.values()}:
        by_cells[cells] = _spanrs.span_details(gold, pred, matcher.options(), matcher.filter(), cells)
    return {name: by_cells[criterion.cells] for name, criterion in matcher.criteria.items()}
