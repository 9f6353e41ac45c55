"""Conditional random fields compared with python-crfsuite; writes benches/record/DATE-crf.md.

WNUT 2017 and UD English EWT from SPANRS_SHARED (default ../shared), attributes of CRFsuite's chunking example. Both
packages use the same attributes in the same process, alternately, on one thread unless stated otherwise.

    python -m benches.versus.crf [--quick] [--only NAME,...] [--sentences N] [--output FOLDER]
"""

from __future__ import annotations

import argparse
import datetime
import gc
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pycrfsuite

from benches.versus.crf_corpora import ATTRIBUTES, CORPORA, Data, check_attributes, chunking, inputs
from benches.versus.measure import Record, machine, significant, versions
from spanrs._spanrs import CrfItems, CrfTrainer
from spanrs.crf import CRF

HERE = Path(__file__).parent.parent
ROOT = HERE.parent

OWN, PEER = "spanrs", "python-crfsuite"
#: Coefficient of the sum of squared weights, in both packages.
C2 = 1.0
#: Relative distance to the final objective of the other package at which training counts as converged.
CLOSE = 1e-4
#: L-BFGS of both packages has filled its history by then.
MEMORY_ITERATIONS = 25


class Step(NamedTuple):
    """An iteration of L-BFGS."""

    loss: float
    wall: float
    """Seconds since training began."""
    processor: float
    """CPU seconds since then, of all threads."""
    trials: int
    """Evaluations of the objective."""


class Trained(NamedTuple):
    """A training run."""

    steps: list[Step]
    seconds: float


def own_train(trainer: CrfTrainer, iterations: int | None, threads: int = 1) -> tuple[Any, Trained]:
    """Train by spanrs: the model and the course of training."""
    # Training consumes the corpus.
    trainer = trainer.part([True] * trainer.sizes()[0])
    # Single iterations are compared with those of the same algorithm.
    algorithm = "sdca" if iterations is None else "lbfgs"
    options = CRF(algorithm=algorithm, c2=C2, max_iter=iterations, num_memories=6)._options()
    steps: list[Step] = []
    start, used = time.perf_counter(), time.process_time()

    def after(state: dict[str, Any], dev: object) -> int:
        seconds = time.perf_counter() - start, time.process_time() - used
        steps.append(Step(state["loss"], *seconds, state["evaluations"]))
        return 1

    model, _ = trainer.train(options, threads, None, None, None, after, False)
    return model, Trained(steps, time.perf_counter() - start)


class Peer(pycrfsuite.Trainer):  # type: ignore[misc]  # untyped
    """python-crfsuite's trainer; notes the time of each iteration."""

    def message(self, message: str) -> None:
        """Process a line of the log."""
        if self.logparser.feed(message) == "iteration":
            last = self.logparser.last_iteration
            times = time.perf_counter() - self.start, time.process_time() - self.used
            self.steps.append(Step(last["loss"], *times, last["linesearch_trials"]))


def peer_train(trainer: Peer, path: Path, iterations: int | None) -> Trained:
    """Train by python-crfsuite."""
    trainer.set("c2", C2)
    trainer.set("feature.possible_transitions", True)
    trainer.set("max_iterations", 2**31 - 1 if iterations is None else iterations)
    trainer.steps = []
    trainer.start, trainer.used = time.perf_counter(), time.process_time()
    trainer.train(str(path))
    return Trained(trainer.steps, time.perf_counter() - trainer.start)


def trainers(data: Data) -> tuple[CrfTrainer, Peer]:
    """Both packages' trainers with the same attributes; sentences are not kept in Python."""
    values, peer = CrfTrainer(None), Peer(verbose=False)
    for sentence, labels in zip(*data.train, strict=True):
        actual = chunking(sentence)
        values.extend([actual], [labels], None)
        peer.append(actual, labels)
    return values, peer


def gaps(trained: Trained, of: Callable[[Step], float]) -> list[float]:
    """Seconds of iterations after the first, of one evaluation each as far as that is known."""
    pairs = zip(trained.steps, trained.steps[1:], strict=False)
    return [of(step) - of(before) for before, step in pairs if step.trials == 1]


def wall(step: Step) -> float:
    return step.wall


def processor(step: Step) -> float:
    return step.processor


def thousandths(seconds: float) -> str:
    return f"{seconds * 1e3:.1f}"


def spread(times: Sequence[float]) -> tuple[str, str]:
    """Median and least milliseconds."""
    return thousandths(statistics.median(times)), thousandths(min(times))


