"""The figures of one run as a Markdown table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.figure import Figure, shown

_HEAD = "| what | measured | beside | ratio | bar |\n|---|---|---|---|---|\n"
BEGIN = "<!-- figures: made by `make bench BENCH=--docs` -->\n\n"
END = "\n<!-- end of figures -->\n"
_VERDICTS = {True: "holds", False: "**missed**", None: ""}


def markdown(figures: Sequence[Figure]) -> str:
    """Returns the table, a row a figure."""
    return _HEAD + "".join(_row(one) for one in figures)


def put_into(page: Path, figures: Sequence[Figure], *, whole: bool = True) -> None:
    """Replaces the table between the marks of `page` by one of `figures`; unless `whole`, only the rows of those names.

    Raises:
        ValueError: The page has no such marks.
    """
    text = page.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    old, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"{page} has no {BEGIN.strip()} ... {END.strip()} to write between")
    table = markdown(figures) if whole else _merged(old, figures)
    page.write_text(before + begin + table + end + after, encoding="utf-8")


def _merged(old: str, figures: Sequence[Figure]) -> str:
    """Returns the rows of a table, those of `figures` anew, and behind them those that it had not."""
    rows = {line.split(" | ")[0].removeprefix("| "): f"{line}\n" for line in old.splitlines()[2:]}
    return _HEAD + "".join((rows | {one.name: _row(one) for one in figures}).values())


def _row(one: Figure) -> str:
    beside = f"{one.beside}: {shown(one.plain)} {one.unit}" if one.plain is not None else one.beside
    ratio = "" if one.ratio is None else f"{one.ratio:.2f}"
    bar = f"{one.bar_told}: {_VERDICTS[one.holds]}" if one.bar_told else ""
    return f"| {one.name} | {shown(one.value)} {one.unit} | {beside} | {ratio} | {bar} |\n"
