"""Results of partitions scored by Dask are merged to the bytes of the serial result."""

from __future__ import annotations

import random
from itertools import pairwise

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import spanrs
from spanrs.errors import AlignmentError, FormatError, SchemeError
from spanrs.eval.shards import as_shard
from spanrs.integrations import shards

dask = pytest.importorskip("dask", reason="Dask is not installed")
bags = pytest.importorskip("dask.bag", reason="Dask is installed without bags")
frames = pytest.importorskip("dask.dataframe", reason="Dask is installed without data frames")

from spanrs.integrations.dask import score_bag, score_dataframe, score_shards  # noqa: E402

TAGS = ["O", "O", "B-A", "I-A", "B-B", "I-B"]
MATCHERS = {"exact": "exact", "partial": spanrs.Partial(matching="optimal"), "fair": "fair"}
STRINGS = pd.ArrowDtype(pa.list_(pa.string()))


def sentences(count, seed=0):
    rng = random.Random(seed)
    gold = [["O", "B-A", *(rng.choice(TAGS) for _ in range(rng.randrange(9)))] for _ in range(count)]
    for sentence in gold:
        for at, (before, tag) in enumerate(pairwise(sentence), 1):
            # Well-formed BIO, which is not detected as IOB.
            if tag[0] == "I" and before[1:] != tag[1:]:
                sentence[at] = "B" + tag[1:]
    pred = [[tag if rng.random() < 0.7 else rng.choice(TAGS) for tag in sentence] for sentence in gold]
    return gold, pred


