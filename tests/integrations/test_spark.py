"""Results of partitions scored by Spark are merged to the bytes of the serial result."""

from __future__ import annotations

import os
import random
import shutil
import sys
from itertools import pairwise

import pytest

import spanrs
from spanrs.errors import AlignmentError

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed")

from spanrs.integrations.spark import score_dataframe  # noqa: E402

#: Raised by pyspark itself in all calls related to Arrow.
pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")

TAGS = ["O", "O", "B-A", "I-A", "B-B", "I-B"]
COLUMNS = "gold array<string>, pred array<string>, `the.document` string"


@pytest.fixture(scope="module")
def spark():
    """Return a session of two threads, which start Python processes."""
    java = os.environ.get("JAVA_HOME")
    if not (shutil.which("java") or (java and os.path.exists(os.path.join(java, "bin", "java")))):
        pytest.skip("Spark needs Java, and neither PATH nor JAVA_HOME leads to one")
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "3",
        # Several batches a partition.
        "spark.sql.execution.arrow.maxRecordsPerBatch": "7",
    }
    builder = SparkSession.builder.master("local[2]").appName("spanrs")
    for name, value in settings.items():
        builder = builder.config(name, value)
    with pytest.MonkeyPatch.context() as patch:
        # Otherwise Spark uses the first python3 in PATH.
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


def sentences(count, seed=0):
    rng = random.Random(seed)
    gold = [[rng.choice(TAGS) for _ in range(rng.randrange(9))] for _ in range(count)]
    pred = [[tag if rng.random() < 0.7 else rng.choice(TAGS) for tag in sentence] for sentence in gold]
    return gold, pred


def dataframe(spark, rows, columns, parts):
    """Rows in a number of partitions, in order."""
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, parts), columns)


def pieces(items, count):
    """Split items like Spark."""
    return [items[a:b] for a, b in pairwise([len(items) * at // count for at in range(count + 1)])]


@pytest.mark.parametrize("matcher", ["exact", spanrs.Partial(matching="optimal"), "fair"])
def test_dataframes_are_scored_as_lists(spark, matcher):
    gold, pred = sentences(60)
    names = [f"d{at // 5}" for at in range(60)]
    rows = list(zip(gold, pred, names, strict=True))
    options = {"scheme": "BIO", "matcher": matcher}
    frame = dataframe(spark, rows, COLUMNS, 4)
    results = [
        spanrs.score(*pair, **options) for pair in zip(pieces(gold, 4), pieces(pred, 4), strict=True)
    ]
    expected = results[0].merge(*results[1:])
    assert score_dataframe(frame, **options).to_bytes() == expected.to_bytes()
    results = [
        spanrs.score(g, p, by=d, **options)
        for g, p, d in zip(pieces(gold, 4), pieces(pred, 4), pieces(names, 4), strict=True)
    ]
    expected = results[0].merge(*results[1:])
    got = score_dataframe(frame, documents="the.document", by="document", **options)
    assert got.to_bytes() == expected.to_bytes()
    assert got.counts == spanrs.score(gold, pred, by=names, **options).counts


def test_ids_spans_and_partitions_without_rows(spark):
    gold, pred = sentences(20, seed=1)
    vocabulary = list(dict.fromkeys(TAGS))
    ids = [[[vocabulary.index(tag) for tag in row] for row in side] for side in (gold, pred)]
    columns = "gold array<int>, pred array<smallint>"
    frame = dataframe(spark, list(zip(*ids, strict=True)), columns, 30)
    got = score_dataframe(frame, scheme="BIO", vocabulary=vocabulary)
    assert got.counts == spanrs.score(gold, pred, scheme="BIO").counts
    nothing = score_dataframe(frame.where("false"), scheme="BIO", vocabulary=vocabulary)
    assert (nothing.sentences, nothing.settings["scheme"]) == (0, "BIO")
    spans = [[("A", 0, 2)], [], [("B", 1, 2), ("A", 0, 1)]] * 3
    span = "array<struct<label: string, start: int, end: bigint>>"
    frame = dataframe(spark, [(row, row[:1]) for row in spans], f"gold {span}, pred {span}", 2)
    assert score_dataframe(frame).counts == spanrs.score(spans, [row[:1] for row in spans]).counts


def test_what_cannot_be_scored(spark):
    rows = [(["O"], ["O"], name) for name in "aabba"] + [(["O"], ["O", "O"], "c")]
    frame = dataframe(spark, rows, COLUMNS, 2)
    with pytest.raises(ValueError, match="name the scheme: partitions are scored independently"):
        score_dataframe(frame)
    with pytest.raises(ValueError, match="name the scheme"):
        score_dataframe(frame, scheme="BIO", pred_scheme="auto")
    with pytest.raises(KeyError, match=r"no column 'golt'; its columns are gold, pred, the\.document"):
        score_dataframe(frame, "golt", scheme="BIO")
    with pytest.raises(TypeError, match=r"the column 'the\.document' contains string, not arrays"):
        score_dataframe(frame, pred="the.document", scheme="BIO")
    with pytest.raises(spanrs.errors.SchemeError):
        score_dataframe(frame, scheme="BIOX")
    with pytest.raises(pyspark.errors.PythonException, match="gold has 1 tags, pred has 2"):
        score_dataframe(frame, scheme="BIO")
    with pytest.raises(AlignmentError, match=r"document 'a' continues after .* or in another partition"):
        score_dataframe(
            dataframe(spark, rows[:5], COLUMNS, 5), documents="the.document", by="document", scheme="BIO"
        )
    nulls = dataframe(spark, [(["O"], ["O"], None)], COLUMNS, 1)
    with pytest.raises(pyspark.errors.PythonException, match="the document of a sentence is null"):
        score_dataframe(nulls, documents="the.document", by="document", scheme="BIO")
