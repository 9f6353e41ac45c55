"""Threads and processes: the result does not depend on them, and the GIL is released meanwhile."""

from __future__ import annotations

import multiprocessing
import os
import threading
from functools import partial
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

import spanrs

NAMES = ["O", "B-A", "I-A", "B-B", "I-B"]
#: Readings that are counted by blocks, and sentence by sentence.
READINGS = ["conlleval", "strict"]


def corpus(sentences=6000, seed=7):
    """Lengths and ids of both sides, with empty and long sentences, ignored tokens and violations."""
    random = np.random.default_rng(seed)
    lengths = random.integers(0, 25, sentences)
    lengths[[sentences // 3, sentences // 2]] = 9_000, 0
    gold = random.choice(len(NAMES), lengths.sum(), p=[0.7, 0.1, 0.08, 0.07, 0.05])
    pred = np.where(random.random(len(gold)) < 0.9, gold, random.integers(0, len(NAMES), len(gold)))
    gold[random.random(len(gold)) < 0.05] = -100
    return lengths, gold, pred


LENGTHS, GOLD, PRED = corpus()


def column(ids, chunks=1):
    """An Arrow column of strings with a number of chunks; ignored tokens are nulls."""
    taken = pa.array([None if i < 0 else NAMES[i] for i in ids.tolist()])
    whole = pa.ListArray.from_arrays(np.concatenate([[0], np.cumsum(LENGTHS)]), taken)
    borders = np.linspace(0, len(whole), chunks + 1).astype(int)
    return pa.chunked_array([whole[a:b] for a, b in pairwise(borders)])


def padded():
    """Both sides as one array each of short sentences."""
    return [side[: len(side) // 8 * 8].reshape(-1, 8) for side in (GOLD, PRED)]


FORMS = {
    "lengths": lambda: ([GOLD, PRED], {"vocabulary": NAMES, "lengths": LENGTHS}),
    "padded": lambda: (padded(), {"vocabulary": NAMES}),
    "wide": lambda: ([GOLD, PRED], {"vocabulary": [*NAMES, *map(str, range(300))], "lengths": LENGTHS}),
    "arrow": lambda: ([column(GOLD), column(PRED)], {}),
    "chunks": lambda: ([column(GOLD, 3), column(PRED, 5)], {}),
}


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("form", FORMS)
def test_results_are_those_of_one_thread_to_the_byte(form, reading):
    sides, options = FORMS[form]()
    for scheme in ("BIO", "auto"):
        expected = spanrs.score(*sides, scheme=scheme, reading=reading, max_violations=20, **options)
        assert all(violations.count > 20 for violations in expected.violations.values())
        for threads in (2, 3, 8, 0):
            got = spanrs.score(
                *sides, scheme=scheme, reading=reading, max_violations=20, threads=threads, **options
            )
            assert got.violations == expected.violations
            assert got.to_json() == expected.to_json()


def test_documents_are_those_of_one_thread():
    documents = [1000, 4999, 1]
    for form in ("lengths", "chunks"):
        sides, options = FORMS[form]()
        expected, got = (
            spanrs.score(
                *sides, scheme="BIO", by=documents, document_weights=[1, 0.5, 2], threads=n, **options
            )
            for n in (1, 3)
        )
        assert got.documents == expected.documents
        assert got.to_json() == expected.to_json()


def test_batches_of_a_scorer_are_those_of_one_thread():
    states = []
    for threads in (1, 3):
        scorer = spanrs.Scorer(scheme="BIO", by="document", threads=threads)
        for seed in (1, 2):
            lengths, gold, pred = corpus(3000, seed)
            scorer.update(gold, pred, vocabulary=NAMES, lengths=lengths)
            scorer.end_document()
        states.append(scorer.result())
    assert states[0].to_json() == states[1].to_json()
    assert len(states[1].documents) == 2


@pytest.mark.parametrize("reading", READINGS)
def test_the_error_is_that_of_one_thread(reading):
    borders = np.cumsum(LENGTHS)
    sentences = [i for i in (700, 2500, 4200, 5990) if LENGTHS[i] > 0]
    for first in range(len(sentences)):
        pred, gold = PRED.copy(), np.where(GOLD < 0, 0, GOLD)
        for sentence in sentences[first:]:
            pred[borders[sentence] - 1] = 77
        gold[borders[sentences[-1]] - 1] = -3
        sides = {
            "ids": ([gold, pred], {"vocabulary": NAMES, "lengths": LENGTHS}),
            "arrow": (
                [
                    pa.ListArray.from_arrays(np.concatenate([[0], borders]), pa.array(side))
                    for side in (gold, pred)
                ],
                {"vocabulary": NAMES},
            ),
        }
        for pair, options in sides.values():
            errors = []
            for threads in (1, 2, 3, 8):
                scorer = spanrs.Scorer(scheme="BIO", reading=reading, threads=threads)
                with pytest.raises(spanrs.errors.SchemeError) as caught:
                    scorer.update(*pair, **options)
                errors.append((str(caught.value), caught.value.code))
                # Nothing is counted, and the scorer remains usable.
                assert scorer.result().sentences == 0
            place = f"sentence {sentences[first]}, token {LENGTHS[sentences[first]] - 1},"
            assert place in errors[0][0]
            assert set(errors) == {errors[0]}


def test_refusals_are_those_of_one_thread():
    texts = set()
    for threads in (1, 3):
        with pytest.raises(spanrs.errors.SchemeError, match="gold sentence") as caught:
            spanrs.score(
                GOLD,
                PRED,
                scheme="BIO",
                reading="refuse",
                vocabulary=NAMES,
                lengths=LENGTHS,
                threads=threads,
            )
        texts.add((str(caught.value), caught.value.sentence, caught.value.count))
    assert len(texts) == 1


def test_more_threads_than_there_can_be_are_no_trouble():
    ids = np.zeros((3, 2), np.int8)
    assert spanrs.score(ids, ids, scheme="BIO", vocabulary=NAMES, threads=2**60).tokens == 6
    assert spanrs.score(ids[:0], ids[:0], scheme="BIO", vocabulary=NAMES, threads=4).tokens == 0
    lengths = {"lengths": LENGTHS, "vocabulary": NAMES}
    expected = spanrs.score(GOLD, PRED, scheme="BIO", **lengths)
    assert spanrs.score(GOLD, PRED, scheme="BIO", threads=10**9, **lengths).to_json() == expected.to_json()


def test_numbers_of_threads_that_are_none_are_refused():
    with pytest.raises(ValueError, match="not -1"):
        spanrs.Scorer(threads=-1)
    with pytest.raises(TypeError, match="float"):
        spanrs.score([[0]], [[0]], vocabulary=["O"], threads=1.5)


def _score_in_a_process(threads):
    return spanrs.score(GOLD, PRED, scheme="BIO", vocabulary=NAMES, lengths=LENGTHS, threads=threads)


# Python warns whenever a process with threads forks; the child processes here do not use these threads.
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_results_are_the_same_in_forked_processes():
    # Threads were used before the fork; none is needed afterwards.
    expected = _score_in_a_process(4)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        results = pool.map(_score_in_a_process, [1, 4, 2])
    for result in results:
        assert result.to_json() == expected.to_json()
        assert result.violations == expected.violations


def test_results_are_the_same_in_new_processes():
    score = partial(spanrs.score, GOLD, PRED, scheme="BIO", vocabulary=NAMES, lengths=LENGTHS)
    expected = score()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        for threads in (1, 3):
            result = pool.apply(score, kwds={"threads": threads})
            assert result.to_json() == expected.to_json()
            assert result.merge(expected).sentences == 2 * len(LENGTHS)


def _seen_in_use(update, scorer):
    """Whether this thread ran while another was inside an update.

    A scorer only reports that it is in use from within the compiled module. If that held the GIL, no other thread could
    observe it.
    """
    for _ in range(200):
        worker = threading.Thread(target=update)
        worker.start()
        heard = 0
        while worker.is_alive():
            try:
                scorer.result()
            except RuntimeError as error:
                assert "in use" in str(error)  # noqa: PT017
                heard += 1
        worker.join()
        if heard > 1:
            return True
    return False


@pytest.mark.parametrize("threads", [1, 2])
def test_the_interpreter_goes_on_while_ids_and_columns_are_counted(threads):
    ids = np.tile(np.array([0, 1, 2, 0, 3, 0, 0, 0], np.int64), (300_000, 1))
    scorer = spanrs.Scorer(scheme="BIO", threads=threads)
    scorer.update(ids[:1], ids[:1], vocabulary=NAMES)
    assert _seen_in_use(lambda: scorer.update(ids, ids, vocabulary=NAMES), scorer)
    lists = pa.FixedSizeListArray.from_arrays(pa.array(ids.ravel()), 8)
    assert _seen_in_use(lambda: scorer.update(lists, lists, vocabulary=NAMES), scorer)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_the_interpreter_goes_on_while_files_are_read(tmp_path):
    # The pipe is smaller than the output, so a reader that held the GIL would deadlock with the writer.
    path = tmp_path / "pipe"
    os.mkfifo(path)
    text = b"token B-A B-A\ntoken O O\n\n" * 50_000

    def write():
        with path.open("wb") as pipe:
            pipe.write(text)

    # To avoid blocking on opening.
    keep = os.open(path, os.O_RDWR)
    writer = threading.Thread(target=write)
    writer.start()
    closer = threading.Thread(target=lambda: (writer.join(), os.close(keep)))
    closer.start()
    result = spanrs.score(path, scheme="BIO")
    closer.join()
    assert (result.totals.tp, result.sentences) == (50_000, 50_000)