def pieces(items, count):
    borders = [len(items) * at // count for at in range(count + 1)]
    return [items[start:end] for start, end in pairwise(borders)]


def serial(golds, preds, by=None, scheme="BIO", **options):
    """Score partitions one by one, and merge all of them at once."""
    groups = by or [None] * len(golds)
    results = [spanrs.score(gold, pred, scheme=scheme, by=names, **options)
               for gold, pred, names in zip(golds, preds, groups, strict=True)]  # fmt: skip
    return results[0].merge(*results[1:]).to_bytes()


@pytest.fixture(autouse=True)
def synchronous():
    """Run tasks in this process unless a test starts workers."""
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.mark.parametrize("matcher", MATCHERS)
@pytest.mark.parametrize("parts", [1, 2, 33, 70])
def test_bags_are_scored_as_lists(matcher, parts):
    gold, pred = sentences(140)
    golds, preds = pieces(gold, parts), pieces(pred, parts)
    expected = serial(golds, preds, matcher=MATCHERS[matcher])
    options = {"scheme": "BIO", "matcher": MATCHERS[matcher]}
    pairs = bags.from_delayed([dask.delayed(list(zip(*sides, strict=True)))
                               for sides in zip(golds, preds, strict=True)])  # fmt: skip
    assert score_bag(pairs, **options).to_bytes() == expected
    sides = [bags.from_delayed([dask.delayed(part) for part in side]) for side in (golds, preds)]
    assert score_bag(*sides, **options).to_bytes() == expected
    whole = spanrs.score(gold, pred, scheme="BIO", matcher=MATCHERS[matcher])
    assert score_bag(pairs, **options).counts == whole.counts


def test_bags_of_spans_need_no_scheme():
    gold, pred = [[("A", 0, 2)], [], [("B", 1, 2)]], [[("A", 0, 2)], [("B", 0, 1)], []]
    pairs = bags.from_sequence(list(zip(gold, pred, strict=True)), partition_size=1)
    got = score_bag(pairs)
    assert got.to_bytes() == serial([[row] for row in gold], [[row] for row in pred], scheme="auto")


def test_two_bags_have_the_same_partitions():
    bag = bags.from_sequence([["O"]] * 4, npartitions=2)
    with pytest.raises(ValueError, match="gold has 2 partitions and pred 4"):
        score_bag(bag, bag.repartition(npartitions=4))
    with pytest.raises(AlignmentError, match="gold has 2 sentences, pred has 1"):
        score_bag(bag, bags.from_sequence([["O"]] * 3, npartitions=2), scheme="BIO")


@pytest.mark.parametrize("matcher", MATCHERS)
@pytest.mark.parametrize("kind", ["arrow", "lists"])
def test_dataframes_are_scored_as_lists(matcher, kind):
    gold, pred = sentences(60, seed=1)
    names = [f"d{at // 4}" for at in range(60)]
    columns = {"g": gold, "p": pred} if kind == "lists" else {
        name: pd.Series(side, dtype=STRINGS) for name, side in (("g", gold), ("p", pred))
    }  # fmt: skip
    with dask.config.set({"dataframe.convert-string": False}):
        frame = frames.from_pandas(pd.DataFrame(columns | {"d": names, "n": range(60)}), npartitions=5)
    options = {"matcher": MATCHERS[matcher]}
    golds, preds, groups = (pieces(items, 5) for items in (gold, pred, names))
    got = score_dataframe(frame, "g", "p", scheme="BIO", **options)
    assert got.to_bytes() == serial(golds, preds, **options)
    got = score_dataframe(frame, "g", "p", documents="d", by="document", scheme="BIO", **options)
    assert got.to_bytes() == serial(golds, preds, groups, **options)
    # A partition without rows adds nothing.
    kept = score_dataframe(frame[frame["n"] < 24], "g", "p", scheme="BIO", **options)
    assert kept.counts == spanrs.score(gold[:24], pred[:24], scheme="BIO", **options).counts


def test_dataframes_with_ids_and_spans():
    gold, pred = sentences(30, seed=2)
    vocabulary = list(dict.fromkeys(TAGS))
    ids = {name: pd.Series([[vocabulary.index(tag) for tag in row] for row in side],
                           dtype=pd.ArrowDtype(pa.list_(pa.int8())))
           for name, side in (("gold", gold), ("pred", pred))}  # fmt: skip
    frame = frames.from_pandas(pd.DataFrame(ids), npartitions=3)
    got = score_dataframe(frame, scheme="BIO", vocabulary=vocabulary)
    assert got.to_bytes() == serial(pieces(gold, 3), pieces(pred, 3))
    span = pa.struct([("label", pa.string()), ("start", pa.int32()), ("end", pa.int32())])
    rows = [[{"label": "A", "start": 0, "end": 2}], [], [{"label": "B", "start": 1, "end": 2}]] * 4
    column = pd.Series(rows, dtype=pd.ArrowDtype(pa.list_(span)))
    frame = frames.from_pandas(pd.DataFrame({"gold": column, "pred": column}), npartitions=3)
    assert score_dataframe(frame).totals == (8, 0, 0)


def test_columns_that_cannot_be_scored():
    gold, _ = sentences(8)
    frame = pd.DataFrame({"gold": gold, "pred": gold, "d": list("aabbccab")})
    with dask.config.set({"dataframe.convert-string": True}):
        text = frames.from_pandas(frame, npartitions=2)
    with pytest.raises(
        TypeError, match="the column 'gold' contains text, not lists; Dask converts lists to text"
    ):
        score_dataframe(text)
    with dask.config.set({"dataframe.convert-string": False}):
        lists = frames.from_pandas(frame, npartitions=2)
        nulls = frames.from_pandas(frame.assign(d=[*"aabbccc", None]), npartitions=2)
    with pytest.raises(KeyError, match="no column 'golt'; its columns are gold, pred, d"):
        score_dataframe(lists, "golt")
    with pytest.raises(AlignmentError, match=r"document 'a' continues after .* or in another partition"):
        score_dataframe(lists, documents="d", by="document", scheme="BIO")
    with pytest.raises(FormatError, match="row 3 has no document: 'd' is null"):
        score_dataframe(nulls, documents="d", by="document", scheme="BIO")
    with pytest.raises(ValueError, match="by='document' requires the column of documents"):
        score_dataframe(lists, by="document", scheme="BIO")
    with pytest.raises(ValueError, match="by must be 'document' or None for dataframes, not 'sentence'"):
        score_dataframe(lists, by="sentence", scheme="BIO")


def write_shards(folder, parts, *, only_o=()):
    """Column files, and tables; some of them have no tag but O."""
    pairs, tables = [], []
    golds, preds = (pieces(side, parts) for side in sentences(parts * 6, seed=3))
    for at, (gold, pred) in enumerate(zip(golds, preds, strict=True)):
        if at in only_o:
            gold[:], pred[:] = ([["O"] * len(row) for row in side] for side in (gold, pred))
        pairs.append((folder / f"{at}.gold", folder / f"{at}.pred"))
        for path, side in zip(pairs[-1], (gold, pred), strict=True):
            text = "\n\n".join("\n".join(f"w {tag}" for tag in row) for row in side)
            path.write_text(f"{text}\n", encoding="utf-8")
        tables.append(folder / f"{at}.table")
        pq.write_table(pa.table({"gold": gold, "pred": pred}), tables[-1])
    return pairs, tables, golds, preds


@pytest.mark.parametrize("matcher", MATCHERS)
def test_shards_are_scored_as_files(tmp_path, matcher):
    pairs, tables, golds, preds = write_shards(tmp_path, 34)
    options = {"scheme": "BIO", "matcher": MATCHERS[matcher]}
    results = [as_shard(spanrs.score(*pair, **options), pair[0].name, str(pair[1])) for pair in pairs]
    merged = results[0].merge(*results[1:])
    assert score_shards(iter(pairs), **options).to_bytes() == merged.to_bytes()
    results = [as_shard(spanrs.score(table, **options), table.name) for table in tables]
    assert score_shards(tables, **options).to_bytes() == results[0].merge(*results[1:]).to_bytes()
    assert (
        results[0].merge(*results[1:]).counts
        == spanrs.Result.from_bytes(serial(golds, preds, matcher=MATCHERS[matcher])).counts
    )
    results = [
        as_shard(spanrs.score(*pair, by="document", **options), pair[0].name, str(pair[1]))
        for pair in pairs
    ]
    merged = results[0].merge(*results[1:])
    assert score_shards(pairs, by="document", **options).to_bytes() == merged.to_bytes()
    assert len(merged.documents) == 34
    with pytest.raises(ValueError, match="there is nothing to score"):
        score_shards([])
    with pytest.raises(FormatError, match=r"0.table: gold has columns of gold and pred; choose one"):
        score_shards([(tables[0], tables[1])])


@pytest.mark.parametrize("only_o", [(), (0,), (0, 1, 4), (2, 3), range(6)])
def test_the_first_shard_with_a_tag_decides_the_scheme(tmp_path, only_o):
    pairs, tables, golds, preds = write_shards(tmp_path, 6, only_o=only_o)
    named = [score_shards(some, scheme="BIO") for some in (pairs, tables)]
    for some, expected in zip((pairs, tables), named, strict=True):
        got = score_shards(some)
        assert got.counts == expected.counts
        assert got.settings["scheme"] == ("auto" if len(only_o) == 6 else "BIO")
    bag = bags.from_delayed([dask.delayed(list(zip(*pair, strict=True)))
                             for pair in zip(golds, preds, strict=True)])  # fmt: skip
    assert score_bag(bag).counts == named[0].counts


def test_shards_of_other_schemes_do_not_find_out_their_own():
    # Separately the second partition would be detected as IOBES.
    gold = [["B-A", "I-A", "O"], ["S-A", "O"]]
    with pytest.raises(SchemeError):
        spanrs.score(gold[:1], gold[:1]).merge(spanrs.score(gold[1:], gold[1:]))
    bag = bags.from_sequence(list(zip(gold, gold, strict=True)), partition_size=1)
    result = score_bag(bag)
    assert result.settings["scheme"] == "BIO"
    assert result.violations["gold"].count == 1


def test_pred_decides_its_scheme_later():
    gold = [["B-A", "I-A"], ["B-A", "I-A"]]
    pred = [["O", "O"], ["B-A", "L-A"]]
    bag = bags.from_sequence(list(zip(gold * 2, pred * 2, strict=True)), partition_size=1)
    result = score_bag(bag)
    assert (result.settings["scheme"], result.settings["pred_scheme"]) == ("BIO", "BILOU")
    assert result.totals == (2, 0, 2)


@pytest.mark.parametrize("fan_in", [2, 3, 7])
def test_any_tree_of_neighbours_gives_the_same_bytes(fan_in):
    gold, pred = sentences(90, seed=4)
    results = [spanrs.score(*pair, scheme="BIO", by=[1] * len(pair[0])).to_bytes()
               for pair in zip(pieces(gold, 30), pieces(pred, 30), strict=True)]  # fmt: skip
    # Results without tags can be merged with all others.
    results[5] = results[29] = spanrs.score([["O"]], [["O"]], by=[1]).to_bytes()
    expected = shards.merge_bytes(results)
    while len(results) > 1:
        results = [shards.merge_bytes(group) for group in shards.groups(results, fan_in)]
    assert results == [expected]
    with pytest.raises(ValueError, match="no results to merge"):
        shards.merge_bytes([])


def test_workers_in_other_processes_give_the_same_bytes(tmp_path):
    distributed = pytest.importorskip("dask.distributed", reason="distributed is not installed")
    pairs, tables, *_ = write_shards(tmp_path, 9, only_o=(0,))
    expected = score_shards(pairs).to_bytes()
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with (
        dask.config.set({"scheduler": None, "distributed.worker.daemon": True}),
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert dask.base.get_scheduler() == client.get
        assert score_shards(pairs).to_bytes() == expected
        options = {"scheme": "BIO", "matcher": spanrs.Fair(focus="pred")}
        got = score_shards(tables, **options).to_bytes()
        named = [as_shard(spanrs.score(table, **options), table.name) for table in tables]
        assert got == named[0].merge(*named[1:]).to_bytes()
        (tmp_path / "4.pred").write_text("w O\n", encoding="utf-8")
        with pytest.raises(AlignmentError, match=r"4\.pred") as raised:
            score_shards(pairs, scheme="BIO")
        assert raised.value.path == str(pairs[4][0])
