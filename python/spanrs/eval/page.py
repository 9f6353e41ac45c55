"""Results as an HTML page."""

from __future__ import annotations

from collections.abc import Sequence

from spanrs.eval.evaluation import Evaluation
from spanrs.eval.tables import NOTHING, tables
from spanrs.report.pages import largest, template

#: Types of the largest heat map.
MOST = 100


def page(result: Evaluation, title: str, criteria: Sequence[str] | None = None) -> str:
    """Give a whole page that needs nothing else; the arguments are those of :meth:`spanrs.Result.to_html`."""
    outcomes = zip(result.criterion.outcomes, result.criterion.weights, strict=True)
    wrong = [name for name, (_, fp, fn) in outcomes if fp or fn]
    errors = {name: sum(row[kind] for kind in wrong) for name, row in result.outcomes_by_type.items()}
    names = list(errors)
    return template("result.html").render(
        title=title,
        tables=[table for table in tables(result, criteria=criteria) if table.title != "Confusion"],
        result=result,
        wrong=wrong,
        errors=errors,
        shown=[*(names[at] for at in largest(list(errors.values()), MOST)), None],
        most=max((n for row in result.confusion.values() for n in row.values()), default=0),
        nothing=NOTHING,
    )
