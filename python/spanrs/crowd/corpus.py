"""Sentences with the labels of several annotators."""

from __future__ import annotations

import copy
import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from spanrs import _spanrs
from spanrs.crf.training import scheme_of
from spanrs.errors import AlignmentError, LimitError, ModelError, SchemeError, Violation, with_code

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from spanrs.crowd.projects import Place, ProjectDocument


#: True labels of some sentences: labels or None for each sentence, or labels by index of the sentence.
Known: TypeAlias = "Sequence[Sequence[str] | None] | Mapping[int, Sequence[str]]"
#: Placeholder in place of a label if an annotator did not label the sentence.
MISSING = "?"
#: Maximum number of elements in a table, 2 GiB.
MOST_NUMBERS = 1 << 28


class SentenceLabels(NamedTuple):
    """The labels of a sentence by one annotator."""

    sentence: int
    """Index of the sentence, from 0."""
    annotator: int
    """Index of the annotator, from 0."""
    labels: tuple[int, ...]
    """Index of the label of each token."""


class Votes(NamedTuple):
    """The labels of all tokens by all annotators, as arrays of equal length."""

    token: npt.NDArray[np.int64]
    """Index of the token, counted over all sentences."""
    annotator: npt.NDArray[np.int64]
    """Index of the annotator."""
    label: npt.NDArray[np.int64]
    """Index of the label."""


