"""Reads title, authors, venue and year of one citation, in whatever order they stand."""

from __future__ import annotations

import re

from sources.bibliography.titles import ends_with_part
from sources.bibliography.years import SHORT_MONTHS, YEAR_DIGITS, last_year
from sources.lists.reading.addresses import OTHER_FIELD
from sources.lists.reading.author_lists import (
    OTHERS,
    SAME,
    SURE_NAMES,
    asian_names,
    name_odds,
    names_of_line,
    only_authors,
    read_authors,
    signature,
)
from sources.lists.reading.before_title import YEAR_OF_OWN, italic_journal, journal_before_volume, read_lead, read_tail
from sources.lists.reading.citation_parts import (
    ABBREVIATION,
    BOUNDARY,
    GAP,
    IN_WORDS,
    Citation,
    before_venue,
    goes_on_as_part,
    has_pages,
    imprint_of,
    is_imprint_ahead,
    is_venue,
    journal_ahead,
    skip_marks,
)
from sources.lists.reading.marked_text import Mark
from sources.lists.reading.title_end import closed_end, end_before_book, numbered_journal
from sources.lists.reading.title_model import (
    EVEN,
    LIKELY,
    LONG_QUOTE,
    NO_TITLE,
    QUOTES,
    UNLIKELY,
    clean_title,
    is_foreign_prose,
    is_remark,
    title_odds,
)

# What leads from a title to a remark; between short names they are a formula.
_ARROWS = frozenset(("->", "=>", "-->", "==>", "→", "⇒"))

_LONGEST_IN_BRACKET = 40  # characters up to where a bracket closes
_LONGEST_IMPRINT = 160  # characters behind a comma in which a journal with its volume has pages or a year
_FEWEST_QUOTED = 3  # words of a quotation that is a title by itself before a comma
_BEHIND_ITALICS = (".", ",", "(", GAP, "")  # what may follow a title in italics behind its authors
_BEFORE_BOOK = frozenset(",.;?!")  # one of these stands before "in" and a book
_LONGEST_PLACED = 300  # signs behind a title in which the book and its year stand
_FEWEST_BLANKS = 2  # in a title before a journal that nobody knows
# What a title in another language means, behind it: "A ország élete [Life in the Kingdom]".
_TRANSLATION = re.compile(r"(?<=\S) \[(?:[^\[\]\s]+ ){2,}[^\[\]\s]+\]$")
_YEAR_AND_STOP = re.compile(rf"(?<!\w){YEAR_DIGITS}[a-z]?[.:]$")
_BRACKETED_YEAR = (GAP * 6, GAP * 7)  # what is left of "(2001)" or "(2001a)"
_SHORTER = 1.5  # how many logarithms of odds a title may lose with the names behind it

# What ends a title in Chinese or Japanese behind its authors, if no stop does.
_ASIAN_PARTS, _SHORTEST_ASIAN = frozenset((",", "，", ";", "；", "")), 5
_ASIAN_STOP = re.compile(r"[\u2e80-\uffff][.．。]\s?\S")
_LINE = re.compile(r"[^\n\v]+")
_LINES_OF_RECORD, _LONGEST_PLACE = 3, 24
_BEFORE_YEAR = frozenset(
    "in of since the from for vision year to until and em en de del im von bis w do roku roce rok año ano année anno "
    "år jahr y et e und до в с".split()
)
_TAIL_YEAR = re.compile(r"(?<![\w–-])((?:19|20)\d\d)$")
# A day at the end of a title, with one word behind it: "29 Apr 2019 arxiv".
_TAIL_DATE = re.compile(rf"\s\d{{1,2}}\s(?:{SHORT_MONTHS})[a-z]*\.?\s((?:19|20)\d\d)(?:\s[\w.]+)?$", re.IGNORECASE)

