"""Learning from multiple annotators; writes benches/record/DATE-crowd.md.

Simulated annotators of WNUT 2017 and of noun phrase chunks of UD English EWT (benches/chunks.py), from SPANRS_SHARED
(default ../shared). One thread.

    python -m benches.versus.crowd [--only em,whole,dawid,aggregators] [--seeds N] [--output FOLDER]
"""

from __future__ import annotations

import argparse
import datetime
import resource
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benches.chunks import sentences as chunk_sentences
from benches.chunks import tags as chunk_tags
from benches.versus.crf_corpora import DATA
from benches.versus.measure import Record, machine, significant, versions
from spanrs.crf import CRF
from spanrs.crowd import (
    CRFMA,
    BSCSeq,
    CrossFitted,
    CrowdCorpus,
    DawidSkene,
    MajorityVote,
    NoisyCRFs,
    flip_labels,
)
from spanrs.crowd.experiments import prf
from spanrs.crowd.weighted_crf import WeightedCRF

HERE = Path(__file__).parent.parent
Labelled = tuple[list[list[str]], list[list[str]]]
#: L-BFGS iterations of an M-step, as CRFMA has them by default.
ITERATIONS = 50
EM_ITERATIONS = 6


def wnut17(name: str = "wnut17train.conll") -> Labelled:
    """Words and tags of a file of WNUT 2017."""
    words: list[list[str]] = [[]]
    tags: list[list[str]] = [[]]
    for line in (DATA / "wnut17" / name).read_text(encoding="utf-8").split("\n"):
        fields = line.split("\t")
        if line.strip():
            words[-1].append(fields[0])
            tags[-1].append(fields[1])
        elif words[-1]:
            words.append([])
            tags.append([])
    return [values for values in words if values], [values for values in tags if values]


def chunks(most: int) -> Labelled:
    """Words and chunk tags of the first sentences of EWT's training part."""
    actual = list(chunk_sentences(DATA / "ud_ewt" / "en_ewt-ud-train.conllu"))[:most]
    return [words for words, _ in actual], [chunk_tags(xpos) for _, xpos in actual]


def some_annotators(corpus: CrowdCorpus, number: int, seed: int) -> CrowdCorpus:
    """Keep a random subset of the annotators of each sentence."""
    rng = np.random.default_rng(seed)
    everyone = len(corpus.annotators)
    kept = [set(rng.choice(everyone, number, replace=False).tolist()) for _ in range(len(corpus))]
    return corpus.replaced(
        annotations=[row for row in corpus.annotations if row.annotator in kept[row.sentence]]
    )


def seconds(call: Callable[[], object]) -> float:
    """Seconds of one run."""
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def m_step(corpus: CrowdCorpus, weights: Callable[[WeightedCRF], np.ndarray]) -> float:
    """Seconds of training the CRF of a corpus once, from weights of 0; minimum of three runs."""
    crf = WeightedCRF(corpus, template="ner", max_iter=ITERATIONS)
    given, start = weights(crf), crf.weights

    def train() -> None:
        crf.weights = start
        crf.train(given)

    return min(seconds(train) for _ in range(3))


