"""Section compat: drop-in replacements and native calls compared with the replaced packages, for lists of str."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import iobes
import nervaluate
from seqeval import metrics as seqeval
from seqeval.scheme import IOB2

import spanrs
from benches.versus.corpus import TYPES, VOCABULARY
from benches.versus.inputs import Ids, Sentences, copies, padded_ids
from benches.versus.measure import Call, Work, beside, in_turn, over, times
from spanrs.compat import iobes as own_iobes
from spanrs.compat import nervaluate as own_nervaluate
from spanrs.compat.seqeval import metrics as own_seqeval
from spanrs.compat.seqeval.scheme import IOB2 as OWN_IOB2

PACKAGES = ("seqeval", "nervaluate", "iobes", "numpy")

STRICT: dict[str, Any] = {"mode": "strict", "scheme": IOB2}
OWN_STRICT: dict[str, Any] = {"mode": "strict", "scheme": OWN_IOB2}


def run(work: Work) -> None:
    """All of the section."""
    f1_scores(work)
    reports(work)
    overlaps(work)
    parsing(work)
    ten_times(work)


def show(
    work: Work, title: str, values: Mapping[str, Call], peer: Mapping[str, Call], note: str = ""
) -> None:
    """Measure, and write a table whose last column is the speed-up over the peer."""
    actual = beside(values, peer)
    work.record.heading(title, note)
    work.record.timings(actual, work.tokens, "peer / this", over(actual[next(iter(peer))]))


def f1_scores(work: Work) -> None:
    """One number."""
    gold, pred = work.gold, work.pred
    default, strict = seqeval.f1_score(gold, pred), seqeval.f1_score(gold, pred, **STRICT)
    assert own_seqeval.f1_score(gold, pred) == default
    assert own_seqeval.f1_score(gold, pred, **OWN_STRICT) == strict
    assert round(spanrs.score(gold, pred, scheme="BIO").micro.f1, 12) == round(float(default), 12)
    assert round(spanrs.score(gold, pred, scheme="BIO", reading="strict").micro.f1, 12) == round(
        float(strict), 12
    )
    show(
        work,
        "seqeval f1_score, default mode",
        {
            "spanrs.score(gold, pred).micro.f1": lambda: spanrs.score(gold, pred).micro.f1,
            'spanrs.score(gold, pred, scheme="BIO").micro.f1': lambda: (
                spanrs.score(gold, pred, scheme="BIO").micro.f1
            ),
            "spanrs.compat.seqeval f1_score": lambda: own_seqeval.f1_score(gold, pred),
        },
        {"seqeval f1_score": lambda: seqeval.f1_score(gold, pred)},
    )
    show(
        work,
        "seqeval f1_score, strict mode, IOB2",
        {
            'spanrs.score(gold, pred, scheme="BIO", reading="strict").micro.f1': lambda: (
                spanrs.score(gold, pred, scheme="BIO", reading="strict").micro.f1
            ),
            "spanrs.compat.seqeval f1_score": lambda: own_seqeval.f1_score(gold, pred, **OWN_STRICT),
        },
        {"seqeval f1_score": lambda: seqeval.f1_score(gold, pred, **STRICT)},
    )


def reports(work: Work) -> None:
    """The table of all types."""
    gold, pred = work.gold, work.pred
    report, own_report = seqeval.classification_report, own_seqeval.classification_report
    assert own_report(gold, pred, digits=4) == report(gold, pred, digits=4)
    assert own_report(gold, pred, digits=4, **OWN_STRICT) == report(gold, pred, digits=4, **STRICT)
    show(
        work,
        "seqeval classification_report, default mode",
        {
            "spanrs.score(gold, pred).to_dict(), the same numbers": lambda: spanrs.score(
                gold, pred
            ).to_dict(),
            "str(spanrs.score(gold, pred))": lambda: str(spanrs.score(gold, pred)),
            'str(spanrs.score(gold, pred, scheme="BIO"))': lambda: str(
                spanrs.score(gold, pred, scheme="BIO")
            ),
            "spanrs.compat.seqeval classification_report": lambda: own_report(gold, pred, digits=4),
        },
        {"seqeval classification_report": lambda: report(gold, pred, digits=4)},
    )
    show(
        work,
        "seqeval classification_report, strict mode, IOB2",
        {
            'str(spanrs.score(gold, pred, scheme="BIO", reading="strict"))': lambda: str(
                spanrs.score(gold, pred, scheme="BIO", reading="strict")
            ),
            "spanrs.compat.seqeval classification_report": lambda: own_report(
                gold, pred, digits=4, **OWN_STRICT
            ),
        },
        {"seqeval classification_report": lambda: report(gold, pred, digits=4, **STRICT)},
    )


def evaluated(package: Any, gold: Sentences, pred: Sentences) -> dict[str, Any]:
    """All results of nervaluate: four modes, overall and by type, counts and indices."""
    result: dict[str, Any] = package.Evaluator(gold, pred, list(TYPES), loader="list").evaluate()
    return result


def with_indices(item: dict[str, Any]) -> dict[str, Any]:
    """Access every list of indices, because those of spanrs are created on access."""
    for modes in (item["overall_indices"], *item["entity_indices"].values()):
        for indices in modes.values():
            _ = indices.correct_indices
    return item


def plain(item: dict[str, Any]) -> dict[str, Any]:
    """The same in dictionaries, which compare across packages."""

    def of(modes: Mapping[str, Any]) -> dict[str, Any]:
        return {mode: asdict(value) for mode, value in modes.items()}

    overall = {part: of(item[part]) for part in ("overall", "overall_indices")}
    by_type = {
        part: {kind: of(modes) for kind, modes in item[part].items()}
        for part in ("entities", "entity_indices")
    }
    return overall | by_type


def check_overlaps(gold: Sentences, pred: Sentences) -> None:
    """Ours and nervaluate's results are equal, to the last index."""
    expected = evaluated(nervaluate, gold, pred)
    assert plain(evaluated(own_nervaluate, gold, pred)) == plain(expected)
    native = spanrs.score(gold, pred, matcher="partial", scheme="BIO")
    for mode, score in native.modes.items():
        counted = expected["overall"][mode]
        assert tuple(score.counts) == tuple(getattr(counted, name) for name in score.counts._fields)


