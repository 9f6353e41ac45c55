"""Counts with what is known of them, and the measures computed from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from spanrs import _spanrs
from spanrs._spanrs import Criterion
from spanrs.caching import cached_property
from spanrs.eval import settings as settings_of
from spanrs.eval import warnings
from spanrs.eval.details import ErrorList
from spanrs.eval.evidence import Detail, Evidence, Violations
from spanrs.eval.matchers import Cell, Matcher, as_matcher, criteria, find_criterion
from spanrs.eval.scores import CriterionResult, Measured, Score, Totals, UnscoredResult

#: The one type of spans whose types are not looked at.
UNTYPED = "_"


@dataclass(frozen=True, repr=False, eq=False)
class Evaluation(Measured):
    """Counts with their settings and evidence; what :class:`spanrs.Result` measures."""

    counts: _spanrs.Counts
    """How often each outcome occurred between each pair of types, in all and by document."""
    settings: Mapping[str, str]
    """How the result was made, by name; :attr:`signature` is the same in one line."""
    matcher: Matcher = field(default_factory=lambda: as_matcher("exact"))
    """The matcher with its options."""
    evidence: Evidence = field(default_factory=Evidence)
    """What is known besides counts: violations, warnings, how schemes were found out."""
    details: Mapping[str, list[Detail]] | None = None
    """By criterion, what became of each span, where that was asked for."""
    error_list: ErrorList | None = None
    """The errors under the matcher's criterion, where they were asked for."""
    by_sentence: bool = False
    """True where each document is one sentence; tables and dictionaries leave such rows out."""
    document_weights: tuple[float, ...] | None = None
    """How often each document counts; None where each counts once."""

    def __getitem__(self, criterion: str) -> CriterionResult:
        """Give the measures of a criterion, such as ``bounds`` of partial matching.

        Raises
        ------
        KeyError
            For a criterion that the matcher does not have.
        """
        return find_criterion(self._views, criterion, self.matcher)

    def __contains__(self, criterion: str) -> bool:
        return criterion in self.matcher.criteria

    #: Without this, Python would iterate by calling ``__getitem__`` with integers.
    __iter__ = None

    @cached_property
    def _views(self) -> dict[str, CriterionResult]:
        return {name: CriterionResult(self, name) for name in self.matcher.criteria}

    @cached_property
    def unscored(self) -> Mapping[str, str]:
        """Criteria with undefined measures, and why they are; tables show them as ``-``.

        Of trees: measures of columns that pred or gold does not annotate at all, or that were copied instead of
        predicted.
        """
        return self.matcher.unscored(self._unweighted_corpus)

    def shown(self, criterion: str) -> CriterionResult:
        """Give the measures of a criterion as they are shown: not numbers if it is :attr:`unscored`."""
        return UnscoredResult(self, criterion) if criterion in self.unscored else self[criterion]

    @cached_property
    def cells(self) -> Sequence[Cell]:
        """All cells: criterion, outcome, gold type, pred type and number; weighted where documents have weights."""
        weights = self.document_weights
        return self.counts.cells() if weights is None else self.counts.weighted(weights)

    @cached_property
    def criterion(self) -> Criterion:
        """The matcher's own criterion, of which measures are."""
        return self.matcher.criteria[self.matcher.criterion]

    def _numbers(self, weights: Sequence[float] | None) -> dict[str, int]:
        """Return the corpus numbers by name: sentences, tokens, violations and so on."""
        corpus = criteria(self.matcher.name)["corpus"]
        (counts, _, _), *_ = self.counts.summary(corpus.index, None, None, weights)
        return dict(zip(corpus.outcomes, counts, strict=True))

    @cached_property
    def _corpus(self) -> Mapping[str, int]:
        return self._numbers(self.document_weights)

    @cached_property
    def _unweighted_corpus(self) -> Mapping[str, int]:
        return self._corpus if self.document_weights is None else self._numbers(None)

    @property
    def accuracy(self) -> float:
        """Tokens with equal tags, as a fraction of all tokens; 0 for spans, which have no tokens.

        Where gold and pred are in different schemes: tokens whose tags are both ``O`` or both of one type.
        """
        tokens = self.tokens
        return self._corpus["correct_tokens"] / tokens if tokens else 0.0

    @property
    def sentences(self) -> int:
        """Sentences scored."""
        return self._corpus.get("sentences", 0)

    @property
    def tokens(self) -> int:
        """Tokens scored, without ignored ones."""
        return self._corpus.get("tokens", 0)

    @property
    def differing_tokens(self) -> int:
        """Tokens that differ between gold and pred, where that is no error. Merging adds them up."""
        return self._unweighted_corpus.get("differing_tokens", 0)

    @cached_property
    def violations(self) -> dict[str, Violations]:
        """``gold`` and ``pred``: all violations counted, the first ones located."""
        numbers = self._unweighted_corpus
        return {
            side: Violations(
                numbers.get(f"{side}_violations", 0), list(self.evidence.located.get(side, ()))
            )
            for side in ("gold", "pred")
        }

    @property
    def scheme(self) -> str | None:
        """The scheme the tags were read in; None for files of spans, and documents of text."""
        return self.settings.get("scheme")

    @property
    def pred_scheme(self) -> str | None:
        """The scheme the tags of pred were read in; None as for :attr:`scheme`."""
        return self.settings.get("pred_scheme", self.scheme)

    @property
    def detection(self) -> str | None:
        """What speaks for the scheme, where it was found out; None where it was given."""
        return self.evidence.detection

    @property
    def pred_detection(self) -> str | None:
        """What speaks for the scheme of pred, where it turned out to be another one than that of gold."""
        return self.evidence.pred_detection

    @property
    def notes(self) -> list[str]:
        """What was noticed in the files, a sentence each."""
        return [*self.evidence.notes, *(f"tokens differ: {example}" for example in self.evidence.differing)]

    @property
    def errors(self) -> Sequence[Detail] | None:
        """The outcomes that are not true positives, where errors or details were asked for."""
        if self.error_list is not None:
            return self.error_list
        if self.details is None:
            return None
        wrong = self.wrong_outcomes
        return [detail for detail in self.details[self.criterion.name] if detail.outcome in wrong]

    @property
    def signature(self) -> str:
        """How the result was made. Results with different signatures do not compare."""
        return settings_of.signature(self._shown_settings)

    @property
    def short_signature(self) -> str:
        """The signature with short names of settings; ``spanrs score --like`` reads both."""
        return settings_of.short_signature(self._shown_settings)

    @property
    def _shown_settings(self) -> Mapping[str, str]:
        if not self.differing_tokens:
            return self.settings
        return settings_of.with_setting(self.settings, "differing_tokens", str(self.differing_tokens))

    @property
    def warnings(self) -> list[str]:
        """Warnings about suspicious input, a sentence each.

        A side without spans or that is all ``O``, violations at more than a tenth of a side's tags other than ``O``,
        types like ``LABEL_0``, many spans of which none is correct, ends that are all off by one, columns of tags that
        are not read, tokens that differ or were not compared, nothing to score.
        """
        numbers, types = self._unweighted_corpus, self.per_type.totals
        if "tokens" not in numbers:
            return list(self.evidence.warnings)
        exact = self.matcher.name == "exact"
        own = self[self.criterion.support]
        found = warnings.of_tags(numbers, self.violations, types, self.settings)
        if numbers["tokens"]:
            if not types and numbers["gold_labelled"] and numbers["pred_labelled"]:
                found.append("there are no spans of the types that are evaluated")
        elif exact and "scheme" in self.settings and not types:
            return ["there are no tokens to score", *self.evidence.warnings]
        else:
            tp, fp, fn = own.totals
            found += warnings.without_spans(self.sentences, tp + fn, tp + fp)
        found += warnings.without_matches(own, near_misses=not exact)
        found += warnings.of_ends(numbers)
        return [*found, *self.evidence.warnings]

    @cached_property
    def _untyped(self) -> Evaluation:
        return replace(self, counts=self.counts.renamed(lambda _: UNTYPED))

    @property
    def untyped(self) -> Score:
        """Over all spans by their bounds alone: a span is found whatever its type. Exact matcher only.

        For tags this is what partial matching gives under its criterion ``bounds``.
        """
        return self._untyped.micro

    @property
    def untyped_totals(self) -> Totals:
        """TP, FP and FN of :attr:`untyped`."""
        return self._untyped.totals
