"""The dependency parser."""

from __future__ import annotations

import copy
import io
import json
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

from spanrs import _spanrs
from spanrs.dep.evaluation import Trees, evaluate
from spanrs.dep.matcher import DEFAULT, Dep
from spanrs.dep.model_files import ModelEstimator, part_of
from spanrs.dep.parse import Parse, known
from spanrs.dep.scores import main_label
from spanrs.dep.tagger import Tagger
from spanrs.dep.training import (
    Epoch,
    Monitor,
    Sentences,
    check_patience,
    check_words,
    treebank_of,
)
from spanrs.errors import ModelError, as_integer
from spanrs.estimator import read_template
from spanrs.eval import Result
from spanrs.io.sources import open_source
from spanrs.report.progress import iteration_display
from spanrs.threads import thread_count

#: Definitions of a correct transition.
ORACLES = ("exact", "published")


class Parser(ModelEstimator):
    """A greedy arc-hybrid dependency parser with a dynamic oracle, an averaged perceptron and a tagger.

    Parameters
    ----------
    features : str or path
        ``rich``: words, both kinds of tags, labels of children. ``published``: the 59 templates of parser.py.
        Otherwise a file with templates, or the text of templates; ``spanrs dep templates`` prints the templates of
        ``rich``.
    labelled : bool
        Predict labels of arcs, together with the transitions.
    single_root : bool
        Attach exactly one word of each sentence to the root.
    epochs : int
        Number of passes over the training data.
    models : int
        Number of models trained with consecutive seeds, whose averaged weights are summed. The sum is as fast as a
        single model, and its LAS is about half a point higher.
    seed : int, optional
        Random seed for shuffling the sentences; None keeps the order of the data.
    explore_from : int
        First pass, counted from 1, that follows predicted transitions, correct or not (training with exploration).
    aggressiveness : float, optional
        Maximum step of passive-aggressive updates; None for perceptron updates of 1.
    prune : float
        Remove features whose averaged weights are all smaller than this number of updates; the default removes half of
        the features without loss of accuracy.
    max_weights : int
        Maximum number of weights of the parser, 0 for all. If a first model has more, three models of at most six
        passes select the weights with the largest product of their absolute value and the fourth root of the number of
        uses of their feature, and the parser is trained again with only these weights; ``prune`` then has no effect. A
        weight takes about four bytes of a model. Models with the published features keep all weights.
    margin : int
        Also update for correct transitions whose score exceeds the best wrong one by less than this margin; 0 only
        updates for errors. Improves a single model, but not the sum of several.
    beam : int
        Width of the beam in training and in use, at most 64; 1 for a greedy parser. With a beam the parser is trained
        at the largest violation of each sentence (Huang, Fayong and Guo 2012), and it is about as many times slower.
    oracle : str
        ``exact`` (Goldberg and Nivre 2013) or ``published`` (the oracle of parser.py, which accepts a few incorrect
        transitions).
    jackknife : int
        Number of parts of the training data. Each part is tagged by a tagger trained on all other parts, so that the
        parser is trained on tags with realistic errors; 0 uses the tags of the data.
    joint : bool
        Train tagger and parser alternately, exactly like parser.py; all other parameters except ``epochs`` and ``seed``
        must have the values of :meth:`published`.
    tagger : Tagger, optional
        An unfitted tagger whose parameters are used, by default ``Tagger(seed=seed)``, or a fitted tagger to use
        without further training. ``fit`` does not change it; :attr:`tagger_` is the tagger of the model.
    progress : bool, optional
        Show the passes on standard error; None shows them only if standard error is a terminal.

    Attributes
    ----------
    history_ : list of Epoch
        Statistics of each pass.
    dev_ : dict of str to float
        UAS and LAS on the development data, as computed by :meth:`evaluate`; empty without development data.
    lifted_ : tuple of int
        Number of words and sentences of the training data that were changed to make trees projective.
    tagger_ : Tagger
        The tagger of the model.

    Notes
    -----
    Source: Goldberg and Nivre 2013, "Training deterministic parsers with non-deterministic oracles"; Zhang and Nivre
    2011 for the templates; Honnibal's parser.py for the published features.

    Examples
    --------
    >>> from spanrs.dep import Parse, Parser
    >>> tree = Parse(["They", "ate", "pizza"], [2, 0, 2], ["nsubj", "root", "obj"], xpos=["PRP", "VBD", "NN"])
    >>> parser = Parser(epochs=3, jackknife=0).fit([tree] * 5)
    >>> parser.parse(["They", "ate", "pizza"]).arcs
    [(2, 'nsubj', 1), (0, 'root', 2), (2, 'obj', 3)]
    """

    _components: ClassVar[tuple[str, ...]] = ("tagger", "parser")
    _former: ClassVar[Mapping[str, Any]] = {"max_weights": 0, "margin": 0, "beam": 1}
    #: Parameters of the tagger are stored as separate metadata.
    _not_saved: ClassVar[tuple[str, ...]] = ("tagger", "progress")
    _choices: ClassVar[Mapping[str, tuple[str, ...]]] = {"oracle": ORACLES}

    def __init__(
        self,
        *,
        features: str | PathLike[str] = "rich",
        labelled: bool = True,
        single_root: bool = True,
        epochs: int = 14,
        models: int = 5,
        seed: int | None = 0,
        explore_from: int = 2,
        aggressiveness: float | None = None,
        prune: float = 0.3,
        max_weights: int = 1_000_000,
        margin: int = 0,
        beam: int = 1,
        oracle: str = "exact",
        jackknife: int = 10,
        joint: bool = False,
        tagger: Tagger | None = None,
        progress: bool | None = None,
    ) -> None:
        self.features = features
        self.labelled = labelled
        self.single_root = single_root
        self.epochs = epochs
        self.models = models
        self.seed = seed
        self.explore_from = explore_from
        self.aggressiveness = aggressiveness
        self.prune = prune
        self.max_weights = max_weights
        self.margin = margin
        self.beam = beam
        self.oracle = oracle
        self.jackknife = jackknife
        self.joint = joint
        self.tagger = tagger
        self.progress = progress

    def _check_params(self) -> None:
        super()._check_params()
        if as_integer(self.jackknife, "jackknife") == 1:
            raise ValueError("jackknife must be 0, to train on the tags of the data, or at least 2, not 1")
        if self.tagger is not None and not isinstance(self.tagger, Tagger):
            raise TypeError(f"tagger must be a Tagger, not {type(self.tagger).__name__}")
        if self.joint:
            if self.tagger is not None:
                raise ValueError("tagger has no effect with joint=True; omit tagger")
            published = Parser.published(epochs=self.epochs, seed=self.seed)._saved_params()
            for name, value in self._saved_params().items():
                if value != published[name]:
                    raise ValueError(f"joint=True needs {name}={published[name]!r}, not {value!r}")

    @classmethod
    def published(cls, *, epochs: int = 15, seed: int | None = 0, progress: bool | None = None) -> Parser:
        """Return a parser that is trained exactly like parser.py: same features, ties, rounding, oracle and passes.

        Tagger and parser are trained alternately; the tagger is trained for five passes. Trees are unlabelled and may
        have several roots.
        """
        return cls(
            features="published",
            labelled=False,
            single_root=False,
            epochs=epochs,
            models=1,
            seed=seed,
            explore_from=1,
            prune=0.0,
            max_weights=0,
            oracle="published",
            jackknife=0,
            joint=True,
            progress=progress,
        )

    @property
    def tagger_(self) -> Tagger:
        """The tagger of the model."""
        return Tagger._of(self._compiled)

    @property
    def labels(self) -> list[str]:
        """The labels of the model; empty for an unlabelled parser."""
        return self._compiled.labels()

    def fit(self, train: Sentences, dev: Sentences | None = None, *, patience: int | None = None) -> Parser:
        """Train tagger and parser.

        Non-projective trees are made projective by repeatedly attaching the dependent of the shortest crossing arc to
        the head of its head; ``lifted_`` counts the changed words and sentences.

        Parameters
        ----------
        train : path, binary file object, Corpus, or sequence of Parse or paths
            Sentences with heads, labels and tags.
        dev : as train, optional
            Development data, scored after each pass with predicted tags.
        patience : int, optional
            Stop after this number of passes without improvement on ``dev``, and keep the best weights.

        Raises
        ------
        ValueError
            If a parameter is invalid, there are no sentences, or ``patience`` is set without ``dev``.
        spanrs.errors.FormatError
            If a line is malformed, or heads are not a tree; the error contains the line.
        """
        self._check_fit(patience, dev)
        roots = "one" if self.single_root else "many"
        treebank = treebank_of(train, roots)
        held_out = None if dev is None else treebank_of(dev, roots)
        return self._fit_treebank(treebank, held_out, patience)

    def _check_fit(self, patience: int | None, dev: object) -> None:
        """Validate the parameters of the parser and of ``fit``."""
        self._check_params()
        check_patience(patience, dev)
        if patience is not None and self.joint:
            raise ValueError("patience has no effect with joint=True; omit patience")

    def _fit_treebank(
        self, treebank: _spanrs.Treebank, held_out: _spanrs.Treebank | None, patience: int | None
    ) -> Parser:
        """Train on a treebank, which is made projective and gets predicted tags."""
        self.lifted_: tuple[int, int] = treebank.projectivise()
        self.history_: list[Epoch] = []
        self.dev_: dict[str, float] = {}
        if self.joint:
            tagger, model = Tagger.published(), self._fit_joint(treebank)
        else:
            tagger = self._new_tagger()
            model = self._fit(treebank, held_out, patience, tagger)
        metadata = {
            "tagger": tagger._saved_params(),
            "parser": self._saved_params(),
            "training": {
                "sentences": len(treebank),
                "words": treebank.words(),
                "lifted": list(self.lifted_),
                "version": _spanrs.__version__,
            },
        }
        self._model = _spanrs.DepModel.join(None, model, None, model, json.dumps(metadata))
        return self

    def _fit_joint(self, train: _spanrs.Treebank) -> _spanrs.DepModel:
        """Train like parser.py."""
        with iteration_display(self.progress, "parser.py", self.epochs) as show:
            monitor = Monitor(None, show, self.history_, None, self.epochs, "las")
            passes = {"epochs": self.epochs, "seed": self.seed, "models": 1}
            return _spanrs.dep_train_published(train, passes, monitor)

    def _fit(
        self, train: _spanrs.Treebank, dev: _spanrs.Treebank | None, patience: int | None, tagger: Tagger
    ) -> _spanrs.DepModel:
        """Train the tagger, unless it is fitted, then the parser."""
        self._fit_tagger(tagger, train, dev)
        sentences = [] if dev is None else dev.sentences()
        words = [words for words, *_ in sentences]
        tags = [(xpos, upos) for xpos, upos, *_ in tagger._compiled.annotate(words, None, False, 1)]

        def score(model: _spanrs.DepModel) -> dict[str, float]:
            return tree_scores(sentences, model.annotate(words, tags, True, 1), labelled=self.labelled)

        options = {
            "templates": self._templates(),
            "labelled": self.labelled,
            "single_root": self.single_root,
            "oracle": self.oracle,
            "aggressiveness": self.aggressiveness,
            "explore_from": self.explore_from,
            "prune": self.prune,
            "max_weights": self.max_weights,
            "margin": self.margin,
            "beam": self.beam,
        }
        passes = {"epochs": self.epochs, "seed": self.seed, "models": self.models}
        selection = _spanrs.dep_selection_passes(options, passes)
        with iteration_display(self.progress, "parser", selection + self.epochs * self.models) as show:
            monitor = Monitor(
                None if dev is None else score,
                show,
                self.history_,
                patience,
                self.epochs,
                "las" if self.labelled else "uas",
                selection=selection,
            )
            parser = _spanrs.dep_train_parser(train, options, passes, monitor, dev is not None)
        self.dev_ = score(parser) if dev is not None else {}
        return _spanrs.DepModel.join(None, tagger._compiled, None, parser, "{}")

    def _fit_tagger(
        self,
        tagger: Tagger,
        train: _spanrs.Treebank,
        dev: _spanrs.Treebank | None,
        patience: int | None = None,
    ) -> None:
        """Train the tagger, unless it is fitted, and replace the tags of ``train`` with predicted tags."""
        if tagger._model is None:
            tagger._fit(train, dev, patience)
        if self.jackknife:
            parts = min(self.jackknife, len(train))
            with iteration_display(self.progress, "jackknife", parts) as show:
                passes = tagger._passes() | {"models": 1}
                _spanrs.dep_jackknife(train, parts, tagger._options(), passes, lambda done: show(done, ""))

    def _new_tagger(self) -> Tagger:
        """Return the tagger to train, or the fitted one; ``fit`` does not change parameters."""
        return copy.copy(self.tagger or Tagger(seed=self.seed, progress=self.progress))

    def _templates(self) -> str | None:
        """Return the text of the templates; None for the published features."""
        if self.features == "published":
            return None
        if self.features == "rich":
            return _spanrs.dep_templates()
        expected = "features must be rich, published, a file of templates or the text of templates, not"
        if not isinstance(self.features, (str, PathLike)):
            raise TypeError(f"{expected} {self.features!r}")
        features = str(self.features)
        if "\n" not in features and Path(features).is_file():
            return read_template(features, "features")
        if "." not in features and "\n" not in features:
            raise ValueError(f"{expected} {features!r}")
        return features

    def tag(self, words: Sequence[str], *, column: str | None = None) -> list[str]:
        """Tag a sentence; see :meth:`Tagger.tag`."""
        return self.tagger_.tag(words, column=column)

    def parse(self, words: Sequence[str], *, tags: Sequence[str] | None = None) -> Parse:
        """Tag and parse a sentence.

        Parameters
        ----------
        words : sequence of str
            The words, such as a list or an array of str.
        tags : sequence of str, optional
            XPOS tags to use instead of predicted tags.

        Returns
        -------
        Parse
            ``heads`` is an array of int: words from 1, 0 for the root. The parse of an empty sentence is empty.

        Raises
        ------
        TypeError
            If a str is passed in place of a list of words.
        ValueError
            If the numbers of tags and words differ.
        """
        given = None if tags is None else [tags]
        return self.parse_batch([words], tags=given, threads=1)[0]

    def parse_batch(
        self,
        sentences: Sequence[Sequence[str]],
        *,
        tags: Sequence[Sequence[str]] | None = None,
        threads: int | None = 1,
    ) -> list[Parse]:
        """Tag and parse sentences.

        Parameters
        ----------
        sentences : sequence of sequences of str
            The words of each sentence.
        tags : sequence of sequences of str, optional
            XPOS tags to use instead of predicted tags.
        threads : int, optional
            Number of threads; None or 0 for all processors. Results do not depend on the number.
        """
        words = check_words(sentences)
        given = None
        if tags is not None:
            given = [(list(row), [""] * len(row)) for row in check_words(tags)]
            if len(given) != len(words):
                raise ValueError(f"{len(given)} lists of tags for {len(words)} sentences")
            for at, (sentence, (xpos, _)) in enumerate(zip(words, given, strict=True)):
                if len(sentence) != len(xpos):
                    raise ValueError(f"sentence {at}: {len(xpos)} tags for {len(sentence)} words")
        annotations = self._compiled.annotate(words, given, True, thread_count(threads))
        return [
            Parse(sentence, heads, known(labels), known(xpos), known(upos))
            for sentence, (xpos, upos, heads, labels, *_) in zip(words, annotations, strict=True)
        ]

    def evaluate(
        self,
        gold: Trees,
        matcher: Dep = DEFAULT,
        *,
        any_roots: bool = False,
        by: str | None = None,
        threads: int | None = 1,
    ) -> Result:
        """Parse the words of gold sentences, and compare tags and trees; see :func:`spanrs.dep.evaluate`.

        Gold trees may have several roots with ``any_roots`` or ``single_root=False``.
        """
        any_roots = any_roots or not self.single_root
        if isinstance(gold, Sequence) and not isinstance(gold, str):
            pred = self.parse_batch([parse.words for parse in gold], threads=threads)
            return evaluate(gold, pred, matcher, any_roots=any_roots, by=by)
        gold = open_source(gold, keep=True)
        file = _spanrs.SyntaxFile(gold, None)
        out = io.BytesIO()
        while (
            text := self._compiled.annotate_file(file, {"blank": True, "threads": thread_count(threads)})
        ) is not None:
            out.write(text)
        out.seek(0)
        return evaluate(gold, out, matcher, any_roots=any_roots, by=by)

    @classmethod
    def from_published(cls, path: str | PathLike[str]) -> Parser:
        """Read the weights of parser.py from JSON, plain, gzip or zstd.

        Parameters
        ----------
        path : path
            An object with ``parser`` (feature -> {move: weight}), ``tagger`` (feature -> {tag: weight}), ``tagdict``
            (word -> tag) and ``classes``.

        Raises
        ------
        spanrs.errors.ModelError
            If the JSON has a different layout.
        spanrs.errors.FormatError
            If compressed data are damaged.
        spanrs.errors.LimitError
            If the data exceed 1 GiB, or compressed data expand by a factor of more than 100 and beyond 16 MiB.
        OSError
            If the file cannot be read.
        """
        return cls._of(import_published(path))

    @classmethod
    def _of(cls, model: _spanrs.DepModel) -> Parser:
        """Return the parser of a compiled model."""
        metadata = json.loads(model.metadata)
        # Models of parser.py have no parameters.
        parser = cls._with_params_of(metadata, "parser") if "parser" in metadata else cls.published()
        own = {name: metadata[name] for name in ("tagger", "parser", "training") if name in metadata}
        parser._model = part_of(model, cls._components, own)
        if "tagger" in metadata and not parser.joint:
            parser.tagger = Tagger._with_params_of(metadata, "tagger")
        return parser


def import_published(path: str | PathLike[str]) -> _spanrs.DepModel:
    """Read the weights of parser.py from JSON, plain, gzip or zstd."""
    data = _spanrs.Source(path, False).contents()
    try:
        return _spanrs.DepModel.from_published(data)
    except ModelError as error:
        error.path = str(path)
        error.args = (f"{path}: {error}",)
        raise


def tree_scores(gold: Sequence[Any], pred: Sequence[Any], *, labelled: bool) -> dict[str, float]:
    """Return UAS and LAS as defined by :func:`spanrs.dep.evaluate`, without subtypes of labels."""
    total = heads_right = labels_right = 0
    for (words, _, _, heads, labels, *_), (_, _, pred_heads, pred_labels, *_) in zip(
        gold, pred, strict=True
    ):
        total += len(words)
        right = [head == pred for head, pred in zip(heads, pred_heads.tolist(), strict=True)]
        heads_right += sum(right)
        if labelled:
            same = zip(right, labels, pred_labels, strict=True)
            labels_right += sum(ok and main_label(label) == main_label(pred) for ok, label, pred in same)
    scores = {"uas": heads_right / max(total, 1)}
    return scores | ({"las": labels_right / max(total, 1)} if labelled else {})