@dataclass
class Bench:
    """Arguments of a section."""

    folder: Path
    quick: bool
    sentences: int | None
    """Sentences of EWT that are trained on until convergence."""
    record: Record = field(default_factory=Record)
    _loaded: dict[str, tuple[Data, CrfTrainer, Peer]] = field(default_factory=dict)

    def corpus(self, name: str) -> tuple[Data, CrfTrainer, Peer]:
        """A corpus with both trainers, loaded once."""
        if name not in self._loaded:
            data = CORPORA[name](2000 if self.quick and name == "ewt" else None)
            check_attributes(data, "chunking")
            self._loaded[name] = (data, *trainers(data))
        return self._loaded[name]


def evaluation(bench: Bench) -> None:
    """Seconds of an evaluation of the objective and its gradient; two threads beside one."""
    rounds, iterations = (2, 8) if bench.quick else (3, 12)
    rows, threaded = [], []
    for name in CORPORA:
        data, values, peer = bench.corpus(name)
        times: dict[str, list[float]] = {OWN: [], PEER: []}
        threads: dict[int, list[float]] = {1: [], 2: []}
        gc.collect()
        for _ in range(rounds):
            first = own_train(values, iterations)[1]
            times[OWN] += gaps(first, processor)
            threads[1] += gaps(first, wall)
            times[PEER] += gaps(peer_train(peer, bench.folder / "peer", iterations), processor)
            threads[2] += gaps(own_train(values, iterations, threads=2)[1], wall)
        middle = statistics.median(times[PEER]) / statistics.median(times[OWN])
        least = min(times[PEER]) / min(times[OWN])
        labels = len(values.labels())
        size = f"{data.name}: {data.train.size} tokens, {labels} labels, {values.sizes()[2]} attributes"
        for package, item in times.items():
            ratios = (f"{middle:.2f}", f"{least:.2f}") if package == OWN else ("1", "1")
            rows.append((size, package, *spread(item), len(item), *ratios))
        middle = statistics.median(threads[1]) / statistics.median(threads[2])
        least = min(threads[1]) / min(threads[2])
        threaded.append(
            (data.name, *spread(threads[1]), *spread(threads[2]), f"{middle:.2f}", f"{least:.2f}")
        )
    bench.record.heading(
        "Objective and gradient",
        f"Milliseconds of the processor between two iterations of L-BFGS: an evaluation and a step of L-BFGS. "
        f"{rounds} rounds of {iterations} iterations, the packages in turn. Iterations with more than one evaluation "
        "are left out.",
    )
    heads = ("corpus", "", "median ms", "least ms", "iterations", "times as fast (median)", "(least)")
    bench.record.table(heads, rows)
    bench.record.heading(
        "Two threads", "spanrs; milliseconds of wall time between two iterations, in the same rounds."
    )
    heads = ("corpus", "1: median ms", "1: least ms", "2: median ms", "2: least ms")
    bench.record.table((*heads, "times as fast (median)", "(least)"), threaded)


def until(trained: Trained, goal: float) -> str:
    """Seconds until the objective is close to a goal."""
    limit = goal + CLOSE * abs(goal)
    return next((f"{step.wall:.1f}" for step in trained.steps if step.loss <= limit), "never")


