"""The three Python versions of conlleval."""

from __future__ import annotations

import inspect
import io
import subprocess
import sys

import conlleval as theirs
import conlleval.conlleval as module
import pytest

from spanrs.compat import conlleval as ours
from spanrs.compat.conlleval import sighsmile, spyysalo

LINES = ["a B-PER B-PER", "b I-PER I-PER", "", "c B-LOC O", "d O B-LOC"]
GOLD, PRED = (["B-PER", "I-PER", "B-LOC", "O"], ["B-PER", "I-PER", "O", "B-LOC"])


def test_names_of_the_package_are_there():
    assert ours.__version__ == theirs.__version__
    assert ours.conlleval.__all__ == module.__all__
    for name in (
        "parse_tag",
        "summarize",
        "summarize_all",
        "end_of_chunk",
        "start_of_chunk",
        *module.__all__,
    ):
        assert hasattr(ours, name)
        assert hasattr(ours.conlleval, name)
    assert list(inspect.signature(ours.evaluate).parameters)[:4] == list(
        inspect.signature(theirs.evaluate).parameters
    )


def test_the_shape_follows_the_second_argument():
    assert ours.evaluate(LINES)["overall"]["chunks"]["stats"] == {"gold": 2, "pred": 2, "correct": 1}
    assert ours.evaluate(LINES, spyysalo.parse_args([])).correct_chunk == 1
    assert ours.evaluate(GOLD, PRED, False) == (50.0, 50.0, 50.0)
    assert ours.evaluate(GOLD, pred_seqs=PRED, verbose=False) == (50.0, 50.0, 50.0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'verbos'"):
        ours.evaluate(LINES, verbos=True)


def test_the_report_of_lines_is_written(capsys):
    counts = spyysalo.evaluate(LINES)
    out = io.StringIO()
    spyysalo.report(counts, out)
    ours.report(counts)
    assert capsys.readouterr().out == out.getvalue()
    assert out.getvalue().splitlines()[2:] == [
        "              LOC: precision:   0.00%; recall:   0.00%; FB1:   0.00  1",
        "              PER: precision: 100.00%; recall: 100.00%; FB1: 100.00  1",
    ]


def test_an_empty_text_has_a_report(capsys):
    spyysalo.report(spyysalo.evaluate([]))
    assert ours.report(ours.evaluate([])).startswith("processed 0 tokens with 0 phrases; found: 0 phrases;")
    assert sighsmile.evaluate([], []) == (0, 0, 0)
    assert "accuracy:   0.00%; (non-O)" in capsys.readouterr().out


def test_the_main_of_lines_reads_a_file(capsys, tmp_path):
    path = tmp_path / "f"
    path.write_text("\n".join(LINES))
    spyysalo.main(["conlleval", str(path)])
    assert "found: 2 phrases; correct: 1." in capsys.readouterr().out


def test_lists_print_a_report_and_empty_lines_of_files_are_tokens(capsys):
    sighsmile.evaluate_conll_file(LINES)
    assert capsys.readouterr().out.splitlines()[:3] == [
        "processed 5 tokens with 2 phrases; found: 2 phrases; correct: 1.",
        "accuracy:  66.67%; (non-O)",
        "accuracy:  60.00%; precision:  50.00%; recall:  50.00%; FB1:  50.00",
    ]
    with pytest.raises(OSError, match=r"conlleval: too few columns in line a b\n"):
        sighsmile.evaluate_conll_file(["a b\n"])
    with pytest.raises(ValueError, match="not enough values to unpack"):
        sighsmile.evaluate_conll_file(["a b c\n"])
    with pytest.raises(ValueError, match="not enough values to unpack"):
        sighsmile.count_chunks(["PER"], ["O"])


def test_all_six_counts_of_lists_are_given():
    sides, gold, pred, equal_tags, gold_tags, pred_tags = sighsmile.count_chunks(GOLD, [*PRED, "B-LOC"])
    assert (sides, gold, pred) == ({"PER": 1}, {"PER": 1, "LOC": 1}, {"PER": 1, "LOC": 1})
    assert equal_tags == {"B-PER": 1, "I-PER": 1}
    assert gold_tags == dict.fromkeys(GOLD, 1)
    assert pred_tags == dict.fromkeys(PRED, 1)


def test_lone_surrogates_are_kept():
    lines = ["w B-\udcff B-\udcff"]
    assert spyysalo.evaluate(lines).t_correct_chunk == {"\udcff": 1}


def test_functions_of_copies_of_the_script(tmp_path, capsys):
    path = tmp_path / "lines"
    path.write_text("\n".join(LINES), encoding="utf-8")
    lines = ours.return_report(str(path))
    counts = spyysalo.evaluate(LINES)
    assert lines == ours.report_notprint(counts)
    spyysalo.report(counts)
    assert "".join(lines) == capsys.readouterr().out
    overall, by_type = ours.metrics(counts)
    assert overall == ours.calculate_metrics(
        counts.correct_chunk, counts.found_guessed, counts.found_correct
    )
    assert sum(row.tp for row in by_type.values()) == overall.tp
    assert ours.calculate_metrics(0, 0, 0) == (0, 0, 0, 0, 0, 0)


def test_the_module_is_a_command(tmp_path):
    path = tmp_path / "lines"
    path.write_text("\n".join(LINES), encoding="utf-8")
    command = [sys.executable, "-m", "spanrs.compat.conlleval"]
    run = subprocess.run([*command, str(path)], capture_output=True, text=True, check=True)
    assert run.stdout == "".join(ours.return_report(str(path)))
    failed = subprocess.run(
        [*command, str(tmp_path / "absent")], capture_output=True, text=True, check=False
    )
    assert failed.returncode == 1
    assert failed.stderr.startswith("conlleval: [Errno 2] No such file")
