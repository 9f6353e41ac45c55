"""Monitoring of training: iterations, scores on development data, progress."""

from __future__ import annotations

import math
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from spanrs._spanrs import CrfModel
from spanrs.crf.templates import template_text
from spanrs.errors import ModelError, SpanrsWarning
from spanrs.io.training import tagged


class Iteration(NamedTuple):
    """Statistics of one training iteration."""

    iteration: int
    """Number of the iteration, from 1."""
    loss: float
    """Objective including penalties; for ap, pa and arow the total loss of the pass."""
    gradient_norm: float | None
    """Norm of the gradient; None for online algorithms and for sweeps of ``sdca``."""
    gap: float | None
    """Difference between the loss and its minimum for ``sdca``: an estimate in sweeps, then an upper bound."""
    active: int
    """Number of weights that are not 0."""
    evaluations: int
    """Number of evaluations of the objective: 1, plus 1 for each rejected step of the line search."""
    seconds: float
    """Seconds since the start of training."""
    dev_score: float | None
    """F1 of spans, or token accuracy if labels are not tags; None without development data."""
    seconds_left: float | None
    """Estimated seconds until the end; None while unknown."""


def scheme_of(labels: Sequence[str], sequences: Sequence[Sequence[str]]) -> str | None:
    """Return the scheme of labels that are tags with types; None for other labels, such as parts of speech.

    Labels are tags if at least one label is not ``O``, and all labels other than ``O`` have a prefix of a scheme and a
    type.
    """
    from spanrs import tags

    prefixes = {"B", "I", "O", "E", "S", "L", "U", "M", "W"}
    typed = [label for label in labels if label != "O"]
    if not typed or not all(label[:1] in prefixes and label[1:2] == "-" and label[2:] for label in typed):
        return None
    scheme = tags.detect_scheme(sequences).scheme
    return None if scheme == "TOKEN" else scheme


def warn_of_violations(scheme: str | None, sequences: Sequence[Sequence[str]]) -> None:
    """Warn if labels violate the scheme to which decoding is restricted."""
    from spanrs import tags

    if scheme is None:
        return
    count = tags.detect_scheme(sequences).violations.get(scheme, 0)
    if count:
        message = (
            f"labels violate {scheme} {count} times, and violations are never predicted; check the scheme"
        )
        warnings.warn(message, SpanrsWarning, stacklevel=4)


def continued_scheme(
    before: str | None, found: str | None, sequences: Sequence[Sequence[str]]
) -> str | None:
    """Return the scheme of a model after a further batch, in which another scheme was found.

    The scheme before remains unless the batch violates it; decoding is not constrained then.
    """
    from spanrs import tags

    if before is None or before == found:
        return found if before is None else before
    count = tags.detect_scheme(sequences).violations.get(before, 0)
    if not count:
        return before
    message = f"labels violate {before} {count} times, so predicted labels are no longer restricted to it; set scheme"
    warnings.warn(message, SpanrsWarning, stacklevel=3)
    return None


def check_single_tokens(scheme: str, labels: Sequence[str]) -> None:
    """Refuse a scheme under which a sentence of one token cannot have a legal tag."""
    if not allows_single_token_sentences(scheme, labels):
        raise ModelError(
            f"under {scheme} none of the labels {', '.join(labels[:10])} is legal for a single token, so one-token "
            "sentences cannot be labelled; set scheme=None"
        )


def allows_single_token_sentences(scheme: str, labels: Sequence[str]) -> bool:
    """Return whether a sentence of one token can have a legal tag."""
    from spanrs import tags

    mask = tags.transition_mask(scheme, labels)
    return bool((mask.start & mask.end).any())


def warn_of_unknown_labels(labels: Sequence[str], y_dev: Sequence[Sequence[str]]) -> None:
    """Warn about labels in the development data that cannot be predicted."""
    unknown = sorted({label for sequence in y_dev for label in sequence} - set(labels))
    if unknown:
        more = f" and {len(unknown) - 10} more" if len(unknown) > 10 else ""
        message = (
            "labels of the development data that do not occur in the training data are never predicted: "
            f"{', '.join(unknown[:10])}{more}"
        )
        warnings.warn(message, SpanrsWarning, stacklevel=3)


def warn_of_constant_model(model: CrfModel, min_freq: float) -> None:
    """Warn about a model whose labels do not depend on token features."""
    labels, attributes, _ = model.sizes()
    if labels == 1:
        message = f"all labels are {model.labels()[0]}; the model can predict nothing else"
    elif not attributes and not len(model.dense_weights()):
        reason = f"; no feature occurs {min_freq:g} times (min_freq)" if min_freq > 0 else ""
        message = f"the model has no features of tokens, only transitions{reason}"
    else:
        return
    warnings.warn(message, SpanrsWarning, stacklevel=3)


#: Training that stops at a larger gap, as a fraction of the loss, is far from the minimum.
_LARGE_GAP = 0.05


def warn_of_distant_minimum(history: Sequence[Iteration], stopped: str) -> None:
    """Warn if training stopped far from the minimum, although it was not limited."""
    gap = history[-1].gap if history else None
    if gap is None or stopped not in ("delta", "line_search") or gap <= _LARGE_GAP * abs(history[-1].loss):
        return
    message = (
        f"training stopped ({stopped}) although the loss, {history[-1].loss:.4g}, may be far from its minimum; the "
        "usual reason are features or dense columns with values of very different sizes, so scale them to about 1"
    )
    warnings.warn(message, SpanrsWarning, stacklevel=3)


