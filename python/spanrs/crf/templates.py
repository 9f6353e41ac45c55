"""Feature templates."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from spanrs import _spanrs
from spanrs.estimator import read_template


def templates() -> dict[str, str]:
    """Return the built-in feature templates.

    Returns
    -------
    dict of str to str
        Text by name: ``ner`` and ``pos`` (one column: tokens), ``chunking`` (two columns: tokens and parts of speech).

    Notes
    -----
    Templates have the syntax of CRF++ (``U01:%x[-1,0]``) with additional functions: ``%lower``, ``%shape``,
    ``%short_shape``, ``%prefix[row,column,n]``, ``%suffix[row,column,n]``, ``%length``, ``%kind``; lookups
    in lexicons, ``%in[row,column,name]`` and ``%cluster[row,column,name,n]``; and Wapiti's ``%t`` and ``%m`` with
    regular expressions.

    Examples
    --------
    >>> from spanrs import crf
    >>> sorted(crf.templates())
    ['chunking', 'ner', 'pos']
    """
    return dict(_spanrs.crf_templates())


def template_text(template: str | PathLike[str]) -> str:
    """Return the text of a template, given the name of a built-in template, a path, or the text itself.

    A string with a line break or a macro (``%x[0,0]``) is the text itself.

    Raises
    ------
    TypeError
        For values of other types.
    FileNotFoundError
        If there is no such file.
    spanrs.errors.FormatError
        If the file is not text in UTF-8.
    """
    if not isinstance(template, (str, PathLike)):
        raise TypeError(f"template must be a name, a path or the text of a template, not {template!r}")
    if isinstance(template, str):
        texts = templates()
        if template in texts:
            return texts[template]
        if "\n" in template or "%" in template:
            return template
    path = Path(template)
    if not path.exists():
        message = f"no template {str(template)!r}; it is neither a file nor one of {', '.join(sorted(templates()))}"
        raise FileNotFoundError(message)
    return read_template(path, "template")


def template_name(text: str) -> str:
    """Return the name of the built-in template with this text; other texts are returned unchanged."""
    return next((name for name, built_in in templates().items() if built_in == text), text)
