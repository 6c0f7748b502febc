"""Sorts a section of a list by whole entries. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal

from sources.bibliography.titles import title_key
from sources.errors import UsageError
from sources.lists.checks.findings import CheckedEntry, Edit
from sources.lists.edits.additions import reading_of
from sources.lists.edits.edits import Change, apply_edits
from sources.lists.edits.extents import Extents
from sources.lists.edits.places import numbers_of, section_named, shown_section
from sources.lists.edits.style import WrittenEntry, WrittenList
from sources.lists.reading import parse_reading_list

# year: as the section mostly is already, else the newest first. citations: the most cited first.
Order = Literal["year", "venue", "title", "citations"]


def sorted_section(
    text: str, entries: Sequence[CheckedEntry], order: Order, *, section: str | None = None
) -> Change | None:
    """Returns the change that puts the entries of a section in order; None where they are.

    Entries with the same key stay in their order, and those without one go behind the others. `section` is its heading;
    None where the list has only one.

    Raises:
        UsageError: The section is not clear, or is no plain run of entries.
    """
    mentions = [entry.mention for entry in entries]
    written = WrittenList(text, mentions)
    place = section_named(mentions, section)
    known = {id(item): entry for item, entry in zip(written.entries, entries, strict=True)}
    extents = Extents(written)
    run = _run(written, extents, [item for item in written.entries if item.mention.section == place])
    keys = _keys(order, [known[id(item)] for item in run])
    keyed = [at for at, key in enumerate(keys) if key is not None]
    pairs = list(pairwise(keys[at] for at in keyed))
    rising = order != "year" or sum(first < second for first, second in pairs) > sum(
        first > second for first, second in pairs
    )
    ranks = sorted(keyed, key=lambda at: keys[at] if rising else -keys[at])
    ranks += [at for at, key in enumerate(keys) if key is None]
    edits = _exchanged(written, extents, run, ranks)
    if not edits:
        return None
    after = parse_reading_list(apply_edits(text, edits)).mentions
    before, now = (Counter((item.section, *reading_of(item)) for item in read) for read in (mentions, after))
    if before != now:
        raise UsageError("in another order the section's entries would read otherwise: sort it by hand")
    message = f"{shown_section(place)} is put in order of {order}"
    return Change(code="order", line=run[0].first, message=message, edits=tuple(edits))


def _keys(order: Order, entries: Sequence[CheckedEntry]) -> list[Any]:
    papers = [entry.paper for entry in entries]
    if order == "year":
        return [entry.mention.year or (entry.paper.year if entry.paper else None) for entry in entries]
    if order == "venue":
        return [(entry.mention.venue or "").casefold() or None for entry in entries]
    if order == "title":
        return [title_key(entry.mention.title or "") or None for entry in entries]
    # One service's counts for all: those of two are not to be compared.
    open_counts = [paper.open_citation_count if paper else None for paper in papers]
    others = [paper.citation_count if paper else None for paper in papers]
    counts = open_counts if open_counts.count(None) <= others.count(None) else others
    return [None if count is None else -count for count in counts]


def _run(written: WrittenList, extents: Extents, entries: Sequence[WrittenEntry]) -> list[WrittenEntry]:
    """Returns the entries of a section without those inside others.

    Raises:
        UsageError: Something else than empty lines is between two of them, or two share a line.
    """
    run: list[WrittenEntry] = []
    end = 0
    for entry in entries:
        first = entry.first
        if first <= end and run and first > run[-1].first:
            continue  # it is in the item of the one before
        other = [line for line in range(end + 1, first) if written.source.line(line).strip()]
        if run and (first <= end or other):
            line = min([first, *other])
            raise UsageError(
                f"the section is no plain run of entries, see line {line}: only such a section can be sorted; name"
                " another one with --section"
            )
        run.append(entry)
        end = extents.end(entry)
    if not extents.is_plain(run):
        raise UsageError("some entries of the section are items and some are not: sort it by hand, or name another one")
    return run


def _exchanged(written: WrittenList, extents: Extents, run: Sequence[WrittenEntry], ranks: Sequence[int]) -> list[Edit]:
    """Returns the edits that put the entry `ranks[n]` at place `n`; numbers stay at their places."""
    source = written.source
    stretches = [source.stretch(item.first, extents.end(item)) for item in run]
    numbers = {start: (start, end) for start, end, _ in numbers_of(written, run)}
    numbered = [next((numbers[at] for at in range(*stretch) if at in numbers), None) for stretch in stretches]
    if any(numbered) and not all(numbered):
        raise UsageError("some entries of the section are numbered and some are not: number them all to sort them")
    edits = []
    for place, rank in enumerate(ranks):
        start, end = stretches[rank]
        words = source.text[start:end]
        mine, other = numbered[place], numbered[rank]
        if mine and other:
            words = source.text[start : other[0]] + source.text[slice(*mine)] + source.text[other[1] : end]
        if words != source.text[slice(*stretches[place])]:
            edits.append(Edit(start=stretches[place][0], end=stretches[place][1], replacement=words))
    return edits
