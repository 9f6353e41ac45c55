"""Counts with settings and evidence, and the measures computed from the counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from spanrs import _spanrs
from spanrs.caching import cached_property
from spanrs.eval import settings as settings_of
from spanrs.eval import warnings
from spanrs.eval.criterion import Criterion
from spanrs.eval.details import ErrorList
from spanrs.eval.evidence import Detail, Evidence, Violations, merge_evidence
from spanrs.eval.matcher import Cell, Matcher, criteria, find_criterion
from spanrs.eval.matchers import as_matcher
from spanrs.eval.scores import CriterionResult, Measured

#: Type of all spans whose types are ignored.
UNTYPED = "_"


@dataclass(frozen=True, repr=False, eq=False)
class Evaluation(Measured):
    """Counts with their settings and evidence; base class of :class:`spanrs.Result`."""

    counts: _spanrs.Counts
    """Number of occurrences of each outcome for each pair of types, in total and by document."""
    settings: Mapping[str, str]
    """Settings with which the result was computed, by name; :attr:`signature` has the same settings in one line."""
    matcher: Matcher = field(default_factory=lambda: as_matcher("exact"))
    """The matcher with its options."""
    evidence: Evidence = field(default_factory=Evidence)
    """Violations, warnings, notes and the detection of schemes."""
    details: Mapping[str, list[Detail]] | None = None
    """The outcome of each span by criterion, if details were requested."""
    errors: ErrorList | None = None
    """Outcomes that are not true positives under the matcher's default criterion, if requested."""
    by_sentence: bool = False
    """Whether each row of counts is a sentence; tables and dictionaries omit such rows."""
    document_weights: tuple[float, ...] | None = None
    """Weight of each document; None if all weights are 1."""

    def __getitem__(self, criterion: str) -> CriterionResult:
        """Return the measures of a criterion, such as ``bounds`` for partial matching.

        Raises
        ------
        KeyError
            If the matcher has no such criterion.
        """
        return find_criterion(self._views, criterion, self.matcher)

    def __contains__(self, criterion: str) -> bool:
        return criterion in self.matcher.criteria

    #: Without this, Python would iterate by calling ``__getitem__`` with integers.
    __iter__ = None

    @cached_property
    def _views(self) -> dict[str, CriterionResult]:
        return {name: self._view(name) for name in self.matcher.criteria}

    def _view(self, name: str) -> CriterionResult:
        """Return the measures of a criterion, without caching."""
        return CriterionResult(self, name, self._unscored.get(name))

    @cached_property
    def _unscored(self) -> Mapping[str, str]:
        """Criteria with undefined measures, and the reasons."""
        return self.matcher.unscored(self._unweighted_corpus)

    @cached_property
    def _criterion(self) -> Criterion:
        return self.matcher.criteria[self.matcher.criterion]

    @cached_property
    def _summary(self) -> _spanrs._Summary:
        return self._views[self.matcher.criterion]._summary

    @property
    def _cells(self) -> Sequence[Cell]:
        """All cells: criterion, outcome, gold type, pred type and count; weighted if documents have weights."""
        weights = self.document_weights
        return self.counts.cells() if weights is None else self.counts.weighted(weights)

    def _numbers(self, weights: Sequence[float] | None) -> dict[str, int]:
        """Return the corpus totals by name: sentences, tokens, violations and so on."""
        corpus = criteria(self.matcher.name)["corpus"]
        summary = self.counts.summary(corpus.index, None, None, weights)
        return dict(zip(corpus.outcomes, summary["all"]["counts"], strict=True))

    @cached_property
    def _corpus(self) -> Mapping[str, int]:
        return self._numbers(self.document_weights)

    @cached_property
    def _unweighted_corpus(self) -> Mapping[str, int]:
        return self._corpus if self.document_weights is None else self._numbers(None)

    @property
    def accuracy(self) -> float:
        """Number of tokens with equal tags, as a fraction of all tokens; 0 for spans, which have no tokens.

        If gold and pred have different schemes, two tags are equal if both are ``O`` or both have the same type.
        """
        tokens = self.tokens
        return self._corpus["correct_tokens"] / tokens if tokens else 0.0

    @property
    def sentences(self) -> int:
        """Number of scored sentences."""
        return self._corpus.get("sentences", 0)

    @property
    def tokens(self) -> int:
        """Number of scored tokens, without ignored tokens."""
        return self._corpus.get("tokens", 0)

    @property
    def _differing_tokens(self) -> int:
        """Number of tokens that differ between gold and pred, if differing tokens are not an error."""
        return self._unweighted_corpus.get("differing_tokens", 0)

    @cached_property
    def violations(self) -> dict[str, Violations]:
        """Violations by side (``gold`` and ``pred``): the count, and the first violations with their locations."""
        numbers = self._unweighted_corpus
        return {
            side: Violations(
                numbers.get(f"{side}_violations", 0), list(self.evidence.located.get(side, ()))
            )
            for side in ("gold", "pred")
        }

    @property
    def notes(self) -> list[str]:
        """Notes about the input, each one sentence."""
        return [*self.evidence.notes, *(f"tokens differ: {example}" for example in self.evidence.differing)]

    @property
    def signature(self) -> str:
        """Settings with which the result was computed. Results with different signatures are not comparable."""
        return settings_of.signature(self._shown_settings)

    @property
    def _shown_settings(self) -> Mapping[str, str]:
        if not self._differing_tokens:
            return self.settings
        return settings_of.with_setting(self.settings, "differing_tokens", str(self._differing_tokens))

    @property
    def warnings(self) -> list[str]:
        """Warnings about suspicious input, each one sentence.

        The reasons are: a side has no spans or only ``O``; more than a tenth of a side's tags other than ``O`` are
        violations; types look like ``LABEL_0``; there are many spans, but none is correct; a type has different
        names in gold and pred; all ends are off by one;
        columns of tags are not read; tokens differ or were not compared; there is nothing to score.
        """
        numbers, types = self._unweighted_corpus, [name for name, _ in self._summary["types"]]
        if "tokens" not in numbers:
            return list(self.evidence.warnings)
        exact = self.matcher.name == "exact"
        support = self[self.matcher.support]
        messages = warnings.of_tags(numbers, self.violations, types, self.settings)
        if numbers["tokens"]:
            if not types and numbers["gold_labelled"] and numbers["pred_labelled"]:
                messages.append("there are no spans of the scored types")
        elif exact and "scheme" in self.settings and not types:
            return ["there are no tokens to score", *self.evidence.warnings]
        else:
            tp, fp, fn = support.totals
            messages += warnings.without_spans(self.sentences, tp + fn, tp + fp)
        unmatched = warnings.without_matches(support, near_misses=not exact)
        if exact and not unmatched:
            unmatched = warnings.of_renamed_types(support)
        messages += unmatched
        messages += warnings.of_ends(numbers)
        return [*messages, *self.evidence.warnings]

    @cached_property
    def untyped(self) -> CriterionResult:
        """The measures of all spans by their bounds only, regardless of type. Exact matcher only.

        For tags, the measures equal those of partial matching under the criterion ``bounds``.
        """
        return replace(self, counts=self.counts.renamed(lambda _: UNTYPED))[self.matcher.criterion]


def merged_evidence(evaluations: Sequence[Evaluation], offsets: Sequence[int]) -> Evidence:
    """Merge evidence; of each side, keep at most as many violations as the shortest incomplete list has."""
    merged = merge_evidence([evaluation.evidence for evaluation in evaluations], offsets)
    located = dict(merged.located)
    for side, places in located.items():
        of_side = [evaluation.violations[side] for evaluation in evaluations]
        limits = [
            len(violations.first) for violations in of_side if violations.count > len(violations.first)
        ]
        located[side] = places[: min(limits)] if limits else places
    return replace(merged, located=located)
