"""Settings of results by name, and signatures, which contain the settings in one line."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from spanrs import _spanrs
from spanrs.errors import SchemeError, with_code
from spanrs.eval.matcher import Matcher
from spanrs.tags.types import Dialect

#: The scheme of a result if none was given and all tags are ``O``.
UNDECIDED = "auto"
#: Short names of settings in short signatures.
SHORT = {
    "matcher": "m",
    "matching": "mg",
    "min_overlap": "mo",
    "focus": "f",
    "weights": "w",
    "counting": "co",
    "normalization": "no",
    "within": "wi",
    "beta": "be",
    "iou_threshold": "iou",
    "count": "ct",
    "off_schema": "os",
    "schema": "sc",
    "type_names": "tn",
    "ungrounded": "ug",
    "occurrences": "oc",
    "stages": "st",
    "threshold": "th",
    "types": "t",
    "exclude": "x",
    "scheme": "s",
    "pred_scheme": "ps",
    "reading": "r",
    "separator": "sep",
    "suffix": "suf",
    "align": "al",
    "columns": "c",
    "differing_tokens": "dt",
    "document_weights": "dw",
    "measure": "me",
    "test": "te",
    "samples": "n",
    "seed": "sd",
    "level": "l",
    "documents": "d",
    "sentences": "se",
    "version": "v",
}
#: A setting: everything up to an unquoted bar.
_PART = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^|"])+')
_NAME = re.compile(r"[a-z_]+")


def make_settings(
    matcher: Matcher,
    schemes: tuple[str | None, str | None, str],
    dialect: Dialect,
    align: str,
) -> dict[str, str]:
    """Return the settings of a result by name; ``schemes`` is (scheme, pred_scheme, reading)."""
    scheme, pred_scheme, reading = schemes
    settings = matcher.settings() | {"scheme": scheme or UNDECIDED}
    if pred_scheme is not None:
        settings["pred_scheme"] = pred_scheme
    settings["reading"] = reading
    for name, value, default in zip(dialect._fields, dialect, Dialect(), strict=True):
        if value != default:
            settings[name] = str(value).lower() if isinstance(value, bool) else quoted(str(value))
    if align != "refuse":
        settings["align"] = align
    settings["version"] = _spanrs.__version__
    return settings


def with_setting(settings: Mapping[str, str], name: str, value: str) -> dict[str, str]:
    """Return settings with a setting added before the version; a second value is appended to the first."""
    new = dict(settings)
    version = new.pop("version")
    new[name] = f"{new[name]};{value}" if name in new else value
    return new | {"version": version}


def signature(settings: Mapping[str, str]) -> str:
    """Return settings as a signature."""
    return "|".join(f"{name}:{value}" for name, value in settings.items())


def short_signature(settings: Mapping[str, str]) -> str:
    """Return settings as a signature with short names, for :func:`parse_signature`.

    Examples
    --------
    >>> from spanrs.eval.settings import short_signature
    >>> short_signature({"matcher": "exact", "scheme": "BIO", "version": "0.1.0"})
    'm:exact|s:BIO|v:0.1.0'
    """
    return "|".join(f"{SHORT.get(name, name)}:{value}" for name, value in settings.items())


def parse_signature(text: str) -> dict[str, str]:
    """Parse a signature, long or short.

    Returns
    -------
    dict of str to str
        The settings by their long names.

    Raises
    ------
    spanrs.errors.SchemeError
        If the text is not a signature, or a setting is repeated.

    Examples
    --------
    >>> from spanrs.eval.settings import parse_signature
    >>> parse_signature("m:exact|s:BIO|v:0.1.0")
    {'matcher': 'exact', 'scheme': 'BIO', 'version': '0.1.0'}
    """
    long = {short: name for name, short in SHORT.items()}
    settings: dict[str, str] = {}
    line = text.strip().removeprefix("signature").strip()
    parts = _PART.findall(line)
    for part in parts if "|".join(parts) == line else [""]:
        name, colon, value = part.partition(":")
        name = long.get(name, name)
        if not colon or not _NAME.fullmatch(name) or name in settings:
            break
        settings[name] = value
    else:
        if "matcher" in settings and "version" in settings:
            return settings
    message = f"{text!r} is not a signature; one looks like matcher:exact|scheme:BIO|reading:conlleval|version:0.1.0"
    raise with_code(SchemeError(message), "signature")


def quoted(value: str) -> str:
    """Quote a value as in JSON if the value contains characters that would end the setting."""
    return json.dumps(value, ensure_ascii=False) if set(value) & set('|"') else value


def merged_settings(first: Mapping[str, str], second: Mapping[str, str]) -> dict[str, str]:
    """Return the common settings of two results, or raise an error; an undecided scheme matches any scheme."""
    both, theirs = dict(first), dict(second)
    # Span files have no scheme.
    if "scheme" in both and "scheme" in theirs:
        both, theirs = with_schemes(both, theirs), with_schemes(theirs, both)
    if both != theirs:
        signatures = f"{signature(first)} and {signature(second)}"
        error = SchemeError(f"results with different settings cannot be merged: {signatures}")
        raise with_code(error, "signature")
    return both


def _pred_scheme(settings: dict[str, str]) -> str | None:
    """Return the scheme of pred; None if equal to the scheme of gold, undecided if the scheme of gold is undecided."""
    return settings.get("pred_scheme", UNDECIDED if settings["scheme"] == UNDECIDED else None)


def with_schemes(settings: dict[str, str], others: dict[str, str]) -> dict[str, str]:
    """Return settings with undecided schemes replaced by the schemes in ``others``."""
    scheme, pred_scheme = settings["scheme"], _pred_scheme(settings)
    if pred_scheme == UNDECIDED:
        pred_scheme = _pred_scheme(others)
    if scheme == UNDECIDED:
        scheme = others["scheme"]
    # With decided schemes, pred_scheme is only set if the schemes differ.
    if pred_scheme == scheme:
        pred_scheme = None
    schemes = {"scheme": scheme, "pred_scheme": pred_scheme}
    taken: dict[str, str | None] = {}
    for name, value in settings.items():
        # The scheme of pred follows the scheme of gold.
        taken |= schemes if name in schemes else {name: value}
    return {name: value for name, value in taken.items() if value is not None}
