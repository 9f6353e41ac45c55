"""Scoring of two corpora, or of one corpus that contains both sides."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from spanrs import _spanrs
from spanrs.errors import FormatError, as_integer, with_code
from spanrs.eval.adding import Added, Adding, add_parts
from spanrs.eval.column_checks import (
    UNKNOWN_TAGS,
    describe_columns,
    explaining_one_column,
    file_width,
    refuse_tokens_as_tags,
)
from spanrs.eval.details import (
    file_error_finder,
    file_error_list,
    first_of_each_kind,
)
from spanrs.eval.documents import document_name
from spanrs.eval.evidence import Skipped
from spanrs.eval.generated import as_documents, described, text_pairs
from spanrs.eval.layers import join_layers, spans_of
from spanrs.eval.listed_errors import list_errors
from spanrs.eval.matcher import Matcher, listed
from spanrs.eval.matchers import EXCLUDED, Fair, document_scorer
from spanrs.eval.result import Result
from spanrs.eval.scorer import ALIGN, ROWS, Scorer
from spanrs.eval.settings import with_setting
from spanrs.eval.sides import Corpora, with_schemes
from spanrs.eval.table_sides import id_options, table_sides
from spanrs.io import Corpus, Pairing, pair_parts
from spanrs.io.file_advice import odd_sentences
from spanrs.io.parts import ROWS as ROWS_FORMATS
from spanrs.io.parts import Part
from spanrs.io.sentences import columns_of, is_long
from spanrs.io.sources import same_file
from spanrs.io.tables import is_one_shot
from spanrs.tags.types import Dialect, as_vocabulary, is_auto


@dataclass(frozen=True)
class ScoreOptions:
    """Scoring options, named as the arguments of :func:`spanrs.score`."""

    matcher: Matcher
    scheme: str | None = None
    pred_scheme: str | None = None
    reading: str | None = None
    by: Any = None
    align: str = "refuse"
    pairing: Pairing = Pairing()
    on_error: str = "raise"
    errors: bool = False
    most_errors: int | None = None
    details: bool = False
    max_violations: int = 10
    threads: int | None = 1
    progress: Callable[[int], object] | None = None
    dialect: Dialect = Dialect()

    def __post_init__(self) -> None:
        if self.align not in (*ALIGN, "characters"):
            raise ValueError(f"align must be refuse, report, ignore or characters, not {self.align!r}")
        if self.on_error not in ("raise", "skip"):
            raise ValueError(f"on_error must be raise or skip, not {self.on_error!r}")
        if not (self.by is None or isinstance(self.by, str)):
            raise TypeError(
                "by must be 'document' or 'sentence' for files and tables, which name the documents themselves"
            )
        if self.by not in ROWS:
            raise ValueError(f"by must be document or sentence, not {self.by!r}")
        as_integer(self.max_violations, "max_violations")
        if not isinstance(self.pairing, Pairing):
            raise TypeError(f"pairing must be a spanrs.io.Pairing, not {type(self.pairing).__name__}")
        if self.details and document_scorer(self.matcher) is None:
            raise ValueError("details of files are only kept with matcher=spanrs.mat.Mat(); use errors=")

    def of_corpora(self, corpora: Corpora) -> ScoreOptions:
        """Return the options with scheme and reading filled in from the corpora.

        Raises
        ------
        ValueError
            If the options of the corpora differ.
        """
        gold = corpora.gold.options
        pred = gold if corpora.pred is None else corpora.pred.options
        for name in ("reading", "dialect", "vocabulary", "ignore_index"):
            of_gold, of_pred = getattr(gold, name), getattr(pred, name)
            if of_gold is not of_pred and of_gold != of_pred and getattr(self, name, None) is None:
                raise ValueError(f"gold was read with {name}={of_gold!r} and pred with {name}={of_pred!r}")
        pred_scheme = self.pred_scheme
        if pred_scheme is None and self.scheme is None and pred.scheme != gold.scheme:
            pred_scheme = pred.scheme
        scheme = gold.scheme if self.scheme is None else self.scheme
        reading = gold.reading if self.reading is None else self.reading
        filled = {"scheme": scheme, "pred_scheme": pred_scheme, "reading": reading, "dialect": gold.dialect}
        is_filled = all(getattr(self, name) is value for name, value in filled.items())
        return self if is_filled else replace(self, **filled)  # type: ignore[arg-type]  # named above

    def scorer(self, **changes: Any) -> Scorer:
        """Return a scorer with these options."""
        align = "refuse" if self.align == "characters" else self.align
        options = {
            "matcher": self.matcher,
            "scheme": self.scheme,
            "pred_scheme": self.pred_scheme,
            "reading": self.reading,
            "dialect": self.dialect,
            "align": align,
            "max_violations": self.max_violations,
            "by": self.by,
            "threads": self.threads,
        }
        return Scorer(**options | changes)


def score_corpora(
    corpora: Corpora, options: ScoreOptions, store: str | os.PathLike[str] | None = None
) -> Result:
    """Score two corpora, or one corpus that contains both sides.

    Parameters
    ----------
    corpora : Corpora
        Gold and pred.
    options : ScoreOptions
        Options with the names of the arguments of :func:`spanrs.score`.
    store : path, optional
        Path of the result; until all files are scored, the results of single files are stored in a directory next to
        this path.
    """
    options = options.of_corpora(corpora)
    gold, pred = corpora.gold, corpora.gold if corpora.pred is None else corpora.pred
    gold, pred = _with_schemes((gold, pred), options)
    by_document = options.by == "document"
    texts = (
        None if corpora.pred is None else text_pairs(gold, pred, options.matcher, by_document=by_document)
    )
    if texts is not None:
        _check_texts(options, store)
        by = "document" if options.by == "sentence" else options.by
        of_documents = score_corpora(Corpora(*as_documents(texts)), replace(options, by=by))
        is_by_sentence = texts.is_by_sentence and not texts.by_document
        return described(replace(of_documents, by_sentence=is_by_sentence), texts)
    of_texts = document_scorer(options.matcher)
    if of_texts is not None:
        if corpora.pred is None:
            raise TypeError(f"the {options.matcher.name} matcher compares two corpora; pass gold and pred")
        if store is not None or options.by == "sentence":
            raise ValueError(
                f"the {options.matcher.name} matcher scores documents; store and by='sentence' are not supported"
            )
        result: Result = of_texts(gold, pred, options)
        return result
    skipped: list[Skipped] = []
    notes: tuple[str, ...] = ()
    pairs: Sequence[tuple[Part, Part | None]] = [(part, None) for part in gold.parts]
    if corpora.pred is not None and _is_joined(gold, pred, options):
        pairs = [(_joined(gold), _joined(pred))]
    elif corpora.pred is not None:
        paired = pair_parts(gold.parts, pred.parts, options.pairing)
        if options.on_error == "raise":
            paired.require_all(_shown(gold), _shown(pred))
        skipped = [_unpaired("gold", part) for part in paired.golds]
        skipped += [_unpaired("pred", part) for part in paired.preds]
        pairs, notes = paired.pairs, paired.notes
    both = gold, pred
    # A directory with a single file is scored like a directory with several files.
    is_one = len(pairs) == 1 and not any(part is not None and part.name for part in pairs[0])
    if is_one and store is None and options.on_error == "raise":
        return _score_pair(both, pairs[0], options)
    from spanrs.eval.shards import Shard, score_shards

    shards = [
        Shard(document_name(part.name or os.path.basename(part.shown)), part, pred_part)
        for part, pred_part in pairs
    ]
    inner = replace(options, threads=1, progress=None)

    def score_shard(shard: Shard, scheme: str, pred_scheme: str | None, check: Any) -> Result:
        shard_options = replace(inner, scheme=scheme, pred_scheme=pred_scheme, progress=check)
        return _score_pair(
            _with_schemes(both, shard_options), (shard.gold, shard.pred), shard_options, named=True
        )

    settings = _stored_options(both, options)
    result, left_out = score_shards(score_shard, shards, options, settings, store)
    skipped += left_out
    errors = result.errors
    if errors is not None and options.most_errors is not None:
        # The limit was applied per file.
        kept = first_of_each_kind(errors.errors, options.most_errors)
        result = replace(result, errors=replace(errors, errors=kept))
    if skipped or notes:
        evidence = result.evidence
        evidence = replace(evidence, skipped=(*evidence.skipped, *skipped), notes=(*evidence.notes, *notes))
        result = replace(result, evidence=evidence)
    return result


def _check_texts(options: ScoreOptions, store: object) -> None:
    """Refuse options that do not apply to generated answers and to strings.

    Raises
    ------
    ValueError
    """
    if store is not None:
        raise ValueError("store is not supported for generated answers and strings")
    if options.align != "refuse":
        raise ValueError(
            f"align={options.align!r} does not apply to generated answers and strings, which have no tokens"
        )


def _is_joined(gold: Corpus, pred: Corpus, options: ScoreOptions) -> bool:
    """Return whether one side is a single file, the other is several files, and their documents can be paired."""
    sides = gold.parts, pred.parts
    if sorted(min(len(side), 2) for side in sides) != [1, 2]:
        return False
    if any(len(side) == 1 and side[0].name for side in sides):
        # The side is a directory with a single file.
        return False
    return options.align == "characters" or all(part.kind == "documents" for side in sides for part in side)


def _joined(corpus: Corpus) -> Part:
    """Join the parts of a corpus into one."""
    return corpus.parts[0] if len(corpus.parts) == 1 else Part("", corpus.parts, "joined")


def _with_schemes(corpora: tuple[Corpus, Corpus], options: ScoreOptions) -> tuple[Corpus, Corpus]:
    """Apply the scheme and the reading to corpora whose tags are read in Python."""
    formats = {part.format for corpus in corpora for part in corpus.parts}
    if (
        formats <= set(ROWS_FORMATS)
        and options.align != "characters"
        and document_scorer(options.matcher) is None
    ):
        # For column files, the compiled scorer applies the scheme and the reading.
        return corpora
    schemes = options.scheme or "auto", options.pred_scheme or options.scheme or "auto"
    return with_schemes(corpora, schemes, options.reading or "conlleval")


def _shown(corpus: Corpus) -> str:
    """Return the name of a corpus for messages."""
    paths = [os.path.dirname(part.path) or "." for part in corpus.parts if part.path is not None]
    # The paths may belong to different directories.
    return paths[0] if len(set(paths)) == 1 else corpus.parts[0].shown


def _unpaired(side: str, part: Part) -> Skipped:
    lacking = "pred" if side == "gold" else "gold"
    return Skipped(part.shown, f"{part.shown}: {lacking} has no file of this name", pair=True)


def _stored_options(corpora: tuple[Corpus, Corpus], options: ScoreOptions) -> dict[str, Any]:
    """Return all options that affect the results of single files, as plain values."""
    options_of_files = {
        name: value
        for name, value in vars(options).items()
        if name not in ("threads", "progress", "pairing")
    }
    options_of_files["matcher"] = options.matcher.to_dict()
    read = [corpus.options.given() for corpus in corpora]
    return options_of_files | {"read": read, "version": _spanrs.__version__}


def _score_pair(
    corpora: tuple[Corpus, Corpus],
    parts: tuple[Part, Part | None],
    options: ScoreOptions,
    *,
    named: bool = False,
) -> Result:
    """Score two parts, or one part with both sides; for ``named`` see :class:`spanrs.eval.adding.Adding`."""
    if options.align == "characters":
        if parts[1] is None:
            raise ValueError(
                "align='characters' requires two sources; a file with both sides has a single text"
            )
        _check_one_layer(corpora, parts)
        # Lazy: rarely used.
        from spanrs.eval.aligned import score_aligned

        return score_aligned(
            corpora,
            (parts[0], parts[1]),
            options.scorer(),
            by=options.by,
            errors=options.errors,
            most_errors=options.most_errors,
            progress=options.progress,
        )
    pred = parts[1]
    layers = [
        corpus.options.layers() if part is not None and part.kind in ("rows", "table") else (None,)
        for corpus, part in zip(corpora, parts, strict=True)
    ]
    if pred is not None and len(layers[0]) != len(layers[1]):
        raise ValueError(f"gold has {len(layers[0])} columns of tags, but pred has {len(layers[1])}")
    if pred is None or len(layers[0]) == 1:
        return _checked_pair(corpora, parts, options, named=named)

    def score_layer(at: int, **schemes: str) -> Result:
        layer_pair = tuple(
            replace(corpus, options=replace(corpus.options, tags=tags[at]))
            for corpus, tags in zip(corpora, layers, strict=True)
        )
        return _checked_pair(layer_pair, parts, replace(options, **schemes), named=named)  # type: ignore[arg-type]

    if any(part is not None and part.kind != "rows" for part in parts):
        raise ValueError(
            "several layers are only supported for column files; choose one column of the table with tags="
        )
    results = [score_layer(at) for at in range(len(layers[0]))]
    # All layers are read in the schemes of the layer with the most spans.
    largest = max(results, key=spans_of).settings
    schemes = {"scheme": largest["scheme"], "pred_scheme": largest.get("pred_scheme", largest["scheme"])}
    for at, result in enumerate(results):
        layer_settings = result.settings
        if (layer_settings["scheme"], layer_settings.get("pred_scheme", layer_settings["scheme"])) != tuple(
            schemes.values()
        ):
            results[at] = score_layer(at, **schemes)
    return join_layers(results, list(layers[0]))


def _check_one_layer(corpora: tuple[Corpus, Corpus], parts: tuple[Part, Part | None]) -> None:
    """Refuse several layers, because documents have a single layer.

    Raises
    ------
    ValueError
    """
    for corpus, part in zip(corpora, parts, strict=True):
        if part is not None and part.kind in ("rows", "table") and len(corpus.options.layers()) > 1:
            raise ValueError("align='characters' compares one layer; choose one column with tags=")


def _checked_pair(
    corpora: tuple[Corpus, Corpus],
    parts: tuple[Part, Part | None],
    options: ScoreOptions,
    *,
    named: bool = False,
) -> Result:
    """Score two parts with one layer each and check the result for suspicious input."""
    gold, pred = parts
    schemes = options.scheme or "auto", options.pred_scheme or options.scheme or "auto"
    if is_one_shot(gold.source) and (options.errors or any(map(is_auto, schemes))):
        # Collecting errors and detecting the scheme require a second pass.
        gold = replace(gold, source=gold.source.read_all())
        parts = gold, pred
    kinds = {part.kind for part in parts if part is not None}
    most = options.max_violations
    # Examples are needed to detect tokens in the tag column.
    scorer = options.scorer(max_violations=max(most, UNKNOWN_TAGS))
    is_spans = kinds != {"rows"} and any(
        part is not None and part.format in ("spans", "stacked") for part in parts
    )
    if is_spans and not isinstance(scorer.matcher, Fair):
        # FairEval's span files have placeholder rows for sentences without spans.
        scorer.leave_out(EXCLUDED)
    finder = None
    if options.errors and kinds <= {"rows", "spans"}:
        finder = file_error_finder(scorer.matcher, options.most_errors)
    adding = scorer.adding(options.progress, finder, named=named)
    width = file_width(gold, corpora[0].options) if pred is None else None
    with explaining_one_column(both=pred is None and kinds == {"rows"}):
        added = add_parts(adding, corpora, parts)
    result = scorer.taken()
    if options.by == "sentence":
        result = replace(result, by_sentence=True)
    if not result.sentences and kinds == {"table"}:
        message = f"{gold.shown}: the table has no rows to score"
        raise with_code(FormatError(message), "format", gold.path)
    better = _better_schemes(corpora, parts, options, result)
    if better is not None:
        return _checked_pair(corpora, parts, better, named=named)
    if pred is None and kinds == {"rows"} and width is not None:
        describe_columns(adding, result, corpora[0].options, width)
    if all(part is None or part.kind == "rows" or part.format == "csv" for part in parts):
        refuse_tokens_as_tags(result, gold.shown, None if pred is None else pred.shown)
    if options.errors:
        errors = (
            file_error_list(finder.finish(), scorer.matcher, options.most_errors)
            if finder is not None and added.has_errors
            else list_errors(
                corpora,
                parts,
                result,
                reading=options.reading or "conlleval",
                dialect=options.dialect,
                align=options.align,
                most=options.most_errors,
            )
        )
        result = replace(result, errors=errors)
    return _described(result, parts, added, adding, most)


def _better_schemes(
    corpora: tuple[Corpus, Corpus],
    parts: tuple[Part, Part | None],
    options: ScoreOptions,
    result: Result,
) -> ScoreOptions | None:
    """Return options with the schemes of the whole table if they differ from the schemes of its first batch.

    A table is counted in the schemes of its first batch. The schemes of the whole table can only differ if tags violate
    the schemes of the first batch.
    """
    gold, pred = parts
    if pred is not None or gold.kind != "table" or is_long(gold, corpora[0].options):
        return None
    autos = is_auto(options.scheme or "auto"), is_auto(options.pred_scheme or options.scheme or "auto")
    if not any(autos) or not any(result.violations[side].count for side in ("gold", "pred")):
        return None
    detected = _schemes_of_table(gold, corpora[0], options, autos)
    used = result.settings.get("scheme"), result.settings.get("pred_scheme")
    return None if detected == used else replace(options, scheme=detected[0], pred_scheme=detected[1])


def _schemes_of_table(
    part: Part, corpus: Corpus, options: ScoreOptions, autos: tuple[bool, bool]
) -> tuple[str, str | None]:
    """Detect the schemes of gold and pred from all rows of a table; None for pred if the schemes are equal."""
    layout = columns_of(part, corpus.options)
    ids = id_options(part, corpus.options, layout)
    vocabulary = as_vocabulary(ids["vocabulary"]) if ids else None
    evidence = [_spanrs.SchemeEvidence(options.dialect) for _ in range(2)]
    for golds, preds, _, _ in table_sides(part, layout._replace(documents=None)):
        for side_evidence, column in zip(evidence, (golds, preds), strict=True):
            side_evidence.add(column, vocabulary, corpus.options.ignore_index)
    scheme = evidence[0].decide()[0] if autos[0] else _spanrs.scheme_name(str(options.scheme))
    if not autos[1]:
        return scheme, options.pred_scheme
    pred_scheme = evidence[1].decide(scheme)[0]
    return scheme, None if pred_scheme == scheme else pred_scheme


def _described(
    result: Result, parts: tuple[Part, Part | None], added: Added, adding: Adding, most: int
) -> Result:
    """Add settings, warnings and notes about the files to a result."""
    gold, pred = parts
    settings = dict(result.settings)
    if added.settings:
        # Span files have no scheme.
        settings = result.matcher.settings()
        if not isinstance(result.matcher, Fair):
            settings["exclude"] = listed(sorted(EXCLUDED))
        settings |= added.settings | {"version": _spanrs.__version__}
    if result.matcher.unit is not None:
        of_texts = pred is not None and gold.kind == pred.kind == "documents"
        unit = "characters" if of_texts else result.matcher.unit
        settings = with_setting(settings, "unit", unit)
        result = replace(result, settings=settings)
    suspicious = odd_sentences(gold.shown, result.sentences, result.tokens)
    same = []
    if (
        gold.path is not None
        and pred is not None
        and pred.path is not None
        and same_file(gold.path, pred.path)
    ):
        same = [f"gold and pred are the same file, {pred.path}"] if added.settings else []
    evidence = result.evidence.first(most)
    if not (added.settings or suspicious or adding.losses or adding.notes) and evidence is result.evidence:
        return result
    evidence = replace(
        evidence,
        warnings=tuple(dict.fromkeys((*evidence.warnings, *suspicious, *adding.losses))),
        notes=(*evidence.notes, *adding.notes, *same),
    )
    return replace(result, settings=settings, evidence=evidence)


def default_unit(corpora: Iterable[Corpus | None], align: str | None = None) -> str:
    """Return the default unit of resampling: ``document`` if sides are compared as texts, otherwise ``sentence``."""
    parts = [part for corpus in corpora if corpus is not None for part in corpus.parts]
    if any(part.format == "generated" for part in parts) and any(
        part.kind != "documents" for part in parts
    ):
        # Answers about tagged files are usually about sentences.
        return "sentence"
    of_texts = any(part.format != "unreadable" and part.kind == "documents" for part in parts)
    return "document" if of_texts or align == "characters" else "sentence"
