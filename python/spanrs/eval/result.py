"""What came out, and how it was made."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from spanrs.errors import SchemeError
from spanrs.eval import retyping
from spanrs.eval.checks import Noticed, add_noticed, without_matches
from spanrs.eval.made import Made
from spanrs.eval.tallies import Tallies
from spanrs.tags.types import Violation

#: The scheme of a result of data that has no tag but ``O``, where it was not given.
UNDECIDED = "auto"


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and F1 as fractions, and the number of gold spans they rest on."""

    precision: float
    recall: float
    f1: float
    support: int


class Counts(NamedTuple):
    """True positives, false positives, false negatives."""

    tp: int
    fp: int
    fn: int


@dataclass(frozen=True, slots=True)
class LocatedViolation:
    """A violation and where it stands."""

    sentence: int
    """Sentence, from 0."""
    line: int | None
    """Line of the file, from 1; None where there is no file."""
    violation: Violation
    """What is wrong."""


@dataclass(frozen=True, slots=True)
class Violations:
    """The violations of one side."""

    count: int
    """All of them."""
    first: list[LocatedViolation]
    """The first ones."""

    def to_dict(self) -> dict[str, Any]:
        """Give them as plain values: ``count`` and ``first``, each with ``sentence`` and ``line``."""
        rows = [
            {"sentence": place.sentence, "line": place.line} | asdict(place.violation)
            for place in self.first
        ]
        return {"count": self.count, "first": rows}


class DocumentRow(NamedTuple):
    """One document of a corpus."""

    document: int
    """Its place, from 0."""
    sentences: int
    """Its sentences."""
    tokens: int
    """Its tokens."""
    counts: Counts
    """TP, FP and FN over all types."""
    micro: Score
    """Over all types."""


def _ratio(part: float, whole: float) -> float:
    # Nothing to find, or nothing found: the measure is 0, as in conlleval and seqeval.
    return part / whole if whole else 0.0


def _score(gold: int, pred: int, both: int) -> Score:
    precision, recall = _ratio(both, pred), _ratio(both, gold)
    return Score(precision, recall, _ratio(2 * precision * recall, precision + recall), gold)


