"""Options for reading the answers of generative models."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from spanrs.errors import as_number, check_name

#: Stages of grounding, in order.
STAGES = ("exact", "case", "unicode", "fuzzy", "part")
#: What happens to texts without an answer.
UNANSWERED = ("refuse", "empty")
#: How mentions whose types are not in the schema are handled.
OFF_SCHEMA = ("keep", "drop", "count")
#: How mentions that do not occur in the text are handled.
UNGROUNDED = ("keep", "drop")
#: Which occurrences of a mention count.
OCCURRENCES = ("listed", "all")
#: Type of all mentions whose types are not in the schema, if they are counted together.
OTHER = "(off-schema)"


@dataclass(frozen=True)
class AnswerOptions:
    """How answers of generative models become spans: types, grounding, and mentions that are not in the text.

    Parameters
    ----------
    types : collection of str, optional
        The schema: the types that were asked for. By default the types of gold, if there is a gold side.
    type_names : mapping of str to str
        Type for each name that answers use instead, such as ``{"person": "PER"}``. Types that differ from a type of the
        schema only in case, and ``person``, ``organization``, ``location`` and ``miscellaneous`` for the types of
        CoNLL 2003, are recognised without it; a note lists such types.
    off_schema : str
        Mentions of other types: ``keep`` (false positives of their types), ``count`` (false positives of one type,
        ``(off-schema)``) or ``drop``.
    ungrounded : str
        Mentions that do not occur in the text: ``keep`` (false positives) or ``drop``.
    unanswered : str
        Texts without an answer: ``refuse``, or ``empty`` for an empty prediction.
    occurrences : str
        ``listed``: a mention is one occurrence, and repeated mentions are successive occurrences; ``all``: a mention
        is every exact occurrence of its string in the text.
    stages : collection of str
        Stages of grounding, as for :func:`spanrs.ground`.
    threshold : float
        Minimum similarity of the stage ``fuzzy``, greater than 0, at most 1.
    diacritics : bool
        Whether the stage ``unicode`` ignores diacritics.

    Raises
    ------
    TypeError, ValueError
        For unknown names and values out of range.

    Examples
    --------
    >>> import io, spanrs
    >>> options = spanrs.io.AnswerOptions(types=["PER"], type_names={"human": "PER"}, off_schema="drop")
    >>> answers = [{"text": "Anna met Ben in Rome.", "answer": '{"human": ["Ben", "Anna"], "city": ["Rome"]}'}]
    >>> [document] = spanrs.read(answers, format="generated", answers=options).documents
    >>> [document.text[a.start : a.end] for a in document.annotations]
    ['Ben', 'Anna']
    """

    types: Collection[str] | None = None
    type_names: Mapping[str, str] = field(default_factory=dict)
    off_schema: str = "keep"
    ungrounded: str = "keep"
    unanswered: str = "refuse"
    occurrences: str = "listed"
    stages: Collection[str] = STAGES
    threshold: float = 0.75
    diacritics: bool = False

    def __post_init__(self) -> None:
        for name in ("types", "stages"):
            value = getattr(self, name)
            if isinstance(value, str) or not (value is None or isinstance(value, Iterable)):
                raise TypeError(f"{name} must be a collection of names, not {type(value).__name__}")
            # An iterator can be read only once.
            object.__setattr__(
                self, name, None if value is None and name == "types" else tuple(value or ())
            )
        for name, names in _CHOICES.items():
            if getattr(self, name) not in names:
                raise ValueError(f"{name} must be one of {', '.join(names)}, not {getattr(self, name)!r}")
        unknown = [stage for stage in self.stages if stage not in STAGES]
        if unknown:
            raise ValueError(f"unknown stage {unknown[0]!r}; expected some of {', '.join(STAGES)}")
        for ty in (*(self.types or ()), *(name for pair in self.type_names.items() for name in pair)):
            check_name(ty, "types", "PER")
        if as_number(self.threshold, "threshold", above=True) > 1:
            raise ValueError(f"threshold must be greater than 0 and at most 1, not {self.threshold}")
        types = None if self.types is None else tuple(sorted(set(self.types)))
        object.__setattr__(self, "types", types)
        object.__setattr__(self, "stages", tuple(stage for stage in STAGES if stage in self.stages))
        object.__setattr__(self, "type_names", dict(self.type_names))

    def __hash__(self) -> int:
        return hash((self.types, tuple(sorted(self.type_names.items())), self.off_schema, self.stages))


#: The values of options that are names.
_CHOICES = {
    "off_schema": OFF_SCHEMA,
    "ungrounded": UNGROUNDED,
    "unanswered": UNANSWERED,
    "occurrences": OCCURRENCES,
}
