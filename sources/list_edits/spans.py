"""Where the fields of a mention stand in its list's own text. Pure.

A mention tells what its entry says, not where. Here each field is found again inside the entry's lines; one that stands
there twice, or not in one piece, has no place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from sources.list_checks.list_text import ListText
from sources.list_edits.addresses import AddressSpan, addresses_in, with_blanks
from sources.records import Mention

_EMPHASIS = r"[*_`~\\]*"
_GAP = rf"{_EMPHASIS}(?:\s|&nbsp;|<br ?/?>)[\s>]*{_EMPHASIS}"
"""What may stand between two words of a field: blanks, the end of a line with the marks of a quote, emphasis."""
_RUN = re.compile(r"[^\W_]+")
_SHORT_YEAR = re.compile(r"[ ]?['’]?(\d\d)(?![\d.:-])")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)

MOST_SHARING = 50
"""Mentions in the same lines whose fields are looked for: that takes reading the lines for each of them."""

Stretch = tuple[int, int]
"""Where something begins and ends, as offsets into the list's text."""


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