def warn_of_lost_labels(before: Sequence[str], after: Sequence[str]) -> None:
    """Warn if a warm start drops labels that do not occur in the new data."""
    lost = [label for label in before if label not in after]
    if lost:
        message = (
            f"{len(lost)} labels of the initial model do not occur in the training data, so the new model cannot "
            f"predict them: {', '.join(lost[:10])}; train on all data to keep these labels"
        )
        warnings.warn(message, SpanrsWarning, stacklevel=3)


def corpus_data(corpus: Any, y: object, template: str | None) -> tuple[Any, list[list[str]], str]:
    """Return the tokens and tags of a corpus, and the template for its tokens: ``ner`` or ``pos`` if none is given.

    Raises
    ------
    TypeError
        If labels are passed in addition to a corpus.
    """
    if y is not None:
        raise TypeError("a corpus contains tags; omit y, or pass the tokens of its sentences as X")
    tokens, tags = tagged(corpus)
    if template is None:
        labels = list(dict.fromkeys(label for sentence in tags for label in sentence))
        template = template_text("pos" if scheme_of(labels, tags) is None else "ner")
    return tokens, tags, template


def dev_scorer(gold: Sequence[Sequence[str]]) -> tuple[str, Callable[[Sequence[Sequence[str]]], float]]:
    """Return the name of the score of predictions (``F1`` or ``accuracy``) and the function that computes it."""
    from spanrs.eval import score

    labels = sorted({label for sequence in gold for label in sequence})
    scheme = scheme_of(labels, gold)
    if scheme is None:
        total = sum(map(len, gold))

        def accuracy(pred: Sequence[Sequence[str]]) -> float:
            pairs = zip(gold, pred, strict=True)
            right = sum(a == b for g, p in pairs for a, b in zip(g, p, strict=True))
            return right / total if total else 0.0

        return "accuracy", accuracy

    def f1(pred: Sequence[Sequence[str]]) -> float:
        with warnings.catch_warnings():
            # Early iterations often predict no spans, so the warning is useless.
            warnings.simplefilter("ignore", SpanrsWarning)
            return score(gold, pred, scheme=scheme).micro.f1

    return "F1", f1


class TrainingMonitor:
    """Records the iterations of training, and decides when to stop."""

    def __init__(
        self,
        *,
        score: Callable[[Sequence[Sequence[str]]], float] | None,
        patience: int | None,
        show: Callable[[Iteration], None] | None,
        limit: int,
        period: int,
        delta: float,
    ) -> None:
        self.history: list[Iteration] = []
        self._score, self._patience, self._show = score, patience, show
        self._limit, self._period, self._delta = limit, period, delta
        self._start = time.perf_counter()
        self._best = -math.inf
        self._best_at = 0

    def __call__(
        self,
        state: dict[str, Any],
        dev: list[list[str]] | None,
    ) -> int:
        """Record an iteration. Return 0 to stop, 1 to continue, or 2 to continue and keep these weights as the best."""
        score = None if dev is None or self._score is None else self._score(dev)
        iteration, loss = state["iteration"], state["loss"]
        seconds = time.perf_counter() - self._start
        left = self._seconds_left(iteration, loss, seconds)
        del state["weight_norm"], state["step"]
        self.history.append(Iteration(**state, seconds=seconds, dev_score=score, seconds_left=left))
        if self._show is not None:
            self._show(self.history[-1])
        if score is None or self._patience is None:
            return 1
        if score > self._best:
            self._best, self._best_at = score, iteration
            return 2
        if self._best <= 0:
            # The first iterations of L-BFGS often find no span at all.
            return 1
        return 0 if iteration - self._best_at >= self._patience else 1

    def _seconds_left(self, iteration: int, loss: float, seconds: float) -> float | None:
        pace = seconds / iteration
        if iteration >= self._limit:
            return 0.0
        left = (self._limit - iteration) * pace if self._limit < 1 << 32 else None
        gains = self._gains(loss)
        if self._delta <= 0 or len(gains) < 2 or not 0 < gains[-1] < gains[0]:
            return left
        # The relative improvement falls about geometrically until it is below delta.
        slope = math.log(gains[0] / gains[-1]) / (len(gains) - 1)
        more = max(0.0, math.log(gains[-1] / self._delta) / slope) * pace
        return more if left is None else min(more, left)

    def _gains(self, loss: float) -> list[float]:
        """Return the relative improvement over a period for each of the last iterations."""
        losses = [iteration.loss for iteration in self.history[-2 * self._period :]] + [loss]
        pairs = zip(losses, losses[self._period :], strict=False)
        return [(before - after) / abs(after) for before, after in pairs if after and before > after]


@contextmanager
def progress_display(wanted: bool | None, score_name: str) -> Iterator[Callable[[Iteration], None] | None]:
    """Show iterations on standard error; if ``wanted`` is None, only if standard error is a terminal."""
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        # Standard error is a log: write a line for each iteration.
        yield lambda it: console.print(_line(it, score_name), highlight=False, soft_wrap=True)
        return
    columns: tuple[Any, ...] = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("training", total=None)
        yield lambda it: bar.update(task, description=_line(it, score_name))


def _line(it: Iteration, score_name: str) -> str:
    parts = [f"iteration {it.iteration}", f"loss {it.loss:.2f}"]
    if it.gap is not None:
        # Relative, as `tol` is. The loss of a pass is an estimate, which can be too small.
        parts.append(
            f"relative gap {it.gap / max(abs(it.loss), it.gap):.1e}" if it.gap else "relative gap 0"
        )
    elif it.gradient_norm is not None:
        parts.append(f"gradient norm {it.gradient_norm:.2f}")
    if it.dev_score is not None:
        parts.append(f"dev {score_name} {100 * it.dev_score:.2f}")
    if it.seconds_left is not None:
        parts.append(f"about {it.seconds_left:.0f} s left")
    return "  ".join(parts)
