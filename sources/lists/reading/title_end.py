"""Finds where the title of a reference ends: before the journal, the book or the year behind it."""

from __future__ import annotations

import re

from sources.bibliography.years import YEAR_DIGITS, year_in
from sources.lists.reading.author_lists import NAME_WORD, UPPER, name_odds, read_authors
from sources.lists.reading.citation_parts import GAP, IN_WORDS, NO_VENUE_BEGINS, RANGE, is_journal_name, is_venue
from sources.lists.reading.marked_text import Mark
from sources.lists.reading.title_model import FUNCTION_WORDS, LIKELY, LONG_QUOTE, title_odds

CLEARLY_NAME = 2.5  # logarithm of the odds from which several words before a colon are a name, and no topic
_IN_WORD = f"(?:{'|'.join(IN_WORDS)})"
# What the title of a citation ends before, whatever stops it holds: ", in: Archiv ...", ". In : ROUX Paul (dir.)".
_IN_BOOK = re.compile(
    r"(?:[,.;]|(?<=[?!]))\s(?:(?:[iIîÎ]n|[iIwWuU]|[Tt]eoksessa|[Вв](?: кн\.)?)\s?:\s|[iI]n\s[«“„\"])|"
    rf"(?:[.,;]|(?<=[?!]))\s(?i:{_IN_WORD})\s"
    r"(?=[^\n\x1d]{2,200}?"
    r"(?:(?:\(|\x1d|,\s)(?:(?:[Ee]ds?|[Ee]dits?|[Cc]oords?|[Dd]irs?|[Oo]rgs?|[Cc]omps?|[Hh]g|[Hh]rsg|szerk|[Tt]oim|[Rr]ed)\.|"
    r"(?:[Ee]ds?|[Ee]ditors?)\b)|(?:\(|\x1d)(?:pp|págs?|S)\.))"
)
_IN_LISTED = re.compile(rf"[,;]\s(?i:{_IN_WORD})\s")  # before editors, and the gap that "(eds.)" left
_IN = re.compile(rf"(?:[.?!]|(?<=\w))\s{_IN_WORD}\s")
# A stop, a journal, and volume and pages, maybe behind the year: ". Nature Ecology. 2003;15(9):508–539."
_JOURNAL_AND_PAGES = re.compile(
    rf"[.?!]\s([{UPPER}][^\d.;:()\n\v\x1d]{{2,80}}?)[.,]?\s(?:{YEAR_DIGITS}\s?;\s?)?(?:(?:[Vv]ol|[VvTt])\.\s?)?"
    r"\d{1,4}\s?(\(\d{1,4}(?:[-–/]\d+)?\)|\x1d{3,6})?\s?[:,.]\s?(?:(?:pp?|[Ss])\.\s?)?[A-Z]?\d+\s?[-–‑]\s?[A-Z]?\d+"
)
# The same behind a year in brackets, where any words are a journal's and none may stand: "? PNAS 116(16) 7656-7661".
_NUMBERS_OF_JOURNAL = (
    r"(?:(?!(?:19|20)\d\d[,.])\d{1,4}\s?(?:\(\d{1,4}(?:[-–/]\d+)?\)|\x1d{3,6})(?=[\s,.:;]|$)|"
    r"(?!(?:19|20)\d\d[,.])\d{1,4},\s(?:(?:pp?|[Ss])\.\s?)?[A-Z]?\d+(?![\w(])|"
    r"(?P<pages>(?!(?:19|20)\d\d\s?[-–‑])\d{1,5}\s?[-–‑]\s?\d{1,5}(?=[\s.,]|$)))"
)
_DATED_JOURNAL = re.compile(
    rf"[.?!]+\s(?:([{UPPER}\u2e80-\uffff][^\d.;()\n\v\x1d]{{2,90}}?)(?:\s?(?:\([^()\d]{{2,20}}\)|\x1d+))?(?:,\s?|\s)(?:[Vv]ol\.?\s)?)?"
    + _NUMBERS_OF_JOURNAL
)
# A place and a publisher at the end: ". Chicago: Northwestern University Press."
_PUBLISHER_AT_END = re.compile(
    rf"(?:[.,]|(?<=[?!]))\s([{UPPER}][^\d.,;:()\x1d]{{2,40}}(?:,\s[A-Z]{{2}})?:\s[{UPPER}][^\d:;()\x1d]{{2,80}}?)\.?\s*$"
)
# A publisher, or what kind of thesis it is: ", Editura Ceres, ...", ". Springer Verlag, ...", ", PhD thesis".
_PUBLISHER = re.compile(
    rf"(?:[,.]|(?<=[?!]))\s(?:(?:[{UPPER}][\w&’'-]*[:.]?|of|de|di|and|&)\s){{0,4}}?(?:Editura|Editorial|Editora|"
    r"Edizioni|[ÉE]ditions|Verlag|Press|Publish(?:ing|ers)|"
    r"Wydawnictwo|Nakladatelství|Kiadó|Yayın(?:ları|evi)|[Ff]orlag|[Ff]örlag|Uitgeverij|Издательство|Изд-во|Вид-во|"
    r"Ed\.(?=\s[A-Z])|(?:(?:Ph\.? ?D\.?|[Mm]aster'?s?|[Dd]octoral) )?(?:[Tt]hesis|[Dd]issertation)|Diss\.|"
    r"[Tt]h[èe]se de|"
    r"[Tt]es(?:is|e|i) (?:d[eio]|doctoral)|[Tt]ez[aăe]i? de)(?!\w)"
)
_BODY = re.compile(rf"[^\W\d_][^\d.:;()\n\v{GAP}]{{3,80}}")
_PLACE_BEFORE = re.compile(rf"[.?!]\s[{UPPER}][\w-]*(?:\s[{UPPER}][\w-]*)?$")
# What is left of "[online]" or "[en línea]" behind a journal, before the year.
_ONLINE = re.compile(rf"\s?{GAP}{{8,10}}[.,]?\s{YEAR_DIGITS}(?!\d)")
_STOP = re.compile(r"[.?!]+\s")
_STROKE = re.compile(r"\.?\s?(?<=[\s.])/\s(?=[^\W\d_])")
_YEAR_AT_END = re.compile(rf"\.\s\(?{YEAR_DIGITS}\)?\.?\s*$")
# Pages in brackets at the end, or what one that was taken out left, as the contents of an issue have them.
_PAGES_AT_END = re.compile(
    rf"(?<=: )(?:[^\d{GAP}\n\v]{{8,}}?)(?=\.?\s(?:\(\d{{1,4}}\s?[-–]\s?\d{{1,4}}\)|{GAP}{{5}}(?:{GAP}{{2,6}})?)\.?\s*$)"
)
# The beginning of an abbreviated journal that goes on behind a stop: "of Polycrystals. Int. J" before ". Plasticity".
_INTO_JOURNAL = re.compile(r"[.,?!]\s(?:[A-Z][a-z]{1,5}\.\s){0,4}J\Z")
_WITHIN_TITLE = re.compile(r"[^\s.,;:]\s[\"“«][^\"“”«»]+[\"”»]\Z")
_STOPS = re.compile(r"[.?!]\s|,\s[A-Z]|\s[-–—]\s")  # behind which the journal may stand
# What a title does not go on behind; it may go on over a line's end.
_PARTING = re.compile(f"[{GAP}\v|]|[.:;]\n|(?:19|20)\\d\\d[).]")
_ENDING = re.compile(f"[{GAP}\\v|]|[.:;]\\n|[.?!]\\s(?:{_IN_WORD}\\s|(?:19|20)\\d\\d[.)])")
# What pages, volumes and issues are introduced by, with a stop that ends no title.
_NO_STOP = re.compile(r"(?:^|[\s,(])(?:pp?|[Ss]{1,2}|[Vv]ol|[Nn][oºr°]?|[Hh]lm|[Cc]|с|С|стр|[Bb]d|[Jj]g|[Tt])$")
NUMBER_BEHIND = re.compile(r"[,.]?\s*\(?\d")
_FEWEST_IN_SENTENCE = 3  # words; fewer behind a stop are of a journal in abbreviated words
_SHORTEST_TITLE, _LONGEST_TITLE, _FEWEST_BEFORE_QUOTE = 8, 600, 12


