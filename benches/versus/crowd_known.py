"""Known labels, correlated annotators and next annotations; writes benches/record/DATE-crowd-known.md.

Simulated annotators of WNUT 2017 and of noun phrase chunks of UD English EWT, from SPANRS_SHARED (default ../shared),
and of made sentences with errors of spans. One thread.

    python -m benches.versus.crowd_known [--only independent,correlated,prompts,alarms,ceiling,next] [--seeds N]
        [--output FOLDER]
"""

from __future__ import annotations

import argparse
import datetime
import statistics
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from scipy.stats import ttest_rel

from benches.versus.crowd import Labelled, chunks, some_annotators, wnut17
from benches.versus.crowd_coverage import SENTENCES, span_errors
from benches.versus.crowd_coverage import sentences as made_sentences
from benches.versus.measure import Record, machine, versions
from spanrs.crowd import (
    MACE,
    BSCSeq,
    CrossFitted,
    CrowdCorpus,
    DawidSkene,
    HMMCrowd,
    NoisyCRFs,
    correlated_annotators,
    flip_labels,
    next_annotations,
    share_errors,
)
from spanrs.crowd.aggregator import Aggregator
from spanrs.crowd.experiments import prf

HERE = Path(__file__).parent.parent
#: Sentences of each real corpus.
REAL = 500
Simulation = tuple[CrowdCorpus, list[list[str]]]
Make = Callable[[int], Simulation]
METHODS: dict[str, Callable[[], Aggregator]] = {
    "Dawid-Skene": lambda: DawidSkene(progress=False),
    "MACE": lambda: MACE(progress=False),
    "BSC-seq": lambda: BSCSeq(progress=False),
    "HMM-crowd": lambda: HMMCrowd(progress=False),
    "CrossFitted": lambda: CrossFitted(progress=False),
}
PROMPTS = ["1", "2", "3", "4", "5"]


def uniform(seed: int, low: float, high: float, number: int) -> list[float]:
    """Rates of errors that differ between seeds."""
    return np.random.default_rng([seed, 5]).uniform(low, high, number).tolist()


def made(seed: int, rates: list[float], number: int = SENTENCES) -> Simulation:
    """Made sentences with errors of spans."""
    rng = np.random.default_rng([seed, 7])
    gold = made_sentences(rng, number)
    answers = [span_errors(rng, gold, rate) for rate in rates]
    names = [str(at + 1) for at in range(len(rates))]
    given = [dict(zip(names, rows, strict=True)) for rows in zip(*answers, strict=True)]
    words = [[f"w{int(word)}" for word in rng.integers(0, 500, len(tags))] for tags in gold]
    return CrowdCorpus(words, given, annotators=names, scheme="BIO"), gold


def real() -> Iterator[tuple[str, Labelled, str]]:
    """Real sentences, and a template of features."""
    yield "WNUT 2017", tuple(values[:REAL] for values in wnut17()), "ner"  # type: ignore[misc]
    yield "EWT chunks", chunks(REAL), "pos"


def of_real(data: str, tagged: Labelled, template: str) -> Iterator[tuple[str, str, Make]]:
    """Annotators of a real corpus with independent errors."""
    words, tags = tagged
    noisy = NoisyCRFs(words, tags, template=template)

    def flips(rates: list[float], seed: int) -> Simulation:
        return flip_labels(words, tags, rates, seed=seed), tags

    def three_of_20(seed: int) -> Simulation:
        return some_annotators(flips(uniform(seed, 0.02, 0.3, 20), seed)[0], 3, seed), tags

    def noise(variances: list[float], seed: int) -> Simulation:
        return noisy.simulate(variances, seed=seed), tags

    yield data, "5, labels replaced, p 0.01 to 0.7", lambda seed: flips([0.01, 0.1, 0.3, 0.5, 0.7], seed)
    yield data, "3, labels replaced, p 0.1 to 0.5", lambda seed: flips(uniform(seed, 0.1, 0.5, 3), seed)
    yield data, "3 of 20, labels replaced, p 0.02 to 0.3", three_of_20
    yield data, "5, noise on a CRF", lambda seed: noise([0.005, 0.05, 0.05, 0.1, 0.1], seed)
    yield data, "3, noise on a CRF", lambda seed: noise([0.05, 0.1, 0.1], seed)


def independent_annotators() -> Iterator[tuple[str, str, Make]]:
    """Data, annotators with independent errors, and their simulation."""
    for name, tagged, template in real():
        yield from of_real(name, tagged, template)
    yield "made", "5, errors of spans, p 0.1 to 0.6", lambda seed: made(seed, uniform(seed, 0.1, 0.6, 5))
    yield "made", "3, errors of spans, p 0.1 to 0.6", lambda seed: made(seed, uniform(seed, 0.1, 0.6, 3))


