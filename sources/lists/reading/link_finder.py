"""Finds the links of a text, and those copied from another entry."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from sources.bibliography.identifiers import Identifier, Scheme
from sources.bibliography.years import DATE
from sources.lists.reading.author_lists import author_year
from sources.lists.reading.carried_identifiers import Carried, Stated, carried_by, split_address, stated_identifiers
from sources.lists.reading.citation_parts import odds_of_parts
from sources.lists.reading.imprints import imprint_of
from sources.lists.reading.link_kinds import Kind, Word, kind_of, says_only_link, word_of
from sources.lists.reading.marked_text import Rich
from sources.lists.reading.title_model import FUNCTION_WORDS, UNLIKELY
from sources.records import Finding, Mention


class Link(NamedTuple):
    """A link in a text: where its words stand, the words, the address and what is known about both.

    `start:end` covers the words only; `outer_start:outer_end` also the brackets that belong to a sloppy link.
    `kind` is None for a link to nothing, `[Title]()`. `bare` is an address that stands in the text itself.
    `own` says that the words are the entry's own, not the name of a resource.
    """

    start: int
    end: int
    outer_start: int
    outer_end: int
    label: str
    url: str
    kind: Kind | None
    word: Word
    bare: bool
    own: bool
    carried: Carried


_SLOPPY = re.compile(
    r"\[([^\[\]\n]{1,300})(?:\][ ]?\(\s*((?:[^()\n]|\([^()\n]{0,200}\)){0,500}?)\)|"
    r"\]\s?(https?://[^\s\]]+)(?=\])|\]\(\s?(https?://[^\s)]+)(?=\s|$))"
)
# A sign of an address in a text, or angle brackets between numbers, as old DOIs have them.
_ADDRESS_SIGN = r"[^\s<>\"`{}|\\^，。；、（）【】「」《》]|(?<=\d)<[\w:.-]{1,40}>(?=\d)"
_URL = re.compile(
    rf"(?:https?|ftp)://(?:{_ADDRESS_SIGN})+|"
    r"(?<![\w./@-])(?:www\.[\w-]+\.|arxiv\.org/|doi\.org/|dx\.doi\.org/|openreview\.net/|github\.com/|"
    r"aclanthology\.org/|huggingface\.co/)"
    rf"(?:{_ADDRESS_SIGN})+",
    re.IGNORECASE,
)
_ADDRESS_SIGNS = ("://", "www.", ".org/", ".net/", ".com/", ".co/")
_LABEL_EDGES = " \t\n*_"
_NOTE_WORD = re.compile(r"\b(?:notes?|summary|review)\b|笔记|筆記|ノート|メモ", re.IGNORECASE)
_RESOURCE_WORD = re.compile(r"\b(?:paper|pdf|version|link|extended|journal|conference)\b", re.IGNORECASE)
# An identifier as the words of a link, which name no title.
_IDENTIFIER = re.compile(
    r"[\[(]?(?:arxiv:?\s?|doi:?\s?)?(?:\d{4}\.\d{4,5}(?:v\d+)?|[a-z-]{4,10}(?:\.[a-z]{2})?/\d{7}(?:v\d+)?|10\.\d{4,9}/\S+)[\])]?",
    re.IGNORECASE,
)

# One or two words in brackets: what a program is written in, "[PyTorch-Lightning]".
_BRACKETED = re.compile(r"[(\[]\s*[^\s()\[\]]+(?:\s[^\s()\[\]]+)?\s*[)\]]")

_SHORTCODE = re.compile(r":[a-z][a-z0-9_+-]{1,30}:")
_TRAILING = ".,;:!?'\"*_~-…"
_PAIRS = {")": "(", "]": "["}


def links_of(rich: Rich) -> list[Link]:
    """Returns the links of `rich` in order; images are none, but a link around an image is one."""
    text = rich.text
    found = [
        _link(text, (mark.start, mark.end), (mark.start, mark.end), mark.url)
        for mark in rich.marks
        if mark.kind == "link"
    ]
    if "[" in text:
        found = _merged(found, _sloppy(text))
    if any(map(text.__contains__, _ADDRESS_SIGNS)):
        found = _merged(found, _bare(text))
    stated = stated_identifiers(text)
    return _merged(found, [_link_of(text, item) for item in stated]) if stated else found


def identifiers_of(links: Iterable[Link], scheme: Scheme) -> set[Identifier]:
    """Returns the identifiers of one scheme that the links carry."""
    return {identifier for link in links for identifier in link.carried.identifiers if identifier.scheme == scheme}


def _link_of(text: str, stated: Stated) -> Link:
    """Returns an identifier in the text as a link to its paper, without an address."""
    start, end, identifier = stated
    label, carried = text[start:end], Carried((identifier,))
    return Link(start, end, start, end, label, "", "paper", "paper", bare=False, own=False, carried=carried)


def _merged(first: list[Link], second: list[Link]) -> list[Link]:
    """Returns both in order, without those of `second` that touch one of `first`."""
    starts = [link.outer_start for link in first]
    free = []
    for link in second:
        at = bisect_right(starts, link.outer_start)
        before_ends = at == 0 or first[at - 1].outer_end <= link.outer_start
        if before_ends and (at == len(first) or link.outer_end <= first[at].outer_start):
            free.append(link)
    return sorted([*first, *free], key=lambda link: (link.start, link.end)) if free else first


def _link(text: str, words: tuple[int, int], outer: tuple[int, int], url: str) -> Link:
    label = text[words[0] : words[1]].strip(_LABEL_EDGES)
    url = url.strip()
    address = split_address(url)
    bare = bool(label) and (label == url or (" " not in label and "/" in label and split_address(label).is_web))
    kind = kind_of(address) if url and url != "#" else None
    word: Word = "paper" if bare else word_of(label)
    if word == "paper" and kind == "note" and url.startswith("#"):
        word = "other"
    if word == "other" and kind == "note" and (label.endswith(".md") or _NOTE_WORD.search(label)):
        word = "notes"
    if word == "other" and kind in ("paper", "pdf", "page", None) and _cites(label):
        word = "paper"
    if word == "other" and "link" in label.lower() and says_only_link(label):
        word = "paper" if kind in ("paper", "pdf") else "page"
    if word == "other" and kind == "code" and _BRACKETED.fullmatch(label):
        word = "code"
    wordless = not any(map(str.isalnum, _SHORTCODE.sub("", label) if ":" in label else label))
    if wordless and kind == "note":
        word = "notes"
    own = word == "other" and not bare and not wordless and kind != "image"
    return Link(*words, *outer, label, url, kind, word, bare, own, carried_by(address))


def _is_imprint(label: str) -> bool:
    """Returns whether a label is venue and year: "CVPR 2020 paper", but not "GPT-4 Technical Report"."""
    return odds_of_parts(DATE.sub(" ", label)) < UNLIKELY and imprint_of(_RESOURCE_WORD.sub(" ", label)) is not None


def _cites(label: str) -> bool:
    """Returns whether the words of a link are an identifier, venue and year, or people and year, and no title."""
    return _IDENTIFIER.fullmatch(label) is not None or _is_imprint(label) or is_author_key(label)


def is_author_key(label: str) -> bool:
    """Returns whether a label cites by people and year: "Gray et al. (1975)". One name and a year may be a system's."""
    key = author_year(label)
    return key is not None and (len(key[0]) > 1 or " et al" in label)