def closed_end(text: str, marks: tuple[Mark, ...], position: int, *, dated: bool = False) -> int | None:
    """Returns where the title at `position`, behind authors, ends before a journal or a book; None where in doubt.

    `dated` says that a year in brackets stands between the authors and the title, so that no more authors follow.
    """
    # A title of one sentence ends before the year that ends the entry: "Title; a second look. 2019".
    year = _YEAR_AT_END.search(text, position + _SHORTEST_TITLE)
    pages = _PAGES_AT_END.match(text, position)
    stopped = year and any(stop.search(text, position, year.start()) for stop in (_ENDING, _STOPS))
    found = (
        end_before_italics(text, marks, position),
        end_before_book(text, marks, position),
        _end_before_journal(text, position),
        _end_before_numbers(text, marks, position) if dated else None,
        _end_before_publisher(text, position) if dated else None,
        _end_before_stroke(text, position),
        _end_before_journal_online(text, position),
        year.start() if year and not stopped else None,
        pages.end() if pages and not _holds_place(pages[0]) else None,
    )
    ends = [end for end in found if end]
    end = min(ends, default=0)
    if (journal := _INTO_JOURNAL.search(text, position, end)) and text.startswith(". ", end):
        end = journal.start() + (text[journal.start()] in "?!")
    quote = LONG_QUOTE.search(text, position, end) if end else None
    quoted = quote is not None and quote.start() < position + _FEWEST_BEFORE_QUOTE
    if quote is not None and quoted and dated:
        closed = quote[0][-2] in ".," or text[quote.end() : quote.end() + 1] in (".", ",")
        quoted = closed or not any(map(str.isalpha, text[quote.end() : end]))
    if quoted or not any(map(str.isalpha, text[position:end])):
        return None
    if dated:
        return end
    people = read_authors(text, position)
    further = (
        people is not None and people.sure and name_odds(NAME_WORD.findall(" ".join(people.names))) >= CLEARLY_NAME
    )
    return None if further else end


