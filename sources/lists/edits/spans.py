"""Finds the fields and addresses of a mention in its list's text. Pure.

A mention tells what its entry says, not where. Here each field is found again inside the entry's lines; one that stands
there twice, or not in one piece, has no place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from typing import Literal, NamedTuple
from urllib.parse import unquote

from markdown_it.common.utils import unescapeAll

from sources.lists.checks.list_text import ListText
from sources.lists.reading.carried_identifiers import split_address
from sources.records import Mention

# The addresses of a list's text: where each stands, and what its present form is. Pure.


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


_EMPHASIS = r"[*_`~\\]*"
# What may stand between two words of a field: blanks, the end of a line with the marks of a quote, emphasis.
_GAP = rf"{_EMPHASIS}(?:\s|&nbsp;|<br ?/?>)[\s>]*{_EMPHASIS}"
_RUN = re.compile(r"[^\W_]+")
_SHORT_YEAR = re.compile(r"[ ]?['’]?(\d\d)(?![\d.:-])")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)

# Mentions in the same lines whose fields are looked for: that takes reading the lines for each of them.
MOST_SHARING = 50

Stretch = tuple[int, int]  # where something begins and ends, as offsets into the list's text


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldSpans:
    """Where a mention and its fields stand, as offsets into the list's text; None where that is not certain.

    Attributes:
        entry: The entry's lines, without the last one's end.
        title: The title's words, mark-up between them included.
        name: The system's name beside the title.
        authors: The place of each author, in order; empty unless all were found.
        year: The year's digits; where it stands several times, they are in `years` alone.
        addresses: Every address in the entry's lines.
        paper_address: That of the mention's own link.
    """

    entry: Stretch
    title: Stretch | None = None
    authors: tuple[Stretch, ...] = ()
    year: Stretch | None = None
    years: tuple[Stretch, ...] = ()
    venue: Stretch | None = None
    name: Stretch | None = None
    addresses: tuple[AddressSpan, ...] = ()
    paper_address: AddressSpan | None = None


def first_line_of(mention: Mention) -> int:
    """Returns the 1-based line on which a mention's entry begins, which may be above its title."""
    return max(mention.last_line - mention.text.count("\n"), 1)


class _Lines(NamedTuple):
    """The lines of an entry, which other mentions may share.

    Attributes:
        addresses: Every address in them, as offsets into the list's text.
        by_url: Those that may be a mention's own link, by address.
        masked: The lines with addresses and comments blanked.
    """

    addresses: tuple[AddressSpan, ...]
    by_url: Mapping[str, Sequence[AddressSpan]]
    masked: str


@lru_cache(maxsize=1)
def _lines_at(text: str, start: int, end: int) -> _Lines:
    """Returns the lines from `start` to `end`, read once for the mentions in them, which follow each other."""
    raw = text[start:end]
    found = addresses_in(raw)
    masked = _masked(raw, [(span.start, span.end) for span in found])
    masked = _masked(masked, [match.span() for match in _COMMENT.finditer(masked)])
    addresses = tuple(_moved(span, start) for span in found)
    by_url: dict[str, list[AddressSpan]] = {}
    for span in addresses:
        if span.place != "image":
            by_url.setdefault(span.url.strip(), []).append(span)
    return _Lines(addresses, by_url, masked)


def spans_of(source: ListText, mention: Mention, *, sharing: int = 1) -> FieldSpans:
    """Returns where `mention`, read from the text of `source`, and its fields stand.

    Args:
        source: The list.
        mention: One of its mentions.
        sharing: How many mentions have the same lines; where that is more than `MOST_SHARING`, no field is looked for.
    """
    start, end = source.stretch(first_line_of(mention), mention.last_line)
    addresses, by_url, masked = _lines_at(source.text, start, end)
    own = by_url.get(mention.url, ()) if mention.url else ()
    paper_address = own[0] if len(own) == 1 else None
    if sharing > MOST_SHARING:
        return FieldSpans(entry=(start, end), addresses=addresses, paper_address=paper_address)
    title = _only_place(masked, mention.title)
    rest = _masked(masked, [title] if title else [])
    venue = _only_place(rest, mention.venue)
    years = tuple((first + start, last + start) for first, last in _years(rest, mention.year, venue))
    return FieldSpans(
        entry=(start, end),
        title=_at(title, start),
        authors=tuple((first + start, last + start) for first, last in _people(rest, mention.authors)),
        year=years[0] if len(years) == 1 else None,
        years=years,
        venue=_at(venue, start),
        name=_at(_only_place(rest, mention.name), start),
        addresses=addresses,
        paper_address=paper_address,
    )


def _masked(text: str, stretches: Iterable[Stretch]) -> str:
    """Returns `text` with what stands in `stretches`, in order, blanked by a sign that no field holds."""
    return with_blanks(text, stretches, "\0")


def _at(stretch: Stretch | None, start: int) -> Stretch | None:
    return None if stretch is None else (stretch[0] + start, stretch[1] + start)


def _moved(span: AddressSpan, by: int) -> AddressSpan:
    return AddressSpan(
        start=span.start + by,
        end=span.end + by,
        url=span.url,
        place=span.place,
        outer_start=span.outer_start + by,
        outer_end=span.outer_end + by,
        label=span.label,
    )


def _only_place(text: str, field: str | None) -> Stretch | None:
    """Returns where the words of `field` stand in `text`; None where that is nowhere, or in several places."""
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
    """Returns where `field` stands sign by sign, if it is plain that it stands nowhere else; else None, for a pattern.

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


def _years(text: str, year: int | None, venue: Stretch | None) -> list[Stretch]:
    """Returns where the year stands: in four digits, or in two right behind the venue ("ICLR'17")."""
    if year is None:
        return []
    short = _SHORT_YEAR.match(text, venue[1]) if venue else None
    shortened = [short.span(1)] if short is not None and int(short[1]) == year % 100 else []
    return [*(match.span() for match in _pattern(str(year)).finditer(text)), *shortened]


def _pattern(field: str) -> re.Pattern[str]:
    words = _GAP.join(map(_word, field.split()))
    before = r"(?<![^\W_])" if field[0].isalnum() else ""
    after = r"(?![^\W\d_])" if field[-1].isupper() else r"(?![^\W_])" if field[-1].isalnum() else ""
    if field.isdecimal():
        before, after = r"(?<!\d)", r"(?!\d)"
    return re.compile(before + words + after)


def _word(word: str) -> str:
    """Returns a pattern for a word, before whose marks of Markdown a backslash may stand."""
    return "".join(re.escape(sign) if sign.isalnum() else rf"\\?{re.escape(sign)}" for sign in word)


def _people(text: str, authors: Sequence[str]) -> list[Stretch]:
    """Returns where each of `authors` stands, in order and with little between them; [] unless all were found."""
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
