"""Entry -> drafts: what each paper of an entry is called and what stands beside it, before anything is judged."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import unquote

from sources.reading_list.citation import read_citation
from sources.reading_list.entries import Entry, entries_of
from sources.reading_list.labels import OTHER_FIELD, word_of
from sources.reading_list.lead import read_lead
from sources.reading_list.parts import GAP, Citation
from sources.reading_list.people import is_organisation, only_authors
from sources.reading_list.rich import Mark, Rich
from sources.reading_list.spans import Link
from sources.reading_list.tail import read_tail
from sources.reading_list.titles import clean_title, is_foreign_prose, likeness
from sources.reading_list.venues import imprint_of
from sources.reading_list.words import FUNCTION_WORDS

PAPER_KINDS = ("paper", "pdf")
_MOST_LINKS = 40
_CALLED = re.compile(r"(?:^|[\s.,;(，。；|\x1d])([^.,;()，。；|\x1d]{3,40}?)\s?[:：,，]\s*$")
_FILE_REMARK = re.compile(r"(?:\s*[-(]\s*(?:(?:19|20)\d\d|[\w ]{1,20}\)))+\s*$")
_AFTER_LINK = re.compile(r"\s*(?:[:：]|[-–—]\s|=>|->|→)")


@dataclass(slots=True)
class Draft:
    """A paper that an entry may mention.

    Attributes:
        citation: What the words tell.
        title_link: The link on the title's own words.
        links: The other links of the entry that belong to it.
        line: 1-based line of the title or, lacking one, of the first link.
        last_line: 1-based last line.
        like: How much the title reads like one.
        struck: Whether the title is struck out.
        block: Index of the block.
        order: Number of the draft within its block.
        identified: Text identifiers found outside links.
    """

    citation: Citation
    title_link: Link | None = None
    links: list[Link] = field(default_factory=list)
    line: int = 0
    last_line: int = 0
    like: float = -5.0
    struck: bool = False
    block: int = 0
    order: int = 0
    span: tuple[int, int] = (0, 0)
    text: str = ""

    @property
    def title(self) -> str | None:
        """Returns the title as read, None where the entry gives only links."""
        return self.citation.title

    @property
    def all_links(self) -> list[Link]:
        """Returns the links of the draft, that on its title first."""
        return [self.title_link, *self.links] if self.title_link else self.links

    @property
    def paper_links(self) -> list[Link]:
        """Returns the links that lead to a paper or to a file that may be one."""
        return [link for link in self.all_links if is_paper_link(link)]


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


def drafts_of(rich: Rich, *, item: bool) -> list[Draft]:
    """Returns the drafts of one block's text, in order."""
    drafts: list[Draft] = []
    if not rich.marks and len(rich.text) > 80 and "://" not in rich.text and is_foreign_prose(rich.text):
        return drafts
    for entry in entries_of(rich, item=item):
        for group in _groups(entry):
            draft = _draft(entry, group)
            draft.order = len(drafts)
            drafts.append(draft)
    return drafts


_Group = tuple[int, int, Link | None, list[Link]]


def _groups(entry: Entry) -> list[_Group]:
    """Returns the stretches of an entry that are about one paper each, with their links."""
    groups: list[_Group] = []
    if not entry.links:
        return [(0, len(entry.text), None, [])]
    group_start, previous = 0, 0
    title_link: Link | None = None
    members: list[Link] = []
    for written in entry.links:
        link = _called(written, entry.text[previous : written.start])
        between = clean_title(entry.text[previous : link.start])
        own = link.own and _takes_title(entry, link, group_start, title_link)
        listed = likeness(between) >= 1.5 and entry.text[previous : link.start].rstrip().endswith((";", "；"))
        opens = (own and (title_link is not None or _has_paper(members) or listed)) or _starts_another(
            link, between, title_link, members
        )
        if (opens and (title_link or members or own)) or len(members) > _MOST_LINKS:
            groups.append((group_start, previous if not own else link.outer_start, title_link, members))
            group_start, title_link, members = (previous if not own else link.outer_start), None, []
        if own and title_link is None:
            title_link = link
        else:
            members.append(link)
        previous = link.outer_end
    groups.append((group_start, len(entry.text), title_link, members))
    return groups