def correlated(make: Make, number: int, shared: float) -> Make:
    """The first annotators share errors."""

    def simulate(seed: int) -> Simulation:
        corpus, gold = make(seed)
        return share_errors(corpus, [PROMPTS[:number]], shared, seed=seed), gold

    return simulate


def groups_of_real(data: str, tagged: Labelled, template: str) -> Iterator[tuple[str, str, Make]]:
    """Annotators of a real corpus, some of whom share errors."""
    words, tags = tagged
    noisy = NoisyCRFs(words, tags, template=template)

    def flips(rates: list[float], seed: int) -> Simulation:
        return flip_labels(words, tags, rates, seed=seed), tags

    def noise(seed: int) -> Simulation:
        return noisy.simulate([0.1] * 5 + [0.02], seed=seed), tags

    five, three = [0.15] * 5 + [0.04], [0.15] * 3 + [0.04, 0.06]
    yield (
        data,
        "5 share errors, 1 good, labels replaced",
        correlated(lambda seed: flips(five, seed), 5, 0.7),
    )
    yield (
        data,
        "3 share errors, 2 good, labels replaced",
        correlated(lambda seed: flips(three, seed), 3, 0.7),
    )
    yield data, "5 share errors, 1 good, noise on a CRF", correlated(noise, 5, 0.7)


def groups() -> Iterator[tuple[str, str, Make]]:
    """Data, prompts that share errors with good annotators, and their simulation."""
    for name, tagged, template in real():
        yield from groups_of_real(name, tagged, template)
    five, three = [0.35] * 5 + [0.1], [0.35] * 3 + [0.1, 0.15]
    yield (
        "made",
        "5 share errors, 1 good, errors of spans",
        correlated(lambda seed: made(seed, five), 5, 0.7),
    )
    yield (
        "made",
        "3 share errors, 2 good, errors of spans",
        correlated(lambda seed: made(seed, three), 3, 0.7),
    )


def drawn(number: int, share: float, seed: int) -> list[int]:
    """Sentences whose labels are known."""
    size = max(1, round(share * number))
    return sorted(np.random.default_rng([seed, 13]).choice(number, size, replace=False).tolist())


def f1(gold: list[list[str]], labels: list[list[str]], left_out: list[int]) -> float:
    """F1 in per cent on the sentences without known labels."""
    chosen = sorted(set(range(len(gold))) - set(left_out))
    return 100 * prf([gold[at] for at in chosen], [labels[at] for at in chosen], "BIO").f1


def with_and_without(
    make: Make, method: Callable[[], Aggregator], seeds: int, share: float = 0.1
) -> tuple[list[float], list[float]]:
    """F1 without and with known labels of a share of the sentences, by seed."""
    pairs = []
    for seed in range(seeds):
        corpus, gold = make(seed)
        chosen = drawn(len(gold), share, seed)
        known = corpus.with_known({at: gold[at] for at in chosen})
        pairs.append(tuple(f1(gold, method().fit(item).labels_, chosen) for item in (corpus, known)))
    return tuple(map(list, zip(*pairs, strict=True)))  # type: ignore[return-value]


def shown(values: list[float]) -> str:
    """Mean and standard deviation."""
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{statistics.mean(values):.2f} ±{deviation:.2f}"


def p_value(a: list[float], b: list[float]) -> str:
    """P-value of a paired t-test."""
    if len(a) < 2 or a == b:
        return "-"
    return f"{ttest_rel(a, b).pvalue:.1e}"


def compared(record: Record, cells: Iterator[tuple[str, str, Make]], seeds: int) -> None:
    """A table of methods with and without known labels."""
    rows = []
    for data, annotators, make in cells:
        for name, method in METHODS.items():
            without, known = with_and_without(make, method, seeds)
            change = statistics.mean(known) - statistics.mean(without)
            row = (
                data,
                annotators,
                name,
                shown(without),
                shown(known),
                f"{change:+.2f}",
                p_value(known, without),
            )
            rows.append(row)
            print(rows[-1], flush=True, file=sys.stderr)
    record.table(("data", "annotators", "method", "without", "10 % known", "change", "p"), rows)


def independent(record: Record, seeds: int) -> None:
    """Independent annotators."""
    record.heading(
        "Known labels, independent annotators",
        f"F1 of the estimated truth on the other 90 % of the sentences: {REAL} of each real corpus, {SENTENCES} made "
        f"ones. Mean of {seeds} seeds with standard deviation; p is that of a paired t-test.",
    )
    compared(record, independent_annotators(), seeds)


def correlated_errors(record: Record, seeds: int) -> None:
    """Correlated annotators."""
    record.heading(
        "Known labels, correlated annotators",
        "As above. Annotators who share errors repeat the labels of the first of them in 70 % of the sentences.",
    )
    compared(record, groups(), seeds)