class CrowdCorpus:
    """Sentences with the labels of any number of annotators.

    Parameters
    ----------
    sentences : iterable of sequences
        The tokens of each sentence: strings, tuples of columns, or features for :class:`spanrs.crf.CRF`.
    annotations : iterable of mappings
        For each sentence, a mapping from names of annotators to labels. Omit annotators who did not label the sentence,
        or use None.
    annotators : sequence of str, optional
        Names of all annotators in order; by default in the order of their first occurrence.
    scheme : str, optional
        The scheme of the tags. ``auto`` detects the scheme if labels are tags with types; None means that labels are
        not tags.
    missing : str, optional
        A label that means "not answered", like None, NaN and the empty string; either all tokens of a sentence or none
        must have this label. Set ``missing`` to None if ``?`` is a label of the corpus.
    known : sequence or mapping, optional
        True labels of some sentences: a sequence with the labels of each sentence, or None; or a mapping from indices
        of sentences to labels. These sentences need not have annotators.

    Attributes
    ----------
    sentences : list
        The tokens.
    annotators : list of str
        Names of the annotators.
    labels : list of str
        The labels: ``O`` first if it occurs, then all others in the order of their first occurrence.
    annotations : list of SentenceLabels
        The annotations, ordered by sentence, then by annotator.
    known : dict of int to tuple of int
        Indices of the true labels of sentences, by index of the sentence, ascending; empty if no true labels are known.

    Raises
    ------
    spanrs.errors.AlignmentError
        If the numbers of sentences differ, a sentence and its labels differ in length, or ``known`` has the index of a
        sentence that does not exist.
    spanrs.errors.ModelError
        If a label is not a string or has surrounding white space, a sentence is a string or only partly labelled, or an
        annotator is missing from ``annotators`` or repeated.
    spanrs.errors.SchemeError
        If the scheme is unknown.

    Examples
    --------
    >>> from spanrs.crowd import CrowdCorpus
    >>> corpus = CrowdCorpus(
    ...     [["Ada", "sleeps"], ["Bob", "wakes"]],
    ...     [{"ann": ["B-PER", "O"], "ben": ["O", "O"]}, {"ben": ["B-PER", "O"]}],
    ... )
    >>> corpus.annotators, corpus.labels, len(corpus.annotations)
    (['ann', 'ben'], ['O', 'B-PER'], 3)
    """

    def __init__(
        self,
        sentences: Iterable[Sequence[Any]],
        annotations: Iterable[Mapping[str, Sequence[str] | None]],
        *,
        annotators: Sequence[str] | None = None,
        scheme: str | None = "auto",
        missing: str | None = MISSING,
        known: Known | None = None,
    ) -> None:
        self.sentences: list[Sequence[Any]] = []
        for at, sentence in enumerate(sentences):
            if isinstance(sentence, str):
                raise ModelError(f"sentence {at} is a string; it must be a list of tokens")
            self.sentences.append(list(sentence))
        given = list(annotations)
        if len(given) != len(self.sentences):
            message = f"{len(self.sentences)} sentences, but annotations of {len(given)} sentences"
            raise AlignmentError(message)
        numbers = {name: at for at, name in enumerate(annotators or ())}
        if annotators is not None and len(numbers) < len(annotators):
            twice = next(name for at, name in enumerate(annotators) if name in annotators[:at])
            raise ModelError(f"annotator {twice!r} occurs twice in annotators")
        labels: dict[str, int] = {}
        self.annotations: list[SentenceLabels] = []
        for at, (tokens, answers) in enumerate(zip(self.sentences, given, strict=True)):
            sentence_labels = []
            for name, tags in answers.items():
                if name not in numbers and annotators is not None:
                    raise ModelError(f"sentence {at}: {name!r} is not one of the annotators")
                annotator = numbers.setdefault(name, len(numbers))
                ids = None if tags is None else _label_ids(tags, labels, (at, name, len(tokens)), missing)
                if ids is not None:
                    sentence_labels.append(SentenceLabels(at, annotator, ids))
            self.annotations += sorted(sentence_labels)
        self.annotators = list(numbers)
        self.known = _known_labels(known, self.lengths, labels, missing)
        #: Position of each sentence in ``texts``; None for sentences without documents.
        self.places: list[Place] | None = None
        #: The documents of the sentences, with the annotations of each annotator.
        self.texts: list[ProjectDocument] | None = None
        self._set_labels(labels)
        self._scheme = scheme if scheme in (None, "auto") else _spanrs.scheme_name(scheme)

    def _set_labels(self, labels: Mapping[str, int]) -> None:
        """Order the labels, and replace their indices in annotations and known labels."""
        # Ties are often broken by the order of labels; with O first, ``ties="lowest"`` prefers O.
        self.labels = sorted(labels, key=lambda name: (name != "O", labels[name]))
        new = {labels[name]: place for place, name in enumerate(self.labels)}
        self.annotations = [
            annotation._replace(labels=tuple(new[label] for label in annotation.labels))
            for annotation in self.annotations
        ]
        self.known = {at: tuple(new[label] for label in row) for at, row in self.known.items()}
        # Computed on first use.
        self._by_annotator: tuple[list[list[str]], list[int], list[int]] | None = None
        self._ordered: tuple[Votes, npt.NDArray[np.int64], list[int]] | None = None
        self._checked = False
        # Of spanrs.crowd.correlation.
        self._correlated: list[Any] | None = None
        self._known_groups: list[Any] | None = None

    def __len__(self) -> int:
        """Return the number of sentences."""
        return len(self.sentences)

    def __repr__(self) -> str:
        known = f", known labels of {len(self.known)}" if self.known else ""
        return (
            f"CrowdCorpus({len(self)} sentences, {len(self.annotators)} annotators, {len(self.annotations)} "
            f"annotations, {len(self.labels)} labels{known})"
        )

    @property
    def lengths(self) -> list[int]:
        """Number of tokens of each sentence."""
        return [len(sentence) for sentence in self.sentences]

    def replaced(
        self,
        *,
        sentences: Sequence[Sequence[Any]] | None = None,
        annotations: list[SentenceLabels] | None = None,
        annotators: list[str] | None = None,
    ) -> CrowdCorpus:
        """Return a corpus with the same (known) labels and scheme, but other tokens, annotations or annotators.

        The new corpus has no documents, because their annotations would be those of this corpus.
        """
        other = CrowdCorpus([], [], scheme=self.scheme())
        other.sentences = self.sentences if sentences is None else list(sentences)
        other.annotators = self.annotators if annotators is None else annotators
        other.labels = self.labels
        other.annotations = self.annotations if annotations is None else annotations
        other.known = self.known
        return other

    def with_known(self, known: Known) -> CrowdCorpus:
        """Return the corpus with true labels of some sentences, in place of the labels known before.

        Parameters
        ----------
        known : sequence or mapping
            Same as in :class:`CrowdCorpus`.

        Raises
        ------
        spanrs.errors.AlignmentError, spanrs.errors.ModelError
            Same as in :class:`CrowdCorpus`.

        Examples
        --------
        >>> from spanrs.crowd import CrowdCorpus
        >>> corpus = CrowdCorpus([["Ada"], ["Bob"]], [{"ann": ["O"]}, {"ann": ["O"]}])
        >>> corpus.with_known({1: ["B-PER"]}).known
        {1: (1,)}
        """
        other = copy.copy(self)
        labels = {name: at for at, name in enumerate(self.labels)}
        other.known = _known_labels(known, self.lengths, labels, None)
        other._set_labels(labels)
        return other

    def answered(self, min_annotators: int = 1) -> list[bool]:
        """Return whether each sentence has at least this number of annotators, or known labels.

        Examples
        --------
        >>> from spanrs.crowd import CrowdCorpus
        >>> corpus = CrowdCorpus([["a"], ["b"]], [{"x": ["A"], "y": ["A"]}, {"x": ["A"]}])
        >>> corpus.answered(2)
        [True, False]
        """
        numbers = Counter(annotation.sentence for annotation in self.annotations)
        return [at in self.known or numbers[at] >= min_annotators for at in range(len(self))]

    def votes(self) -> Votes:
        """Return the labels of all tokens by all annotators.

        Examples
        --------
        >>> from spanrs.crowd import CrowdCorpus
        >>> corpus = CrowdCorpus([["a"], ["b", "c"]], [{"x": ["A"]}, {"x": ["A", "B"], "y": ["B", "B"]}])
        >>> corpus.votes().token.tolist(), corpus.votes().label.tolist()
        ([0, 1, 2, 1, 2], [0, 0, 1, 1, 1])
        """
        import numpy as np

        lengths = np.array(self.lengths, dtype=np.int64)
        starts = np.cumsum(lengths) - lengths
        sentences = np.array([annotation.sentence for annotation in self.annotations], dtype=np.int64)
        sizes = lengths[sentences]
        places = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        annotators = np.array([annotation.annotator for annotation in self.annotations], dtype=np.int64)
        labels = itertools.chain.from_iterable(annotation.labels for annotation in self.annotations)
        return Votes(
            np.repeat(starts[sentences], sizes) + places,
            np.repeat(annotators, sizes),
            np.fromiter(labels, dtype=np.int64, count=int(sizes.sum())),
        )

    def vote_counts(self) -> npt.NDArray[np.int64]:
        """Return the number of votes (token of all sentences, label).

        Raises
        ------
        spanrs.errors.LimitError
            If the table would exceed the memory limit.

        Examples
        --------
        >>> from spanrs.crowd import CrowdCorpus
        >>> CrowdCorpus([["a", "b"]], [{"x": ["A", "B"], "y": ["A", "A"]}]).vote_counts().tolist()
        [[2, 0], [1, 1]]
        """
        import numpy as np

        size = sum(self.lengths), len(self.labels)
        self.check_table(*size)
        votes = self.votes()
        places = votes.token * size[1] + votes.label
        counts: npt.NDArray[np.int64] = np.bincount(places, minlength=size[0] * size[1])
        return counts.reshape(size)

    def check_table(self, *sizes: int) -> None:
        """Raise an error if a table would exceed the memory limit, probably because labels are in another column.

        Raises
        ------
        spanrs.errors.LimitError
            If the table would exceed the limit; the message contains the number of labels.
        """
        numbers = math.prod(sizes)
        if numbers > MOST_NUMBERS:
            message = (
                f"{len(self.labels)} different labels and {len(self.annotators)} annotators need a table of {numbers} "
                "numbers; check the column of labels"
            )
            raise with_code(LimitError(message), "too_many_labels")

    def check_labelled(self) -> None:
        """Raise an error if no token is labelled.

        Raises
        ------
        spanrs.errors.ModelError
            If no token has a label.
        """
        if not any(annotation.labels for annotation in self.annotations):
            raise ModelError("the corpus has no annotations: no token has a label")

    def labelled(self) -> list[int]:
        """Return the indices of the sentences with annotators or known labels, ascending."""
        return sorted({annotation.sentence for annotation in self.annotations} | self.known.keys())

    def documents(self, most: int) -> list[list[int]]:
        """Return runs of adjacent sentences with the same annotators, which are likely to belong to one document.

        Parameters
        ----------
        most : int
            Maximum length; longer runs are divided.

        Examples
        --------
        >>> from spanrs.crowd import CrowdCorpus
        >>> answers = [{"x": ["A"]}] * 3 + [{"y": ["A"]}]
        >>> CrowdCorpus([["w"]] * 4, answers).documents(2)
        [[0, 1], [2], [3]]
        """
        annotators: list[list[int]] = [[] for _ in range(len(self))]
        for annotation in self.annotations:
            annotators[annotation.sentence].append(annotation.annotator)
        pieces: list[list[int]] = []
        for _, run in itertools.groupby(range(len(self)), key=annotators.__getitem__):
            sentences = list(run)
            pieces += [sentences[at : at + most] for at in range(0, len(sentences), most)]
        return pieces

    def ordered_votes(self) -> tuple[Votes, npt.NDArray[np.int64], list[int]]:
        """Return votes ordered by annotator, the length of each annotation, and the number of annotations by annotator.

        Examples
        --------
        >>> from spanrs.crowd import CrowdCorpus
        >>> corpus = CrowdCorpus([["a"], ["b", "c"]], [{"x": ["A"], "y": ["B"]}, {"x": ["B", "B"]}])
        >>> votes, lengths, numbers = corpus.ordered_votes()
        >>> votes.label.tolist(), lengths.tolist(), numbers
        ([0, 1, 1, 1], [1, 2, 1], [2, 1])
        """
        import numpy as np

        if self._ordered is None:
            votes = self.votes()
            order = np.argsort(votes.annotator, kind="stable")
            annotators = np.array([annotation.annotator for annotation in self.annotations], dtype=np.int64)
            sizes = np.array([len(annotation.labels) for annotation in self.annotations], dtype=np.int64)
            numbers = np.bincount(annotators, minlength=len(self.annotators)).tolist()
            by = sizes[np.argsort(annotators, kind="stable")]
            self._ordered = Votes(*(column[order] for column in votes)), by, numbers
        return self._ordered

    def by_annotator(self) -> tuple[list[list[str]], list[int], list[int]]:
        """Return labels and sentences of annotations ordered by annotator, and the number of annotations by annotator.

        Examples
        --------
        >>> from spanrs.crowd import CrowdCorpus
        >>> CrowdCorpus([["a"], ["b"]], [{"x": ["A"], "y": ["B"]}, {"x": ["B"]}]).by_annotator()
        ([['A'], ['B'], ['B']], [0, 1, 0], [2, 1])
        """
        if self._by_annotator is None:
            ordered = sorted(self.annotations, key=lambda annotation: annotation.annotator)
            sizes = [0] * len(self.annotators)
            for annotation in ordered:
                sizes[annotation.annotator] += 1
            labels = [[self.labels[label] for label in annotation.labels] for annotation in ordered]
            self._by_annotator = labels, [annotation.sentence for annotation in ordered], sizes
        return self._by_annotator

    def scheme(self) -> str | None:
        """Return the scheme of the tags; None for labels that are not tags, such as parts of speech.

        Raises
        ------
        spanrs.errors.SchemeError
            If some labels are not tags although most labels are, or tags are in different schemes; the message names
            annotator, sentence and token.

        Examples
        --------
        >>> from spanrs.crowd import CrowdCorpus
        >>> CrowdCorpus([["Ada", "Li"]], [{"x": ["B-PER", "I-PER"]}]).scheme()
        'BIO'
        """
        if not self._checked:
            if self._scheme == "auto":
                self._scheme = self._find_scheme()
            if self._scheme is not None:
                self._check_tags(self._scheme)
            self._checked = True
        return self._scheme

    def _find_scheme(self) -> str | None:
        """Return the detected scheme; raise an error for contradictory labels."""
        known = [[self.labels[label] for label in row] for row in self.known.values()]
        scheme = scheme_of(self.labels, [*self.by_annotator()[0], *known])
        if scheme is None:
            typed = [label for label in self.labels if scheme_of([label], [[label]]) is not None]
            others = [label for label in self.labels if label != "O" and label not in typed]
            # A majority of labels or of tokens: in a small corpus a single typo can be a large fraction of the labels.
            number = Counter(itertools.chain(*self.by_annotator()[0], *known))
            tokens = [sum(number[label] for label in part) for part in (typed, others)]
            if typed and others and (len(typed) > len(others) or tokens[0] > tokens[1]):
                # A single typo would switch the score from span F1 to token accuracy.
                message = (
                    f"{others[0]!r} ({self._place_of(others[0])}) is not a tag, but most labels are; correct the "
                    "label, or set scheme=None if labels are not tags"
                )
                raise with_code(SchemeError(message), "unknown_tag")
        return scheme

    def _check_tags(self, scheme: str) -> None:
        """Raise an error if a label is not a tag of the scheme."""
        from spanrs import tags

        try:
            tags.transition_mask(scheme, self.labels)
        except SchemeError:
            legal = set(tags.tags_of(scheme, {label[2:] for label in self.labels if label != "O"}))
            wrong = next(label for label in self.labels if label not in legal)
            message = (
                f"{wrong!r} ({self._place_of(wrong)}) is not a tag of {scheme}, the scheme of most labels; convert the "
                "labels of all annotators to one scheme"
            )
            raise with_code(SchemeError(message), "unknown_tag") from None

    def _place_of(self, label: str) -> str:
        """Describe the position of the first occurrence of a label, for messages."""
        number = self.labels.index(label)
        places = (annotation for annotation in self.annotations if number in annotation.labels)
        annotation = next(places, None)
        if annotation is None:
            sentence, row = next(pair for pair in self.known.items() if number in pair[1])
            return f"known labels, sentence {sentence}, token {row.index(number)}"
        token = annotation.labels.index(number)
        return f"annotator {self.annotators[annotation.annotator]}, sentence {annotation.sentence}, token {token}"

    def has_words(self) -> bool:
        """Return whether all tokens are strings."""
        return all(isinstance(token, str) for sentence in self.sentences for token in sentence)

    def default_template(self) -> str | None:
        """Return the built-in feature template for the tokens; None for tokens that are features.

        The template is ``ner`` for words with tags, ``pos`` for words with other labels, and ``chunking`` for tuples of
        two strings.
        """
        if self.has_words():
            return "pos" if self.scheme() is None else "ner"
        first = next((token for sentence in self.sentences for token in sentence), None)
        return "chunking" if isinstance(first, tuple) and len(first) == 2 else None

    def labels_by(self, annotator: str) -> list[list[str] | None]:
        """Return the labels of each sentence by an annotator; None for sentences that the annotator did not label."""
        if annotator not in self.annotators:
            raise ModelError(f"no annotator {annotator!r}")
        number = self.annotators.index(annotator)
        labels_of_sentences: list[list[str] | None] = [None] * len(self)
        for annotation in self.annotations:
            if annotation.annotator == number:
                labels_of_sentences[annotation.sentence] = [
                    self.labels[label] for label in annotation.labels
                ]
        return labels_of_sentences

    def violations(self, scheme: str) -> list[tuple[str, int, Violation]]:
        """Return the tags that are illegal under a scheme: (annotator, sentence, violation).

        Raises
        ------
        spanrs.errors.SchemeError
            If the scheme is unknown.

        Examples
        --------
        >>> from spanrs.crowd import CrowdCorpus
        >>> corpus = CrowdCorpus([["Ada", "Li"]], [{"ann": ["O", "I-PER"]}])
        >>> [(annotator, sentence, str(found)) for annotator, sentence, found in corpus.violations("BIO")]
        [('ann', 0, 'Illegal Start: I-PER after O')]
        """
        from spanrs import tags

        named = [[self.labels[label] for label in annotation.labels] for annotation in self.annotations]
        by_annotation = tags.validate(named, scheme) if named else []
        return [
            (self.annotators[annotation.annotator], annotation.sentence, violation)
            for annotation, violations in zip(self.annotations, by_annotation, strict=True)
            for violation in violations
        ]