def end_before_italics(text: str, marks: tuple[Mark, ...], position: int) -> int | None:
    """Returns where the title at `position` ends before a journal in italics and a number."""
    for mark in marks:
        if mark.kind == "italic" and mark.start > position + _SHORTEST_TITLE:
            end = mark.start - 1
            # A quotation within the title ends behind the stop: "Beyond "Biases." *Mind*, 3".
            closed = _WITHIN_TITLE.search(text, position, end) is not None
            stopped = text[end - 1 - closed : end - closed] in (".", "?", "!")
            clear = stopped and _ENDING.search(text, position, end) is None
            return end if clear and NUMBER_BEHIND.match(text, mark.end) else None
    return None


def _end_before_journal(text: str, position: int) -> int | None:
    """Returns where a title of one sentence or more ends before a plain journal with its volume and pages."""
    for match in _JOURNAL_AND_PAGES.finditer(text, position + _SHORTEST_TITLE, position + _LONGEST_TITLE):
        end = match.start() + (text[match.start()] in "?!")
        named = is_journal_name(match[1]) or is_venue(match[1]) or (match[2] and " " not in match[1])
        if named and _ENDING.search(text, position, end) is None:
            return None if _holds_place(text[position:end]) else end
    return None


def _holds_place(title: str) -> bool:
    """Returns whether a sentence behind the first tells where or when the paper came out."""
    return any(is_venue(part) or is_journal_name(part) or year_in(part) for part in title.split(". ")[1:])


def _end_before_numbers(text: str, marks: tuple[Mark, ...], position: int) -> int | None:
    """Returns where a title of one sentence or more ends before the journal that volume, issue or pages show."""
    for match in _DATED_JOURNAL.finditer(text, position + _SHORTEST_TITLE, position + _LONGEST_TITLE):
        end, asks = match.start(), match[0][0] in "?!"
        title = text[position:end]
        if _ENDING.search(text, position, end):
            return None
        abbreviated = any(len(part.split()) < _FEWEST_IN_SENTENCE for part in title.split(". ")[1:])
        published = match["pages"] is not None and ": " in match[0]  # a place and a publisher
        goes_on = asks and ", " in (match[1] or "")  # a second sentence of the title, and the journal
        if not (abbreviated or published or goes_on or _NO_STOP.search(title)):
            italics = [mark for mark in marks if mark.kind == "italic" and position < mark.start < end]
            stops = [mark.start - 2 for mark in italics if text[mark.start - 2] in ".?!"]
            stops += [mark.start - 2 for mark in italics if text[mark.start - 2] == "," and mark.end >= end - 1]
            return min(stops, default=end + asks)
    return None


