"""MATScore's results as an HTML page."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Self

from spanrs import _spanrs
from spanrs.mat.label_counts import Counts, LabelCounts
from spanrs.mat.label_counts import measures as measures_of
from spanrs.mat.marks import SIGNS, cells, marks, rows
from spanrs.mat.matcher import CLASHES
from spanrs.mat.tables import MEASURES
from spanrs.report.pages import template

if TYPE_CHECKING:
    from markupsafe import Markup

    from spanrs.mat.layout import Layout
    from spanrs.mat.scoring import Scored
    from spanrs.mat.tables import Confusability, Row

#: What the tables of scores are about.
HEADINGS = {
    "tag": "Annotations",
    "token": "Tokens",
    "pseudo_token": "Pseudo-tokens",
    "character": "Characters",
}
#: What the kinds mean, in the order of the legend.
MEANINGS = {
    "match": "the same label on the same span",
    "missing": "gold without pred",
    "spurious": "pred without gold",
    "tagclash": "another label on the same span",
    "overmark": "the same label; pred covers gold and more",
    "undermark": "the same label; pred covers a part of gold",
    "overlap": "the same label; each has something that the other has not",
    "tagplusovermark": "another label, and pred covers gold and more",
    "tagplusundermark": "another label, and pred covers a part of gold",
    "tagplusoverlap": "another label, and each has something that the other has not",
}
#: Documents up to this size together wait in memory, others in a temporary file.
SPOOLED = 1 << 22
#: Labels of the largest heat table.
MOST = 100
#: Characters of an annotation that the list of discrepancies shows.
QUOTED = 80


class _Listed(NamedTuple):
    """What is kept of a document."""

    name: str
    counts: tuple[int, int, int, int]
    """match, clash, missing, spurious; pairs."""
    measures: list[float]
    size: int
    """Bytes in the spool."""


class Page:
    """A page that shows what came of each annotation, in the texts of the documents.

    Use it as a context manager, or call :meth:`close`: documents wait in a temporary file.

    Parameters
    ----------
    title : str
        The heading.

    Raises
    ------
    ImportError
        Where jinja2 is not installed (``pip install spanrs[html]``).

    Examples
    --------
    >>> import io, spanrs
    >>> from spanrs.mat.page import Page
    >>> result = spanrs.mat.score([], [], lenient=True)
    >>> with Page("Nothing") as page:
    ...     page.write(spanrs.mat.tables(result), out := io.BytesIO())
    >>> b"<h1>Nothing</h1>" in out.getvalue()
    True
    """

    def __init__(self, title: str = "MATScore") -> None:
        self._title = title
        self._page, self._document = template("mat.html"), template("mat_document.html")
        self._listed: list[_Listed] = []
        self._spool = tempfile.SpooledTemporaryFile(max_size=SPOOLED)  # noqa: SIM115 - closed by close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.close()

    def close(self) -> None:
        """Forget the documents."""
        self._spool.close()

    def add(self, scored: Scored) -> None:
        """Add a document; nothing of it is kept in memory but a line of the list.

        Raises
        ------
        ValueError
            After :meth:`close`.
        """
        counts_of = _counts(scored)
        total = counts_of.total("tag")
        details = list(scored.details())
        match, gold_clash, missing, pred_clash, spurious = total
        counts = (match, len(details) - match - missing - spurious, missing, spurious)
        # Annotations that are in several pairs are more in these than there are.
        golds = sum(detail.reflabel is not None for detail in details)
        preds = sum(detail.hyplabel is not None for detail in details)
        gold, gold_deep = marks(details, "ref", golds > match + gold_clash + missing)
        pred, pred_deep = marks(details, "hyp", preds > match + pred_clash + spurious)
        sides = [bounds for d in details for bounds in ((d.refstart, d.refend), (d.hypstart, d.hypend))]
        spans = [(start, end) for start, end in sides if start is not None and end is not None]
        bounds = rows(scored.text, spans)
        html = self._document.render(
            at=len(self._listed),
            name=scored.name,
            counts=counts,
            rows=zip(
                bounds,
                cells(scored.text, gold, bounds),
                cells(scored.text, pred, bounds),
                [scored.text[row.start : row.end] if row.folded else "" for row in bounds],
                strict=True,
            ),
            errors=list(enumerate((d for d in details if d.type != "match"), 1)),
            signs=SIGNS,
            quoted=_quoted,
            deep=gold_deep + pred_deep,
        )
        data = _encoded(html)
        # Somebody may have read in between.
        self._spool.seek(0, 2)
        self._spool.write(data)
        measures = _measures(total, counts_of)
        self._listed.append(_Listed(scored.name, counts, measures, len(data)))

    def write(self, tables: Layout, out: IO[bytes]) -> None:
        """Write the whole page, with the documents that were added so far.

        Parameters
        ----------
        tables : Layout
            What all documents come to.
        out : binary file object
            Where to.
        """
        total = tables.counts.total("tag")
        clashes = dict(zip(CLASHES, tables.counts.all_kinds()[1], strict=True))
        numbers = clashes | {"match": total[0], "missing": total[2], "spurious": total[4]}
        stream = self._page.stream(
            title=self._title,
            tables=[(HEADINGS[name], *_scores(tables, name)) for name in tables.names],
            size=tables.counts.documents,
            legend=[(kind, SIGNS[kind], says, numbers[kind]) for kind, says in MEANINGS.items()],
            heat=_heat(tables.confusability),
            skipped=tables.skipped,
            notes=tables.notes,
            signature=tables.signature,
            listed=self._worst_first(100.0 if tables.percent else 1.0, tables.percent),
            documents=self._documents(),
        )
        for piece in stream:
            out.write(_encoded(piece))

    def _worst_first(self, scale: float, percent: bool) -> list[tuple[int, _Listed, list[str]]]:
        """Give the place of each document, what is known of it, and its measures as they are shown."""
        order = sorted(enumerate(self._listed), key=lambda one: (-sum(one[1].counts[1:]), one[0]))
        return [(at, one, [_number(m * scale, percent) for m in one.measures]) for at, one in order]

    def _documents(self) -> Iterator[Markup]:
        from markupsafe import Markup

        self._spool.seek(0)
        for listed in self._listed:
            yield Markup(self._spool.read(listed.size).decode())


def _encoded(html: str) -> bytes:
    # Names of files may have bytes that are no text.
    return html.encode("utf-8", "backslashreplace")


def _counts(scored: Scored) -> LabelCounts:
    totals = _spanrs.DocumentTotals(False)
    # Names of files may have bytes that are no text, and counts of one document need no name.
    totals.add(scored.outcome, "")
    return LabelCounts.of_cells(totals.counts().cells())


def _measures(total: Counts, counts: LabelCounts) -> list[float]:
    return measures_of(total, counts.size("tag"))[: len(MEASURES)]


def _number(value: float, percent: bool) -> str:
    return f"{value:.2f}" if percent else f"{value:.4f}"


def _quoted(text: str) -> str:
    """Give a short text in one line."""
    line = " ".join(text.split())
    return line if len(line) <= QUOTED else f"{line[: QUOTED - 1]}…"


def _scores(tables: Layout, name: str) -> tuple[list[str], list[tuple[Row, list[tuple[str, str, str]]]]]:
    """Give the measures of a table, and its rows: of each measure the value, its spread, and how."""
    table = tables.table(name)
    measures = [column for column in table.columns if column in _SHOWN]
    found = []
    for line in table.lines:
        if line.file is None:
            values = line.values(name, tables.percent)
            found.append((line, [_measure(values, measure, tables.percent) for measure in measures]))
    return [_SHOWN[measure] for measure in measures], found


def _measure(values: dict[str, Any], measure: str, percent: bool) -> tuple[str, str, str]:
    value = _number(values[measure], percent)
    mean, stddev = values.get(f"{measure}_mean"), values.get(f"{measure}_stddev")
    if mean is None or stddev is None:
        return value, "", ""
    spread = _number(stddev, percent)
    return value, spread, f"over resampled documents: mean {_number(mean, percent)}, stddev {spread}"


#: Measures, and what they are called; error rates are one less accuracies.
_SHOWN = {
    "precision": "precision",
    "recall": "recall",
    "fmeasure": "F",
    "tag_sensitive_accuracy": "accuracy",
    "tag_blind_accuracy": "accuracy, any label",
}


class _Heat(NamedTuple):
    """A table of labels."""

    labels: list[str]
    rows: list[tuple[str, list[tuple[int, float, bool, str]]]]
    """For each label of pred the cells: count, strength, whether the labels are the same, what it says."""
    hidden: int
    """Labels that are left out."""


def _heat(found: Confusability) -> _Heat:
    places = list(range(len(found.labels)))
    if len(places) > MOST:
        errors = [
            sum(found.counts[at]) + sum(row[at] for row in found.counts) - 2 * found.counts[at][at]
            for at in places
        ]
        places = sorted(sorted(places, key=lambda at: (-errors[at], at))[:MOST])
    # Matches would drown the errors if both had the same scale.
    most = {
        same: max((found.counts[p][g] for p in places for g in places if (p == g) is same), default=0)
        for same in (True, False)
    }
    shown = []
    for p in places:
        row = []
        for g in places:
            n, same = found.counts[p][g], p == g
            # Counts spread over orders of magnitude; their roots can be told apart.
            strength = round((n / most[same]) ** 0.5, 3) if n else 0.0
            gold, pred = found.labels[g], found.labels[p]
            says = f"{n} times {gold}" if same else f"{n} times gold {gold} is {pred} in pred"
            row.append((n, strength, same, says))
        shown.append((found.labels[p], row))
    return _Heat([found.labels[at] for at in places], shown, len(found.labels) - len(places))
