"""Plots with matplotlib."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from io import BytesIO
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: File formats by suffix.
FORMATS = {".png": "png", ".svg": "svg", ".pdf": "pdf"}
#: Maximum height of a figure, in inches.
LARGEST = 40.0
#: Maximum number of names for which a heat map shows numbers.
MOST_NUMBERED = 20
#: Maximum length of a name, in characters.
LONGEST = 40
#: Maximum length of a line of a caption, in characters.
CAPTION_WIDTH = 90
#: Patterns of the bars of several series.
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "ooo")
#: The bounds of an interval, as fractions.
Interval: TypeAlias = tuple[float, float]


def plot_format(path: str | PathLike[str]) -> str:
    """Return the format of a plot file, after checking that matplotlib is installed.

    Raises
    ------
    ImportError
        If matplotlib is not installed (``pip install spanrs[plot]``).
    ValueError
        If the file name has none of the suffixes in :data:`FORMATS`.

    Examples
    --------
    >>> from spanrs.report.plots import plot_format
    >>> plot_format("boxes.SVG")
    'svg'
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError("a plot needs matplotlib; run pip install 'spanrs[plot]'") from error
    ending = Path(path).suffix.lower()
    if ending not in FORMATS:
        message = f"{fspath(path)}: the name of a plot file must end with {', '.join(FORMATS)}"
        raise ValueError(message)
    return FORMATS[ending]


def box_plot(boxes: Mapping[str, Sequence[float]], label: str, file_format: str) -> bytes:
    """Draw a box plot of numbers for each name."""
    figure, axes = _figure(7.0, 0.45 * len(boxes) + 1.5)
    axes.boxplot(list(boxes.values())[::-1], orientation="horizontal")
    axes.set_yticks(range(1, len(boxes) + 1), _plain(list(boxes)[::-1]), parse_math=False)
    axes.set_xlabel(label)
    axes.grid(axis="x", alpha=0.3)
    return _picture(figure, file_format)


def bar_plot(
    names: Sequence[str],
    values: Mapping[str, Sequence[float]],
    label: str,
    file_format: str,
    *,
    intervals: Mapping[str, Sequence[Interval | None]] | None = None,
    caption: str = "",
) -> bytes:
    """Draw horizontal bars of fractions: one bar per name and series.

    Parameters
    ----------
    names : sequence of str
        Names, from top to bottom.
    values : mapping of str to sequence of float
        For each series, a fraction for each name; NaN is not drawn.
    label : str
        Label of the axis.
    file_format : str
        Format from :func:`plot_format`.
    intervals : mapping of str to sequence of (float, float), optional
        For each series, the bounds of the interval for each name, which are drawn as whiskers; None if unknown.
    caption : str
        Small text below the axis, which explains the whiskers.
    """
    height = 0.8 / max(len(values), 1)
    figure, axes = _figure(7.0, min(0.35 * len(names) * max(1.0, len(values) / 2) + 1.7, LARGEST))
    for at, (name, row) in enumerate(values.items()):
        places = [place + (at + 0.5) * height - 0.4 for place in range(len(names))]
        axes.barh(
            places,
            [100 * value for value in row],
            height=height,
            label=_plain([name])[0],
            # Series differ in pattern as well as in colour.
            hatch=HATCHES[at % len(HATCHES)],
            edgecolor="white",
            linewidth=0.5,
        )
        for place, interval in zip(places, (intervals or {}).get(name, ()), strict=False):
            _whisker(axes, place, interval, size=min(20 * height, 5))
    axes.set_yticks(range(len(names)), _plain(names), parse_math=False)
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel(f"{label} in per cent")
    axes.grid(axis="x", alpha=0.3)
    axes.set_axisbelow(True)
    if len(values) > 1:
        # Outside, so that the legend covers no bar.
        legend = figure.legend(loc="outside upper center", ncols=min(len(values), 3))
        for text in legend.get_texts():
            text.set_parse_math(False)
    return _picture(figure, file_format, caption)


def interval_plot(
    values: Mapping[str, tuple[float, float, float]], label: str, file_format: str, *, caption: str = ""
) -> bytes:
    """Draw a point with its interval for each name; ``values`` are fractions (value, low, high).

    ``caption`` is small text below the axis, which explains the whiskers.
    """
    figure, axes = _figure(7.0, min(0.45 * len(values) + 1.7, LARGEST))
    for at, (value, low, high) in enumerate(values.values()):
        _whisker(axes, at, (low, high), color="C0", size=5)
        axes.plot([100 * value], [at], "o", color="C0")
    axes.set_yticks(range(len(values)), _plain(list(values)), parse_math=False)
    axes.set_ylim(-0.6, len(values) - 0.4)
    axes.invert_yaxis()
    axes.set_xlabel(f"{label} in per cent")
    axes.grid(axis="x", alpha=0.3)
    return _picture(figure, file_format, caption)


def _whisker(
    axes: Any, place: float, interval: Interval | None, *, color: str = "#222222", size: float
) -> None:
    """Draw an interval of fractions as a horizontal line with caps."""
    if interval is None or any(map(math.isnan, interval)):
        return
    low, high = (100 * bound for bound in interval)
    # The middle is not drawn; the estimate may be outside of a percentile interval.
    axes.errorbar(
        (low + high) / 2,
        place,
        xerr=(high - low) / 2,
        fmt="none",
        ecolor=color,
        elinewidth=1.2,
        capsize=size / 2,
        capthick=1.2,
    )


def heat_map(names: Sequence[str], rows: Sequence[Sequence[float]], label: str, file_format: str) -> bytes:
    """Draw a heat map of numbers between all pairs of names; NaN is left blank."""
    height = max(3.0, min(0.4 * len(names), LARGEST))
    figure, axes = _figure(1.25 * height, height)
    image = axes.imshow(rows, cmap="viridis", vmin=min(0.0, _least(rows)), vmax=1.0)
    axes.set_xticks(range(len(names)), _plain(names), rotation=90, parse_math=False)
    axes.set_yticks(range(len(names)), _plain(names), parse_math=False)
    if len(names) <= MOST_NUMBERED:
        for row, values in enumerate(rows):
            for column, value in enumerate(values):
                if not math.isnan(value):
                    axes.text(
                        column,
                        row,
                        f"{value:.2f}",
                        ha="center",
                        va="center",
                        color="white" if value < 0.6 else "black",
                    )
    figure.colorbar(image, label=label)
    return _picture(figure, file_format)


def _least(rows: Sequence[Sequence[float]]) -> float:
    return min((value for row in rows for value in row if not math.isnan(value)), default=0.0)


def _plain(names: Sequence[str]) -> list[str]:
    """Shorten long names."""
    return [name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…" for name in names]


def _figure(width: float, height: float) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def _picture(figure: Figure, file_format: str, caption: str = "") -> bytes:
    from matplotlib import rc_context

    if caption:
        lines = textwrap.fill(caption, CAPTION_WIDTH)
        figure.supxlabel(lines, fontsize="small", color="#555555", parse_math=False)
    buffer = BytesIO()
    # Reproducible output: the same data give the same bytes.
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(file_format)
    with rc_context({"svg.hashsalt": "spanrs"}):
        figure.savefig(buffer, format=file_format, dpi=150, metadata=metadata)
    return buffer.getvalue()
