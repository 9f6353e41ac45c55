"""The pipeline from text to trees."""

from __future__ import annotations

import copy
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from spanrs import _spanrs
from spanrs.dep.evaluation import Trees, evaluate
from spanrs.dep.matcher import DEFAULT, Dep
from spanrs.dep.model_files import ModelEstimator, components_of
from spanrs.dep.morphology import Morphology
from spanrs.dep.parse import Parse, known
from spanrs.dep.parser import Parser
from spanrs.dep.segmenter import ALL_SPACED, Segmenter, paragraphs_of, segmented, with_values
from spanrs.dep.tagger import Tagger
from spanrs.dep.training import Epoch, Sentences, check_words, files_of, treebank_of
from spanrs.errors import FormatError, ModelError
from spanrs.eval import Result
from spanrs.io.sources import open_source
from spanrs.threads import thread_count

#: Components that can be left out.
OPTIONAL = ("segmenter", "morphology", "parser")


class Pipeline(ModelEstimator):
    """Segments, tags, analyses and parses text: all components of a model together.

    Parameters
    ----------
    segmenter : Segmenter, optional
        Sentences, tokens and words; by default ``Segmenter(seed=seed)``. A fitted segmenter is not trained further.
    morphology : Morphology, optional
        Morphological features and lemmas; by default ``Morphology(seed=seed)``. A fitted one is not trained further.
    parser : Parser, optional
        Tags and trees; by default ``Parser(seed=seed)``. Its tagger may be fitted. If the parser is left out, only its
        ``tagger`` and ``jackknife`` are used.
    without : sequence of str
        Components to leave out: ``segmenter``, ``morphology``, ``parser``. Without a parser, trees are
        not needed.
    seed : int, optional
        Random seed of the components that are not given.
    progress : bool, optional
        Show the training on standard error; None shows it only if standard error is a terminal. Components that are
        given have their own parameter.

    Attributes
    ----------
    skipped_ : dict of str to str
        Components that could not be trained, with the reason.
    dev_ : dict of str to float
        Scores of the parser, or without a parser of the tagger, on the development data.
    history_, lifted_
        See :class:`Parser`; without a parser, the passes of the tagger, and (0, 0).

    Examples
    --------
    >>> from spanrs.dep import Parser, Pipeline
    >>> parser = Parser(epochs=5, models=2, jackknife=5)
    >>> pipeline = Pipeline(parser=parser).fit("examples/dep/train.conllu")
    >>> [sentence.text for sentence in pipeline.parse_text("They ate the pizza. We slept.")]
    ['They ate the pizza.', 'We slept.']
    """

    _not_saved: ClassVar[tuple[str, ...]] = ("segmenter", "morphology", "parser", "progress")

    def __init__(
        self,
        *,
        segmenter: Segmenter | None = None,
        morphology: Morphology | None = None,
        parser: Parser | None = None,
        without: Sequence[str] = (),
        seed: int | None = 0,
        progress: bool | None = None,
    ) -> None:
        self.segmenter = segmenter
        self.morphology = morphology
        self.parser = parser
        self.without = without
        self.seed = seed
        self.progress = progress

    def _check_params(self) -> None:
        super()._check_params()
        if isinstance(self.without, str) or not isinstance(self.without, Sequence):
            raise TypeError(
                f"without must be a sequence of names such as ('segmenter',), not {self.without!r}"
            )
        for name in self.without:
            if name not in OPTIONAL:
                raise ValueError(
                    f"without has {name!r}; components that can be left out: {', '.join(OPTIONAL)}"
                )
        kinds: dict[str, type[ModelEstimator]] = {
            "segmenter": Segmenter,
            "morphology": Morphology,
            "parser": Parser,
        }
        for name, kind in kinds.items():
            component = getattr(self, name)
            if component is None:
                continue
            if not isinstance(component, kind):
                raise TypeError(f"{name} must be a {kind.__name__}, not {type(component).__name__}")
            if name in self.without and name != "parser":
                raise ValueError(f"{name} is given and left out (without); omit one of the two")
            component._check_params()

    def fit(
        self, train: Sentences, dev: Sentences | None = None, *, patience: int | None = None
    ) -> Pipeline:
        """Train all components.

        A component for which the treebank has no annotation is skipped, with the reason in ``skipped_``: the segmenter
        if every token is followed by a space, the morphology if there are neither morphological features nor lemmas.

        Parameters
        ----------
        train : path, binary file object, Corpus, or sequence of paths
            A treebank in CoNLL-U; without a segmenter also a sequence of Parse.
        dev : as train, optional
            Development data, scored after each pass of the parser, or without a parser of the tagger.
        patience : int, optional
            See :meth:`Parser.fit`, and without a parser :meth:`Tagger.fit`.

        Raises
        ------
        ValueError
            If a parameter is invalid, or there are no sentences.
        spanrs.errors.FormatError
            If a line is malformed, heads are not a tree, or a comment ``# text`` differs from the tokens; the error
            contains the line.
        """
        self._check_params()
        self.skipped_: dict[str, str] = {}
        shared: dict[str, Any] = {"seed": self.seed, "progress": self.progress}
        # fit does not change parameters.
        parser = copy.copy(self.parser) if self.parser is not None else Parser(**shared)
        if parser._model is not None:
            raise ValueError(
                "parser is fitted; pass an unfitted Parser, with a fitted tagger if that must not change"
            )
        parser._check_fit(patience, dev)
        # Sentences in memory have no text for a segmenter.
        files = train if "segmenter" in self.without else files_of(train)
        trees = None if "parser" in self.without else "one" if parser.single_root else "many"
        gold = _treebank(files, trees)
        tagged = gold.copy()
        held_out = None if dev is None else _treebank(dev, trees)
        segmenter = self._fit_segmenter(files, shared)
        parsed: Parser | Tagger
        if trees is None:
            parsed = parser._new_tagger()
            parser._fit_tagger(parsed, tagged, held_out, patience)
            self.history_: list[Epoch] = getattr(parsed, "history_", [])
            self.dev_: dict[str, float] = {} if held_out is None else parsed._score(held_out)
            self.lifted_ = (0, 0)
        else:
            parsed = parser._fit_treebank(tagged, held_out, patience)
            self.dev_, self.history_, self.lifted_ = parsed.dev_, parsed.history_, parsed.lifted_
        # The morphology learns only from tags that the tagger predicts.
        has_xpos, has_upos = (any(tags[at] for tags in parsed._compiled.tags()) for at in (0, 1))
        for treebank in (gold, tagged):
            treebank.keep_tags(has_xpos, has_upos)
        morphology = self._fit_morphology(gold, tagged, shared)
        metadata = json.loads(parsed._compiled.metadata) | {"pipeline": self._saved_params()}
        for component in (segmenter, morphology):
            if component is not None:
                metadata |= json.loads(component._compiled.metadata)
        self._model = _spanrs.DepModel.join(
            None if segmenter is None else segmenter._compiled,
            parsed._compiled,
            None if morphology is None else morphology._compiled,
            None if trees is None else parsed._compiled,
            json.dumps(metadata),
        )
        return self

    def _fit_segmenter(self, files: Sentences, shared: dict[str, Any]) -> Segmenter | None:
        """Train the segmenter; None if it is left out or skipped."""
        if "segmenter" in self.without:
            return None
        if self.segmenter is not None and self.segmenter._model is not None:
            return self.segmenter
        try:
            paragraphs = paragraphs_of(files)
        except FormatError as error:
            if error.code != "wrong_format":
                raise
            self.skipped_["segmenter"] = "only CoNLL-U says where spaces are"
            return None
        if not paragraphs.has_attached_tokens():
            self.skipped_["segmenter"] = ALL_SPACED
            return None
        own = copy.copy(self.segmenter) if self.segmenter is not None else Segmenter(**shared)
        return own._fit(paragraphs)

    def _fit_morphology(
        self, gold: _spanrs.Treebank, tagged: _spanrs.Treebank, shared: dict[str, Any]
    ) -> Morphology | None:
        """Train the morphology; None if it is left out or skipped."""
        if "morphology" in self.without:
            return None
        if self.morphology is not None and self.morphology._model is not None:
            return self.morphology
        if not any(gold.has_morphology()):
            self.skipped_["morphology"] = "the treebank has neither FEATS nor lemmas"
            return None
        own = copy.copy(self.morphology) if self.morphology is not None else Morphology(**shared)
        return own._fit(gold, tagged)

    @property
    def components(self) -> tuple[str, ...]:
        """The components of the model: some of ``segmenter``, ``tagger``, ``morphology`` and ``parser``."""
        return components_of(self._compiled)

    def segment(self, text: str, *, lines: bool = False) -> list[Parse]:
        """Divide a text into sentences, tokens and words; see :meth:`Segmenter.segment`.

        Raises
        ------
        spanrs.errors.ModelError
            If the model has no segmenter.
        """
        if not self._compiled.has_segmenter:
            raise ModelError(
                "the model has no segmenter; pass words to parse, or train with a treebank that has text"
            )
        return segmented(self._compiled, text, lines=lines)

    def parse_text(self, text: str, *, lines: bool = False, threads: int | None = 1) -> list[Parse]:
        """Segment, tag, analyse and parse a text.

        Parameters
        ----------
        text : str
            The text. Blank lines separate paragraphs.
        lines : bool
            End a sentence at every line end.
        threads : int, optional
            Number of threads; None or 0 for all processors. Results do not depend on the number.

        Returns
        -------
        list of Parse
            The sentences; ``tokens`` have offsets in ``text``. ``heads`` are empty if the model has no parser.

        Raises
        ------
        spanrs.errors.ModelError
            If the model has no segmenter.
        """
        return self._annotated(self.segment(text, lines=lines), threads)

    def tag(self, words: Sequence[str], *, column: str | None = None) -> list[str]:
        """Tag a sentence given as words; see :meth:`Tagger.tag`.

        Raises
        ------
        spanrs.errors.ModelError
            If the model has no tagger.
        """
        if not self._compiled.has_tagger:
            raise ModelError("the model has no tagger")
        return Tagger._of(self._compiled).tag(words, column=column)

    def parse(self, words: Sequence[str]) -> Parse:
        """Tag, analyse and parse a sentence given as words.

        Raises
        ------
        TypeError
            If a str is passed in place of a list of words.
        """
        return self.parse_batch([words])[0]

    def parse_batch(self, sentences: Sequence[Sequence[str]], *, threads: int | None = 1) -> list[Parse]:
        """Tag, analyse and parse sentences given as words; see :meth:`parse_text` for ``threads``."""
        return self._annotated([Parse(words) for words in check_words(sentences)], threads)

    def _annotated(self, sentences: list[Parse], threads: int | None) -> list[Parse]:
        """Return sentences with the columns that the model predicts."""
        model = self._compiled
        if not model.has_tagger:
            raise ModelError("the model has no tagger, on which morphology and parser depend")
        words = [list(sentence.words) for sentence in sentences]
        annotations = model.annotate(words, None, model.has_parser, thread_count(threads))
        return [
            with_values(
                sentence,
                heads=heads,
                labels=known(labels),
                xpos=known(xpos),
                upos=known(upos),
                feats=feats,
                lemmas=lemmas,
            )
            for sentence, (xpos, upos, heads, labels, feats, lemmas) in zip(
                sentences, annotations, strict=True
            )
        ]

    def evaluate(
        self,
        gold: Trees,
        matcher: Dep = DEFAULT,
        *,
        raw: bool = False,
        any_roots: bool = False,
        by: str | None = None,
        threads: int | None = 1,
    ) -> Result:
        """Parse gold sentences, and compare all columns; see :func:`spanrs.dep.evaluate`.

        Parameters
        ----------
        gold : path, binary file object, or sequence of Parse
            Gold sentences; without trees, the other columns are compared.
        matcher : Dep
            Options of the comparison.
        raw : bool
            Parse the text of the gold file, with the segmenter of the model, instead of its words. The text is built as
            in the CoNLL 2018 shared task: sentences are joined by spaces, paragraphs by blank lines.
        any_roots, by
            See :func:`spanrs.dep.evaluate`.
        threads : int, optional
            Number of threads; None or 0 for all processors. Results do not depend on the number.

        Raises
        ------
        TypeError
            If ``raw`` is true and ``gold`` is not a file.
        spanrs.errors.ModelError
            If ``raw`` is true and the model has no segmenter.
        """
        model = self._compiled
        any_roots = any_roots or (model.has_parser and not model.single_root)
        if isinstance(gold, Sequence) and not isinstance(gold, str):
            if raw:
                raise TypeError("raw needs the file of gold: sentences in memory have no text")
            pred = self.parse_batch([parse.words for parse in gold], threads=threads)
            return evaluate(gold, pred, matcher, any_roots=any_roots, by=by)
        gold = open_source(gold, keep=True)
        out = io.BytesIO()
        for text in predicted(model, gold, raw=raw, threads=thread_count(threads)):
            out.write(text)
        out.seek(0)
        return evaluate(gold, out, matcher, any_roots=any_roots, by=by)

    @classmethod
    def _of(cls, model: _spanrs.DepModel) -> Pipeline:
        """Return the pipeline of a compiled model."""
        metadata = json.loads(model.metadata)
        pipeline = cls._with_params_of(metadata, "pipeline")
        pipeline.without = tuple(pipeline.without)
        pipeline._model = model
        if model.has_parser:
            pipeline.parser = Parser._of(model)
        if model.has_segmenter:
            pipeline.segmenter = Segmenter._of(model)
        if model.has_feats or model.has_lemmas:
            pipeline.morphology = Morphology._of(model)
        return pipeline


def _treebank(data: Sentences, trees: str | None) -> _spanrs.Treebank:
    """Read sentences; the error for missing heads says how to train without a parser."""
    try:
        return treebank_of(data, trees)
    except FormatError as error:
        if trees is not None and "has no head" in str(error):
            error.args = (f"{error}; to train without trees, leave out the parser (without)",)
        raise


def predicted(model: _spanrs.DepModel, gold: _spanrs.Source, *, raw: bool, threads: int) -> Iterator[bytes]:
    """Annotate the words, or with ``raw`` the text, of a gold file; yield CoNLL-U without columns of gold."""
    file = _spanrs.SyntaxFile(gold, None)
    if raw:
        if not model.has_segmenter:
            raise ModelError("the model has no segmenter for the text of gold")
        text = io.BytesIO(paragraphs_of(gold).text())
        file = _spanrs.SyntaxFile(text, "raw")
    options = {"parse": model.has_parser, "blank": True, "threads": threads}
    while (part := model.annotate_file(file, options)) is not None:
        yield part
