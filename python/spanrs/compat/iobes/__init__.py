"""All functions of iobes at the HEAD of its repository (28ec9ac), implemented with the Rust core.

``from spanrs.compat import iobes`` replaces ``import iobes``. Spans, errors, conversions, written tags, transitions and
log messages are the same as in iobes; docs/compare.md lists the differences. Readers and writers cache decoded tags, so
one call per sentence is fast.
"""

# ruff: noqa: F401, F403 (`export` sets `__all__`) Names such as `Enum` are not part of the interface of iobes, but the
# package exports these names.
import logging
from enum import Enum
from typing import NamedTuple, Optional, Tuple, Union  # noqa: UP035

from spanrs.compat._naming import export
from spanrs.compat.iobes import convert, parse, transition, utils, write
from spanrs.compat.iobes.convert import *
from spanrs.compat.iobes.parse import *
from spanrs.compat.iobes.spans import *
from spanrs.compat.iobes.transition import *
from spanrs.compat.iobes.utils import extract_function, extract_type
from spanrs.compat.iobes.write import *

__version__ = "1.5.1"

_BORROWED = ("Enum", "NamedTuple", "Optional", "Tuple", "Union", "logging")
_MODULES = ("convert", "parse", "transition", "utils", "write")
_ONLY_IN_MODULES = (
    *("TransitionsCallable", "WriteCallable", "convert_tags", "make_blanks", "make_tag"),
    *("parse_spans_with_end", "parse_spans_with_end_with_errors", "safe_get", "sort_errors", "sort_spans"),
    *("tags_length_from_spans", "token_transitions_legality", "transitions_to_mask"),
    *("validate_tags_token", "with_end_transitions_legality"),
)
export(globals(), also=("LOGGER", *_BORROWED, *_MODULES), without=_ONLY_IN_MODULES)
