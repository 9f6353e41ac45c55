"""Hugging Face evaluate, offline: its seqeval path with and without activate, and the metric of spanrs."""

from __future__ import annotations

import contextlib
import importlib.util
import random
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import spanrs
from spanrs import compat
from spanrs.integrations import hf

LIKE_SEQEVAL = str(Path(__file__).parent / "metric_like_seqeval.py")
SCHEMES = {"IOB2": "BI", "IOE2": "IE", "IOBES": "BIES", "BILOU": "BILU", "IOB1": "BI"}


@pytest.fixture(autouse=True)
def offline(monkeypatch, tmp_path):
    """No network access, and files are only written here."""
    for name in ("HF_HUB_OFFLINE", "HF_EVALUATE_OFFLINE", "HF_DATASETS_OFFLINE"):
        monkeypatch.setenv(name, "1")
    # evaluate appends the folder of its modules.
    monkeypatch.setattr(sys, "path", list(sys.path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import evaluate.config
        import evaluate.loading

        monkeypatch.setattr(evaluate.config, "HF_EVALUATE_OFFLINE", True)
        monkeypatch.setattr(evaluate.config, "HF_METRICS_CACHE", tmp_path / "metrics")
        monkeypatch.setattr(evaluate.config, "HF_MODULES_CACHE", str(tmp_path / "modules"))
        yield


def load(path, tmp_path):
    import evaluate

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return evaluate.load(path, cache_dir=str(tmp_path))


def fresh(path, tmp_path, activated):
    """Reload and import a metric, so that its imports of seqeval are executed; then score."""
    scope = compat.activate("seqeval") if activated else contextlib.nullcontext()

    def score(gold, pred, **options):
        for name in [name for name in sys.modules if name.partition(".")[0] == "evaluate_modules"]:
            del sys.modules[name]
        with scope, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return load(path, tmp_path).compute(predictions=pred, references=gold, **options)

    return score


def corpus(seed, prefixes, sentences=40):
    rng = random.Random(seed)
    tags = ["O", "O", *(f"{p}-{t}" for p in prefixes for t in ("PER", "LOC", "creative-work"))]
    gold = [[rng.choice(tags) for _ in range(rng.randint(1, 12))] for _ in range(sentences)]
    pred = [[rng.choice(tags) if rng.random() < 0.3 else tag for tag in row] for row in gold]
    return gold, pred


CASES = [
    *((seed, "BI", {}) for seed in range(3)),
    (3, "BIES", {}),
    (4, "BILU", {"zero_division": 1}),
    *((5, SCHEMES[scheme], {"mode": "strict", "scheme": scheme}) for scheme in SCHEMES),
    (6, "BIES", {"mode": "strict"}),
    (7, "BI", {"scheme": "IOB2", "zero_division": 0}),
]


@pytest.mark.parametrize(("seed", "prefixes", "options"), CASES)
def test_with_and_without_activate_the_results_are_equal(seed, prefixes, options, tmp_path):
    gold, pred = corpus(seed, prefixes)
    theirs = fresh(LIKE_SEQEVAL, tmp_path, activated=False)(gold, pred, **options)
    ours = fresh(LIKE_SEQEVAL, tmp_path, activated=True)(gold, pred, **options)
    assert theirs.pop("made_by") == "seqeval.metrics.sequence_labeling"
    assert ours.pop("made_by") == "spanrs.compat.seqeval.metrics.sequence_labeling"
    assert ours == theirs
    assert set(theirs) >= {"PER", "LOC", "overall_f1", "overall_accuracy"}
    native = load(hf.metric_path(), tmp_path).compute(predictions=pred, references=gold, **options)
    assert native == theirs
    assert {type(v) for v in native["PER"].values()} == {type(v) for v in theirs["PER"].values()}


def test_suffix(tmp_path):
    gold, pred = corpus(8, "BI")
    flip = [[[t if t == "O" else f"{t[2:]}-{t[0]}" for t in row] for row in side] for side in (gold, pred)]
    metric = load(hf.metric_path(), tmp_path)
    assert metric.compute(predictions=flip[1], references=flip[0], suffix=True) == metric.compute(
        predictions=pred, references=gold
    )


def test_the_metric_takes_batches(tmp_path):
    gold, pred = corpus(9, "BI")
    metric = load(hf.metric_path(), tmp_path)
    for at in range(0, len(gold), 7):
        metric.add_batch(predictions=pred[at : at + 7], references=gold[at : at + 7])
    assert metric.compute() == metric.compute(predictions=pred, references=gold)


@pytest.mark.parametrize("mode", ["fair", "weighted", "traditional"])
def test_fair_modes_give_fair_measures_and_counts(tmp_path, mode):
    gold, pred = corpus(3, "BI")
    metric = load(hf.metric_path(), tmp_path)
    weights = "BE = 1 TP, LE = 1 FP"
    actual = metric.compute(predictions=pred, references=gold, mode=mode, scheme="IOB2", weights=weights)
    result = spanrs.score(gold, pred, matcher=spanrs.Fair(weights=weights, exclude=()), scheme="BIO")
    score = result[mode].micro
    assert (actual["overall_precision"], actual["overall_recall"]) == (score.precision, score.recall)
    if mode == "traditional":
        assert [actual[f"overall_{name}"] for name in ("TP", "FP", "FN")] == [*result["traditional"].totals]
        assert "overall_LE" not in actual
    else:
        errors = ("le", "be", "lbe")
        assert [actual[f"overall_{name.upper()}"] for name in errors] == [
            result.outcomes[n] for n in errors
        ]
    assert {name for name in actual if not name.startswith("overall")} == set(result.per_type)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "loose"}, "unknown mode 'loose'; choose from None, 'strict'"),
        (
            {"mode": "strict", "scheme": "BMES"},
            "strict mode has no scheme 'BMES'; choose from IOB1, IOB2, ",
        ),
        ({"scheme": "IOBX"}, "strict mode has no scheme 'IOBX'"),
    ],
)
def test_wrong_options_are_named(options, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        load(hf.metric_path(), tmp_path).compute(predictions=[["O"]], references=[["O"]], **options)


WITHOUT = """
import importlib.abc, sys, warnings
warnings.simplefilter("ignore")
class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "seqeval":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
import evaluate
from spanrs import compat
try:
    evaluate.load(sys.argv[1], cache_dir=sys.argv[2])
except ImportError as error:
    print("refused")
with compat.activate("seqeval"):
    metric = evaluate.load(sys.argv[1], cache_dir=sys.argv[2])
    print(metric.compute(predictions=[["B-PER"]], references=[["B-PER"]])["overall_f1"])
"""


def test_evaluate_finds_an_activated_package_that_is_not_installed(tmp_path):
    environment = {
        "HF_HUB_OFFLINE": "1",
        "HF_EVALUATE_OFFLINE": "1",
        "HF_HOME": str(tmp_path),
        "PATH": "/bin",
    }
    command = [sys.executable, "-c", WITHOUT, LIKE_SEQEVAL, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.split() == ["refused", "1.0"]


def test_nothing_of_hugging_face_is_imported_before_it_is_needed():
    code = "import sys, spanrs.integrations.hf; print(*{m.partition('.')[0] for m in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"evaluate", "datasets", "transformers", "sklearn", "numpy"} & set(done.stdout.split())
    assert importlib.util.find_spec("evaluate")


@pytest.mark.parametrize(
    ("name", "function", "options"),
    [
        ("poseval", hf.poseval, {"zero_division": 0}),
        ("faireval", hf.faireval, {}),
        (
            "faireval",
            hf.faireval,
            {"mode": "traditional", "scheme": "IOB2", "error_format": "entity_ratio"},
        ),
    ],
)
def test_other_metric_files_return_what_the_functions_return(name, function, options, tmp_path):
    gold, pred = corpus(8, "B")
    score = fresh(hf.metric_path(name), tmp_path, activated=False)
    assert score(gold, pred, **options) == function(pred, gold, **options)
