"""Where a new entry goes among those of its section: by their own order, else behind the last. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sources.bibliography.titles import title_key
from sources.list_checks.findings import Edit, PaperFacts
from sources.list_edits.form import NUMBER, is_row
from sources.list_edits.siblings import WrittenEntry, WrittenList
from sources.list_edits.spans import first_line_of

_FEWEST = 3
"""Entries from which an order is one."""
_WHITESPACE = re.compile(r"[ \t]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """A place for a new entry.

    Attributes:
        at: Offset at which it is inserted.
        before: Whether what stands at `at` is the entry that follows it, and not the end of the one before.
        between: What stands between two entries beside the end of a line: the empty lines.
        number: The number it has, "" where entries have none.
        after: How many of the entries stand before it.
        step: By how much numbers grow from entry to entry.
        why: Why it goes there, for people.
    """

    at: int
    before: bool
    between: str
    number: str
    after: int
    step: int
    why: str


def position_of(written: WrittenList, run: Sequence[WrittenEntry], paper: PaperFacts) -> Position:
    """Returns where `paper` goes among `run`, entries of one section and form."""
    after, why = _place_in_order(run, paper)
    source = written.source
    if after:
        last = block_end(written, run[after - 1])
        if after == len(run) and is_row(source.line(last)):  # behind rows that name no paper, too
            last = next((line for line in range(last, source.line_count) if not is_row(source.line(line + 1))), last)
        at, before = source.stretch(last, last)[1], False
    else:
        at, before = source.stretch(first_line_of(run[0].mention), first_line_of(run[0].mention))[0], True
    number, step = _number(written, run, after)
    return Position(
        at=at, before=before, between=_between(written, run), number=number, after=after, step=step, why=why
    )


def _place_in_order(run: Sequence[WrittenEntry], paper: PaperFacts) -> tuple[int, str]:
    years = [entry.mention.year for entry in run]
    year = next((item.year for item in paper.publications if item.venue and item.year), paper.year)
    if year is not None and None not in years and len(set(years)) > 1 and len(run) >= _FEWEST:
        keys: list[Any] = [-(item or 0) for item in years]
        if is_sorted(keys):
            return sum(key <= -year for key in keys), "the section is in order of year, the newest first"
        if is_sorted(keys[::-1]):
            return sum(key >= -year for key in keys), "the section is in order of year, the newest last"
    titles = [title_key(entry.mention.title or "") for entry in run]
    if len(run) > _FEWEST and is_sorted(titles):
        return sum(title <= title_key(paper.title) for title in titles), "the section is in order of title"
    return len(run), "the section is in no order that shows, so it goes behind the last entry"


def is_sorted(keys: Sequence[Any]) -> bool:
    """Returns whether no key is smaller than the one before it."""
    return all(first <= second for first, second in pairwise(keys))


def block_end(written: WrittenList, entry: WrittenEntry) -> int:
    """Returns the last line of an entry with all that stands in its list item: lines that are indented further."""
    source = written.source
    first, last = first_line_of(entry.mention), entry.mention.last_line
    indent = _width(source.line(first))
    if not _is_item(source.line(first)):
        return last
    line = last + 1
    while line <= source.line_count:
        text = source.line(line)
        if text.strip():
            if _width(text) <= indent:
                break
            last = line
        line += 1
    return last


def _width(line: str) -> int:
    match = _WHITESPACE.match(line)
    return len(match[0].expandtabs(4)) if match else 0


def _is_item(line: str) -> bool:
    return re.match(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]", line) is not None


def _between(written: WrittenList, run: Sequence[WrittenEntry]) -> str:
    """Returns the empty lines that stand between two entries: as many as between the last two."""
    if len(run) < 2:
        return ""
    line, count = first_line_of(run[-1].mention) - 1, 0
    while line > 0 and not written.source.line(line).strip():
        line, count = line - 1, count + 1
    return written.source.line_end * count if line == block_end(written, run[-2]) else ""


def numbers_of(written: WrittenList, run: Sequence[WrittenEntry]) -> list[tuple[int, int, int]]:
    """Returns for each entry with a number where it stands, and the number."""
    found = []
    for entry in run:
        if entry.form is not None and NUMBER in entry.form.text:
            start = entry.form.places[entry.form.text.index(NUMBER)]
            digits = re.compile(r"\d+").match(written.source.text, start)
            if digits:
                found.append((start, digits.end(), int(digits[0])))
    return found


def _number(written: WrittenList, run: Sequence[WrittenEntry], after: int) -> tuple[str, int]:
    numbers = [number for _, _, number in numbers_of(written, run)]
    if len(numbers) != len(run):
        return "", 0
    steps = {second - first for first, second in pairwise(numbers)}
    step = steps.pop() if len(steps) == 1 else 1 if len(run) == 1 else 0
    if step not in (-1, 1):
        return str(numbers[after - 1] if step == 0 and len(set(numbers)) == 1 else numbers[-1] + 1), 0
    number = numbers[after - 1] + step if after and step == 1 else numbers[0]
    if step == -1:
        number = numbers[after] + 1 if after < len(numbers) else numbers[-1]
    return str(number), step


def renumbering(written: WrittenList, siblings: Sequence[WrittenEntry], position: Position) -> Iterator[Edit]:
    """Yields the edits that count on the numbers of the entries that a new one is put before, or after, in its run."""
    if not position.step or not position.number:
        return
    numbers = numbers_of(written, siblings)
    own = int(position.number)
    for start, end, number in numbers:
        behind = start >= position.at
        if (position.step == 1 and behind and number >= own) or (position.step == -1 and not behind and number >= own):
            yield Edit(start=start, end=end, replacement=str(number + 1))
