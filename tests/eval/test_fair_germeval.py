"""Nested spans of two layers of tags, those of GermEval 2014 among them, against a corrupted copy."""

from __future__ import annotations

import random
from collections import Counter

import fair_steps
import spanrs
from spanrs.compat import faireval


def layers(path):
    """The spans of each sentence, those of the outer and of the inner layer."""
    sentences, tokens = [], []
    for line in [*path.read_text(encoding="utf-8").splitlines(), ""]:
        if line.startswith("#"):
            continue
        if line:
            tokens.append(line.split("\t"))
        elif tokens:
            read = [spanrs.tags.tags_to_spans([row[column] for row in tokens], "BIO") for column in (2, 3)]
            sentences.append((len(tokens), [tuple(span)[:3] for side in read for span in side]))
            tokens = []
    return sentences


def corrupted(sentences, rng):
    """A simulated prediction: spans removed, added, moved, and with other types."""
    copies = []
    for length, spans in sentences:
        copy = []
        for kind, start, end in spans:
            chance = rng.random()
            if chance < 0.1:
                continue
            if chance < 0.2:
                copy.append((rng.choice(["PER", "LOC", "ORG", "OTH", "LOCderiv"]), start, end))
            elif chance < 0.35:
                moved = sorted(
                    (max(0, start + rng.randrange(-2, 3)), max(1, min(length, end + rng.randrange(-2, 3))))
                )
                second = rng.choice(["PER", "LOC", "ORG"]) if rng.random() < 0.4 else kind
                copy.append((second, moved[0], max(moved[1], moved[0] + 1)))
            else:
                copy.append((kind, start, end))
            if chance > 0.95:
                copy.append((kind, start, min(length, end + 1)))
        if rng.random() < 0.1:
            at = rng.randrange(length)
            copy.append(("ORG", at, min(length, at + 3)))
        copies.append(copy)
    return copies


def test_nested_spans_count_the_same_natively_in_the_drop_in_and_by_the_steps(nested):
    sentences = layers(nested.path)
    gold = [spans for _, spans in sentences]
    assert sum(a[1] <= b[1] and b[2] <= a[2] and a != b for s in gold for a in s for b in s) > nested.pairs
    pred = corrupted(sentences, random.Random(2014))
    for focus, theirs in (("gold", "target"), ("pred", "system")):
        result = spanrs.score(gold, pred, matcher=spanrs.Fair(focus=focus))
        totals = []
        for compare in (faireval.compare_spans, fair_steps.compare_spans):
            total = {}
            for g, p in zip(gold, pred, strict=True):
                sides = [[[k, s + 1, e, set(range(s + 1, e + 1))] for k, s, e in side] for side in (g, p)]
                total = faireval.add_dict(total, compare(*sides, theirs))
            totals.append(total)
        assert totals[0] == totals[1]
        collected = faireval.calculate_results(totals[0], eval_method=["traditional", "fair"])
        assert min(result.outcomes[kind] for kind in ("le", "be", "lbe")) > nested.errors
        exact, fair = result["traditional"], result["fair"]
        rows = [(None, exact.totals, fair.outcomes, exact.micro, fair.micro)]
        assert list(exact.per_type) == list(fair.per_type) == sorted(collected["per_label"]["fair"])
        for name in fair.per_type:
            totals, kinds = exact.per_type.totals[name], fair.per_type.outcomes[name]
            rows.append((name, totals, kinds, exact.per_type[name], fair.per_type[name]))
        for name, totals, kinds, *scores in rows:
            wanted = [
                collected["overall"][version] if name is None else collected["per_label"][version][name]
                for version in ("traditional", "fair")
            ]
            assert totals == tuple(wanted[0][kind] for kind in ("TP", "FP", "FN"))
            assert kinds == {kind.lower(): wanted[1][kind] for kind in map(str.upper, kinds)}
            for score, row in zip(scores, wanted, strict=True):
                assert (score.precision, score.recall, score.f1) == (row["Prec"], row["Rec"], row["F1"])
        cells = Counter(
            {(g or "_", p or "_"): n for g, row in result.confusion.items() for p, n in row.items()}
        )
        assert +cells == +Counter(
            {(t, s): n for t, row in collected["conf"].items() for s, n in row.items()}
        )