def prompts(record: Record, seeds: int) -> None:
    """Five prompts and a good human."""
    record.heading(
        "Five prompts with shared errors and one good human",
        f"{SENTENCES} made sentences, errors of spans: 35 % for prompts, 10 % for the human. F1 of the estimated truth "
        "on sentences without known labels, by the share of sentences with known labels. 'shared' is the probability "
        "that a prompt repeats the labels of the first prompt.",
    )
    rows = []
    shares = (0.0, 0.05, 0.1, 0.2)
    for shared in (0.5, 0.7, 0.9):
        make = correlated(lambda seed: made(seed, [0.35] * 5 + [0.1]), 5, shared)
        people: list[list[float]] = [[], []]
        for seed in range(seeds):
            corpus, gold = make(seed)
            for values, name in zip(people, ("6", "1"), strict=True):
                values.append(f1(gold, [row or [] for row in corpus.labels_by(name)], []))
        for name, method in METHODS.items():
            cells = []
            for share in shares:
                values = []
                for seed in range(seeds):
                    corpus, gold = make(seed)
                    chosen = drawn(len(gold), share, seed) if share else []
                    known = corpus.with_known({at: gold[at] for at in chosen})
                    values.append(f1(gold, method().fit(known).labels_, chosen))
                cells.append(shown(values))
            rows.append((f"{shared}", name, *cells, *map(shown, people)))
            print(rows[-1], flush=True, file=sys.stderr)
    heads = [f"{share:.0%} known" for share in shares]
    record.table(("shared", "method", *heads, "human", "prompt"), rows)


def alarms(record: Record, seeds: int) -> None:
    """Rate of warnings."""
    record.heading(
        "Warnings of correlated errors",
        f"Share of {4 * seeds} simulations, without known labels, in which errors appear correlated; and the share in "
        "which a group of two or more was found with 10 % known labels.",
    )
    every = list(independent_annotators())
    # Noisy copies of one CRF err at the same uncertain tokens.
    noisy = [cell for cell in every if cell[1].endswith("noise on a CRF")]
    cells = [cell for cell in every if cell not in noisy]
    for number in (3, 5, 8):
        cells.append(
            (
                "made",
                f"{number}, errors of spans",
                lambda seed, n=number: made(seed, uniform(seed, 0.05, 0.6, n)),
            )
        )
    for number in (5, 8):
        cells.append(
            (
                "made, 500 sentences",
                f"{number}, errors of spans",
                lambda seed, n=number: made(seed, uniform(seed, 0.05, 0.6, n), 500),
            )
        )
    independent_cells = len(cells)
    cells += [*noisy, *groups()]
    for shared in (0.5, 0.9):
        for number, good in ((3, [0.1]), (5, [0.1]), (3, [0.1, 0.15])):
            rates = [0.35] * number + good
            name = f"{number} share {shared:.0%} of errors, {len(good)} good"
            cells.append(
                ("made", name, correlated(lambda seed, rates=rates: made(seed, rates), number, shared))
            )
    rows: list[tuple[str, ...]] = []
    everyone: list[tuple[bool, bool]] = []
    for data, annotators, make in cells:
        warned, grouped = [], []
        for seed in range(4 * seeds):
            corpus, gold = make(seed)
            warned.append(bool(correlated_annotators(corpus)))
            known = corpus.with_known({at: gold[at] for at in drawn(len(gold), 0.1, seed)})
            grouped.append(any(group.evidence == "known" for group in correlated_annotators(known)))
        rows.append((data, annotators, f"{np.mean(warned):.1%}", f"{np.mean(grouped):.1%}"))
        everyone += zip(warned, grouped, strict=True)
        if len(rows) == independent_cells:
            total = np.mean(everyone, axis=0)
            rows.append(("all of these", "independent", f"{total[0]:.1%}", f"{total[1]:.1%}"))
        print(rows[-1], flush=True, file=sys.stderr)
    record.table(("data", "annotators", "warned", "grouped with known labels"), rows)


def ceiling(record: Record, seeds: int) -> None:
    """What true answer tables would give."""
    record.heading(
        "Upper limit for independent annotators",
        "F1 of Dawid and Skene's model without known labels, and with confusion matrices and prior counted from the "
        "true labels of all sentences (E-step only): the gain that better answer tables can give.",
    )
    rows = []
    for data, annotators, make in independent_annotators():
        pairs = []
        for seed in range(seeds):
            corpus, gold = make(seed)
            oracle = DawidSkene(progress=False).fit(corpus.with_known(dict(enumerate(gold))))
            plain = DawidSkene(progress=False).fit(corpus)
            labels = _labels_under(oracle, corpus)
            pairs.append((f1(gold, plain.labels_, []), f1(gold, labels, [])))
        before, after = map(list, zip(*pairs, strict=True))
        rows.append((data, annotators, shown(before), shown(after)))
        print(rows[-1], flush=True, file=sys.stderr)
    record.table(("data", "annotators", "estimated tables", "true tables"), rows)


