"""How many slips of a keeper's pen `paperlake check` finds that were planted in real lists, and what else it says then.

    .venv/bin/python -m benchmarks.checks.planted [../shared] [--copies N] [--missed CODE]

Into copies of each real list of ../shared one slip of each kind is planted where the list has a place for it: two
entries on one line, the code of an entry close by, a year to come, a blank or full-width brackets in a link, a letter
less in a link to a heading, a bar less in a row; and a year to come in a title, which is none. The place is drawn,
whatever the checks look at. What is known of a paper is what the facts and the background have under its arXiv
identifier or its title. A slip is found where a finding of its code is about its line; *elsewhere* are findings on
other lines that the list does not have without the slips.

The lists are split by their names; the checks were mended while looking at what was missed in one half, and the other
half comes first. --missed prints what was missed in the half that may be looked at.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from benchmarks.checks.additions import facts_of
from benchmarks.checks.list_checks import read_labels
from benchmarks.checks.twice import lists_of
from sources.bibliography.identifiers import ArxivId
from sources.bibliography.titles import title_key
from sources.bibliography.years import LAST_YEAR
from sources.lists.checks.checks import check_list, suppression_of
from sources.lists.checks.duplicates import people_of
from sources.lists.checks.findings import CheckedEntry, Edit, ListFinding, PaperFacts
from sources.lists.checks.list_text import ADDRESS, ListText, tables_of
from sources.lists.edits.edits import apply_edits
from sources.lists.local_files import decode_list
from sources.lists.reading import parse_reading_list
from sources.records import Mention

HELD_OUT, LOOKED_AT = "held out", "looked at"
_NO_SLIP = "future-year in a title"
_IN_TITLES = (" by 2050", ": The Road to 2050", ": Visions for 2050", " from 2010 to 2050", " in 2050 and Beyond")
_NEAR = 3

_ITEM = re.compile(r"([ \t>]*)([-*+]|\d+[.)])[ \t]+")
_CODE = re.compile(r"https?://(?:www\.)?github\.com/([\w.-]+/[\w.-]+)[^\s()<>\[\]\"']*", re.IGNORECASE)
_LINK = re.compile(r"(?<!!)(\[[^\[\]\n]*[^\W\d_][^\[\]\n]*\]{1,2})\((https?://[^\s()]+)\)")
_FRAGMENT = re.compile(r"(?<=\]\(#)[\w-]{4,}(?=\))")
_BAR = re.compile(r"(?<=[^\\|\s])[ \t]*\|[ \t]*(?=[^|\s])")


class Source(NamedTuple):
    """A list, and its entries with what is known of their papers."""

    text: ListText
    entries: Sequence[CheckedEntry]


Counts = Counter[tuple[str, str]]  # by kind or code, and what is counted
Slips = Callable[[Source, random.Random], Iterator[list[Edit]]]


def _joined(source: Source, draw: random.Random) -> Iterator[list[Edit]]:
    """Yields edits that put an item's entry behind the one above it, with a blank between them or without."""
    for at in _drawn(range(1, len(source.entries)), draw):
        first, second = (entry.mention for entry in source.entries[at - 1 : at + 1])
        marks = [_ITEM.match(source.text.line(each.line)) for each in (first, second)]
        signs = {mark and (mark[1], mark[2][-1]) for mark in marks}
        is_next = first.line == first.last_line == second.line - 1 and first.title and second.title
        if is_next and marks[1] and len(signs) == 1:
            end = source.text.stretch(first.line, first.line)[1]
            start = source.text.stretch(second.line, second.line)[0] + len(marks[1][1])
            yield [Edit(start=end, end=start, replacement=draw.choice(("", " ")))]


def _copied_code(source: Source, draw: random.Random, *, known: bool) -> Iterator[list[Edit]]:
    """Yields edits that put the only repository of an entry in the place of that of another one close by.

    The people of both are known, from the list or the facts, or those of one are not.
    """
    own = [{match[0]: match[1].lower() for match in _CODE.finditer(each.mention.text)} for each in source.entries]
    for at in _drawn(range(len(own) - _NEAR), draw):
        here, there = draw.sample((at, at + draw.choice((1, 1, 2, 3))), 2)
        entry, other = source.entries[here], source.entries[there]
        mention = entry.mention
        is_near = mention.section == other.mention.section and mention.line != other.mention.line
        is_known = bool(people_of(entry) and people_of(other))
        if is_near and len(own[here]) == len(own[there]) == 1 and mention.title and mention.url and known == is_known:
            ((lost, name),), ((copied, former),) = own[here].items(), own[there].items()
            start, end = source.text.stretch(mention.line, mention.last_line)
            places = re.finditer(re.escape(lost), source.text.text[start:end])
            if name != former and lost not in mention.url:
                yield [Edit(start=start + at.start(), end=start + at.end(), replacement=copied) for at in places]


