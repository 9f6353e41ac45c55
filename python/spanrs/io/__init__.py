"""Files: where they come from, where things stand in them, and how results get out whole."""

from spanrs.io.columns import Columns
from spanrs.io.output import atomic_output
from spanrs.io.sources import Source, rereadable

__all__ = ["Columns", "Source", "atomic_output", "rereadable"]
