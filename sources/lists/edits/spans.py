"""Finds the fields and addresses of a mention in its list's text. Pure.

A mention tells what its entry says, not where. Here each field is found again inside the entry's lines; one that is
there twice, or not in one piece, has no place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from html import unescape
from typing import Literal, NamedTuple
from urllib.parse import unquote

from markdown_it.common.utils import unescapeAll

from sources.lists.checks.list_text import ListText
from sources.lists.edits.writing import address_for
from sources.lists.reading.addresses import split_address
from sources.records import Mention

Stretch = tuple[int, int]  # where something begins and ends, as offsets into the list's text
# link: behind the words of a Markdown link. image: of an image. html: in `href` or `src`. bare: in the text.
Place = Literal["link", "image", "html", "bare"]

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
    """An address in a text. Positions count from the start of the text."""

    start: int  # where the address begins; that of an empty link is as long as nothing
    end: int  # behind its last character
    url: str  # the address that is meant, its escapes and references resolved
    place: Place  # what it is in
    outer_start: int  # where the link begins, with its words and brackets
    outer_end: int  # behind the link
    label: str = ""  # the words of the link as written, "" of a bare address

    def written(self, address: str) -> str:
        """Returns another address as written in this place.

        Raises:
            UsageError: It is no address of the web and no DOI.
        """
        return address_for("html" if self.place == "html" else "markdown", address)


def addresses_in(text: str) -> list[AddressSpan]:
    """Returns the addresses of `text` in order, without those in code and those inside the words of a link."""
    masked = _CODE.sub(lambda match: " " * len(match[0]), text)
    found = []
    for match in _MARKDOWN.finditer(masked):
        start, end = match.span(3)
        if match[3].startswith("<"):
            start, end = start + 1, end - 1
        url = unescapeAll(masked[start:end])
        found.append(span_of(match, (start, end), url, "image" if match[1] else "link", match[2]))
    free = _blanked(masked, [(span.outer_start, span.outer_end) for span in found], " ")
    html = []
    for match in _HTML.finditer(free):
        group = 2 if match[2] is not None else 3
        html.append(span_of(match, match.span(group), unescape(match[group]), "html"))
    for match in _BARE.finditer(_blanked(free, [(span.outer_start, span.outer_end) for span in html], " ")):
        url = match[0]
        while url and (url[-1] in _TRAILING or (url[-1] == ")" and url.count(")") > url.count("("))):
            url = url[:-1]
        if "/" in url:
            span = span_of(match, (match.start(), match.start() + len(url)), unescapeAll(url), "bare")
            found.append(replace(span, outer_end=span.end))
    return sorted([*found, *html], key=lambda span: span.start)


def span_of(match: re.Match[str], stretch: Stretch, url: str, place: Place, label: str = "") -> AddressSpan:
    """Returns the address that is in a part of a match, which is all of the link."""
    (start, end), (outer_start, outer_end) = stretch, match.span()
    return AddressSpan(
        start=start, end=end, url=url, place=place, outer_start=outer_start, outer_end=outer_end, label=label
    )


def _blanked(text: str, stretches: Iterable[tuple[int, int]], blank: str) -> str:
    """Returns `text` with a sign in the place of each that is in `stretches`, which are in order."""
    parts, position = [], 0
    for start, end in stretches:
        parts += [text[position:start], blank * (end - start)]
        position = end
    return "".join([*parts, text[position:]])


# Hosts of which it is known that they serve under https all that they serve under http.
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
_HTTP = re.compile(r"http(?=://)", re.IGNORECASE)
_DX_DOI = re.compile(r"(?:https?://)?(?:www\.)?dx\.doi\.org/", re.IGNORECASE)


def with_https(url: str) -> str | None:
    """Returns an address of a host that serves https with that in the place of http; None of any other address."""
    address = split_address(url)
    has_port = re.match(r"\w+://[^/]*[@:]", url) is not None
    if address.scheme != "http" or address.host not in _HTTPS_HOSTS or has_port:
        return None
    return _HTTP.sub("https", url, count=1)


def with_present_resolver(url: str) -> str | None:
    """Returns an address of dx.doi.org as doi.org's own, which took its place; None of any other.

    https://www.doi.org/the-identifier/resources/handbook/ says that both lead to the same place.
    """
    match = _DX_DOI.match(url)
    rest = url[match.end() :] if match else ""
    return f"https://doi.org/{rest}" if unquote(rest).startswith("10.") else None


_EMPHASIS = r"[*_`~\\]*"
# What may be between two words of a field: blanks, the end of a line with the marks of a quote, emphasis.
_GAP = rf"{_EMPHASIS}(?:\s|&nbsp;|<br ?/?>)[\s>]*{_EMPHASIS}"
_RUN = re.compile(r"[^\W_]+")
_SHORT_YEAR = re.compile(r"[ ]?['’-]?[ ]?(\d\d)(?![\d.:-])")
_TAG = re.compile(r"<[a-z][^<>]*>", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_NO_FIELD = "\0"  # a sign that no field holds

# Mentions in the same lines whose fields are looked for: that takes reading the lines for each of them.
MOST_SHARING = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldSpans:
    """Where a mention and its fields are, as offsets into the list's text; None where that is not certain."""

    entry: Stretch  # the entry's lines, without the last one's end
    title: Stretch | None = None  # the title's words, mark-up between them included
    authors: tuple[Stretch, ...] = ()  # the place of each author, in order; empty unless all were found
    years: tuple[Stretch, ...] = ()  # the year's digits, wherever it is
    venue: Stretch | None = None
    name: Stretch | None = None  # the system's name beside the title
    addresses: tuple[AddressSpan, ...] = ()  # every address in the entry's lines
    paper_address: AddressSpan | None = None  # that of the mention's own link