def _future_year(source: Source, draw: random.Random) -> Iterator[list[Edit]]:
    """Yields edits of an entry's year, where it stands there once: two digits exchanged, or another decade."""
    for entry in _drawn(source.entries, draw):
        start, end = source.text.stretch(entry.mention.line, entry.mention.last_line)
        words = ADDRESS.sub(lambda match: " " * len(match[0]), source.text.markup[start:end])
        year = str(entry.mention.year)
        places = list(re.finditer(rf"(?<!\d){year}(?!\d)", words))
        if len(places) == 1 and year not in (entry.mention.title or ""):
            slips = {f"{year[:2]}{year[3]}{year[2]}", f"{year[:2]}{int(year[2]) % 9 + 1}{year[3]}", f"203{year[3]}"}
            slip = draw.choice(sorted(slip for slip in slips if int(slip) > LAST_YEAR))
            yield [Edit(start=start + places[0].start(), end=start + places[0].end(), replacement=slip)]


def _year_in_title(source: Source, draw: random.Random) -> Iterator[list[Edit]]:
    """Yields edits that put a year to come at the end of a title."""
    for entry in _drawn(source.entries, draw):
        start, end = source.text.stretch(entry.mention.line, entry.mention.last_line)
        at = source.text.markup.find(entry.mention.title or "\0", start, end)
        if at >= 0:
            place = at + len(entry.mention.title or "")
            yield [Edit(start=place, end=place, replacement=draw.choice(_IN_TITLES))]


def _broken_link(source: Source, draw: random.Random) -> Iterator[list[Edit]]:
    """Yields edits that part the words of a link from its address, or put full-width brackets around that."""
    for entry in _drawn(source.entries, draw):
        start, end = source.text.stretch(entry.mention.line, entry.mention.line)
        for match in _drawn(list(_LINK.finditer(source.text.markup[start:end])), draw):
            form = draw.choice((" ({})", "（{}）", "（{})", "({}）")).format(match[2])
            yield [Edit(start=start + match.end(1), end=start + match.end(), replacement=form)]


def _dead_anchor(source: Source, draw: random.Random) -> Iterator[list[Edit]]:
    """Yields edits that take a letter out of a link to a heading."""
    for match in _drawn(list(_FRAGMENT.finditer(source.text.markup)), draw):
        at = draw.randrange(match.start(), match.end() - 1)
        yield [Edit(start=at, end=at + 1, replacement="")]


def _odd_row(source: Source, draw: random.Random) -> Iterator[list[Edit]]:
    """Yields edits that take away the bar between two cells of a row."""
    markup = ListText(source.text.markup)
    rows = [line for first, last in tables_of(markup) for line in range(first + 2, last + 1)]
    for row in _drawn(rows, draw):
        start = markup.stretch(row, row)[0]
        for match in _drawn(list(_BAR.finditer(markup.line(row))), draw):
            yield [Edit(start=start + match.start(), end=start + match.end(), replacement=" ")]


def _drawn(things: Sequence, draw: random.Random) -> list:
    return draw.sample(things, len(things))


SLIPS: Mapping[str, Slips] = {
    "joined-entries": _joined,
    "copied-code": partial(_copied_code, known=True),
    "copied-code of unknown people": partial(_copied_code, known=False),
    "future-year": _future_year,
    _NO_SLIP: _year_in_title,
    "broken-markup": _broken_link,
    "dead-anchor": _dead_anchor,
    "odd-row": _odd_row,
}


def plant(source: Source, taken: set[int], draw: random.Random) -> tuple[str, Mapping[str, int]]:
    """Returns a list with one slip of each kind that it has a place for, and the line of each.

    Its own lines and the next to it are `taken` then.
    """
    chosen: dict[str, list[Edit]] = {}
    for kind, slips in SLIPS.items():
        for edits in slips(source, draw):
            own = {source.text.line_of(place) for edit in edits for place in (edit.start, edit.end)}
            if edits and not own & taken:
                chosen[kind] = edits
                taken |= {line + apart for line in own for apart in (-1, 0, 1)}
                break
    edits = [edit for each in chosen.values() for edit in each]
    text = ListText(apply_edits(source.text.text, edits))
    return text.text, {kind: text.line_of(_moved(each[0].start, edits)) for kind, each in chosen.items()}