def _end_before_publisher(text: str, position: int) -> int | None:
    """Returns where a title ends before a publisher, with its place or without, or before a kind of thesis.

    A publisher that nobody knows is what capitalised words say behind the only sentence of a title.
    """
    bounds = position + _SHORTEST_TITLE, position + _LONGEST_TITLE
    match = _PUBLISHER.search(text, *bounds)
    if match is None and (placed := _PUBLISHER_AT_END.search(text, *bounds)):
        match = placed if _is_named(placed[1]) and title_odds(placed[1]) <= LIKELY else None
    elif match is None and (match := _STOP.search(text, *bounds)):
        body = _BODY.fullmatch(text[match.end() :].rstrip(f"{GAP} .\n"))
        sentence = text.count(" ", position, match.start()) >= _FEWEST_IN_SENTENCE
        subtitle = body is not None and body[0].split()[0].lower() in NO_VENUE_BEGINS
        match = match if sentence and body and not subtitle and _is_named(body[0]) else None
    if match is None or _ENDING.search(text, position, match.start()):
        return None
    title, listed = text[position : match.start()], match[0][0] == ","
    if listed and (place := _PLACE_BEFORE.search(title)):  # "Title. Cambridge, MA: MIT Press"
        title = title[: place.start() + (place[0][0] in "?!")]
    short = listed and title.count(" ") < _FEWEST_IN_SENTENCE - 1
    asks = match.re is _STOP and match[0][0] in "?!"
    return None if short or RANGE.search(title) or _NO_STOP.search(title.rstrip()) else position + len(title) + asks


def _is_named(text: str) -> bool:
    return all(word[0].isupper() or word in FUNCTION_WORDS for word in text.split())


def numbered_journal(text: str, end: int) -> str | None:
    """Returns the journal that stands with its numbers behind the title of a dated citation, which ends at `end`."""
    match = _DATED_JOURNAL.match(text, end - (text[end - 1] in "?!"))
    return match[1] if match else None


def _end_before_stroke(text: str, position: int) -> int | None:
    """Returns where a title of one sentence or more ends before a stroke and its people again, as in Russia."""
    match = _STROKE.search(text, position + _SHORTEST_TITLE, position + _LONGEST_TITLE)
    if match is None or _PARTING.search(text, position, match.start()):
        return None
    people = read_authors(text, match.end())
    return match.start() if people is not None and people.sure else None


def _end_before_journal_online(text: str, position: int) -> int | None:
    """Returns where a title of one sentence or more ends before a journal with "[online]" behind it, as ISO 690 has it.

    The journal begins behind the first stop behind which all words are capitalised or abbreviated.
    """
    online = _ONLINE.search(text, position + _SHORTEST_TITLE, position + _LONGEST_TITLE)
    if online is None or _PARTING.search(text, position, online.start()):
        return None
    for stop in _STOP.finditer(text, position + _SHORTEST_TITLE, online.start()):
        words = text[stop.end() : online.start()].split()
        if words and all(word[0].isupper() or word[-1] == "." or word in FUNCTION_WORDS for word in words):
            return stop.start() + (text[stop.start()] in "?!")
    return None


def end_before_book(text: str, marks: tuple[Mark, ...], position: int) -> int | None:
    """Returns where the title at `position` ends before "in" and the book or the editors."""
    ends = [match.start() for match in _IN_BOOK.finditer(text, position + _SHORTEST_TITLE, position + _LONGEST_TITLE)]
    for match in _IN_LISTED.finditer(text, position + _SHORTEST_TITLE, position + _LONGEST_TITLE):
        editors = read_authors(text, match.end())
        if editors is not None and editors.sure and text[editors.end : editors.end + 3].lstrip()[:1] == GAP:
            ends.append(match.start())
    for match in _IN.finditer(text, position + _SHORTEST_TITLE, position + _LONGEST_TITLE):
        people = read_authors(text, match.end()) if text[match.start()] in ".?!" else None
        italic = any(mark.kind == "italic" and mark.start == match.end() for mark in marks)
        if italic or (people is not None and people.sure and len(people.names) > 1):
            ends.append(match.start() + (text[match.start()] in "?!"))
    end = min(ends, default=None)
    return end if end is not None and not _PARTING.search(text, position, end) else None
