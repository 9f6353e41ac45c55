"""The dependency parser."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from spanrs import _spanrs
from spanrs.dep.evaluation import Trees, evaluate
from spanrs.dep.matcher import DEFAULT, Dep
from spanrs.dep.parse import Parse, known
from spanrs.dep.scores import main_label
from spanrs.dep.tagger import Tagger, load, save, with_options
from spanrs.dep.training import (
    Epoch,
    Monitor,
    Sentences,
    check_count,
    check_words,
    treebank_of,
)
from spanrs.errors import ModelError
from spanrs.eval import Result
from spanrs.io.sources import open_source
from spanrs.report.progress import iteration_display
from spanrs.threads import thread_count

#: Which moves are right in training.
ORACLES = ("exact", "published")


class Parser:
    """A greedy dependency parser with a tagger: arc-hybrid transitions, a dynamic oracle, an averaged perceptron.

    Parameters
    ----------
    features : str or path
        ``rich``: words, both kinds of tags, labels of children. ``published``: the 59 templates of parser.py. Else a
        file of templates, or their text; ``spanrs dep templates`` prints the rich ones.
    labelled : bool
        Learn the labels of arcs, together with the moves.
    single_root : bool
        Attach one word of each sentence to the root.
    epochs : int
        Passes over the training data.
    models : int
        Models that are trained with consecutive seeds; their averaged weights are added up. The sum is one model, as
        fast as each of them and better by about half a point.
    seed : int, optional
        Seed of the order of sentences; None keeps the order of the data.
    explore_from : int
        The pass, from 1, from which on training goes on after the guessed move, right or wrong.
    aggressiveness : float, optional
        Limit of a passive-aggressive update; None for perceptron updates by 1.
    prune : float
        Leave out features whose averaged weights are all smaller than this many updates: half of them, without loss.
    oracle : str
        ``exact`` (Goldberg and Nivre 2013) or ``published`` (that of parser.py, which accepts a few wrong moves).
    jackknife : int
        Parts of the training data, each of which is tagged by a tagger of the others, so that the parser learns from
        tags with as many errors as it will get; 0 learns from the tags of the data.
    tagger : Tagger, optional
        The options of the tagger; trained already, it is taken as it is.
    progress : bool, optional
        Show the passes on standard error; None means if it is a terminal.

    Attributes
    ----------
    history_ : list of Epoch
        The passes of the last :meth:`fit`.
    dev_ : dict of str to float
        UAS and LAS of the model on the development data of the last :meth:`fit`, as :meth:`evaluate` measures them.
    lifted_ : tuple of int
        How many words and sentences of the training data were changed to make their trees projective.
    tagger : Tagger
        The tagger.

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

    def __init__(
        self,
        *,
        features: str | PathLike[str] = "rich",
        labelled: bool = True,
        single_root: bool = True,
        epochs: int = 6,
        models: int = 10,
        seed: int | None = 0,
        explore_from: int = 2,
        aggressiveness: float | None = None,
        prune: float = 0.3,
        oracle: str = "exact",
        jackknife: int = 10,
        tagger: Tagger | None = None,
        progress: bool | None = None,
    ) -> None:
        if oracle not in ORACLES:
            raise ValueError(f"unknown oracle {oracle!r}; one of {', '.join(ORACLES)}")
        if jackknife == 1:
            raise ValueError("jackknife needs 2 parts or more; 0 learns from the tags of the data")
        self.features = str(features)
        self.labelled = bool(labelled)
        self.single_root = bool(single_root)
        self.epochs = check_count("epochs", epochs)
        self.models = check_count("models", models)
        self.seed = None if seed is None else check_count("seed", seed, 0)
        self.explore_from = check_count("explore_from", explore_from)
        self.aggressiveness = None if aggressiveness is None else float(aggressiveness)
        if not isinstance(prune, (int, float)) or not 0 <= prune < math.inf:
            raise ValueError(f"prune is a number of at least 0, not {prune!r}")
        self.prune = float(prune)
        self.oracle = oracle
        self.jackknife = check_count("jackknife", jackknife, 0)
        self.tagger = Tagger(seed=self.seed, progress=progress) if tagger is None else tagger
        self.progress = progress
        self.history_: list[Epoch] = []
        self.lifted_: tuple[int, int] = (0, 0)
        #: Dev scores of the last fit.
        self.dev_: dict[str, float] = {}
        self._joint = False
        self._keep_tagger = self.tagger._model is not None
        self._model: _spanrs.DepModel | None = None

    @classmethod
    def published(cls, *, epochs: int = 15, seed: int | None = 0, progress: bool | None = None) -> Parser:
        """Give a parser that is trained exactly as parser.py trains: its features, ties, rounding, oracle and passes.

        Tagger and parser learn in turns, the tagger for five passes. Trees are unlabelled and may have several roots.
        """
        parser = cls(
            features="published",
            labelled=False,
            single_root=False,
            epochs=epochs,
            seed=seed,
            explore_from=1,
            aggressiveness=None,
            prune=0.0,
            oracle="published",
            jackknife=0,
            tagger=Tagger.published(),
            progress=progress,
        )
        parser._joint = True
        return parser

    @property
    def compiled(self) -> _spanrs.DepModel:
        """The trained model.

        Raises
        ------
        spanrs.errors.ModelError
            Before :meth:`fit` or :meth:`load`.
        """
        if self._model is None:
            raise ModelError("the parser is not trained; call fit() or load()")
        return self._model

    @property
    def labels(self) -> list[str]:
        """The labels that the model can give; empty for an unlabelled parser."""
        return self.compiled.labels()

    def fit(self, train: Sentences, dev: Sentences | None = None, *, patience: int | None = None) -> Parser:
        """Learn from sentences with trees.

        Trees that are not projective are made so by moving the shortest crossing arc to the head of its head, as
        often as needed; ``lifted_`` counts them.

        Parameters
        ----------
        train : path, binary file object, Corpus, or sequence of Parse or paths
            Sentences with heads, labels and tags.
        dev : as train, optional
            Development data, scored after each pass with predicted tags.
        patience : int, optional
            Stop after this many passes without a better score on ``dev``, and keep the best weights.

        Raises
        ------
        ValueError
            Where there is nothing to learn from, and for ``patience`` without ``dev``.
        spanrs.errors.FormatError
            With line, for what is not in the format, and heads that are not a tree.
        """
        if patience is not None:
            check_count("patience", patience)
            if dev is None:
                raise ValueError("patience needs development data")
            if self._joint:
                raise ValueError("parser.py knows no patience; leave it out")
        roots = "one" if self.single_root else "many"
        treebank = treebank_of(train, roots)
        held_out = None if dev is None else treebank_of(dev, roots)
        self.lifted_ = treebank.projectivise()
        self.history_, self.dev_ = [], {}
        model = self._fit_joint(treebank) if self._joint else self._fit(treebank, held_out, patience)
        metadata = self._metadata(treebank)
        if self._joint:
            # Models of parser.py have no options.
            metadata = {"tagger": self.tagger.settings(), "training": metadata["training"]}
        self._model = _spanrs.DepModel.join(model, model, json.dumps(metadata))
        return self

    def _fit_joint(self, train: _spanrs.Treebank) -> _spanrs.DepModel:
        """Train as parser.py does."""
        with iteration_display(self.progress, "parser.py", self.epochs) as show:
            monitor = Monitor(None, show, self.history_, None, self.epochs, "las")
            model = _spanrs.dep_train_published(
                train, {"epochs": self.epochs, "seed": self.seed, "models": 1}, monitor
            )
        self.tagger._model = model
        return model

    def _fit(
        self, train: _spanrs.Treebank, dev: _spanrs.Treebank | None, patience: int | None
    ) -> _spanrs.DepModel:
        tagger = self.tagger
        if not self._keep_tagger:
            tagger._fit(train, dev)
        if self.jackknife:
            parts = min(self.jackknife, len(train))
            with iteration_display(self.progress, "jackknife", parts) as show:
                passes = tagger.passes() | {"models": 1}
                _spanrs.dep_jackknife(train, parts, tagger.options(), passes, lambda done: show(done, ""))
        sentences = [] if dev is None else dev.sentences()
        words = [words for words, *_ in sentences]
        tags = [(xpos, upos) for xpos, upos, *_ in tagger.compiled.annotate(words, None, False, 1)]

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
        }
        with iteration_display(self.progress, "parser", self.epochs * self.models) as show:
            monitor = Monitor(
                None if dev is None else score,
                show,
                self.history_,
                patience,
                self.epochs,
                "las" if self.labelled else "uas",
            )
            passes = {"epochs": self.epochs, "seed": self.seed, "models": self.models}
            parser = _spanrs.dep_train_parser(train, options, passes, monitor, dev is not None)
        self.dev_ = score(parser) if dev is not None else {}
        return _spanrs.DepModel.join(tagger.compiled, parser, "{}")

    def _templates(self) -> str | None:
        """Give the text of the templates; None for the published features."""
        if self.features == "published":
            return None
        if self.features == "rich":
            return _spanrs.dep_templates()
        if "\n" not in self.features and Path(self.features).is_file():
            return Path(self.features).read_text(encoding="utf-8")
        if "." not in self.features and "\n" not in self.features:
            raise ValueError(
                f"unknown features {self.features!r}; rich, published, a file of templates, or their text"
            )
        return self.features

    def _metadata(self, train: _spanrs.Treebank) -> dict[str, Any]:
        """Give what is stored with the model."""
        return {
            "tagger": self.tagger.settings(),
            "parser": {
                name: getattr(self, name)
                for name in (
                    "features",
                    "labelled",
                    "single_root",
                    "epochs",
                    "models",
                    "seed",
                    "explore_from",
                    "aggressiveness",
                    "prune",
                    "oracle",
                    "jackknife",
                )
            },
            "training": {
                "sentences": len(train),
                "words": train.words(),
                "lifted": list(self.lifted_),
                "version": _spanrs.__version__,
            },
        }

    def tag(self, words: Sequence[str], *, column: str | None = None) -> list[str]:
        """Tag a sentence; as :meth:`Tagger.tag`."""
        return self.tagger.tag(words, column=column)

    def parse(self, words: Sequence[str], *, tags: Sequence[str] | None = None) -> Parse:
        """Tag and parse a sentence.

        Parameters
        ----------
        words : sequence of str
            The words; numpy arrays of str are sequences, too.
        tags : sequence of str, optional
            XPOS tags to parse with instead of predicted ones.

        Returns
        -------
        Parse
            With ``heads`` as an array of int: words from 1, 0 for the root. A sentence without words has an empty
            parse.

        Raises
        ------
        TypeError
            For a str instead of a list of words.
        ValueError
            For another number of tags than words.
        """
        given = None if tags is None else [tags]
        return self.parse_batch([words], tags=given, threads=1)[0]

    def parse_batch(
        self,
        sentences: Sequence[Sequence[str]],
        *,
        tags: Sequence[Sequence[str]] | None = None,
        threads: int | None = None,
    ) -> list[Parse]:
        """Tag and parse sentences; the result does not depend on ``threads`` (None: one per processor)."""
        words = check_words(sentences)
        given = None
        if tags is not None:
            given = [(list(own), [""] * len(own)) for own in check_words(tags)]
            if len(given) != len(words):
                raise ValueError(f"{len(given)} lists of tags for {len(words)} sentences")
            for at, (own, (xpos, _)) in enumerate(zip(words, given, strict=True)):
                if len(own) != len(xpos):
                    raise ValueError(f"sentence {at}: {len(xpos)} tags for {len(own)} words")
        found = self.compiled.annotate(words, given, True, thread_count(threads))
        return [
            Parse(own, heads, known(labels), known(xpos), known(upos))
            for own, (xpos, upos, heads, labels) in zip(words, found, strict=True)
        ]

    def evaluate(
        self,
        gold: Trees,
        matcher: Dep = DEFAULT,
        *,
        any_roots: bool = False,
        by: str | None = None,
        threads: int | None = None,
    ) -> Result:
        """Parse the words of gold sentences, and compare tags and trees; see :func:`spanrs.dep.evaluate`.

        Gold trees may have several roots if the parser gives such trees, or with ``any_roots``.
        """
        any_roots = any_roots or not self.single_root
        if isinstance(gold, Sequence) and not isinstance(gold, str):
            pred = self.parse_batch([parse.words for parse in gold], threads=threads)
            return evaluate(gold, pred, matcher, any_roots=any_roots, by=by)
        gold = open_source(gold, keep=True)
        file = _spanrs.SyntaxFile(gold, None)
        out = io.BytesIO()
        while (
            text := self.compiled.annotate_file(file, True, False, True, thread_count(threads))
        ) is not None:
            out.write(text)
        out.seek(0)
        return evaluate(gold, out, matcher, any_roots=any_roots, by=by)

    def save(self, path: str | PathLike[str]) -> None:
        """Write tagger and parser to a file (safetensors with JSON metadata)."""
        save(self.compiled, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Parser:
        """Read a model file.

        Raises
        ------
        spanrs.errors.ModelError
            For files that are no model, damaged, or without a parser.
        OSError
            Where the file cannot be read.
        """
        model = load(path)
        if not model.has_parser:
            raise ModelError(f"{path} has no parser; load it with Tagger.load()")
        return cls.of(model)

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
            For what is not in this layout.
        spanrs.errors.FormatError
            Where the compressed data is damaged.
        spanrs.errors.LimitError
            For more than 1 GiB, and compressed data that expands more than 100 times and beyond 16 MiB.
        OSError
            Where the file cannot be read.
        """
        return cls.of(import_published(path))

    @classmethod
    def of(cls, model: _spanrs.DepModel) -> Parser:
        """Give a parser of a compiled model."""
        options = json.loads(model.metadata).get("parser", {})
        parser: Parser = with_options(cls, model, "parser") if options else cls.published()
        parser._joint = not options
        parser._model = model
        if model.has_tagger:
            parser.tagger = Tagger.of(model)
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


def tree_scores(gold: Sequence[Any], found: Sequence[Any], *, labelled: bool) -> dict[str, float]:
    """Give UAS and LAS as :func:`spanrs.dep.evaluate` does by default: subtypes of labels are not compared."""
    total = heads_right = labels_right = 0
    for (words, _, _, heads, labels), (_, _, pred_heads, pred_labels) in zip(gold, found, strict=True):
        total += len(words)
        right = [own == pred for own, pred in zip(heads, pred_heads.tolist(), strict=True)]
        heads_right += sum(right)
        if labelled:
            same = zip(right, labels, pred_labels, strict=True)
            labels_right += sum(ok and main_label(own) == main_label(pred) for ok, own, pred in same)
    scores = {"uas": heads_right / max(total, 1)}
    return scores | ({"las": labels_right / max(total, 1)} if labelled else {})