def _moved(place: int, edits: Sequence[Edit]) -> int:
    """Returns where a place is after the edits before it."""
    return place + sum(len(edit.replacement) - (edit.end - edit.start) for edit in edits if edit.end <= place)


def papers_of(shared: Path) -> Mapping[str, Mapping]:
    """Returns the rows of the background and the facts, by arXiv identifier and by title."""
    import pyarrow.parquet as pq

    rows = pq.read_table(shared / "facts" / "background.parquet").to_pylist()
    rows += [row for name in ("practice", "papers") for row in read_labels(shared / "facts" / f"{name}.jsonl")]
    for row in rows:
        row["arxiv_id"] = row["arxiv_id"] and ArxivId.parse(row["arxiv_id"]).base
    return {title_key(row["title"]): row for row in rows} | {row["arxiv_id"]: row for row in rows}


def checked(text: str, papers: Mapping[str, Mapping]) -> tuple[Source, list[ListFinding]]:
    """Returns a list with its entries, and the findings about it."""
    entries = [CheckedEntry(mention=each, paper=_paper(each, papers)) for each in parse_reading_list(text).mentions]
    source = Source(ListText(text), entries)
    return source, check_list(source.text, entries, suppression=suppression_of(source.text))


def _paper(mention: Mention, papers: Mapping[str, Mapping]) -> PaperFacts | None:
    row = papers.get(mention.arxiv_id or "") or papers.get(title_key(mention.title or ""))
    return facts_of(row) if row else None


def _count(name: str, text: str, copies: int, papers: Mapping[str, Mapping], counted: Counts) -> Iterator[str]:
    """Counts what is planted in copies of a list, and found; yields a line for each that is missed, or elsewhere."""
    source, findings = checked(text, papers)
    before = Counter((item.code, source.text.line(item.line)) for item in findings)
    taken = {line for item in findings for line in range(item.line, item.last_line + 1)}
    for copy in range(copies):
        changed, lines = plant(source, taken, random.Random(f"{name} {copy}"))
        after, found = checked(changed, papers)
        about = {kind: [item for item in found if _is_about(item, after, line)] for kind, line in lines.items()}
        for kind, line in lines.items():
            level = next((item.level for item in about[kind] if item.code == kind.split()[0]), "missed")
            counted.update([(kind, "planted"), (kind, level)])
            if (level == "missed") != (kind == _NO_SLIP):
                yield f"missed {kind}: {name} {copy}: {after.text.line(line)[:500]}"
        others = Counter(
            (item.code, after.text.line(item.line))
            for item in found
            if (item.code in SLIPS or item.level != "note") and not any(item in each for each in about.values())
        )
        for (code, words), number in (others - before).items():
            counted[code, "elsewhere"] += number
            yield f"elsewhere {code}: {name} {copy}: {words[:500]}"


def _is_about(item: ListFinding, source: Source, line: int) -> bool:
    """Returns whether a finding is about a line, or about the entry that the line belongs to."""
    own = [range(each.mention.line, each.mention.last_line + 1) for each in source.entries]
    lines = {line}.union(*(each for each in own if line in each))
    return not lines.isdisjoint((*range(item.line, item.last_line + 1), *item.others))


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("shared", type=Path, nargs="?", default=Path("../shared"))
    arguments.add_argument("--copies", type=int, default=4, help="of each list")
    arguments.add_argument("--missed", help="print what was missed of this code in the half that may be looked at")
    options = arguments.parse_args()
    papers = papers_of(options.shared.resolve())
    halves: dict[str, Counts] = {HELD_OUT: Counter(), LOOKED_AT: Counter()}
    for path in lists_of(options.shared.resolve()):
        half = HELD_OUT if sha256(path.stem.encode()).digest()[0] % 2 else LOOKED_AT
        text = decode_list(path.read_bytes(), name=path.name)
        for line in _count(path.stem, text, options.copies, papers, halves[half]):
            if half == LOOKED_AT and options.missed == line.split()[1].strip(":"):
                print(line, flush=True)
    for half, counted in halves.items():
        print(*_table(half, counted), sep="\n")


def _table(half: str, counted: Counts) -> Iterator[str]:
    yield f"\n{half}\n\n| kind | planted | errors or warnings | notes | found | elsewhere |\n|---|---|---|---|---|---|"
    for kind in dict.fromkeys((*SLIPS, *(kind for kind, _ in counted))):
        planted, missed, note = (counted[kind, each] for each in ("planted", "missed", "note"))
        found = f"{100 * (planted - missed) / planted:.1f} %" if planted else "-"
        yield f"| {kind} | {planted} | {planted - missed - note} | {note} | {found} | {counted[kind, 'elsewhere']} |"


if __name__ == "__main__":
    main()
