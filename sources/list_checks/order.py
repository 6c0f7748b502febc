"""Entries out of the order that a list has itself. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from sources.bibliography.titles import fold
from sources.list_checks.findings import Entry, Level, ListFinding, finding

_FEWEST_ENTRIES = 8
"""Entries of a section from which its order is no chance."""
_FEWEST_YEARS = 5
_YEAR_HEADING = re.compile(r"\W*((?:19|20)\d\d)\W*")
_FEWEST_UNDER_YEARS = 10
_FEW = 10
"""At most one entry in so many may stand under another year; else the headings mean something else."""


class _Order(NamedTuple):
    """An order that entries may be in: what they are ordered by, whether it falls, and what to call it."""

    key: Callable[[Entry], Any]
    falling: bool
    name: str
    fewest_values: int


def _title(entry: Entry) -> str | None:
    words = re.sub(r"[^\w\s]", "", fold(entry.mention.title or "")).strip()
    return words or None


def _year(entry: Entry) -> int | None:
    return entry.mention.year


_ORDERS = (
    _Order(_year, falling=True, name="newest first", fewest_values=_FEWEST_YEARS),
    _Order(_year, falling=False, name="oldest first", fewest_values=_FEWEST_YEARS),
    _Order(_title, falling=False, name="by title", fewest_values=_FEWEST_ENTRIES),
)


def check_order(entries: Sequence[Entry]) -> Iterator[ListFinding]:
    """Yields findings about entries that alone break the order of their section, or stand under another year.

    One out of the order of years is only worth a note: surveys and later versions may stand apart on purpose.
    """
    sections: defaultdict[tuple[str, ...], list[Entry]] = defaultdict(list)
    for entry in entries:
        sections[entry.mention.section].append(entry)
    for section, inside in sections.items():
        for order in _ORDERS if len(inside) >= _FEWEST_ENTRIES else ():
            if (wrong := _misplaced(inside, order)) is not None:
                where = f"under “{section[-1]}”" if section else "of the list"
                message = f"The entry is out of order: the others {where} are {order.name}."
                level: Level = "warning" if order.key is _title else "note"
                yield finding("out-of-order", wrong.mention, message, *_neighbours(inside, wrong), level=level)
                break
    yield from _under_other_year(entries)


def _misplaced(entries: Sequence[Entry], order: _Order) -> Entry | None:
    """Returns the only entry without which all are in order; None where they are in order, or without order.

    Of two neighbours in the wrong order either may be the one; then none is named.
    """
    keys = [order.key(entry) for entry in entries]
    if None in keys or len(set(keys)) < order.fewest_values:
        return None
    breaks = [at for at in range(1, len(keys)) if not _in_order(keys[at - 1], keys[at], falling=order.falling)]
    if len(breaks) not in (1, 2):
        return None
    alone = [
        at for at in {breaks[0] - 1, breaks[0]} if _is_ordered([*keys[:at], *keys[at + 1 :]], falling=order.falling)
    ]
    return entries[alone[0]] if len(alone) == 1 else None


def _in_order(first: Any, second: Any, *, falling: bool) -> bool:
    return bool(first >= second if falling else first <= second)


def _is_ordered(keys: Sequence[Any], *, falling: bool) -> bool:
    return all(_in_order(keys[at - 1], keys[at], falling=falling) for at in range(1, len(keys)))


def _neighbours(entries: Sequence[Entry], entry: Entry) -> Iterator[str]:
    at = next(number for number, other in enumerate(entries) if other is entry)
    for other in entries[max(0, at - 1) : at + 2]:
        mention = other.mention
        said = " ".join(filter(None, ((mention.title or "")[:60], f"({mention.year})" if mention.year else "")))
        yield f"line {mention.line}: {said}"


def _under_other_year(entries: Sequence[Entry]) -> Iterator[ListFinding]:
    """Yields findings about entries under the heading of another year, where the list has its entries by year."""
    dated = [
        (entry, int(match[1]))
        for entry in entries
        if entry.mention.year
        and entry.mention.section
        and (match := _YEAR_HEADING.fullmatch(entry.mention.section[-1]))
    ]
    wrong = [(entry, year) for entry, year in dated if entry.mention.year != year]
    if len(dated) < _FEWEST_UNDER_YEARS or len(wrong) > len(dated) // _FEW:
        return
    for entry, year in wrong:
        message = f"The entry is of {entry.mention.year} and stands under “{year}”."
        yield finding(
            "out-of-order", entry.mention, message, f"{len(dated) - len(wrong)} others stand under their year"
        )