def em(record: Record) -> None:
    """An EM iteration compared with an M-step."""
    words, tags = (values[:1000] for values in wnut17())
    record.heading(
        "EM iterations of CRF-MA and M-steps",
        f"1,000 sentences of WNUT 2017, all labelled by R annotators who replace 1 to 30 % of the labels. Seconds: an "
        f"M-step is {ITERATIONS} iterations of L-BFGS from weights of 0, on one labelling a sentence (the majority's): "
        "of a CRF with the features of all labellings, and of one with those of the majority's labels. EM iterations "
        f"are the first, which begins with weights of 0, and the mean of {EM_ITERATIONS}; the others begin with the "
        "weights of the one before.",
    )
    rows = []
    for annotators in (5, 50, 500):
        flips = list(np.random.default_rng(0).uniform(0.01, 0.3, annotators))
        corpus = flip_labels(words, tags, flips, seed=1)
        vote = MajorityVote().fit(corpus).labels_
        index = {name: at for at, name in enumerate(corpus.labels)}
        chosen = [tuple(index[label] for label in values) for values in vote]
        # The majority's labelling as an additional annotator with all the weight.
        extended = corpus.replaced(annotations=corpus.annotations)
        extended.annotators = [*corpus.annotators, "majority"]
        majority = [
            values._replace(annotator=annotators, labels=chosen[values.sentence])
            for values in corpus.annotations
        ]
        firsts = {values.sentence: values for values in majority}
        extended.annotations = sorted([*corpus.annotations, *firsts.values()])
        last = np.array([values.annotator == annotators for values in extended.annotations], dtype=float)
        same = m_step(extended, lambda crf, last=last: crf.sums_of_annotations(last))
        alone = CrowdCorpus(words, [{"majority": values} for values in vote])
        plain = m_step(alone, lambda crf: np.ones(len(crf.sentence)))
        model = CRFMA(template="ner", tol=0.0, max_iter=EM_ITERATIONS, crf_max_iter=ITERATIONS)
        steps = np.diff([0.0, *(step.seconds for step in model.fit(corpus).history_)])
        mean = float(np.mean(steps))
        numbers = (same, plain, steps[0], mean, steps[0] / same, mean / same, mean / plain)
        rows.append((annotators, len(steps), *map(significant, numbers)))
    record.table(
        (
            *(
                "R",
                "EM iterations",
                "M-step, all features",
                "M-step, majority's features",
                "first EM iteration",
            ),
            *(
                "mean EM iteration",
                "first / M-step",
                "mean / M-step",
                "mean / M-step of majority's features",
            ),
        ),
        rows,
    )


def whole(record: Record) -> None:
    """A run with realistic numbers of annotators and sentences."""
    parts = [
        wnut17(name) for name in ("wnut17train.conll", "emerging.dev.conll", "emerging.test.annotated")
    ]
    words = [values for part in parts for values in part[0]]
    # Some test tokens have two tags.
    tags = [[tag.split(",")[0] for tag in values] for part in parts for values in part[1]]
    words, tags = ((side + side)[:6000] for side in (words, tags))
    flips = list(np.random.default_rng(0).uniform(0.01, 0.3, 50))
    corpus = some_annotators(flip_labels(words, tags, flips, seed=1), 4, seed=1)
    tokens = sum(len(values.labels) for values in corpus.annotations)
    model = CRFMA(template="ner", tol=0.0, max_iter=8)
    took = seconds(lambda: model.fit(corpus))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    record.heading(
        "A whole run", "CRF-MA with the template ner; peak memory of the process, simulation included."
    )
    record.table(
        (
            "annotators",
            "sentences",
            "annotations",
            "annotated tokens",
            "EM iterations",
            "seconds",
            "peak MiB",
        ),
        [
            (
                50,
                len(corpus),
                len(corpus.annotations),
                tokens,
                len(model.history_),
                significant(took),
                f"{peak:.0f}",
            )
        ],
    )


def dawid(record: Record) -> None:
    """Dawid and Skene's EM compared with crowd-kit's."""
    import pandas as pd
    from crowdkit.aggregation import DawidSkene as Peer

    words, tags = wnut17()
    corpus = flip_labels(words, tags, [0.05, 0.1, 0.2, 0.3, 0.4], seed=1)
    votes = corpus.votes()
    frame = pd.DataFrame({"task": votes.token, "worker": votes.annotator, "label": votes.label})
    values = min(seconds(lambda: DawidSkene(max_iter=20, tol=0.0).fit(corpus)) for _ in range(3))
    peer = min(seconds(lambda: Peer(n_iter=20, tol=0.0).fit(frame)) for _ in range(3))
    record.heading(
        "Dawid and Skene",
        "WNUT 2017, 5 annotators, 20 iterations; seconds, the least of three runs of each.",
    )
    record.table(
        ("tokens", "votes", "spanrs", "crowd-kit", "times as fast"),
        [(sum(corpus.lengths), len(votes.token), *map(significant, (values, peer, peer / values)))],
    )


