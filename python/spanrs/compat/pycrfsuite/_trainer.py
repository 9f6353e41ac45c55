"""Training model files."""

from __future__ import annotations

import operator
import os
import time
from collections.abc import Iterable, Mapping
from typing import Any

from spanrs.compat.pycrfsuite._items import ItemSequence, crf_items
from spanrs.compat.pycrfsuite._logparser import TrainLogParser
from spanrs.compat.pycrfsuite._parameters import ALIASES, PARAMETERS, Value, defaults
from spanrs.compat.pycrfsuite._tagger import label_text
from spanrs.compat.pycrfsuite._training_run import LabelledSequence, TrainedModel, TrainingRun
from spanrs.io import atomic_output


class BaseTrainer:
    """Holds training data and parameters, and trains.

    Parameters
    ----------
    algorithm : {"lbfgs", "l2sgd", "ap", "pa", "arow"} or None
        As for :meth:`select`; None for "lbfgs".
    params : dict or None
        As for :meth:`set_params`.
    verbose : bool
        Print the messages of training.
    """

    verbose: Any = None
    _algorithm: str
    _values: dict[str, int | float | str]
    _sequences: list[LabelledSequence]

    def __new__(cls, *args: Any, **kwargs: Any) -> BaseTrainer:  # noqa: ARG004
        """Create a trainer that can be used without ``__init__``, which subclasses need not call."""
        self = super().__new__(cls)
        self._algorithm = "lbfgs"
        self._values = defaults("lbfgs")
        self._sequences = []
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
        """Receive a message of training; may be overridden.

        Parameters
        ----------
        message : str
            Mostly a line, with its line break.
        """
        if self.verbose:
            print(message, end="")  # noqa: T201

    def append(self, xseq: Iterable[Any] | ItemSequence, yseq: Iterable[str], group: int = 0) -> None:
        """Add a sequence to the data.

        Parameters
        ----------
        xseq : iterable or ItemSequence
            Features as for :class:`ItemSequence`.
        yseq : iterable of str
            One label for each token.
        group : int
            Group that may be held out in :meth:`train`.

        Raises
        ------
        ValueError
            If the numbers of tokens and labels differ.
        """
        items, labels = crf_items(xseq), [label_text(label) for label in yseq]
        if len(items) != len(labels):
            message = f"The numbers of items and labels differ: |x| = {len(items)}, |y| = {len(labels)}"
            raise ValueError(message)
        sequence = LabelledSequence(operator.index(group), items, labels)
        if labels:
            self._sequences.append(sequence)

    def select(self, algorithm: str, type: str = "crf1d") -> None:  # noqa: A002
        """Select the algorithm; all parameters have their defaults then.

        Parameters
        ----------
        algorithm : {"lbfgs", "l2sgd", "ap", "pa", "arow"}
            L-BFGS, stochastic gradient descent, averaged perceptron, passive-aggressive training or AROW.
            "averaged-perceptron" and "passive-aggressive" are also known.
        type : {"crf1d"}
            The model.

        Raises
        ------
        ValueError
            For others.
        """
        algorithm = algorithm.lower()
        algorithm = ALIASES.get(algorithm, algorithm)
        if algorithm not in PARAMETERS or type != "crf1d":
            message = f"Bad arguments: algorithm={algorithm!r}, type={type!r}"
            raise ValueError(message)
        self._algorithm, self._values = algorithm, defaults(algorithm)

    def train(self, model: str | bytes | os.PathLike[str], holdout: int = -1) -> None:
        """Train, and write the model in CRFsuite's format.

        Parameters
        ----------
        model : path
            The file; nothing is written if it is empty.
        holdout : int
            The group that is not trained on and scored after each iteration; -1 for none.

        Raises
        ------
        CRFSuiteError
            If weights overflow.
        OSError
            If the file cannot be written.
        """
        self._before_train()
        path = os.fsdecode(model) if isinstance(model, os.PathLike) else label_text(model)
        train_data = [sequence for sequence in self._sequences if holdout < 0 or sequence.group != holdout]
        dev = (
            [sequence for sequence in self._sequences if sequence.group == holdout]
            if holdout >= 0
            else None
        )
        if dev is not None:
            self._say(f"Holdout group: {holdout + 1}\n", "\n")
        trained = TrainingRun(self._algorithm, self._values, train_data, dev, self._say).train()
        if path:
            self._store(path, trained)

    def _store(self, path: str, trained: TrainedModel) -> None:
        begin = time.process_time()
        with atomic_output(path) as file:
            file.write(trained.content)
        numbers = (("features", trained.features), ("attributes", trained.attributes))
        self._say(
            "Storing the model\n",
            *(f"Number of active {name}: {active} ({total})\n" for name, (active, total) in numbers),
            f"Number of active labels: {trained.labels} ({trained.labels})\n",
            "Writing labels\n",
            "Writing attributes\n",
            "Writing feature references for transitions\n",
            "Writing feature references for attributes\n",
            f"Seconds required: {time.process_time() - begin:.3f}\n",
            "\n",
        )

    def _say(self, *messages: str) -> None:
        for message in messages:
            self.message(message)

    def params(self) -> list[str]:
        """Return the names of the parameters of the algorithm."""
        return list(PARAMETERS[self._algorithm])

    def set_params(self, params: Mapping[str, Any]) -> None:
        """Set parameters.

        Parameters
        ----------
        params : dict
            Name to value.
        """
        for name, value in params.items():
            self.set(name, value)

    def get_params(self) -> dict[str, Value]:
        """Return all parameters of the algorithm: name to value."""
        return {name: self.get(name) for name in self.params()}

    def set(self, name: str | bytes, value: object) -> None:
        """Set a parameter.

        Parameters
        ----------
        name : str
            The parameter.
        value : number, bool or str
            Its value.

        Raises
        ------
        ValueError
            If the algorithm does not have the parameter, or the value is not a number where one is needed.
        """
        name = label_text(name)
        if name not in self._values:
            message = f"Parameter not found: {name} = {int(value) if isinstance(value, bool) else value}"
            raise ValueError(message)
        self._values[name] = PARAMETERS[self._algorithm][name].parse(name, value)

    def get(self, name: str | bytes) -> Value:
        """Return the value of a parameter.

        Parameters
        ----------
        name : str
            The parameter.
        """
        name = label_text(name)
        if name not in self._values:
            message = f"Parameter not found: {name} = "
            raise ValueError(message)
        return PARAMETERS[self._algorithm][name].shown(self._values[name])

    def help(self, name: str) -> str:
        """Return the description of a parameter.

        Parameters
        ----------
        name : str
            The parameter.
        """
        if name not in self._values:
            message = f"Parameter not found: {name}"
            raise ValueError(message)
        return PARAMETERS[self._algorithm][name].help

    def clear(self) -> None:
        """Remove all sequences."""
        self._sequences.clear()

    def _before_train(self) -> None:
        """Prepare for the messages of a training."""


