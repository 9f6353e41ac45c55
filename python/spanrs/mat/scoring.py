"""Scores documents as MATScore does."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import TYPE_CHECKING, NamedTuple

from spanrs import _spanrs
from spanrs.errors import FormatError, SpanrsError, warn
from spanrs.eval import Result
from spanrs.eval.evidence import Evidence, Skipped
from spanrs.eval.warnings import MIN_SPANS
from spanrs.io.sources import same_file
from spanrs.mat.details import Detail
from spanrs.mat.files import FilePair, InputFormat, Pairing, Side, file_pairs, without_hypothesis
from spanrs.mat.label_counts import LabelCounts
from spanrs.mat.matcher import Mat
from spanrs.mat.views import NO_TOKENS

if TYPE_CHECKING:
    from concurrent.futures import Future

#: What is said where a table of tokens cannot be made.
MISPLACED = "Found annotation boundary which doesn't fall on a token boundary; skipping token scoring."


class Scored(NamedTuple):
    """A pair of documents that was scored."""

    name: str
    """What details call it."""
    text: str
    """The text; empty where details were not asked for."""
    outcome: _spanrs.MatOutcome
    """What came of it."""

    def details(self) -> Iterator[Detail]:
        """Give the pairs of annotations."""
        text = self.text
        nothing = (None, None, None)
        for kind, gold, pred in self.outcome.details():
            ref_label, ref_start, ref_end = gold or nothing
            hyp_label, hyp_start, hyp_end = pred or nothing
            yield Detail(
                self.name,
                kind,
                ref_label,
                ref_start,
                ref_end,
                hyp_label,
                hyp_start,
                hyp_end,
                None if gold is None else text[ref_start:ref_end],
                None if pred is None else text[hyp_start:hyp_end],
            )


#: Called with each pair of documents that was scored, in order.
Sink = Callable[[Scored], None]


def score(
    gold: Side,
    pred: Side,
    matcher: Mat = Mat(),
    *,
    input_format: InputFormat = InputFormat(),
    gold_input_format: InputFormat | None = None,
    pairing: Pairing = Pairing(),
    details: bool = False,
    lenient: bool = False,
    threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Result:
    """Score annotations of pred against those of gold, as MITRE's MATScore does.

    Annotations that overlap are paired one to one, so that their similarities have the greatest sum; every
    pair is a match or a clash of one of seven kinds, and what has no partner is missing or spurious.
    Tokens, pseudo-tokens and characters are counted besides.

    Parameters
    ----------
    gold, pred : path, Document or sequence of Document
        Two files, two directories, or documents of memory. Of directories every file of pred's is paired
        with the file of the same name in gold's. Documents of one file are paired by their ids if they
        have any, else by their order. The text has to be the same on both sides.
    matcher : Mat
        Which annotations are scored, under which labels, and what is counted.
    input_format : InputFormat
        How pred's files are written, and gold's unless ``gold_input_format`` says otherwise.
    gold_input_format : InputFormat, optional
        How gold's files are written.
    pairing : Pairing
        Which files of directories belong together.
    details : bool
        Whether to keep every pair.
    lenient : bool
        Do not warn of what was skipped, which is in the result anyway, and return an empty result instead of
        raising where there is nothing to score.
    threads : int
        Pairs of files that are worked on at once.
    progress : callable, optional
        Called with the number of pairs that are done, and of all of them.

    Returns
    -------
    Result
        Under the criteria ``tag``, ``token``, ``pseudo_token`` and ``character``, with a row for each document.
        :func:`spanrs.mat.tables` makes MATScore's tables of it.

    Raises
    ------
    ValueError
        For options that cannot be.
    OSError
        Where a directory cannot be read. Files that cannot are skipped, with the rest scored.
    spanrs.errors.FormatError
        Where all pairs were skipped, or no document has anything to score, unless ``lenient``.

    Warns
    -----
    UserWarning
        Where pairs or annotations were skipped, and where documents of memory have nothing to score.

    Notes
    -----
    Source: MITRE Annotation Toolkit 1.3, "Scoring Engine"; the pairing is that of 2.0.

    Examples
    --------
    >>> import spanrs
    >>> from spanrs.io import Annotation, Document
    >>> gold = Document("Bob saw Rome", [Annotation("PER", 0, 3), Annotation("LOC", 8, 12)])
    >>> pred = Document("Bob saw Rome", [Annotation("PER", 0, 7), Annotation("LOC", 8, 12)])
    >>> result = spanrs.mat.score(gold, pred, details=True)
    >>> [(d.type, d.refcontent, d.hypcontent) for d in result.details["tag"]]
    [('overmark', 'Bob', 'Bob saw'), ('match', 'Rome', 'Rome')]
    >>> result.micro.f1
    0.5
    >>> spanrs.mat.tables(result).tag["<all>"]["fmeasure"]
    0.5
    """
    sides = (input_format if gold_input_format is None else gold_input_format, input_format)
    pairs = list(file_pairs(gold, pred, sides, matcher.known_task, pairing))
    result = score_pairs(pairs, matcher, threads=threads, details=details, progress=progress)
    # With a pattern somebody has chosen, and with brat texts lie beside annotations.
    alone = None if pairing.file_re or sides[0].format == "brat" else without_hypothesis(gold, pairs)
    if alone is not None:
        result = replace(result, evidence=replace(result.evidence, notes=(*result.evidence.notes, alone)))
    if not lenient and all(isinstance(side, (str, PathLike)) for side in (gold, pred)):
        refuse_nothing(result)
    nothing = reason_for_nothing(result)
    if not lenient:
        warn(_suspicions(LabelCounts.of_cells(result.cells)))
    skipped = result.evidence.skipped
    if nothing is not None and not lenient:
        # Documents of memory without annotations may be meant.
        warn([f"nothing was scored: {nothing}"])
    elif skipped and not lenient:
        more = f" (and {len(skipped) - 1} more)" if len(skipped) > 1 else ""
        warn([f"not everything was scored: {skipped[0].message}{more}"])
    return result


def refuse_nothing(result: Result, *, printed: bool = False) -> None:
    """Refuse a result of nothing, whose measures would all be 1; ``printed`` as for :func:`reason_for_nothing`.

    Raises
    ------
    spanrs.errors.FormatError
    """
    reason = reason_for_nothing(result, printed=printed)
    if reason is not None:
        error = FormatError(f"nothing was scored: {reason}")
        error.code = "nothing_scored"
        raise error


def reason_for_nothing(result: Result, *, printed: bool = False) -> str | None:
    """Return why nothing was scored; None where something was.

    With ``printed`` the messages of skipped pairs are above it, and the first is not repeated.
    """
    counts = LabelCounts.of_cells(result.cells)
    skipped = result.evidence.skipped
    if counts.documents and any(counts.rows.values()):
        return None
    if not counts.documents:
        first = " (see above)" if printed else f" ({skipped[0].message})" if skipped else ""
        return f"all pairs were skipped{first}" if skipped else "there are no pairs of documents"
    many = "the document has" if counts.documents == 1 else f"none of {counts.documents} documents has"
    none = "no annotations" if counts.documents == 1 else "annotations"
    return f"{many} {none} to score on either side; is this the right file type, and are labels left out?"


def score_pairs(
    pairs: Sequence[FilePair],
    matcher: Mat,
    *,
    threads: int = 1,
    details: bool = False,
    sinks: Sequence[Sink] = (),
    tell: Callable[[Skipped], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Result:
    """Score pairs of files; what :func:`score` does with what it is given.

    Parameters
    ----------
    sinks : sequence of callable
        Called with each pair of documents, in order, so that nothing of them need be kept.
    tell : callable, optional
        Called with what is skipped, at once.
    """
    if threads < 1:
        raise ValueError(f"threads must be 1 or more, not {threads}")
    looked_at = details or bool(sinks)
    scorer = matcher.scorer(looked_at)
    gathered = _Gathered(_spanrs.DocumentTotals(True), [] if details else None)
    for done, (scored, left) in enumerate(_each(pairs, scorer, looked_at, threads), 1):
        gathered.skipped += left
        if tell is not None:
            for one in left:
                tell(one)
        for document in scored:
            gathered.take(document)
            for sink in sinks:
                sink(document)
        if progress is not None:
            progress(done, len(pairs))
    found = gathered.totals.counts()
    counts = LabelCounts.of_cells(found.cells())
    notes = matcher.messages() + gathered.notes("token" in matcher.tables, counts)
    if counts.documents and _is_perfect(counts) and all(same_file(p.gold, p.pred) for p in pairs):
        notes.append("Hypothesis and reference are read from the same file, and all annotations are equal.")
    notes += _suspicions(counts)
    return Result(
        found,
        matcher.settings() | {"version": _spanrs.__version__},
        matcher,
        Evidence(notes=tuple(notes), skipped=tuple(gathered.skipped)),
        None if gathered.details is None else {"tag": gathered.details},  # type: ignore[dict-item]
    )


def _suspicions(counts: LabelCounts) -> list[str]:
    """Warn where one side has no annotations, or both have several and none matches."""
    rows = counts.rows["tag"]
    match, refclash, missing, hypclash, spurious = (
        sum(row[at] for row in rows.values()) for at in range(5)
    )
    ref, hyp = match + refclash + missing, match + hypclash + spurious
    for side, mine, other in (("reference", ref, hyp), ("hypothesis", hyp, ref)):
        if other and not mine:
            return [
                f"The {side} has no annotations to score; is its file type right, or are its labels others?"
            ]
    if match or min(ref, hyp) < MIN_SPANS:
        return []
    refs = sorted(label for label, row in rows.items() if row[0] + row[1] + row[2])
    hyps = sorted(label for label, row in rows.items() if row[0] + row[3] + row[4])
    names = [", ".join(labels[:3]) + (" and others" if len(labels) > 3 else "") for labels in (refs, hyps)]
    return [
        f"None of {ref} annotations of the reference ({names[0]}) matches one of the {hyp} of the hypothesis "
        f"({names[1]})."
    ]


def _is_perfect(counts: LabelCounts) -> bool:
    """Say whether every annotation has a match."""
    return not any(any(row[1:]) for row in counts.rows["tag"].values())


@dataclass
class _Gathered:
    """What has come of the pairs so far."""

    totals: _spanrs.DocumentTotals
    details: list[Detail] | None
    skipped: list[Skipped] = field(default_factory=list)
    misplaced: str | None = None
    without_tokens: list[str] = field(default_factory=list)

    def take(self, document: Scored) -> None:
        """Add a pair of documents."""
        self.totals.add(document.outcome, document.name)
        place = document.outcome.misplaced()
        if place is not None and self.misplaced is None:
            self.misplaced = f"{document.name}, character {place}"
        if not document.outcome.tokens():
            self.without_tokens.append(document.name)
        if self.details is not None:
            self.details.extend(document.details())

    def notes(self, tokens: bool, counts: LabelCounts) -> list[str]:
        """Say why there is no table of tokens, if it was asked for, and whether there is anything."""
        notes = []
        if self.misplaced is not None:
            notes.append(f"{MISPLACED} (The first one: {self.misplaced}.)")
        elif tokens and counts.size("token") == 0:
            notes.append(NO_TOKENS)
        elif tokens and self.without_tokens:
            first = ", ".join(self.without_tokens[:3])
            more = f" and {len(self.without_tokens) - 3} more" if len(self.without_tokens) > 3 else ""
            notes.append(f"Documents without tokens in hyp do not count by token: {first}{more}.")
        if not counts.documents:
            why = "all of them were skipped" if self.skipped else "there are none"
            notes.append(f"No documents were scored: {why}; measures of nothing are 1.")
        return notes


#: Pairs of documents that were scored, and what was skipped.
_Outcome = tuple[list[Scored], list[Skipped]]


def _each(
    pairs: Sequence[FilePair], scorer: _spanrs.MatScorer, texts: bool, threads: int
) -> Iterator[_Outcome]:
    """Give what comes of each pair of files, in order."""
    if threads == 1:
        for pair in pairs:
            yield _pair(pair, scorer, texts)
        return
    from concurrent.futures import ThreadPoolExecutor

    # So many pairs are in memory at most.
    ahead: deque[Future[_Outcome]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for pair in pairs:
                ahead.append(pool.submit(_pair, pair, scorer, texts))
                if len(ahead) > 2 * threads:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            for future in ahead:
                future.cancel()


def _pair(pair: FilePair, scorer: _spanrs.MatScorer, texts: bool) -> _Outcome:
    left: list[Skipped] = []
    sides = []
    for side, file, read in (
        ("target", pair.pred, pair.read_pred),
        ("reference", pair.gold, pair.read_gold),
    ):
        try:
            sides.append(read())
        except OSError as error:
            # The text of brat's files lies in another one.
            named = file if error.filename is None else str(error.filename)
            why = f"Couldn't open {side} {named} ({error.strerror or error}); skipping pair."
            left.append(Skipped(file, why, pair=True))
        except UnicodeEncodeError as error:
            why = f"Couldn't load {side} {file} (an unpaired surrogate: {error}); skipping pair."
            left.append(Skipped(file, why, pair=True))
        except SpanrsError as error:
            verb = "decode" if error.code == "encoding" else "load"
            place, why = _placed(file, error)
            left.append(Skipped(file, f"Couldn't {verb} {side} {place} ({why}); skipping pair.", pair=True))
        if left:
            return [], left
    preds, golds = sides
    scored = []
    matched, unmatched = _matched(pair, golds, preds)
    left += unmatched
    for at_gold, at_pred, name in matched:
        of_gold, of_pred = _left_out(pair.gold, golds, at_gold), _left_out(pair.pred, preds, at_pred)
        # One document may be both sides.
        left += of_gold if of_gold == of_pred and at_gold == at_pred else of_gold + of_pred
        outcome, reason = scorer.score(golds, at_gold, preds, at_pred)
        if outcome is not None:
            scored.append(Scored(name, preds.text(at_pred) if texts else "", outcome))
        elif reason is not None:
            code, why = reason
            said = f"Signals don't match among documents {pair.pred}, {pair.gold}; skipping."
            message = (
                f"{said} ({why})"
                if code == "texts"
                else f"Couldn't score {pair.pred}: {why}; skipping pair."
            )
            left.append(Skipped(pair.pred, message, pair=True))
    return scored, left


def _placed(file: str, error: SpanrsError) -> tuple[str, str]:
    """Give the place in a file as editors take it, and what is wrong there."""
    numbers = [number for number in (error.line, error.column) if number is not None]
    place = ":".join([file, *map(str, numbers)])
    return place, str(error).removeprefix(place).removeprefix(":").strip()


def _left_out(file: str, documents: _spanrs.Documents, at: int) -> list[Skipped]:
    count, first = documents.left_out(at)
    left = [Skipped(file, f"Leaving out an annotation of {file}: {why}", pair=False) for why in first]
    if count > len(first):
        left.append(
            Skipped(file, f"Leaving out {count - len(first)} more annotations of {file}", pair=False)
        )
    return left


def _matched(
    pair: FilePair, golds: _spanrs.Documents, preds: _spanrs.Documents
) -> tuple[list[tuple[int, int, str]], list[Skipped]]:
    """Say which documents of two files belong together, and what details call them."""
    gold_ids, pred_ids = golds.ids(), preds.ids()
    if len(golds) == len(preds) == 1:
        return [(0, 0, pair.name or (pred_ids[0] or ""))], []

    def name(at: int) -> str:
        own = pred_ids[at] or str(at)
        return f"{pair.name}#{own}" if pair.name else own

    if _distinct(gold_ids) and _distinct(pred_ids):
        places = {id_: at for at, id_ in enumerate(gold_ids)}
        both = [(places[id_], at, name(at)) for at, id_ in enumerate(pred_ids) if id_ in places]
        missing = [
            Skipped(file, f"Couldn't find document {id_!r} of {other} in {file}; skipping pair.", pair=True)
            for file, ids, other, others in (
                (pair.gold, pred_ids, pair.pred, set(gold_ids)),
                (pair.pred, gold_ids, pair.gold, set(pred_ids)),
            )
            for id_ in ids
            if id_ not in others
        ]
        return both, missing
    if len(golds) != len(preds):
        doubled = _doubled(gold_ids) or _doubled(pred_ids)
        ids = f", and id {doubled!r} is there twice" if doubled else ""
        why = f"{pair.gold} has {len(golds)} documents and {pair.pred} {len(preds)}{ids}; skipping pair."
        return [], [Skipped(pair.pred, why, pair=True)]
    return [(at, at, name(at)) for at in range(len(preds))], []


def _doubled(ids: Sequence[str | None]) -> str | None:
    """Give the first id that is there twice."""
    seen = set()
    for id_ in ids:
        if id_ is not None and id_ in seen:
            return id_
        seen.add(id_)
    return None


def _distinct(ids: Sequence[str | None]) -> bool:
    return None not in ids and len(set(ids)) == len(ids)
