"""Calibration error of CRFs before and after calibration, on sentences that calibration did not see.

Models are trained on the training sets and calibrated on every other sentence of the development sets. The errors are
those of the remaining sentences of the development sets, and of the test set of WNUT 2017. `labellings` is the
temperature of `CRF.calibrate`; `tokens` is the temperature that maximises the marginal likelihood of the tokens.

    python -m benches.versus.calibration
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import spanrs
from benches.versus.crf_corpora import DATA
from benches.versus.measure import Record, machine, versions
from spanrs.crf import CRF, calibration
from spanrs.io.training import tagged

#: Options of the models.
MODELS: list[dict[str, Any]] = [{}, {"c2": 0.3, "min_freq": 3}, {"c2": 0.01}, {"algorithm": "ap"}]
#: Sentences of EWT to train on; all of them take minutes.
EWT = 3000
#: Random halves of a part for the comparison of the two criteria.
HALVES = 6


class Part(NamedTuple):
    """Sentences with gold labels."""

    name: str
    tokens: list[Any]
    labels: list[list[str]]

    def every_other(self, name: str, first: int) -> Part:
        """Half of the sentences, from this one."""
        return Part(name, self.tokens[first::2], self.labels[first::2])


def wnut(file: str, name: str) -> Part:
    """A part of WNUT 2017."""
    tokens, labels = tagged(DATA / "wnut17" / file)
    return Part(name, list(tokens), [list(tags) for tags in labels])


def ewt(file: str, name: str) -> Part:
    """Parts of speech of EWT."""
    tokens, labels = tagged(spanrs.read(DATA / "ud_ewt" / file, tags="UPOS"))
    return Part(name, list(tokens), [list(tags) for tags in labels])


def token_temperature(crf: CRF, part: Part) -> float:
    """The temperature with the largest marginal likelihood of the gold labels, to about 1 %."""
    numbers = {label: at for at, label in enumerate(crf.classes_)}
    gold = np.array([numbers[label] for labels in part.labels for label in labels])

    def loss(temperature: float) -> float:
        marginals = np.concatenate(crf._with_metadata(temperature=temperature).predict_proba(part.tokens))
        return float(-np.log(np.maximum(marginals[np.arange(len(gold)), gold], 1e-300)).sum())

    # Coarse first, then between the neighbours of the best one.
    steps = np.linspace(math.log(0.5), math.log(40), 23)
    best = math.log(min(np.exp(steps), key=loss))
    width = steps[1] - steps[0]
    return min(np.exp(np.linspace(best - width, best + width, 33)), key=loss)


def report(record: Record, crf: CRF, parts: Sequence[Part], kinds: Sequence[str]) -> None:
    """Calibrate on the first part, and add a table of the errors of the others."""
    first, *others = parts
    before = crf._with_metadata(temperature=1.0)
    after = crf._with_metadata().calibrate(first.tokens, first.labels)
    by_tokens = crf._with_metadata(temperature=token_temperature(crf, first))
    models = {"before": before, "labellings": after, "tokens": by_tokens}
    record.add(f"Temperatures: labellings {after.temperature_:.3f}, tokens {by_tokens.temperature_:.3f}.")
    record.add()
    rows = []
    for part in others:
        for kind in kinds:
            found = {
                name: calibration(model, part.tokens, part.labels, of=kind)
                for name, model in models.items()
            }
            equal = {
                name: calibration(model, part.tokens, part.labels, of=kind, strategy="quantile")
                for name, model in models.items()
            }
            row = [part.name, kind, found["before"].count, f"{100 * found['before'].accuracy:.1f}"]
            row += [f"{100 * found[name].confidence:.1f}" for name in ("before", "labellings")]
            row += [f"{100 * found[name].ece:.2f} ({100 * equal[name].ece:.2f})" for name in models]
            row += [f"{found[name].brier:.4f}" for name in models]
            row += [f"{found[name].nll:.4f}" for name in models]
            rows.append(row)
    heads = ["", "of", "n", "accuracy", "confidence before", "after"]
    heads += [f"{measure} {name}" for measure in ("ECE", "Brier", "NLL") for name in models]
    record.table(heads, rows)


def halves(record: Record, cases: Sequence[tuple[str, CRF, Part, Sequence[str]]]) -> None:
    """Add a table of the mean errors of both criteria over random halves of each part."""
    rows = []
    for name, crf, part, kinds in cases:
        errors: dict[tuple[str, str], list[float]] = {}
        for seed in range(HALVES):
            order = np.random.default_rng(seed).permutation(len(part.tokens))
            half, rest = order[::2], order[1::2]
            first, other = (
                Part("", [part.tokens[at] for at in places], [part.labels[at] for at in places])
                for places in (half, rest)
            )
            after = crf._with_metadata().calibrate(first.tokens, first.labels)
            by_tokens = crf._with_metadata(temperature=token_temperature(crf, first))
            for kind in kinds:
                for criterion, model in (("labellings", after), ("tokens", by_tokens)):
                    report = calibration(model, other.tokens, other.labels, of=kind)
                    errors.setdefault((kind, criterion), []).append(100 * report.ece)
        for kind in kinds:
            both = [np.mean(errors[kind, criterion]) for criterion in ("labellings", "tokens")]
            rows.append((name, kind, *(f"{error:.2f}" for error in both)))
    record.table(("", "of", "ECE labellings", "ECE tokens"), rows)


def main() -> None:
    """Measure and print the tables."""
    record = Record()
    record.add(f"{machine()}, {versions('numpy')}")
    record.add()
    record.add("ECE in percentage points with ten bins of equal width (in brackets: of equal counts).")
    record.add()
    dev = wnut("emerging.dev.conll", "dev")
    parts = [
        dev.every_other("calibration", 0),
        dev.every_other("other half of dev", 1),
        wnut("emerging.test.annotated", "test"),
    ]
    train = wnut("wnut17train.conll", "train")
    whole = [("dev", dev), ("test", parts[-1])]
    cases: list[tuple[str, CRF, Part, Sequence[str]]] = []
    spans, sentences = ("tokens", "spans", "sentences"), ("tokens", "sentences")
    for options in MODELS:
        shown = ", ".join(f"{name}={value!r}" for name, value in options.items()) or "defaults"
        record.heading(f"WNUT 2017, {shown}")
        crf = CRF(template="ner", **options).fit(train.tokens, train.labels)
        report(record, crf, parts, spans)
        cases += [(f"WNUT {name}, {shown}", crf, part, spans) for name, part in whole]
    train, dev = ewt("en_ewt-ud-train.conllu", "train"), ewt("en_ewt-ud-dev.conllu", "dev")
    parts = [dev.every_other("calibration", 0), dev.every_other("other half of dev", 1)]
    for c2 in (1.0, 0.01):
        record.heading(f"EWT, parts of speech, {EWT} sentences, c2={c2}")
        crf = CRF(template="pos", c2=c2).fit(train.tokens[:EWT], train.labels[:EWT])
        report(record, crf, parts, sentences)
        cases.append((f"EWT dev, c2={c2}", crf, dev, sentences))
    record.heading(f"Both criteria, means of {HALVES} random halves")
    halves(record, cases)


if __name__ == "__main__":
    main()