# Names that Zotero and Mendeley give to files: "Gainza_et_al_2020_Deciphering_....pdf", "Okashah et al. - 2019 - ...".
_FILE_NAME = re.compile(
    r"(?P<people>[^\W\d_][\w'’.-]*?(?:(?:[_ ]and[_ ]|[_ ]&[_ ]|,[_ ]|_)[^\W\d_][\w'’-]*?){0,3}?)"
    r"(?:(?P<others>[_ ]et[_ ]al\.?)(?=[_ ])|(?=[_ ](?:-[_ ])?(?:19|20)\d\d[a-z]?[_ ]))"
    r"(?:[_ ](?P<dash>-[_ ])?(?P<year>(?:19|20)\d\d)[a-z]?)?[_ ](?:-[_ ])?"
    r"(?P<title>[^\n\v\x1d\[\]|]{3,250}?)(?:(?P<file>\.pdf)|(?=[\n\v\x1d\[\]|]|$))",
    re.IGNORECASE,
)
_IN_NEXT = re.compile(rf"[,.]? (?:[iI]n|(?i:{'|'.join(IN_WORDS)}|w|u|v|в)(?=:)):?  ?\S")
# "A、B：〈title〉，《journal》1958年第3期"
_CHINESE_REFERENCE = re.compile(r"(?:([^〈〉《》：:，\n\x1d]{2,60})[：:]\s?)?〈(?P<title>[^〈〉\n]{4,120})〉")
# 'A, B，"title"，journal，Vol.31 (2016)', as Japanese give their publications; Chinese have the year before the title.
_JAPANESE_REFERENCE = re.compile(
    rf"([^\"“”\n\x1d]{{2,200}}?)\s?[，,、]\s?(?:(?P<year>{YEAR_DIGITS})年?[，,、]\s?)?[\"“](?P<title>[^\"“”\n]{{4,150}})[\"”]\s?[，,、]"
)
# A journal and its volume behind a title in Chinese, Japanese or Korean: ", 生産研究, 68(3)".
_ASIAN_JOURNAL = re.compile(r"[,，、]\s?[^,，、\n\x1d]{2,30}[,，、]\s?(?:[Vv]ol\.?\s?)?\d")
_NAMES_OF_FILE = re.compile(r"[_ ,&]+")
# A title in Latin letters, and behind a dash a remark in Chinese, Japanese or Korean, maybe behind a name.
_ASIAN_REMARK = re.compile(r"((?:[!-~]+ ){2,}[!-~]*?[A-Za-z?!)]) ?[-–—]{1,2} ?(?:[A-Za-z]{2,20} )?[\u2e80-\uffff]")
_TAIL_VENUE = re.compile(r"\s((?:[A-Z][\w&/-]*\s){0,2}[A-Za-z][\w&/-]*[\s-]?['’]?\d{2,4})$")


def read_citation(
    text: str, marks: tuple[Mark, ...], start: int = 0, numbers: frozenset[int] = frozenset()
) -> Citation:
    """Returns what `text` tells from `start` on; `title` is None where no stretch of it can be one.

    At `numbers` stands what looks like a year and begins a title.
    """
    if lines := record_of_lines(text, start):
        people, title, place = lines
        found = Citation(whole=True, numbers=numbers, authors=names_of_line(people[0]))
        kinds = (mark.kind for mark in marks if mark.start <= title.start() + 1 and title.end() - 1 <= mark.end)
        found.title, found.how = clean_title(title[0].strip(GAP)), next(kinds, "text")
        found.start, found.end = title.span()
        read_tail(text, marks, title.end(), found)
        found.fill(year=last_year(place[0]))
        return found
    found = Citation(numbers=numbers)
    position = read_lead(text, marks, start, found)
    position = skip_marks(text, position)
    if not (
        _dated(text, marks, position, found)
        or _in_chinese_or_japanese(text, position, found)
        or _name_of_file(text, position, found)
        or _quoted(text, marks, position, found)
        or _in_bold_or_italics(text, marks, position, found)
    ):
        _plain(text, marks, position, found)
    if found.title is not None:
        if not found.title.isascii() and (remark := _ASIAN_REMARK.match(found.title)):
            found.title = clean_title(remark[1])
        if not found.placed:
            read_tail(text, marks, found.end, found)
        if found.year is None and found.authors and found.start > start:
            found.year = last_year(text[found.end : found.end + 300])
    return found


def record_of_lines(text: str, start: int = 0) -> list[re.Match[str]] | None:
    """Returns the lines of a record of three (names, title, where or when it came out); None where it is none."""
    lines = [match for match in _LINE.finditer(text, skip_marks(text, start)) if match[0].strip(GAP + " ")]
    if len(lines) != _LINES_OF_RECORD or text.count("\n", start) + text.count("\v", start) > 2 * _LINES_OF_RECORD:
        return None
    people, title, place = (line[0] for line in lines)
    dated = imprint_of(place.replace(GAP, " ")) is not None or last_year(place) is not None
    if not dated or len(place.split()) > _LONGEST_PLACE or " " not in clean_title(title.strip(GAP)):
        return None
    return lines if names_of_line(people) else None


