"""Entry -> groups: the stretches of it that are about one paper each, with their links."""

from __future__ import annotations

import re
from itertools import pairwise

from sources.bibliography.names import is_organisation
from sources.reading_list.entries import Entry
from sources.reading_list.fields.author_lists import author_year, only_authors
from sources.reading_list.fields.citation import LONG_QUOTE, read_citation
from sources.reading_list.fields.citation_parts import GAP, odds_of_parts
from sources.reading_list.fields.imprints import imprint_of
from sources.reading_list.fields.title_model import EVEN, LIKELY, NO_TITLE, SURE, UNLIKELY, title_odds
from sources.reading_list.fields.titles import clean_title
from sources.reading_list.links.link_finder import Link, identifiers_of, is_author_key
from sources.reading_list.links.link_kinds import word_of

PAPER_KINDS = ("paper", "pdf")
_MOST_LINKS = 40
_JOINED = re.compile(r"[\s\x1d,]*(?:and|und|et|y|&|\+)[\s\x1d,]*(?:[Tt]he\s)?")
"""What stands between two linked titles that an entry names in one breath."""
_CALLED = re.compile(r"(?:^|[\s.,;(，。；|\x1d])([^.,;()，。；|\x1d]{3,40}?)\s?[:：,，]\s*$")
_PARTS = re.compile(r"[,.;，。；](?=\s)\s*|[，。；]|\sand\s")
_SEMICOLON = re.compile(r"[;；]\s*(?=\S)")
_FEWEST_WORDS = 4
"""How many words each of several titles between semicolons has at least; and their odds are `SURE`."""

Group = tuple[int, int, Link | None, list[Link]]


def is_paper_link(link: Link) -> bool:
    """Returns whether `link` leads to a paper: its address says so, or its word does and its address allows it."""
    if link.word in ("code", "talk", "data", "notes"):
        return link.kind == "paper" and link.word == "data" and bool(link.carried.identifiers)
    if link.kind in PAPER_KINDS:
        return link.word != "page" or bool(link.carried.identifiers)
    return (
        link.word == "paper"
        and not link.bare
        and link.kind in ("page", "data", "course", "docs", "note", "blog", "code")
    )


def groups_of(entry: Entry) -> list[Group]:
    """Returns the stretches of an entry that are about one paper each, with their links."""
    groups: list[Group] = []
    if not entry.links:
        return [(start, end, None, []) for start, end in _titles_in_a_row(entry.text)]
    group_start, previous = 0, 0
    title_link: Link | None = None
    members: list[Link] = []
    for written in entry.links:
        link = _called(written, entry.text[previous : written.start])
        between = clean_title(entry.text[previous : link.start])
        own = link.own and _takes_title(entry, link, group_start, title_link)
        listed = title_odds(between) >= EVEN and entry.text[previous : link.start].rstrip().endswith((";", "；"))
        lead_in = title_link is None and _stands_in_front(entry, group_start, link)
        taken = title_link is not None or (_has_paper(members) and not lead_in)
        opens = (own and (taken or listed)) or _starts_another(link, between, title_link, members)
        if (opens and (title_link or members or own)) or len(members) > _MOST_LINKS:
            leads = title_link is None and bool(members) and _stands_in_front(entry, group_start, members[0])
            start = link.outer_start if own or (leads and any(map(str.isalnum, between))) else previous
            groups.append((group_start, start, title_link, members))
            group_start, title_link, members = start, None, []
        if own and title_link is None:
            title_link = link
        else:
            members.append(link)
        previous = link.outer_end
    groups.append((group_start, len(entry.text), title_link, members))
    return groups


def _stands_in_front(entry: Entry, start: int, link: Link) -> bool:
    """Returns whether no words stand before `link` in the stretch from `start` on: its title stands behind it."""
    return not any(map(str.isalnum, entry.text[start : link.outer_start]))