def convergence(bench: Bench) -> None:
    """Train to the end by the default criteria."""
    rows: list[tuple[object, ...]] = []
    notes = []
    for name, load in CORPORA.items():
        if name == "ewt" and not bench.quick and bench.sentences is not None:
            data = load(bench.sentences)
            values, peer = trainers(data)
        else:
            data, values, peer = bench.corpus(name)
        path = bench.folder / f"{name}.crfsuite"
        # Long runs are not repeated; short ones are, alternately.
        rounds = 3 if name == "wnut17" and not bench.quick else 1
        ours, theirs = [], []
        gc.collect()
        for _ in range(rounds):
            model, trained = own_train(values, None)
            ours.append(trained)
            theirs.append(peer_train(peer, path, None))
        finals = ours[0].steps[-1].loss, theirs[0].steps[-1].loss
        for package, runs, item in ((OWN, ours, finals[1]), (PEER, theirs, finals[0])):
            seconds = [run.seconds for run in runs]
            fastest = min(runs, key=lambda run: run.seconds)
            rows.append(
                (
                    f"{data.name}, {len(data.train.tokens)} sentences",
                    package,
                    f"{statistics.median(seconds):.1f}",
                    f"{min(seconds):.1f}",
                    rounds,
                    len(fastest.steps),
                    f"{fastest.steps[-1].loss:.3f}",
                    until(fastest, item),
                )
            )
        tagger = pycrfsuite.Tagger()
        tagger.open(str(path))
        right = [0, 0]
        same = 0
        for sentence, gold in zip(*data.dev, strict=True):
            actual = chunking(sentence)
            (mine,), other_labels = model.tag([actual], False, None, 1), tagger.tag(actual)
            same += sum(map(str.__eq__, mine, other_labels))
            right[0] += sum(map(str.__eq__, mine, gold))
            right[1] += sum(map(str.__eq__, other_labels, gold))
        size = data.dev.size
        notes.append(
            f"{data.name}: final objectives differ by {(finals[0] - finals[1]) / finals[1]:+.1e} (spanrs against "
            f"{PEER}); on {size} dev tokens both give the same label to {same / size:.3%}; "
            f"accuracy {right[0] / size:.3%} ({OWN}), {right[1] / size:.3%} ({PEER})."
        )
    bench.record.heading(
        "Training until convergence",
        f"c2 = {C2:g}, all transitions, default algorithm and criteria of each package: dual coordinate ascent with a "
        "bound of the gap, and L-BFGS. "
        f"Wall time; {PEER}'s includes writing the model. The last column is the time until the objective is at "
        f"most {CLOSE:g} (relative) above the other package's final one, in the fastest run.",
    )
    heads = ("corpus", "", "median s", "least s", "runs", "iterations", "objective", "s until close")
    bench.record.table(heads, rows)
    for note in notes:
        bench.record.add(f"- {note}")
    bench.record.add()


def raw_tokens(
    bench: Bench, data: Data, template: str
) -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """Tag tokens with a built-in template, and with Python code that gives the same attributes."""
    check_attributes(data, template)
    crf = CRF(template=template, scheme=None, c2=C2, max_iter=10, progress=False)
    crf.fit(inputs(data.train.tokens, template), data.train.labels)
    path = bench.folder / "raw.crfsuite"
    crf.save_crfsuite(path)
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    tokens, attributes = inputs(data.dev.tokens, template), ATTRIBUTES[template]
    sides = (
        lambda: crf.predict(tokens),
        lambda: [tagger.tag(attributes(sentence)) for sentence in data.dev.tokens],
    )
    return {f"raw tokens (template {template}; Python function)": sides}


