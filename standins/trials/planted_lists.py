"""Lists in many styles with faults planted at known lines: what `paperlake check` must find, and no more.

Every list has one style and about forty entries in four sections; every fourth entry or so has one fault. A paper's
facts are those of the background; withdrawals, retractions and new titles are made up.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from sources.bibliography.lexicon import is_word
from sources.bibliography.titles import title_words
from sources.bibliography.venues import known_venues
from standins.trials.world import Row

_SECTIONS = ("Foundations", "Systems", "Applications", "Further reading")
_IN_SECTION = 10
_SPOILED = (1, 4, 7)
"""Places of a section at which an entry gets a fault."""
_VENUES = ("ICML", "NeurIPS", "CVPR", "ACL", "KDD", "SIGMOD", "ICCV", "AAAI")


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An entry before it is written.

    Attributes:
        row: The paper.
        title: The title as it will stand there.
        url: The link; empty for none.
        year: The year as it will stand there.
        venue: The venue without the year.
        faults: Codes of what is wrong with it.
        tail: What stands behind the entry.
        mangle: What is done to the entry's text at last.
        facts: What is changed in the facts of its paper.
    """

    row: Row
    title: str
    url: str
    year: int
    venue: str
    faults: tuple[str, ...] = ()
    tail: str = ""
    mangle: Callable[[str], str] | None = None
    facts: dict = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How a list writes its entries; `has_year` and `has_venue` say whether these stand there."""

    name: str
    write: Callable[[Item], str]
    head: str = ""
    has_year: bool = True
    has_venue: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedList:
    """A list, the faults in it by line, and the changed facts of papers by title as the world has it."""

    style: str
    text: str
    faults: frozenset[tuple[int, str]]
    facts: dict[str, dict]


def _people(item: Item, most: int = 3) -> str:
    names = item.row.authors[:most]
    return ", ".join(names) + (" et al." if len(item.row.authors) > most else "")


def _link(words: str, item: Item) -> str:
    return f"[{words}]({item.url})" if item.url else words


def _labelled(label: str, item: Item) -> str:
    return f" [{label}]({item.url})" if item.url else ""


DEVELOPED = (
    Style(name="bullets", write=lambda i: f"- {_link(i.title, i)} ({i.year}){i.tail}"),
    Style(
        name="bold titles",
        write=lambda i: f"- **{i.title}** {_people(i)}. *{i.venue} {i.year}*.{_labelled('pdf', i)}{i.tail}",
        has_venue=True,
    ),
    Style(
        name="table",
        write=lambda i: f"| {i.title} | {i.venue} | {i.year} | {_labelled('paper', i).strip()}{i.tail} |",
        head="| Title | Venue | Year | Links |\n|---|---|---|---|",
        has_venue=True,
    ),
    Style(
        name="numbered",
        write=lambda i: f'1. {_people(i)}. "{i.title}". {i.venue} {i.year}.{_labelled("paper", i)}{i.tail}',
        has_venue=True,
    ),
    Style(name="stars", write=lambda i: f"* {i.title}{_labelled('arXiv', i)}, {i.year}{i.tail}"),
    Style(name="venue first", write=lambda i: f"- ({i.venue} {i.year}) {_link(i.title, i)}{i.tail}", has_venue=True),
    Style(
        name="lines",
        write=lambda i: f"- {_link(i.title, i)}\n  - {_people(i)}\n  - {i.venue}, {i.year}{i.tail}",
        has_venue=True,
    ),
)
HELD_OUT = (
    Style(
        name="title, people, venue",
        write=lambda i: f"- {_link(i.title, i)}, {_people(i, 2)}, {i.venue} {i.year}{i.tail}",
        has_venue=True,
    ),
    Style(name="bold links", write=lambda i: f"- **{_link(i.title, i)}** ({i.year}){i.tail}"),
    Style(
        name="table by year",
        write=lambda i: f"| {i.year} | {_link(i.title, i)}{i.tail} | {_people(i)} |",
        head="| Year | Paper | Authors |\n|:---:|:---|:---|",
    ),
    Style(
        name="plus signs",
        write=lambda i: f"+ **{i.title}.** {_people(i)}. {i.venue} {i.year}.{_labelled('Paper', i)}{i.tail}",
        has_venue=True,
    ),
    Style(name="year first", write=lambda i: f"- {i.year}: *{i.title}*.{_labelled('link', i)}{i.tail}"),
    Style(
        name="brackets",
        write=lambda i: f"- [{i.venue} {i.year}] {i.title}{_labelled('pdf', i)}{i.tail}",
        has_venue=True,
    ),
    Style(
        name="paragraphs",
        write=lambda i: f"**{i.title}**  \n{_people(i)}  \n{i.venue} {i.year}{_labelled('PDF', i)}{i.tail}\n",
        has_venue=True,
    ),
)


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


def plant(style: Style, papers: Sequence[Row], draw: random.Random) -> PlantedList:
    """Returns a list of `style` with faults in it: three in each section, and in one only an entry out of order."""
    available = list(draw.sample(list(papers), len(_SECTIONS) * _IN_SECTION + 40))
    sections = [[_sound(available.pop()) for _ in range(_IN_SECTION)] for _ in _SECTIONS]
    ordered = draw.randrange(len(_SECTIONS))
    kinds = [name for name in (*FAULTS, *REPEATS) if name != "venue-at-odds" or style.has_venue]
    planned = {
        (number, at): draw.choice(kinds) for number in range(len(_SECTIONS)) for at in _SPOILED if number != ordered
    }
    for (number, at), kind in planned.items():
        if kind in FAULTS:
            FAULTS[kind](sections[number], at, available, draw)
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


def _sound(row: Row) -> Item:
    venue, year = _venue(row) or ("", 0)
    return Item(row=row, title=row.title, url=f"https://arxiv.org/abs/{row.arxiv_id}", year=year, venue=venue)


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


Fault = Callable[[list[Item], int, list[Row], random.Random], None]


def _changed(**changes: Callable[[Item, list[Row], random.Random], object]) -> Fault:
    """Returns a fault that changes fields of one entry."""

    def apply(section: list[Item], at: int, available: list[Row], draw: random.Random) -> None:
        values = {name: change(section[at], available, draw) for name, change in changes.items()}
        section[at] = replace(section[at], **values)

    return apply


def _code(*codes: str) -> Callable[[Item, list[Row], random.Random], tuple[str, ...]]:
    return lambda _item, _rows, _draw: codes


def _slipped(item: Item, _: list[Row], draw: random.Random) -> str:
    """Returns the title with a letter of one long word doubled, left out or moved, which makes no word."""
    words = item.title.split(" ")
    long = [at for at, word in enumerate(words) if len(word) > 6 and word.isalpha() and is_word(word.lower())]
    while long:
        at = draw.choice(long)
        word, place = words[at], draw.randrange(1, len(words[at]) - 2)
        slips = (
            word[:place] + word[place + 1 :],
            word[:place] + word[place] + word[place:],
            word[:place] + word[place + 1] + word[place] + word[place + 2 :],
        )
        made = draw.choice(slips)
        if made != word and not is_word(made.lower()):
            return " ".join([*words[:at], made, *words[at + 1 :]])
        long.remove(at)
    return item.title.replace("e", "ee", 1)


def _renamed(item: Item, available: list[Row], _: random.Random) -> dict:
    """Returns facts with a title whose second half is another."""
    words = item.row.title.split()
    other = available[-1].title.split()
    half = len(words) // 2 + 1
    return {"title": " ".join([*words[:half], *other[len(other) // 2 :]])}


def _copied_link(section: list[Item], at: int, _: list[Row], draw: random.Random) -> None:
    above, item = section[at - draw.randrange(1, 3)], section[at]
    if not above.faults and not set(title_words(above.title).words) & set(title_words(item.title).words):
        section[at] = replace(item, url=above.url, faults=("link-repeated-under-another-title",))


def _other_venue(item: Item, _: list[Row], draw: random.Random) -> str:
    return draw.choice([venue for venue in _VENUES if not known_venues(venue) & known_venues(item.venue)])


FAULTS: dict[str, Fault] = {
    "link-title-disagree": _changed(
        url=lambda item, rows, draw: f"https://arxiv.org/abs/{rows.pop().arxiv_id}", faults=_code("link-title-disagree")
    ),
    "link-repeated-under-another-title": _copied_link,
    "malformed-arxiv-id": _changed(
        url=lambda item, rows, draw: draw.choice(
            (
                f"https://arxiv.org/abs/{item.row.arxiv_id[:2]}1{draw.randrange(3, 9)}.{draw.randrange(10000, 99999)}",
                f"https://arxiv.org/pdf/{item.row.arxiv_id[:-2]}.pdf",
            )
        ),
        faults=_code("malformed-arxiv-id"),
    ),
    "malformed-doi": _changed(
        url=lambda item, rows, draw: "https://doi.org/" + "-".join(title_words(item.title).words[:4]),
        faults=_code("malformed-doi"),
    ),
    "unregistered-doi": _changed(
        url=lambda item, rows, draw: (
            f"https://dl.acm.org/doi/10.5555/{draw.randrange(10**6, 10**7)}.{draw.randrange(10**6, 10**7)}"
        ),
        faults=_code("unregistered-doi"),
    ),
    "identifier-unknown": _changed(
        url=lambda item, rows, draw: (
            f"https://arxiv.org/abs/{draw.randrange(2001, 2013)}.9{draw.randrange(1000, 9999)}"
        ),
        faults=_code("identifier-unknown"),
    ),
    "retracted-paper": _changed(
        facts=lambda item, rows, draw: {"retraction": "made up"}, faults=_code("retracted-paper")
    ),
    "withdrawn-paper": _changed(facts=lambda item, rows, draw: {"withdrawn": True}, faults=_code("withdrawn-paper")),
    "title-misspelt": _changed(title=_slipped, faults=_code("title-misspelt")),
    "title-changed": _changed(facts=_renamed, faults=_code("title-changed")),
    "year-at-odds": _changed(
        year=lambda item, rows, draw: item.year + draw.choice((-11, -9, -8, -6, -5, 6, 8)), faults=_code("year-at-odds")
    ),
    "venue-at-odds": _changed(venue=_other_venue, faults=_code("venue-at-odds")),
    "missing-link": _changed(url=lambda item, rows, draw: "", faults=_code("missing-link")),
    "paywalled-link": _changed(
        url=lambda item, rows, draw: f"https://ieeexplore.ieee.org/document/{draw.randrange(10**6, 10**7)}",
        faults=_code("paywalled-link"),
    ),
    "empty-link": _changed(
        tail=lambda item, rows, draw: draw.choice((" [[code]()]", " [code]()", " [[slides]( )]")),
        faults=_code("empty-link"),
    ),
    "broken-markup": _changed(
        mangle=lambda item, rows, draw: draw.choice(
            (
                lambda text: text.replace(f"]({item.url})", f"]({item.url}", 1),
                lambda text: text.replace(f"]({item.url})", f"]{item.url})", 1),
                lambda text: text.replace(f"]({item.url})", f"] ({item.url})", 1),
                lambda text: text.replace(f"]({item.url})", f"({item.url})", 1),
                lambda text: re.sub(r"\[([^\[\]]*)\]\((http[^()]*)\)", r"(\1)[\2]", text, count=1),
            )
        ),
        faults=_code("broken-markup"),
    ),
}


REPEATS: dict[str, Callable[[Item], str]] = {
    "duplicate": lambda item: item.url.replace("/abs/", "/pdf/"),
    "duplicate-section": lambda item: item.url.replace("/abs/", "/pdf/"),
    "duplicate-version": lambda item: f"https://proceedings.example.org/{item.row.sha[:9]}.pdf",
}
"""Code -> the link of a second entry of a paper."""


def _written(style: Style, sections: Sequence[Sequence[Item]]) -> PlantedList:
    lines = [f"# A list in the style {style.name}", ""]
    faults: set[tuple[int, str]] = set()
    facts: dict[str, dict] = {}
    for name, section in zip(_SECTIONS, sections, strict=True):
        lines += [f"## {name}", "", *(style.head.split("\n") if style.head else ())]
        for item in section:
            written = style.write(item)
            text = item.mangle(written) if item.mangle else written
            line = len(lines) + 1
            codes = [code for code in item.faults if code and (code != "broken-markup" or text != written)]
            faults |= {(line, code) for code in codes}
            if item.facts:
                facts[item.row.title] = item.facts
            lines += text.split("\n")
        lines.append("")
    return PlantedList(style=style.name, text="\n".join(lines), faults=frozenset(faults), facts=facts)
