"""Reimplementation of ``utils/metric.py`` of NCRF++, with the same results.

Labels are converted to upper case, and prefixes are matched anywhere in a label. A span at the end of a sentence loses
its last index, so ``B-PER I-PER`` at the end of a sentence equals a single ``PER``. The reading ``ncrfpp`` of
:func:`spanrs.score` reads the same spans with their last index.
"""

from __future__ import annotations

from collections.abc import Sequence

from spanrs import _spanrs

#: Label types that are read as BMES; all others are read as BIO.
BMES = ("BMES", "BIOES")
Labels = list[list[str]]


def get_ner_fmeasure(
    golden_lists: Sequence[Sequence[str]], predict_lists: Sequence[Sequence[str]], label_type: str = "BMES"
) -> tuple[float, float, float, float]:
    """Return accuracy, precision, recall and F1 (-1 if undefined), and print a line about the tokens.

    Excess sentences of ``predict_lists`` are ignored.

    Examples
    --------
    >>> get_ner_fmeasure([["B-PER", "I-PER", "O"]], [["B-PER", "I-PER", "B-LOC"]], "BIO")
    Right token =  2  All token =  3  acc =  0.6666666666666666
    (0.6666666666666666, 0.5, 1.0, 0.6666666666666666)
    """
    bio = label_type not in BMES
    right_tag, all_tag, gold, pred, right = _spanrs.ncrfpp_counts(golden_lists, predict_lists, bio)
    precision = right / pred if pred else -1
    recall = right / gold if gold else -1
    f_measure = 2 * precision * recall / (precision + recall) if right else -1
    accuracy = float(right_tag) / all_tag
    if label_type.upper().startswith("B-"):
        print("gold_num = ", gold, " pred_num = ", pred, " right_num = ", right)  # noqa: T201
    else:
        print("Right token = ", right_tag, " All token = ", all_tag, " acc = ", accuracy)  # noqa: T201
    return accuracy, precision, recall, f_measure


def reverse_style(input_string: str) -> str:
    """Move the text before the first ``[`` to the end."""
    place = input_string.index("[")
    return input_string[place:] + input_string[:place]


def _written(label_list: Sequence[str], *, bio: bool) -> list[str]:
    return [
        reverse_style(f"{name}[{start}]" if last is None else f"{name}[{start},{last}]")
        for name, start, last in _spanrs.ncrfpp_spans(label_list, bio)
    ]


def get_ner_BMES(label_list: Sequence[str]) -> list[str]:  # noqa: N802
    """Return the spans of labels in BMES, as ``[start,last]TYPE``, or ``[start]TYPE`` for single tokens.

    Examples
    --------
    >>> get_ner_BMES(["b-per", "e-per", "O", "S-LOC"])
    ['[0,1]PER', '[3]LOC']
    """
    return _written(label_list, bio=False)


def get_ner_BIO(label_list: Sequence[str]) -> list[str]:  # noqa: N802
    """Return the spans of BIO labels like :func:`get_ner_BMES`; an I that continues a non-existent span is ignored."""
    return _written(label_list, bio=True)


def _sentences(input_file: str, columns: Sequence[int], skip: str | None = None) -> list[Labels]:
    """Read columns separated by single spaces from a file; an empty line ends a sentence.

    A last sentence that is not followed by an empty line is ignored, as in the original.
    """
    columns_of_file: list[Labels] = [[] for _ in columns]
    current: Labels = [[] for _ in columns]
    with open(input_file) as lines:
        for line in lines:
            if skip is not None and skip in line:
                continue
            if len(line) < 2:
                for sentences, sentence in zip(columns_of_file, current, strict=True):
                    sentences.append(sentence)
                current = [[] for _ in columns]
                continue
            fields = line.strip("\n").split(" ")
            for sentence, column in zip(current, columns, strict=True):
                sentence.append(fields[column])
    return columns_of_file


def readSentence(input_file: str) -> tuple[Labels, Labels]:  # noqa: N802
    """Read tokens and labels: first and last column of a file."""
    tokens, labels = _sentences(input_file, (0, -1))
    return tokens, labels


def readTwoLabelSentence(input_file: str, pred_col: int = -1) -> tuple[Labels, Labels, Labels]:  # noqa: N802
    """Read tokens, gold and pred labels: first, second and ``pred_col`` column; skip ``##score##`` lines."""
    tokens, gold, pred = _sentences(input_file, (0, 1, pred_col), "##score##")
    return tokens, gold, pred


def fmeasure_from_file(golden_file: str, predict_file: str, label_type: str = "BMES") -> None:
    """Print precision, recall and F1 of the labels in ``predict_file`` against the labels in ``golden_file``."""
    print("Get f measure from file:", golden_file, predict_file)  # noqa: T201
    print("Label format:", label_type)  # noqa: T201
    gold, pred = readSentence(golden_file)[1], readSentence(predict_file)[1]
    _, *measures = get_ner_fmeasure(gold, pred, label_type)
    print("P:{}m R:{}, F:{}".format(*measures))  # noqa: T201


def fmeasure_from_singlefile(twolabel_file: str, label_type: str = "BMES", pred_col: int = -1) -> None:
    """Print precision, recall and F1 of a file with gold and pred labels."""
    _, gold, pred = readTwoLabelSentence(twolabel_file, pred_col)
    _, *measures = get_ner_fmeasure(gold, pred, label_type)
    print("P:{}, R:{}, F:{}".format(*measures))  # noqa: T201
