"""Features, taggers and trainers (pycrfsuite._pycrfsuite)."""

from __future__ import annotations

import contextlib
import json
import operator
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from spanrs._spanrs import CrfItems, CrfModel
from spanrs.compat.pycrfsuite._dumpparser import HEADER_SIZE, MAGIC, ParsedDump, header_fields
from spanrs.compat.pycrfsuite._features import ItemSequence, crf_items, read, unconverted
from spanrs.compat.pycrfsuite._logparser import TrainLogParser
from spanrs.compat.pycrfsuite._parameters import ALIASES, PARAMETERS, Parameter, Value, Values, defaults
from spanrs.compat.pycrfsuite._training_run import CRFSuiteError, TrainingData, TrainingRun
from spanrs.errors import ModelError

#: Version of CRFsuite in python-crfsuite 0.9.12.
CRFSUITE_VERSION = "0.12.2"

T = TypeVar("T")

__all__ = ["CRFSUITE_VERSION", "BaseTrainer", "CRFSuiteError", "ItemSequence", "Tagger", "Trainer"]


def _text(label: object) -> str:
    """Decode a label or name given as str or UTF-8 bytes."""
    if isinstance(label, str):
        label.encode()  # Raises UnicodeEncodeError for lone surrogates.
        return label
    if isinstance(label, (bytes, bytearray)):
        return label.decode()
    raise TypeError(f"expected bytes, {type(label).__name__} found")


def _int(number: object) -> int:
    """Return a number that fits a C int; raises OverflowError for other numbers."""
    value = operator.index(number)  # type: ignore[arg-type]  # raises TypeError if it is not an int
    if not -(2**31) <= value < 2**31:
        raise OverflowError(f"{value} is too large for an int of 32 bits")
    return value


def _check_lengths(items: int, labels: int) -> None:
    if items != labels:
        raise ValueError(f"The numbers of items and labels differ: |x| = {items}, |y| = {labels}")