def name_in(title: str | None) -> str | None:
    """Returns the name of a system with which a title begins; None of other titles."""
    name, colon, _ = (title or "").partition(":")
    return name if colon and " " not in name else None


def first_line_of(mention: Mention) -> int:
    """Returns the 1-based line on which a mention's entry begins, which may be above its title."""
    return max(mention.last_line - mention.text.count("\n"), 1)


def lines_of(mention: Mention) -> range:
    """Returns the 1-based lines of a mention's entry."""
    return range(first_line_of(mention), mention.last_line + 1)


class _Lines(NamedTuple):
    """The lines of an entry, which other mentions may share; `by_url` has what may be a mention's own link."""

    addresses: tuple[AddressSpan, ...]
    by_url: Mapping[str, Sequence[AddressSpan]]
    masked: str  # without addresses and comments


@lru_cache(maxsize=1)
def _lines_at(text: str, start: int, end: int) -> _Lines:
    """Returns the lines from `start` to `end`, read once for the mentions in them, which follow each other."""
    found = addresses_in(text[start:end])
    masked = _blanked(text[start:end], [(span.start, span.end) for span in found], _NO_FIELD)
    masked = _blanked(masked, [match.span() for match in _COMMENT.finditer(masked)], _NO_FIELD)
    by_url: dict[str, list[AddressSpan]] = {}
    addresses = []
    for span in found:
        places = (span.start, span.end, span.outer_start, span.outer_end)
        first, last, outer_first, outer_last = (place + start for place in places)
        moved = replace(span, start=first, end=last, outer_start=outer_first, outer_end=outer_last)
        addresses.append(moved)
        if span.place != "image":
            by_url.setdefault(span.url.strip(), []).append(moved)
    return _Lines(tuple(addresses), by_url, masked)


def spans_of(source: ListText, mention: Mention, *, sharing: int = 1) -> FieldSpans:
    """Returns where `mention`, read from the text of `source`, and its fields are.

    `sharing` is how many mentions have the same lines; where that is more than `MOST_SHARING`, no field is looked for.
    """
    start, end = source.stretch(first_line_of(mention), mention.last_line)
    addresses, by_url, masked = _lines_at(source.text, start, end)
    own = by_url.get(mention.url, ()) if mention.url else ()
    paper_address = own[0] if len(own) == 1 else None
    if sharing > MOST_SHARING:
        return FieldSpans(entry=(start, end), addresses=addresses, paper_address=paper_address)
    title = _only_place(masked, mention.title)
    rest = _blanked(masked, [title] if title else [], _NO_FIELD)
    venue = _only_place(rest, mention.venue)
    years = []
    if mention.year is not None:
        years = [match.span() for match in _pattern(str(mention.year)).finditer(rest)]
        short = _SHORT_YEAR.match(rest, venue[1]) if venue else None  # right behind the venue: ICLR'17
        if short is not None and int(short[1]) == mention.year % 100:
            years.append(short.span(1))
    untagged = _blanked(rest, [match.span() for match in _TAG.finditer(rest)], _NO_FIELD)
    places = (title, venue, _only_place(untagged, mention.name or name_in(mention.title)))
    title, venue, name = (place and (place[0] + start, place[1] + start) for place in places)
    return FieldSpans(
        entry=(start, end),
        title=title,
        authors=_moved(_people(rest, mention.authors), start),
        years=_moved(years, start),
        venue=venue,
        name=name,
        addresses=addresses,
        paper_address=paper_address,
    )


def _moved(places: Iterable[Stretch], by: int) -> tuple[Stretch, ...]:
    return tuple((start + by, end + by) for start, end in places)


def _only_place(text: str, field: str | None) -> Stretch | None:
    """Returns where the words of `field` are in `text`; None where that is nowhere, or in several places."""
    if not field:
        return None
    if place := _place_as_is(text, field):
        return place
    pattern = _pattern(field)
    first = pattern.search(text)
    if first is None or pattern.search(text, first.start() + 1):
        return None
    return first.span()


def _place_as_is(text: str, field: str, position: int = 0) -> Stretch | None:
    """Returns where `field` is sign by sign, if it is plain that it is nowhere else; else None, for a pattern.

    This saves most of the patterns, of which one for each title is slow to make.
    """
    at = text.find(field, position)
    end = at + len(field)
    if at < 0 or not (field[0].isalnum() and field[-1].isalnum()) or field.isdecimal():
        return None
    if text[at - 1 : at].isalnum() or text[end : end + 1].isalnum():
        return None
    rarest = max(_RUN.findall(field), key=len)
    return (at, end) if text.count(rarest, position) == field.count(rarest) else None


def _pattern(field: str) -> re.Pattern[str]:
    # Before the marks of Markdown in a word, a backslash may be.
    words = [
        "".join(re.escape(sign) if sign.isalnum() else rf"\\?{re.escape(sign)}" for sign in word)
        for word in field.split()
    ]
    before = r"(?<![^\W_])" if field[0].isalnum() else ""
    after = r"(?![^\W\d_])" if field[-1].isupper() else r"(?![^\W_])" if field[-1].isalnum() else ""
    if field.isdecimal():
        before, after = r"(?<!\d)", r"(?!\d|_[^\W_])"  # no part of a file's name
    return re.compile(before + _GAP.join(words) + after)


def _people(text: str, authors: Sequence[str]) -> list[Stretch]:
    """Returns where each of `authors` is, in order and with little between them; [] unless all were found."""
    places: list[Stretch] = []
    position = 0
    for name in authors:
        place = _place_as_is(text, name, position)
        if place is None:
            match = _pattern(name).search(text, position)
            place = match.span() if match else None
        if place is None or (places and place[0] - position > 12):
            return []
        places.append(place)
        position = place[1]
    return places
