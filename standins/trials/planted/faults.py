"""What can be wrong with an entry: each fault changes one entry of a section, or puts a second one there."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count

from sources.bibliography.lexicon import is_word
from sources.bibliography.titles import title_words
from sources.bibliography.venues import known_venues
from standins.link_hosts import LinkHosts
from standins.trials.planted.styles import Item
from standins.trials.world import Row

_VENUES = ("ICML", "NeurIPS", "CVPR", "ACL", "KDD", "SIGMOD", "ICCV", "AAAI")
_LATEST_YEAR = 2025
_HOSTS = 12
"""Hosts among which the links of a list are spread."""
_DEAD = ("/404/", "/410/", "gone")
_MOVED = ("/to/301/file/", "/to/308/file/", "/to/301/ok/", "/away/")
_NEITHER = (
    "/ok/", "/file/", "/head-405/", "/head-404/", "/back/", "/to/302/file/",
    "/403/", "/451/", "/503/", "/challenge/", "/members/", "/lost/", "/sold/", "wall", "cut",
)  # fmt: skip
"""Answers of pages that are there, and of those that cannot be looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Supply:
    """What a list with faults is made from.

    Attributes:
        rows: Papers that are not in the list; whoever uses one takes it out.
        hosts: The servers of its links.
        draw: Chance.
        numbers: What makes each address another one.
    """

    rows: list[Row]
    hosts: LinkHosts
    draw: random.Random
    numbers: count[int]

    def address(self, answers: tuple[str, ...]) -> str:
        """Returns an address that its server gives one of these answers for; a word stands for a host of its own."""
        answer, number = self.draw.choice(answers), next(self.numbers)
        if answer.startswith("/"):
            return self.hosts.url(f"host{self.draw.randrange(_HOSTS)}.test", f"{answer}page{number}")
        return self.hosts.url(f"{answer}.{number}.test", f"/{'ok' if answer == 'gone' else answer}/page{number}")

    def working_link(self) -> str:
        """Returns a link behind an entry that leads to a page, or that nobody can tell about."""
        return f" [{self.draw.choice(('code', 'slides', 'project'))}]({self.address(_NEITHER)})"


Fault = Callable[[list[Item], int, Supply], None]
Change = Callable[[Item, Supply], object]


def _changed(*codes: str, **changes: Change) -> Fault:
    """Returns a fault that changes fields of one entry."""

    def apply(section: list[Item], at: int, supply: Supply) -> None:
        values = {name: change(section[at], supply) for name, change in changes.items()}
        section[at] = replace(section[at], faults=codes, **values)

    return apply


def _with_facts(change: Callable[[Item, Supply], dict]) -> Change:
    """Returns a change of what is known of the paper."""
    return lambda item, supply: {**item.facts, **change(item, supply)}


def _slipped(item: Item, supply: Supply) -> str:
    """Returns the title with a letter of one long word doubled, left out or moved, which makes no word."""
    words = item.title.split(" ")
    long = [at for at, word in enumerate(words) if len(word) > 6 and word.isalpha() and is_word(word.lower())]
    while long:
        at = supply.draw.choice(long)
        word, place = words[at], supply.draw.randrange(1, len(words[at]) - 2)
        slips = (
            word[:place] + word[place + 1 :],
            word[:place] + word[place] + word[place:],
            word[:place] + word[place + 1] + word[place] + word[place + 2 :],
        )
        made = supply.draw.choice(slips)
        if made != word and not is_word(made.lower()):
            return " ".join([*words[:at], made, *words[at + 1 :]])
        long.remove(at)
    return item.title.replace("e", "ee", 1)


