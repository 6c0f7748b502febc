"""Accounts for the lines of a list that no mention was made of: what each is, and whether it looks like an entry."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sources.bibliography.years import YEAR_DIGITS, year_in
from sources.lists.reading.addresses import carried_by_text
from sources.lists.reading.author_lists import name_odds, read_authors
from sources.lists.reading.citation_parts import has_pages, imprint_of, skip_marks
from sources.lists.reading.decision import MentionVerdict
from sources.lists.reading.document import Block, Document
from sources.lists.reading.entries import PAPER_KINDS
from sources.lists.reading.links import addresses_in, links_of
from sources.lists.reading.marked_text import Rich
from sources.lists.reading.title_model import LIKELY, LONG_QUOTE, clean_title, title_odds
from sources.records import Mention

# What a line is that is no part of a mention. Lines of the first two kinds look like entries.
LineKind = Literal["not read", "possible title", "resource", "prose", "structure"]
LIKE_ENTRIES: tuple[LineKind, ...] = ("not read", "possible title")

_UNREAD_PAPER: tuple[LineKind, str] = (
    "not read",
    "it names a paper that no mention has, with a link or an identifier",
)
_POSSIBLE: tuple[LineKind, str] = ("possible title", "it counts only if it is the whole title of a paper")
_NO_RECORD: tuple[LineKind, str] = ("not read", "a row or an entry without a title and an identifier")
_ENTRY_LIKE: tuple[LineKind, str] = ("not read", "it stands among entries and does not read like one")
_OF_ENTRY: tuple[LineKind, str] = ("resource", "links of an entry on another line")
_REFERENCE: tuple[LineKind, str] = ("not read", "it reads like a reference")
_EMPTY_LINK: tuple[LineKind, str] = ("not read", "it has a link without an address")

_YEAR_NEXT = re.compile(rf"(?:,? \(?|\t){YEAR_DIGITS}")
_QUOTED_LINK = re.compile(r"[\"“„«]\[[^!\[\]]|\[[\"“„«]")  # a link on a quotation, as titles are quoted
_BEFORE_PEOPLE = re.compile(r"(?:\d{1,3}\t\s*)?\(?(?:[Ff]rom\s)?")
_WORD = re.compile(r"[^\W\d_]{2,}")
_LONGEST_ENTRY = 40  # words beyond which a line is prose, whatever stands around it
_LONGEST_REFERENCE = 120  # words, where it begins with people and a year
_PARTS, _FEWEST_PARTS = re.compile("[,，、\\t]"), 4  # what parts a citation, and how many parts one has
# A page at the end, "S. 9 ff.", or what may be an identifier of arXiv, which from four digits may be any number.
_OF_REFERENCE = re.compile(
    r"\b(?:S|pp?|págs?|s|c)\.\s?\d{1,4}(?:[-–]\d{1,4}|\s?ff?)?\.?\W*$|(?<![\w./])(?:0[7-9]|1\d)(?:0[1-9]|1[0-2])\.\d{4}\b"
)
_FEWEST_WORDS = 4  # of a line that reads like a title
_FEWEST_SHARE = 10  # such a line looks like an entry in a list of which at least one block in so many is a mention
_FEWEST_ENTRIES = 3  # of so many mentions in its run, and half of it, a line without one looks like an entry
_OTHER_KINDS = {"code", "video", "data", "blog"}
_NAMES_OF_KINDS = {"page": "a page", "video": "a video", "note": "a page of the list's own", "data": "data"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedLine:
    """A line that no mention was made of, or that names a paper which no mention has."""

    line: int  # 1-based
    kind: LineKind
    reason: str  # one of a few phrases, to be counted by: why nothing was made of it, or what it is


def skipped_lines(
    document: Document, verdicts: Sequence[MentionVerdict], mentions: Sequence[Mention], possible: Sequence[Mention]
) -> tuple[SkippedLine, ...]:
    """Returns every line of `document` with a sign in it that is part of no mention, in order.

    A line of a mention is among them where it also names a paper that no mention has.

    Args:
        document: The list.
        verdicts: The drafts that became `mentions`, in any order.
        mentions: The mentions.
        possible: The possible titles.
    """
    blocks = document.blocks
    block_at = {line: block for block in blocks for line in _lines_of_block(block)}
    mentioned = {line for mention in mentions for line in lines_of(mention)}
    maybe = {mention.line for mention in possible}
    names = _names(verdicts, mentions)
    all_ = Counter(block.run for block in blocks)
    read = Counter(block.run for block in blocks if mentioned.intersection(_lines_of_block(block)))
    runs = {run for run, count in read.items() if count >= _FEWEST_ENTRIES and 2 * count >= all_[run]}
    names_papers = _FEWEST_SHARE * len(mentions) >= len(blocks)
    found = []
    for number, text in enumerate(document.lines, 1):
        cells = text.replace(document.delimiter, " ") if document.delimiter else text
        named = addresses_in(cells) if "." in text else ()
        block = block_at.get(number)
        stated = carried_by_text(cells).identifiers
        unread = any(
            link.url not in names
            and names.isdisjoint(map(str, link.carried.identifiers))
            and (link.carried.identifiers or (link.kind == "paper" and link.word != "code"))
            for link in named
        )
        if unread or not names.issuperset(map(str, stated)):
            kind, reason = _UNREAD_PAPER
        elif number in mentioned or not text.strip():
            continue
        elif number in maybe:
            kind, reason = _POSSIBLE
        elif document.form is not None and block is not None:
            kind, reason = _NO_RECORD
        elif (papers := [link for link in named if link.kind in PAPER_KINDS]) and all(
            link.url in names for link in papers
        ):
            kind, reason = _OF_ENTRY
        else:
            is_in_run = block is not None and block.run in runs
            kind, reason = _kind_of(text, block, is_in_run=is_in_run, names_papers=names_papers)
        found.append(SkippedLine(line=number, kind=kind, reason=reason))
    return tuple(found)


def lines_of(mention: Mention) -> range:
    """Returns the lines of the list that are the mention's."""
    return range(mention.last_line - mention.text.count("\n"), mention.last_line + 1)


