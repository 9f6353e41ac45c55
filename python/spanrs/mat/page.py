"""MATScore's results as an HTML page."""

from __future__ import annotations

import tempfile
from typing import IO, TYPE_CHECKING, Any, Self

from spanrs import _spanrs
from spanrs.mat.label_counts import LabelCounts
from spanrs.mat.marks import cells, marks, rows
from spanrs.mat.tables import ALL, MEASURES, Row
from spanrs.report.pages import largest, template

if TYPE_CHECKING:
    from spanrs.mat.layout import MatTables
    from spanrs.mat.scoring import Scored

#: Descriptions of the kinds, in the order of the legend.
MEANINGS = {
    "match": "same label, same span",
    "missing": "gold without pred",
    "spurious": "pred without gold",
    "tagclash": "different label, same span",
    "overmark": "same label; pred covers gold and more",
    "undermark": "same label; pred covers part of gold",
    "overlap": "same label; gold and pred overlap partially",
    "tagplusovermark": "different label; pred covers gold and more",
    "tagplusundermark": "different label; pred covers part of gold",
    "tagplusoverlap": "different label; gold and pred overlap partially",
}
#: Documents are buffered in memory up to this total size, and in a temporary file beyond it.
SPOOLED = 1 << 22
#: Maximum number of labels in a heat map.
MOST = 100


class Page:
    """A page that shows the outcome of each annotation in the texts of the documents.

    Use a page as a context manager, or call :meth:`close`, because documents are buffered in a temporary file.

    Parameters
    ----------
    title : str
        The heading.

    Raises
    ------
    ImportError
        If jinja2 is not installed (``pip install spanrs[html]``).

    Examples
    --------
    >>> import io, spanrs
    >>> from spanrs.io import Annotation, Document
    >>> from spanrs.mat.page import Page
    >>> document = Document("Bob", [Annotation("PER", 0, 3)])
    >>> result = spanrs.score(document, document, matcher=spanrs.mat.Mat())
    >>> with Page("Nothing") as page:
    ...     page.write(spanrs.mat.tables(result), out := io.BytesIO())
    >>> b"<h1>Nothing</h1>" in out.getvalue()
    True
    """

    def __init__(self, title: str = "MATScore") -> None:
        self._title = title
        names = ("mat.html", "mat_document.html")
        self._page, self._document = (template("spanrs.mat", name) for name in names)
        self._entries: list[dict[str, Any]] = []
        self._spool = tempfile.SpooledTemporaryFile(max_size=SPOOLED)  # noqa: SIM115 - closed by close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Delete the buffered documents."""
        self._spool.close()

    def add(self, scored: Scored) -> None:
        """Add a document; only the entry in the list of documents is kept in memory.

        Raises
        ------
        ValueError
            After :meth:`close`.
        """
        totals = _spanrs.DocumentTotals(False)
        # The name may contain undecodable bytes, and the counts of one document need no name.
        totals.add(scored.outcome, "")
        counts = LabelCounts.of_cells(totals.counts().cells()).total("tag")
        total = Row(ALL, counts, 1, 0).values("tag")
        match, missing, spurious = (total[name] for name in ("match", "missing", "spurious"))
        details = list(scored.details())
        errors = [detail for detail in details if detail.type != "match"]
        gold, gold_deep = marks(details, "ref", total["reftotal"])
        pred, pred_deep = marks(details, "hyp", total["hyptotal"])
        sides = [bounds for d in details for bounds in ((d.refstart, d.refend), (d.hypstart, d.hypend))]
        spans = [(start, end) for start, end in sides if start is not None and end is not None]
        bounds = rows(scored.text, spans)
        document = {
            "at": len(self._entries),
            "name": scored.name,
            "counts": (match, len(errors) - missing - spurious, missing, spurious),
            "discrepancies": len(errors),
            "measures": [total[name] for name in MEASURES],
        }
        html = self._document.render(
            document,
            text=scored.text,
            rows=zip(bounds, *(cells(scored.text, side, bounds) for side in (gold, pred)), strict=True),
            errors=errors,
            deep=gold_deep + pred_deep,
        )
        # write() may have moved the position.
        self._spool.seek(0, 2)
        # File names may contain undecodable bytes.
        self._spool.write(f"{html}\n".encode("utf-8", "backslashreplace"))
        self._entries.append(document)

    def write(self, tables: MatTables, out: IO[bytes]) -> None:
        """Write the page, with the documents added so far.

        Parameters
        ----------
        tables : MatTables
            The tables of all documents.
        out : binary file object
            The output.
        """
        total = tables.counts.total("tag")
        pairs = tables.confusability.counts
        errors = [sum(row) + sum(pred[at] for pred in pairs) - 2 * row[at] for at, row in enumerate(pairs)]
        shown = largest(errors, MOST)
        self._spool.seek(0)
        stream = self._page.stream(
            title=self._title,
            tables=tables,
            meanings=MEANINGS,
            numbers=total,
            pairs=pairs,
            shown=shown,
            # On a common scale, matches would hide the errors.
            most_matches=max((pairs[at][at] for at in shown), default=0),
            most_errors=max((pairs[p][g] for p in shown for g in shown if p != g), default=0),
            entries=self._entries,
            documents=self._spool,
        )
        stream.dump(out, "utf-8", "backslashreplace")