def is_missing(label: Any, missing: str | None) -> bool:
    """Return whether a label means "not answered": ``missing``, None, NaN, pandas' NA, or the empty string.

    Examples
    --------
    >>> from spanrs.crowd.corpus import is_missing
    >>> [is_missing(label, "?") for label in ("?", None, float("nan"), "", "O")]
    [True, True, True, True, False]
    """
    if isinstance(label, str):
        return label in ("", missing)
    # Comparing pandas' NA yields NA; pandas may not be installed.
    return (
        label is None or type(label).__name__ == "NAType" or (isinstance(label, Real) and math.isnan(label))
    )


def _label_ids(
    tags: Sequence[str], labels: dict[str, int], where: tuple[int, str | None, int], missing: str | None
) -> tuple[int, ...] | None:
    """Return the indices of labels, adding new ones; None if no token is labelled."""
    sentence, annotator, tokens = where
    known = annotator is None
    place = f"sentence {sentence}, known labels" if known else f"sentence {sentence}, annotator {annotator}"
    if isinstance(tags, str):
        raise ModelError(f"{place}: labels must be a list of strings")
    if len(tags) != tokens:
        given = (
            f"{len(tags)} labels are known" if known else f"annotator {annotator} gave {len(tags)} labels"
        )
        raise AlignmentError(f"sentence {sentence} has {tokens} tokens, but {given}")
    # Pandas and NumPy represent missing values as NaN.
    gaps = [at for at, tag in enumerate(tags) if not isinstance(tag, str) or tag in ("", missing)]
    if gaps and all(is_missing(tags[at], missing) for at in gaps):
        if len(gaps) == tokens:
            return None
        message = f"{place}: token {gaps[0]} has no label ({tags[gaps[0]]!r}); label all tokens of a sentence or none"
        raise with_code(ModelError(message), "bad_value")
    if gaps:
        raise ModelError(f"{place}: labels must be a list of strings")
    for at, tag in enumerate(tags):
        if tag not in labels and tag.strip() != tag:
            message = f"{place}, token {at}: the label {tag!r} has surrounding white space; remove the white space"
            raise with_code(ModelError(message), "bad_value")
    return tuple(labels.setdefault(tag, len(labels)) for tag in tags)


def _known_labels(
    known: Known | None, lengths: list[int], labels: dict[str, int], missing: str | None
) -> dict[int, tuple[int, ...]]:
    """Return the indices of known labels by sentence, adding new ones; sentences without labels are left out."""
    if known is None:
        return {}
    if not isinstance(known, Mapping):
        if isinstance(known, str) or len(known) != len(lengths):
            message = (
                f"{len(lengths)} sentences, but known has {len(known)} items; use None for unknown labels"
            )
            raise AlignmentError(message)
        known = {at: row for at, row in enumerate(known) if row is not None}
    rows: dict[int, tuple[int, ...]] = {}
    for at, row in known.items():
        if isinstance(at, bool) or not isinstance(at, Integral) or not 0 <= at < len(lengths):
            message = f"known has the index {at!r}; indices of sentences are from 0 to {len(lengths) - 1}"
            raise AlignmentError(message)
        ids = _label_ids(row, labels, (int(at), None, lengths[int(at)]), missing)
        if ids is not None:
            rows[int(at)] = ids
    return dict(sorted(rows.items()))
