"""Scores documents as MATScore does."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from spanrs import _spanrs
from spanrs.errors import FormatError, SpanrsError, warn, with_code
from spanrs.eval import Result
from spanrs.eval.corpora import ScoreOptions
from spanrs.eval.evidence import Evidence, Skipped
from spanrs.eval.matchers import register_documents
from spanrs.eval.warnings import MIN_SPANS
from spanrs.io import Corpus
from spanrs.io.sources import same_file
from spanrs.mat.details import AnnotationPair, first_names
from spanrs.mat.files import FilePair, corpus_pairs, without_hypothesis
from spanrs.mat.matcher import Mat
from spanrs.mat.pairs import DocumentPairs, UnreadableFileError
from spanrs.mat.views import NO_TOKENS
from spanrs.threads import thread_count

#: MATScore's message if a table of tokens cannot be made.
MISPLACED = "Found annotation boundary which doesn't fall on a token boundary; skipping token scoring."


class Scored(NamedTuple):
    """A pair of documents that was scored."""

    name: str
    """Name in the details."""
    text: str
    """The text; empty unless details were requested."""
    outcome: _spanrs.MatOutcome
    """Counts and pairs of the document."""

    def details(self) -> Iterator[AnnotationPair]:
        """Return the pairs of annotations."""
        nothing = (None, None, None)
        for detail in self.outcome.details():
            gold, pred = detail["gold"], detail["pred"]
            contents = (None if span is None else self.text[span.start : span.end] for span in (gold, pred))
            yield AnnotationPair(
                self.name, detail["kind"], *(gold or nothing)[:3], *(pred or nothing)[:3], *contents
            )


#: Called with each scored pair of documents, in order.
Sink = Callable[[Scored], None]


def score_corpora(gold: Corpus, pred: Corpus, options: ScoreOptions) -> Result:
    """Score the annotations of pred against gold as MITRE's MATScore does.

    Overlapping annotations are paired one to one to maximise the sum of their similarities. Each pair is a match or one
    of seven kinds of clashes; unpaired annotations are missing or spurious. Tokens, pseudo-tokens and
    characters are counted as well. Both sides must have the same text.

    Documents of one file are paired by their ids if they have ids, otherwise by their order. The name of a document
    without an id is its index, so results should only be merged if documents have ids.

    Parameters
    ----------
    gold, pred : Corpus
        The documents; tokens of column files and tables are joined into text.
    options : ScoreOptions
        Same as for :func:`spanrs.score`, which calls this function for the matcher :class:`Mat`. ``progress`` is called
        with the number of completed files.

    Returns
    -------
    Result
        The result has the criteria ``tag``, ``token``, ``pseudo_token`` and ``character``, and counts for each
        document. :func:`spanrs.mat.tables` converts the result to MATScore's tables.

    Raises
    ------
    spanrs.errors.SpanrsError, OSError
        If a pair cannot be scored, unless ``on_error`` is ``skip``.
    spanrs.errors.FormatError
        If all pairs were skipped, or files have no annotations to score.

    Notes
    -----
    Source: MITRE Annotation Toolkit 1.3, "Scoring Engine"; the pairing follows version 2.0.
    """
    if options.align != "refuse":
        raise ValueError("MATScore requires the same text on both sides; pass align='refuse'")
    if options.errors:
        raise ValueError("MATScore does not support errors=; pass details=True")
    matcher: Mat = options.matcher  # type: ignore[assignment]  # registered below
    pairs, alone = corpus_pairs(gold, pred, matcher.known_task, options.pairing)
    skipping = options.on_error == "skip"
    progress = options.progress
    result = score_pairs(
        pairs,
        matcher,
        threads=thread_count(options.threads),
        details=options.details,
        tell=None if skipping else _raise_skipped,
        progress=None if progress is None else lambda done, _: progress(done),
    )
    evidence = result.evidence
    notes = (*evidence.notes, *without_hypothesis(alone))
    result = replace(result, evidence=replace(evidence, notes=notes))
    files = any(part.path is not None for part in (*gold.parts, *pred.parts))
    if files or (result.evidence.skipped and not len(result.counts)):
        refuse_nothing(result)
    nothing = reason_for_nothing(result)
    warn(_suspicions(result))
    skipped = result.evidence.skipped
    if nothing is not None:
        # Documents in memory without annotations may be intended.
        warn([f"nothing was scored: {nothing}"])
    elif skipped:
        more = f" (and {len(skipped) - 1} more)" if len(skipped) > 1 else ""
        warn([f"not everything was scored: {skipped[0].message}{more}"])
    return result


register_documents("mat", score_corpora)


def _raise_skipped(skipped: Skipped) -> None:
    """Raise an error for a pair that cannot be scored; skipped annotations are not errors.

    Raises
    ------
    spanrs.errors.FormatError
    """
    if skipped.pair:
        message = f"{skipped.message.removesuffix('; skipping pair.')} (use on_error='skip' to score the other pairs)"
        raise with_code(FormatError(message), "skipped", skipped.file)


def refuse_nothing(result: Result, *, printed: bool = False) -> None:
    """Refuse an empty result, whose measures would all be 1; for ``printed`` see :func:`reason_for_nothing`.

    Raises
    ------
    spanrs.errors.FormatError
    """
    reason = reason_for_nothing(result, printed=printed)
    if reason is not None:
        raise with_code(FormatError(f"nothing was scored: {reason}"), "nothing_scored")


def reason_for_nothing(result: Result, *, printed: bool = False) -> str | None:
    """Return why nothing was scored; None if something was scored.

    ``printed`` means that the messages of skipped pairs have been printed, so that the first message is not repeated.
    """
    documents, skipped = len(result.counts), result.evidence.skipped
    if not documents and not skipped:
        return "there are no pairs of documents"
    if not documents:
        return f"all pairs were skipped ({'see above' if printed else skipped[0].message})"
    if result.per_type:
        return None
    many = "the document has no" if documents == 1 else f"none of {documents} documents has"
    return f"{many} annotations to score on either side; check the file type and the excluded labels"


def score_pairs(
    pairs: Sequence[FilePair],
    matcher: Mat,
    *,
    threads: int = 1,
    details: bool = False,
    sinks: Sequence[Sink] = (),
    tell: Callable[[Skipped], None] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Result:
    """Score pairs of files, for :func:`score_corpora` and the command line.

    Parameters
    ----------
    sinks : sequence of callable
        Called with each scored pair of documents, in order, so that documents need not be kept in memory.
    tell : callable, optional
        Called with each skipped item immediately.
    """
    if threads < 1:
        raise ValueError(f"threads must be 1 or more, not {threads}")
    kept: list[AnnotationPair] = []
    if details:
        sinks = [*sinks, lambda document: kept.extend(document.details())]
    scorer = matcher.scorer(bool(sinks))
    totals = _spanrs.DocumentTotals(True)
    skipped: list[Skipped] = []
    misplaced: list[str] = []
    without_tokens: list[str] = []
    for done, (scored, newly_skipped) in enumerate(_each(pairs, scorer, bool(sinks), threads), 1):
        skipped += newly_skipped
        if tell is not None:
            for item in newly_skipped:
                tell(item)
        for document in scored:
            name, outcome = document.name, document.outcome
            totals.add(outcome, name)
            if (place := outcome.misplaced()) is not None:
                misplaced.append(f"{name}, character {place}")
            if not outcome.tokens():
                without_tokens.append(name)
            for sink in sinks:
                sink(document)
        if progress is not None:
            progress(done, len(pairs))
    result = Result(
        totals.counts(),
        matcher.settings() | {"version": _spanrs.__version__},
        matcher,
        Evidence(skipped=tuple(skipped)),
        {"tag": kept} if details else None,  # type: ignore[dict-item]
    )
    notes = matcher.messages() + _notes(result, pairs, misplaced, without_tokens) + _suspicions(result)
    return replace(result, evidence=replace(result.evidence, notes=tuple(notes)))


def _notes(
    result: Result, pairs: Sequence[FilePair], misplaced: list[str], without_tokens: list[str]
) -> list[str]:
    """Return notes on empty tables, and on files that were scored against themselves."""
    notes = []
    by_token = "token" in result.matcher.criteria
    if misplaced:
        notes.append(f"{MISPLACED} (The first one: {misplaced[0]}.)")
    elif by_token and not result["token"].outcomes["elements"]:
        notes.append(NO_TOKENS)
    elif by_token and without_tokens:
        notes.append(
            f"Documents without tokens in hyp do not count by token: {first_names(without_tokens)}."
        )
    if not len(result.counts):
        why = "all pairs were skipped" if result.evidence.skipped else "there are no pairs"
        notes.append(f"No documents were scored: {why}; measures without data are 1.")
    elif not any(result.totals[1:]) and all(same_file(pair.gold, pair.pred) for pair in pairs):
        notes.append("Hypothesis and reference are read from the same file, and all annotations are equal.")
    return notes


def _suspicions(result: Result) -> list[str]:
    """Return a warning if one side has no annotations, or both have several and none matches."""
    match, fp, fn = result.totals
    ref, hyp = match + fn, match + fp
    for side, mine, opposite in (("reference", ref, hyp), ("hypothesis", hyp, ref)):
        if opposite and not mine:
            return [f"The {side} has no annotations to score; check its file type and labels."]
    if match or min(ref, hyp) < MIN_SPANS:
        return []
    types = result.per_type.totals.items()
    sides = ([name for name, of in types if of.fn], [name for name, of in types if of.fp])
    refs, hyps = (", ".join(labels[:3]) + (" and others" if len(labels) > 3 else "") for labels in sides)
    return [
        f"None of {ref} annotations of the reference ({refs}) matches one of the {hyp} of the hypothesis "
        f"({hyps})."
    ]


#: Scored pairs of documents, and skipped items.
_Outcome = tuple[list[Scored], list[Skipped]]


def _each(
    pairs: Sequence[FilePair], scorer: _spanrs.MatScorer, texts: bool, threads: int
) -> Iterator[_Outcome]:
    """Yield the outcome of each pair of files, in order."""
    work = partial(_pair, scorer=scorer, texts=texts)
    if threads == 1:
        yield from map(work, pairs)
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    # At most 2 * threads pairs are kept in memory.
    ahead: deque[Future[_Outcome]] = deque()
    pool = ThreadPoolExecutor(threads)
    try:
        for pair in pairs:
            ahead.append(pool.submit(work, pair))
            if len(ahead) > 2 * threads:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _pair(pair: FilePair, scorer: _spanrs.MatScorer, texts: bool) -> _Outcome:
    scored, skipped = [], []
    pairing = DocumentPairs(pair)
    try:
        for gold, pred in pairing:
            skipped += _left_out(pair, gold, pred)
            outcome, reason = scorer.score(gold, pred)
            if outcome is not None:
                scored.append((pairing.paired - 1, pred.id, pred.text if texts else "", outcome))
            elif reason is not None:
                code, why = reason
                message = f"Couldn't score {pair.pred}: {why}; skipping pair."
                if code == "texts":
                    message = (
                        f"Signals don't match among documents {pair.pred}, {pair.gold}; skipping. ({why})"
                    )
                skipped.append(Skipped(pair.pred, message, pair=True))
    except UnreadableFileError as unreadable:
        side, file, error = unreadable.args
        why = _unreadable(side, file, error)
        return [], [Skipped(file, f"Couldn't {why}; skipping pair.", pair=True)]
    if pairing.refused:
        return [], pairing.refused
    named = [Scored(pairing.name(at, id_), text, outcome) for at, id_, text, outcome in scored]
    return named, pairing.missing + skipped


def _unreadable(side: str, file: str, error: Exception) -> str:
    """Describe the operation that failed on a file, and the reason."""
    if isinstance(error, OSError):
        # The text of a brat document is a separate file.
        return f"open {side} {error.filename or file} ({error.strerror or error})"
    if not isinstance(error, SpanrsError):
        return f"load {side} {file} (an unpaired surrogate: {error})"
    # The location has the form file:line:column, which editors recognise, followed by the error.
    numbers = [number for number in (error.line, error.column) if number is not None]
    place = ":".join([file, *map(str, numbers)])
    why = str(error).removeprefix(place).removeprefix(":").strip()
    return f"{'decode' if error.code == 'encoding' else 'load'} {side} {place} ({why})"


def _left_out(pair: FilePair, gold: _spanrs.Document, pred: _spanrs.Document) -> list[Skipped]:
    """Return messages about skipped annotations of two documents, without duplicates."""
    sides = []
    for file, document in ((pair.gold, gold), (pair.pred, pred)):
        count, first, _ = document.left_out()
        messages = [f"Leaving out an annotation of {file}: {why}" for why in first]
        if count > len(first):
            messages.append(f"Leaving out {count - len(first)} more annotations of {file}")
        sides.append([Skipped(file, message, pair=False) for message in messages])
    return sides[0] if sides[0] == sides[1] else sides[0] + sides[1]
