"""What fair evaluation comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from spanrs.eval.checks import Checks, Noticed, add_noticed, without_matches, without_spans
from spanrs.eval.fair_tallies import ROW, FairTallies
from spanrs.eval.fair_weights import FAIR, PAPER, Weights, as_weights, phrase, ratios
from spanrs.eval.made import Made
from spanrs.eval.result import Counts, LocatedViolation, Score, Violations, merged_settings, shifted
from spanrs.tags.types import Span

#: Whose type a labelling error is counted for.
FOCUSES = ("gold", "pred")


class FairCounts(NamedTuple):
    """How many spans and pairs of spans came to what. Counts add up."""

    tp: int = 0
    """Pairs of equal spans."""
    fp: int = 0
    """Pred spans near no gold span."""
    fn: int = 0
    """Gold spans near no pred span."""
    le: int = 0
    """Labelling errors: equal bounds, different types."""
    be: int = 0
    """Boundary errors: equal types, bounds that overlap; ``bes``, ``bel`` and ``beo`` together."""
    lbe: int = 0
    """Labelling-boundary errors: different types, bounds that overlap."""
    bes: int = 0
    """Boundary errors in which pred is smaller."""
    bel: int = 0
    """Boundary errors in which pred is larger."""
    beo: int = 0
    """Boundary errors in which the two overlap otherwise."""


@dataclass(frozen=True, slots=True)
class FairScores:
    """The measures of one type or of all, and the counts they rest on."""

    exact: Score
    """Traditional evaluation: a span is right or wrong, near misses are wrong on both sides."""
    fair: Score
    """Every near miss is half a false positive and half a false negative."""
    weighted: Score
    """Every kind of error weighs what the weights say."""
    exact_counts: Counts
    """TP, FP and FN of traditional evaluation."""
    counts: FairCounts
    """Counts of fair evaluation."""

    def to_dict(self) -> dict[str, Any]:
        """Give measures and counts as plain dictionaries."""
        return {
            "exact": asdict(self.exact),
            "fair": asdict(self.fair),
            "weighted": asdict(self.weighted),
            "exact_counts": self.exact_counts._asdict(),
            "counts": self.counts._asdict(),
        }


class FairDocument(NamedTuple):
    """One document of a corpus."""

    document: int
    """Its place, from 0."""
    name: str | None
    """Its file, where documents are files."""
    sentences: int
    """Its sentences."""
    scores: FairScores
    """Over all types."""


class FairError(NamedTuple):
    """A span or a pair of spans that is no true positive."""

    kind: str
    """FP, FN, LE, BES, BEL, BEO or LBE."""
    sentence: int
    """Sentence, from 0."""
    gold: Span | None
    """The gold span; None for FP."""
    pred: Span | None
    """The pred span; None for FN."""


def _scores(row: Sequence[int], le: int, lbe: int, weights: Weights) -> FairScores:
    exact_tp, exact_fp, exact_fn, tp, fp, fn, bes, bel, beo = row
    counts = FairCounts(tp, fp, fn, le, bes + bel + beo, lbe, bes, bel, beo)
    named = {name.upper(): n for name, n in counts._asdict().items()}
    support = exact_tp + exact_fn
    exact = {"TP": exact_tp, "FP": exact_fp, "FN": exact_fn}
    return FairScores(
        Score(*ratios(exact, FAIR), support),
        Score(*ratios(named, FAIR), support),
        Score(*ratios(named, weights), support),
        Counts(exact_tp, exact_fp, exact_fn),
        counts,
    )


def _overall(tallies: FairTallies, weights: Weights) -> FairScores:
    total = [sum(row[place] for row in tallies.types.values()) for place in range(ROW)]
    return _scores(total, tallies.le.total(), tallies.lbe.total(), weights)


@dataclass(frozen=True, repr=False)
class FairResult(Made):
    """What fair evaluation came to.

    Made by :func:`spanrs.fair`, :func:`spanrs.fair_files`, and by scoring with ``matcher="fair"``.
    Measures are fractions from 0 to 1; a measure with nothing below its fraction line is 0.

    Notes
    -----
    Source: Ortmann, Fine-Grained Error Analysis and Fair Evaluation of Labeled Spans, LREC 2022; FairEval.

    Examples
    --------
    >>> import spanrs
    >>> gold = [[("PER", 0, 2), ("LOC", 3, 5), ("ORG", 7, 8)]]
    >>> pred = [[("PER", 0, 1), ("ORG", 3, 5)]]
    >>> result = spanrs.fair(gold, pred)
    >>> result.exact_counts
    Counts(tp=0, fp=2, fn=3)
    >>> result.counts
    FairCounts(tp=0, fp=0, fn=1, le=1, be=1, lbe=0, bes=1, bel=0, beo=0)
    >>> result.confusion["LOC"]["ORG"]
    1
    >>> print(result.signature)
    matcher:fair|focus:gold|weights:paper|exclude:EMPTY,NONE|scheme:auto|reading:conlleval|version:0.1.0
    """

    _tallies: FairTallies
    settings: Mapping[str, str]
    """How the result was made, by name; :attr:`signature` is the same in one line."""
    weights: Weights = field(default_factory=lambda: PAPER)
    """How much of a TP, an FP and an FN each kind of error is, for ``weighted``."""
    focus: str = "gold"
    """Whose type LE and LBE are counted for in :attr:`per_type`: ``gold`` or ``pred``."""
    violations: Mapping[str, Violations] = field(default_factory=dict)
    """For tags, ``gold`` and ``pred``: all violations counted, the first ones located."""
    detection: str | None = None
    """What speaks for the scheme, where it was found out."""
    pred_detection: str | None = None
    """What speaks for the scheme of pred, where it turned out to be another one than that of gold."""
    errors: list[FairError] | None = None
    """Everything that is no true positive, where that was asked for."""
    _documents: list[tuple[str | None, FairTallies]] = field(default_factory=list)
    _checks: Checks = field(default_factory=Checks)
    _noticed: Noticed = field(default_factory=Noticed)

    @property
    def notes(self) -> list[str]:
        """What was noticed in the files, a sentence each."""
        return self._noticed.notes()

    @property
    def differing_tokens(self) -> int:
        """Tokens that differ between gold and pred, where that is no error."""
        return self._checks.differing

    @property
    def warnings(self) -> list[str]:
        """Warnings about suspicious input, a sentence each: a side without spans, many violations..."""
        found = self._checks.warnings(self.violations, self._tallies.names(), self.settings)
        found += self._noticed.warnings
        counts = self.exact_counts
        gold, pred = counts.tp + counts.fn, counts.tp + counts.fp
        rows = {
            name: (row[0] + row[2], row[0] + row[1], row[0]) for name, row in self._tallies.types.items()
        }
        found += without_matches(rows, near_misses=True)
        if not self._checks.tokens:
            return found + without_spans(self.sentences, gold, pred)
        if not gold and not pred and self._checks.gold_labelled and self._checks.pred_labelled:
            found.append("there are no spans of the types that are evaluated")
        return found

    @cached_property
    def overall(self) -> FairScores:
        """Over all types."""
        return _overall(self._tallies, self.weights)

    @property
    def exact(self) -> Score:
        """Traditional evaluation over all types."""
        return self.overall.exact

    @property
    def fair(self) -> Score:
        """Fair evaluation over all types."""
        return self.overall.fair

    @property
    def weighted(self) -> Score:
        """Weighted evaluation over all types."""
        return self.overall.weighted

    @property
    def exact_counts(self) -> Counts:
        """TP, FP and FN of traditional evaluation over all types."""
        return self.overall.exact_counts

    @property
    def counts(self) -> FairCounts:
        """Counts of fair evaluation over all types."""
        return self.overall.counts

    @property
    def sentences(self) -> int:
        """Sentences scored."""
        return self._tallies.sentences

    @cached_property
    def per_type(self) -> dict[str, FairScores]:
        """For each type, sorted by name. LE and LBE are counted for the type that :attr:`focus` says."""
        side = FOCUSES.index(self.focus)
        sums: list[dict[str, int]] = []
        for pairs in (self._tallies.le, self._tallies.lbe):
            of: dict[str, int] = {}
            for pair, n in pairs.items():
                of[pair[side]] = of.get(pair[side], 0) + n
            sums.append(of)
        le, lbe = sums
        rows = self._tallies.types
        return {
            name: _scores(rows.get(name, [0] * ROW), le.get(name, 0), lbe.get(name, 0), self.weights)
            for name in self._tallies.names()
        }

    @cached_property
    def confusion(self) -> dict[str | None, dict[str | None, int]]:
        """``confusion[gold type][pred type]``: errors, each once.

        On the diagonal boundary errors; elsewhere labelling and labelling-boundary errors; the column None
        holds false negatives, the row None false positives. True positives are not in it.
        """
        names: list[str | None] = [*self._tallies.names(), None]
        matrix = {gold: dict.fromkeys(names, 0) for gold in names}
        for name, (*_, fp, fn, bes, bel, beo) in self._tallies.types.items():
            matrix[name][name] += bes + bel + beo
            matrix[name][None] += fn
            matrix[None][name] += fp
        for pairs in (self._tallies.le, self._tallies.lbe):
            for (gold, pred), n in pairs.items():
                matrix[gold][pred] += n
        return matrix

    @cached_property
    def documents(self) -> list[FairDocument]:
        """One row a document, where documents were asked for."""
        return [
            FairDocument(at, name, tallies.sentences, _overall(tallies, self.weights))
            for at, (name, tallies) in enumerate(self._documents)
        ]

    def with_weights(self, weights: str | Weights | None = None, focus: str | None = None) -> FairResult:
        """Look at the same counts with other weights or another focus.

        Parameters
        ----------
        weights : str or mapping, optional
            As for :func:`spanrs.fair`.
        focus : str, optional
            ``gold`` or ``pred``.

        Returns
        -------
        FairResult

        Raises
        ------
        ValueError
            For weights that cannot be, and an unknown focus.

        Examples
        --------
        >>> import spanrs
        >>> result = spanrs.fair([["B-PER", "I-PER"]], [["B-PER", "O"]])
        >>> result.weighted.recall, result.with_weights("BES = 0.9 TP + 0.1 FN").weighted.recall
        (0.5, 0.9)
        """
        new = self.weights if weights is None else as_weights(weights)
        aim = check_focus(self.focus if focus is None else focus)
        settings = dict(self.settings) | {"focus": aim, "weights": phrase(new)}
        return replace(self, weights=new, focus=aim, settings=settings)

    def merge(self, *others: FairResult) -> FairResult:
        """Add results made in the same way on other data.

        Parameters
        ----------
        *others : FairResult
            Their documents, errors and violations come behind those of this one; errors only if all have
            them.

        Returns
        -------
        FairResult
            A new one.

        Raises
        ------
        spanrs.errors.SchemeError
            Where the signatures differ.

        Notes
        -----
        A new result lists the documents, errors and violations of all parts, so one call with many results
        takes less time than a loop of calls.
        """
        return combine([self, *others])

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain dictionaries, lists, strings and numbers.

        Returns
        -------
        dict
            ``overall`` and ``per_type`` (type to the same: ``exact``, ``fair``, ``weighted``,
            ``exact_counts``, ``counts``), ``confusion`` (list of ``gold``, ``pred``, ``count``, None for
            nothing; cells of 0 left out), ``weights``, ``sentences``, ``violations``, ``detection``,
            ``pred_detection``, ``warnings``, ``signature``, and where they were asked for ``documents`` and ``errors``.
        """
        from spanrs.report.fair import plain

        return plain(self)

    def to_csv(self) -> str:
        """Give the measures and counts as CSV: a row for each type and version, fractions.

        Returns
        -------
        str
            With a header; the rows of all types have an empty type. Then rows for each document, if there
            are any. Names that a spreadsheet would take for a formula have a ``'`` before them.
        """
        from spanrs.report.fair import csv_text

        return csv_text(self)

    def to_html(self, *, title: str = "Fair evaluation") -> str:
        """Give a whole HTML page: measures, kinds of errors as bars, and the confusion as a heat map.

        Parameters
        ----------
        title : str
            Its heading.

        Returns
        -------
        str
            A page that needs nothing else, scripts and fonts included.

        Raises
        ------
        ImportError
            Where jinja2 is not installed (``pip install spanrs[html]``).
        """
        from spanrs.report.fair_html import page

        return page(self, title)

    def __repr__(self) -> str:
        f1 = ", ".join(f"{name} {getattr(self, name).f1:.4f}" for name in ("exact", "fair", "weighted"))
        return f"<FairResult F1 {f1}, {self.signature}>"

    def __str__(self) -> str:
        from spanrs.report.fair import render

        return render(self)


