"""Answers of FairEval: comparison of spans, readers, configuration files."""

from __future__ import annotations

import contextlib
import io
import sys

import answers
from spanrs.compat import iobes
from spanrs.compat.seqeval.metrics.sequence_labeling import get_entities

ERRORS = ("TP", "FP", "FN", "LE", "BE", "BEO", "BES", "BEL", "LBE")
MEASURES = ("Prec", "Rec", "F1")
METHODS = ["traditional", "fair", "weighted"]
#: The weights the paper suggests.
PAPER = {
    "TP": {"TP": 1},
    "FP": {"FP": 1},
    "FN": {"FN": 1},
    "LE": {"TP": 0, "FP": 0.5, "FN": 0.5},
    "LBE": {"TP": 0, "FP": 0.5, "FN": 0.5},
    "BEO": {"TP": 0.5, "FP": 0.25, "FN": 0.25},
    "BES": {"TP": 0.5, "FP": 0, "FN": 0.5},
    "BEL": {"TP": 0.5, "FP": 0.5, "FN": 0},
}
#: Settings for span files in folders beside the working directory; {} is the stem of their names.
CONFIG = """\
target_in = ./../data/target/{0}_spans.csv
system_in = ./../data/system/{0}_spans.csv
labels = all
exclude =
ignore_punct = False
focus = target
eval_method = all
weights = LE = 0.5 FP + 0.5 FN, BES = 0.5 TP + 0.5 FN, BEL = 0.5 TP + 0.5 FP, \
BEO = 0.5 TP + 0.25 FP + 0.25 FN, LBE = 0.5 FP + 0.5 FN
"""
#: Options of the reader of stacked tags, and of the reader of span files, by their recorded names.
COLUMNS = {"True": {"ignore_punct": True}, "False": {"ignore_punct": False}, "None": {}}
SPANS = {
    "dflt": {"labels": ["all"], "exclude": ["NONE", "EMPTY"]},
    "noexcl": {"labels": ["all"]},
    "nolabels": {},
    "onlyPP": {"labels": ["PP"]},
}
#: Names of the schemes in iobes; spans of other schemes are read by seqeval.
IOBES = {"IOB1": "IOB", "BIO": "BIO", "IOBES": "IOBES", "BILOU": "BILOU", "BMEOW": "BMEOW"}


def row(counts):
    return [counts[error] for error in ERRORS[: 3 if len(counts) == 3 else None]]


def cells(confusion):
    actual = {t: {s: n for s, n in counts.items() if n} for t, counts in confusion.items()}
    return {t: counts for t, counts in actual.items() if counts}


def compare(faireval, target, system):
    """Compare two lists of spans [label, begin, end, tokens]."""

    def compared(**options):
        # The comparison modifies the lists and sets.
        sides = [[[label, b, e, set(tokens)] for label, b, e, tokens in side] for side in (target, system)]
        return faireval.compare_spans(*sides, **options)

    actual, by_system = compared(), compared(focus="system")
    out = {
        "T": row(actual["overall"]["traditional"]),
        "F": row(actual["overall"]["fair"]),
        "lT": {label: row(counts) for label, counts in actual["per_label"]["traditional"].items()},
        "lF": {label: row(counts) for label, counts in actual["per_label"]["fair"].items()},
        "conf": cells(actual["conf"]),
    }
    results = faireval.calculate_results(actual, eval_method=METHODS, weights=PAPER)
    out["prf"] = {v: [results["overall"][v][m] for m in MEASURES] for v in METHODS}
    out["lprf"] = {
        v: {label: [counts[m] for m in MEASURES] for label, counts in results["per_label"][v].items()}
        for v in METHODS[1:]
    }
    return out, {label: row(counts) for label, counts in by_system["per_label"]["fair"].items()}


def spans_of(tags, scheme):
    """Return the spans of a tagged sentence in FairEval's form: 1-based, with inclusive ends."""
    if scheme in IOBES:
        spans = iobes.parse_spans(tags, iobes.SpanEncoding.from_string(IOBES[scheme]))
        collected = [(s.type, s.start + 1, s.end) for s in spans]
    else:
        collected = [(label, start + 1, end + 1) for label, start, end in get_entities(tags)]
    return [[label, begin, end, range(begin, end + 1)] for label, begin, end in collected]


def read(faireval, lines, **config):
    """Return the result of the reader and its output."""

    def spans():
        decoded = faireval.get_spans(lines, **config)
        return [[label, begin, end, sorted(tokens)] for label, begin, end, tokens in decoded]

    with contextlib.redirect_stdout(io.StringIO()) as printed:
        return [answers.attempt(spans), printed.getvalue()]


def make_span_files(folder):
    """Create the files named in the recorded configurations, and the directory of their relative paths."""
    for side in ("target", "system"):
        (folder / "data" / side).mkdir(parents=True)
        for stem in ("ner", "chunk"):
            (folder / "data" / side / f"{stem}_spans.csv").write_text("A\t1\t1\t1\n", encoding="utf-8")
    (folder / "src").mkdir()


def settings(faireval, path):
    """Return the settings of a configuration file, and the output."""

    def read_config():
        corpus = faireval.read_config(path)
        if corpus is not None:
            assert corpus.pop("eval_out") is sys.stdout
        return corpus

    with contextlib.redirect_stdout(io.StringIO()) as printed:
        return answers.attempt(read_config), printed.getvalue()


def count_files(faireval, files, config):
    """Count a pair of files as a user would; return the counts and the number of sentences."""
    results = {}
    sides = [faireval.get_sentences(path) for path in files]
    number = 0
    for target_lines, system_lines in zip(*sides, strict=True):
        target = faireval.get_spans(target_lines, **config)
        system = faireval.get_spans(system_lines, **config)
        faireval.annotation_stats(target, **config)
        counts = faireval.compare_spans(target, system, config["focus"])
        results = faireval.add_dict(results, counts)
        number += 1
    return faireval.calculate_results(results, **config), number


def of_files(faireval, path):
    """Return the recorded values for the files named in a configuration."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        config = faireval.read_config(path)
        message = printed.getvalue()
        config["data_stats"] = {}
        files = config["target_files"] + config["system_files"]
        actual, sentences = count_files(faireval, files, config)
        by_system, _ = count_files(faireval, files, config | {"focus": "system", "data_stats": {}})
    return {
        "sentences": sentences,
        "data_stats": config["data_stats"],
        "weights": config["weights"],
        "eval_target_focus": actual,
        "per_label_fair_system_focus": by_system["per_label"]["fair"],
        "eval_csv": message[message.index("###") :],
    }
