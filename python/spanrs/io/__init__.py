"""Files: where they come from, where things stand in them, and how results get out whole."""

from spanrs.io.columns import Columns
from spanrs.io.document import Annotation, Document, Relation
from spanrs.io.documents import read_documents
from spanrs.io.output import atomic_output
from spanrs.io.sources import Source

__all__ = ["Annotation", "Columns", "Document", "Relation", "Source", "atomic_output", "read_documents"]
