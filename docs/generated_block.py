"""Tables of pages that are generated, between two comments."""

from __future__ import annotations


def replace_block(text: str, begin: str, content: str, end: str = "<!-- end -->") -> str:
    """Return a page with new content between the comments ``begin`` and ``end``."""
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n\n{content}\n\n{end}{after}"