def _dated(text: str, marks: tuple[Mark, ...], position: int, found: Citation) -> bool:
    """Takes the title behind authors and a year, in brackets or between stops, where what follows it shows its end."""
    before = text[max(position - 12, 0) : position].rstrip(" *_")
    dated = before.rstrip(".,:").endswith(_BRACKETED_YEAR) or _YEAR_AND_STOP.search(before) is not None
    own = not found.authors and YEAR_OF_OWN.fullmatch(text, skip_marks(text, 0), position) is not None
    if not own and not (found.authors and dated):
        return False
    if any(mark.kind in ("bold", "italic") and abs(mark.start - position) <= 1 for mark in marks):
        return False
    end = closed_end(text, marks, position, dated=True)
    if end:
        title = clean_title(text[position:end])
        found.title, found.start, found.end, found.how = _TRANSLATION.sub("", title), position, end, "text"
        found.whole = True
        found.fill(numbered_journal(text, end))
    return bool(found.title)


def _name_of_file(text: str, position: int, found: Citation) -> bool:
    ahead = text[position : position + 100]
    if "_" not in ahead and " - " not in ahead and ".pdf" not in text[position : position + 300]:
        return False
    match = _FILE_NAME.match(text, position)
    if match is None or not (match["file"] or match["dash"] or "_" in match[0]):
        return False
    people = [name for name in _NAMES_OF_FILE.split(match["people"]) if name and name != "and"]
    if match["others"] is None and match["year"] is None:
        people = people[: next((at for at, name in enumerate(people) if name_odds([name]) < SURE_NAMES), len(people))]
    if not people or not all(name[0].isupper() for name in people):
        return False
    title = clean_title(match["title"])
    found.title, found.start, found.end, found.how = title, match.start("title"), match.end(), "field"
    found.authors = tuple(people)
    found.fill(year=int(match["year"]) if match["year"] else None)
    return bool(title)


def _in_chinese_or_japanese(text: str, position: int, found: Citation) -> bool:
    if text.isascii():
        return False
    people: tuple[str, ...] = ()
    if match := _CHINESE_REFERENCE.match(text, position):
        people = tuple(re.split("[、，]", match[1])) if match[1] else ()
    elif match := _JAPANESE_REFERENCE.match(text, position):
        people = asian_names(match[1])
    if match is None or not (people or "〈" in match[0]):
        return False
    found.title, found.start, found.end = match["title"], match.start("title"), match.end()
    found.how, found.whole = "quoted", True
    year = match.groupdict().get("year")
    found.fill(year=int(year) if year else None, authors=people)
    return True


def _quoted(text: str, marks: tuple[Mark, ...], position: int, found: Citation) -> bool:
    if position >= len(text) or text[position] not in QUOTES:
        return False
    opening = position
    while text[position + 1 : position + 2] and text[position + 1] in "`'\"" and text[position] in "`'\"":
        position += 1
    closing = QUOTES[text[opening]]
    nested = LONG_QUOTE.match(text, position) if text[position] in "«“" else None
    ends = [at for mark in closing if (at := text.find(mark, position + 2, position + 400)) > 0]
    end = nested.end() - 1 if nested else min(ends, default=-1)
    if end < 0:
        return False
    inner = text[position + 1 : end]
    after = text[end + 1 : end + 2]
    book = end_before_book(text, marks, position) if found.authors and after == "." else None
    if book and text.count(" ", end, book) >= _FEWEST_QUOTED:  # "Parts of a Whole". On Two Histories, in: ...
        title = clean_title(text[opening:book])
        found.title, found.start, found.end, found.how, found.whole = title, opening, book, "text", True
        return True
    goes_on = (
        after == " "
        and text[end + 2 : end + 3].islower()
        and not text[end + 2 :].startswith(("in ", "by ", "de ", "von "))
    )
    if (
        len(inner) < 4
        or (after == ":" and text[end + 2 : end + 4].strip()[:1].isupper())
        or _goes_on_behind_quote(text, inner, end + 1)
        or (after.isalnum() and text[opening] not in "「『《〈")
        or (goes_on and inner[-1] not in ",.!?" and len(inner.split()) < 4)
    ):
        return False
    found.title, found.start, found.end, found.how = clean_title(inner), position + 1, end + 1, "quoted"
    found.quoted = len(inner.split()) >= 2
    ended = text[opening] in "《〈『" or after in _BEHIND_ITALICS or inner[-1] in ",."
    found.whole = bool(found.authors) and (ended or _IN_NEXT.match(text, end + 1) is not None)
    return True


def _goes_on_behind_quote(text: str, inner: str, after: int) -> bool:
    """Returns whether the words behind a quotation and a mark read like the rest of a title that begins with it."""
    if text[after : after + 1] != ":" and (text[after : after + 1] != "," or len(inner.split()) >= _FEWEST_QUOTED):
        return False
    rest = text[after + 2 : after + 200].split(GAP, maxsplit=1)[0]
    further = BOUNDARY.split(rest, maxsplit=1)[0]
    whole = f"{inner}{text[after]} {further}"
    begins = rest[:1].islower() and rest.split(" ", 1)[0].capitalize() not in IN_WORDS
    return begins and not is_imprint_ahead(text, after + 2) and title_odds(whole) > title_odds(inner)


