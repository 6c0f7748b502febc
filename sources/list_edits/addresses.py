"""The addresses of a list's text: where each stands, and what its present form is. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import unescape
from typing import Literal
from urllib.parse import unquote

from markdown_it.common.utils import unescapeAll

from sources.reading_list.links.identifiers import split_address

Place = Literal["link", "image", "html", "bare"]
"""link: behind the words of a Markdown link. image: of an image. html: in `href` or `src`. bare: in the text."""

_MARKDOWN = re.compile(
    r"(!?)\[((?:[^\[\]\\]|\\.|!?\[[^\[\]\n]{0,300}\]){0,600})\]"
    r"\([ \t]*(<[^<>\n]*>|(?:[^()\s<>]|\([^()\s]{0,200}\))*)(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'))?[ \t]*\)"
)
_HTML = re.compile(r"\b(href|src)\s*=\s*(?:\"([^\"\n]*)\"|'([^'\n]*)')", re.IGNORECASE)
_BARE = re.compile(
    r"(?<![\w./@-])(?:https?://|dx\.doi\.org/|doi\.org/|arxiv\.org/)[^\s<>\"`{}|\\^\[\]，。；、（）]+", re.I
)
_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
_TRAILING = ".,;:!?'\"*_~…"


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressSpan:
    """An address in a text. Positions count from the start of the text.

    Attributes:
        start: Where the address begins; that of an empty link is as long as nothing.
        end: Behind its last character.
        url: The address that is meant, its escapes and references resolved.
        place: What it stands in.
        outer_start: Where the link begins, with its words and brackets.
        outer_end: Behind the link.
        label: The words of the link as written, "" of a bare address.
    """

    start: int
    end: int
    url: str
    place: Place
    outer_start: int
    outer_end: int
    label: str = ""


def addresses_in(text: str) -> list[AddressSpan]:
    """Returns the addresses of `text` in order, without those in code and those inside the words of a link."""
    masked = _CODE.sub(lambda match: " " * len(match[0]), text)
    found = [_markdown(match) for match in _MARKDOWN.finditer(masked)]
    free = with_blanks(masked, ((span.outer_start, span.outer_end) for span in found), " ")
    html = [_html(match) for match in _HTML.finditer(free)]
    free = with_blanks(free, ((span.outer_start, span.outer_end) for span in html), " ")
    bare = [span for match in _BARE.finditer(free) if (span := _bare(match))]
    return sorted([*found, *html, *bare], key=lambda span: span.start)


def with_blanks(text: str, stretches: Iterable[tuple[int, int]], blank: str) -> str:
    """Returns `text` with a sign in the place of each that stands in `stretches`, which are in order."""
    parts, position = [], 0
    for start, end in stretches:
        parts += [text[position:start], blank * (end - start)]
        position = end
    return "".join([*parts, text[position:]])


def _markdown(match: re.Match[str]) -> AddressSpan:
    start, end = match.span(3)
    if match[3].startswith("<"):
        start, end = start + 1, end - 1
    return AddressSpan(
        start=start,
        end=end,
        url=unescapeAll(match.string[start:end]),
        place="image" if match[1] else "link",
        outer_start=match.start(),
        outer_end=match.end(),
        label=match[2],
    )


def _html(match: re.Match[str]) -> AddressSpan:
    group = 2 if match[2] is not None else 3
    return AddressSpan(
        start=match.start(group),
        end=match.end(group),
        url=unescape(match[group]),
        place="html",
        outer_start=match.start(),
        outer_end=match.end(),
    )


def _bare(match: re.Match[str]) -> AddressSpan | None:
    url = match[0]
    while url and (url[-1] in _TRAILING or (url[-1] == ")" and url.count(")") > url.count("("))):
        url = url[:-1]
    end = match.start() + len(url)
    if "/" not in url:
        return None
    return AddressSpan(
        start=match.start(), end=end, url=unescapeAll(url), place="bare", outer_start=match.start(), outer_end=end
    )


_HTTPS_HOSTS = frozenset(
    """
    aaai.org aclanthology.org aclweb.org api.semanticscholar.org arxiv.org biorxiv.org cambridge.org dblp.org dl.acm.org
    doi.org drops.dagstuhl.de en.wikipedia.org eprint.iacr.org export.arxiv.org frontiersin.org github.com
    ieeexplore.ieee.org ijcai.org jmlr.org jstor.org link.springer.com mdpi.com medrxiv.org nature.com
    ncbi.nlm.nih.gov onlinelibrary.wiley.com openaccess.thecvf.com openreview.net papers.nips.cc papers.ssrn.com
    pnas.org proceedings.mlr.press proceedings.neurips.cc pubmed.ncbi.nlm.nih.gov researchgate.net science.org
    sciencedirect.com semanticscholar.org tandfonline.com usenix.org youtu.be youtube.com zenodo.org
    """.split()
)
"""Hosts of which it is known that they serve under https all that they serve under http."""
_HTTP = re.compile(r"http(?=://)", re.IGNORECASE)
_DX_DOI = re.compile(r"(?:https?://)?(?:www\.)?dx\.doi\.org/", re.IGNORECASE)


def serves_https(host: str) -> bool:
    """Returns whether `host`, in lower case and without `www.`, is known to serve its pages under https too."""
    return host in _HTTPS_HOSTS


def with_https(url: str) -> str | None:
    """Returns an address of a host that serves https with that in the place of http; None of any other address."""
    address = split_address(url)
    if address.scheme != "http" or not serves_https(address.host) or _has_port(url):
        return None
    return _HTTP.sub("https", url, count=1)


def _has_port(url: str) -> bool:
    return re.match(r"\w+://[^/]*[@:]", url) is not None


def with_present_resolver(url: str) -> str | None:
    """Returns an address of dx.doi.org as doi.org's own, which took its place; None of any other.

    https://www.doi.org/the-identifier/resources/handbook/ says that both lead to the same place.
    """
    match = _DX_DOI.match(url)
    rest = url[match.end() :] if match else ""
    return f"https://doi.org/{rest}" if unquote(rest).startswith("10.") else None