def aggregators(record: Record, seeds: int) -> None:
    """CrossFitted compared with BSC-seq and a CRF trained on its estimate."""
    record.heading(
        "CrossFitted beside BSC-seq followed by a CRF",
        f"F1 of the estimated truth, mean of {seeds} seeds with standard deviation. 'BSC-seq, CRF' are the labels of a "
        "CRF trained on the probabilities that BSC-seq gives. 'untempered' has crf_weight and annotator_weight 1; "
        "otherwise the defaults. p is that of a paired t-test between CrossFitted and 'BSC-seq, CRF'.",
    )
    from scipy.stats import ttest_rel

    rows = []
    for name, (words, tags), template in (
        ("WNUT 2017", wnut17(), "ner"),
        ("EWT chunks, 2,000 sentences", chunks(2000), "pos"),
    ):
        noisy = NoisyCRFs(words, tags, template=template)

        def flips(seed: int) -> list[float]:
            return list(np.random.default_rng(seed).uniform(0.02, 0.3, 20))

        def five(seed: int) -> CrowdCorpus:
            return flip_labels(words, tags, [0.01, 0.1, 0.3, 0.5, 0.7], seed=seed)  # noqa: B023

        def three_of_20(seed: int) -> CrowdCorpus:
            return some_annotators(flip_labels(words, tags, flips(seed), seed=seed), 3, seed)  # noqa: B023

        def noise(seed: int) -> CrowdCorpus:
            return noisy.simulate([0.005, 0.05, 0.05, 0.1, 0.1], seed=seed)  # noqa: B023

        for how, make in (
            ("labels replaced, p = 0.01, 0.1, 0.3, 0.5, 0.7", five),
            ("labels replaced, 3 of 20 annotators a sentence, p from 0.02 to 0.3", three_of_20),
            ("noise on a CRF, variances 0.005, 0.05, 0.05, 0.1, 0.1", noise),
        ):
            collected: dict[str, list[float]] = {}
            for seed in range(seeds):
                corpus = make(seed)
                bsc = BSCSeq().fit(corpus)
                crf: CRF = bsc.then_crf(template=template)
                labels = {
                    "MVtoken": MajorityVote().fit(corpus).labels_,
                    "BSC-seq": bsc.labels_,
                    "BSC-seq, CRF": crf.predict(words),
                    "CrossFitted": CrossFitted(seed=seed).fit(corpus).labels_,
                    "untempered": CrossFitted(seed=seed, crf_weight=1.0, annotator_weight=1.0)
                    .fit(corpus)
                    .labels_,
                }
                for method, values in labels.items():
                    collected.setdefault(method, []).append(100 * prf(tags, values, "BIO").f1)
            p = (
                ttest_rel(collected["CrossFitted"], collected["BSC-seq, CRF"]).pvalue
                if seeds > 1
                else float("nan")
            )
            cells = [
                f"{statistics.mean(values):.2f} ±{statistics.stdev(values) if seeds > 1 else 0:.2f}"
                for values in collected.values()
            ]
            rows.append((name, how, *cells, f"{p:.1e}"))
            print(rows[-1], flush=True, file=sys.stderr)
    record.table(("data", "annotators", *collected, "p"), rows)


def main() -> None:
    """Measure, and write the record."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--only", default="em,whole,dawid,aggregators")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--output", type=Path, default=HERE / "record")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    record = Record()
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    record.add(f"# {today}: learning from many annotators")
    record.add()
    record.add(
        f"`python -m benches.versus.crowd` on {machine()}, {versions('numpy', 'crowd-kit')}. One thread."
    )
    record.add()
    names = given.only.split(",")
    # Peak memory is that of the process, so this comes first.
    for name, section in (("whole", whole), ("em", em), ("dawid", dawid)):
        if name in names:
            section(record)
    if "aggregators" in names:
        aggregators(record, given.seeds)
    (given.output / f"{today}-crowd.md").write_text("\n".join(record.lines), encoding="utf-8")


if __name__ == "__main__":
    main()
