"""Labelled mentions of real lists, resolved against a world of papers, with slips of the pen or without links."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sources.bibliography.identifiers import ArxivId, Identifier
from sources.bibliography.lexicon import is_word
from sources.bibliography.titles import title_key, title_words
from sources.lists.reading import parse_reading_list
from sources.matching.lookup import Resolution
from sources.matching.resolve import resolve
from sources.records import Mention
from standins.trials.world import Row, Service, World, WorldMirror


@dataclass(frozen=True, slots=True)
class Label:
    """One labelled mention."""

    list_name: str
    facts: dict
    mention: Mention

    @property
    def arxiv_id(self) -> str:
        return self.facts["arxiv_id"]


def read_labels(shared: Path) -> list[Label]:
    """Returns every label of a paper that has an arXiv id."""
    labels = []
    for folder in ("gold", "practice"):
        for path in sorted((shared / folder).glob("*.jsonl")):
            for line in path.read_text(encoding="utf-8").splitlines():
                facts = json.loads(line)
                if facts["arxiv_id"] and facts["kind"] == "paper":
                    labels.append(Label(path.stem, facts, as_labelled(facts)))
    return labels


def as_labelled(facts: dict) -> Mention:
    """Returns the mention as an ideal parser without knowledge of names would read it: no authors are labelled."""
    identifiers = (Identifier("arxiv", facts["arxiv_id"]),) if facts["id_in_text"] and "arxiv" in facts["url"] else ()
    return Mention(
        line=facts["line"],
        last_line=facts["line"],
        title=facts["as_written"],
        year=facts["year_written"],
        venue=facts["venue_written"],
        arxiv_id=facts["arxiv_id"] if identifiers else None,
        identifiers=identifiers,
    )


def parsed(shared: Path, labels: Sequence[Label]) -> list[Label]:
    """Returns the labels with the mention that the parser reads at their line; those that it misses are left out."""
    texts = {path.name[:3]: path for path in (shared / "lists").glob("*.txt")}
    texts |= {path.stem: path for path in (shared / "practice").glob("*.md")}
    read = {name: parse_reading_list(path.read_text(encoding="utf-8")).mentions for name, path in texts.items()}
    found = []
    for label in labels:
        mention = nearest(label, read[label.list_name])
        if mention:
            found.append(replace(label, mention=mention))
    return found


def nearest(label: Label, mentions: Iterable[Mention]) -> Mention | None:
    keys = {title_key(label.facts["as_written"]), title_key(label.facts["title"])}
    near = [mention for mention in mentions if abs(mention.line - label.facts["line"]) <= 2]
    for mention in near:
        if title_key(mention.title or "") in keys or mention.arxiv_id == label.arxiv_id:
            return mention
    return next((mention for mention in near if mention.line == label.facts["line"]), None)


def with_labelled(rows: list[Row], labels: Sequence[Label]) -> list[Row]:
    """Returns the rows with the labelled papers that the facts lack, authors taken from a row of the same title."""
    have = {row.arxiv_id for row in rows}
    by_key = {title_key(row.title): row for row in rows}
    added = []
    for label in labels:
        if label.arxiv_id not in have:
            have.add(label.arxiv_id)
            twin = by_key.get(title_key(label.facts["title"]))
            year = ArxivId.parse(label.arxiv_id).year
            added.append(Row(label.facts["title"], twin.authors if twin else (), year, label.arxiv_id, None, None))
    return rows + added


def mistyped(mention: Mention, draw: random.Random) -> Mention:
    """Returns the mention with one slip of the pen in its title, two in a long one; none of them makes a word."""
    title = mention.title or ""
    for _ in range(1 + (len(title) > 40)):
        made = (slip(title, draw) for _ in range(20))
        title = next((other for other in made if not _new_words(title, other)), title)
    return replace(mention, title=title)


def _new_words(title: str, other: str) -> list[str]:
    """Returns the words of a language that only the other title has."""
    return [word for word in set(title_words(other).words) - set(title_words(title).words) if is_word(word)]


def slip(title: str, draw: random.Random) -> str:
    places = [place for place in range(1, len(title) - 1) if title[place - 1 : place + 2].isalpha()]
    if not places:
        return title
    place = draw.choice(places)
    kind = draw.choice(("drop", "double", "swap", "replace", "join"))
    if kind == "drop":
        return title[:place] + title[place + 1 :]
    if kind == "double":
        return title[:place] + title[place] + title[place:]
    if kind == "swap":
        return title[:place] + title[place + 1] + title[place] + title[place + 2 :]
    if kind == "replace":
        return title[:place] + draw.choice("abcdefghijklmnopqrstuvwxyz") + title[place + 1 :]
    return title.replace(" ", "", 1) if draw.random() < 0.5 else title.replace("-", " ", 1)


def unlinked(mention: Mention) -> Mention:
    return replace(mention, identifiers=(), arxiv_id=None, doi=None, url=None)


def run(world: World, mentions: Sequence[Mention], *, mirror: bool = False) -> tuple[Resolution, ...]:
    arxiv, s2 = Service(world, "arxiv"), Service(world, "s2")
    return resolve(
        mentions,
        mirror=WorldMirror(world) if mirror else None,
        papers=(arxiv,),
        searches=(s2, arxiv),
        pieces=s2,
        best_match=s2,
    )


def fate(label: Label, resolution: Resolution) -> str:
    if resolution.status != "resolved" or resolution.chosen is None:
        return resolution.status
    chosen = resolution.chosen
    right = chosen.arxiv_id == label.arxiv_id
    if not right and chosen.arxiv_id is None:
        right = title_key(chosen.title) == title_key(label.facts["title"])
    return "right" if right else "WRONG"


def left_out(world: World, labels: Sequence[Label]) -> list[Resolution]:
    """Returns the resolutions with every labelled paper taken out of the world."""
    for label in labels:
        world.hide(label.arxiv_id, label.facts["title"])
    try:
        return list(run(world, [unlinked(label.mention) for label in labels]))
    finally:
        world.hidden.clear()