def _called(link: Link, before: str) -> Link:
    """Returns `link` as the words right before it call it: "slides: https://..."."""
    match = _CALLED.search(before[-60:])
    if match is None or not (link.own or link.bare):
        return link
    word = word_of(match[1])
    if word == "other":
        word = word_of(match[1].split()[0])
    return link._replace(word=word, own=False) if word not in ("other", "paper") else link


def _takes_title(entry: Entry, link: Link, start: int, title_link: Link | None) -> bool:
    """Returns whether the words of `link` are the title of a paper, given what the entry said before."""
    before = clean_title(entry.text[start : link.start])
    if title_link is not None:
        return (
            link.kind in PAPER_KINDS
            and not _is_adjunct(link)
            and link.label != title_link.label
            and title_link.kind in (*PAPER_KINDS, None)
        )
    citation = read_citation(entry.text[: link.start], entry.marks, start) if len(before.split()) > 2 else None
    titled = citation is not None and citation.title is not None and not (citation.authors and len(citation.title) < 4)
    strong = titled and citation is not None and citation.title is not None and likeness(citation.title) >= 1.5
    if _is_adjunct(link):
        return not strong or entry.text[link.end : link.end + 3].lstrip(" " + GAP)[:1].islower()
    if link.kind in PAPER_KINDS or link.kind is None:
        return not (
            strong
            and citation is not None
            and (citation.how in ("bold", "quoted") or likeness(link.label) < 0)
            and likeness(link.label) < 2.0
        )
    return not strong


def _is_adjunct(link: Link) -> bool:
    label = link.label.strip("()[] ")
    named = imprint_of(label) is not None and likeness(label) < 0.8
    return named or bool(only_authors(label)) or is_organisation(label)


def _starts_another(link: Link, between: str, title_link: Link | None, members: list[Link]) -> bool:
    """Returns whether a resource `link` belongs to a further paper that `between` names, or is one by itself."""
    if not is_paper_link(link) or not (
        _has_paper(members) or (title_link is not None and title_link.kind in PAPER_KINDS)
    ):
        return False
    if len(between.split()) >= 4 and likeness(between) >= 2:
        return True
    ids = {
        identifier for member in members for identifier in member.carried.identifiers if identifier.scheme == "arxiv"
    }
    mine = {identifier for identifier in link.carried.identifiers if identifier.scheme == "arxiv"}
    return bool(link.bare and ids and mine and not ids & mine)


def _has_paper(links: list[Link]) -> bool:
    return any(is_paper_link(link) for link in links)


def _draft(entry: Entry, group: _Group) -> Draft:
    start, end, title_link, links = group
    text, marks = entry.text[:end], entry.marks
    if title_link is not None:
        citation = _linked(text, marks, start, title_link)
    else:
        citation = _field(text[start:end], marks) or read_citation(text, marks, start)
        if not links and not citation.authors and (names := only_authors(text[start:end])):
            citation.title, citation.authors = None, names
        if citation.title is not None and not _stands(text, citation, links):
            citation.title = None
        if citation.title is None and (file := _named_file(links)):
            citation.title, citation.start, citation.how = file, links[0].start, "file"
        title_link = _around(citation, links)
        links = [link for link in links if link is not title_link]
    _from_brackets(entry, start, end, citation)
    at = citation.start if citation.title is not None else (links[0].start if links else start)
    at = title_link.start if title_link is not None else at
    return Draft(
        citation=citation,
        title_link=title_link,
        links=links,
        line=entry.line_at(at),
        last_line=entry.line_at(max(start, end - 1)),
        like=likeness(citation.title) if citation.title else -5.0,
        struck=any(mark.kind == "struck" and mark.start <= at < mark.end for mark in marks),
        span=(start, end),
        text=entry.raw[start:end],
    )


def _field(text: str, marks: tuple[Mark, ...]) -> Citation | None:
    """Returns what a line such as "Authors: ..." tells about the paper above it; None where it is no such line."""
    ahead = text[:40]
    if not (":" in ahead or "：" in ahead) or not OTHER_FIELD.match(text):
        return None
    citation = Citation()
    read_tail(text, marks, 0, citation, limit=4)
    return citation


