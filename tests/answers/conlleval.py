"""Answers of the programs called conlleval: the Perl script, the PyPI package, and two Python scripts."""

from __future__ import annotations

import answers


def column_text(pair):
    """Format a pair as the Perl script reads it."""
    rows = zip(pair["g"], pair["p"], strict=True)
    return "".join(f"w {gold} {pred}\n" for gold, pred in rows).encode()


def lines(pair):
    return column_text(pair).decode().splitlines(keepends=True)


def package(conlleval, pair):
    """Return the summary of the package from PyPI and its report, or their errors."""
    summary = answers.attempt(conlleval.evaluate, lines(pair))
    report = answers.attempt(conlleval.report, summary)
    # The original returns types in the order of a set.
    summary["slots"] = {key: dict(sorted(counts.items())) for key, counts in summary["slots"].items()}
    return {"summary": summary, "report": report}


def spyysalo(evaluate, pair):
    """Return the counts of Pyysalo's script, or the error."""

    def counted():
        c = evaluate(lines(pair))
        whole = [c.correct_chunk, c.correct_tags, c.found_correct, c.found_guessed, c.token_counter]
        return whole + [dict(by) for by in (c.t_correct_chunk, c.t_found_correct, c.t_found_guessed)]

    return answers.attempt(counted)


def sighsmile(count_chunks, pair):
    """Return the counts by type of sighsmile's script, or the error."""
    return answers.attempt(lambda: [dict(by) for by in count_chunks(pair["g"], pair["p"])[:3]])
