"""Readers of tags and of columns; the same as in version 1.2.1."""

from spanrs.compat.nervaluate.utils import (
    collect_named_entities,
    conll_to_spans,
    find_overlap,
    list_to_spans,
    split_list,
)

__all__ = ["collect_named_entities", "conll_to_spans", "find_overlap", "list_to_spans", "split_list"]