@dataclass(frozen=True, repr=False)
class Result(Made):
    """What scoring came to. Made by :func:`spanrs.score`, :class:`spanrs.Scorer` and the file forms.

    Measures are fractions from 0 to 1; a measure with nothing below its fraction line is 0.

    Examples
    --------
    >>> import spanrs
    >>> result = spanrs.score([["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "I-PER", "O", "O"]])
    >>> result.micro
    Score(precision=1.0, recall=0.5, f1=0.6666666666666666, support=2)
    >>> result.counts
    Counts(tp=1, fp=0, fn=1)
    >>> print(result.signature)
    matcher:exact|scheme:BIO|reading:conlleval|version:0.1.0
    """

    _tallies: Tallies
    violations: dict[str, Violations]
    """``gold`` and ``pred``: all violations counted, the first ones located."""
    settings: Mapping[str, str]
    """How the result was made, by name; :attr:`signature` is the same in one line."""
    detection: str | None = None
    """What speaks for the scheme, where it was found out; None where it was given."""
    pred_detection: str | None = None
    """What speaks for the scheme of pred, where it turned out to be another one than that of gold."""
    _documents: list[Tallies] = field(default_factory=list)
    _noticed: Noticed = field(default_factory=Noticed)

    @property
    def notes(self) -> list[str]:
        """What was noticed in the files, a sentence each."""
        return self._noticed.notes()

    @property
    def differing_tokens(self) -> int:
        """Tokens that differ between gold and pred, where that is no error."""
        return self._tallies.checks.differing

    @property
    def scheme(self) -> str:
        """The scheme the tags were read in."""
        return self.settings["scheme"]

    @property
    def pred_scheme(self) -> str:
        """The scheme the tags of pred were read in."""
        return self.settings.get("pred_scheme", self.scheme)

    @property
    def warnings(self) -> list[str]:
        """Warnings about suspicious input, a sentence each.

        A side that is all ``O``, violations at more than a tenth of a side's tags other than ``O``, types like
        ``LABEL_0``, many spans of which none is correct, columns of tags that are not read, tokens that differ
        or were not compared, nothing to score.
        """
        if not self.tokens:
            return ["there are no tokens to score"]
        checks = self._tallies.checks
        found = checks.warnings(self.violations, self._tallies.types, self.settings)
        if not self._tallies.types and checks.gold_labelled and checks.pred_labelled:
            found.append("there are no spans of the types that are evaluated")
        return [*found, *without_matches(self._tallies.types), *self._noticed.warnings]

    @cached_property
    def counts(self) -> Counts:
        """TP, FP and FN over all types."""
        gold, pred, both = self._tallies.total()
        return Counts(both, pred - both, gold - both)

    @cached_property
    def counts_by_type(self) -> dict[str, Counts]:
        """TP, FP and FN of each type, sorted by name."""
        return {
            name: Counts(both, pred - both, gold - both)
            for name, (gold, pred, both) in sorted(self._tallies.types.items())
        }

    @cached_property
    def micro(self) -> Score:
        """Over all spans, whatever their type."""
        return _score(*self._tallies.total())

    @cached_property
    def per_type(self) -> dict[str, Score]:
        """Each type that gold or pred has a span of, sorted by name."""
        return {name: _score(*row) for name, row in sorted(self._tallies.types.items())}

    def _mean(self, weights: list[int]) -> Score:
        scores, whole = list(self.per_type.values()), sum(weights)

        def mean(name: str) -> float:
            parts = (w * getattr(s, name) for w, s in zip(weights, scores, strict=True))
            return _ratio(math.fsum(parts), whole)

        return Score(mean("precision"), mean("recall"), mean("f1"), self.micro.support)

    @cached_property
    def macro(self) -> Score:
        """The mean over types, each counting the same."""
        return self._mean([1] * len(self.per_type))

    @cached_property
    def weighted(self) -> Score:
        """The mean over types, each counting as often as it has gold spans."""
        return self._mean([score.support for score in self.per_type.values()])

    @property
    def accuracy(self) -> float:
        """Tokens with equal tags, as a fraction of all tokens.

        Where gold and pred are in different schemes: tokens whose tags are both ``O`` or both of one type.
        """
        return _ratio(self._tallies.correct_tokens, self._tallies.tokens)

    @property
    def sentences(self) -> int:
        """Sentences scored."""
        return self._tallies.sentences

    @property
    def tokens(self) -> int:
        """Tokens scored, without ignored ones."""
        return self._tallies.tokens

    @cached_property
    def confusion(self) -> dict[str | None, dict[str | None, int]]:
        """``confusion[gold type][pred type]``: spans with equal bounds.

        The row and the column None hold what has no span with equal bounds on the other side, so that
        each row adds up to the gold spans of its type and each column to the pred spans.
        """
        names: list[str | None] = [*sorted(self._tallies.types), None]
        matrix = {gold: dict.fromkeys(names, 0) for gold in names}
        for name, (gold, pred, both) in self._tallies.types.items():
            matrix[name][name] += both
            matrix[name][None] += gold - both
            matrix[None][name] += pred - both
        for (gold_type, pred_type), n in self._tallies.confused.items():
            matrix[gold_type][pred_type] += n
            matrix[gold_type][None] -= n
            matrix[None][pred_type] -= n
        return matrix

    @cached_property
    def documents(self) -> list[DocumentRow]:
        """One row a document, where documents were asked for."""
        rows = []
        for at, tallies in enumerate(self._documents):
            gold, pred, both = tallies.total()
            counts = Counts(both, pred - both, gold - both)
            score = _score(gold, pred, both)
            rows.append(DocumentRow(at, tallies.sentences, tallies.tokens, counts, score))
        return rows

    @cached_property
    def untyped(self) -> Score:
        """Over all spans by their bounds alone: a span is found whatever its type.

        For tags this is what partial matching gives in its mode ``exact``.
        """
        return _score(*retyping.untyped(self._tallies).total())

    @cached_property
    def untyped_counts(self) -> Counts:
        """TP, FP and FN of :attr:`untyped`."""
        gold, pred, both = retyping.untyped(self._tallies).total()
        return Counts(both, pred - both, gold - both)

    def with_types(self, types: Mapping[str, str | None] | Collection[str]) -> Result:
        """Look at the same spans under other types, or at some of them.

        Tags are not read again: spans are first read with the types they have, then renamed, so that two
        spans that touch stay two even if they come to be of one type.

        Parameters
        ----------
        types : mapping of str to str or None, or collection of str
            A map renames types; those it does not name stay, those it maps to None are left out. A
            collection names the types to keep.

        Returns
        -------
        Result
            With the map in its signature. Accuracy, which is of tags, and violations stay.

        Examples
        --------
        >>> import spanrs
        >>> result = spanrs.score([["B-GPE", "O", "B-PER"]], [["B-LOC", "B-MISC", "B-PER"]])
        >>> result.with_types({"GPE": "LOC", "MISC": None}).counts
        Counts(tp=2, fp=0, fn=0)
        >>> result.with_types(["PER"]).counts
        Counts(tp=1, fp=0, fn=0)
        """
        if not isinstance(types, (str, Mapping)):
            types = list(types)
        rename = retyping.renaming(types)
        return replace(
            self,
            _tallies=retyping.renamed(self._tallies, rename),
            settings=self._also("types", retyping.phrase(types)),
            _documents=[retyping.renamed(document, rename) for document in self._documents],
        )

    def with_document_weights(self, weights: Iterable[float]) -> Result:
        """Let documents count as often as their weights say.

        Parameters
        ----------
        weights : iterable of float
            One for each document, in order; finite and not negative. The result must have been made by
            document.

        Returns
        -------
        Result
            Its counts are sums of weights times counts, fractions where weights are. Documents keep their
            own rows, and violations are not weighed.

        Raises
        ------
        ValueError
            Where the result was not made by document, the number of weights is not that of the documents,
            or one of them is negative or not finite.

        Examples
        --------
        >>> import spanrs
        >>> gold, pred = [["B-A"], ["B-A"]], [["B-A"], ["O"]]
        >>> spanrs.score(gold, pred, weights=[1, 3]).micro.recall
        0.25
        """
        if self.sentences and not self._documents:
            message = "the result has no documents to weigh; make it with documents= or by_document=True"
            raise ValueError(message)
        # Weights are of the documents as they were counted, so new ones take the place of older ones.
        known = "weights" in self.settings
        return replace(
            self,
            _tallies=retyping.weighted(self._documents, list(weights)),
            settings=self.settings if known else self._also("weights", "documents"),
        )

    def _also(self, name: str, value: str) -> dict[str, str]:
        """Give the settings with one more, before the version; a second map follows the first."""
        settings = dict(self.settings)
        version = settings.pop("version")
        settings[name] = f"{settings[name]};{value}" if name in settings else value
        return settings | {"version": version}

    def merge(self, *others: Result) -> Result:
        """Add results made in the same way on other data.

        Parameters
        ----------
        *others : Result
            Their documents and violations come behind those of this one.

        Returns
        -------
        Result
            A new one.

        Raises
        ------
        spanrs.errors.SchemeError
            Where the signatures differ.

        Notes
        -----
        A new result lists the documents and violations of all parts, so one call with many results takes
        less time than a loop of calls.
        """
        return combine([self, *others])

    def to_dict(self, *, untyped: bool = False) -> dict[str, Any]:
        """Give everything as plain dictionaries, lists, strings and numbers.

        Parameters
        ----------
        untyped : bool
            Also give ``untyped`` and ``untyped_counts``, over spans by their bounds alone.

        Returns
        -------
        dict
            ``micro``, ``macro``, ``weighted`` (each ``precision``, ``recall``, ``f1``, ``support``),
            ``per_type`` (type to the same), ``counts`` (``tp``, ``fp``, ``fn``), ``accuracy``,
            ``sentences``, ``tokens``, ``violations`` (``gold`` and ``pred``, each ``count`` and
            ``first``), ``detection``, ``pred_detection``, ``warnings``, ``signature``, and where documents
            were asked for ``documents``.
        """
        everything: dict[str, Any] = {
            "micro": asdict(self.micro),
            "macro": asdict(self.macro),
            "weighted": asdict(self.weighted),
            "per_type": {name: asdict(score) for name, score in self.per_type.items()},
            "counts": self.counts._asdict(),
            "accuracy": self.accuracy,
            "sentences": self.sentences,
            "tokens": self.tokens,
            "violations": {side: found.to_dict() for side, found in self.violations.items()},
            "detection": self.detection,
            "pred_detection": self.pred_detection,
            "warnings": self.warnings,
            "signature": self.signature,
        }
        if untyped:
            everything["untyped"] = asdict(self.untyped)
            everything["untyped_counts"] = self.untyped_counts._asdict()
        if self._documents:
            everything["documents"] = [
                {
                    "document": row.document,
                    "sentences": row.sentences,
                    "tokens": row.tokens,
                    "counts": row.counts._asdict(),
                    "micro": asdict(row.micro),
                }
                for row in self.documents
            ]
        return everything

    def __repr__(self) -> str:
        return f"<Result F1 {self.micro.f1:.4f} of {self.micro.support} spans, {self.signature}>"

    def __str__(self) -> str:
        from spanrs.report.text import render

        return render(self)

    def _repr_html_(self) -> str:
        from spanrs.report.html import render

        return render(self)


