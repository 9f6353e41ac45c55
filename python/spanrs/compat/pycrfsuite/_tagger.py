"""Tagging with a model file."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from spanrs._spanrs import CrfModel
from spanrs.compat.pycrfsuite._dumpparser import ParsedDump
from spanrs.compat.pycrfsuite._items import ItemSequence, crf_items
from spanrs.compat.pycrfsuite._model_file import HEADER_SIZE, MAGIC, header_fields, read_model
from spanrs.errors import ModelError


class Tagger:
    """Labels sequences.

    Examples
    --------
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

    # Of the class, because subclasses need not call __init__.
    _model: CrfModel | None = None
    _header = b""
    _numbers: Mapping[str, int] = MappingProxyType({})
    _has_template = False
    _current: Any = ()
    _marginals: npt.NDArray[np.float64] | None = None

    def open(self, name: str | os.PathLike[str]) -> contextlib.closing[Tagger]:
        """Open a model file of CRFsuite or of ``spanrs.crf``.

        Parameters
        ----------
        name : path
            The file.

        Returns
        -------
        contextlib.closing
            Closes the tagger at the end of a ``with`` block.

        Raises
        ------
        OSError
            If the file cannot be read.
        ValueError
            If it is not a model.
        """
        with open(name, "rb") as file:
            data = file.read()
        if data.startswith(MAGIC) and len(data) <= HEADER_SIZE:
            message = f"Model file {name!r} doesn't have a complete header"
            raise ValueError(message)
        fault = (
            f"Error opening model file {name!r}"
            if data.startswith(MAGIC)
            else f"Invalid model file {name!r}"
        )
        return self._open(data, fault)

    def open_inmemory(self, value: bytes) -> contextlib.closing[Tagger]:
        """Open a model that is in memory; like :meth:`open`.

        Parameters
        ----------
        value : bytes
            The content of a model file.
        """
        if not isinstance(value, bytes):
            message = f"Argument 'value' has incorrect type (expected bytes, got {type(value).__name__})"
            raise TypeError(message)
        if value.startswith(MAGIC) and len(value) < HEADER_SIZE:
            message = "Invalid model: incomplete header"
            raise ValueError(message)
        return self._open(value, "Error opening model" if value.startswith(MAGIC) else "Invalid model")

    def _open(self, data: bytes, fault: str) -> contextlib.closing[Tagger]:
        self.close()
        try:
            self._model, self._header = read_model(data)
        except ModelError as error:
            raise ValueError(fault) from error
        self._numbers = {label: number for number, label in enumerate(self._model.labels())}
        self._has_template = bool(json.loads(self._model.metadata()).get("template"))
        return contextlib.closing(self)

    def close(self) -> None:
        """Close the model."""
        self._model = None
        self._current, self._marginals = (), None

    def labels(self) -> list[str]:
        """Return the labels of the model."""
        return self._opened().labels()

    def tag(self, xseq: Iterable[Any] | ItemSequence | None = None) -> list[str]:
        """Return the best labels of a sequence.

        Parameters
        ----------
        xseq : iterable, ItemSequence or None
            Features as for :class:`ItemSequence`; None for the current sequence.
        """
        model = self._opened()
        sequence = self._current if xseq is None else self._set(xseq)
        return model.tag([sequence], False, None, 1)[0] if len(sequence) else []

    def _tag_all(self, sequences: Iterable[Any]) -> list[list[str]]:
        """Tag many sequences in one call; the current sequence stays."""
        return self._opened().tag(_unwrapped(sequences), False, None, 1)

    def _all_marginals(self, sequences: Iterable[Any]) -> list[list[dict[str, float]]]:
        """Return the marginals of many sequences: a dict for each token."""
        model = self._opened()
        labels = model.labels()
        arrays = model.marginals(_unwrapped(sequences), 1)
        return [[dict(zip(labels, row, strict=True)) for row in array.tolist()] for array in arrays]

    def set(self, xseq: Iterable[Any] | ItemSequence) -> None:
        """Make a sequence the current one, for :meth:`tag`, :meth:`probability` and :meth:`marginal`.

        Parameters
        ----------
        xseq : iterable or ItemSequence
            Features as for :class:`ItemSequence`.
        """
        self._opened()
        self._set(xseq)

    def _set(self, xseq: Iterable[Any] | ItemSequence) -> Any:
        """Return the sequence, so that another thread's call does not replace it before it is used."""
        if self._has_template and not isinstance(xseq, ItemSequence):
            # The tokens are strings, which the model turns into features.
            sequence: Any = list(xseq)
        else:
            sequence = crf_items(xseq)
        self._current, self._marginals = sequence, None
        return sequence

    def probability(self, yseq: Iterable[str]) -> float:
        """Return the probability of labels for the current sequence; 0 if it is empty.

        Parameters
        ----------
        yseq : iterable of str
            One label for each token.

        Raises
        ------
        ValueError
            If the number of labels is wrong.
        RuntimeError
            If the model does not have a label.
        """
        model = self._opened()
        labels, tokens = list(yseq), len(self._current)
        if not tokens:
            return 0.0
        if len(labels) != tokens:
            message = f"The numbers of items and labels differ: |x| = {tokens}, |y| = {len(labels)}"
            raise ValueError(message)
        for label in labels:
            self._number(label)
        return model.probabilities([self._current], [labels])[0]

    def marginal(self, y: str, pos: int) -> float:
        """Return the marginal probability of a label at a position; 0 if the current sequence is empty.

        Parameters
        ----------
        y : str
            The label.
        pos : int
            Index of the token.

        Raises
        ------
        ValueError
            If there is no such token.
        RuntimeError
            If the model does not have the label.
        """
        model = self._opened()
        tokens = len(self._current)
        if not tokens:
            return 0.0
        if not 0 <= pos < tokens:
            message = f"The position, {pos} is out of range of {tokens}"
            raise ValueError(message)
        number = self._number(y)
        if self._marginals is None:
            self._marginals = model.marginals([self._current], 1)[0]
        return float(self._marginals[pos, number])

    def dump(self, filename: str | os.PathLike[str] | None = None) -> None:
        """Write the model as text.

        Parameters
        ----------
        filename : path or None
            Where to; None for standard output.
        """
        self._not_closed()
        if filename is None:
            sys.stdout.writelines(self._dumped())
            return
        with open(filename, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(self._dumped())

    def info(self) -> ParsedDump:
        """Return what the model consists of; weights have six decimals, as in :meth:`dump`."""
        model = self._not_closed()
        result = ParsedDump()
        result.header = header_fields(self._header)
        result.labels = {label: str(number) for number, label in enumerate(model.labels())}
        result.attributes = {name: str(number) for number, name in enumerate(model.attributes())}
        result.transitions = {(a, b): float(f"{weight:f}") for a, b, weight in model.transitions()}
        result.state_features = {(a, b): float(f"{weight:f}") for a, b, weight in model.states()}
        return result

    def _dumped(self) -> Iterator[str]:
        model = self._not_closed()
        yield "FILEHEADER = {\n"
        yield from (f"  {name}: {value}\n" for name, value in header_fields(self._header).items())
        for title, names in (("LABELS", model.labels()), ("ATTRIBUTES", model.attributes())):
            yield f"}}\n\n{title} = {{\n"
            yield from (f"  {number:5}: {name}\n" for number, name in enumerate(names))
        for title, kind, weights in (
            ("TRANSITIONS", 1, model.transitions()),
            ("STATE_FEATURES", 0, model.states()),
        ):
            yield f"}}\n\n{title} = {{\n"
            yield from (f"  ({kind}) {a} --> {b}: {weight:f}\n" for a, b, weight in weights)
        yield "}\n\n"

    def _opened(self) -> CrfModel:
        if self._model is None:
            message = "The tagger is not opened"
            raise ValueError(message)
        return self._model

    def _not_closed(self) -> CrfModel:
        if self._model is None:
            message = "Tagger is closed"
            raise RuntimeError(message)
        return self._model

    def _number(self, label: str | bytes) -> int:
        label = label_text(label)
        if label not in self._numbers:
            message = f"Failed to convert into label identifier: {label}"
            raise RuntimeError(message)
        return self._numbers[label]

    def __getstate__(self) -> dict[str, Any]:
        state = {
            name: value for name, value in vars(self).items() if name not in ("_current", "_marginals")
        }
        if self._model is not None:
            state["_model"] = self._model.to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        if state.get("_model") is not None:
            self._model = CrfModel.from_bytes(state["_model"])


def _unwrapped(sequences: Iterable[Any]) -> Iterator[Any]:
    for sequence in sequences:
        yield sequence._items if isinstance(sequence, ItemSequence) else sequence


def label_text(label: object) -> str:
    """Return a label, which is given as str or as bytes in UTF-8."""
    if isinstance(label, str):
        return label
    if isinstance(label, bytes):
        return label.decode()
    message = f"expected bytes, {type(label).__name__} found"
    raise TypeError(message)