def check_focus(focus: str) -> str:
    """Give the focus, or refuse."""
    if focus not in FOCUSES:
        raise ValueError(f"unknown focus {focus!r}; one of {', '.join(FOCUSES)}")
    return focus


def combine(results: Sequence[FairResult]) -> FairResult:
    """Add results, in order."""
    settings: Mapping[str, str] = results[0].settings
    tallies = FairTallies()
    documents: list[tuple[str | None, FairTallies]] = []
    errors: list[FairError] | None = [] if all(r.errors is not None for r in results) else None
    counts: dict[str, int] = {}
    located: dict[str, list[LocatedViolation]] = {}
    for result in results:
        settings = merged_settings(settings, result.settings)
        sentences = tallies.sentences
        for side, found in result.violations.items():
            counts[side] = counts.get(side, 0) + found.count
            located.setdefault(side, []).extend(shifted(found.first, sentences))
        if errors is not None:
            own = result.errors or []
            errors += [e._replace(sentence=e.sentence + sentences) for e in own] if sentences else own
        tallies.add(result._tallies)
        documents += result._documents
    detection = next((result.detection for result in results if result.detection), None)
    pred_detection = next((result.pred_detection for result in results if result.pred_detection), None)
    checks = Checks()
    for result in results:
        checks += result._checks
    return replace(
        results[0],
        _tallies=tallies,
        settings=settings,
        violations={side: Violations(count, located[side]) for side, count in counts.items()},
        detection=detection,
        pred_detection=pred_detection,
        _checks=checks,
        _noticed=add_noticed([result._noticed for result in results]),
        errors=errors,
        _documents=documents,
    )
