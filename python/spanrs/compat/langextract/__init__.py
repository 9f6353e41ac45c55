"""Parsing of model answers and their alignment with a text, with the calls and results of langextract 1.7.1.

A language model answers with strings. :func:`resolve` reads the strings of an answer, and :func:`align` finds them in
the text. :func:`spanrs.ground` is faster, and finds altered strings as well.
"""

from spanrs.compat.langextract.alignment import AlignmentOptions
from spanrs.compat.langextract.data import CharInterval, Extraction, TokenInterval
from spanrs.compat.langextract.format_handler import FormatHandler
from spanrs.compat.langextract.resolver import Resolver, ResolverParsingError, align, resolve

__all__ = [
    "AlignmentOptions",
    "CharInterval",
    "Extraction",
    "FormatHandler",
    "Resolver",
    "ResolverParsingError",
    "TokenInterval",
    "align",
    "resolve",
]