def merged_settings(one: Mapping[str, str], other: Mapping[str, str]) -> dict[str, str]:
    """Give the settings of two results together, or refuse; an undecided scheme fits any."""
    both, theirs = dict(one), dict(other)
    # Files of spans have no scheme, and then neither of the two has one.
    if "scheme" in both and "scheme" in theirs:
        both, theirs = with_schemes(both, theirs), with_schemes(theirs, both)
    if both != theirs:
        signatures = ["|".join(f"{k}:{v}" for k, v in made.items()) for made in (one, other)]
        error = SchemeError(f"results made differently cannot be merged: {' and '.join(signatures)}")
        error.code = "signature"
        raise error
    return both


def _pred_scheme(settings: dict[str, str]) -> str | None:
    """Give the scheme of pred; None where it is that of gold. Without tags of gold nothing is known of pred."""
    return settings.get("pred_scheme", UNDECIDED if settings["scheme"] == UNDECIDED else None)


def with_schemes(settings: dict[str, str], others: dict[str, str]) -> dict[str, str]:
    """Give settings whose undecided schemes are those of others."""
    scheme, pred_scheme = settings["scheme"], _pred_scheme(settings)
    if pred_scheme == UNDECIDED:
        pred_scheme = _pred_scheme(others)
    if scheme == UNDECIDED:
        scheme = others["scheme"]
    if scheme == UNDECIDED and pred_scheme == UNDECIDED:
        pred_scheme = None
    taken: dict[str, str] = {}
    for name, value in settings.items():
        if name == "scheme":
            taken[name] = scheme
            if pred_scheme is not None:
                taken["pred_scheme"] = pred_scheme
        elif name != "pred_scheme":
            taken[name] = value
    return taken


