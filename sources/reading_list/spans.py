"""Rich text -> its links, each with what it leads to; links that CommonMark does not see are found here.

Found beside the proper ones: destinations with blanks, a blank before the bracket, brackets that do not balance,
addresses that merely stand in the text, with or without scheme.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from sources.reading_list.addresses import Address, Carried, carried_by, split_address
from sources.reading_list.links import Kind, Word, kind_of, word_of
from sources.reading_list.rich import Mark, Rich


class Link(NamedTuple):
    """A link in a text: where its words stand, the words, the address and what is known about both.

    `start:end` covers the words only; `outer_start:outer_end` also the brackets that belong to a sloppy link.
    `kind` is None for a link to nothing, `[Title]()`. `bare` is an address that stands in the text itself.
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
    carried: Carried


_SLOPPY = re.compile(r"\[([^\[\]\n]{1,300})\][ ]?\(\s*([^()\s][^()\n]{0,500}(?:\([^()\n]{0,200}\)[^()\n]{0,200})?)?\)?")
_URL = re.compile(
    r"(?:https?|ftp)://[^\s<>\"`{}|\\^，。；、（）【】「」《》]+|"
    r"(?<![\w./@-])(?:www\.[\w-]+\.|arxiv\.org/|doi\.org/|dx\.doi\.org/|openreview\.net/|github\.com/|aclanthology\.org/|huggingface\.co/)"
    r"[^\s<>\"`{}|\\^，。；、（）【】「」《》]+",
    re.IGNORECASE,
)
_TRAILING = ".,;:!?'\"*_~-…"
_PAIRS = {")": "(", "]": "["}


def links_of(rich: Rich) -> list[Link]:
    """Returns the links of `rich` in order; images are none, but a link around an image is one."""
    marks = [mark for mark in rich.marks if mark.kind == "link"]
    found = [_link(rich.text, mark.start, mark.end, mark.start, mark.end, mark.url) for mark in marks]
    text = rich.text
    if "[" in text and "(" in text:
        found += [link for link in _sloppy(text) if not _inside(link, marks)]
    if "://" in text or "www." in text or ".org/" in text or ".net/" in text or ".com/" in text or ".co/" in text:
        covered = [(link.outer_start, link.outer_end) for link in found]
        found += [link for link in _bare(text) if not any(a < link.end and link.start < b for a, b in covered)]
    found.sort(key=lambda link: (link.start, link.end))
    return found


def _link(text: str, start: int, end: int, outer_start: int, outer_end: int, url: str) -> Link:
    label = text[start:end].strip()
    url = url.strip()
    address = split_address(url)
    bare = bool(label) and (label == url or split_address(label).is_web and "/" in label)
    kind = kind_of(address) if url and url != "#" else None
    word = "paper" if bare else word_of(label)
    return Link(start, end, outer_start, outer_end, label, url, kind, word, bare, carried_by(address))


def _sloppy(text: str) -> list[Link]:
    found = []
    for match in _SLOPPY.finditer(text):
        target = match[2] or ""
        if target and not _looks_like_target(target):
            continue
        found.append(_link(text, match.start(1), match.end(1), match.start(), match.end(), target))
    return found


def _looks_like_target(target: str) -> bool:
    address: Address = split_address(target)
    return address.is_web or target.startswith(("./", "../", "/", "#")) or "/" in target and " " not in target


def _bare(text: str) -> list[Link]:
    found = []
    for match in _URL.finditer(text):
        url = _trimmed(match[0])
        start = match.start()
        found.append(_link(text, start, start + len(url), start, start + len(url), url))
    return found


def _trimmed(url: str) -> str:
    """Returns `url` without the marks that follow it in a sentence; a bracket that the address opens stays."""
    opening = url.find("](")
    url = url[:opening] if opening > 0 else url
    while url and (url[-1] in _TRAILING or url[-1] in _PAIRS and url.count(url[-1]) > url.count(_PAIRS[url[-1]])):
        url = url[:-1]
    return url


def _inside(link: Link, marks: list[Mark]) -> bool:
    return any(mark.start < link.outer_end and link.outer_start < mark.end for mark in marks)
