"""Scorers of pipeline components, registered with spaCy as ``spanrs.ner_scorer.v1`` and ``spanrs.spancat_scorer.v1``.

They return the scores of spaCy's own scorers, and scores of partial matching and fair evaluation under further keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from spanrs.integrations.spacy import (
    Sides,
    aligned_entities,
    aligned_spans,
    as_examples,
    entity_scores,
    span_scores,
)

__all__ = ["make_ner_scorer", "make_spancat_scorer"]

#: Matcher -> its criteria.
CRITERIA = {
    "fair": ("fair", "weighted", "traditional"),
    "partial": ("strict", "bounds", "overlap", "type"),
}

ScorerFunction = Callable[..., dict[str, Any]]


def make_ner_scorer(criteria: Sequence[str] = ("fair",)) -> ScorerFunction:
    """Return a scorer for the entities of a component such as ``ner``.

    Parameters
    ----------
    criteria : sequence of str
        Criteria of :class:`spanrs.Fair` (``fair``, ``weighted``, ``traditional``) and :class:`spanrs.Partial`
        (``strict``, ``bounds``, ``overlap``, ``type``).

    Returns
    -------
    callable
        Called with Examples; returns the dictionary of :func:`spanrs.integrations.spacy.get_ner_prf` and, for each
        criterion, for example, ``ents_fair_p``, ``ents_fair_r``, ``ents_fair_f``, ``ents_fair_per_type``. They can
        differ from spaCy's measures where several predicted entities are aligned with the same tokens.

    Raises
    ------
    TypeError
        If ``criteria`` is a str.
    ValueError
        If a criterion is unknown.

    Examples
    --------
    >>> import spacy
    >>> from spacy.tokens import Doc
    >>> from spacy.training import Example
    >>> vocab = spacy.blank("en").vocab
    >>> gold = Doc(vocab, words=["Grace", "Hopper", "here"], ents=["B-PER", "I-PER", "O"])
    >>> pred = Doc(vocab, words=["Grace", "Hopper", "here"], ents=["O", "B-PER", "O"])
    >>> scores = make_ner_scorer(criteria=["overlap"])([Example(pred, gold)])
    >>> scores["ents_f"], scores["ents_overlap_f"]
    (0.0, 0.5)

    In the configuration of a pipeline::

        [components.ner.scorer]
        @scorers = "spanrs.ner_scorer.v1"
        criteria = ["fair", "overlap"]
    """
    matchers = _matchers(criteria)

    def score_entities(examples: Iterable[Any], **kwargs: Any) -> dict[str, Any]:  # noqa: ARG001  # settings of ner
        sides = [aligned_entities(example) for example in as_examples(examples)]
        return entity_scores(sides) | _criterion_scores(sides, "ents", matchers)

    return score_entities


def make_spancat_scorer(criteria: Sequence[str] = ("fair",)) -> ScorerFunction:
    """Return a scorer for the span group of a component such as ``spancat``.

    Parameters
    ----------
    criteria : sequence of str
        Same as for :func:`make_ner_scorer`.

    Returns
    -------
    callable
        Called with Examples and ``spans_key``; returns the dictionary of
        :func:`spanrs.integrations.spacy.score_spans` for overlapping spans and, for each criterion, for example,
        ``spans_sc_fair_f``.

    Raises
    ------
    TypeError
        If ``criteria`` is a str.
    ValueError
        If a criterion is unknown.
    """
    matchers = _matchers(criteria)

    def score_group(examples: Iterable[Any], *, spans_key: str, **kwargs: Any) -> dict[str, Any]:
        attr = kwargs.get("attr", f"spans_{spans_key}")
        # Components pass their settings, among them allow_overlap, to the scorer.
        options: dict[str, Any] = {
            "getter": lambda doc, _: doc.spans.get(spans_key, []),
            "has_annotation": lambda doc: spans_key in doc.spans,
            "allow_overlap": True,
        }
        options |= {name: kwargs[name] for name in options if name in kwargs}
        sides = [aligned_spans(example, attr, **options) for example in as_examples(examples)]
        scores = span_scores(sides, attr, labeled=kwargs.get("labeled", True))
        return scores | _criterion_scores(sides, attr, matchers)

    return score_group


def _matchers(names: Sequence[str]) -> dict[str, list[str]]:
    """Return the criteria by matcher."""
    if isinstance(names, str):
        raise TypeError(f"criteria must be a list of names, not a str; pass [{names!r}]")
    known = {name: matcher for matcher, criteria in CRITERIA.items() for name in criteria}
    by_matcher: dict[str, list[str]] = {}
    for name in names:
        if name not in known:
            raise ValueError(f"unknown criterion {name!r}; expected one of {', '.join(known)}")
        by_matcher.setdefault(known[name], []).append(name)
    return by_matcher


def _criterion_scores(
    sides: list[Sides | None], attr: str, matchers: dict[str, list[str]]
) -> dict[str, Any]:
    """Return the measures of all criteria, None if no side has a span."""
    from spanrs.eval import Scorer

    pairs = [pair for pair in sides if pair is not None]
    has_spans = any(pair.gold or pair.pred for pair in pairs)
    scores: dict[str, Any] = {}
    for matcher, criteria in matchers.items():
        # A component without predictions is usual at the start of a training, and is no reason for a warning.
        scorer = Scorer(matcher=matcher)
        if has_spans:
            scorer.update([pair.gold for pair in pairs], [pair.pred for pair in pairs])
        for name in criteria:
            view = scorer.result()[name] if has_spans else None
            scores |= {
                f"{attr}_{name}_{key}": value for key, value in _measures(view and view.micro).items()
            }
            types = view and {label: _measures(values) for label, values in view.per_type.items()}
            scores[f"{attr}_{name}_per_type"] = types
    return scores


def _measures(scores: Any) -> dict[str, float | None]:
    if scores is None:
        return dict.fromkeys("prf")
    return {"p": scores.precision, "r": scores.recall, "f": scores.f1}
