"""Lists in many styles with faults planted at known lines: what `paperlake check` must find, and no more.

Every list has one style and about forty entries in four sections; every fourth entry or so has one fault. A paper's
facts are those of the background; withdrawals, retractions and new titles are made up.
"""

from __future__ import annotations

import random
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count

from sources.bibliography.identifiers import ArxivId
from sources.bibliography.titles import title_words
from sources.bibliography.venues import known_venues
from standins.link_hosts import LinkHosts
from standins.trials.planted.faults import FAULTS, REPEATS, Supply
from standins.trials.planted.styles import Item, Style
from standins.trials.world import Row

_SECTIONS = ("Foundations", "Systems", "Applications", "Further reading")
_IN_SECTION = 10
_SPOILED = (1, 4, 7)
"""Places of a section at which an entry gets a fault."""
_LINKED, _UNPUBLISHED = 0.3, 0.5
"""Shares of the entries that have a further link, and of those without a venue that have not been published."""
PUBLISHED = "published-version"


@dataclass(frozen=True, kw_only=True)
class PlantedList:
    """A list, the faults in it by the first line of their entry, and what is changed in the facts of papers.

    Attributes:
        style: The name of its style.
        text: Its text.
        starts: The first line of every entry.
        faults: What is wrong, or worth a note, with which entry.
        facts: Title as the world has it -> changed facts.
        undecided: Entries whose mark-up is broken, so that it is not clear what else is to be found in them.
    """

    style: str
    text: str
    starts: tuple[int, ...]
    faults: frozenset[tuple[int, str]]
    facts: dict[str, dict]

    def entry_at(self, line: int) -> int:
        """Returns the first line of the entry to which a line belongs; 0 above the first entry."""
        at = bisect_right(self.starts, line)
        return self.starts[at - 1] if at else 0

    @cached_property
    def undecided(self) -> frozenset[int]:
        return frozenset(line for line, code in self.faults if code == "broken-markup")


def papers_for(rows: Sequence[Row]) -> list[Row]:
    """Returns the rows that entries can be made of: on arXiv, published, with people, and a title of its own."""
    titles = [_venue(row) for row in rows]
    return [
        row
        for row, venue in zip(rows, titles, strict=True)
        if row.arxiv_id
        and venue is not None
        and len(row.authors) > 1
        and row.title.isascii()
        and 5 <= len(row.title.split()) <= 14
        and not re.search(r"[\[\]()|*_`$:<>\"\\&?!.]", row.title)
        and sum(len(word) > 4 for word in title_words(row.title).words) >= 4
    ]


def _venue(row: Row) -> tuple[str, int] | None:
    """Returns a row's venue and its year, where the venue is a conference that everybody knows by one name."""
    name, _, year = (row.venue or "").rpartition(" ")
    known = known_venues(name)
    return (name, int(year)) if year.isdigit() and len(known) == 1 and name.lower() in known else None


def plant(style: Style, papers: Sequence[Row], draw: random.Random, hosts: LinkHosts) -> PlantedList:
    """Returns a list of `style` with faults in it: three in each section, and in one only an entry out of order."""
    rows = list(draw.sample(list(papers), len(_SECTIONS) * _IN_SECTION + 40))
    supply = Supply(rows=rows, hosts=hosts, draw=draw, numbers=count(1))
    sections = [[_sound(style, supply) for _ in range(_IN_SECTION)] for _ in _SECTIONS]
    ordered = draw.randrange(len(_SECTIONS))
    kinds = [name for name in (*FAULTS, *REPEATS) if name != "venue-at-odds" or style.has_venue]
    planned = {
        (number, at): draw.choice(kinds) for number in range(len(_SECTIONS)) for at in _SPOILED if number != ordered
    }
    for (number, at), kind in planned.items():
        if kind in FAULTS:
            FAULTS[kind](sections[number], at, supply)
    for (number, at), kind in planned.items():
        if kind in REPEATS:
            _repeat(kind, sections, number, at, draw, ordered=ordered)
    sections[ordered] = _in_order(sections[ordered], style, draw)
    return _written(style, sections)


def _repeat(code: str, sections: list[list[Item]], number: int, at: int, draw: random.Random, *, ordered: int) -> None:
    """Puts an entry that stands at another place of the list at this one; the fault is that of the later of the two."""
    elsewhere = code == "duplicate-section"
    source = draw.choice([n for n in range(len(sections)) if n not in (number, ordered)]) if elsewhere else number
    places = [n for n in range(_IN_SECTION) if n not in _SPOILED and not sections[source][n].faults]
    if not places:
        return
    place = draw.choice(places)
    original = sections[source][place]
    copy = replace(original, url=REPEATS[code](original))
    is_later = (number, at) > (source, place)
    sections[number][at] = replace(copy, faults=(code,) if is_later else ("",))
    sections[source][place] = replace(original, faults=("",) if is_later else (code,))


def _sound(style: Style, supply: Supply) -> Item:
    row = supply.rows.pop()
    venue, year = _venue(row) or ("", 0)
    facts: dict = {}
    if not style.has_venue and supply.draw.random() < _UNPUBLISHED:
        year, facts = ArxivId.parse(row.arxiv_id or "").year, {"publications": (), "venue": None}
    tail = supply.working_link() if supply.draw.random() < _LINKED else ""
    url = f"https://arxiv.org/abs/{row.arxiv_id}"
    return Item(row=row, title=row.title, url=url, year=year, venue=venue, facts=facts, tail=tail)


def _in_order(section: Sequence[Item], style: Style, draw: random.Random) -> list[Item]:
    """Returns the section by year or title, one entry moved far from where it belongs."""
    if style.has_year and draw.random() < 0.5 and len({item.year for item in section}) >= 5:
        ordered = sorted(section, key=lambda item: -item.year)
        first, last = ordered[0], ordered[-1]
        moved = first if first.year > ordered[1].year else last if last.year < ordered[-2].year else None
    else:
        ordered = sorted(section, key=lambda item: item.title.lower())
        moved = ordered[0]
    if moved is None:
        return ordered
    rest = [item for item in ordered if item is not moved]
    at = len(rest) - 1 if moved is ordered[0] else 1
    return [*rest[:at], replace(moved, faults=("out-of-order",)), *rest[at:]]


def _written(style: Style, sections: Sequence[Sequence[Item]]) -> PlantedList:
    lines = [f"# A list in the style {style.name}", ""]
    starts: list[int] = []
    faults: set[tuple[int, str]] = set()
    facts: dict[str, dict] = {}
    for name, section in zip(_SECTIONS, sections, strict=True):
        lines += [f"## {name}", "", *(style.head.split("\n") if style.head else ())]
        for item in section:
            written = style.write(item)
            text = item.mangle(written) if item.mangle else written
            line = len(lines) + 1
            starts.append(line)
            codes = [code for code in item.faults if code and (code != "broken-markup" or text != written)]
            faults |= {(line, code) for code in (*codes, *_worth_a_note(style, item))}
            if item.facts:
                facts[item.row.title] = item.facts
            lines += text.split("\n")
        lines.append("")
    return PlantedList(
        style=style.name, text="\n".join(lines), starts=tuple(starts), faults=frozenset(faults), facts=facts
    )


def _worth_a_note(style: Style, item: Item) -> list[str]:
    """Returns that a preprint has been published, where an entry gives it alone."""
    own = re.fullmatch(r"https://arxiv\.org/(?:abs|pdf)/(.*)", item.url)
    is_published = "publications" not in item.facts
    alone = own is not None and own[1] == item.row.arxiv_id and not style.has_venue and item.mangle is None
    return [PUBLISHED] if is_published and alone else []
