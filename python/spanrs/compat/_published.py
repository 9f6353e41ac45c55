"""Generated answers scored by the rules of published scorers, whatever the layout of the answers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from spanrs.compat import euroeval, gollie, uie, universalner
from spanrs.compat.instructuie import EvaluatorNER
from spanrs.eval.generated import MentionedText
from spanrs.tags import spans_to_tags
from spanrs.tags.types import Span


class PublishedScore(NamedTuple):
    """The score by the rules of a published scorer, from 0 to 1."""

    name: str
    """The scorer."""
    precision: float | None
    """Precision; None if the scorer has none."""
    recall: float | None
    """Recall; None if the scorer has none."""
    f1: float
    """F1."""


def published_scores(texts: Iterable[MentionedText]) -> list[PublishedScore]:
    """Score mentions by the rules of universalner, gollie, instructuie, uie and euroeval.

    Mentions are written in the layout of each scorer and read by it, so that only its rules for comparing and counting
    make a difference, not the layout that the model was asked for. The types of gold are the schema.

    Parameters
    ----------
    texts : iterable of MentionedText
        The texts with their gold annotations, and the mentions of the answers.

    Returns
    -------
    list of PublishedScore
        One score for each scorer.

    Notes
    -----
    InstructUIE writes ``None`` if there are no mentions. EuroEval's tokens are the words between white space, and its
    score is that with all types.

    Examples
    --------
    >>> from spanrs.compat._published import published_scores
    >>> from spanrs.eval.generated import MentionedText
    >>> text = MentionedText("Anna met Ben", [("PER", 0, 4), ("PER", 9, 12)], [("PER", "anna"), ("PER", "Eve")])
    >>> [(score.name, round(score.f1, 3)) for score in published_scores([text])]
    [('universalner', 0.5), ('gollie', 0.667), ('instructuie', 0.5), ('uie', 0.0), ('euroeval', 0.0)]
    """
    given = list(texts)
    types = sorted({ty for text in given for ty, _, _ in text.gold})
    return [
        _universalner(given, types),
        _gollie(given, types),
        _instructuie(given),
        _uie(given, types),
        _euroeval(given, types),
    ]


def _strings(text: MentionedText) -> list[tuple[str, str]]:
    return [(ty, text.text[start:end]) for ty, start, end in text.gold]


def _universalner(texts: Sequence[MentionedText], types: Sequence[str]) -> PublishedScore:
    golds, preds = (
        [json.dumps([s for ty, s in side if ty == asked]) for side in sides for asked in types]
        for sides in ([_strings(text) for text in texts], [text.pred for text in texts])
    )
    scores = universalner.evaluate(golds, preds)
    return PublishedScore("universalner", scores["precision"], scores["recall"], scores["f1"])


def _gollie(texts: Sequence[MentionedText], types: Sequence[str]) -> PublishedScore:
    # Types need not be names of classes.
    classes = {ty: f"Type{at}" for at, ty in enumerate(types)}

    def written(side: Iterable[tuple[str, str]]) -> str:
        calls = (
            f"{classes.get(ty, 'Unknown')}(span={json.dumps(s, ensure_ascii=False)})" for ty, s in side
        )
        return f"[{', '.join(calls)}]"

    golds, preds = [written(_strings(text)) for text in texts], [written(text.pred) for text in texts]
    scores = gollie.evaluate([text.text for text in texts], golds, preds, list(classes.values()))[
        "entities"
    ]
    return PublishedScore("gollie", scores["precision"], scores["recall"], scores["f1-score"])


def _instructuie(texts: Sequence[MentionedText]) -> PublishedScore:
    evaluator = EvaluatorNER()
    for text in texts:
        gold, pred = ("; ".join(f"{ty}: {s}" for ty, s in side) for side in (_strings(text), text.pred))
        evaluator.add(gold or "None", pred or "None")
    return PublishedScore(
        "instructuie", evaluator.get_precision(), evaluator.get_recall(), evaluator.get_metric()
    )


def _uie(texts: Sequence[MentionedText], types: Sequence[str]) -> PublishedScore:
    def written(side: Iterable[tuple[str, str]]) -> str:
        spots = " ".join(f"<extra_id_0> {ty} <extra_id_5> {s} <extra_id_1>" for ty, s in side)
        return f"<extra_id_0> {spots} <extra_id_1>"

    golds, preds = [written(_strings(text)) for text in texts], [written(text.pred) for text in texts]
    scores = uie.evaluate(golds, preds, uie.Schema(types))
    return PublishedScore("uie", *(scores[f"spot-{part}"] / 100 for part in ("P", "R", "F1")))


def _euroeval(texts: Sequence[MentionedText], types: Sequence[str]) -> PublishedScore:
    keys = {ty: ty.lower() for ty in types}
    golds, preds = [], []
    for text in texts:
        tokens, tags = _tagged(text)
        answer = {ty: [s for of, s in text.pred if of == ty] for ty in types}
        # Braces in a name would end the answer.
        written = json.dumps(answer, ensure_ascii=False).replace("{", "(").replace("}", ")")
        golds.append(tags)
        preds.append(euroeval.extract_tags(f"{{{written[1:-1]}}}", tokens, keys)[0])
    scores = euroeval.evaluate(golds, preds, list(keys.values()))
    return PublishedScore("euroeval", None, None, scores["micro_f1"])


def _tagged(text: MentionedText) -> tuple[list[str], list[str]]:
    """Return the words of a text, and tags of the longest of overlapping gold spans."""
    words: list[tuple[int, int]] = []
    at = 0
    for word in text.text.split():
        start = text.text.index(word, at)
        at = start + len(word)
        words.append((start, at))
    taken: set[int] = set()
    spans = []
    for ty, start, end in sorted(text.gold, key=lambda span: span[1] - span[2]):
        covered = [n for n, (first, last) in enumerate(words) if first < end and last > start]
        if covered and not taken.intersection(covered):
            taken.update(covered)
            spans.append(Span(ty, covered[0], covered[-1] + 1))
    tokens = [text.text[start:end] for start, end in words]
    return tokens, spans_to_tags(spans, len(words), "BIO")