def _named_file(links: list[Link]) -> str | None:
    """Returns the title that the name of a file tells, for an address that stands alone; None where it tells none."""
    papers = [link for link in links if is_paper_link(link)]
    if not papers or not papers[0].bare or papers[0].kind != "pdf":
        return None
    name = clean_title(unquote(papers[0].url.rsplit("/", 1)[-1]).replace("+", " "))
    name = clean_title(_FILE_REMARK.sub("", name))
    return name if len(name.split()) >= 4 and likeness(name) >= 2.0 else None


def _around(citation: Citation, links: list[Link]) -> Link | None:
    """Returns the link that the title found in the text stands on, None where it stands beside the links."""
    if citation.title is None:
        return None
    return next((link for link in links if link.own and link.start <= citation.start < link.end), None)


def _stands(text: str, citation: Citation, links: list[Link]) -> bool:
    """Returns whether words beside links are the paper's name: not an organisation, nor a remark behind an address."""
    title = citation.title or ""
    if (
        is_organisation(title)
        or (links and word_of(title) != "other")
        or not any(character.isalpha() for character in title)
    ):
        return False
    if links and all(word.lower() in FUNCTION_WORDS or (word.islower() and len(title) < 12) for word in title.split()):
        return False
    papers = [link for link in links if is_paper_link(link)]
    if papers and citation.how == "text" and likeness(title) < 1.6:
        between = clean_title(text[citation.end : papers[0].start])
        if len(between.split()) > 3 and not citation.authors and not citation.venue:
            return False
    if papers and citation.start > papers[0].start and papers[0].bare:
        return likeness(title) >= 1.5
    if papers and citation.start > papers[0].start and not imprint_of(papers[0].label):
        return likeness(title) >= 0.5 or citation.how in ("bold", "quoted")
    return True


def _linked(text: str, marks: tuple[Mark, ...], start: int, link: Link) -> Citation:
    """Returns the citation whose title is the words of `link`."""
    outer = Citation()
    if start < link.start:
        position = read_lead(text[: link.start], marks, start, outer)
        rest = text[position : link.start].strip(" \t\n:：*_,.-–—|(\x1d")
        if (
            rest
            and outer.name is None
            and len(rest.split()) <= 5
            and text[: link.start].rstrip(" *_\x1d").endswith((":", "：", "–", "—", " -"))
        ):
            outer.name = rest
        elif rest and not outer.authors:
            outer.authors = only_authors(rest)
    inner = read_citation(text[: link.end], marks, link.start)
    inner.how = "link"
    if inner.title is None:
        inner.title = clean_title(link.label.replace("\x1d", " ")) or None
    inner.start, inner.end = link.start, link.end
    inner.name = inner.name or outer.name
    inner.authors = inner.authors or outer.authors
    inner.year = inner.year if inner.year is not None else outer.year
    inner.label = outer.label
    after = _AFTER_LINK.match(text, link.outer_end)
    if after is None or after[0].strip() in ("-", "–", "—"):
        read_tail(text, marks, link.outer_end, inner, limit=8)
    return inner


def _from_brackets(entry: Entry, start: int, end: int, citation: Citation) -> None:
    """Takes venue, year and authors from the brackets of the stretch, nearest behind the title first."""
    inside = [bracket for bracket in entry.brackets if start <= bracket.start < end]
    inside.sort(key=lambda bracket: (bracket.start < citation.start, bracket.start))
    for bracket in inside:
        if bracket.start > citation.end + 160:
            continue
        if bracket.is_name and citation.name is None:
            citation.name = bracket.text
        if bracket.imprint is not None:
            citation.year = citation.year if citation.year is not None else bracket.imprint.year
            citation.venue = citation.venue or bracket.imprint.venue
        citation.authors = citation.authors or bracket.authors
    for link in entry.links:
        if start <= link.start < end and word_of(link.label) == "other" and (imprint := imprint_of(link.label)):
            citation.year = citation.year if citation.year is not None else imprint.year
            citation.venue = citation.venue or imprint.venue
