"""Links from a page to the tasks of an annotation tool."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from spanrs.errors import FormatError, with_code

if TYPE_CHECKING:
    from spanrs.crowd.corpus import CrowdCorpus

#: Fields of a template.
FIELDS = ("id", "name")
_FIELD = re.compile(r"\{([^{}]*)\}")


def check_template(template: str) -> str:
    """Return a template of links if it is valid.

    Parameters
    ----------
    template : str
        An absolute URL of http or https whose path, query or fragment contains ``{id}`` or ``{name}``.

    Raises
    ------
    ValueError
        If the template is not such a URL. Fields are not allowed in the name of the host, because ids come from data.

    Examples
    --------
    >>> from spanrs.crowd.task_links import check_template
    >>> check_template("https://labels.example.org/projects/3/data?task={id}")
    'https://labels.example.org/projects/3/data?task={id}'
    """
    fields = _FIELD.findall(template)
    advice = "use an address such as https://labels.example.org/projects/3/data?task={id}"
    if re.search(r"[\s\x00-\x20\x7f\\]", template):
        raise ValueError(f"link {template!r} contains white space or a backslash; {advice}")
    try:
        parts = urlsplit(template)
    except ValueError as error:
        raise ValueError(f"link {template!r} is not an address: {error}; {advice}") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"link {template!r} is not an address of http or https; {advice}")
    if _FIELD.search(parts.netloc):
        raise ValueError(f"link {template!r} has a field in the name of the host; {advice}")
    unknown = [name for name in fields if name not in FIELDS]
    if unknown or not fields or re.search(r"[{}]", _FIELD.sub("", template)):
        found = f"the unknown field {{{unknown[0]}}}" if unknown else "no valid field"
        raise ValueError(f"link {template!r} has {found}; the fields are {{id}} and {{name}}")
    return template


def fill_template(template: str, id_: str | None, name: str | None) -> str | None:
    """Return the link of a document, with percent-encoded values; None if the document lacks a value.

    Examples
    --------
    >>> from spanrs.crowd.task_links import fill_template
    >>> fill_template("https://example.org/{id}", "a b&c", None), fill_template("https://example.org/{name}", "1", None)
    ('https://example.org/a%20b%26c', None)
    """
    values = {"id": id_, "name": name}
    if any(not values[field] for field in _FIELD.findall(template)):
        return None
    # Ids may contain lone surrogates.
    return _FIELD.sub(
        lambda match: quote(values[match[1]] or "", safe="", errors="surrogatepass"), template
    )


def check_fields(template: str, corpus: CrowdCorpus) -> None:
    """Raise an error if no document of a corpus has all the fields of a template.

    Parameters
    ----------
    template : str
        A valid template.
    corpus : CrowdCorpus
        The corpus.

    Raises
    ------
    spanrs.errors.FormatError
        If documents lack a field; the message names the field.
    """
    documents = [(text.document.id, text.document.name) for text in corpus.texts or ()]
    lacking = set(FIELDS)
    for id_, name in documents:
        if fill_template(template, id_, name) is not None:
            return
        lacking -= {field for field, value in zip(FIELDS, (id_, name), strict=True) if value}
    used = [f"{{{field}}}" for field in FIELDS if field in _FIELD.findall(template) and field in lacking]
    message = (
        f"link {template!r}: no document has a value for {' and '.join(used) or 'all fields'}; sentences of columns "
        "have neither ids nor names, and some formats of documents have only one of them"
    )
    raise with_code(FormatError(message), "no_document_id")