class Trainer(BaseTrainer):
    """A trainer that turns messages into events, for which methods can be overridden.

    Parameters
    ----------
    algorithm : {"lbfgs", "l2sgd", "ap", "pa", "arow"} or None
        As for :meth:`BaseTrainer.select`; None for "lbfgs".
    params : dict or None
        As for :meth:`BaseTrainer.set_params`.
    verbose : bool
        Call the methods ``on_...``, which print.

    Attributes
    ----------
    logparser : TrainLogParser or None
        What the messages of the last training said; also if not verbose.

    Examples
    --------
    >>> from spanrs.compat.pycrfsuite import Trainer
    >>> class Numbers(Trainer):
    ...     def on_iteration(self, log, info):
    ...         print(info["num"], log.splitlines()[0])
    ...
    ...     def on_start(self, log):
    ...         pass
    ...
    ...     on_featgen_end = on_prepared = on_prepare_error = on_optimization_end = on_end = on_start
    ...
    ...     def on_featgen_progress(self, log, percent):
    ...         pass
    >>> trainer = Numbers("ap", params={"max_iterations": 2})
    >>> trainer.append([{"word": "Rome"}, {"word": "is"}], ["LOC", "O"])
    >>> trainer.train("")
    1 ***** Iteration #1 *****
    2 ***** Iteration #2 *****
    """

    logparser: TrainLogParser | None = None

    def _before_train(self) -> None:
        self.logparser = TrainLogParser()

    def message(self, message: str) -> None:
        """Pass a message to the parser, and call the method of the event it completes.

        Parameters
        ----------
        message : str
            Mostly a line, with its line break.
        """
        assert self.logparser is not None
        event = self.logparser.feed(message)
        if event is None or not self.verbose:
            return
        log = self.logparser.last_log
        if event == "featgen_progress":
            self.on_featgen_progress(log, self.logparser.featgen_percent)
        elif event == "iteration":
            assert self.logparser.last_iteration is not None
            self.on_iteration(log, self.logparser.last_iteration)
        else:
            getattr(self, f"on_{event}")(log)

    def on_start(self, log: str) -> None:
        """Handle the begin of training."""
        print(log, end="")  # noqa: T201

    def on_featgen_progress(self, log: str, percent: int) -> None:  # noqa: ARG002
        """Handle progress in the generation of features, in per cent."""
        print(log, end="")  # noqa: T201

    def on_featgen_end(self, log: str) -> None:
        """Handle the end of the generation of features."""
        print(log, end="")  # noqa: T201

    def on_prepared(self, log: str) -> None:
        """Handle that the first iteration begins."""
        print(log, end="")  # noqa: T201

    def on_prepare_error(self, log: str) -> None:
        """Handle that there is no iteration."""
        print(log, end="")  # noqa: T201

    def on_iteration(self, log: str, info: dict[str, Any]) -> None:  # noqa: ARG002
        """Handle the end of an iteration; ``info`` is that of the parser."""
        print(log, end="")  # noqa: T201

    def on_optimization_end(self, log: str) -> None:
        """Handle the end of the last iteration."""
        print(log, end="")  # noqa: T201

    def on_end(self, log: str) -> None:
        """Handle that the model is stored."""
        print(log, end="")  # noqa: T201