def _in_bold_or_italics(text: str, marks: tuple[Mark, ...], position: int, found: Citation) -> bool:
    for mark in marks:
        if mark.kind not in ("bold", "italic", "struck") or not mark.start <= position + 1 or mark.end <= position:
            continue
        if mark.start < position - 3:
            continue
        stretch = text[position : mark.end]
        title = clean_title(stretch.split(GAP)[0])
        people = OTHERS.match(stretch) or (found.authors != (SAME,) and only_authors(title))
        if people or len(title.split()) < 2 or (is_venue(title) and len(title.split()) < 4):
            continue
        rest = text[mark.end :].lstrip()
        further = len(title.split()) < 3 and title_odds(rest.split(GAP)[0]) > UNLIKELY and not found.authors
        if (rest[:1].islower() and mark.kind != "struck" and not _IN_NEXT.match(text, mark.end)) or further:
            continue
        found.title, found.start, found.end, found.how = title, position, mark.end, mark.kind
        _strip_imprint(found, text)
        ends = rest[:1] in _BEHIND_ITALICS or _IN_NEXT.match(text, mark.end) is not None
        found.whole = bool(found.authors) and mark.kind == "italic" and ends
        return True
    return False


def _plain(text: str, marks: tuple[Mark, ...], position: int, found: Citation) -> None:
    """Takes the text from `position` to the first boundary behind which venue, authors or nothing of a title follow."""
    if found.authors and (closed := closed_end(text, marks, position)):
        title = clean_title(text[position:closed])
        found.title, found.start, found.end, found.how, found.whole = title, position, closed, "text", True
        return
    end = _title_end(text, marks, position, cited=bool(found.authors))
    parted = not found.authors and not _BEFORE_BOOK.isdisjoint(text[position:end])
    book = end_before_book(text, marks, position) if parted else None
    if book and book <= end:
        end, found.placed = book, True
        books = (mark for mark in marks if mark.kind in ("italic", "bold") and mark.start > book)
        marked = (clean_title(text[mark.start : mark.end]) for mark in books)
        found.fill(next(marked, None), last_year(text[book : book + _LONGEST_PLACED]))
    quote = LONG_QUOTE.search(text, position, end)
    whole = quote is not None and text[quote.end() : quote.end() + 2] != ": "
    inner = quote[quote.lastindex or 0] if quote and whole else ""
    if quote and len(inner.split()) >= 4 and title_odds(inner) >= EVEN:
        start = quote.start(quote.lastindex or 0)
        found.title, found.start, found.end, found.how = clean_title(inner), start, quote.end(), "quoted"
        return
    title = clean_title(text[position:end])
    if signed := signature(text, position, end):
        at, names = signed
        words = clean_title(text[position:at])
        if all(" " in name for name in names) or title_odds(words) > title_odds(title) - _SHORTER:
            end, title, found.authors = at, words, found.authors or names
    if GAP in text[end : end + 1] and (not title or title_odds(title) <= NO_TITLE):
        further = skip_marks(text, end)
        further_end = _title_end(text, marks, further)
        candidate = clean_title(text[further:further_end])
        if title_odds(candidate) >= (LIKELY if title.isascii() else UNLIKELY):
            position, end, title = further, further_end, candidate
    if not title or (not found.authors and is_foreign_prose(title)):
        return
    head, stroke, people = title.rpartition(" / ")
    if stroke and (names := only_authors(people)):  # as libraries write it: "Title / A. Author"
        title, found.authors = head, found.authors or names
    found.title, found.start, found.end, found.how = title, position, end, "text"
    found.whole = bool(found.authors) and title[0] > "\u2e7f" and _ASIAN_JOURNAL.match(text, end) is not None
    _strip_imprint(found, text)


