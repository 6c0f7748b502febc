"""The figures of one run as a Markdown table."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.figure import Figure, shown

_HEAD = "| what | measured | beside | ratio | bar |\n|---|---|---|---|---|\n"
_VERDICTS = {True: "holds", False: "**missed**", None: ""}


def markdown(figures: Sequence[Figure]) -> str:
    """Returns the table, a row a figure."""
    return _HEAD + "".join(_row(one) for one in figures)


def _row(one: Figure) -> str:
    beside = f"{one.beside}: {shown(one.plain)} {one.unit}" if one.plain is not None else one.beside
    ratio = "" if one.ratio is None else f"{one.ratio:.2f}"
    bar = f"{one.bar_told}: {_VERDICTS[one.holds]}" if one.bar_told else ""
    return f"| {one.name} | {shown(one.value)} {one.unit} | {beside} | {ratio} | {bar} |\n"
