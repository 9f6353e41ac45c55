"""Tags and spans: conversion in both directions, validation, conversion of schemes, legal transitions.

Every function takes one sentence (a sequence of tags) or many (a sequence of such sequences), and returns
the same form; functions named ``*_ids`` take integer ids and a vocabulary. Column files are read by
:mod:`spanrs.io`. Tokens are numbered from 0, and ends are exclusive. With the reading ``conlleval``, malformed tags
are treated as in iobes (the HEAD of its repository); docs/compare.md lists the differences.
"""

from spanrs.errors import Violation
from spanrs.tags.convert import convert
from spanrs.tags.detect import Detection, detect_scheme
from spanrs.tags.ids import SpanArrays, convert_ids, ids_to_spans, validate_ids
from spanrs.tags.spans import spans_to_tags, tags_to_spans, validate
from spanrs.tags.transitions import (
    Transition,
    TransitionMask,
    tags_of,
    transition_map,
    transition_mask,
    transitions,
)
from spanrs.tags.types import IGNORE_INDEX, IOBES_DIALECT, Dialect, Scheme, Span, schemes

__all__ = [
    "IGNORE_INDEX",
    "IOBES_DIALECT",
    "Detection",
    "Dialect",
    "Scheme",
    "Span",
    "SpanArrays",
    "Transition",
    "TransitionMask",
    "Violation",
    "convert",
    "convert_ids",
    "detect_scheme",
    "ids_to_spans",
    "schemes",
    "spans_to_tags",
    "tags_of",
    "tags_to_spans",
    "transition_map",
    "transition_mask",
    "transitions",
    "validate",
    "validate_ids",
]
