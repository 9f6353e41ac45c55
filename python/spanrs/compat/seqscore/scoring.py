"""Scoring of label sequences and of annotated sequences."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from itertools import chain
from operator import eq
from typing import TypeAlias

from spanrs import _spanrs
from spanrs.compat.seqscore.encoding import DIALECT, REPAIR_CONLL, Encoding, EncodingError, get_encoding
from spanrs.compat.seqscore.model import AnnotatedSequence, Mention
from spanrs.compat.seqscore.validation import validate_labels

Labels: TypeAlias = Sequence[str]


@dataclass(frozen=True, slots=True)
class TokensWithType:
    """The tokens of a span and its type."""

    tokens: tuple[str, ...]
    type: str


class TokenCountError(ValueError):
    """A predicted sequence and its reference differ in the number of tokens."""

    def __init__(
        self, reference_token_count: int, pred_token_count: int, line_num: int, source: str | None
    ) -> None:
        self.reference_token_count = reference_token_count
        self.other_token_count = pred_token_count
        self.line_num = line_num
        self.source = source
        where = f" of {source}" if source else ""
        super().__init__(
            f"Token count mismatch at line {line_num}{where}\n"
            f"Reference sequence contains {reference_token_count} tokens; "
            f"predicted sequence contains {pred_token_count}.\n"
            "Correct the predictions to have the same number of tokens as the reference."
        )

    @classmethod
    def from_predicted_sequence(
        cls, reference_token_count: int, pred_sequence: AnnotatedSequence
    ) -> TokenCountError:
        """Create the error for a sequence with provenance."""
        place = pred_sequence.provenance
        if place is None:
            raise ValueError(f"Cannot create {cls.__name__} from sequence without provenance")
        return cls(reference_token_count, len(pred_sequence), place.starting_line, place.source)


@dataclass
class ClassificationScore:
    """Counts of correct, spurious and missed spans, in total and by type.

    >>> ClassificationScore(true_pos=1, false_pos=1).f1
    0.6666666666666666
    """

    true_pos: int = field(default=0, kw_only=True)
    false_pos: int = field(default=0, kw_only=True)
    false_neg: int = field(default=0, kw_only=True)
    type_scores: defaultdict[str, ClassificationScore] = field(
        default_factory=lambda: defaultdict(ClassificationScore), kw_only=True
    )
    false_pos_examples: Counter[TokensWithType] = field(default_factory=Counter)
    false_neg_examples: Counter[TokensWithType] = field(default_factory=Counter)

    def count_false_positive(self, tokens: Iterable[str], type_: str) -> None:
        """Count an example of a spurious span."""
        self.false_pos_examples[TokensWithType(tuple(tokens), type_)] += 1

    def count_false_negative(self, tokens: Iterable[str], type_: str) -> None:
        """Count an example of a missed span."""
        self.false_neg_examples[TokensWithType(tuple(tokens), type_)] += 1

    def update(self, score: ClassificationScore) -> None:
        """Add another score; examples are not added."""
        self.add(score.true_pos, score.false_pos, score.false_neg)
        for name, of_type in score.type_scores.items():
            self.type_scores[name].update(of_type)

    def add(self, true_pos: int, false_pos: int, false_neg: int, type_: str | None = None) -> None:
        """Add counts to the totals and, if a type is given, to the counts of the type."""
        self.true_pos += true_pos
        self.false_pos += false_pos
        self.false_neg += false_neg
        if type_ is not None:
            self.type_scores[type_].add(true_pos, false_pos, false_neg)

    @property
    def total_pos(self) -> int:
        """Number of predicted spans."""
        return self.true_pos + self.false_pos

    @property
    def total_ref(self) -> int:
        """Number of reference spans."""
        return self.true_pos + self.false_neg

    @property
    def precision(self) -> float:
        """Fraction of predicted spans that are correct; 0 if there are no predicted spans."""
        return self.true_pos / self.total_pos if self.total_pos else 0.0

    @property
    def recall(self) -> float:
        """Fraction of reference spans that were predicted; 0 if there are no reference spans."""
        return self.true_pos / self.total_ref if self.total_ref else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 0 if either is 0."""
        precision, recall = self.precision, self.recall
        return 2 * (precision * recall) / (precision + recall) if precision and recall else 0.0


@dataclass
class AccuracyScore:
    """Token accuracy: counts of tokens with equal labels."""

    hits: int = field(default=0, kw_only=True)
    total: int = field(default=0, kw_only=True)

    @property
    def accuracy(self) -> float:
        """Fraction of tokens with equal labels; 0 if there are no tokens."""
        return self.hits / self.total if self.total else 0.0


def compute_scores(
    pred_docs: Sequence[Sequence[AnnotatedSequence]],
    ref_docs: Sequence[Sequence[AnnotatedSequence]],
    *,
    count_fp_fn_examples: bool = False,
) -> tuple[ClassificationScore, AccuracyScore]:
    """Score documents; raises ValueError if documents, sequences or tokens differ between the sides."""
    accuracy, score, examples = AccuracyScore(), ClassificationScore(), count_fp_fn_examples
    if len(pred_docs) != len(ref_docs):
        raise ValueError(
            f"Prediction has {len(pred_docs)} documents, reference has {len(ref_docs)}. "
            "Consider setting --ignore-document-boundaries/ignore_document_boundaries."
        )
    for pred_doc, ref_doc in zip(pred_docs, ref_docs, strict=True):
        if len(pred_doc) != len(ref_doc):
            raise ValueError(f"Prediction has {len(pred_doc)} sequences, reference has {len(ref_doc)}")
        for pred, ref in zip(pred_doc, ref_doc, strict=True):
            if len(pred) != len(ref):
                raise TokenCountError.from_predicted_sequence(len(ref), pred)
            if pred.tokens != ref.tokens:
                raise ValueError(
                    "Tokens do not match between predictions and reference.\n"
                    f"Prediction: {pred.tokens}\nReference: {ref.tokens}"
                )
            score_sequence_label_accuracy(pred.labels, ref.labels, accuracy)
            mentions = pred.mentions, ref.mentions
            score_sequence_mentions(*mentions, score, tokens=ref.tokens, count_fp_fn_examples=examples)
    return score, accuracy


