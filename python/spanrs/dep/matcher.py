"""The options of the comparison of trees."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from spanrs.eval.matchers import Matcher, register


@dataclass(frozen=True)
class Dep(Matcher):
    """Words are aligned by their characters, and their heads, labels and tags compared.

    Criteria: ``las`` (head and label), ``uas`` (head), ``las_no_punct`` and ``uas_no_punct`` (without words whose
    gold label is ``punct`` or ``P``), ``clas`` (content words), ``mlas`` (content words with their tags, features and
    function words), ``upos``, ``xpos``, ``feats`` and ``lemmas``.

    Parameters
    ----------
    subtypes : bool
        Compare labels with their subtypes (``nmod:poss``); the CoNLL 2018 shared task leaves them out.

    Notes
    -----
    Source: Zeman et al., CoNLL 2018 Shared Task: Multilingual Parsing from Raw Text to Universal Dependencies,
    section 4.
    """

    name: str = field(default="dep", init=False)
    subtypes: bool = False
    columns: ClassVar[tuple[str, ...] | None] = ("right", "mislabelled", "wrong", "missed", "spurious")

    def settings(self) -> dict[str, str]:
        """Name how trees are compared, for signatures."""
        return super().settings() | ({"subtypes": "true"} if self.subtypes else {})


register("dep", Dep, {"subtypes": bool})

#: The definitions of the shared task.
DEFAULT = Dep()
