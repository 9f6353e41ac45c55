"""Sentences with the labels of several annotators."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

from spanrs import _spanrs
from spanrs.crf.training import scheme_of
from spanrs.errors import AlignmentError, LimitError, ModelError, SchemeError, Violation, with_code

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


#: What stands for the label of an annotator who did not label a sentence.
MISSING = "?"
#: Most numbers in one table: 2 GiB.
MOST_NUMBERS = 1 << 28


class SentenceLabels(NamedTuple):
    """The labels that one annotator gave one sentence."""

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
    """Sentences with the labels of several annotators. Each sentence may be labelled by any number of them.

    Parameters
    ----------
    sentences : iterable of sequences
        The tokens of each sentence: strings, tuples of columns, or features as :class:`spanrs.crf.CRF` takes them.
    annotations : iterable of mappings
        For each sentence the labels by the name of the annotator. Annotators who did not label it are left out, or have
        None.
    annotators : sequence of str, optional
        Names of all annotators, to fix their order; by default the order in which they first occur.
    scheme : str, optional
        The scheme of the tags. ``auto`` finds it, where labels are tags with types; None for labels that are not tags.
    missing : str, optional
        A label that means "not answered", as None, NaN and an empty string do: of all tokens of a sentence or none.
        Set it to None for corpora in which ``?`` is a label.

    Attributes
    ----------
    sentences : list
        The tokens.
    annotators : list of str
        Names of the annotators.
    labels : list of str
        The labels, ``O`` first if there is one, the others in the order in which they first occur.
    annotations : list of SentenceLabels
        Ordered by sentence, then by annotator.

    Raises
    ------
    spanrs.errors.AlignmentError
        If the numbers of sentences differ, or a sentence and its labels differ in length.
    spanrs.errors.ModelError
        For labels that are not strings or have white space around them, for sentences that are strings or labelled in
        part, and for annotators that are not in ``annotators``, or twice.
    spanrs.errors.SchemeError
        For an unknown scheme.

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
    ) -> None:
        self.sentences: list[Sequence[Any]] = []
        for at, sentence in enumerate(sentences):
            if isinstance(sentence, str):
                raise ModelError(f"sentence {at} is a string; it must be a list of tokens")
            self.sentences.append(list(sentence))
        given = list(annotations)
        if len(given) != len(self.sentences):
            message = f"{len(self.sentences)} sentences, but annotations of {len(given)}"
            raise AlignmentError(message)
        known = {name: at for at, name in enumerate(annotators or ())}
        if annotators is not None and len(known) < len(annotators):
            twice = next(name for at, name in enumerate(annotators) if name in annotators[:at])
            raise ModelError(f"annotator {twice!r} is named twice")
        labels: dict[str, int] = {}
        self.annotations: list[SentenceLabels] = []
        for at, (tokens, own) in enumerate(zip(self.sentences, given, strict=True)):
            found = []
            for name, tags in own.items():
                if name not in known and annotators is not None:
                    raise ModelError(f"sentence {at}: {name!r} is not one of the annotators")
                annotator = known.setdefault(name, len(known))
                ids = None if tags is None else _label_ids(tags, labels, (at, name, len(tokens)), missing)
                if ids is not None:
                    found.append(SentenceLabels(at, annotator, ids))
            self.annotations += sorted(found)
        self.annotators = list(known)
        # Ties are often broken by the order of labels; O first makes "lowest" mean "rather nothing".
        names = sorted(labels, key=lambda name: (name != "O", labels[name]))
        new = {labels[name]: place for place, name in enumerate(names)}
        self.labels = names
        self.annotations = [
            annotation._replace(labels=tuple(new[label] for label in annotation.labels))
            for annotation in self.annotations
        ]

        # Derived when first needed.
        self._by_annotator: tuple[list[list[str]], list[int], list[int]] | None = None
        self._ordered: tuple[Votes, npt.NDArray[np.int64], list[int]] | None = None
        self._checked = False
        self._scheme = scheme if scheme in (None, "auto") else _spanrs.scheme_name(scheme)

    def __len__(self) -> int:
        """Give the number of sentences."""
        return len(self.sentences)

    def __repr__(self) -> str:
        return (
            f"CrowdCorpus({len(self)} sentences, {len(self.annotators)} annotators, {len(self.annotations)} "
            f"annotations, {len(self.labels)} labels)"
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
        """Give a corpus of the same labels and scheme, with other tokens, annotations or annotators."""
        other = CrowdCorpus([], [], scheme=self.scheme())
        other.sentences = self.sentences if sentences is None else list(sentences)
        other.annotators = self.annotators if annotators is None else annotators
        other.labels = self.labels
        other.annotations = self.annotations if annotations is None else annotations
        return other

    def votes(self) -> Votes:
        """Give the labels of all tokens by all annotators.

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
        sentences = np.array([own.sentence for own in self.annotations], dtype=np.int64)
        sizes = lengths[sentences]
        places = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        annotators = np.array([own.annotator for own in self.annotations], dtype=np.int64)
        labels = itertools.chain.from_iterable(own.labels for own in self.annotations)
        return Votes(
            np.repeat(starts[sentences], sizes) + places,
            np.repeat(annotators, sizes),
            np.fromiter(labels, dtype=np.int64, count=int(sizes.sum())),
        )

    def vote_counts(self) -> npt.NDArray[np.int64]:
        """Give the number of votes (token of all sentences, label).

        Raises
        ------
        spanrs.errors.LimitError
            For so many labels that the table would fill the memory.

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
        """Refuse a table that would fill the memory, most likely because the labels are not labels.

        Raises
        ------
        spanrs.errors.LimitError
            With the number of labels.
        """
        numbers = math.prod(sizes)
        if numbers > MOST_NUMBERS:
            message = (
                f"{len(self.labels)} different labels and {len(self.annotators)} annotators need a table of {numbers} "
                "numbers; are the labels in another column?"
            )
            raise with_code(LimitError(message), "too_many_labels")

    def check_labelled(self) -> None:
        """Refuse a corpus whose tokens nobody labelled.

        Raises
        ------
        spanrs.errors.ModelError
            If no token has a label.
        """
        if not any(own.labels for own in self.annotations):
            raise ModelError("the corpus has no annotations: no token has a label")

    def labelled(self) -> list[int]:
        """Give the numbers of the sentences that somebody labelled, ascending."""
        return sorted({own.sentence for own in self.annotations})

    def documents(self, most: int) -> list[list[int]]:
        """Give runs of neighbouring sentences with the same annotators, which are most likely of one document.

        Parameters
        ----------
        most : int
            Longer runs are divided, as where all annotators labelled all sentences.

        Examples
        --------
        >>> from spanrs.crowd import CrowdCorpus
        >>> answers = [{"x": ["A"]}] * 3 + [{"y": ["A"]}]
        >>> CrowdCorpus([["w"]] * 4, answers).documents(2)
        [[0, 1], [2], [3]]
        """
        annotators: list[list[int]] = [[] for _ in range(len(self))]
        for own in self.annotations:
            annotators[own.sentence].append(own.annotator)
        pieces: list[list[int]] = []
        for _, run in itertools.groupby(range(len(self)), key=annotators.__getitem__):
            sentences = list(run)
            pieces += [sentences[at : at + most] for at in range(0, len(sentences), most)]
        return pieces

    def ordered_votes(self) -> tuple[Votes, npt.NDArray[np.int64], list[int]]:
        """Give the votes ordered by annotator, the tokens of each annotation, and how many each annotator made.

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
            annotators = np.array([own.annotator for own in self.annotations], dtype=np.int64)
            sizes = np.array([len(own.labels) for own in self.annotations], dtype=np.int64)
            numbers = np.bincount(annotators, minlength=len(self.annotators)).tolist()
            by = sizes[np.argsort(annotators, kind="stable")]
            self._ordered = Votes(*(column[order] for column in votes)), by, numbers
        return self._ordered

    def by_annotator(self) -> tuple[list[list[str]], list[int], list[int]]:
        """Give all annotations ordered by annotator: labels, sentence of each, and how many each annotator made.

        Examples
        --------
        >>> from spanrs.crowd import CrowdCorpus
        >>> CrowdCorpus([["a"], ["b"]], [{"x": ["A"], "y": ["B"]}, {"x": ["B"]}]).by_annotator()
        ([['A'], ['B'], ['B']], [0, 1, 0], [2, 1])
        """
        if self._by_annotator is None:
            ordered = sorted(self.annotations, key=lambda own: own.annotator)
            sizes = [0] * len(self.annotators)
            for own in ordered:
                sizes[own.annotator] += 1
            labels = [[self.labels[label] for label in own.labels] for own in ordered]
            self._by_annotator = labels, [own.sentence for own in ordered], sizes
        return self._by_annotator

    def scheme(self) -> str | None:
        """Give the scheme of the tags; None for labels that are not tags, such as parts of speech.

        Raises
        ------
        spanrs.errors.SchemeError
            If most labels are tags and some are not, or they are of different schemes; with annotator, sentence, token.

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
        """Find the scheme, unless labels contradict each other."""
        scheme = scheme_of(self.labels, self.by_annotator()[0])
        if scheme is None:
            typed = [label for label in self.labels if scheme_of([label], [[label]]) is not None]
            others = [label for label in self.labels if label != "O" and label not in typed]
            # By labels or by tokens: one slip in a small corpus may be as many labels as there are tags.
            number = Counter(itertools.chain.from_iterable(self.by_annotator()[0]))
            tokens = [sum(number[label] for label in part) for part in (typed, others)]
            if typed and others and (len(typed) > len(others) or tokens[0] > tokens[1]):
                # A single typo would switch the score from span F1 to token accuracy.
                message = (
                    f"{others[0]!r} ({self._place_of(others[0])}) is not a tag, but most labels are; correct it, or "
                    "give scheme=None for labels that are not tags"
                )
                raise with_code(SchemeError(message), "unknown_tag")
        return scheme

    def _check_tags(self, scheme: str) -> None:
        """Refuse labels that are not tags of the scheme."""
        from spanrs import tags

        try:
            tags.transition_mask(scheme, self.labels)
        except SchemeError:
            known = set(tags.tags_of(scheme, {label[2:] for label in self.labels if label != "O"}))
            wrong = next(label for label in self.labels if label not in known)
            message = (
                f"{wrong!r} ({self._place_of(wrong)}) is not a tag of {scheme}, the scheme of most others; convert the "
                "labels of all annotators to one scheme"
            )
            raise with_code(SchemeError(message), "unknown_tag") from None

    def _place_of(self, label: str) -> str:
        """Say where a label occurs first."""
        number = self.labels.index(label)
        own = next(own for own in self.annotations if number in own.labels)
        token = own.labels.index(number)
        return f"annotator {self.annotators[own.annotator]}, sentence {own.sentence}, token {token}"

    def has_words(self) -> bool:
        """Say whether all tokens are strings."""
        return all(isinstance(token, str) for own in self.sentences for token in own)

    def default_template(self) -> str | None:
        """Give the built-in feature template for the tokens; None for tokens that are features.

        ``ner`` for words with tags, ``pos`` for words with other labels, ``chunking`` for tuples of two.
        """
        if self.has_words():
            return "pos" if self.scheme() is None else "ner"
        first = next((token for own in self.sentences for token in own), None)
        return "chunking" if isinstance(first, tuple) and len(first) == 2 else None

    def labels_by(self, annotator: str) -> list[list[str] | None]:
        """Give the labels of each sentence by an annotator; None where there are none."""
        if annotator not in self.annotators:
            raise ModelError(f"no annotator {annotator!r}")
        number = self.annotators.index(annotator)
        found: list[list[str] | None] = [None] * len(self)
        for own in self.annotations:
            if own.annotator == number:
                found[own.sentence] = [self.labels[label] for label in own.labels]
        return found

    def violations(self, scheme: str) -> list[tuple[str, int, Violation]]:
        """Give the tags that are illegal under a scheme: (annotator, sentence, violation).

        Raises
        ------
        spanrs.errors.SchemeError
            For an unknown scheme.

        Examples
        --------
        >>> from spanrs.crowd import CrowdCorpus
        >>> corpus = CrowdCorpus([["Ada", "Li"]], [{"ann": ["O", "I-PER"]}])
        >>> [(annotator, sentence, str(found)) for annotator, sentence, found in corpus.violations("BIO")]
        [('ann', 0, 'Illegal Start: I-PER after O')]
        """
        from spanrs import tags

        named = [[self.labels[label] for label in own.labels] for own in self.annotations]
        found = tags.validate(named, scheme) if named else []
        return [
            (self.annotators[own.annotator], own.sentence, violation)
            for own, violations in zip(self.annotations, found, strict=True)
            for violation in violations
        ]


def is_missing(label: Any, missing: str | None) -> bool:
    """Say whether a label means "not answered": ``missing``, None, NaN, pandas' NA, or empty.

    Examples
    --------
    >>> from spanrs.crowd.corpus import is_missing
    >>> [is_missing(label, "?") for label in ("?", None, float("nan"), "", "O")]
    [True, True, True, True, False]
    """
    if isinstance(label, str):
        return label in ("", missing)
    # NA is of a library that need not be installed; comparing it gives NA again.
    return (
        label is None or type(label).__name__ == "NAType" or (isinstance(label, Real) and math.isnan(label))
    )


def _label_ids(
    tags: Sequence[str], labels: dict[str, int], where: tuple[int, str, int], missing: str | None
) -> tuple[int, ...] | None:
    """Give the numbers of labels, which are added if they are new; None where no token was answered."""
    sentence, annotator, tokens = where
    place = f"sentence {sentence}, annotator {annotator}"
    if isinstance(tags, str):
        raise ModelError(f"{place}: labels must be a list of strings")
    if len(tags) != tokens:
        message = (
            f"sentence {sentence} has {tokens} tokens, but annotator {annotator} gave {len(tags)} labels"
        )
        raise AlignmentError(message)
    # Pandas and numpy give NaN where nothing is.
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
            message = f"{place}, token {at}: the label {tag!r} has white space around it; remove it"
            raise with_code(ModelError(message), "bad_value")
    return tuple(labels.setdefault(tag, len(labels)) for tag in tags)
