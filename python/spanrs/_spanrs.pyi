"""The compiled half. Not an interface: use the modules of the package."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, Literal, TypeAlias, TypedDict, TypeVar, final, overload

import numpy as np
import numpy.typing as npt

from spanrs.errors import Violation
from spanrs.eval.criterion import Criterion
from spanrs.eval.evidence import Detail
from spanrs.eval.scores import Score, Totals
from spanrs.tags.detect import Detection

NO_CONTENT: list[str]
__version__: str
__all__ = [
    "NO_CONTENT",
    "Conlleval",
    "Counts",
    "CrfItems",
    "CrfModel",
    "CrfSentences",
    "CrfTrainer",
    "CrowdAnswers",
    "CrowdCrf",
    "DepModel",
    "Document",
    "DocumentReader",
    "DocumentTotals",
    "ErrorFinder",
    "FileErrors",
    "IobesReader",
    "IobesWriter",
    "MatOutcome",
    "MatScorer",
    "SchemeEvidence",
    "Scorer",
    "SentenceReader",
    "Source",
    "SpanLists",
    "SpanReader",
    "SyntaxFile",
    "Systems",
    "TextAlignment",
    "Treebank",
    "__version__",
    "align_texts",
    "convert",
    "convert_batch",
    "convert_file",
    "crf_options",
    "crf_templates",
    "criteria",
    "declared_encoding",
    "default_options",
    "dep_evaluate",
    "dep_jackknife",
    "dep_templates",
    "dep_train_parser",
    "dep_train_published",
    "dep_train_tagger",
    "detect",
    "detect_file",
    "distinct_tags",
    "documents_of",
    "fair_compare",
    "fair_evaluation",
    "faireval_files",
    "item_access",
    "legal",
    "load_numpy",
    "matchers",
    "ncrfpp_counts",
    "ncrfpp_spans",
    "nervaluate_conll",
    "nervaluate_dicts",
    "nervaluate_entities",
    "nervaluate_pairs",
    "nervaluate_tags",
    "partial_count",
    "partial_outcomes",
    "read_conll_documents",
    "read_documents",
    "read_ids",
    "read_spans",
    "read_spans_batch",
    "read_tasks",
    "readings",
    "recognise",
    "records",
    "running_text",
    "same_shape",
    "scheme_name",
    "schemes",
    "score_readings",
    "seqeval_counts",
    "seqeval_entities",
    "span_details",
    "span_errors",
    "span_lists",
    "span_lists_of_ids",
    "span_lists_of_tags",
    "span_lists_of_tuples",
    "spans_file",
    "tags_of",
    "token_outcomes",
    "validate",
    "validate_file",
    "write_tags",
]

_S = TypeVar("_S", bound=tuple[Any, ...])
_E = TypeVar("_E", bound=tuple[Any, ...])
_T = TypeVar("_T")
_Progress: TypeAlias = Callable[[int], object] | None
_Span: TypeAlias = tuple[str, int, int]
_Sizes: TypeAlias = tuple[npt.NDArray[np.int64], list[str] | None]
_FairRow: TypeAlias = tuple[int, int, int, int, int, int, int, int, int]
#: Options or a record as plain data: a dict, or an object with these attributes such as a named tuple.
_Plain: TypeAlias = Any
_SpanFile: TypeAlias = tuple[object, _Plain]
_Places: TypeAlias = list[tuple[int, int]]
_Column: TypeAlias = npt.NDArray[np.int64]
_Term: TypeAlias = tuple[list[int], tuple[float, float, float]]

class _Outcomes(TypedDict):
    counts: list[int]
    totals: Totals
    score: Score

class _Summary(TypedDict):
    all: _Outcomes
    macro: Score
    weighted: Score
    types: list[tuple[str, _Outcomes]]

_Cell: TypeAlias = tuple[int, int, str | None, str | None, int]
_ErrorKind: TypeAlias = tuple[str, str | None, str | None]

@final
class Conlleval:
    def __new__(
        cls,
        rules: str,
        delimiter: bytes | None,
        boundary: bytes,
        outside: bytes,
        raw: bool,
        trim: bool,
        /,
    ) -> Conlleval: ...
    def feed(self, piece: bytes, /) -> None: ...
    def end(self) -> None: ...
    def lines(self, lines: object, /) -> None: ...
    def tags(self, gold: object, pred: object, /) -> None: ...
    def counts(
        self,
    ) -> tuple[int, int, list[tuple[bytes, list[int]]], list[tuple[bytes, bytes, int]]]: ...

def criteria(matcher: str, /) -> list[Criterion]: ...

@final
class Counts:
    @staticmethod
    def from_bytes(stored: bytes, matcher: str, order: Sequence[int] | None = None, /) -> Counts: ...
    @property
    def matcher(self) -> str: ...
    @property
    def by_document(self) -> bool: ...
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def cells(self, document: int | None = None, /) -> list[_Cell]: ...
    def documents(self) -> list[int | str]: ...
    def summary(
        self,
        criterion: int,
        terms: Sequence[_Term] | None = None,
        axis: str | None = None,
        weights: Sequence[float] | None = None,
        /,
    ) -> _Summary: ...
    def document_summaries(
        self, criterion: int, terms: Sequence[_Term] | None = None, /
    ) -> list[tuple[int | str, _Outcomes]]: ...
    def confusion(
        self,
        criterion: int,
        left_out: Sequence[int],
        mistyped: int | None = None,
        weights: Sequence[float] | None = None,
        /,
    ) -> list[tuple[str | None, str | None, int]]: ...
    def long(self) -> dict[str, list[Any]]: ...
    def weighted(self, weights: Sequence[float], /) -> list[_Cell]: ...
    def merge(self, others: Sequence[Counts], /) -> Counts: ...
    def prefixed(self, prefix: str, /) -> Counts: ...
    def join(self, other: Counts, once: int, again: Sequence[int], /) -> Counts: ...
    def renamed(self, rename: Callable[[str], str | None], /) -> Counts: ...
    def measures(self, measures: Sequence[_Plain], /) -> npt.NDArray[np.float64]: ...
    def to_bytes(self) -> bytes: ...
    def stored_order(self) -> list[int] | None: ...

@final
class ErrorFinder:
    def __new__(cls, matcher_options: _Plain, options: _Plain, /) -> ErrorFinder: ...
    def finish(self) -> FileErrors: ...

@final
class FileErrors:
    def __len__(self) -> int: ...
    def row(self, at: int, /) -> Detail: ...
    def numbers(self) -> list[tuple[_ErrorKind, int]]: ...
    def gold_places(self) -> npt.NDArray[np.uint64]: ...

@final
class Systems:
    def __new__(cls, counts: Sequence[Counts], names: Sequence[str], /) -> Systems: ...
    def __len__(self) -> int: ...
    def sentence_numbers(self, system: int, /) -> npt.NDArray[np.uint64] | None: ...
    def bootstrap(
        self,
        measures: Sequence[_Plain],
        samples: int,
        seed: int,
        threads: int,
        progress: Callable[[int], object] | None = None,
        /,
    ) -> npt.NDArray[np.float64]: ...
    def randomise(
        self,
        pair: tuple[int, int],
        measures: Sequence[_Plain],
        samples: int,
        seed: int,
        threads: int,
        progress: Callable[[int], object] | None = None,
        /,
    ) -> list[int]: ...
    def jackknife(
        self, measures: Sequence[_Plain], /
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float64]]: ...

@final
class Scorer:
    def __new__(cls, matcher_options: _Plain, options: _Plain, /) -> Scorer: ...
    def update_lists(self, gold: object, pred: object, documents: _Sizes | None, /) -> None: ...
    def update_ids(
        self,
        gold: npt.NDArray[Any],
        pred: npt.NDArray[Any],
        vocabulary: Sequence[str],
        ignore_index: int,
        lengths: npt.NDArray[np.int64] | None,
        threads: int,
        documents: _Sizes | None,
        /,
    ) -> None: ...
    def update_arrow(
        self,
        gold: object,
        pred: object,
        vocabulary: Sequence[str] | None,
        ignore_index: int,
        threads: int,
        documents: _Sizes | None,
        /,
    ) -> None: ...
    def update_spans(self, gold: SpanLists, pred: SpanLists, documents: _Sizes | None, /) -> None: ...
    def update_span_files(
        self,
        gold: _SpanFile,
        pred: _SpanFile,
        name: str | None,
        errors: tuple[ErrorFinder, str | None] | None,
        progress: _Progress,
        /,
    ) -> tuple[str, str, list[str], int]: ...
    def update_files(
        self,
        gold: object,
        pred: object | None,
        columns: tuple[_Plain, _Plain],
        errors: ErrorFinder | None,
        on_misaligned: str,
        by_sentence: bool,
        threads: int,
        progress: _Progress,
        /,
    ) -> None: ...
    def add_differing(self, tokens: int, examples: list[str], /) -> None: ...
    def end_document(self, name: str | None = None, /) -> None: ...
    def position(self) -> tuple[int, int]: ...
    def resume(self, counts: Counts, position: tuple[int, int], /) -> None: ...
    def schemes(self) -> tuple[str | None, str | None, str]: ...
    def set_schemes(
        self, scheme: str, pred_scheme: str | None = None, detect_pred: bool = False, /
    ) -> None: ...
    def counts(self, take: bool = False, /) -> Counts: ...
    def tag_state(self) -> tuple[dict[str, tuple[int, int, int]], list[str], int, int, int]: ...
    def evidence(self) -> dict[str, Any]: ...

@final
class IobesReader(Generic[_S, _E]):
    def __new__(
        cls,
        scheme: str,
        span_class: type[_S],
        error_class: type[_E],
        report: Callable[[list[_E]], None],
        /,
    ) -> IobesReader[_S, _E]: ...
    def spans(self, sequence: object, /) -> list[_S]: ...
    def spans_and_errors(self, sequence: object, /) -> tuple[list[_S], list[_E]]: ...
    def convert(self, sequence: object, writer: IobesWriter, /) -> list[str] | None: ...

@final
class IobesWriter:
    def __new__(
        cls,
        begin: str,
        inside: str,
        end: str,
        single: str,
        contact: str | None,
        span_class: type[tuple[Any, ...]],
        /,
    ) -> IobesWriter: ...
    def write(self, spans: object, tags: list[str] | None, length: object, /) -> list[str] | None: ...

@final
class SpanLists:
    def types(self) -> list[str]: ...
    def sentences(self) -> list[list[_Span]]: ...
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

def convert(tags: object, converter: _Plain, /) -> list[str]: ...
def convert_batch(sentences: object, converter: _Plain, /) -> list[list[str]]: ...
def convert_file(
    source: object,
    out: object,
    options: _Plain,
    converter: _Plain,
    progress: _Progress,
    /,
) -> list[str]: ...
def detect(sentences: object, dialect: _Plain, /) -> Detection: ...
def recognise(beginning: bytes, whole: bool, name: str, /) -> tuple[str | None, str | None]: ...
def running_text(lines: Sequence[str], /) -> tuple[int, str] | None: ...
def detect_file(
    source: object,
    options: _Plain,
    dialect: _Plain,
    progress: _Progress,
    expected: str | None = None,
    /,
) -> Detection: ...
def distinct_tags(sentences: object, /) -> list[str]: ...
def fair_compare(target: list[Any], system: list[Any], focus: str, /) -> dict[str, Any]: ...
def fair_evaluation(
    labels: list[Any], rows: list[_FairRow], pairs: list[tuple[int, int, int, int]], focus: str, /
) -> dict[str, Any]: ...
def faireval_files(gold: _SpanFile, pred: _SpanFile, only: _Plain, /) -> dict[str, Any]: ...
def legal(scheme: str, tags: Sequence[str], dialect: _Plain, /) -> list[bool]: ...
def ncrfpp_counts(gold: object, pred: object, bio: bool, /) -> list[int]: ...
def ncrfpp_spans(tags: object, bio: bool, /) -> list[tuple[str, int, int | None]]: ...
def nervaluate_conll(data: str, /) -> SpanLists: ...
def nervaluate_dicts(data: object, /) -> SpanLists: ...
def nervaluate_entities(data: object, /) -> SpanLists: ...
def nervaluate_pairs(gold: object, pred: object, /) -> tuple[SpanLists, SpanLists] | None: ...
def nervaluate_tags(data: object, any_prefix: bool, /) -> SpanLists: ...
def partial_count(
    gold: SpanLists, pred: SpanLists, keep: Sequence[str] | None, min_overlap: float, /
) -> tuple[list[list[int]], dict[str, list[list[int]]]]: ...
def span_lists_of_ids(
    gold: npt.NDArray[Any],
    pred: npt.NDArray[Any],
    vocabulary: Sequence[str],
    ignore_index: int,
    lengths: npt.NDArray[np.int64] | None,
    reader: _Plain,
    /,
) -> tuple[SpanLists, SpanLists]: ...
def partial_outcomes(
    gold: SpanLists,
    pred: SpanLists,
    keep: Sequence[str] | None,
    min_overlap: float,
    mode: int,
    type_name: str | None,
    /,
) -> tuple[_Places, _Places, _Places, _Places, _Places]: ...
def span_lists_of_tags(gold: object, pred: object, reader: _Plain, /) -> tuple[SpanLists, SpanLists]: ...
def read_ids(
    ids: npt.NDArray[Any],
    vocabulary: Sequence[str],
    reader: _Plain,
    ignore_index: int,
    /,
) -> tuple[tuple[_Column, _Column, _Column, _Column], list[str]]: ...
@overload
def read_spans(tags: object, reader: _Plain, make: None = None, /) -> list[_Span]: ...
@overload
def read_spans(tags: object, reader: _Plain, make: Callable[..., _T], /) -> list[_T]: ...
@overload
def read_spans_batch(sentences: object, reader: _Plain, make: None = None, /) -> list[list[_Span]]: ...
@overload
def read_spans_batch(sentences: object, reader: _Plain, make: Callable[..., _T], /) -> list[list[_T]]: ...
def readings() -> list[str]: ...
def records() -> dict[str, str]: ...
def same_shape(gold: object, pred: object, /) -> bool: ...
def scheme_name(name: str, /) -> str: ...
def schemes() -> list[tuple[str, list[tuple[str, str, str]]]]: ...
def score_readings(
    scorers: Sequence[Scorer],
    gold: object,
    pred: object | None,
    columns: tuple[_Plain, _Plain],
    by_sentence: bool,
    progress: _Progress,
    /,
) -> None: ...
def seqeval_counts(
    gold: object, pred: object, suffix: bool, /
) -> tuple[dict[str, tuple[int, int, int]], list[str]]: ...
def seqeval_entities(
    sentences: object, suffix: bool, /
) -> tuple[list[tuple[str, int, int]], list[str]]: ...
def spans_file(
    source: object,
    out: object,
    options: _Plain,
    reader: _Plain,
    progress: _Progress,
    /,
) -> list[str]: ...
def tags_of(scheme: str, types: Sequence[str], dialect: _Plain, /) -> list[str]: ...
def token_outcomes(gold: object, pred: object, /) -> tuple[int, int, int, int, int]: ...
def matchers() -> list[str]: ...
def span_details(
    gold: SpanLists, pred: SpanLists, matcher_options: _Plain, type_filter: _Plain, criterion: int, /
) -> list[Detail]: ...
def span_errors(
    gold: SpanLists, pred: SpanLists, matcher_options: _Plain, type_filter: _Plain, options: _Plain, /
) -> tuple[list[Detail], list[tuple[_ErrorKind, int]]]: ...
def span_lists(
    sentences: list[list[_Span]], tokens: list[list[tuple[int, int]] | None] | None = None, /
) -> SpanLists: ...
def span_lists_of_tuples(gold: object, pred: object, tokens: bool, /) -> tuple[SpanLists, SpanLists]: ...
def validate(sentences: object, reader: _Plain, /) -> list[list[Violation]]: ...
def validate_file(
    source: object,
    options: _Plain,
    reader: _Plain,
    keep: int,
    progress: _Progress,
    /,
) -> tuple[_Plain, list[str]]: ...
def write_tags(
    spans: Sequence[_Span],
    length: int | None,
    scheme: str,
    dialect: _Plain,
    overwrite: bool,
    /,
) -> list[str]: ...

@final
class Document:
    @property
    def id(self) -> str | None: ...
    @property
    def text(self) -> str: ...
    def layers(self) -> list[_Plain]: ...
    def left_out(self) -> tuple[int, list[str]]: ...
    def plain(self) -> _Plain: ...

@final
class DocumentReader:
    def __iter__(self) -> DocumentReader: ...
    def __next__(self) -> Document: ...
    def warnings(self) -> list[str]: ...

@final
class SchemeEvidence:
    def __new__(cls, dialect: _Plain, /) -> SchemeEvidence: ...
    @property
    def labelled(self) -> int: ...
    def add(self, column: object, vocabulary: list[str] | None, ignore_index: int, /) -> None: ...
    def add_file(self, source: object, options: _Plain, progress: _Progress, /) -> None: ...
    def add_sentences(self, sentences: Sequence[Sequence[str]], /) -> None: ...
    def decide(self, expected: str | None = None, /) -> Detection: ...

@final
class SentenceReader:
    def __new__(
        cls,
        source: object,
        columns: _Plain,
        tags: Sequence[int | str] | None,
        progress: _Progress,
        /,
    ) -> SentenceReader: ...
    def __iter__(self) -> SentenceReader: ...
    def __next__(self) -> list[tuple[list[str] | None, list[list[str]], int, str | None]]: ...
    def warnings(self) -> list[str]: ...
    def facts(self) -> tuple[bool, int, list[str]]: ...

@final
class SpanReader:
    def __new__(cls, source: _SpanFile, progress: _Progress, /) -> SpanReader: ...
    def __iter__(self) -> SpanReader: ...
    def __next__(
        self,
    ) -> list[
        tuple[list[str] | None, list[tuple[str, int, int] | tuple[str, int, int, list[int]]], int]
    ]: ...

@final
class TextAlignment:
    def gold(self, spans: Sequence[tuple[int, int]], /) -> list[tuple[int, int] | None]: ...
    def pred(self, spans: Sequence[tuple[int, int]], /) -> list[tuple[int, int] | None]: ...
    def unaligned(self) -> list[tuple[int, int, int, int]]: ...

def align_texts(gold: str, pred: str, /) -> TextAlignment: ...

@final
class MatOutcome:
    def details(self) -> list[_Plain]: ...
    def misplaced(self) -> int | None: ...
    def tokens(self) -> int: ...

@final
class MatScorer:
    def __new__(cls, rules: _Plain, units: Sequence[str], unpaired: str, details: bool, /) -> MatScorer: ...
    def score(
        self, gold: Document, pred: Document, /
    ) -> tuple[MatOutcome | None, tuple[str, str] | None]: ...

@final
class DocumentTotals:
    def __new__(cls, by_document: bool, /) -> DocumentTotals: ...
    def add(self, outcome: MatOutcome, name: str, /) -> None: ...
    def counts(self) -> Counts: ...

def documents_of(documents: Sequence[_Plain], /) -> list[Document]: ...
def read_conll_documents(source: object, columns: _Plain, reader: _Plain, /) -> DocumentReader: ...
def read_documents(source: object, options: _Plain, /) -> DocumentReader: ...
def read_tasks(name: str, text: str, /) -> list[_Plain]: ...
def declared_encoding(data: bytes, /) -> str | None: ...

@final
class CrfItems:
    def __new__(cls, sequence: Iterable[Any], /, any_value: bool = False) -> CrfItems: ...
    def items(self) -> list[dict[str, float]]: ...
    def name_with_nul(self) -> str | None: ...
    def __len__(self) -> int: ...

@final
class CrfSentences:
    def __new__(
        cls,
        source: object,
        columns: _Plain,
        extra: list[int | str] | None,
        progress: _Progress,
        /,
    ) -> CrfSentences: ...
    def lines(self, at: int, /) -> list[int]: ...
    def tags(self) -> list[list[str]]: ...
    def facts(self) -> tuple[bool, int, bool, bool, list[str]]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, key: int, /) -> list[Any]: ...

@final
class CrfTrainer:
    def __new__(cls, template: str | None, /, any_value: bool = False) -> CrfTrainer: ...
    def extend(
        self, inputs: Iterable[Any], targets: Iterable[Any], weights: list[float] | None, /
    ) -> None: ...
    def labels(self) -> list[str]: ...
    def sizes(self) -> tuple[int, int, int]: ...
    def clear(self) -> None: ...
    def train(
        self,
        options: _Plain,
        threads: int,
        start: CrfModel | None,
        dev: Iterable[Any] | None,
        scheme: str | None,
        callback: Callable[[_Plain, list[list[str]] | None], int] | None,
        keep_on_interrupt: bool,
        /,
    ) -> tuple[CrfModel, str]: ...

@final
class CrowdAnswers:
    def __new__(
        cls, labels: int, annotators: int, lengths: list[int], answers: list[tuple[int, int, list[int]]], /
    ) -> CrowdAnswers: ...
    def posterior(
        self,
        log_answers: npt.NDArray[np.float64],
        start: npt.NDArray[np.float64],
        transitions: npt.NDArray[np.float64],
        tokens: npt.NDArray[np.float64],
        outside: int,
        by_sentence: bool,
        /,
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], float]: ...
    def best(
        self,
        log_answers: npt.NDArray[np.float64],
        start: npt.NDArray[np.float64],
        transitions: npt.NDArray[np.float64],
        tokens: npt.NDArray[np.float64],
        outside: int,
        /,
    ) -> list[list[int]]: ...
    def draw(
        self,
        log_answers: npt.NDArray[np.float64],
        start: npt.NDArray[np.float64],
        transitions: npt.NDArray[np.float64],
        tokens: npt.NDArray[np.float64],
        outside: int,
        uniform: npt.NDArray[np.float64],
        /,
    ) -> npt.NDArray[np.uint32]: ...
    def counts(self, labels: npt.NDArray[np.float64], outside: int, /) -> npt.NDArray[np.float64]: ...

@final
class CrowdCrf:
    def __new__(
        cls,
        template: str | None,
        labels: list[str],
        sentences: Iterable[Any],
        numbers: list[int],
        labellings: npt.NDArray[np.uint32],
        options: _Plain,
        /,
    ) -> CrowdCrf: ...
    def sizes(self) -> tuple[int, int, int]: ...
    def set_weights(self, weights: npt.NDArray[np.float64], /) -> None: ...
    def set_expected(
        self,
        sentences: list[int],
        labels: npt.NDArray[np.float64],
        transitions: npt.NDArray[np.float64],
        /,
    ) -> None: ...
    def set_active(self, active: list[bool], /) -> None: ...
    def train(
        self, weights: npt.NDArray[np.float64], options: _Plain, threads: int, /
    ) -> tuple[npt.NDArray[np.float64], float]: ...
    def log_likelihoods(
        self, weights: npt.NDArray[np.float64], threads: int, /
    ) -> npt.NDArray[np.float64]: ...
    def best(
        self, weights: npt.NDArray[np.float64], scheme: str | None, threads: int, /
    ) -> npt.NDArray[np.int64]: ...
    def marginals(
        self, weights: npt.NDArray[np.float64], scheme: str | None, threads: int, /
    ) -> npt.NDArray[np.float64]: ...
    def scores(
        self, weights: npt.NDArray[np.float64], threads: int, /
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
    def model(self, weights: npt.NDArray[np.float64], metadata: str, /) -> CrfModel: ...

@final
class CrfModel:
    def labels(self) -> list[str]: ...
    def attributes(self) -> list[str]: ...
    def sizes(self) -> tuple[int, int, int]: ...
    def states(self) -> list[tuple[str, str, float]]: ...
    def transitions(self) -> list[tuple[str, str, float]]: ...
    def metadata(self) -> str: ...
    def with_metadata(self, metadata: str, /) -> CrfModel: ...
    def tag_files(
        self, files: list[tuple[Any, _Plain]], out: object, options: _Plain, progress: _Progress, /
    ) -> list[dict[str, Any]]: ...
    def tag(
        self,
        inputs: Iterable[Any],
        posterior: bool,
        known: Iterable[Any] | None,
        threads: int,
        /,
    ) -> list[list[str]]: ...
    def marginals(self, inputs: Iterable[Any], threads: int, /) -> list[npt.NDArray[np.float64]]: ...
    def n_best(self, sequence: Any, n: int, /) -> list[tuple[list[str], float]]: ...
    def probabilities(self, inputs: Iterable[Any], labellings: list[list[str]], /) -> list[float]: ...
    def known_features(
        self, sequence: Any, /
    ) -> list[list[tuple[str, float, npt.NDArray[np.float64]]]]: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(data: bytes, /) -> CrfModel: ...
    def to_crfsuite(self) -> bytes: ...
    @staticmethod
    def from_crfsuite(data: bytes, /) -> CrfModel: ...

@final
class Source:
    def __new__(cls, source: object, keep: bool, /) -> Source: ...
    @property
    def name(self) -> str: ...
    def contents(self, max_expansion: int | None = None, /) -> bytes: ...
    def read_once(self) -> None: ...
    def beginning(self, n: int, /) -> tuple[bytes, bool]: ...

@final
class SyntaxFile:
    def __new__(cls, source: Any, format_name: str | None, /) -> SyntaxFile: ...
    @property
    def format(self) -> str: ...

@final
class Treebank:
    def __new__(cls) -> Treebank: ...
    def __len__(self) -> int: ...
    def words(self) -> int: ...
    def read(self, file: SyntaxFile, trees: str | None, /) -> None: ...
    def extend(self, sentences: Sequence[tuple[Any, ...]], trees: str | None, /) -> None: ...
    def projectivise(self) -> tuple[int, int]: ...
    def sentences(self) -> list[tuple[list[str], list[str], list[str], list[int], list[str]]]: ...

@final
class DepModel:
    @staticmethod
    def join(tagger: DepModel | None, parser: DepModel | None, metadata: str, /) -> DepModel: ...
    @staticmethod
    def from_published(json: bytes, /) -> DepModel: ...
    @staticmethod
    def from_nltk(weights: bytes, tagdict: bytes, classes: bytes, /) -> DepModel: ...
    @staticmethod
    def from_bytes(file: bytes, /) -> DepModel: ...
    def to_bytes(self) -> bytes: ...
    @property
    def has_tagger(self) -> bool: ...
    @property
    def has_parser(self) -> bool: ...
    @property
    def metadata(self) -> str: ...
    @property
    def padded(self) -> bool: ...
    @property
    def single_root(self) -> bool: ...
    def tags(self) -> list[tuple[str, str]]: ...
    def labels(self) -> list[str]: ...
    def sizes(self) -> tuple[int, int]: ...
    def tagdict(self) -> list[tuple[str, str]]: ...
    def named_weights(self) -> list[tuple[str, list[tuple[str, float]]]]: ...
    def tag_with_confidence(
        self, words: Sequence[str], use_tagdict: bool, /
    ) -> tuple[list[str], list[float]]: ...
    def annotate(
        self,
        sentences: Sequence[Sequence[str]],
        given: Sequence[tuple[list[str], list[str]]] | None,
        parse: bool,
        threads: int,
        /,
    ) -> list[tuple[list[str], list[str], npt.NDArray[np.int32], list[str]]]: ...
    def annotate_file(
        self, file: SyntaxFile, parse: bool, keep_tags: bool, blank: bool, threads: int, /
    ) -> bytes | None: ...

def default_options() -> dict[str, dict[str, Any]]: ...
def dep_templates() -> str: ...
def dep_train_tagger(
    treebank: Treebank,
    options: _Plain,
    passes: _Plain,
    callback: Callable[[_Plain, DepModel | None], int] | None,
    with_models: bool,
    /,
) -> DepModel: ...
def dep_jackknife(
    treebank: Treebank,
    parts: int,
    options: _Plain,
    passes: _Plain,
    callback: Callable[[int], object],
    /,
) -> None: ...
def dep_train_parser(
    treebank: Treebank,
    options: _Plain,
    passes: _Plain,
    callback: Callable[[_Plain, DepModel | None], int] | None,
    with_models: bool,
    /,
) -> DepModel: ...
def dep_train_published(
    treebank: Treebank,
    passes: _Plain,
    callback: Callable[[_Plain, DepModel | None], int] | None,
    /,
) -> DepModel: ...
def dep_evaluate(
    gold: Any,
    pred: Any,
    any_roots: bool,
    subtypes: bool,
    documents: bool,
    /,
) -> Counts: ...
def crf_options(options: _Plain, /) -> dict[str, Any]: ...
def crf_templates() -> list[tuple[str, str]]: ...
def item_access() -> Literal["direct", "each"]: ...
def load_numpy() -> None: ...