def _sloppy(text: str) -> list[Link]:
    found = []
    for match in _SLOPPY.finditer(text):
        target = (match[2] or match[3] or match[4] or "").strip()
        if _looks_like_target(target) or (not target and match[0].endswith("()")):
            found.append(_link(text, match.span(1), match.span(), target))
    return found


def _looks_like_target(target: str) -> bool:
    return (
        split_address(target).is_web
        or target.startswith(("./", "../", "/", "#"))
        or ("/" in target and " " not in target)
    )


def _bare(text: str) -> list[Link]:
    found = []
    for match in _URL.finditer(text):
        url = _trimmed(match[0])
        stretch = (match.start(), match.start() + len(url))
        found.append(_link(text, stretch, stretch, url))
    return found


def _trimmed(url: str) -> str:
    """Returns `url` without the marks that follow it in a sentence; a bracket that the address opens stays."""
    opening = url.find("](")
    url = url[:opening] if opening > 0 else url
    while url and (url[-1] in _TRAILING or (url[-1] in _PAIRS and url.count(url[-1]) > url.count(_PAIRS[url[-1]]))):
        url = url[:-1]
    return url


_NEAR = 3  # how many mentions back an entry may have been copied from

_WORD = re.compile(r"[^\W_]+")


def without_copied_links(mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    """Returns the mentions; where a link repeats that of another title close above, its identifiers are withheld."""
    remaining: list[Mention] = []
    for mention in mentions:
        original = next((other for other in reversed(remaining[-_NEAR:]) if _is_copied(mention, other)), None)
        remaining.append(mention if original is None else _withheld(mention, original))
    return tuple(remaining)


def _is_copied(mention: Mention, other: Mention) -> bool:
    if mention.arxiv_id is None or mention.arxiv_id != other.arxiv_id or mention.section != other.section:
        return False
    mine, theirs = _words(mention), _words(other)
    if min(len(mine), len(theirs)) < 3 or (mention.name and mention.name == other.name):
        return False
    return 4 * len(mine & theirs) < min(len(mine), len(theirs))


def _words(mention: Mention) -> set[str]:
    words = _WORD.findall((mention.title or "").lower())
    return {word for word in words if word not in FUNCTION_WORDS}


def _withheld(mention: Mention, original: Mention) -> Mention:
    finding = Finding(
        code="link-repeated-under-another-title",
        message=f"Line {original.line} has the same link under another title; one of the two links is wrong.",
        value=mention.url,
    )
    own = tuple(identifier for identifier in mention.identifiers if identifier not in original.identifiers)
    return replace(
        mention,
        arxiv_id=None,
        arxiv_version=None,
        doi=next((identifier.value for identifier in own if identifier.scheme == "doi"), None),
        identifiers=own,
        findings=(*mention.findings, finding),
    )
