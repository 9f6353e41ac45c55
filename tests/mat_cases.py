"""The recorded cases of MATScore, as options of spanrs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import spanrs
from spanrs import Result, mat
from spanrs.io import Corpus, Document, Pairing
from spanrs.io.options import ReadOptions
from spanrs.io.parts import Part
from spanrs.mat.files import corpus_pairs
from spanrs.mat.scoring import score_pairs

#: Cases with a similarity profile of 2.0, which 1.3 does not have: nothing is derived for them.
PROFILES = {"e14_simprofile", "e15_simprofile_span_only"}
USUAL = mat.Mat()


def names(folder: Path) -> list[str]:
    """All cases of a folder."""
    return sorted(path.name for path in (folder / "cases").iterdir())


def corpus(source: Any, **options: Any) -> Corpus:
    """Call ``spanrs.read``; return an empty corpus if there are no documents, which it refuses."""
    if isinstance(source, Sequence) and not source:
        return Corpus((Part("", [], "documents"),), ReadOptions(**options))
    return spanrs.read(source, **options)


def lenient(
    gold: Corpus | Document | Sequence[Document],
    pred: Corpus | Document | Sequence[Document],
    matcher: mat.Mat = USUAL,
    *,
    pairing: Pairing = Pairing(),
    threads: int = 1,
    details: bool = False,
) -> Result:
    """Score like ``spanrs mat --lenient``, which returns an empty result where ``spanrs.score`` raises."""
    corpora = [side if isinstance(side, Corpus) else corpus(side) for side in (gold, pred)]
    pairs, _ = corpus_pairs(corpora[0], corpora[1], matcher.known_task, pairing)
    return score_pairs(pairs, matcher, threads=threads, details=details)


def expected(folder: Path, name: str) -> dict[str, Any]:
    return json.loads((folder / "cases" / name / "expected.json").read_text(encoding="utf-8"))


def options(folder: Path, name: str) -> tuple[Path, Path, dict[str, Any]]:
    """Return gold, pred and the keyword arguments of a case."""
    args = expected(folder, name)["args"]
    case = folder / "cases" / name
    created: dict[str, Any] = {"details": True, "lenient": True}
    sides: dict[str, Path] = {}
    given = iter(args)
    plain = {
        "--file_type": "format",
        "--ref_file_type": "gold_format",
        "--file_re": "file_re",
        "--ref_fsuff_off": "suffix_off",
        "--ref_fsuff_on": "suffix_on",
    }
    lists = {"--content_annotations": "content", "--token_annotations": "tokens", "--ignore": "ignore"}
    for arg in given:
        if arg in ("--file", "--dir"):
            sides["pred"] = case / next(given)
        elif arg in ("--ref_file", "--ref_dir"):
            sides["gold"] = case / next(given)
        elif arg in plain:
            created[plain[arg]] = next(given)
        elif arg in lists:
            created[lists[arg]] = [label.strip() for label in next(given).split(",")]
        elif arg == "--equivalence_class":
            label = next(given)
            labels = [old.strip() for old in next(given).split(",")]
            created.setdefault("classes", {})[label] = labels
        elif arg == "--task":
            created["task"] = task(folder, next(given))
        elif arg == "--xml_input_is_overlay":
            created["overlay"] = True
        elif arg == "--xml_translate_all":
            created["translate_all"] = True
        elif arg == "--similarity_profile":
            next(given)
    if "format" in created or "gold_format" in created:
        # The default is mat-json on either side.
        created = {"format": "mat-json", "gold_format": "mat-json"} | created
    return sides["gold"], sides["pred"], created


def task(folder: Path, name: str) -> mat.Task:
    from spanrs.mat.task import find_task

    return find_task(name, [folder / "tasks"])