def _renamed(item: Item, supply: Supply) -> dict:
    """Returns facts with a title of which one half, or one word that says something, is another."""
    words, other = item.row.title.split(), supply.rows[-1].title.split()
    half = len(words) // 2 + 1
    telling = [at for at, word in enumerate(words) if len(word) > 4 and word.isalpha()]
    kind = supply.draw.choice(("end", "beginning", "word"))
    if kind == "word" and telling:
        at = supply.draw.choice(telling)
        word = next((word for word in other if len(word) > 4 and word.lower() not in item.row.title.lower()), "Another")
        return {"title": " ".join([*words[:at], word, *words[at + 1 :]])}
    if kind == "beginning":
        return {"title": " ".join([*other[: len(other) // 2], *words[len(words) - half :]])}
    return {"title": " ".join([*words[:half], *other[len(other) // 2 :]])}


def _copied_link(section: list[Item], at: int, supply: Supply) -> None:
    source = at - supply.draw.randrange(1, 3)
    above, item = section[source], section[at]
    if not above.faults and not set(title_words(above.title).words) & set(title_words(item.title).words):
        section[at] = replace(item, url=above.url, faults=("link-repeated-under-another-title",))
        section[source] = replace(above, faults=("",))


def _other_venue(item: Item, supply: Supply) -> str:
    return supply.draw.choice([venue for venue in _VENUES if not known_venues(venue) & known_venues(item.venue)])


def _other_year(item: Item, supply: Supply) -> int:
    years = [item.year + apart for apart in (-11, -9, -8, -6, -5, 6, 8)]
    return supply.draw.choice([year for year in years if year <= _LATEST_YEAR])


def _with_second_paper(item: Item, supply: Supply) -> str:
    """Returns the end of an entry that names another arXiv paper beside its own, not as an entry of its own."""
    arxiv_id = supply.rows.pop().arxiv_id
    address = f"https://arxiv.org/abs/{arxiv_id}"
    forms = (f" [arxiv]({address})", f" (arXiv:{arxiv_id})", f" [[arXiv]({address}v1)]", f" [preprint]({address})")
    return supply.draw.choice(forms)


def _led(code: str, answers: tuple[str, ...]) -> Fault:
    """Returns a fault of an address: that of the entry, or that of a further link behind it."""

    def apply(section: list[Item], at: int, supply: Supply) -> None:
        address, item = supply.address(answers), section[at]
        own = supply.draw.random() < 0.5
        change = {"url": address} if own else {"tail": f" [code]({address})"}
        section[at] = replace(item, faults=(code,), **change)

    return apply


def _mangled(item: Item, supply: Supply) -> Callable[[str], str]:
    """Returns what breaks the link of an entry's text."""
    link = f"]({item.url})"
    return supply.draw.choice(
        (
            lambda text: text.replace(link, f"]({item.url}", 1),
            lambda text: text.replace(link, f"]{item.url})", 1),
            lambda text: text.replace(link, f"] ({item.url})", 1),
            lambda text: text.replace(link, f"({item.url})", 1),
            lambda text: re.sub(r"\[([^\[\]]*)\]\((http[^()]*)\)", r"(\1)[\2]", text, count=1),
        )
    )


def _malformed(item: Item, supply: Supply) -> str:
    arxiv_id, draw = item.row.arxiv_id or "", supply.draw
    return draw.choice(
        (
            f"https://arxiv.org/abs/{arxiv_id[:2]}1{draw.randrange(3, 9)}.{draw.randrange(10000, 99999)}",
            f"https://arxiv.org/pdf/{arxiv_id[:-2]}.pdf",
        )
    )


def _number(supply: Supply) -> int:
    return supply.draw.randrange(10**6, 10**7)


def _nothing(item: Item, supply: Supply) -> str:
    return ""


FAULTS: dict[str, Fault] = {
    "link-title-disagree": _changed(
        "link-title-disagree", url=lambda item, supply: f"https://arxiv.org/abs/{supply.rows.pop().arxiv_id}"
    ),
    "link-repeated-under-another-title": _copied_link,
    "malformed-arxiv-id": _changed("malformed-arxiv-id", url=_malformed),
    "malformed-doi": _changed(
        "malformed-doi", url=lambda item, supply: "https://doi.org/" + "-".join(title_words(item.title).words[:4])
    ),
    "unregistered-doi": _changed(
        "unregistered-doi",
        url=lambda item, supply: f"https://dl.acm.org/doi/10.5555/{_number(supply)}.{_number(supply)}",
    ),
    "identifier-unknown": _changed(
        "identifier-unknown",
        url=lambda item, supply: (
            f"https://arxiv.org/abs/{supply.draw.randrange(2001, 2013)}.9{supply.draw.randrange(1000, 9999)}"
        ),
    ),
    "second-arxiv-id": _changed("second-arxiv-id", tail=_with_second_paper),
    "retracted-paper": _changed("retracted-paper", facts=_with_facts(lambda item, supply: {"retraction": "made up"})),
    "withdrawn-paper": _changed("withdrawn-paper", facts=_with_facts(lambda item, supply: {"withdrawn": True})),
    "title-misspelt": _changed("title-misspelt", title=_slipped),
    "title-changed": _changed("title-changed", facts=_with_facts(_renamed)),
    "year-at-odds": _changed("year-at-odds", year=_other_year),
    "venue-at-odds": _changed("venue-at-odds", venue=_other_venue),
    "missing-link": _changed("missing-link", url=_nothing, tail=_nothing),
    "dead-link": _led("dead-link", _DEAD),
    "moved-link": _led("moved-link", _MOVED),
    "paywalled-link": _changed(
        "paywalled-link",
        url=lambda item, supply: f"https://ieeexplore.ieee.org/document/{_number(supply)}",
        tail=_nothing,
    ),
    "empty-link": _changed(
        "empty-link", tail=lambda item, supply: supply.draw.choice((" [[code]()]", " [code]()", " [[slides]( )]"))
    ),
    "broken-markup": _changed("broken-markup", mangle=_mangled),
}


REPEATS: dict[str, Callable[[Item], str]] = {
    "duplicate": lambda item: item.url.replace("/abs/", "/pdf/"),
    "duplicate-section": lambda item: item.url.replace("/abs/", "/pdf/"),
    "duplicate-version": lambda item: f"https://proceedings.example.org/{item.row.sha[:9]}.pdf",
}
"""Code -> the link of a second entry of a paper."""