def integer_attributes(bench: Bench) -> None:
    """Label sentences with precomputed attribute ids, in Rust."""
    rows = []
    for name in CORPORA:
        data, *_ = bench.corpus(name)
        model, columns = bench.folder / "integers.model", bench.folder / "integers.tsv"
        crf = CRF(template="chunking", scheme=None, c2=C2, max_iter=10, progress=False)
        crf.fit(*data.train).save(model)
        sentences = ("".join("\t".join(token) + "\n" for token in sentence) for sentence in data.dev.tokens)
        columns.write_text("\n".join(sentences), encoding="utf-8")
        command = ["cargo", "run", "--release", "--quiet", "-p", "spanrs-crf", "--example", "tagging_speed"]
        command += ["--", str(model), str(columns), "9"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
        tokens, *seconds = map(float, done.stdout.split())
        speeds = [significant(tokens / chosen(seconds) / 1e6) for chosen in (statistics.median, min)]
        rows.append((data.name, len(crf.classes_), int(tokens), *speeds))
    bench.record.heading(
        "Decoding from attributes that are numbers",
        "Rust, one thread: sums of weights and Viterbi, without strings and Python. Millions of tokens a second.",
    )
    bench.record.table(("corpus", "labels", "dev tokens", "median", "best"), rows)


def tagging(bench: Bench) -> None:
    """Tag dev sentences with one model in both packages."""
    rounds = 3 if bench.quick else 9
    for name in CORPORA:
        data, values, _ = bench.corpus(name)
        # Weights of a few iterations cost as much as final ones.
        crf = CRF(template="chunking", scheme=None, c2=C2, max_iter=10, progress=False)
        crf.fit(*data.train)
        path = bench.folder / "tagging.crfsuite"
        crf.save_crfsuite(path)
        plain = CRF.load(path)
        tagger = pycrfsuite.Tagger()
        tagger.open(str(path))
        tokens = data.dev.tokens
        lists = [chunking(sentence) for sentence in tokens]
        own_items = [CrfItems(sentence) for sentence in lists]
        peer_items = [pycrfsuite.ItemSequence(sentence) for sentence in lists]
        calls: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
            "columns (template chunking; Python function)": (
                lambda crf=crf, tokens=tokens: crf.predict(tokens),
                lambda tagger=tagger, tokens=tokens: [tagger.tag(chunking(s)) for s in tokens],
            ),
            "columns, one call a sentence": (
                lambda crf=crf, tokens=tokens: [crf.predict_single(s) for s in tokens],
                lambda tagger=tagger, tokens=tokens: [tagger.tag(chunking(s)) for s in tokens],
            ),
            "lists of features": (
                lambda plain=plain, lists=lists: plain.predict(lists),
                lambda tagger=tagger, lists=lists: [tagger.tag(s) for s in lists],
            ),
            "item sequences": (
                lambda plain=plain, items=own_items: plain.predict(items),
                lambda tagger=tagger, items=peer_items: [tagger.tag(s) for s in items],
            ),
        }
        calls |= raw_tokens(bench, data, "ner" if name == "wnut17" else "pos")
        times: dict[str, tuple[list[float], list[float]]] = {what: ([], []) for what in calls}
        same = dict.fromkeys(calls, 0)
        gc.collect()
        for _ in range(rounds):
            for what, pair in calls.items():
                answers = []
                for call, item in zip(pair, times[what], strict=True):
                    start = time.perf_counter()
                    answers.append(call())
                    item.append(time.perf_counter() - start)
                pairs = zip(*answers, strict=True)
                same[what] = sum(sum(map(str.__eq__, a, b)) for a, b in pairs)
        size = data.dev.size
        rows = []
        for what, (ours, theirs) in times.items():
            middle = statistics.median(theirs) / statistics.median(ours)
            speeds = [significant(size / statistics.median(t) / 1e3) for t in (ours, theirs)]
            best = [significant(size / min(t) / 1e3) for t in (ours, theirs)]
            ratios = significant(middle), significant(min(theirs) / min(ours))
            rows.append((what, *speeds, *best, *ratios, f"{same[what] / size:.3%}"))
        bench.record.heading(
            f"Tagging: {data.name}",
            f"{size} dev tokens, {len(values.labels())} labels; thousands of tokens a second. Both packages load the "
            f"same weights from one CRFsuite file; {rounds} rounds in turn.",
        )
        heads = ("from", f"{OWN} (median)", f"{PEER} (median)", f"{OWN} (best)", f"{PEER} (best)")
        bench.record.table((*heads, "times as fast (median)", "(best)", "same labels"), rows)


#: Code of a separate process after its data are loaded.
PREPARE = {
    "feature lists": "held = [crf.chunking(s) for s in data.train.tokens]",
    "tokens": "held = data.train.tokens",
}
MEMORY = {
    (PEER, "feature lists"): """
trainer = crf.Peer(verbose=False)
for x, y in zip(held, data.train.labels):
    trainer.append(x, y)
crf.peer_train(trainer, crf.Path(sys.argv[3]), crf.MEMORY_ITERATIONS)
""",
    (OWN, "feature lists"): """
crf.CRF(scheme=None, c2=crf.C2, max_iter=crf.MEMORY_ITERATIONS, progress=False).fit(held, data.train.labels)
""",
    (OWN, "tokens"): """
crf.CRF(template="chunking", scheme=None, c2=crf.C2, max_iter=crf.MEMORY_ITERATIONS, progress=False).fit(
    held, data.train.labels
)
""",
}
#: Not getrusage, whose peak is inherited from the process that started this one.
CHILD = """
import json, sys
from benches.versus import crf

def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))

data = crf.CORPORA[sys.argv[1]](int(sys.argv[2]) or None)
{}
crf.gc.collect()
# Forget the peak of reading.
open("/proc/self/clear_refs", "w").write("5")
before = peak()
{}
print(json.dumps([before, peak()]))
"""


def memory(bench: Bench) -> None:
    """Peak memory of training, in separate processes."""
    if not Path("/proc/self/status").exists():
        bench.record.add("No peak memory: this system has no /proc.")
        return
    rows = []
    for name in CORPORA:
        sentences = 2000 if bench.quick else 0
        for (package, given), program in MEMORY.items():
            source = CHILD.format(PREPARE[given], program)
            arguments = [name, str(sentences), str(bench.folder / "memory.crfsuite")]
            command = [sys.executable, "-c", source, *arguments]
            done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
            before, most = (kib / 1024 for kib in json.loads(done.stdout))
            corpus = f"{name}, first {sentences} sentences" if sentences else name
            rows.append((corpus, package, given, f"{before:.0f}", f"{most - before:.0f}", f"{most:.0f}"))
    bench.record.heading(
        "Peak memory",
        f"Fresh processes (VmHWM) that hold the training data in Python as feature lists or as tokens, and train "
        f"{MEMORY_ITERATIONS} iterations of L-BFGS, which keeps 20 pairs in spanrs and 6 in {PEER}.",
    )
    heads = ("corpus", "", "input", "before training, MiB", "training, MiB", "peak, MiB")
    bench.record.table(heads, rows)


