"""Evaluation results."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from spanrs import _spanrs
from spanrs.errors import FormatError, SchemeError, with_code
from spanrs.eval import settings as settings_of
from spanrs.eval import tables
from spanrs.eval.arguments import as_document_weights, as_types
from spanrs.eval.evaluation import Evaluation, merged_evidence
from spanrs.eval.evidence import Evidence, plain_detail, shifted
from spanrs.eval.fair_weights import Weights
from spanrs.eval.matcher import Matcher, listed
from spanrs.eval.matchers import Fair, from_stored
from spanrs.eval.measures import Measure, Ratio
from spanrs.eval.scores import plain_score
from spanrs.eval.stored import ANY, NONE, check_stored, damaged, packed, unpacked
from spanrs.report.table import Table, as_latex, as_markdown

if TYPE_CHECKING:
    from spanrs.eval.long_table import LongTable
    from spanrs.eval.resampling import Bootstrap

#: Maximum number of table rows in a notebook.
ROWS = 200
#: Types of the fields in the header of a stored result. The fields of the matcher and the evidence are checked later.
_HEADER = {
    "settings": {ANY: str},
    "matcher": dict,
    "evidence": dict,
    "document_weights": (NONE, [(int, float)]),
    "order": (NONE, [int]),
    "by_sentence": bool,
}


@dataclass(frozen=True, repr=False, eq=False)
class Result(Evaluation):
    """Result of an evaluation, for any matcher. Returned by :func:`spanrs.score`, :class:`spanrs.Scorer` and others.

    Measures are fractions from 0 to 1, under the matcher's default criterion; ``result["bounds"]`` has the measures of
    another criterion.

    Two results are equal if their counts, settings, matchers, evidence, documents and weights are equal. Evidence
    includes whether the scheme was detected, so a result with ``scheme="BIO"`` differs from a result with ``auto``.
    Details and errors are not compared, because stored results do not contain them. Results are not hashable.

    Examples
    --------
    >>> import spanrs
    >>> result = spanrs.score([["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "I-PER", "O", "O"]])
    >>> result.micro
    Score(precision=1.0, recall=0.5, f1=0.6666666666666666, support=2)
    >>> result.totals
    Totals(tp=1, fp=0, fn=1)
    >>> print(result.signature)
    matcher:exact|scheme:BIO|reading:conlleval|version:0.1.0
    >>> spanrs.Result.from_bytes(result.to_bytes()) == result
    True
    """

    def with_types(self, types: Mapping[str, str | None] | Collection[str]) -> Result:
        """Return the result with renamed types, or with a selection of types.

        Tags are not read again: spans are renamed after reading, so that two adjacent spans are not joined even if they
        get the same type.

        Parameters
        ----------
        types : mapping of str to str or None, or collection of str
            A mapping renames types; types mapped to None are removed, and types that are not in the mapping are kept. A
            collection contains the types to keep.

        Returns
        -------
        Result
            The result, with the mapping in its signature and without details. Accuracy and violations, which are about
            tags, do not change.

        Raises
        ------
        spanrs.errors.SchemeError
            For all matchers except the exact matcher, because other spans would be matched. Also if merged types have
            several unmatched spans with equal bounds (impossible with tags), because counts do not determine the
            matches.

        Examples
        --------
        >>> import spanrs
        >>> result = spanrs.score([["B-GPE", "O", "B-PER"]], [["B-LOC", "B-MISC", "B-PER"]])
        >>> result.with_types({"GPE": "LOC", "MISC": None}).totals
        Totals(tp=2, fp=0, fn=0)
        >>> result.with_types(["PER"]).totals
        Totals(tp=1, fp=0, fn=0)
        """
        types = as_types(types)
        if isinstance(types, Mapping):
            if not types:
                return self
            renames = sorted(types.items())
            phrase = ",".join(
                f"{listed([old])}={'' if new is None else listed([new])}" for old, new in renames
            )
        else:
            phrase = listed(sorted(types))

        def rename(name: str) -> str | None:
            if isinstance(types, Mapping):
                return types.get(name, name)
            return name if name in types else None

        settings = settings_of.with_setting(self.settings, "types", phrase)
        errors = None if self.errors is None else self.errors.renamed(rename)
        counts = self.counts.renamed(rename)
        return replace(self, counts=counts, settings=settings, details=None, errors=errors)

    def with_document_weights(self, weights: Iterable[float]) -> Result:
        """Return the result with weighted documents.

        Parameters
        ----------
        weights : iterable of float
            A weight from 0 to 1e15 for each document, in order. The result must have per-document rows. New weights
            replace earlier weights.

        Returns
        -------
        Result
            A result whose numbers are sums of weights times counts. Per-document rows and violations are not weighted.

        Raises
        ------
        ValueError
            If the result has no per-document rows, the number of weights is wrong, or a weight is negative or not
            finite.

        Examples
        --------
        >>> import spanrs
        >>> gold, pred = [["B-A"], ["B-A"]], [["B-A"], ["O"]]
        >>> spanrs.score(gold, pred, by=[1, 1]).with_document_weights([1, 3]).micro.recall
        0.25
        """
        if not self.counts.by_document and self.sentences:
            raise ValueError("the result has no per-document rows, which weights need; score with by=")
        given = as_document_weights(weights, len(self.counts))
        settings = dict(self.settings)
        if "document_weights" not in settings:
            settings = settings_of.with_setting(settings, "document_weights", "given")
        return replace(self, document_weights=given, settings=settings)

    def with_error_weights(self, weights: str | Weights | None = None, focus: str | None = None) -> Result:
        """Return the result of fair matching with other error weights, or another focus.

        Parameters
        ----------
        weights, focus
            Same as for :class:`spanrs.Fair`.

        Raises
        ------
        TypeError
            For results of another matcher.
        ValueError
            For invalid weights, and an unknown focus.

        Examples
        --------
        >>> import spanrs
        >>> result = spanrs.score([["B-PER", "I-PER"]], [["B-PER", "O"]], matcher="fair")
        >>> other = result.with_error_weights("BES = 0.9 TP + 0.1 FN")
        >>> result["weighted"].micro.recall, other["weighted"].micro.recall
        (0.5, 0.9)
        """
        if not isinstance(self.matcher, Fair):
            raise TypeError(f"only the fair matcher has error weights, not {self.matcher.name}")
        given: dict[str, Any] = {"weights": weights, "focus": focus}
        matcher = replace(
            self.matcher, **{name: value for name, value in given.items() if value is not None}
        )
        new = matcher.settings()
        settings = {name: new.get(name, value) for name, value in self.settings.items()}
        return replace(self, matcher=matcher, settings=settings)

    def bootstrap(
        self,
        measures: Measure | Ratio | Sequence[Measure | Ratio] | None = None,
        *,
        samples: int = 10_000,
        seed: int = 0,
        threads: int = 1,
        progress: Callable[[int], object] | None = None,
    ) -> Bootstrap:
        """Compute measures over bootstrap resamples of the same number of documents, drawn with replacement.

        Parameters
        ----------
        measures : Measure, Ratio or sequence of them, optional
            The measures; by default micro F1, macro F1 and F1 of each type.
        samples : int
            Number of resamples.
        seed : int
            Random seed. The same seed gives the same values for any number of threads. With 16,384 documents or more,
            the values also depend on which criteria are measured together.
        threads : int
            Number of threads, 1 or more.
        progress : callable, optional
            Called periodically with the number of resamples completed so far.

        Returns
        -------
        Bootstrap

        Raises
        ------
        ValueError
            If there are fewer than two documents, or documents have weights.
        spanrs.errors.LimitError
            If the values do not fit into memory.

        Examples
        --------
        >>> import spanrs
        >>> result = spanrs.score([["B-A"]] * 3, [["B-A"], ["O"], ["B-A"]], by=[1, 1, 1])
        >>> result.bootstrap(samples=5).values.shape
        (5, 3)
        """
        # Lazy: resampling is not needed for scores.
        from spanrs.eval.resampling import bootstrap

        return bootstrap(self, measures, samples=samples, seed=seed, threads=threads, progress=progress)

    def merge(self, *others: Result) -> Result:
        """Merge results with the same settings on different data.

        Parameters
        ----------
        *others : Result
            Results whose documents, violations and details are appended to those of this result. Details are merged
            only if all results have details.

        Returns
        -------
        Result
            The merged result. Its counts do not depend on the order.

        Raises
        ------
        spanrs.errors.SchemeError
            If the signatures differ.

        Notes
        -----
        One call with many results is faster than a loop of calls, which would copy the counts repeatedly.
        """
        results = [self, *others]
        settings = self.settings
        offsets, sentences = [], 0
        for result in results:
            if not isinstance(result, Result):
                raise TypeError(
                    f"a result can only be merged with results, not with {type(result).__name__}"
                )
            settings = settings_of.merged_settings(settings, result.settings)
            if (result.counts.by_document, result.by_sentence) != (
                self.counts.by_document,
                self.by_sentence,
            ):
                error = SchemeError(
                    "results with per-document rows, per-sentence rows and without rows cannot be merged"
                )
                raise with_code(error, "signature")
            offsets.append(sentences)
            sentences += result._unweighted_corpus.get("sentences", 0)
        details: dict[str, list[Any]] | None = None
        if all(result.details is not None for result in results):
            details = {name: [] for name in self.details or ()}
            for result, offset in zip(results, offsets, strict=True):
                for name, of_criterion in (result.details or {}).items():
                    details[name] += (
                        [shifted(detail, offset) for detail in of_criterion] if offset else of_criterion
                    )
        errors = None
        lists = [result.errors for result in results]
        if lists[0] is not None and None not in lists:
            errors = lists[0].merge(
                [error_list for error_list in lists[1:] if error_list is not None], offsets
            )
        weights = None
        if all(result.document_weights is not None for result in results):
            weights = tuple(weight for result in results for weight in result.document_weights or ())
        return replace(
            self,
            counts=self.counts.merge([result.counts for result in others]),
            settings=settings,
            evidence=merged_evidence(results, offsets),
            details=details,
            errors=errors,
            document_weights=weights,
        )

    def to_dict(self, *, untyped: bool = False, criteria: Sequence[str] | None = None) -> dict[str, Any]:
        """Return the result as plain dictionaries, lists, strings and numbers.

        Parameters
        ----------
        untyped : bool
            Whether to add ``untyped`` and ``untyped_counts``, for spans compared only by their bounds.
        criteria : sequence of str, optional
            The criteria included under ``criteria``; all by default.

        Returns
        -------
        dict
            ``matcher``, its name and options; the keys of :meth:`CriterionResult.to_dict` for the default criterion;
            ``criterion``, the name of this criterion, and ``criteria``, the same keys for all criteria if there are
            several; ``confusion`` (list of ``gold``, ``pred``, ``count``; None for no span); ``accuracy``,
            ``sentences``, ``tokens``, ``violations`` (``gold`` and ``pred``, each ``count`` and ``first``),
            ``detection``, ``pred_detection``, ``answers`` (numbers of generated answers, if pred has them),
            ``warnings``, ``notes``, ``signature``, ``short_signature``, ``unscored`` if it is not empty, and
            ``errors``, ``documents`` and ``details`` if they were requested.
        """
        default = self[self.matcher.criterion].shown
        everything: dict[str, Any] = {
            "matcher": self.matcher.to_dict(),
            "criterion": self.matcher.criterion,
        }
        everything |= default.to_dict()
        if len(self.matcher.criteria) > 1:
            everything["criteria"] = {
                # Not cached, because with many types each criterion takes tens of MB.
                name: self._view(name).shown.to_dict()
                for name in criteria or self.matcher.criteria
            }
        everything |= {
            "confusion": [
                {"gold": gold, "pred": pred, "count": n} for gold, pred, n in self.confusion.triples()
            ],
            "accuracy": self.accuracy,
            "sentences": self.sentences,
            "tokens": self.tokens,
            "violations": {side: violations.to_dict() for side, violations in self.violations.items()},
            "detection": self.evidence.detection,
            "pred_detection": self.evidence.pred_detection,
            **({"answers": dict(self.evidence.answers)} if self.evidence.answers else {}),
            "warnings": self.warnings,
            "notes": self.notes,
            "signature": self.signature,
            "short_signature": settings_of.short_signature(self._shown_settings),
        }
        if self._unscored:
            everything["unscored"] = dict(self._unscored)
        if self.errors is not None:
            everything["errors"] = [plain_detail(error) for error in self.errors.by_frequency()]
        if untyped:
            everything["untyped"] = plain_score(self.untyped.micro)
            everything["untyped_counts"] = self.untyped.totals._asdict()
        if not self.by_sentence and self.documents:
            everything["documents"] = [row.to_dict() for row in default.documents]
        if self.details is not None:
            everything["details"] = {
                name: [plain_detail(detail) for detail in details] for name, details in self.details.items()
            }
        return everything

    def to_json(
        self,
        indent: int | None = None,
        *,
        untyped: bool = False,
        criteria: Sequence[str] | None = None,
        state: bool = True,
    ) -> str:
        """Return :meth:`to_dict` as JSON text.

        Parameters
        ----------
        indent : int, optional
            Number of spaces per level; None for one line.
        untyped, criteria
            Same as for :meth:`to_dict`.
        state : bool
            Whether to add ``state``, which :meth:`from_json` needs.

        Returns
        -------
        str
            Valid JSON, without NaN and infinities.
        """
        everything = self.to_dict(untyped=untyped, criteria=criteria)
        if state:
            everything["state"] = base64.b64encode(self.to_bytes()).decode()
        return json.dumps(everything, indent=indent, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Result:
        """Return the result from the output of :meth:`to_json` with its state.

        Raises
        ------
        spanrs.errors.FormatError
            If there is no state, or the state is damaged.

        Examples
        --------
        >>> import spanrs
        >>> result = spanrs.score([["B-A"]], [["B-A"]])
        >>> spanrs.Result.from_json(result.to_json()) == result
        True
        """
        try:
            stored = base64.b64decode(json.loads(text)["state"], validate=True)
        except (ValueError, KeyError, TypeError, RecursionError):
            raise damaged(
                "this is not the JSON of a spanrs result with its state; write it with Result.to_json"
            ) from None
        return cls.from_bytes(stored)

    def to_bytes(self) -> bytes:
        """Return the result as bytes: counts, settings and evidence, but no details.

        Returns
        -------
        bytes
            The stored result, for :meth:`from_bytes`.
        """
        weights = self.document_weights
        # The header is JSON; the counts follow.
        header = {
            "settings": dict(self.settings),
            "matcher": self.matcher.to_dict(),
            "evidence": self.evidence.to_dict(),
            "document_weights": None if weights is None else list(weights),
            "order": self.counts.stored_order(),
        } | ({"by_sentence": True} if self.by_sentence else {})
        text = json.dumps(header, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass")
        return packed(text, self.counts.to_bytes())

    @classmethod
    def from_bytes(cls, stored: bytes) -> Result:
        """Return the result from the output of :meth:`to_bytes`.

        Raises
        ------
        spanrs.errors.FormatError
            If the bytes are damaged, or are not a stored result.
        """
        text, stored_counts = unpacked(stored)
        try:
            header = json.loads(text.decode("utf-8", "surrogatepass"))
            check_stored(header, _HEADER, "header")
            matcher, settings = from_stored(header["matcher"]), header["settings"]
            counts = _spanrs.Counts.from_bytes(stored_counts, matcher.name, header["order"])
            if "version" not in settings or settings.get("matcher") != matcher.name:
                raise ValueError("the settings have no version, or a different matcher")
            result = cls(counts, settings, matcher, Evidence.from_dict(header["evidence"]))
            result = replace(result, by_sentence=header.get("by_sentence", False))
            weights = header["document_weights"]
            return result if weights is None else result.with_document_weights(map(float, weights))
        except FormatError:
            raise
        except (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise damaged(f"the bytes of the result are damaged: {error}") from None

    def _compared(self) -> tuple[Any, ...]:
        """Return the values that are compared for equality."""
        order = self.counts.stored_order()
        return self.settings, self.matcher, self.by_sentence, self.document_weights, self.evidence, order

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        return self.counts == other.counts and self._compared() == other._compared()

    __hash__ = None  # type: ignore[assignment]  # settings and evidence are dictionaries

    def __reduce__(self) -> tuple[Any, ...]:
        # Unpickling the matcher imports the package that defines it.
        return _restored, (self.to_bytes(), self.details, self.errors, self.matcher)

    def to_table(self) -> LongTable:
        """Return every cell of every document as a table, for Arrow, Polars, pandas and SQL.

        Returns
        -------
        LongTable
            Table with the columns ``document``, ``criterion``, ``outcome``, ``gold``, ``pred`` and ``n``; without
            documents, there is one row per cell, whose document is None.

        Examples
        --------
        >>> import spanrs
        >>> table = spanrs.score([["B-A", "O"]], [["B-A", "B-C"]]).to_table()
        >>> [row for row in table.rows if row[1] == "span"]
        [(None, 'span', 'match', 'A', 'A', 1), (None, 'span', 'spurious', None, 'C', 1)]
        """
        # Lazy: rarely used.
        from spanrs.eval.long_table import LongTable

        return LongTable(self.counts.long())

    def to_csv(self, *, criteria: Sequence[str] | None = None) -> str:
        """Return the measures as CSV, with a row for each type and criterion; measures are fractions.

        Returns
        -------
        str
            The columns of :attr:`per_type` in the same order (``type``, ``precision``, ``recall``, ``f1``, ``support``,
            ``tp``, ``fp``, ``fn``), with ``criterion`` after ``type``, then a column for each outcome; the outcomes
            ``tp``, ``fp`` and ``fn`` of fair matching are called ``outcome_tp`` and so on. Rows for all types together
            have an empty ``type``. Rows for documents, if there are any, come last, and ``document`` is then the first
            column. Names that a spreadsheet would interpret as a formula are prefixed with ``'``.
        """
        return tables.csv_text(self, criteria)

    def to_markdown(self, *, documents: bool = False) -> str:
        """Return the tables as Markdown, and the signature.

        Parameters
        ----------
        documents : bool
            Whether to add a table with a row for each document, if the result has documents.
        """
        return as_markdown(tables.tables(self, documents=documents), [f"`{self.signature}`"])

    def to_latex(self, *, documents: bool = False) -> str:
        """Return the tables as LaTeX ``tabular`` environments for booktabs, and the signature as a comment.

        Parameters
        ----------
        documents : bool
            Same as for :meth:`to_markdown`.
        """
        return as_latex(tables.tables(self, documents=documents), [self.signature])

    def to_html(self, *, title: str | None = None, criteria: Sequence[str] | None = None) -> str:
        """Return a self-contained HTML report: measures with intervals, types, confusion, errors, violations.

        Intervals are shown if there are at least two documents, and errors are shown if they were requested.

        Parameters
        ----------
        title : str, optional
            Title of the page.
        criteria : sequence of str, optional
            The criteria to show; all by default.

        Returns
        -------
        str
            A page without external resources, including scripts and fonts.

        Raises
        ------
        ImportError
            If jinja2 is not installed (``pip install spanrs[html]``).
        """
        from spanrs.eval.pages import result_page

        return result_page(self, title=title, criteria=criteria)

    def __repr__(self) -> str:
        names = list(self.matcher.criteria)
        f1 = ", ".join(
            f"{self[name].shown.micro.f1:.4f}"
            if len(names) == 1
            else f"{name} {self[name].shown.micro.f1:.4f}"
            for name in names
        )
        return f"<Result F1 {f1} of {self.micro.support} spans, {self.signature}>"

    def __str__(self) -> str:
        return tables.render(self)

    def _repr_html_(self) -> str:
        # Lazy: only used in notebooks.
        from spanrs.report.notebook import as_fragment

        parts: list[Table | str] = [*tables.tables(self, documents=True)]
        if self.tokens:
            violations = ", ".join(f"{side} {of_side.count}" for side, of_side in self.violations.items())
            parts.append(f"accuracy {100 * self.accuracy:.2f}; violations: {violations}")
        return as_fragment([*parts, self.signature], ROWS)


def _restored(stored: bytes, details: Any, errors: Any, matcher: Matcher) -> Result:
    """Restore a result from its pickled parts."""
    return replace(Result.from_bytes(stored), details=details, errors=errors, matcher=matcher)
