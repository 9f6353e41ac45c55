"""How results are made, by name; in one line it is their signature."""

from __future__ import annotations

from collections.abc import Mapping

from spanrs import _spanrs
from spanrs.errors import SchemeError, with_code
from spanrs.eval.matchers import Matcher
from spanrs.tags.types import Dialect

#: The scheme of a result of data that has no tag but ``O``, where it was not given.
UNDECIDED = "auto"


def make_settings(
    matcher: Matcher,
    schemes: tuple[str | None, str | None, str],
    dialect: Dialect,
    on_misaligned: str,
) -> dict[str, str]:
    """Return the settings of a result by name; ``schemes`` is (scheme, pred_scheme, reading)."""
    scheme, pred_scheme, reading = schemes
    settings = matcher.settings() | {"scheme": scheme or UNDECIDED}
    if pred_scheme is not None:
        settings["pred_scheme"] = pred_scheme
    settings["reading"] = reading
    for name, value, default in zip(dialect._fields, dialect, Dialect(), strict=True):
        if value != default:
            settings[name] = str(value).lower() if isinstance(value, bool) else str(value)
    if on_misaligned != "refuse":
        settings["on_misaligned"] = on_misaligned
    settings["version"] = _spanrs.__version__
    return settings


def with_setting(settings: Mapping[str, str], name: str, value: str) -> dict[str, str]:
    """Give settings with one more, before the version; a second value follows the first."""
    new = dict(settings)
    version = new.pop("version")
    new[name] = f"{new[name]};{value}" if name in new else value
    return new | {"version": version}


def signature(settings: Mapping[str, str]) -> str:
    """Give settings in one line."""
    return "|".join(f"{name}:{value}" for name, value in settings.items())


def merged_settings(one: Mapping[str, str], other: Mapping[str, str]) -> dict[str, str]:
    """Give the settings of two results together, or refuse; an undecided scheme fits any."""
    both, theirs = dict(one), dict(other)
    # Files of spans have no scheme, and then neither of the two has one.
    if "scheme" in both and "scheme" in theirs:
        both, theirs = with_schemes(both, theirs), with_schemes(theirs, both)
    if both != theirs:
        signatures = f"{signature(one)} and {signature(other)}"
        error = SchemeError(f"results made differently cannot be merged: {signatures}")
        raise with_code(error, "signature")
    return both


def _pred_scheme(settings: dict[str, str]) -> str | None:
    """Give the scheme of pred; None where it is that of gold. Without tags of gold nothing is known of pred."""
    return settings.get("pred_scheme", UNDECIDED if settings["scheme"] == UNDECIDED else None)


def with_schemes(settings: dict[str, str], others: dict[str, str]) -> dict[str, str]:
    """Give settings whose undecided schemes are those of others."""
    scheme, pred_scheme = settings["scheme"], _pred_scheme(settings)
    if pred_scheme == UNDECIDED:
        pred_scheme = _pred_scheme(others)
    if scheme == UNDECIDED:
        scheme = others["scheme"]
    if scheme == UNDECIDED and pred_scheme == UNDECIDED:
        pred_scheme = None
    schemes = {"scheme": scheme, "pred_scheme": pred_scheme}
    taken: dict[str, str | None] = {}
    for name, value in settings.items():
        # The scheme of pred follows that of gold.
        taken |= schemes if name in schemes else {name: value}
    return {name: value for name, value in taken.items() if value is not None}