def _names(verdicts: Sequence[MentionVerdict], mentions: Sequence[Mention]) -> set[str]:
    """Returns what mentions have of papers: identifiers, addresses, and what is told to be wrong with an entry."""
    names = {str(identifier) for mention in mentions for identifier in mention.identifiers}
    names |= {finding.value for mention in mentions for finding in mention.findings if finding.value}
    for verdict in verdicts:
        draft = verdict.draft
        for link in (*draft.paper_links, *(link for link in draft.all_links if link.word == "notes")):
            names.add(link.url)
            names.update(map(str, link.carried.identifiers))
    return names


def _lines_of_block(block: Block) -> range:
    return range(block.first_line, block.last_line + 1)


def _reads_like_reference(text: str) -> bool:
    if has_pages(text) or _OF_REFERENCE.search(text):
        return True
    if year_in(text) is None:
        return False
    return bool(LONG_QUOTE.search(text)) or " // " in text or _has_day_among_parts(text) or _begins_with_people(text)


def _begins_with_people(text: str) -> bool:
    """Returns whether a line with a year in it begins with people, as references do."""
    if year_in(text) is None:
        return False
    start = _BEFORE_PEOPLE.match(text, skip_marks(text, 0))
    people = read_authors(text, start.end() if start else 0)
    dated = people is not None and _YEAR_NEXT.match(text, people.end) is not None
    return people is not None and (people.sure or (dated and name_odds(people.names[0].split()) > 0))


def _has_day_among_parts(text: str) -> bool:
    """Returns whether a year or a day stands by itself between commas or tabs, as in a citation."""
    parts = _PARTS.split(text)
    found = (imprint_of(part.strip(" .;*_")) for part in parts) if len(parts) >= _FEWEST_PARTS else ()
    return any(imprint is not None and imprint.venue is None and imprint.year is not None for imprint in found)


def _kind_of(text: str, block: Block | None, *, is_in_run: bool, names_papers: bool) -> tuple[LineKind, str]:
    """Returns what the line `text` of a block is and why; in a list that `names_papers` a title may be an entry."""
    words = _WORD.findall(text)
    if block is None or not words:
        return _REFERENCE if words and _reads_like_reference(text) else ("structure", "markup")
    links = links_of(Rich(text, (), 0))
    if any(not link.url for link in links):
        return _EMPTY_LINK
    if block.kind == "heading":
        return "structure", "a heading"
    kind = (links[0].kind or "page") if links else None
    is_short = len(words) <= _LONGEST_ENTRY
    title = clean_title(links[0].label if links and links[0].label else text)
    names_papers = names_papers and len(title.split()) >= _FEWEST_WORDS
    is_like_others = is_in_run or (names_papers and title_odds(title) >= LIKELY)
    is_title = bool(links) and _QUOTED_LINK.search(text) is not None
    if kind not in _OTHER_KINDS and len(words) <= _LONGEST_REFERENCE:
        reads_like = _reads_like_reference if is_short else _begins_with_people
        if (is_short and (is_like_others or is_title)) or reads_like(text):
            return _ENTRY_LIKE if is_like_others else _REFERENCE
    if kind is not None:
        return "resource", f"a link to {_NAMES_OF_KINDS.get(kind, kind)}"
    return "prose", "text below an entry or beside it" if block.depth > 1 else "text"
