"""The styles of lists with planted faults, and an entry before it is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from standins.trials.world import Row


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