def _titles_in_a_row(text: str) -> list[tuple[int, int]]:
    """Returns the stretches of a text without links that name a title each; all of it where there is one, or none.

    Titles in quotation marks are parted by the first comma or stop behind each; others by semicolons, if all of the
    stretches between are titles.
    """
    if quoted := _cuts_between_quotes(text):
        return list(pairwise([0, *quoted, len(text)]))
    cuts = [match.end() for match in _SEMICOLON.finditer(text)]
    stretches = list(pairwise([0, *cuts, len(text)]))
    if not 1 < len(stretches) <= _MOST_LINKS or len(text) > _MOST_LINKS * 200:
        return [(0, len(text))]
    every = all(_is_title(text[start:end], SURE) for start, end in stretches)
    return stretches if every else [(0, len(text))]


def _cuts_between_quotes(text: str) -> list[int]:
    """Returns where the stretches of a text part that hold one title in quotation marks each."""
    if len(text) > _MOST_LINKS * 200:
        return []
    quotes = [match for match in LONG_QUOTE.finditer(text) if _is_title(match[1], EVEN)]
    cuts = []
    for quote, following in pairwise(quotes[:_MOST_LINKS]):
        part = _PARTS.search(text, quote.end(), following.start())
        if part is None:
            return []
        cuts.append(part.end())
    return cuts


def _is_title(words: str, odds: float) -> bool:
    return len(words.split()) >= _FEWEST_WORDS and title_odds(clean_title(words)) >= odds


def _called(link: Link, before: str) -> Link:
    """Returns `link` as the words right before it call it: "slides: https://..."."""
    called = (link.own or link.bare) and before.rstrip().endswith((":", "：", ",", "，"))
    match = _CALLED.search(before[-60:]) if called else None
    if match is None:
        return link
    word = word_of(match[1])
    if word == "other":
        word = word_of(match[1].split()[0])
    return link._replace(word=word, own=False) if word not in ("other", "paper") else link


def _takes_title(entry: Entry, link: Link, start: int, title_link: Link | None) -> bool:
    """Returns whether the words of `link` are the title of a paper, given what the entry said before."""
    before = clean_title(entry.text[start : link.start])
    if title_link is not None:
        between = entry.text[title_link.outer_end : link.start]
        if _JOINED.fullmatch(between) and title_odds(link.label) >= LIKELY and title_odds(title_link.label) > UNLIKELY:
            return True
        return (
            link.kind in PAPER_KINDS
            and not _is_adjunct(link)
            and link.label != title_link.label
            and title_link.kind in (*PAPER_KINDS, None)
        )
    citation = read_citation(entry.text[: link.start], entry.marks, start) if len(before.split()) > 1 else None
    titled = citation is not None and citation.title is not None and not (citation.authors and len(citation.title) < 4)
    strong = titled and citation is not None and citation.title is not None and title_odds(citation.title) >= EVEN
    if titled and author_year(link.label):
        return False
    if _is_adjunct(link):
        return not strong or entry.text[link.end : link.end + 3].lstrip(" " + GAP)[:1].islower()
    if link.kind in PAPER_KINDS or link.kind is None:
        return not (
            strong
            and citation is not None
            and (citation.how in ("bold", "quoted") or odds_of_parts(link.label) < NO_TITLE)
            and odds_of_parts(link.label) < LIKELY
        )
    return not strong


def _is_adjunct(link: Link) -> bool:
    label = link.label.strip("()[] ")
    named = imprint_of(label) is not None and odds_of_parts(label) < UNLIKELY
    return named or bool(only_authors(label)) or is_organisation(label)


def _starts_another(link: Link, between: str, title_link: Link | None, members: list[Link]) -> bool:
    """Returns whether a resource `link` belongs to a further paper that `between` names, or is one by itself."""
    if not is_paper_link(link) or not (
        _has_paper(members) or (title_link is not None and title_link.kind in PAPER_KINDS)
    ):
        return False
    if not link.url and all(member.url for member in members):
        return False  # an identifier in the text closes the citation that it stands behind
    if is_author_key(link.label) or (len(between.split()) >= 4 and title_odds(between) >= LIKELY):
        return True
    theirs, mine = identifiers_of(members, "arxiv"), identifiers_of([link], "arxiv")
    return bool(link.bare and theirs and mine and not theirs & mine)


def _has_paper(links: list[Link]) -> bool:
    return any(is_paper_link(link) for link in links)