def _labels_under(model: DawidSkene, corpus: CrowdCorpus) -> list[list[str]]:
    """Return the most probable labels under the parameters of a fitted model."""
    votes = corpus.votes()
    scores = np.tile(np.log(model.prior_), (sum(corpus.lengths), 1))
    np.add.at(scores, votes.token, np.log(model.confusion_)[votes.annotator, :, votes.label])
    flat = iter(scores.argmax(axis=1).tolist())
    return [[corpus.labels[next(flat)] for _ in range(length)] for length in corpus.lengths]


def budgeted(corpus: CrowdCorpus, pairs: list[tuple[int, int]], tokens: int) -> set[tuple[int, int]]:
    """The first pairs of sentence and annotator, up to a number of tokens."""
    kept: set[tuple[int, int]] = set()
    total = 0
    for sentence, annotator in pairs:
        if total >= tokens:
            break
        kept.add((sentence, annotator))
        total += len(corpus.sentences[sentence])
    return kept


def next_labels(record: Record, seeds: int) -> None:
    """Next annotations beside a random choice."""
    record.heading(
        "Next annotations",
        f"{SENTENCES} sentences, first labelled by some of all annotators each, with rates of errors from 0.1 to 0.6. "
        "F1 of the truth after as many further labels as half of the tokens: chosen at random, by next_annotations, "
        f"and by next_annotations with the same number of sentences for each annotator. {seeds} seeds; p is that of a "
        "paired t-test with the random choice.",
    )
    rows = []
    for errors in ("errors of spans", "labels replaced"):
        for everyone, each in ((6, 2), (10, 3)):
            for name in ("Dawid-Skene", "MACE", "BSC-seq"):
                results = [_chosen(errors, everyone, each, name, seed) for seed in range(seeds)]
                before, random, chosen, even = map(list, zip(*results, strict=True))
                cells = (shown(chosen), p_value(chosen, random), shown(even), p_value(even, random))
                rows.append((errors, f"{each} of {everyone}", name, shown(before), shown(random), *cells))
                print(rows[-1], flush=True, file=sys.stderr)
    heads = ("before", "random", "next_annotations", "p", "evenly", "p")
    record.table(("errors", "annotators", "method", *heads), rows)


def _chosen(errors: str, everyone: int, each: int, name: str, seed: int) -> list[float]:
    rng = np.random.default_rng([seed, 11])
    rates = rng.uniform(0.1, 0.6, everyone).tolist()
    full, gold = made(seed, rates)
    if errors == "labels replaced":
        full = flip_labels(full.sentences, gold, [rate / 2.4 for rate in rates], seed=seed)
    labels = {(row.sentence, row.annotator): row for row in full.annotations}
    number = len(full)
    have = {(at, int(one)) for at in range(number) for one in rng.choice(everyone, each, replace=False)}

    def fit(pairs: set[tuple[int, int]]) -> Aggregator:
        return METHODS[name]().fit(full.replaced(annotations=sorted(labels[pair] for pair in pairs)))

    model, tokens = fit(have), sum(full.lengths) // 2
    corpus = full.replaced(annotations=sorted(labels[pair] for pair in have))
    rest = sorted(labels.keys() - have)
    orders = [[rest[at] for at in rng.permutation(len(rest))]]
    for most_each in (None, number // (2 * everyone) + 1):
        rows = next_annotations(corpus, model, most=2 * number, per_annotator=most_each)
        orders.append([(row.sentences[0], full.annotators.index(row.annotator)) for row in rows])
    fitted = [model, *(fit(have | budgeted(full, order, tokens)) for order in orders)]
    return [f1(gold, item.labels_, []) for item in fitted]


SECTIONS: dict[str, Callable[[Record, int], None]] = {
    "independent": independent,
    "correlated": correlated_errors,
    "prompts": prompts,
    "alarms": alarms,
    "ceiling": ceiling,
    "next": next_labels,
}


def main() -> None:
    """Measure, and write the record."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--only", default=",".join(SECTIONS))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--output", type=Path, default=HERE / "record")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    record = Record()
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    record.add(f"# {today}: known labels, correlated annotators, next annotations")
    record.add()
    record.add(
        f"`python -m benches.versus.crowd_known` on {machine()}, {versions('numpy', 'scipy')}. One thread."
    )
    record.add()
    for name in given.only.split(","):
        SECTIONS[name](record, given.seeds)
    (given.output / f"{today}-crowd-known.md").write_text("\n".join(record.lines), encoding="utf-8")


if __name__ == "__main__":
    main()