class Tagger:
    """Labels sequences with a model file; taggers can be pickled.

    >>> import os, tempfile
    >>> from spanrs.compat import pycrfsuite
    >>> trainer = pycrfsuite.Trainer(params={"c2": 0.01}, verbose=False)
    >>> trainer.append([{"word": "Rome"}, {"word": "is"}], ["LOC", "O"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model")
    ...     trainer.train(path)
    ...     with pycrfsuite.Tagger().open(path) as tagger:
    ...         tagger.tag([{"word": "Rome"}, {"word": "is"}])
    ['LOC', 'O']
    """

    # Attributes are set on the class, because subclasses need not call __init__.
    _model: CrfModel | None = None
    _header = b""
    _numbers: Mapping[str, int] = MappingProxyType({})
    _has_template = False
    _current: Any = ()
    _marginals: npt.NDArray[np.float64] | None = None

    def open(self, name: str | os.PathLike[str]) -> contextlib.closing[Tagger]:
        """Open a model file of CRFsuite or ``spanrs.crf``; the result is a context manager that closes the tagger."""
        with open(name, "rb") as file:
            data = file.read()
        if data.startswith(MAGIC) and len(data) <= HEADER_SIZE:
            raise ValueError(f"Model file {name!r} doesn't have a complete header")
        return self._open(data, f"model file {name!r}")

    def open_inmemory(self, value: bytes) -> contextlib.closing[Tagger]:
        """Open the content of a model file; like :meth:`open`."""
        if not isinstance(value, bytes):
            name = type(value).__name__
            raise TypeError(f"Argument 'value' has incorrect type (expected bytes, got {name})")
        if value.startswith(MAGIC) and len(value) < HEADER_SIZE:
            raise ValueError("Invalid model: incomplete header")
        return self._open(value, "model")

    def _open(self, data: bytes, what: str) -> contextlib.closing[Tagger]:
        self.close()
        crfsuite = data.startswith(MAGIC)
        try:
            model = CrfModel.from_crfsuite(data) if crfsuite else CrfModel.from_bytes(data)
            header = (data if crfsuite else model.to_crfsuite())[:HEADER_SIZE]
        except ModelError as error:
            message = f"Error opening {what}: {error}" if crfsuite else f"Invalid {what}"
            raise ValueError(message) from error
        self._model, self._header = model, header
        self._numbers = {label: number for number, label in enumerate(model.labels())}
        self._has_template = bool(json.loads(model.metadata()).get("template"))
        return contextlib.closing(self)

    def close(self) -> None:
        """Close the model."""
        self._model = None
        self._current, self._marginals = (), None

    def labels(self) -> list[str]:
        """Return the labels of the model."""
        return self._opened().labels()

    def tag(self, xseq: Iterable[Any] | ItemSequence | None = None) -> list[str]:
        """Return the best labels of a sequence; None means the current sequence."""
        model = self._opened()
        sequence = self._current if xseq is None else self._set(xseq)
        return model.tag([sequence], False, None, 1)[0] if len(sequence) else []

    def _tag_all(self, sequences: Iterable[Any]) -> list[list[str]]:
        """Tag many sequences in one call; the current sequence is kept."""
        model = self._opened()
        return self._read_all(lambda inputs: model.tag(inputs, False, None, 1), sequences)

    def _all_marginals(self, sequences: Iterable[Any]) -> list[list[dict[str, float]]]:
        """Return the marginals of many sequences: a dict for each token."""
        model = self._opened()
        labels = model.labels()
        arrays = self._read_all(lambda inputs: model.marginals(inputs, None, 1), sequences)
        return [[dict(zip(labels, row, strict=True)) for row in array.tolist()] for array in arrays]

    def _read_all(self, read: Callable[[list[Any]], T], sequences: Iterable[Any]) -> T:
        """Call ``read`` with unconverted sequences, which is faster; convert the sequences only if it refuses them."""
        inputs = list(sequences if self._has_template else map(unconverted, sequences))
        try:
            return read(inputs)
        except (ModelError, TypeError):
            if self._has_template:
                raise
            return read([items if isinstance(items, CrfItems) else crf_items(items) for items in inputs])

    def set(self, xseq: Iterable[Any] | ItemSequence) -> None:
        """Set the current sequence for :meth:`tag`, :meth:`probability` and :meth:`marginal`."""
        self._opened()
        self._set(xseq)

    def _set(self, xseq: Iterable[Any] | ItemSequence) -> Any:
        """Set the current sequence, and return it, because another thread may replace the current sequence."""
        sequence: Any = xseq
        # If the model has a template, tokens are strings, which the model converts to features.
        text = self._has_template and not isinstance(xseq, ItemSequence)
        sequence = list(sequence) if text else crf_items(sequence)
        self._current, self._marginals = sequence, None
        return sequence

    def probability(self, yseq: Iterable[str]) -> float:
        """Return the probability of labels for the current sequence; 0 if the sequence is empty."""
        model = self._opened()
        labels, tokens = list(yseq), len(self._current)
        if not tokens:
            return 0.0
        _check_lengths(tokens, len(labels))
        for label in labels:
            self._number(label)
        return float(model.probabilities([self._current], [labels], None, 1)[0])

    def marginal(self, y: str, pos: int) -> float:
        """Return the marginal probability of a label at a position; 0 if the current sequence is empty."""
        model = self._opened()
        tokens = len(self._current)
        pos = _int(pos)
        if not tokens:
            return 0.0
        if not 0 <= pos < tokens:
            raise ValueError(f"The position, {pos} is out of range of {tokens}")
        number = self._number(y)
        if self._marginals is None:
            self._marginals = model.marginals([self._current], None, 1)[0]
        return float(self._marginals[pos, number])

    def dump(self, filename: str | os.PathLike[str] | None = None) -> None:
        """Write the model as text to a file or, if no name is given, to standard output."""
        model = self._opened(RuntimeError, "Tagger is closed")
        if filename is None:
            sys.stdout.writelines(self._dumped(model))
            return
        with open(filename, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(self._dumped(model))

    def info(self) -> ParsedDump:
        """Return the content of the model; weights have six decimals, as in :meth:`dump`."""
        model = self._opened(RuntimeError, "Tagger is closed")
        result = ParsedDump()
        result.header = header_fields(self._header)
        result.labels = {label: str(number) for number, label in enumerate(model.labels())}
        result.attributes = {name: str(number) for number, name in enumerate(model.attributes())}
        result.transitions = {(a, b): float(f"{weight:f}") for a, b, weight in model.transitions()}
        result.state_features = {(a, b): float(f"{weight:f}") for a, b, weight in model.states()}
        return result

    def _dumped(self, model: CrfModel) -> Iterator[str]:
        yield "FILEHEADER = {\n"
        yield from (f"  {name}: {value}\n" for name, value in header_fields(self._header).items())
        for title, names in (("LABELS", model.labels()), ("ATTRIBUTES", model.attributes())):
            yield f"}}\n\n{title} = {{\n"
            yield from (f"  {number:5}: {name}\n" for number, name in enumerate(names))
        parts = (("TRANSITIONS", 1, model.transitions()), ("STATE_FEATURES", 0, model.states()))
        for title, kind, weights in parts:
            yield f"}}\n\n{title} = {{\n"
            yield from (f"  ({kind}) {a} --> {b}: {weight:f}\n" for a, b, weight in weights)
        yield "}\n\n"

    def _opened(
        self, error: type[Exception] = ValueError, text: str = "The tagger is not opened"
    ) -> CrfModel:
        if self._model is None:
            raise error(text)
        return self._model

    def _number(self, label: str | bytes) -> int:
        label = _text(label)
        if label not in self._numbers:
            raise RuntimeError(f"Failed to convert into label identifier: {label}")
        return self._numbers[label]

    def __getstate__(self) -> dict[str, Any]:
        left_out = ("_current", "_marginals")
        state = {name: value for name, value in vars(self).items() if name not in left_out}
        return state if self._model is None else state | {"_model": self._model.to_bytes()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        if state.get("_model") is not None:
            self._model = CrfModel.from_bytes(state["_model"])


class BaseTrainer:
    """Stores training data and parameters, and trains models."""

    verbose: Any = None
    _algorithm: str
    _values: Values
    _data: TrainingData
    _cleared = False

    def __new__(cls, *args: Any, **kwargs: Any) -> BaseTrainer:  # noqa: ARG004
        """Initialise the trainer here, because subclasses need not call ``__init__``."""
        self = super().__new__(cls)
        self._algorithm, self._values, self._data = "lbfgs", defaults("lbfgs"), TrainingData()
        return self

    def __init__(
        self, algorithm: str | None = None, params: Mapping[str, Any] | None = None, verbose: Any = True
    ) -> None:
        if algorithm is not None:
            self.select(algorithm)
        if params is not None:
            self.set_params(params)
        self.verbose = verbose

    def message(self, message: str) -> None:
        """Print a message of training, usually a line with its line break. Subclasses may override this method."""
        if self.verbose:
            print(message, end="")  # noqa: T201

    def append(self, xseq: Iterable[Any] | ItemSequence, yseq: Iterable[str], group: int = 0) -> None:
        """Add a sequence with one label for each token, in a group that may be held out."""
        group = _int(group)
        labels = [label if type(label) is str else _text(label) for label in yseq]
        if not labels:
            # A sequence without tokens is not stored, but checked.
            _check_lengths(len(crf_items(xseq)), 0)
            return
        read(lambda features: self._data.corpus.append(features, labels), xseq)
        self._data.labels.append(labels)
        self._data.groups.append(group)

    def select(self, algorithm: str, type: str = "crf1d") -> None:  # noqa: A002
        """Select the algorithm, and reset all parameters to their defaults."""
        algorithm = algorithm.lower()
        algorithm = ALIASES.get(algorithm, algorithm)
        if algorithm not in PARAMETERS or type != "crf1d":
            raise ValueError(f"Bad arguments: algorithm={algorithm!r}, type={type!r}")
        self._algorithm, self._values = algorithm, defaults(algorithm)

    def train(self, model: str | bytes | os.PathLike[str], holdout: int = -1) -> None:
        """Train a model, and write it in CRFsuite's format unless the file name is empty."""
        holdout = _int(holdout)
        self._before_train()
        if self._cleared and not self._data.labels:
            raise ValueError("The data is empty. Call Trainer::append before Trainer::train.")
        path = os.fsdecode(model) if isinstance(model, os.PathLike) else _text(model)
        run = TrainingRun(self._algorithm, self._values, self._data, holdout, self.message)
        run.train(path)

    def params(self) -> list[str]:
        """Return the names of the parameters of the algorithm."""
        return list(PARAMETERS[self._algorithm])

    def set_params(self, params: Mapping[str, Any]) -> None:
        """Set parameters, given as a mapping from names to values."""
        for name, value in params.items():
            self.set(name, value)

    def get_params(self) -> dict[str, Value]:
        """Return all parameters of the algorithm as a dict from names to values."""
        return {name: self.get(name) for name in self.params()}

    def set(self, name: str | bytes, value: object) -> None:
        """Set a parameter; raises ValueError if the parameter is unknown, or if a number is required."""
        name = _text(name)
        shown = int(value) if isinstance(value, bool) else value
        self._values[name] = self._parameter(name, f" = {shown}").parse(name, value)

    def get(self, name: str | bytes) -> Value:
        """Return the value of a parameter."""
        name = _text(name)
        return self._parameter(name, " = ").shown(self._values[name])

    def help(self, name: str) -> str:
        """Return the description of a parameter."""
        return self._parameter(name, "").help

    def _parameter(self, name: str, value: str) -> Parameter:
        if name not in self._values:
            raise ValueError(f"Parameter not found: {name}{value}")
        return PARAMETERS[self._algorithm][name]

    def clear(self) -> None:
        """Remove all sequences."""
        self._data = TrainingData()
        self._cleared = True

    def _before_train(self) -> None:
        """Reset the state for the messages of a new training run."""


class Trainer(BaseTrainer):
    """A trainer that converts messages to events; the methods ``on_...`` print the messages and may be overridden.

    ``logparser`` has the parsed messages of the last training run, even if ``verbose`` is false.

    >>> trainer = Trainer("ap", params={"max_iterations": 2}, verbose=False)
    >>> trainer.append([{"word": "Rome"}, {"word": "is"}], ["LOC", "O"])
    >>> trainer.train("")
    >>> trainer.logparser.last_iteration["num"]
    2
    """

    logparser: TrainLogParser | None = None

    def _before_train(self) -> None:
        self.logparser = TrainLogParser()

    def message(self, message: str) -> None:
        """Pass a message to the parser, and call the method of the event that the message completes."""
        parser = self.logparser
        assert parser is not None
        event = parser.feed(message)
        if event is not None and self.verbose:
            more = {"featgen_progress": (parser.featgen_percent,), "iteration": (parser.last_iteration,)}
            getattr(self, f"on_{event}")(parser.last_log, *more.get(event, ()))

    def on_start(self, log: str) -> None:
        """Print the messages at the start of training."""
        print(log, end="")  # noqa: T201

    on_featgen_end = on_prepared = on_prepare_error = on_optimization_end = on_end = on_start

    def on_featgen_progress(self, log: str, percent: int) -> None:  # noqa: ARG002
        """Print the progress of feature generation, in per cent."""
        print(log, end="")  # noqa: T201

    def on_iteration(self, log: str, info: dict[str, Any]) -> None:  # noqa: ARG002
        """Print the messages of an iteration; ``info`` is the dict of the log parser."""
        print(log, end="")  # noqa: T201
