"""Counts with settings and evidence, and the measures computed from them."""

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
from spanrs.eval.matchers import Cell, Matcher, as_matcher, criteria, find_criterion
from spanrs.eval.scores import CriterionResult, Measured

#: Type of all spans whose types are ignored.
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
    """Violations, warnings, notes and the detection of schemes."""
    details: Mapping[str, list[Detail]] | None = None
    """The outcome of each span by criterion, if details were requested."""
    errors: ErrorList | None = None
    """Outcomes that are not true positives under the matcher's default criterion, if they were requested."""
    by_sentence: bool = False
    """True if each row of counts is a sentence; tables and dictionaries leave such rows out."""
    document_weights: tuple[float, ...] | None = None
    """Weight of each document; None if each counts once."""

    def __getitem__(self, criterion: str) -> CriterionResult:
        """Return the measures of a criterion, such as ``bounds`` of partial matching.

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
        return {name: self._view(name) for name in self.matcher.criteria}

    def _view(self, name: str) -> CriterionResult:
        """Return the measures of a criterion, which are not cached."""
        return CriterionResult(self, name, self._unscored.get(name))

    @cached_property
    def _unscored(self) -> Mapping[str, str]:
        """Criteria with undefined measures, and why they are undefined."""
        return self.matcher.unscored(self._unweighted_corpus)

    @cached_property
    def _criterion(self) -> Criterion:
        return self.matcher.criteria[self.matcher.criterion]

    @cached_property
    def _summary(self) -> _spanrs._Summary:
        return self._views[self.matcher.criterion]._summary

    @property
    def _cells(self) -> Sequence[Cell]:
        """All cells: criterion, outcome, gold type, pred type and number; weighted if documents have weights."""
        weights = self.document_weights
        return self.counts.cells() if weights is None else self.counts.weighted(weights)

    def _numbers(self, weights: Sequence[float] | None) -> dict[str, int]:
        """Return the corpus numbers by name: sentences, tokens, violations and so on."""
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
    def _differing_tokens(self) -> int:
        """Number of tokens that differ between gold and pred without being an error."""
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
    def notes(self) -> list[str]:
        """Notes about the input, a sentence each."""
        return [*self.evidence.notes, *(f"tokens differ: {example}" for example in self.evidence.differing)]

    @property
    def signature(self) -> str:
        """How the result was made. Results with different signatures are not comparable."""
        return settings_of.signature(self._shown_settings)

    @property
    def _shown_settings(self) -> Mapping[str, str]:
        if not self._differing_tokens:
            return self.settings
        return settings_of.with_setting(self.settings, "differing_tokens", str(self._differing_tokens))

    @property
    def warnings(self) -> list[str]:
        """Warnings about suspicious input, a sentence each.

        A side without spans or that is all ``O``, violations at more than a tenth of a side's tags other than ``O``,
        types like ``LABEL_0``, many spans none of which is correct, ends that are all off by one, columns of tags that
        are not read, tokens that differ or were not compared, nothing to score.
        """
        numbers, types = self._unweighted_corpus, self.per_type.totals
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
        messages += warnings.without_matches(support, near_misses=not exact)
        messages += warnings.of_ends(numbers)
        return [*messages, *self.evidence.warnings]

    @cached_property
    def untyped(self) -> CriterionResult:
        """The measures of all spans by their bounds alone, whatever their types. Exact matcher only.

        For tags this is what partial matching gives under its criterion ``bounds``.
        """
        return replace(self, counts=self.counts.renamed(lambda _: UNTYPED))[self.matcher.criterion]


def merged_evidence(evaluations: Sequence[Evaluation], offsets: Sequence[int]) -> Evidence:
    """Merge evidence; keep at most as many violations as the evaluations that did not keep all."""
    merged = merge_evidence([evaluation.evidence for evaluation in evaluations], offsets)
    located = dict(merged.located)
    for side, places in located.items():
        of_side = [evaluation.violations[side] for evaluation in evaluations]
        limits = [
            len(violations.first) for violations in of_side if violations.count > len(violations.first)
        ]
        located[side] = places[: min(limits)] if limits else places
    return replace(merged, located=located)