def _strip_imprint(found: Citation, text: str) -> None:
    """Takes a venue and year off the end of a title: "Gist: Efficient data encoding 2018".

    They stay where the year stands in brackets between the authors and the title, as in APA style.
    """
    title = found.title or ""
    if found.authors and text[: found.start].rstrip(" .,:*_").endswith(_BRACKETED_YEAR):
        return
    if (match := _TAIL_DATE.search(title)) and match.start() >= 12:
        found.fill(year=int(match[1]))
        found.title = clean_title(title[: match.start()])
        return
    if head := before_venue(title):
        found.fill(title[len(head) + 2 :])
        found.title = head
        return
    if not title[-1:].isdigit() or ends_with_part(title):
        return
    match = _TAIL_VENUE.search(title)
    if match and match.start() >= 12 and (imprint := imprint_of(match[1])) and imprint.venue:
        found.fill(*imprint)
        found.title = clean_title(title[: match.start()])
        return
    match = _TAIL_YEAR.search(title)
    if found.how != "text" and last_year(text[found.end :]) is not None:
        return  # the mark-up is around the title with its year
    if match and len(title.split()) > 2 and title[: match.start()].split()[-1].lower() not in _BEFORE_YEAR:
        found.fill(year=int(match[1]))
        found.title = clean_title(title[: match.start()])


def _title_end(text: str, marks: tuple[Mark, ...], position: int, *, cited: bool = False) -> int:
    """Returns where the title that starts at `position` ends; `cited` says that authors stood before it."""
    italics = [mark.start for mark in marks if mark.kind in ("italic", "bold") and mark.start > position + 8]
    limit = min(len(text), position + 600)
    for mark in marks:  # it ends before authors in italics
        is_near = mark.kind == "italic" and position + 8 < mark.start < limit
        if is_near and text[mark.start - 1 : mark.start].isspace():
            authors = read_authors(text[: mark.end], mark.start)
            if (authors is not None and authors.sure) or " al." in text[mark.start : mark.end]:
                limit = mark.start
                break
    text = text[:limit]
    for match in BOUNDARY.finditer(text, position, limit):
        at = match.start()
        opened = text.rfind("(", position, at) > text.rfind(")", position, at)
        if at <= position or (opened and text.find(")", at, at + _LONGEST_IN_BRACKET) > 0):
            continue
        italic = next((start for start in italics if start <= at), None)
        if italic is not None and is_venue(text[italic:at]):
            return italic
        if _closes_title(text, marks, position, match, cited=cited):
            return at
    italic = next((start for start in italics if is_venue(text[start : start + 120].split(GAP, maxsplit=1)[0])), None)
    return italic if italic is not None else limit


def _closes_title(text: str, marks: tuple[Mark, ...], start: int, match: re.Match[str], *, cited: bool) -> bool:
    boundary, at, after = match[0], match.start(), match.end()
    goes_on = goes_on_as_part(text, start, at, after)
    if goes_on is not None:
        return not goes_on
    if boundary == ".":
        return ABBREVIATION.search(text[max(start, at - 8) : at]) is None
    parting = GAP in boundary or "\v" in boundary or boundary == "。" or boundary.strip() == "//"
    if parting or (boundary == "\n" and OTHER_FIELD.match(text, after)):
        return True
    if boundary.strip() in _ARROWS:
        return text.count(" ", start, at) >= 2 and text[at - 3 : at].isalpha()
    if is_imprint_ahead(text, after) or _is_aside(text, start, match, cited=cited):
        return True
    journal = boundary[0] == "," and text.count(" ", start, at) >= _FEWEST_BLANKS and italic_journal(text, marks, after)
    return journal or (cited and _closes_before_journal(text, start, match))


def _closes_before_journal(text: str, start: int, match: re.Match[str]) -> bool:
    boundary, at, after = match[0], match.start(), match.end()
    if text[at - 1] > "\u2e7f" and at - start >= _SHORTEST_ASIAN:
        return boundary.strip() in _ASIAN_PARTS and _ASIAN_STOP.search(text, after) is None
    if text.count(" ", start, at) < _FEWEST_BLANKS:
        return False
    if boundary[0] != ",":
        return text[at - 1] in "?!" and journal_before_volume(text, after) is not None
    if journal_ahead(text, after) is not None:
        return True
    behind = text[after : after + _LONGEST_IMPRINT]
    return journal_before_volume(text, after) is not None and (has_pages(behind) or last_year(behind) is not None)


def _is_aside(text: str, start: int, match: re.Match[str], *, cited: bool) -> bool:
    """Returns whether a remark in small letters follows a dash, or a comma where it is in another language."""
    boundary, at, position = match[0], match.start(), match.end()
    if boundary[0] == "," and text[position : position + 1].islower() and text.count(" ", start, at) >= 2:
        return not cited and is_remark(BOUNDARY.split(text[position : position + 160], maxsplit=1)[0], text[start:at])
    other_script = text[start:at].isascii() and text[position : position + 1] > "\u2e7f"
    if boundary.strip() not in ("-", "–", "—", "--") or not (text[position : position + 1].islower() or other_script):
        return False
    return title_odds(BOUNDARY.split(text[position : position + 160], maxsplit=1)[0]) < UNLIKELY