def overlaps(work: Work) -> None:
    """Four modes of overlap."""
    gold, pred = work.gold, work.pred
    check_overlaps(gold, pred)
    show(
        work,
        "nervaluate Evaluator, all four modes",
        {
            "spanrs.compat.nervaluate Evaluator(...).evaluate()": lambda: evaluated(
                own_nervaluate, gold, pred
            ),
            "the same, and all lists of indices looked at": lambda: with_indices(
                evaluated(own_nervaluate, gold, pred)
            ),
            'spanrs.score(gold, pred, matcher="partial")': lambda: spanrs.score(
                gold, pred, matcher="partial"
            ),
            'spanrs.score(gold, pred, matcher="partial", scheme="BIO")': lambda: spanrs.score(
                gold, pred, matcher="partial", scheme="BIO"
            ),
            'spanrs.score(gold, pred, matcher=Partial(matching="optimal"), scheme="BIO")': lambda: (
                spanrs.score(gold, pred, matcher=spanrs.Partial(matching="optimal"), scheme="BIO")
            ),
        },
        {"nervaluate Evaluator(...).evaluate()": lambda: evaluated(nervaluate, gold, pred)},
        'Evaluator(gold, pred, types, loader="list") and evaluate(). nervaluate makes lists of indices, '
        "too; the drop-in makes them when they are looked at, which has a row of its own.",
    )


def each(parse: Callable[[list[str]], object], *sides: Sentences) -> None:
    """Parse every sentence and discard the spans, as in a loop over a corpus."""
    for side in sides:
        for sentence in side:
            parse(sentence)