def shifted(places: list[LocatedViolation], sentences: int) -> list[LocatedViolation]:
    """Add ``sentences`` to the number of each sentence; without any, places are not copied."""
    if not sentences:
        return places
    return [replace(place, sentence=place.sentence + sentences) for place in places]


def combine(results: Sequence[Result]) -> Result:
    """Add results, in order."""
    settings: Mapping[str, str] = results[0].settings
    tallies = Tallies()
    documents: list[Tallies] = []
    sentences = 0
    counts = dict.fromkeys(results[0].violations, 0)
    located: dict[str, list[LocatedViolation]] = {side: [] for side in counts}
    for result in results:
        settings = merged_settings(settings, result.settings)
        for side, violations in result.violations.items():
            counts[side] += violations.count
            located[side] += shifted(violations.first, sentences)
        tallies.add(result._tallies)
        documents += result._documents
        # With weights the sum of sentences is no number of sentences; then all of them are in documents.
        rows = result._documents if "weights" in result.settings else [result._tallies]
        sentences += sum(row.sentences for row in rows)
    return Result(
        tallies,
        {side: Violations(count, located[side]) for side, count in counts.items()},
        settings,
        next((result.detection for result in results if result.detection), None),
        next((result.pred_detection for result in results if result.pred_detection), None),
        documents,
        add_noticed([result._noticed for result in results]),
    )