def score_sequence_label_accuracy(pred_labels: Labels, ref_labels: Labels, score: AccuracyScore) -> None:
    """Add the labels of a sequence to an accuracy score."""
    if len(pred_labels) != len(ref_labels):
        raise ValueError(f"Prediction has {len(pred_labels)} labels, reference has {len(ref_labels)}")
    score.hits += sum(map(eq, pred_labels, ref_labels))
    score.total += len(ref_labels)


def score_sequence_mentions(
    pred_mentions: Sequence[Mention],
    ref_mentions: Sequence[Mention],
    score: ClassificationScore,
    *,
    tokens: Sequence[str] | None = (),
    count_fp_fn_examples: bool = False,
) -> None:
    """Add the mentions of one sequence to a score; duplicates are counted once."""
    if count_fp_fn_examples and not tokens:
        raise ValueError("Tokens must be provided to count false positive/negative examples")
    # Dicts keep the order of occurrence, on which the order of types depends.
    pred, ref = dict.fromkeys(pred_mentions), dict.fromkeys(ref_mentions)
    outcomes = (
        ((1, 0, 0), [mention for mention in pred if mention in ref]),
        ((0, 1, 0), [mention for mention in pred if mention not in ref]),
        ((0, 0, 1), [mention for mention in ref if mention not in pred]),
    )
    for counts, mentions in outcomes:
        for mention in mentions:
            score.add(*counts, mention.type)
            if count_fp_fn_examples and not counts[0]:
                count = score.count_false_positive if counts[1] else score.count_false_negative
                count((tokens or ())[mention.span.start : mention.span.end], mention.type)


def score_label_sequences(
    pred_label_sequences: Sequence[Labels],
    ref_label_sequences: Sequence[Labels],
    encoding_name: str,
    *,
    repair: str | None,
) -> tuple[ClassificationScore, AccuracyScore]:
    """Score sequences of labels.

    Accuracy compares labels before repair. Raises EncodingError for invalid labels without repair.

    >>> pred, ref = [["B-PER", "O"]], [["I-PER", "O"]]
    >>> score, accuracy = score_label_sequences(pred, ref, "BIO", repair="conlleval")
    >>> score.f1, accuracy.accuracy
    (1.0, 0.5)
    """
    preds, refs = pred_label_sequences, ref_label_sequences
    if len(preds) != len(refs):
        numbers = f"predicted ({len(preds)}) and reference ({len(refs)})"
        raise ValueError(f"Different number of sequences in {numbers}")
    encoding = get_encoding(encoding_name)
    counted = _counted(preds, refs, encoding, repair)
    if counted is not None:
        return counted
    # Slow path: some labels must be refused or are not supported by the compiled module.
    score, accuracy = ClassificationScore(), AccuracyScore()
    for pred, ref in zip(preds, refs, strict=True):
        score_sequence_label_accuracy(pred, ref, accuracy)
        mentions = _mentions(pred, encoding, repair)
        score_sequence_mentions(mentions, _mentions(ref, encoding, repair), score)
    return score, accuracy


def _counted(
    preds: Sequence[Labels], refs: Sequence[Labels], encoding: Encoding, repair: str | None
) -> tuple[ClassificationScore, AccuracyScore] | None:
    """Count sequences in the compiled module if they are valid or a reading can repair them; return None for others."""
    if encoding.scheme is None or not all(
        isinstance(labels, (list, tuple)) for labels in chain(preds, refs)
    ):
        return None
    repairs = repair in encoding.supported_repair_methods()
    reading = repair if repair and repairs else REPAIR_CONLL
    try:
        if not encoding.all_plain(set().union(*preds, *refs)):
            return None
        scorer = _spanrs.Scorer({}, {"scheme": encoding.scheme, "reading": reading, "dialect": DIALECT})
        scorer.update_lists(list(refs), list(preds), None)
    except ValueError:
        return None
    types, _, tokens, equal_tokens, violations = scorer.tag_state()
    if violations and not repairs:
        return None
    score = ClassificationScore()
    for name, (gold, pred, correct) in types.items():
        if gold or pred:
            score.add(correct, pred - correct, gold - correct, name)
    return score, AccuracyScore(hits=equal_tokens, total=tokens)


def _mentions(labels: Sequence[str], encoding: Encoding, repair: str | None) -> Sequence[Mention]:
    validation = validate_labels(labels, encoding, repair=repair)
    if validation.errors and not repair:
        messages = "\n".join(error.msg for error in validation.errors)
        words = "Cannot score sequence due to validation errors."
        raise EncodingError(f"{words}\nLabels:\n{labels}\nErrors:\n{messages}")
    return encoding.decode_labels(validation.repaired_labels if validation.errors else labels)


def convert_score(num: float, full_precision: bool) -> Decimal | float:
    """Return a fraction unchanged, or in per cent with two digits, with halves rounded up.

    >>> convert_score(0.5, False)
    Decimal('50.00')
    """
    if full_precision:
        return num
    return (Decimal(num) * 100).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
