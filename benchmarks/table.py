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
    of = f" {one.unit}" if one.bar_on == "value" else " times"
    bar = "" if one.bar is None else f"{shown(one.bar)}{of}: {_VERDICTS[one.holds]}"
    return f"| {one.name} | {shown(one.value)} {one.unit} | {beside} | {ratio} | {bar} |\n"