def kept(parse: Callable[[list[str]], object], *sides: Sentences) -> list[list[object]]:
    """Parse every sentence and keep the spans."""
    return [[parse(sentence) for sentence in side] for side in sides]


def parsing(work: Work) -> None:
    """Spans of both sides: one call a sentence, and calls that read whole sides."""
    gold, pred = work.gold, work.pred
    parse, values, read = iobes.parse_spans_bio, own_iobes.parse_spans_bio, spanrs.tags.tags_to_spans
    padded = [padded_ids(side) for side in (gold, pred)]
    check_spans(gold, padded[0])
    check_spans(pred, padded[1])
    show(
        work,
        "iobes, parsing of both sides, spans dropped",
        {
            "spanrs.compat.iobes parse_spans_bio, a call a sentence": lambda: each(values, gold, pred),
            "native: spanrs.score, one call, reads both sides and scores them": lambda: spanrs.score(
                gold, pred, scheme="BIO"
            ),
            "native: spanrs.tags.ids_to_spans, a call a side, from padded ids to columns": lambda: [
                spanrs.tags.ids_to_spans(side, VOCABULARY) for side in padded
            ],
        },
        {"iobes parse_spans_bio, a call a sentence": lambda: each(parse, gold, pred)},
    )
    show(
        work,
        "iobes, parsing of both sides, spans kept in lists",
        {
            "spanrs.compat.iobes parse_spans_bio, a call a sentence": lambda: kept(values, gold, pred),
            "native: spanrs.tags.tags_to_spans, a call a side": lambda: (read(gold), read(pred)),
        },
        {"iobes parse_spans_bio, a call a sentence": lambda: kept(parse, gold, pred)},
    )


def check_spans(tags: Sentences, padded: Ids) -> None:
    """All functions return the spans of iobes."""
    expected = [list(map(tuple, iobes.parse_spans_bio(sentence))) for sentence in tags]
    assert [list(map(tuple, own_iobes.parse_spans_bio(sentence))) for sentence in tags] == expected
    bounds = [[span[:3] for span in sentence] for sentence in expected]
    assert [[span[:3] for span in sentence] for sentence in spanrs.tags.tags_to_spans(tags)] == bounds
    columns = spanrs.tags.ids_to_spans(padded, VOCABULARY)
    flat = [(at, *span) for at, sentence in enumerate(bounds) for span in sentence]
    names = [columns.types[i] for i in columns.type_id]
    starts, ends = columns.start.tolist(), columns.end.tolist()
    assert list(zip(columns.sentence.tolist(), names, starts, ends, strict=True)) == flat


def ten_times(work: Work) -> None:
    """Calls of spanrs on ten times as much data, for which the peers would take minutes per call."""
    gold, pred = copies(work.gold, 10), copies(work.pred, 10)
    calls: dict[str, Call] = {
        "spanrs.score": lambda: spanrs.score(gold, pred, scheme="BIO"),
        "spanrs.score, partial": lambda: spanrs.score(gold, pred, matcher="partial", scheme="BIO"),
        "spanrs.compat.seqeval f1_score": lambda: own_seqeval.f1_score(gold, pred),
        "spanrs.compat.seqeval f1_score, strict": lambda: own_seqeval.f1_score(gold, pred, **OWN_STRICT),
        "spanrs.compat.seqeval classification_report": lambda: own_seqeval.classification_report(
            gold, pred
        ),
        "spanrs.compat.nervaluate Evaluator(...).evaluate()": lambda: evaluated(own_nervaluate, gold, pred),
        "spanrs.compat.iobes parse_spans_bio, dropped": lambda: each(own_iobes.parse_spans_bio, gold, pred),
    }
    actual = in_turn(calls)
    work.record.heading(
        f"{10 * work.tokens} tokens, spanrs alone",
        "The peers were not measured on as much, but f1_score in section score.",
    )
    work.record.timings(actual, 10 * work.tokens, "this / spanrs.score", times(actual["spanrs.score"]))
