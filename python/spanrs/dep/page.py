"""HTML reports of evaluations of trees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import NamedTuple

from spanrs import _spanrs
from spanrs.dep.evaluation import Trees
from spanrs.dep.parse import Parse
from spanrs.dep.scores import MEASURES, main_label, score_tables
from spanrs.errors import SpanrsError
from spanrs.eval import Result
from spanrs.eval.error_section import MOST_ERRORS
from spanrs.eval.measures import Measure
from spanrs.eval.pages import bar_of, confusion, draw_intervals, interval_note
from spanrs.eval.resampling import Bootstrap
from spanrs.io.columns import Columns
from spanrs.io.sources import open_source
from spanrs.report.examples import Example, Mark
from spanrs.report.numbers import amount, percent_range
from spanrs.report.page import Bars, Card, Cards, Examples, Lines, Section, Sorted, render
from spanrs.report.pages import cut_by_kind

#: Measures in the summary.
SUMMARY = ("uas", "las", "clas", "mlas", "upos", "xpos")
#: Largest number of labels in the heat map.
MOST_LABELS = 60
#: Number of words shown before and after a wrong word.
CONTEXT = 12
#: Kinds of errors.
KINDS = {
    "head": "wrong head, right label",
    "label": "right head, wrong label",
    "both": "wrong head and wrong label",
}
#: Columns of heads and labels, by format.
_COLUMNS: dict[str, tuple[Columns, int | str]] = {
    "conllu": (Columns(tag="HEAD", format="conllu"), "DEPREL"),
    "four-columns": (Columns(tag=2, format="columns", separator="whitespace", comments="none"), 3),
}


class _Tree(NamedTuple):
    """A sentence with its tree."""

    words: Sequence[str]
    heads: Sequence[int]
    labels: Sequence[str]
    line: int | None = None
    """Line of the first word, from 1."""


def tree_page(
    result: Result,
    gold: Trees | None = None,
    pred: Trees | None = None,
    *,
    title: str = "Evaluation of trees",
) -> str:
    """Return the report for an evaluation of trees: measures, labels, confusion, and words with a wrong head or label.

    Parameters
    ----------
    result : Result
        A result of :func:`spanrs.dep.evaluate`; intervals need ``by="sentence"``.
    gold, pred : path, binary file object, or sequence of Parse, optional
        The compared trees; without them the page has no examples. Files are read again, so memory depends only on the
        number of errors.
    title : str
        Title of the page.

    Returns
    -------
    str
        A self-contained HTML page, including scripts and styles.

    Raises
    ------
    ImportError
        If jinja2 is not installed (``pip install spanrs[html]``).

    Examples
    --------
    >>> from spanrs.dep import Parse, evaluate
    >>> from spanrs.dep.page import tree_page
    >>> gold = [Parse(["They", "ate", "pizza"], [2, 0, 2], ["nsubj", "root", "obj"])]
    >>> pred = [Parse(["They", "ate", "pizza"], [2, 0, 1], ["nsubj", "root", "obj"])]
    >>> page = tree_page(evaluate(gold, pred), gold, pred, title="Parser")
    >>> "<title>Parser</title>" in page, "wrong head, right label" in page
    (True, True)
    """
    sections = list(_sections(result, [name for name in result.matcher.criteria if result[name].unscored]))
    if reason := result["uas"].unscored:
        sections.append(
            Lines("Errors", [f"Errors are wrong heads and labels; they are not listed: {reason}."])
        )
    elif gold is not None and pred is not None:
        try:
            subtypes = getattr(result.matcher, "subtypes", False)
            sections.append(error_section(gold, pred, subtypes=subtypes))
        except SpanrsError as error:
            # The comparison succeeded, so write the page without the list.
            sections.append(Lines("Errors", [f"Errors are not listed: {error}"]))
    else:
        sections.append(Lines("Errors", ["The trees of both sides are needed to list errors."]))
    if notes := [*result.warnings, *result.notes]:
        sections.append(Lines("Notes", notes))
    return render(title, sections, signature=result.signature)


def _sections(result: Result, empty: Collection[str]) -> Iterator[Section]:
    names = [name for name in SUMMARY if name not in empty]
    labels = [] if "las" in empty else list(result["las"].per_type)
    of_labels = {name: Measure(criterion="las", type=name) for name in labels}
    summary = {name: Measure(criterion=name) for name in names}
    drawn = draw_intervals(result, [*summary.values(), *of_labels.values()]) if names else None
    cards = [_card(result, name, measure, drawn) for name, measure in summary.items()]
    cards += [
        Card("Gold words", amount(result["uas"].micro.support)),
        Card("Sentences", amount(result.sentences)),
    ]
    yield Cards("Summary", cards)
    measures, *by_label = score_tables(result, per_label=True)
    yield Sorted("Measures", measures)
    yield from (Sorted("LAS by label", table) for table in by_label)
    if labels:
        scores = result["las"].per_type
        bars = [
            bar_of(
                name, scores[name].f1, of_labels[name], drawn, f"{amount(scores[name].support)} gold words"
            )
            for name in sorted(labels, key=lambda name: (-scores[name].support, name))
        ]
        yield Bars("LAS of labels", bars, note=interval_note(result, drawn))
        section = confusion(result, title="Confusion of labels", most=MOST_LABELS, what="labels")
        yield replace(
            section, note=f"Labels of aligned words, regardless of their heads. {section.note}".strip()
        )


def _card(result: Result, name: str, measure: Measure, drawn: Bootstrap | None) -> Card:
    note = ""
    if drawn is not None:
        low, high = drawn.interval(measure)
        note = f"95 %: {percent_range(low, high)}"
    return Card(MEASURES[name], f"{100 * result[name].micro.f1:.2f}", note)


@dataclass
class _Found:
    """Counts collected while reading the trees."""

    kinds: Counter[str] = field(default_factory=Counter)
    """Number of errors by kind."""
    differing: int = 0
    """Number of sentences whose words differ."""


def error_section(gold: Trees, pred: Trees, *, subtypes: bool = False, most: int = MOST_ERRORS) -> Examples:
    """Return the words with a wrong head or label, in context.

    Sentences whose words differ between the two sides are skipped and counted in a note.

    Parameters
    ----------
    gold, pred : path, binary file object, or sequence of Parse
        The trees.
    subtypes : bool
        Compare labels with their subtypes (``nmod:poss``).
    most : int
        Maximum number of examples; the first examples of each kind are kept.

    Examples
    --------
    >>> from spanrs.dep import Parse
    >>> from spanrs.dep.page import error_section
    >>> gold = [Parse(["They", "ate", "pizza"], [2, 0, 2], ["nsubj", "root", "obj"])]
    >>> pred = [Parse(["They", "ate", "pizza"], [2, 0, 1], ["nsubj", "root", "obl"])]
    >>> [error.kind for error in error_section(gold, pred).examples]
    ['both']
    """
    errors = _Found()
    examples: list[Example] = []
    trees = [_trees(side) for side in (gold, pred)]
    for at, (gold_tree, pred_tree) in enumerate(zip_longest(*trees)):
        if gold_tree is None or pred_tree is None or list(gold_tree.words) != list(pred_tree.words):
            errors.differing += 1
            continue
        wrong = _wrong_words(gold_tree, pred_tree, subtypes=subtypes)
        for word, kind in wrong.items():
            if errors.kinds[kind] < most:
                examples.append(_example(kind, at, word, (gold_tree, pred_tree)))
            errors.kinds[kind] += 1
    notes = ["An arrow points to the head of the word."]
    examples = cut_by_kind(examples, lambda example: example.kind, most)
    if len(examples) < errors.kinds.total():
        notes.append(f"The first {len(examples)} of {errors.kinds.total()} errors.")
    if errors.differing:
        sentences = "sentence" if errors.differing == 1 else "sentences"
        notes.append(f"Excluded: {errors.differing} {sentences} whose words differ between gold and pred.")
    return Examples("Errors", examples, note=" ".join(notes), kinds=KINDS, numbers=errors.kinds)


def _wrong_words(gold: _Tree, pred: _Tree, *, subtypes: bool) -> dict[int, str]:
    """Map the index of each wrong word to the kind of error."""
    wrong = {}
    rows = zip(gold.heads, pred.heads, gold.labels, pred.labels, strict=True)
    for at, (head, other_head, label, other_label) in enumerate(rows):
        has_label = label == other_label if subtypes else main_label(label) == main_label(other_label)
        if head != other_head:
            wrong[at] = "head" if has_label else "both"
        elif not has_label:
            wrong[at] = "label"
    return wrong


def _example(kind: str, sentence: int, word: int, trees: tuple[_Tree, _Tree]) -> Example:
    words = trees[0].words
    first, end = max(word - CONTEXT, 0), min(word + CONTEXT + 1, len(words))
    marks = []
    for side, tree in zip(("gold", "pred"), trees, strict=True):
        head = tree.heads[word]
        arrow = f"← {words[head - 1]}" if head else "← (root)"
        # Filters apply to labels, so the head is a note.
        marks.append(Mark(side, tree.labels[word], word, word + 1, note=arrow))
    return Example(kind, sentence, tuple(words[first:end]), marks, first, trees[0].line, None, len(words))


def _trees(trees: Trees) -> Iterator[_Tree]:
    """Yield the trees of a file, which is well-formed because it was scored, or of sentences."""
    if isinstance(trees, Sequence) and not isinstance(trees, str):
        # Sentences without words are not compared.
        return (_tree(parse) for parse in trees if len(parse))
    return _file_trees(open_source(trees, keep=True))


def _tree(parse: Parse) -> _Tree:
    return _Tree(parse.words, parse.heads.tolist(), parse.labels or ("_",) * len(parse))


def _file_trees(source: _spanrs.Source) -> Iterator[_Tree]:
    columns, label = _COLUMNS[_spanrs.SyntaxFile(source, None).format]
    rows = _spanrs.CrfSentences(source, columns, [label], None)
    for at, heads in enumerate(rows.tags()):
        words, labels = zip(*rows[at], strict=True)
        yield _Tree(words, list(map(int, heads)), labels, rows.lines(at)[0])