def ticks(call: Callable[[], object]) -> tuple[float, float]:
    """Seconds of a call, and how often per second another Python thread that sleeps a millisecond woke up."""
    count, ends = 0, threading.Event()

    def tick() -> None:
        nonlocal count
        while not ends.is_set():
            time.sleep(0.001)
            count += 1

    second = threading.Thread(target=tick)
    second.start()
    start, before = time.perf_counter(), count
    call()
    seconds, actual = time.perf_counter() - start, count - before
    ends.set()
    second.join()
    return seconds, actual / seconds


def gil(bench: Bench) -> None:
    """Progress of another Python thread during training."""
    data, values, peer = bench.corpus("wnut17")
    crf = CRF(template="chunking", scheme=None, c2=C2, max_iter=20, progress=False)
    calls: dict[str, Callable[[], object]] = {
        "this thread sleeps": lambda: time.sleep(1),
        "spanrs, `CrfTrainer.train`": lambda: own_train(values, 20),
        "spanrs, `CRF(template).fit`, with extraction": lambda: crf.fit(*data.train),
        "python-crfsuite, `Trainer.train`": lambda: peer_train(peer, bench.folder / "gil", 20),
    }
    collected: dict[str, list[tuple[float, float]]] = {what: [] for what in calls}
    for _ in range(1 if bench.quick else 3):
        for what, call in calls.items():
            collected[what].append(ticks(call))
    bench.record.heading(
        "Free of the GIL",
        "A Python thread sleeps a millisecond, counts, and sleeps again, while the main thread trains 20 iterations "
        "on WNUT17. Medians.",
    )
    rows = [
        (
            what,
            *(
                f"{statistics.median(column):.{digits}f}"
                for column, digits in zip(zip(*all_of_it, strict=True), (2, 0), strict=True)
            ),
        )
        for what, all_of_it in collected.items()
    ]
    bench.record.table(("main thread", "seconds", "ticks a second"), rows)


SECTIONS: dict[str, Callable[[Bench], None]] = {
    "evaluation": evaluation,
    "tagging": tagging,
    "integers": integer_attributes,
    "gil": gil,
    "memory": memory,
    "convergence": convergence,
}


def chosen(names: str) -> list[str]:
    """Sections by their names."""
    actual = names.split(",")
    for name in actual:
        if name not in SECTIONS:
            message = f"no section {name!r}; there are {', '.join(SECTIONS)}"
            raise argparse.ArgumentTypeError(message)
    return actual


def blocks(options: argparse.Namespace, folder: Path) -> Iterator[Record]:
    """Measure section after section."""
    bench = Bench(folder, options.quick, options.sentences)
    date = datetime.datetime.now(datetime.UTC).date()
    command = " ".join(["python -m benches.versus.crf", *sys.argv[1:]])
    bench.record.add(f"# {date}: conditional random fields beside python-crfsuite")
    bench.record.add()
    bench.record.add(f"`{command}` on {machine()}, {versions('numpy', PEER)}.")
    bench.record.add()
    bench.record.add(
        "Attributes of CRFsuite's chunking example from two columns: WNUT17's words and their short shapes, EWT's "
        "words and UPOS (labels are XPOS). One process and one thread, packages in turn, unless stated otherwise."
    )
    bench.record.add()
    for name in options.only:
        SECTIONS[name](bench)
        yield bench.record


def main() -> None:
    """Measure and write the record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer rounds, part of EWT, no file")
    parser.add_argument("--only", type=chosen, default=list(SECTIONS), metavar="NAME,...")
    parser.add_argument("--sentences", type=int, help="sentences of EWT for the section convergence")
    parser.add_argument("--output", type=Path, default=HERE / "record")
    options = parser.parse_args()
    date = datetime.datetime.now(datetime.UTC).date()
    with tempfile.TemporaryDirectory() as folder:
        for record in blocks(options, Path(folder)):
            if not options.quick:
                # After each section: a long run that is interrupted keeps what it has.
                text = "\n".join(record.lines).rstrip("\n") + "\n"
                options.output.mkdir(parents=True, exist_ok=True)
                (options.output / f"{date}-crf.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
